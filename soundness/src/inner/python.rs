//! Random programs of Python. A name flows through expressions and statements to a use.

use super::generator::{Expressions, Generator, Grammar};

/// A condition that holds and that the analysis cannot know.
const HOLDS: &str = "len(os.environ) >= 0";
/// One that does not hold.
const FAILS: &str = "len(os.environ) < 0";

/// The language.
pub(super) enum Python {}

impl Grammar for Python {
    const HEAD: &'static str =
        "import os, subprocess, base64, functools, threading, contextlib, operator, itertools\n";
}

impl Expressions for Generator<'_, Python> {
    fn literal(&mut self, text: &str) -> String {
        let reversed: String = text.chars().rev().collect();
        match self.pick(6) {
            0 => format!("'{reversed}'[::-1]"),
            1 => format!("''.join({:?})", text.chars().map(String::from).collect::<Vec<_>>()),
            2 => {
                let codes: Vec<String> = text.chars().map(|c| u32::from(c).to_string()).collect();
                format!("''.join(map(chr, [{}]))", codes.join(", "))
            }
            3 => format!(
                "bytes.fromhex('{}').decode()",
                text.bytes().map(|b| format!("{b:02x}")).collect::<String>()
            ),
            _ => format!("'{text}'"),
        }
    }

    fn some_value(&mut self, text: &str) -> String {
        let (v, w) = (self.name(), self.name());
        match self.pick(44) {
            0 => {
                let at = self.pick(text.len() + 1);
                let (a, b) = text.split_at(at);
                let (a, b) = (self.value(a), self.value(b));
                format!("({a} + {b})")
            }
            1 => format!("f\"{{{}}}\"", self.literal(text).replace('"', "'")),
            2 => format!("('%s' % {})", self.value(text)),
            3 => format!("'{{}}'.format({})", self.value(text)),
            4 => format!("['other', {}][1]", self.value(text)),
            5 => format!("{{'k': {}, 'l': 'other'}}['k']", self.value(text)),
            6 => format!("{{'k': {}}}.get('k')", self.value(text)),
            7 => format!("(lambda v: v)({})", self.value(text)),
            8 => {
                let value = self.value(text);
                self.line(format!("def {v}(a, b='x'):\n    return a"));
                format!("{v}({value})")
            }
            9 => {
                let value = self.value(text);
                self.line(format!("def {v}(*a, **k):\n    return k.get('n') or a[0]"));
                if self.pick(2) == 0 {
                    format!("{v}({value})")
                } else {
                    format!("{v}('x', n={value})")
                }
            }
            10 => {
                let value = self.value(text);
                self.line(format!("class {v}:\n    def __init__(self, a):\n        self.a = a\n    def get(self):\n        return self.a"));
                match self.pick(3) {
                    0 => format!("{v}({value}).a"),
                    1 => format!("{v}({value}).get()"),
                    _ => format!("getattr({v}({value}), 'a')"),
                }
            }
            11 => format!("({} if {HOLDS} else 'other')", self.value(text)),
            12 => format!("('other' if {FAILS} else {})", self.value(text)),
            13 => format!("[x for x in [{}]][0]", self.value(text)),
            14 => format!("next(x for x in ({},))", self.value(text)),
            15 => {
                let value = self.value(text);
                self.line(format!("if {HOLDS}:\n    {v} = {value}\nelse:\n    {v} = 'other'"));
                v
            }
            16 => {
                let value = self.value(text);
                self.line(format!("if {FAILS}:\n    {v} = 'other'\nelif {HOLDS}:\n    {v} = {value}\nelse:\n    {v} = 'third'"));
                v
            }
            17 => {
                let value = self.value(text);
                self.line(format!("try:\n    {v} = {value}\n    raise KeyError\n    {v} = 'other'\nexcept KeyError:\n    pass"));
                v
            }
            18 => {
                let value = self.value(text);
                self.line(format!("try:\n    {v} = 'other'\n    int('x')\nexcept ValueError:\n    {v} = {value}\nfinally:\n    {w} = 1"));
                v
            }
            19 => {
                let value = self.value(text);
                self.line(format!(
                    "{v} = 'other'\nfor {w} in range(len(os.environ) + 1):\n    {v} = {value}"
                ));
                v
            }
            20 => {
                let value = self.value(text);
                self.line(format!(
                    "{v} = 'other'\nwhile True:\n    {v} = {value}\n    if {HOLDS}:\n        break"
                ));
                v
            }
            21 => {
                let value = self.value(text);
                self.line(format!("{v} = ''\nfor {w} in {value}:\n    {v} += {w}"));
                v
            }
            22 => {
                let value = self.value(text);
                self.line(format!("{w} = {value}\n{v} = ''\ni = 0\nwhile i < len({w}):\n    {v} = {v} + {w}[i]\n    i += 1"));
                v
            }
            23 => {
                let value = self.value(text);
                self.line(format!("def {v}():\n    n = {value}\n    def inner():\n        return n\n    return inner"));
                format!("{v}()()")
            }
            24 => {
                let value = self.value(text);
                self.line(format!("def {v}():\n    global {w}\n    {w} = {value}\n{v}()"));
                w
            }
            25 => {
                let value = self.value(text);
                self.line(format!("def {v}():\n    n = 'other'\n    def inner():\n        nonlocal n\n        n = {value}\n    inner()\n    return n"));
                format!("{v}()")
            }
            26 => {
                let value = self.value(text);
                self.line(format!("def {v}():\n    yield 'other'\n    yield {value}"));
                format!("list({v}())[1]")
            }
            27 => {
                let value = self.value(text);
                self.line(format!(
                    "{v} = []\n{v}.append({value})\n{w} = {v}\n{w}.insert(0, 'other')"
                ));
                format!("{v}.pop()")
            }
            28 => {
                let value = self.value(text);
                self.line(format!(
                    "{v} = {{}}\n{v}.update(k={value})\n{v}.setdefault('l', 'other')"
                ));
                format!("[x for k, x in {v}.items() if k == 'k'][0]")
            }
            29 => {
                let value = self.value(text);
                self.line(format!("{v}, *{w} = 'other', {value}"));
                format!("{w}[0]")
            }
            30 => {
                let value = self.value(text);
                self.line(format!("{v} = 'other'\n{w} = {value}\n{v}, {w} = {w}, {v}"));
                v
            }
            31 => {
                let value = self.value(text);
                self.line(format!("({v} := {value})"));
                v
            }
            32 => format!("eval({:?})", self.literal(text)),
            33 => {
                let inner = self.literal(text);
                self.line(format!("exec({:?})", format!("{v} = {inner}")));
                v
            }
            34 => format!("({}).replace('Q', 'q').strip()", self.value(text)),
            35 => format!("'-'.join([{}, 'a']).split('-')[0]", self.value(text)),
            36 => format!("list(map(lambda x: x, [{}]))[0]", self.value(text)),
            37 => format!("dict(zip(['k'], [{}]))['k']", self.value(text)),
            38 => format!("[x for i, x in enumerate([{}])][0]", self.value(text)),
            39 => format!("functools.reduce(lambda a, b: a + b, [{}, ''])", self.value(text)),
            40 => {
                let value = self.value(text);
                self.line(format!("@contextlib.contextmanager\ndef {v}():\n    yield {value}\nwith {v}() as {w}:\n    pass"));
                w
            }
            41 => {
                let value = self.value(text);
                self.line(format!("def {v}(f):\n    def inner():\n        return f()\n    return inner\n@{v}\ndef {w}():\n    return {value}"));
                format!("{w}()")
            }
            42 => {
                let value = self.value(text);
                self.line(format!(
                    "def {v}(n):\n    if n == 0:\n        return {value}\n    return {v}(n - 1)"
                ));
                format!("{v}(3)")
            }
            _ => {
                let value = self.value(text);
                self.line(format!("class {v}:\n    @property\n    def a(self):\n        return {value}\n    @staticmethod\n    def b(x):\n        return x\nclass {w}({v}):\n    pass"));
                if self.pick(2) == 0 { format!("{w}().a") } else { format!("{w}.b({w}().a)") }
            }
        }
    }

    fn sink(&mut self, value: &str) {
        let v = self.name();
        let statement = match self.pick(22) {
            0 | 1 => format!("os.system('true ' + {value})"),
            2 => format!("subprocess.run(['true', {value}])"),
            3 => format!("subprocess.call('true ' + {value}, shell=True)"),
            4 => format!("os.popen('true ' + {value}).read()"),
            5 | 6 => format!("open({value}, 'w').write('x')"),
            7 => format!("getattr(os, 'sys' + 'tem')('true ' + {value})"),
            8 => format!("{{'a': os.system}}['a']('true ' + {value})"),
            9 => format!("list(map(os.system, ['true ' + {value}]))"),
            10 => format!("functools.partial(os.system, 'true ' + {value})()"),
            11 => format!("threading.Thread(target=os.system, args=('true ' + {value},)).run()"),
            12 => format!("__import__('os').system('true ' + {value})"),
            13 => format!("operator.methodcaller('system', 'true ' + {value})(os)"),
            14 => format!("(lambda f, *a: f(*a))(os.system, 'true ' + {value})"),
            15 => format!("with open({value}, 'w') as {v}:\n    {v}.write('x')"),
            16 => format!("for {v} in [os.system]:\n    {v}('true ' + {value})"),
            17 => format!(
                "class {v}:\n    def __call__(self, c):\n        os.system(c)\n{v}()('true ' + {value})"
            ),
            18 => {
                format!("{v} = ['true']\nif {HOLDS}:\n    {v}.append({value})\nsubprocess.run({v})")
            }
            19 => format!("os.chdir('/')\nos.chdir('/tmp')\nopen({value}, 'w')"),
            20 => format!(
                "def {v}(c):\n    if {FAILS}:\n        return\n    os.system(c)\n{v}('true ' + {value})"
            ),
            _ => format!(
                "try:\n    raise KeyError\nexcept KeyError:\n    os.system('true ' + {value})"
            ),
        };
        self.line(statement);
    }
}

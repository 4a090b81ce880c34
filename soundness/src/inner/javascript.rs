//! Random programs of JavaScript. A name flows through expressions and statements to a use.

use super::generator::{Expressions, Generator, Grammar};

/// A condition that holds and that the analysis cannot know.
const HOLDS: &str = "Object.keys(process.env).length >= 0";
/// One that does not hold.
const FAILS: &str = "Object.keys(process.env).length < 0";

/// The language.
pub(super) enum JavaScript {}

impl Grammar for JavaScript {
    const HEAD: &'static str = "const cp = require('child_process'), fs = require('fs'), path = require('path'), util = require('util');\n";
    // A bracket at the start of a line would go on with the one before.
    const END: &'static str = ";\n";
}

impl Expressions for Generator<'_, JavaScript> {
    fn literal(&mut self, text: &str) -> String {
        let reversed: String = text.chars().rev().collect();
        let codes = |separator: &str, each: &dyn Fn(u32) -> String| {
            text.chars().map(|c| each(u32::from(c))).collect::<Vec<_>>().join(separator)
        };
        match self.pick(12) {
            0 => format!("'{reversed}'.split('').reverse().join('')"),
            1 => format!("{:?}.join('')", text.chars().map(String::from).collect::<Vec<_>>()),
            2 => format!("String.fromCharCode({})", codes(", ", &|c| c.to_string())),
            3 => format!("Buffer.from('{}', 'hex').toString()", codes("", &|c| format!("{c:02x}"))),
            4 => format!("decodeURIComponent('{}')", codes("", &|c| format!("%{c:02x}"))),
            5 => format!("'{}'", codes("", &|c| format!("\\u{c:04x}"))),
            6 => format!("`{text}`"),
            7 => format!(
                "[{}].map(c => String.fromCharCode(c ^ 7)).join('')",
                codes(", ", &|c| (c ^ 7).to_string())
            ),
            8 => format!(
                "'-{}-'.replace(/-/g, '')",
                codes("-", &|c| char::from_u32(c).map(String::from).unwrap_or_default())
            ),
            _ => format!("'{text}'"),
        }
    }

    fn some_value(&mut self, text: &str) -> String {
        let (v, w) = (self.name(), self.name());
        match self.pick(62) {
            0 => {
                let at = self.pick(text.len() + 1);
                let (a, b) = text.split_at(at);
                let (a, b) = (self.value(a), self.value(b));
                format!("({a} + {b})")
            }
            1 => format!("`${{{}}}`", self.value(text)),
            2 => format!("['other', {}][1]", self.value(text)),
            3 => format!("({{ k: {}, l: 'other' }}).k", self.value(text)),
            4 => format!("({{ k: {} }})['k']", self.value(text)),
            5 => format!("(v => v)({})", self.value(text)),
            6 => {
                let value = self.value(text);
                self.line(format!("function {v}(a, b = 'x') {{ return a }}"));
                format!("{v}({value})")
            }
            7 => {
                let value = self.value(text);
                self.line(format!("function {v}(...a) {{ return a[1] ?? a[0] }}"));
                if self.pick(2) == 0 {
                    format!("{v}({value})")
                } else {
                    format!("{v}('x', {value})")
                }
            }
            8 => {
                let value = self.value(text);
                self.line(format!(
                    "class {v} {{ constructor(a) {{ this.a = a }} get() {{ return this.a }} get b() {{ return this.a }} }}"
                ));
                match self.pick(3) {
                    0 => format!("new {v}({value}).a"),
                    1 => format!("new {v}({value}).get()"),
                    _ => format!("new {v}({value}).b"),
                }
            }
            9 => format!("({HOLDS} ? {} : 'other')", self.value(text)),
            10 => format!("({FAILS} ? 'other' : {})", self.value(text)),
            11 => format!("[{}].map(x => x)[0]", self.value(text)),
            12 => format!("[...[{}]][0]", self.value(text)),
            13 => {
                let value = self.value(text);
                self.line(format!(
                    "let {v}; if ({HOLDS}) {{ {v} = {value} }} else {{ {v} = 'other' }}"
                ));
                v
            }
            14 => {
                let value = self.value(text);
                self.line(format!(
                    "var {v}; if ({FAILS}) {v} = 'other'; else if ({HOLDS}) {v} = {value}; else {v} = 'third'"
                ));
                v
            }
            15 => {
                let value = self.value(text);
                self.line(format!(
                    "let {v}; try {{ {v} = {value}; throw 1; {v} = 'other' }} catch (e) {{}}"
                ));
                v
            }
            16 => {
                let value = self.value(text);
                self.line(format!(
                    "let {v}; try {{ {v} = 'other'; null.x }} catch {{ {v} = {value} }} finally {{ let {w} = 1 }}"
                ));
                v
            }
            17 => {
                let value = self.value(text);
                self.line(format!(
                    "let {v} = 'other'; for (const {w} of [...Object.keys(process.env), 1]) {v} = {value}"
                ));
                v
            }
            18 => {
                let value = self.value(text);
                self.line(format!(
                    "let {v} = 'other'; while (true) {{ {v} = {value}; if ({HOLDS}) break }}"
                ));
                v
            }
            19 => {
                let value = self.value(text);
                self.line(format!("let {v} = ''; for (const {w} of {value}) {v} += {w}"));
                v
            }
            20 => {
                let value = self.value(text);
                self.line(format!(
                    "const {w} = {value}; let {v} = ''; for (let i = 0; i < {w}.length; i++) {v} += {w}[i]"
                ));
                v
            }
            21 => {
                let value = self.value(text);
                self.line(format!("function {v}() {{ const n = {value}; return () => n }}"));
                format!("{v}()()")
            }
            22 => {
                let value = self.value(text);
                self.line(format!("let {w}; function {v}() {{ {w} = {value} }} {v}()"));
                w
            }
            23 => {
                let value = self.value(text);
                self.line(format!(
                    "function {v}() {{ let n = 'other'; const inner = () => {{ n = {value} }}; inner(); return n }}"
                ));
                format!("{v}()")
            }
            24 => {
                let value = self.value(text);
                self.line(format!("function* {v}() {{ yield 'other'; yield {value} }}"));
                format!("[...{v}()][1]")
            }
            25 => {
                let value = self.value(text);
                self.line(format!(
                    "const {v} = []; {v}.push({value}); const {w} = {v}; {w}.unshift('other')"
                ));
                format!("{v}.pop()")
            }
            26 => {
                let value = self.value(text);
                self.line(format!(
                    "const {v} = {{}}; Object.assign({v}, {{ k: {value} }}); {v}.l = 'other'"
                ));
                format!("Object.entries({v}).filter(([k]) => k === 'k')[0][1]")
            }
            27 => {
                let value = self.value(text);
                self.line(format!("const [{v}, ...{w}] = ['other', {value}]"));
                format!("{w}[0]")
            }
            28 => {
                let value = self.value(text);
                self.line(format!("let {v} = 'other', {w} = {value}; [{v}, {w}] = [{w}, {v}]"));
                v
            }
            29 => {
                let value = self.value(text);
                self.line(format!("const {{ a: {{ b: {v} = 'x' }} }} = {{ a: {{ b: {value} }} }}"));
                v
            }
            30 => format!("eval({:?})", self.literal(text)),
            31 => format!("new Function('a', 'return a')({})", self.value(text)),
            32 => format!("({}).replace('Q', 'q').trim()", self.value(text)),
            33 => format!("[{}, 'a'].join('-').split('-')[0]", self.value(text)),
            34 => format!("new Map([['k', {}]]).get('k')", self.value(text)),
            35 => format!("[{}, ''].reduce((a, b) => a + b)", self.value(text)),
            36 => {
                let value = self.value(text);
                self.line(format!(
                    "function {v}(n) {{ if (n == 0) return {value}; return {v}(n - 1) }}"
                ));
                format!("{v}(3)")
            }
            37 => {
                let value = self.value(text);
                self.line(format!(
                    "class {v} {{ #p = {value}; static s(x) {{ return x }} get a() {{ return this.#p }} }} class {w} extends {v} {{}}"
                ));
                if self.pick(2) == 0 {
                    format!("new {w}().a")
                } else {
                    format!("{w}.s(new {w}().a)")
                }
            }
            38 => {
                let value = self.value(text);
                self.line(format!(
                    "class {v} {{ constructor(a) {{ this.a = a }} }} class {w} extends {v} {{ constructor() {{ super({value}) }} }}"
                ));
                format!("new {w}().a")
            }
            39 => {
                let value = self.value(text);
                self.line(format!("function {v}(a) {{ this.a = a }} {v}.prototype.get = function () {{ return this.a }}"));
                format!("new {v}({value}).get()")
            }
            40 => format!("({{ get k() {{ return {} }} }}).k", self.value(text)),
            41 => format!("Object.values({{ k: {} }})[0]", self.value(text)),
            42 => format!("JSON.parse(JSON.stringify({{ k: {} }})).k", self.literal(text)),
            43 => format!("(0, {})", self.value(text)),
            44 => format!("(null ?? {})", self.value(text)),
            45 => format!("('' || {})", self.value(text)),
            46 => format!("(function () {{ return arguments[0] }})({})", self.value(text)),
            47 => format!("(function () {{ return this.k }}).call({{ k: {} }})", self.value(text)),
            48 => format!("(x => x).apply(null, [{}])", self.value(text)),
            49 => format!("(function (x) {{ return x }}).bind(null, {})()", self.value(text)),
            50 => {
                let value = self.value(text);
                self.line(format!(
                    "let {v}; switch (Object.keys(process.env).length >= 0) {{ case false: {v} = 'other'; break; case true: {v} = {value}; break; default: {v} = 'third' }}"
                ));
                v
            }
            51 => {
                let value = self.value(text);
                self.line(format!(
                    "let {v} = 'other'; {w}: for (;;) {{ for (;;) {{ {v} = {value}; break {w} }} }}"
                ));
                v
            }
            52 => {
                let value = self.value(text);
                self.line(format!(
                    "let {v} = 'other', {w} = 0; do {{ {v} = {value}; {w}++ }} while ({w} < 2)"
                ));
                v
            }
            53 => {
                let value = self.value(text);
                self.line(format!("let {v}; try {{ throw {value} }} catch (e) {{ {v} = e }}"));
                v
            }
            54 => {
                let value = self.value(text);
                self.line(format!(
                    "const {v} = []; for (let i = 0; i < 2; i++) {v}.push(() => [{value}, 'other'][i])"
                ));
                format!("{v}[0]()")
            }
            55 => format!("((s, x) => s[0] + x)`${{{}}}`", self.value(text)),
            56 => format!("path.join({}, '')", self.value(text)),
            57 => format!("util.format('%s', {})", self.value(text)),
            58 => format!("Reflect.get({{ k: {} }}, 'k')", self.value(text)),
            59 => format!("Array.from([{}], x => x)[0]", self.value(text)),
            60 => format!("({}).slice(0)", self.value(text)),
            _ => {
                let value = self.value(text);
                self.line(format!("let {v} = 'other'; {{ let {v} = {value}; var {w} = {v} }}"));
                w
            }
        }
    }

    fn sink(&mut self, value: &str) {
        let v = self.name();
        let statement = match self.pick(30) {
            0 | 1 => format!("cp.execSync('true ' + {value})"),
            2 => format!("cp.spawnSync('true', [{value}])"),
            3 => format!("cp.spawn('true ' + {value}, {{ shell: true }})"),
            4 => format!("cp.exec(`true ${{{value}}}`)"),
            5 | 6 => format!("fs.writeFileSync({value}, 'x')"),
            7 => format!("cp['exec' + 'Sync']('true ' + {value})"),
            8 => format!("({{ a: cp.exec }}).a('true ' + {value})"),
            9 => format!("['true ' + {value}].forEach(c => cp.exec(c))"),
            10 => format!("cp.exec.bind(null, 'true ' + {value})()"),
            11 => format!("setTimeout(cp.exec, 0, 'true ' + {value})"),
            12 => format!("require('child_' + 'process').exec('true ' + {value})"),
            13 => format!("Reflect.apply(cp.exec, null, ['true ' + {value}])"),
            14 => format!("((f, ...a) => f(...a))(cp.exec, 'true ' + {value})"),
            15 => format!("fs.createWriteStream({value}).end('x')"),
            16 => format!("for (const {v} of [cp.exec]) {v}('true ' + {value})"),
            17 => {
                format!("class {v} {{ run(c) {{ cp.exec(c) }} }} new {v}().run('true ' + {value})")
            }
            18 => {
                format!("const {v} = []; if ({HOLDS}) {v}.push({value}); cp.spawnSync('true', {v})")
            }
            19 => {
                format!("process.chdir('/'); process.chdir('/tmp'); fs.writeFileSync({value}, 'x')")
            }
            20 => format!(
                "function {v}(c) {{ if ({FAILS}) return; cp.exec(c) }} {v}('true ' + {value})"
            ),
            21 => format!("try {{ null.x }} catch {{ cp.exec('true ' + {value}) }}"),
            22 => format!("Promise.resolve({value}).then(c => cp.exec('true ' + c))"),
            23 => {
                format!("(async () => {{ const {v} = await {value}; cp.exec('true ' + {v}) }})()")
            }
            24 => format!("fs.promises.writeFile({value}, 'x')"),
            25 => format!("new Promise(r => r({value})).then(c => fs.writeFileSync(c, 'x'))"),
            26 => format!("fs.readFile('other', () => fs.writeFileSync({value}, 'x'))"),
            27 => format!("eval('cp.exec(\"true \" + ' + JSON.stringify({value}) + ')')"),
            28 => format!("with (cp) exec('true ' + {value})"),
            _ => format!("globalThis.{v} = cp.exec; {v}('true ' + {value})"),
        };
        self.line(statement);
    }
}

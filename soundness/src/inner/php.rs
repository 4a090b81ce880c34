//! Random programs of PHP. A name flows through expressions and statements to a use.

use super::generator::{Expressions, Generator, Grammar};

/// A condition that holds and that the analysis cannot know.
const HOLDS: &str = "time() > 0";
/// One that does not hold.
const FAILS: &str = "time() < 0";

/// The language.
pub(super) enum Php {}

impl Grammar for Php {}

impl Expressions for Generator<'_, Php> {
    fn literal(&mut self, text: &str) -> String {
        let reversed: String = text.chars().rev().collect();
        let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
        let codes: Vec<String> = text.bytes().map(|byte| format!("chr({byte})")).collect();
        let rotated: String = text
            .chars()
            .map(|c| match c {
                'a'..='m' | 'A'..='M' => char::from_u32(u32::from(c) + 13).unwrap_or(c),
                'n'..='z' | 'N'..='Z' => char::from_u32(u32::from(c) - 13).unwrap_or(c),
                other => other,
            })
            .collect();
        match self.pick(16) {
            0 => format!("strrev('{reversed}')"),
            1 => codes.join(" . "),
            2 => format!("\"{}\"", text.bytes().map(|b| format!("\\x{b:02x}")).collect::<String>()),
            3 => format!("hex2bin('{hex}')"),
            4 => format!("substr('_{text}_', 1, -1)"),
            5 => format!("str_rot13('{rotated}')"),
            6 => format!("<<<X\n{text}\nX"),
            7 => format!("<<<'X'\n  {text}\n  X"),
            8 => format!("pack('H*', '{hex}')"),
            9 => format!("(~(~'{text}'))"),
            10 => format!("implode('', str_split('{text}'))"),
            11 => format!("strtr('{}', 'Z', 'z')", text.replace('z', "Z")),
            12 => format!("sprintf('%s%s', '{}', '{}')", &text[..1], &text[1..]),
            _ => format!("'{text}'"),
        }
    }

    fn some_value(&mut self, text: &str) -> String {
        let (v, w) = (self.name(), self.name());
        let value = self.value(text);
        match self.pick(72) {
            0 => {
                let at = self.pick(text.len() + 1);
                let (a, b) = text.split_at(at);
                format!("('{a}' . '{b}')")
            }
            1 => format!("trim(' ' . {value})"),
            2 => format!("['other', {value}][1]"),
            3 => format!("['k' => {value}, 'l' => 'other']['k']"),
            4 => format!("(function ($a) {{ return $a; }})({value})"),
            5 => format!("(fn($a) => $a)({value})"),
            6 => {
                self.line(format!("function {v}($a, $b = 'other') {{ return $a ?: $b; }}"));
                format!("{v}({value})")
            }
            7 => {
                self.line(format!("function {v}(...$a) {{ return $a[1]; }}"));
                format!("{v}('other', {value})")
            }
            8 => {
                self.line(format!("function {v}() {{ return func_get_args()[1]; }}"));
                format!("{v}('other', {value})")
            }
            9 => format!("({HOLDS} ? {value} : 'other')"),
            10 => {
                self.line(format!("if ({HOLDS}) {{ ${v} = {value}; }} else {{ ${v} = 'other'; }}"));
                format!("${v}")
            }
            11 => {
                self.line(format!(
                    "${v} = 'other'; if ({FAILS}): ${v} = 'x'; elseif ({HOLDS}): ${v} = {value}; endif;"
                ));
                format!("${v}")
            }
            12 => {
                self.line(format!("for ($i = 0; $i < ({HOLDS} ? 2 : 1); $i++) ${v} = {value};"));
                format!("${v}")
            }
            13 => {
                self.line(format!(
                    "while (true) {{ ${v} = {value}; if ({HOLDS}) break; ${v} = 'other'; }}"
                ));
                format!("${v}")
            }
            14 => {
                self.line(format!("do {{ ${w} = {value}; ${v} = ${w}; }} while ({FAILS});"));
                format!("${v}")
            }
            15 => {
                self.line(format!(
                    "${w} = {value}; ${v} = ''; for ($i = 0; $i < strlen(${w}); $i++) ${v} .= ${w}[$i];"
                ));
                format!("${v}")
            }
            16 => {
                self.line(format!(
                    "foreach ([{value}, 'other'] as ${w}) {{ ${v} = ${w}; if ({HOLDS}) break; }}"
                ));
                format!("${v}")
            }
            17 => {
                self.line(format!("foreach (['a' => {value}] as $k => ${w}) {{ ${v} = ${w}; }}"));
                format!("${v}")
            }
            18 => {
                // An array is copied when it is assigned.
                self.line(format!("${v} = ['a' => {value}]; ${w} = ${v}; ${w}['a'] = 'other';"));
                format!("${v}['a']")
            }
            19 => {
                self.line(format!("${v} = []; ${v}[] = 'other'; ${v}[] = {value};"));
                format!("array_pop(${v})")
            }
            20 => {
                self.line(format!(
                    "class {v} {{ public $p; function __construct($a) {{ $this->p = $a; }} }}"
                ));
                format!("(new {v}({value}))->p")
            }
            21 => {
                self.line(format!("class {v} {{ static function m($a) {{ return $a; }} }}"));
                format!("{v}::m({value})")
            }
            22 => {
                self.line(format!("class {v} {{ function __call($n, $a) {{ return $a[0]; }} }}"));
                format!("(new {v})->anything({value})")
            }
            23 => {
                self.line(format!(
                    "class {v} {{ function __invoke($a) {{ return $a; }} }} ${w} = new {v};"
                ));
                format!("${w}({value})")
            }
            24 => {
                self.line(format!("class {v} {{ function __construct(private string $p) {{}} function __toString() {{ return $this->p; }} }}"));
                format!("(string) new {v}({value})")
            }
            25 => {
                self.line(format!("class {v} {{ public $d = []; function __set($n, $a) {{ $this->d[$n] = $a; }} function __get($n) {{ return $this->d[$n]; }} }} ${w} = new {v}; ${w}->q = {value};"));
                format!("${w}->q")
            }
            26 => {
                self.line(format!("${v} = {value}; ${w} = '{v}';"));
                format!("$${w}")
            }
            27 => {
                self.line(format!("${v} = {value};"));
                format!("\"{{${v}}}\"")
            }
            28 => {
                self.line(format!("${v} = ['k' => {value}];"));
                format!("\"${v}[k]\"")
            }
            29 => {
                self.line(format!("${v} = (object) ['k' => {value}];"));
                format!("\"{{${v}->k}}\"")
            }
            30 => {
                self.line(format!("[${v}, ${w}] = ['other', {value}];"));
                format!("${w}")
            }
            31 => {
                self.line(format!(
                    "['b' => ${v}, 'a' => ${w}] = ['a' => 'other', 'b' => {value}];"
                ));
                format!("${v}")
            }
            32 => {
                self.line(format!("list(, ${v}) = ['other', {value}];"));
                format!("${v}")
            }
            33 => {
                self.line(format!("${v} = 'other'; ${w} = &${v}; ${w} = {value};"));
                format!("${v}")
            }
            34 => {
                self.line(format!(
                    "function {v}(&$a, $b) {{ $a = $b; }} ${w} = 'other'; {v}(${w}, {value});"
                ));
                format!("${w}")
            }
            35 => {
                self.line(format!(
                    "${v} = 'other'; ${w} = function ($b) use (&${v}) {{ ${v} = $b; }}; ${w}({value});"
                ));
                format!("${v}")
            }
            36 => {
                self.line(format!("${v} = {value}; ${w} = function () use (${v}) {{ return ${v}; }}; ${v} = 'other';"));
                format!("${w}()")
            }
            37 => {
                self.line(format!("${v} = {value}; ${w} = fn() => ${v};"));
                format!("${w}()")
            }
            38 => {
                self.line(format!(
                    "$GLOBALS['{v}'] = {value}; function {w}() {{ global ${v}; return ${v}; }}"
                ));
                format!("{w}()")
            }
            39 => {
                self.line(format!("function {v}($a = null) {{ static $s = 'other'; if ($a) $s = $a; return $s; }} {v}({value});"));
                format!("{v}()")
            }
            40 => {
                self.line(format!("switch ({HOLDS}) {{ case false: ${v} = 'x'; break; case true: ${v} = {value}; break; default: ${v} = 'other'; }}"));
                format!("${v}")
            }
            41 => {
                format!("match (true) {{ {FAILS} => 'other', {HOLDS} => {value}, default => 'x' }}")
            }
            42 => {
                self.line(format!("try {{ throw new Exception({value}); }} catch (Exception $e) {{ ${v} = $e->getMessage(); }} finally {{ ${w} = 1; }}"));
                format!("${v}")
            }
            43 => {
                self.line(format!("try {{ ${v} = {value}; if ({HOLDS}) throw new Exception('x'); ${v} = 'other'; }} catch (Exception $e) {{ }}"));
                format!("${v}")
            }
            44 => format!("array_map(fn($a) => $a, ['other', {value}])[1]"),
            45 => format!("current(array_filter(['', {value}]))"),
            46 => format!("array_reduce([{value}], fn($c, $a) => $c . $a, '')"),
            47 => format!("array_values(['a' => {value}])[0]"),
            48 => format!("array_combine(['k'], [{value}])['k']"),
            49 => format!("array_merge(['a' => 'other'], ['a' => {value}])['a']"),
            50 => format!("array_reverse(['other', {value}])[0]"),
            51 => format!("array_slice(['other', {value}, 'x'], 1, 1)[0]"),
            52 => format!("call_user_func(fn($a) => $a, {value})"),
            53 => format!("call_user_func_array('trim', [{value}])"),
            54 => {
                self.line(format!("extract(['{v}' => {value}]);"));
                format!("${v}")
            }
            55 => {
                self.line(format!("${v} = {value}; ${w} = compact('{v}');"));
                format!("${w}['{v}']")
            }
            56 => {
                self.line(format!("parse_str('k=' . {value}, ${v});"));
                format!("${v}['k']")
            }
            57 => {
                self.line(format!("define('{v}', {value});"));
                if self.pick(2) == 0 { format!("constant('{v}')") } else { v }
            }
            58 => {
                self.line(format!("${v} = {value}; eval('${w} = ${v};');"));
                format!("${w}")
            }
            59 => {
                self.line(format!("${v} = {value};"));
                format!("eval('return ${v};')")
            }
            60 => format!("json_decode(json_encode(['k' => {value}]), true)['k']"),
            61 => format!("str_replace('_', '', '_' . {value})"),
            62 => format!("preg_replace('/_/', '', '_' . {value})"),
            63 => format!("explode(',', 'other,' . {value})[1]"),
            64 => format!("base64_decode(base64_encode({value}))"),
            65 => {
                self.line(format!("function {v}($a) {{ yield 'other'; yield $a; }} foreach ({v}({value}) as ${w}) {{ }}"));
                format!("${w}")
            }
            66 => {
                self.line(format!(
                    "trait {v} {{ function m($a) {{ return $a; }} }} class {w} {{ use {v}; }}"
                ));
                format!("(new {w})->m({value})")
            }
            67 => {
                self.line(format!("abstract class {v} {{ abstract function m(); function go() {{ return $this->m(); }} }}"));
                format!(
                    "(new class({value}) extends {v} {{ function __construct(private $p) {{}} function m() {{ return $this->p; }} }})->go()"
                )
            }
            68 => {
                self.line(format!("class {v} {{ public static $s = 'other'; static function make() {{ return new static; }} }} {v}::$s = {value};"));
                format!("{v}::make()::$s")
            }
            69 => {
                self.line(format!("${v} = ['a' => ['b' => 'other']]; ${v}['a']['b'] = {value}; foreach (${v} as $k => &${w}) {{ ${w}['c'] = 'x'; }} unset(${w});"));
                format!("${v}['a']['b']")
            }
            70 => {
                self.line(format!("${v} = null; ${v} ??= {value};"));
                format!("${v}")
            }
            _ => format!("({value})"),
        }
    }

    fn sink(&mut self, value: &str) {
        let (v, w) = (self.name(), self.name());
        let command = format!("(': ' . {value})");
        let path = format!("('/nowhere/' . {value})");
        let text = match self.pick(34) {
            0 => format!("system({command});"),
            1 => format!("exec({command}, ${v});"),
            2 => format!("shell_exec({command});"),
            3 => format!("passthru({command});"),
            4 => format!("pclose(popen({command}, 'r'));"),
            5 => format!("proc_close(proc_open({command}, [], ${v}));"),
            6 => format!("proc_close(proc_open(['true', {value}], [], ${v}));"),
            7 => format!("${v} = {command}; `${v}`;"),
            8 => format!("${v} = 'sys' . 'tem'; ${v}({command});"),
            9 => format!("('sys' . 'tem')({command});"),
            10 => format!("call_user_func('system', {command});"),
            11 => format!("array_map('system', [{command}]);"),
            12 => format!("${v} = [{command}]; array_walk(${v}, fn($a) => system($a));"),
            13 => format!("(new ReflectionFunction('system'))->invoke({command});"),
            14 => format!("${v} = system(...); ${v}({command});"),
            15 => format!(
                "class {v} {{ function run($c) {{ exec($c); }} }} call_user_func([new {v}, 'run'], {command});"
            ),
            16 => format!(
                "class {v} {{ static function run($c) {{ exec($c); }} }} ${w} = '{v}::run'; ${w}({command});"
            ),
            17 => format!(
                "class {v} {{ public $c; function __destruct() {{ exec($this->c); }} }} ${w} = new {v}; ${w}->c = {command}; unset(${w});"
            ),
            18 => format!("register_shutdown_function('system', {command});"),
            19 => format!("@readfile({path});"),
            20 => format!("@file_get_contents({path});"),
            21 => format!("@fopen({path}, 'r');"),
            22 => format!("@file({path});"),
            23 => format!("@file_put_contents({path}, 'x');"),
            24 => format!("@unlink({path});"),
            25 => format!("@mkdir({path});"),
            26 => format!("@include {path};"),
            27 => format!("@copy({path}, '/dev/null');"),
            28 => format!("@readfile('file://' . {path});"),
            29 => format!("@readfile('php://filter/read=string.rot13/resource=' . {path});"),
            30 => format!("try {{ new SplFileObject({path}); }} catch (Throwable $e) {{ }}"),
            31 => format!("@array_filter([{path}], 'readfile');"),
            32 => format!("eval('system(' . var_export({command}, true) . ');');"),
            _ => format!("${v} = [2, 1]; usort(${v}, fn() => 0); @scandir({path});"),
        };
        if self.pick(6) == 0 {
            self.line(format!("function {w}_() {{ }} if ({HOLDS}) {{ {text} }}"));
        } else {
            self.line(text);
        }
    }
}

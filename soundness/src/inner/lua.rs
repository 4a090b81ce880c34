//! Random programs of Lua. A name flows through expressions and statements to a use.

use super::generator::{Expressions, Generator, Grammar};

/// A condition that holds and that the analysis cannot know.
const HOLDS: &str = "os.time() > 0";
/// One that does not hold.
const FAILS: &str = "os.time() < 0";

/// The language.
pub(super) enum Lua {}

impl Grammar for Lua {
    // A bracket at the start of a line would go on with the one before.
    const END: &'static str = ";\n";
}

impl Expressions for Generator<'_, Lua> {
    fn literal(&mut self, text: &str) -> String {
        let reversed: String = text.chars().rev().collect();
        let codes: Vec<String> = text.bytes().map(|byte| byte.to_string()).collect();
        match self.pick(7) {
            0 => format!("('{reversed}'):reverse()"),
            1 => format!("string.char({})", codes.join(", ")),
            2 => format!("'{}'", text.bytes().map(|b| format!("\\x{b:02x}")).collect::<String>()),
            3 => format!("[[{text}]]"),
            4 => format!("(('_{text}_'):sub(2, -2))"),
            _ => format!("'{text}'"),
        }
    }

    fn some_value(&mut self, text: &str) -> String {
        let (v, w) = (self.name(), self.name());
        let value = self.value(text);
        match self.pick(40) {
            0 => {
                let at = self.pick(text.len() + 1);
                let (a, b) = text.split_at(at);
                format!("('{a}' .. '{b}')")
            }
            1 => format!("string.format('%s', {value})"),
            2 => format!("({{'other', {value}}})[2]"),
            3 => format!("({{k = {value}, l = 'other'}}).k"),
            4 => format!("({{['k'] = {value}}})['k']"),
            5 => format!("(function(a) return a end)({value})"),
            6 => {
                self.line(format!("local function {v}(a, b) return a or b end"));
                format!("{v}({value}, 'other')")
            }
            7 => {
                self.line(format!("local function {v}(...) local a, b = ... return b end"));
                format!("{v}('other', {value})")
            }
            8 => {
                self.line(format!("local function {v}(...) return select(2, ...) end"));
                format!("{v}('other', {value})")
            }
            9 => format!("({HOLDS} and {value} or 'other')"),
            10 => {
                self.line(format!(
                    "local {v}\nif {HOLDS} then {v} = {value} else {v} = 'other' end"
                ));
                v
            }
            11 => {
                self.line(format!("local {v} = 'other'\nif {FAILS} then {v} = 'x' elseif {HOLDS} then {v} = {value} end"));
                v
            }
            12 => {
                self.line(format!(
                    "{v} = 'other'\nfor i = 1, os.time() > 0 and 2 or 1 do {v} = {value} end"
                ));
                v
            }
            13 => {
                self.line(format!(
                    "local {v} = 'other'\nwhile true do {v} = {value} if {HOLDS} then break end end"
                ));
                v
            }
            14 => {
                self.line(format!("local {v}\nrepeat local {w} = {value} {v} = {w} until {HOLDS}"));
                v
            }
            15 => {
                self.line(format!("local {v}, {w} = '', {value}\nfor i = 1, #{w} do {v} = {v} .. {w}:sub(i, i) end"));
                v
            }
            16 => {
                self.line(format!("local {v}\nfor _, {w} in ipairs({{{value}, 'other'}}) do {v} = {w} if {HOLDS} then break end end"));
                v
            }
            17 => {
                self.line(format!(
                    "local {v}\nfor k, {w} in pairs({{a = {value}}}) do {v} = {w} end"
                ));
                v
            }
            18 => {
                self.line(format!(
                    "local {v} = {{}}\n{v}.a = {value}\nlocal {w} = {v}\n{w}.b = 'other'"
                ));
                format!("{w}.a")
            }
            19 => {
                self.line(format!(
                    "local {v} = {{}}\ntable.insert({v}, 'other')\ntable.insert({v}, {value})"
                ));
                format!("table.remove({v})")
            }
            20 => {
                self.line(format!("local {v} = {{}}\n{v}.__index = {v}\nfunction {v}.new(a) return setmetatable({{a = a}}, {v}) end\nfunction {v}:get() return self.a end"));
                format!("{v}.new({value}):get()")
            }
            21 => {
                self.line(format!("local {v} = setmetatable({{}}, {{__index = function(t, k) return {value} end}})"));
                format!("{v}.anything")
            }
            22 => {
                self.line(format!(
                    "local {v} = setmetatable({{}}, {{__call = function(self, a) return a end}})"
                ));
                format!("{v}({value})")
            }
            23 => {
                self.line(format!("local {v}, {w} = pcall(function() return {value} end)"));
                w
            }
            24 => {
                self.line(format!("local {v}, {w} = pcall(error, {value}, 0)"));
                w
            }
            25 => format!("load('return ...')({value})"),
            26 => format!("load(\"return '{text}'\")()"),
            27 => {
                self.line(format!("load(\"{v} = '{text}'\")()"));
                v
            }
            28 => {
                self.line(format!(
                    "local function {v}(n, a) if n == 0 then return a end return {v}(n - 1, a) end"
                ));
                format!("{v}(3, {value})")
            }
            29 => {
                self.line(format!("local {w} = {value}\nlocal {v} = function() return {w} end"));
                format!("{v}()")
            }
            30 => {
                self.line(format!("local {v}, {w} = 'other', {value}\n{v}, {w} = {w}, {v}"));
                v
            }
            31 => format!("({value}):gsub('Q', 'q')"),
            32 => format!("table.concat({{{value}, ''}})"),
            33 => format!("(table.unpack({{{value}, 'other'}}))"),
            34 => {
                self.line(format!(
                    "local {v} = coroutine.wrap(function() coroutine.yield({value}) end)"
                ));
                format!("{v}()")
            }
            35 => {
                self.line(format!("_G['{v}'] = {value}"));
                format!("_G.{v}")
            }
            36 => {
                self.line(format!(
                    "local {w} = {value}\nlocal {v} = {{{w}, n = 1}}\nlocal _ = {v}.n"
                ));
                format!("select(1, table.unpack({v}))")
            }
            37 => format!("tostring({value})"),
            38 => {
                self.line(format!("local {v} = {value}\ndo local {v} = 'other' end"));
                v
            }
            _ => {
                self.line(format!("local {v} = {{f = function(self, a) return a, 'other' end}}"));
                format!("({v}:f({value}))")
            }
        }
    }

    fn sink(&mut self, value: &str) {
        let v = self.name();
        let statement = match self.pick(18) {
            0 | 1 => format!("os.execute('true ' .. {value})"),
            2 => format!("io.popen('true ' .. {value}):read('a')"),
            3 | 4 => format!("io.open({value}, 'w'):write('x')"),
            5 => format!("os['exe' .. 'cute']('true ' .. {value})"),
            6 => format!("({{a = os.execute}}).a('true ' .. {value})"),
            7 => format!("pcall(os.execute, 'true ' .. {value})"),
            8 => format!("_G.os.execute('true ' .. {value})"),
            9 => format!("require('os').execute('true ' .. {value})"),
            10 => format!("(function(f, ...) f(...) end)(os.execute, 'true ' .. {value})"),
            11 => format!("for _, f in ipairs({{os.execute}}) do f('true ' .. {value}) end"),
            12 => format!(
                "local {v} = {{}}\nfunction {v}:go(c) os.execute(c) end\n{v}:go('true ' .. {value})"
            ),
            13 => format!(
                "local function {v}(c) if {FAILS} then return end os.execute(c) end\n{v}('true ' .. {value})"
            ),
            14 => format!("os.remove({value})"),
            15 => format!("local {v} = os\n{v}.execute('true ' .. {value})"),
            16 => format!("load('os.execute(...)')('true ' .. {value})"),
            _ => format!("coroutine.wrap(function(c) os.execute(c) end)('true ' .. {value})"),
        };
        self.line(statement);
    }
}

//! Random programs of Ruby. A name flows through expressions and statements to a use.

use super::generator::{Expressions, Generator, Grammar};

/// A condition that holds and that the analysis cannot know.
const HOLDS: &str = "ENV.size >= 0";
/// One that does not hold.
const FAILS: &str = "ENV.size < 0";

/// The language.
pub(super) enum Ruby {}

impl Grammar for Ruby {}

impl Generator<'_, Ruby> {
    /// A value in a variable.
    fn bound(&mut self, text: &str) -> String {
        let value = self.value(text);
        let name = self.name();
        self.line(format!("{name} = {value}"));
        name
    }
}

impl Expressions for Generator<'_, Ruby> {
    fn literal(&mut self, text: &str) -> String {
        let reversed: String = text.chars().rev().collect();
        let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
        let codes: Vec<String> = text.bytes().map(|byte| byte.to_string()).collect();
        let codes = codes.join(", ");
        match self.pick(8) {
            0 => format!("'{reversed}'.reverse"),
            1 => format!("['{hex}'].pack('H*')"),
            2 => format!("[{codes}].map(&:chr).join"),
            3 => format!("[{codes}].pack('c*')"),
            4 => {
                format!("%w[{}].join", text.chars().map(String::from).collect::<Vec<_>>().join(" "))
            }
            _ => format!("'{text}'"),
        }
    }

    fn some_value(&mut self, text: &str) -> String {
        let (v, w) = (self.name(), self.name());
        let class = format!("{}{}", self.prefix, self.names);
        match self.pick(56) {
            0 => {
                let at = self.pick(text.len() + 1);
                let (a, b) = text.split_at(at);
                let (a, b) = (self.value(a), self.value(b));
                format!("({a} + {b})")
            }
            1 => format!("\"#{{{}}}\"", self.literal(text)),
            2 => format!("format('%s', {})", self.value(text)),
            3 => format!("('%<a>s' % {{ a: {} }})", self.value(text)),
            4 => format!("['other', {}][1]", self.value(text)),
            5 => format!("{{ k: {}, l: 'other' }}[:k]", self.value(text)),
            6 => format!("{{ 'k' => {} }}.fetch('k')", self.value(text)),
            7 => format!("->(a) {{ a }}.call({})", self.value(text)),
            8 => {
                let value = self.value(text);
                self.line(format!("def {v}(a, b = 'x')\n  a\nend"));
                format!("{v}({value})")
            }
            9 => {
                let value = self.value(text);
                self.line(format!("def {v}(*a, n: nil, **k)\n  n || a[0]\nend"));
                if self.pick(2) == 0 {
                    format!("{v}({value})")
                } else {
                    format!("{v}('x', n: {value})")
                }
            }
            10 => {
                let value = self.value(text);
                self.line(format!("class {class}\n  attr_reader :a\n  def initialize(a)\n    @a = a\n  end\n  def get\n    @a\n  end\nend"));
                match self.pick(3) {
                    0 => format!("{class}.new({value}).a"),
                    1 => format!("{class}.new({value}).get"),
                    _ => format!("{class}.new({value}).instance_variable_get(:@a)"),
                }
            }
            11 => format!("({HOLDS} ? {} : 'other')", self.value(text)),
            12 => format!("({FAILS} ? 'other' : {})", self.value(text)),
            13 => {
                let value = self.bound(text);
                self.line(format!("{v} = if {HOLDS}\n  {value}\nelse\n  'other'\nend"));
                v
            }
            14 => {
                let value = self.bound(text);
                self.line(format!("unless {HOLDS}\n  {v} = 'other'\nelse\n  {v} = {value}\nend"));
                v
            }
            15 => {
                let value = self.bound(text);
                self.line(format!(
                    "{v} = case ENV.size\n  when -1 then 'other'\n  else {value}\nend"
                ));
                v
            }
            16 => {
                let value = self.bound(text);
                self.line(format!(
                    "case\nwhen {FAILS} then {v} = 'other'\nwhen {HOLDS} then {v} = {value}\nend"
                ));
                v
            }
            17 => {
                let value = self.bound(text);
                self.line(format!(
                    "begin\n  {v} = {value}\n  raise 'x'\n  {v} = 'other'\nrescue\n  nil\nend"
                ));
                v
            }
            18 => {
                let value = self.bound(text);
                self.line(format!("{v} = begin\n  Integer('x')\n  'other'\nrescue ArgumentError\n  {value}\nensure\n  {w} = 1\nend"));
                v
            }
            19 => {
                let value = self.bound(text);
                self.line(format!(
                    "begin\n  raise {value}\nrescue => {w}\n  {v} = {w}.message\nend"
                ));
                v
            }
            20 => {
                let value = self.bound(text);
                self.line(format!("{v} = 'other'\n(ENV.size + 1).times {{ {v} = {value} }}"));
                v
            }
            21 => {
                let value = self.bound(text);
                self.line(format!("{v} = nil\n[{value}, 'other'].each do |{w}|\n  {v} = {w}\n  break if {HOLDS}\nend"));
                v
            }
            22 => {
                let value = self.bound(text);
                self.line(format!("{v} = +''\n{value}.each_char {{ |{w}| {v} << {w} }}"));
                v
            }
            23 => {
                let value = self.bound(text);
                self.line(format!("{v} = ''\n{w} = 0\nwhile {w} < {value}.length\n  {v} += {value}[{w}]\n  {w} += 1\nend"));
                v
            }
            24 => {
                let value = self.bound(text);
                self.line(format!(
                    "{v} = 'other'\nuntil {FAILS}\n  {v} = {value}\n  break if {HOLDS}\nend"
                ));
                v
            }
            25 => {
                let value = self.bound(text);
                self.line(format!("${v} = {value}\ndef {w}\n  ${v}\nend"));
                w
            }
            26 => {
                let value = self.bound(text);
                self.line(format!("def {v}\n  yield 'other', '{text}'\nend"));
                self.line(format!("{w} = {value}\n{v} {{ |a, b| {w} = b }}"));
                w
            }
            27 => {
                let value = self.bound(text);
                self.line(format!(
                    "def {v}(list)\n  list.each {{ |a| return a if {HOLDS} }}\n  'other'\nend"
                ));
                format!("{v}([{value}, 'third'])")
            }
            28 => {
                let value = self.bound(text);
                self.line(format!("{v} = []\n{v} << {value}\n{w} = {v}\n{w}.unshift('other')"));
                format!("{v}.pop")
            }
            29 => {
                let value = self.bound(text);
                self.line(format!("{v} = {{}}\n{v}[:k] = {value}\n{v}.merge!(l: 'other')"));
                format!("{v}.select {{ |k, _| k == :k }}.values[0]")
            }
            30 => {
                let value = self.bound(text);
                self.line(format!("{v}, *{w} = 'other', {value}"));
                format!("{w}[0]")
            }
            31 => {
                let value = self.bound(text);
                self.line(format!("{v} = 'other'\n{w} = {value}\n{v}, {w} = {w}, {v}"));
                v
            }
            32 => format!("eval(\"'{text}'\")"),
            33 => {
                self.line(format!("eval(\"${v} = '{text}'\")"));
                format!("${v}")
            }
            34 => format!("{}.sub('Q', 'q').strip", self.value(text)),
            35 => format!("[{}, 'a'].join('-').split('-')[0]", self.value(text)),
            36 => format!("[{}].map {{ |x| x }}.first", self.value(text)),
            37 => format!("[['k', {}]].to_h['k']", self.value(text)),
            38 => format!("[{}].each_with_index.map {{ |x, i| x }}[0]", self.value(text)),
            39 => format!("[{}, ''].inject {{ |a, b| a + b }}", self.value(text)),
            40 => format!("[{}, ''].reduce(:+)", self.value(text)),
            41 => {
                let value = self.value(text);
                self.line(format!("module {class}\n  def self.get(a)\n    a\n  end\nend"));
                format!("{class}.get({value})")
            }
            42 => {
                let value = self.bound(text);
                self.line(format!("{class} = Struct.new(:a, :b)"));
                format!("{class}.new('other', {value}).b")
            }
            43 => {
                let value = self.bound(text);
                self.line(format!("class {class}\n  define_method(:get) {{ {value} }}\nend"));
                format!("{class}.new.get")
            }
            44 => {
                let value = self.bound(text);
                self.line(format!(
                    "class {class}\n  def method_missing(name, *args)\n    args[0]\n  end\nend"
                ));
                format!("{class}.new.anything({value})")
            }
            45 => {
                let value = self.bound(text);
                self.line(format!("class {class}\n  def get(a)\n    a\n  end\nend\nclass {class}b < {class}\n  def get(a)\n    super\n  end\nend"));
                format!("{class}b.new.send(:get, {value})")
            }
            46 => {
                let value = self.bound(text);
                self.line(format!("def {v}(n, a)\n  return a if n == 0\n  {v}(n - 1, a)\nend"));
                format!("{v}(3, {value})")
            }
            47 => {
                let value = self.bound(text);
                self.line(format!("{v} = {value}\n{w} = lambda {{ {v} }}"));
                format!("{w}.()")
            }
            48 => {
                let value = self.bound(text);
                self.line(format!("{v} = {value}.dup\n{v}.gsub!('Q', 'q')\n{v}.concat('')"));
                v
            }
            49 => {
                let value = self.bound(text);
                self.line(format!(
                    "case {{ k: [{value}, 1] }}\nin {{ k: [{v}, Integer] }}\n  {w} = {v}\nend"
                ));
                w
            }
            50 => {
                let value = self.bound(text);
                self.line(format!("{v} = +'other'\n{w} = {v}\n{w}.replace({value})"));
                v
            }
            51 => format!("{}.then {{ |x| x }}", self.value(text)),
            52 => format!("{}.tap {{ |x| x }}.to_sym.to_s", self.value(text)),
            53 => {
                let value = self.bound(text);
                self.line(format!("{v} ||= {value}"));
                v
            }
            54 => {
                let value = self.bound(text);
                self.line(format!("{v} = catch(:done) do\n  throw :done, {value}\nend"));
                v
            }
            _ => {
                let value = self.bound(text);
                self.line(format!("{v} = OpenStruct.new(a: {value})\n{v}.b = {v}.a"));
                format!("{v}.b")
            }
        }
    }

    fn sink(&mut self, value: &str) {
        let v = self.name();
        let prefix = self.prefix.clone();
        let statement = match self.pick(24) {
            0 | 1 => format!("system('true ' + {value})"),
            2 => format!("system('true', {value})"),
            3 => format!("`true #{{{value}}}`"),
            4 => format!("IO.popen('true ' + {value}).read"),
            5 | 6 => format!("File.write({value}, 'x')"),
            7 => format!("send('sys' + 'tem', 'true ' + {value})"),
            8 => format!("method(:system).call('true ' + {value})"),
            9 => format!("['true ' + {value}].each(&method(:system))"),
            10 => format!("Kernel.public_send(:system, 'true ' + {value})"),
            11 => format!("Thread.new {{ system('true ' + {value}) }}.join"),
            12 => format!("Object.const_get(:Kernel).system('true ' + {value})"),
            13 => format!("->(f, *a) {{ f.call(*a) }}.call(method(:system), 'true ' + {value})"),
            14 => format!("File.open({value}, 'w') {{ |f| f.write('x') }}"),
            15 => format!("{{ a: method(:system) }}[:a].('true ' + {value})"),
            16 => format!("{v} = ['true']\n{v} << {value} if {HOLDS}\nsystem(*{v})"),
            17 => format!("Dir.chdir('/')\nDir.chdir('/tmp')\nFile.read({value})"),
            18 => {
                format!("def {v}(c)\n  return if {FAILS}\n  system(c)\nend\n{v}('true ' + {value})")
            }
            19 => format!(
                "begin\n  raise KeyError\nrescue KeyError\n  system('true ' + {value})\nend"
            ),
            20 => {
                format!(
                    "class {prefix}{v}\n  def call(c) = system(c)\nend\n{prefix}{v}.new.('true ' + {value})"
                )
            }
            21 => format!("alias {v} system\n{v}('true ' + {value})"),
            22 => format!("instance_eval {{ system('true ' + {value}) }}"),
            _ => format!("File.delete({value})"),
        };
        self.line(statement);
    }
}

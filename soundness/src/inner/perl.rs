//! Random programs of Perl. A name flows through expressions and statements to a use.

use super::Program;
use crate::random::Random;

struct Generator<'a> {
    random: &'a mut Random,
    lines: Vec<String>,
    names: u32,
    depth: u32,
}

/// A condition that holds and that the analysis cannot know.
const HOLDS: &str = "time > 0";
/// One that does not hold.
const FAILS: &str = "time < 0";

pub(super) fn program(random: &mut Random, number: u64) -> Program {
    let canary = format!("zq{number}x");
    let mut generator = Generator { random, lines: Vec::new(), names: 0, depth: 0 };
    let value = generator.value(&canary);
    generator.sink(&value);
    Program { code: generator.lines.join("\n") + "\n", canary }
}

impl Generator<'_> {
    fn pick(&mut self, count: usize) -> usize {
        self.random.below(count)
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("nm{}", self.names)
    }

    fn line(&mut self, text: impl Into<String>) {
        self.lines.push(text.into());
    }

    /// An expression whose value is the text.
    fn value(&mut self, text: &str) -> String {
        self.depth += 1;
        let value = if self.depth > 5 { self.literal(text) } else { self.some_value(text) };
        self.depth -= 1;
        value
    }

    fn literal(&mut self, text: &str) -> String {
        let reversed: String = text.chars().rev().collect();
        let codes: Vec<String> = text.bytes().map(|byte| byte.to_string()).collect();
        let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
        let rotated: String = text
            .chars()
            .map(|c| match c {
                'a'..='m' => char::from_u32(u32::from(c) + 13).unwrap_or(c),
                'n'..='z' => char::from_u32(u32::from(c) - 13).unwrap_or(c),
                other => other,
            })
            .collect();
        match self.pick(14) {
            0 => format!("scalar(reverse('{reversed}'))"),
            1 => format!("join('', map {{ chr }} {})", codes.join(", ")),
            2 => {
                let text: String = text.bytes().map(|b| format!("\\x{b:02x}")).collect();
                format!("\"{text}\"")
            }
            3 => format!("q({text})"),
            4 => format!("substr('_{text}_', 1, -1)"),
            5 => format!("pack('H*', '{hex}')"),
            6 => format!("pack('C*', {})", codes.join(", ")),
            7 => format!("lc('{}')", text.to_uppercase()),
            8 => format!("(('{rotated}') =~ tr/a-z/n-za-m/r)"),
            9 => format!("sprintf('%s', q<{text}>)"),
            10 => format!("join('', split(//, '{text}'))"),
            11 => format!(
                "chr({}) . '{}'",
                text.as_bytes().first().copied().unwrap_or(122),
                text.get(1..).unwrap_or("")
            ),
            _ => format!("'{text}'"),
        }
    }

    fn some_value(&mut self, text: &str) -> String {
        let (v, w) = (self.name(), self.name());
        let value = self.value(text);
        match self.pick(64) {
            0 => {
                let at = self.pick(text.len() + 1);
                let (a, b) = text.split_at(at);
                format!("('{a}' . '{b}')")
            }
            1 => format!("sprintf('%s', {value})"),
            2 => format!("['other', {value}]->[1]"),
            3 => format!("{{k => {value}, l => 'other'}}->{{k}}"),
            4 => format!("(('other', {value})[1])"),
            5 => format!("(sub {{ $_[0] }})->({value})"),
            6 => {
                self.line(format!("sub {v} {{ my ($a1, $b1) = @_; return $a1 || $b1 }}"));
                format!("{v}({value}, 'other')")
            }
            7 => {
                self.line(format!("sub {v} {{ my $first = shift; my $next = shift; $next }}"));
                format!("&{v}('other', {value})")
            }
            8 => {
                self.line(format!("sub {v} {{ return @_ }}"));
                format!("(({v}('other', {value}))[1])")
            }
            9 => format!("({HOLDS} ? {value} : 'other')"),
            10 => {
                self.line(format!(
                    "my ${v};\nif ({HOLDS}) {{ ${v} = {value} }} else {{ ${v} = 'other' }}"
                ));
                format!("${v}")
            }
            11 => {
                self.line(format!("my ${v} = 'other';\nif ({FAILS}) {{ ${v} = 'x' }} elsif ({HOLDS}) {{ ${v} = {value} }}"));
                format!("${v}")
            }
            12 => {
                self.line(format!("my ${v} = 'other';\nunless ({FAILS}) {{ ${v} = {value}; }}"));
                format!("${v}")
            }
            13 => {
                self.line(format!(
                    "my ${v} = 'other';\nwhile (1) {{ ${v} = {value}; last if {HOLDS} }}"
                ));
                format!("${v}")
            }
            14 => {
                self.line(format!("my ${v};\ndo {{ ${v} = {value} }} until {HOLDS};"));
                format!("${v}")
            }
            15 => {
                self.line(format!("my (${v}, ${w}) = ('', {value});\nfor my $i (0 .. length(${w}) - 1) {{ ${v} .= substr(${w}, $i, 1) }}"));
                format!("${v}")
            }
            16 => {
                self.line(format!(
                    "my ${v};\nfor my ${w} ({value}, 'other') {{ ${v} = ${w}; last if {HOLDS} }}"
                ));
                format!("${v}")
            }
            17 => {
                self.line(format!("my %{v} = (a => {value});\nmy ${w};\nfor my $k (keys %{v}) {{ ${w} = ${v}{{$k}} }}"));
                format!("${w}")
            }
            18 => {
                self.line(format!("my ${v} = {{}};\n${v}->{{a}}{{b}} = {value};\nmy ${w} = ${v};\n${w}->{{c}} = 'other';"));
                format!("${w}->{{a}}->{{b}}")
            }
            19 => {
                self.line(format!("my @{v};\npush @{v}, 'other';\npush @{v}, {value};"));
                format!("pop(@{v})")
            }
            20 => {
                self.line(format!("{{ package P{v}; sub new {{ my ($c, $a1) = @_; bless {{a => $a1}}, $c }} sub get {{ $_[0]{{a}} }} }}"));
                format!("P{v}->new({value})->get")
            }
            21 => {
                self.line(format!(
                    "{{ package P{v}; our $AUTOLOAD; sub AUTOLOAD {{ return $_[1] }} }}"
                ));
                format!("P{v}->anything({value})")
            }
            22 => {
                self.line(format!(
                    "{{ package P{v}; sub go {{ $_[1] }} package Q{v}; our @ISA = ('P{v}'); }}"
                ));
                format!("Q{v}->go({value})")
            }
            23 => format!("eval {{ {value} }}"),
            24 => {
                self.line(format!("eval {{ die {{m => {value}}} }};\nmy ${v} = $@;"));
                format!("${v}->{{m}}")
            }
            25 => {
                self.line(format!("our ${v} = {value};"));
                format!("eval('${v}')")
            }
            26 => format!("eval(q(q[{text}]))"),
            27 => {
                self.line(format!("eval(q(our ${v} = '{text}'));"));
                format!("$main::{v}")
            }
            28 => {
                self.line(format!(
                    "sub {v} {{ my ($n, $a1) = @_; return $n == 0 ? $a1 : {v}($n - 1, $a1) }}"
                ));
                format!("{v}(3, {value})")
            }
            29 => {
                self.line(format!("my ${w} = {value};\nmy ${v} = sub {{ ${w} }};"));
                format!("${v}->()")
            }
            30 => {
                self.line(format!(
                    "my (${v}, ${w}) = ('other', {value});\n(${v}, ${w}) = (${w}, ${v});"
                ));
                format!("${v}")
            }
            31 => {
                self.line(format!("(my ${v} = {value}) =~ s/Q/q/g;"));
                format!("${v}")
            }
            32 => format!("join('', {value}, '')"),
            33 => {
                self.line(format!("my @{v} = ({value}, 'other');\nmy (${w}) = @{v};"));
                format!("${w}")
            }
            34 => {
                self.line(format!("our ${v} = {value};\n*{w} = \\${v};"));
                format!("$main::{w}")
            }
            35 => {
                self.line(format!("our ${v} = {value};\nmy ${w} = '{v}';"));
                format!("$$ {w}").replace("$$ ", "$$")
            }
            36 => {
                self.line(format!("my ${v} = {value};\nmy ${w} = \\${v};"));
                format!("$${w}")
            }
            37 => {
                self.line(format!("my ${v} = 'other';\nmy ${w} = \\${v};\n$${w} = {value};"));
                format!("${v}")
            }
            38 => {
                self.line(format!("my ${v} = {value};\n{{ my ${v} = 'other'; }}"));
                format!("${v}")
            }
            39 => {
                self.line(format!(
                    "our ${v} = {value};\nsub {w} {{ local ${v} = 'other'; return 1 }}\n{w}();"
                ));
                format!("${v}")
            }
            40 => {
                self.line(format!("my ${v} = {value};"));
                format!("\"${v}\"")
            }
            41 => {
                self.line(format!("my %{v} = (k => [{value}]);"));
                format!("\"${v}{{k}}[0]\"")
            }
            42 => format!("\"@{{[ {value} ]}}\""),
            43 => format!("\"${{\\ {value}}}\""),
            44 => {
                self.line(format!("my ${v} = {value};\nmy (${w}) = ${v} =~ /^(.*)$/;"));
                format!("${w}")
            }
            45 => {
                self.line(format!("my ${v} = {value};\n${v} =~ /(z.*x)/;\nmy ${w} = $1;"));
                format!("${w}")
            }
            46 => {
                self.line(format!("my ${v} = 'X';\nmy ${w} = {value};\n${v} =~ s/X/${w}/;"));
                format!("${v}")
            }
            47 => {
                self.line(format!("my ${v} = 'X';\nmy ${w} = {value};\n${v} =~ s/X/lc(${w})/e;"));
                format!("${v}")
            }
            48 => format!("(grep {{ /z/ }} 'other', {value})[0]"),
            49 => format!("(map {{ $_ . '' }} {value})[0]"),
            50 => format!("(sort {{ $b cmp $a }} 'a', {value})[0]"),
            51 => {
                self.line(format!("my @{v} = ({value}, 'other');\n$_ .= '' for @{v};"));
                format!("shift(@{v})")
            }
            52 => {
                self.line(format!("my %{v};\n@{v}{{qw(a b)}} = ('other', {value});"));
                format!("${v}{{b}}")
            }
            53 => {
                self.line(format!("my @{v} = ('other', 'x');\nsplice(@{v}, 1, 1, {value});"));
                format!("${v}[1]")
            }
            54 => {
                self.line(format!("*{v} = sub {{ {value} }};"));
                format!("{v}()")
            }
            55 => {
                self.line(format!(
                    "my ${v} = <<\"END{v}\" . '';\n@{{[ {value} ]}}\nEND{v}\nchomp ${v};"
                ));
                format!("${v}")
            }
            56 => {
                self.line(format!("my ${v} = do {{ my ${w} = {value}; ${w} }};"));
                format!("${v}")
            }
            57 => {
                self.line(format!("my ${v};\n${v} //= {value};"));
                format!("${v}")
            }
            58 => {
                self.line(format!("$_ = {value};\nmy ${v} = $_;"));
                format!("${v}")
            }
            59 => {
                self.line(format!("sub {v} {{ my %o = @_; return $o{{name}} }}"));
                format!("{v}(size => 1, name => {value})")
            }
            60 => {
                self.line(format!("my ${v} = {value};\nmy ${w} = '';\nCORE::open(my $h{v}, '<', \\${v});\n${w} = <$h{v}>;"));
                format!("${w}")
            }
            61 => format!("decode_base64(encode_base64({value}))"),
            62 => {
                self.line(format!("my ${v} = 'other';\nOUT{v}: for my $i (1, 2) {{ for my $j (1, 2) {{ ${v} = {value}; last OUT{v} if {HOLDS} }} }}"));
                format!("${v}")
            }
            _ => {
                self.line(format!(
                    "my ${v} = {{f => sub {{ my ($a1) = @_; return ($a1, 'other') }}}};"
                ));
                format!("((${v}->{{f}}->({value}))[0])")
            }
        }
    }

    /// A use of the value.
    fn sink(&mut self, value: &str) {
        let v = self.name();
        let statement = match self.pick(24) {
            0 | 1 => format!("system('true ' . {value});"),
            2 => format!("my ${v} = `true @{{[ {value} ]}}`;"),
            3 | 4 => format!("open(my ${v}, '<', {value});"),
            5 => format!("open(F{v}, '>' . {value});"),
            6 => format!("open(F{v}, 'true ' . {value} . '|');"),
            7 => format!("open(my ${v}, '-|', 'true', {value});"),
            8 => format!("system('true', {value});"),
            9 => format!("exec('true ' . {value});"),
            10 => format!("unlink({value});"),
            11 => format!("my ${v} = sub {{ system(@_) }};\n${v}->('true ' . {value});"),
            12 => format!(
                "sub {v} {{ my $c = shift; return if {FAILS}; system($c) }}\n{v}('true ' . {value});"
            ),
            13 => format!(
                "{{ package S{v}; sub new {{ bless {{}}, shift }} sub go {{ my ($s, $c) = @_; system($c) }} }}\nS{v}->new->go('true ' . {value});"
            ),
            14 => format!(
                "sub {v} {{ system($_[0]) }}\nmy $n{v} = '{v}';\n&$n{v}('true ' . {value});"
            ),
            15 => format!("our ${v} = {value};\neval q(system(\"true ${v}\"));"),
            16 => format!("system \"true $_\" for {value};"),
            17 => format!("map {{ system(\"true $_\") }} ({value});"),
            18 => format!("my ${v} = 'x';\n${v} =~ s/x/system('true ' . {value})/e;"),
            19 => format!("main->can('{v}')->('true ' . {value});\nsub {v} {{ system(shift) }}"),
            20 => format!(
                "my ${v} = 'go{v}';\nmain->${v}('true ' . {value});\nsub go{v} {{ my (undef, $c) = @_; system $c }}"
            ),
            21 => format!("my @{v} = ('true', {value});\nsystem @{v};"),
            22 => format!(
                "local $SIG{{ALRM}} = sub {{ system('true ' . {value}) }};\nkill 'ALRM', $$;"
            ),
            _ => format!("rename({value}, 'other');"),
        };
        self.line(statement);
    }
}

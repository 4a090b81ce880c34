//! Text made to be expensive stays cheap, and what is left out is reported.

use super::{effects, effects_in};
use aegish_code_parsers::language::Language;
use aegish_test_support::clock::cpu_time;
use std::time::Duration;

#[test]
fn deep_nesting_neither_overflows_nor_takes_long() {
    let deep = [
        "(".repeat(10_000) + &")".repeat(10_000),
        "[".repeat(10_000) + &"]".repeat(10_000),
        "x = ".to_owned() + &"not ".repeat(10_000) + "1",
        "x = ".to_owned() + &"-".repeat(10_000) + "1",
        "x = 1".to_owned() + &" + 1".repeat(100_000),
        "x = a".to_owned() + &".b".repeat(100_000),
        "x = a".to_owned() + &"()".repeat(10_000),
        "x = ".to_owned() + &"lambda: ".repeat(10_000) + "1",
        "x = ".to_owned() + &"1 if a else ".repeat(10_000) + "1",
        "x = 1".to_owned() + &" ** 1".repeat(10_000),
        "f'{".repeat(200) + "x" + &"}'".repeat(200),
    ];
    for code in deep {
        let start = cpu_time();
        effects(&code);
        let took = cpu_time() - start;
        // Builds for tests are not optimised; the bar of the design is 50 ms.
        assert!(took < Duration::from_secs(2), "{} takes {took:?}", &code[..20]);
    }
}

#[test]
fn long_loops_and_recursion_end() {
    for code in [
        "i = 0\nwhile i < 10**9:\n    i += 1\n",
        "for i in range(10**7):\n    for j in range(10**7):\n        x = i * j\n",
        "def f(n):\n    return f(n - 1) + f(n - 2)\nf(50)",
        "x = 'a'\nwhile True:\n    x = x + x\n    if x == 'b':\n        break\n",
        "l = []\nfor i in range(100000):\n    l.append(i)\n",
        "def f(g):\n    g(g)\nf(f)",
        "x = 1\nfor i in range(60):\n    x = (x, x)\n",
        "import functools\nf = print\nfor i in range(60):\n    f = functools.partial(f, f)\n",
        "f = 1\nfor i in range(60):\n    f = lambda a=f, b=f: a\n",
        "l = [1]\nfor i in range(60):\n    l.append((l[-1], l[-1]))\n",
        "class N:\n    def go(self):\n        n = self\n        while n:\n            n = n.next\nN().go()",
        "d = {}\nfor i in range(60):\n    d['a'] = (d, d, d.get('a'), d.get('a'))\n",
    ] {
        let start = cpu_time();
        let got = effects(code);
        let took = cpu_time() - start;
        assert!(took < Duration::from_secs(2), "{code}: {took:?}");
        assert!(got.is_empty(), "{code}: {got:?}");
    }
}

#[test]
fn nested_loops_and_blocks_are_followed_to_their_end() {
    // Each pass over a loop has variables of its own, which are no reason for another pass.
    for (language, start, end) in [
        (Language::JavaScript, "for (const x of y) {", "}"),
        (Language::JavaScript, "for (const x of y) { const z = x;", "}"),
        (Language::JavaScript, "y.forEach((x) => {", "})"),
        (Language::Lua, "for a in b do ", " end"),
        (Language::Lua, "while a() do local x = b() ", " end"),
        (Language::Ruby, "f {", "}"),
        (Language::Ruby, "a.each { |x| ", "}"),
        (Language::Perl, "for my $x (@ARGV) {", "}"),
        (Language::Php, "foreach ($_GET as $b) {", "}"),
        (Language::PowerShell, "foreach ($a in $args) {", "}"),
        (Language::Tcl, "foreach x $argv {", "}"),
    ] {
        let code = start.repeat(12) + "f();" + &end.repeat(12);
        let time = cpu_time();
        let got = effects_in(language, &code);
        let took = cpu_time() - time;
        assert!(took < Duration::from_secs(2), "{code}: {took:?}");
        assert!(!got.contains(&"hidden".to_owned()), "{code}: {got:?}");
    }
}

#[test]
fn what_a_pass_over_a_loop_leaves_is_seen_by_the_next_one() {
    for (language, code) in [
        (
            Language::JavaScript,
            "let g = () => 0; for (const x of y) { g(); const c = 'id'; \
             g = () => require('child_process').execSync(c) }",
        ),
        (
            Language::JavaScript,
            "let l = []; for (const x of y) { require('child_process').execSync(l[0]); \
             const m = ['id']; l = m }",
        ),
        (
            Language::Lua,
            "local g = print for a in b do g() local c = 'id' \
             g = function() os.execute(c) end end",
        ),
        (Language::Lua, "local r = {} for a in b do os.execute(r.c) local t = r t.c = 'id' end"),
        (Language::Ruby, "c = 'true'; a.each { |x| system(c); d = 'id'; c = d }"),
        (Language::Ruby, "g = nil; a.each { |x| g.call; d = 'id'; g = -> { system(d) } }"),
        (
            Language::Php,
            "function f() { global $c; $c = 'id'; } foreach ($_GET as $b) { system($c); f(); }",
        ),
        (
            Language::Php,
            "function f() { static $c = 'true'; system($c); $c = 'id'; } \
             foreach ($_GET as $b) { f(); }",
        ),
        (Language::Perl, "while (<STDIN>) { system($foo); { my $x = 'id'; *foo = \\$x; } }"),
        (Language::Perl, "our $c; sub f { our $c = 'id'; } while (<STDIN>) { system($c); f(); }"),
        (Language::Tcl, "proc f {} { upvar c d; set d id }\nforeach x $argv { eval exec $c; f }"),
    ] {
        let got = effects_in(language, code);
        let runs = |effect: &String| matches!(effect.as_str(), "shell id" | "argv id" | "hidden");
        assert!(got.iter().any(runs), "{code}: {got:?}");
    }
}

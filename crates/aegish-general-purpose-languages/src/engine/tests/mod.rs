//! Tables of code and the effects it must (or must not) give.

mod beam;
mod data_flow;
mod go_jvm;
mod r_julia_octave;

use super::{CodeContext, CodeEffect};
use aegish_profiles::Lang;
use aegish_test_support::clock::cpu_time;
use aegish_values::Value;

/// A short, stable spelling of an effect.
fn show(kind: &CodeEffect) -> String {
    let argv =
        |items: &[Value]| items.iter().map(ToString::to_string).collect::<Vec<_>>().join("|");
    match kind {
        CodeEffect::Shell(v) => format!("shell {v}"),
        CodeEffect::Argv(a) => format!("argv {}", argv(a)),
        CodeEffect::Eval(l, v) => format!("eval {} {v}", l.word()),
        CodeEffect::Import(name) => format!("import {name}"),
        CodeEffect::Script(l, v) => format!("script {} {v}", l.word()),
        CodeEffect::Hidden => "hidden".into(),
        CodeEffect::Chdir(path) => format!("chdir {path}"),
        CodeEffect::Directory(path) => format!("directory {path}"),
        CodeEffect::System { what, object, .. } => format!("{} {object}", what.group()),
        CodeEffect::RunReceived => "received".into(),
        CodeEffect::AttachStdio => "attach".into(),
        CodeEffect::Read(v) => format!("read {v}"),
        CodeEffect::Mention(v) => format!("mention {v}"),
        CodeEffect::List(v) => format!("list {v}"),
        CodeEffect::Write { path, content, append } => {
            format!("{} {path} <- {content}", if *append { "append" } else { "write" })
        }
        CodeEffect::Delete { path, tree } => {
            format!("{} {path}", if *tree { "tree" } else { "delete" })
        }
        CodeEffect::Mode { path, mode } => format!("mode {mode} {path}"),
        CodeEffect::Owner { path, owner } => format!("owner {owner} {path}"),
        CodeEffect::Link { target, name } => format!("link {target} <- {name}"),
        CodeEffect::Copy { from, to } => format!("copy {from} -> {to}"),
        CodeEffect::Connect { host, port } => format!("connect {host} {port}"),
        CodeEffect::Listen { host, port } => format!("listen {host} {port}"),
        CodeEffect::Fetch { url, to: None } => format!("fetch {url}"),
        CodeEffect::Fetch { url, to: Some(to) } => format!("fetch {url} -> {to}"),
        CodeEffect::Send { to, file: None } => format!("send {to}"),
        CodeEffect::Send { to, file: Some(file) } => format!("send {to} <- {file}"),
        CodeEffect::Serve { host, root } => format!("serve {host} {root}"),
        CodeEffect::Load(v) => format!("load {v}"),
        CodeEffect::Environment(list) => {
            let list: Vec<String> =
                list.iter().map(|(name, value)| format!("{name}={value}")).collect();
            format!("environment {}", list.join(" "))
        }
        CodeEffect::Setenv { name, value } => format!("setenv {name}={value}"),
        CodeEffect::SetUser(v) => format!("user {v}"),
        CodeEffect::Exhaust => "exhaust".into(),
        CodeEffect::Print(text) => format!("print {text}"),
    }
}

/// The effects of a piece of code, with a small environment and one argument.
fn effects(lang: Lang, code: &str) -> Vec<String> {
    let env = |name: &str| match name {
        "HOME" => Some("/home/ann".to_owned()),
        "TARGET" => Some("/srv/data.bin".to_owned()),
        "PEER" => Some("peer.example".to_owned()),
        "PORT" => Some("7001".to_owned()),
        "LINK" => Some("http://peer.example/tool".to_owned()),
        _ => None,
    };
    let args = [Value::known("first-arg")];
    let around = CodeContext::alone(&env, &args);
    super::scan(lang, code, &around).iter().map(show).collect()
}

/// Checks a table: code, and its effects in order. Imports are left out; a test of their own checks them.
fn check(lang: Lang, table: &[(&str, &[&str])]) {
    let mut wrong = Vec::new();
    for (code, expected) in table {
        let mut got = effects(lang, code);
        got.retain(|kind| !kind.starts_with("import "));
        if got != *expected {
            wrong.push(format!("{code}\n    expected {expected:?}\n    got      {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), table.len(), wrong.join("\n"));
}

#[test]
fn tables_are_sorted_and_name_nothing_twice() {
    for lang in Lang::ALL {
        let Some(d) = super::dialect::of(*lang) else {
            continue;
        };
        for table in [d.calls, d.methods] {
            for pair in table.windows(2) {
                assert!(pair[0].0 < pair[1].0, "{lang:?}: {} before {}", pair[0].0, pair[1].0);
            }
        }
    }
}

/// A small pseudo-random generator. The readers need no better one, and it saves a dependency.
fn noise(seed: &mut u64) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*seed >> 33).unwrap_or(0)
}

const PIECES: &[&str] = &[
    "os.system(",
    "'",
    "\"",
    "\"\"\"",
    "`",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "$x",
    "${",
    "#{",
    "f'{",
    "\\",
    "\n",
    "  ",
    ";",
    ",",
    "=",
    "=>",
    "->",
    "::",
    ".",
    "..",
    "|>",
    "<<EOF",
    "<<~X\n",
    "%w(",
    "q{",
    "s/a/b/e",
    "tr/",
    "/",
    "lambda x:",
    "def f(x):",
    "function(a){",
    "sub {",
    "do |x|",
    "end",
    "for x in ",
    "while 1",
    "import ",
    "from ",
    "eval ",
    "exec ",
    "open(",
    "é",
    "日本",
    "\u{0}",
    "0x",
    "1e9",
    "<?php ",
    "?>",
    "--[[",
    "/*",
    "#",
    "//",
    "@",
    "&",
    "*",
    "+=",
    "map",
    "chr(105)",
    "require('",
    "new ",
    "[::-1]",
    "for",
    "if",
    "else",
    "(lambda",
    "'(a b",
    "$(",
    "`id`",
    "set x [",
    "exec {",
];

#[test]
fn no_input_makes_a_reader_panic() {
    let mut seed = 7;
    for round in 0..400 {
        let mut code = String::new();
        for _ in 0..(noise(&mut seed) % 60) {
            code.push_str(PIECES[noise(&mut seed) % PIECES.len()]);
        }
        let lang = Lang::ALL[round % Lang::ALL.len()];
        for lang in [lang, Lang::Raku] {
            effects(lang, &code);
        }
    }
}

#[test]
fn large_inputs_take_linear_time() {
    let big = |piece: &str| piece.repeat(12_000 / piece.len());
    let texts = [
        big("("),
        big("[{"),
        big("x = x + 'a'\n"),
        big("a.b().c()."),
        big("'\""),
        big("#{\"#{"),
        big("${`"),
        big("f'{"),
        big("<<A\n"),
        big("q{"),
        big("def f(x):\n f(f)\n"),
        big("function f(a){f(f)}"),
        big("lambda x: "),
        big("x => "),
        big("é"),
        big("[x for x in [x"),
        big("set x [set y {"),
        big("((("),
        big("$(("),
        big("\"$x"),
        big("a, b = b, a\n"),
        big("x='a'*9999\ny=x+x\n"),
        big("os.system(x)\n"),
        big("{a:"),
        big("if x:\n"),
        big("a ? b : "),
        big("/* "),
        big("\\"),
    ];
    let limit = if cfg!(debug_assertions) { 2000 } else { 200 };
    for lang in [Lang::Raku, Lang::Julia, Lang::Go, Lang::Elixir, Lang::Groovy] {
        for text in &texts {
            let start = cpu_time();
            effects(lang, text);
            let took = cpu_time() - start;
            assert!(took.as_millis() < limit, "{lang:?} took {took:?} on {:?}…", text.get(..12));
        }
    }
}

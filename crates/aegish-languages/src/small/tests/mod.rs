//! Tests of the readers. Each row is code and the effects it must have. Dangerous rows have harmless
//! counterparts.

mod awk;
mod build;
mod config;
mod editors;
mod keys;
mod queries;
mod settings;
mod shell_escapes;

use crate::{CodeContext, CodeEffect, scan};
use aegish_profiles::Lang;
use aegish_values::{Piece, Value};

/// Short form of a value; unknown pieces are `?`.
fn text(value: &Value) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => text.to_string(),
        _ => "?".to_owned(),
    };
    value.pieces().iter().map(piece).collect()
}

/// Short form of an effect.
pub(super) fn show(kind: &CodeEffect) -> String {
    match kind {
        CodeEffect::Shell(command) => format!("shell {}", text(command)),
        CodeEffect::Argv(words) => {
            format!("argv {}", words.iter().map(text).collect::<Vec<_>>().join("|"))
        }
        CodeEffect::Eval(lang, code) => format!("eval {} {}", lang.word(), text(code)),
        CodeEffect::Script(lang, path) => format!("script {} {}", lang.word(), text(path)),
        CodeEffect::Hidden => "hidden".to_owned(),
        CodeEffect::Directory(path) => format!("directory {path}"),
        CodeEffect::System { what, object, .. } => format!("{} {object}", what.group()),
        CodeEffect::RunReceived => "received".to_owned(),
        CodeEffect::Read(path) => format!("read {}", text(path)),
        CodeEffect::Mention(path) => format!("mention {}", text(path)),
        CodeEffect::List(path) => format!("list {}", text(path)),
        CodeEffect::Write { path, append: true, .. } => format!("append {}", text(path)),
        CodeEffect::Write { path, .. } => format!("write {}", text(path)),
        CodeEffect::Delete { path, tree } => {
            format!("delete {}{}", text(path), if *tree { " tree" } else { "" })
        }
        CodeEffect::Mode { path, mode } => format!("mode {} {}", text(path), text(mode)),
        CodeEffect::Link { target, name } => format!("link {} {}", text(target), text(name)),
        CodeEffect::Copy { from, to } => format!("copy {} {}", text(from), text(to)),
        CodeEffect::Connect { host, port } => format!("connect {} {}", text(host), text(port)),
        CodeEffect::Listen { host, port } => format!("listen {} {}", text(host), text(port)),
        CodeEffect::Fetch { url, to } => {
            format!("fetch {} {}", text(url), to.as_ref().map(text).unwrap_or_default())
        }
        CodeEffect::Send { to, file } => {
            format!("send {} {}", text(to), file.as_ref().map(text).unwrap_or_default())
        }
        CodeEffect::Serve { host, root } => format!("serve {} {}", text(host), text(root)),
        CodeEffect::Chdir(path) => format!("chdir {}", text(path)),
        CodeEffect::Load(path) => format!("load {}", text(path)),
        CodeEffect::Environment(list) => {
            let list: Vec<String> =
                list.iter().map(|(name, value)| format!("{name}={value}")).collect();
            format!("environment {}", list.join(" "))
        }
        CodeEffect::Setenv { name, value } => format!("setenv {name} {}", text(value)),
        CodeEffect::Print(text) => format!("print {}", text.trim_end()),
        other => format!("{other:?}"),
    }
}

pub(super) fn env(name: &str) -> Option<String> {
    (name == "TARGET").then(|| "host.example".to_owned())
}

fn found(lang: Lang, code: &str, args: &[Value]) -> Vec<String> {
    scan(lang, code, &CodeContext::alone(&env, args)).iter().map(show).collect()
}

fn check(lang: Lang, rows: &[(&str, &[&str])]) {
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(code, expected)| {
            let got = found(lang, code, &[]);
            (got != *expected)
                .then(|| format!("{code:?}\n  expected {expected:?}\n  found    {got:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} differ in {}:\n{}", wrong.len(), lang.word(), wrong.join("\n"));
}

/// Fragments that reach unusual paths of the readers.
const FRAGMENTS: &[&str] = &[
    "$(",
    "${",
    "`",
    "'",
    "\"",
    "\\",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "|",
    "|&",
    "!",
    ":",
    ";",
    "\n",
    "\t",
    "%",
    "#",
    "é",
    "s/",
    "/",
    "system(",
    "print ",
    "> ",
    "\\write18{",
    "\\input",
    "\\begin{verbatim}",
    "COPY x TO PROGRAM '",
    ".shell ",
    "$$",
    "exe ",
    "call system(",
    "EXEC:",
    "ExecStart=",
    "* * * * * ",
    "define(",
    "syscmd(",
    "python",
    "<<",
    "0",
    "=",
    ",",
    "scripts\":{\"a\":\"b\"",
    "x:\n\t",
    "getline",
    "e ",
    "w ",
    "r ",
    "do shell script \"",
    "normal ",
    "g/x/",
    "'a,'b",
    "\u{0}",
    "\u{1F600}",
];

fn all() -> impl Iterator<Item = Lang> {
    Lang::ALL.iter().copied().filter(|lang| super::knows(*lang))
}

#[test]
fn no_input_makes_a_reader_panic() {
    // A small generator with a fixed seed, so that failures repeat.
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..1500 {
        let mut code = String::new();
        for _ in 0..12 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            code.push_str(FRAGMENTS[(seed % FRAGMENTS.len() as u64) as usize]);
        }
        for lang in all() {
            let _ = found(lang, &code, &[]);
        }
    }
}

#[test]
fn long_input_takes_linear_time() {
    let mut slow = Vec::new();
    for fragment in FRAGMENTS {
        let code = fragment.repeat((1 << 16) / fragment.len());
        for lang in all() {
            // A busy machine may delay one attempt, but hardly three.
            let mut least = std::time::Duration::MAX;
            for _ in 0..3 {
                let one = std::time::Instant::now();
                let _ = found(lang, &code, &[]);
                least = least.min(one.elapsed());
                if least.as_secs() < 1 {
                    break;
                }
            }
            if least.as_secs() >= 2 {
                slow.push(format!("{} on {fragment:?}: {least:?}", lang.word()));
            }
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}

#[test]
fn text_beyond_the_bound_is_reported_as_hidden() {
    let code = "# x\n".repeat(super::MAX_CODE / 4 + 1);
    assert_eq!(found(Lang::Awk, &code, &[]), ["hidden"]);
}

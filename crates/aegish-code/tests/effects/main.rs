//! Tables of code and the effects it must (or must not) have.

mod applescript;
mod bounds;
mod branches;
mod calls;
mod examples;
mod harmless;
mod javascript;
mod lisp;
mod lua;
mod perl;
mod php;
mod powershell;
mod python;
mod ruby;
mod tcl;

use aegish_code::{CodeContext, CodeEffect};
use aegish_code_parsers::language::Language;
use aegish_values::Value;

/// A short, stable spelling of an effect.
fn show(effect: &CodeEffect) -> String {
    let argv =
        |items: &[Value]| items.iter().map(ToString::to_string).collect::<Vec<_>>().join("|");
    match effect {
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

/// The effects of Python code, with a small environment and one argument; imports are left out.
fn effects(code: &str) -> Vec<String> {
    effects_in(Language::Python, code)
}

fn effects_in(language: Language, code: &str) -> Vec<String> {
    let env = |name: &str| match name {
        "HOME" => Some("/home/ann".to_owned()),
        "TARGET" => Some("/srv/data.bin".to_owned()),
        "PEER" => Some("peer.example".to_owned()),
        "PORT" => Some("7001".to_owned()),
        _ => None,
    };
    let args = [Value::known("first-arg")];
    let around = CodeContext::alone(&env, &args);
    aegish_code::follow(language, code, &around)
        .iter()
        .map(show)
        .filter(|effect| !effect.starts_with("import "))
        .collect()
}

/// Checks a table of Python: code, and its effects in order.
fn check(table: &[(&str, &[&str])]) {
    check_in(Language::Python, table);
}

fn check_in(language: Language, table: &[(&str, &[&str])]) {
    let mut wrong = Vec::new();
    for (code, expected) in table {
        let got = effects_in(language, code);
        if got != *expected {
            wrong.push(format!("{code}\n    expected {expected:?}\n    got      {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), table.len(), wrong.join("\n"));
}

#[test]
fn every_form_of_import_names_its_module() {
    for (code, expected) in [
        ("import os", vec!["os"]),
        ("import a.b as c, d", vec!["a.b", "d"]),
        ("from helper import go", vec!["helper"]),
        ("from .inner import (a,\n  b)", vec![".inner"]),
        ("x = 'import os'", vec![]),
    ] {
        let around = CodeContext::alone(&|_| None, &[]);
        let modules: Vec<String> = aegish_code::follow(Language::Python, code, &around)
            .into_iter()
            .filter_map(|effect| match effect {
                CodeEffect::Import(name) => Some(name),
                _ => None,
            })
            .collect();
        assert_eq!(modules, expected, "{code}");
    }
}

#[test]
fn text_that_is_no_python_is_not_taken_for_harmless() {
    check(&[
        ("os.system('id'\n)) = 3 import", &["shell id", "hidden"]),
        ("import os\nos.system('id')\nif x = :", &["shell id", "hidden"]),
        ("print 'a', 'b'", &["print a b\n"]),
        ("import os\nif 1: exec \"os.system('id')\"; print 'x'", &["shell id"]),
        ("print >>f, 'x'", &[]),
    ]);
}

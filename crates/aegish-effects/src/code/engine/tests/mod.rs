//! Tables of code and the acts it must (or must not) give.

mod lua;
mod node;
mod perl;
mod php;
mod python;
mod ruby;

use super::super::{CodeAct, Surroundings};
use crate::value::Value;
use aegish_profiles::Lang;

/// A short, stable spelling of an act.
fn show(act: &CodeAct) -> String {
    let argv = |items: &[Value]| {
        items
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("|")
    };
    match act {
        CodeAct::Shell(v) => format!("shell {v}"),
        CodeAct::Argv(a) => format!("argv {}", argv(a)),
        CodeAct::Eval(l, v) => format!("eval {} {v}", l.word()),
        CodeAct::Script(l, v) => format!("script {} {v}", l.word()),
        CodeAct::Hidden => "hidden".into(),
        CodeAct::RunReceived => "received".into(),
        CodeAct::AttachStdio => "attach".into(),
        CodeAct::Read(v) => format!("read {v}"),
        CodeAct::List(v) => format!("list {v}"),
        CodeAct::Write {
            path,
            content,
            append,
        } => format!(
            "{} {path} <- {content}",
            if *append { "append" } else { "write" }
        ),
        CodeAct::Delete { path, tree } => {
            format!("{} {path}", if *tree { "tree" } else { "delete" })
        }
        CodeAct::Mode { path, mode } => format!("mode {mode} {path}"),
        CodeAct::Owner { path, owner } => format!("owner {owner} {path}"),
        CodeAct::Copy { from, to } => format!("copy {from} -> {to}"),
        CodeAct::Connect { host, port } => format!("connect {host} {port}"),
        CodeAct::Listen { host, port } => format!("listen {host} {port}"),
        CodeAct::Fetch { url, to: None } => format!("fetch {url}"),
        CodeAct::Fetch { url, to: Some(to) } => format!("fetch {url} -> {to}"),
        CodeAct::Send { to, file: None } => format!("send {to}"),
        CodeAct::Send {
            to,
            file: Some(file),
        } => format!("send {to} <- {file}"),
        CodeAct::Serve { host, root } => format!("serve {host} {root}"),
        CodeAct::Load(v) => format!("load {v}"),
        CodeAct::Setenv { name, value } => format!("setenv {name}={value}"),
        CodeAct::SetUser(v) => format!("user {v}"),
        CodeAct::Exhaust => "exhaust".into(),
        CodeAct::Print(text) => format!("print {text}"),
    }
}

/// The acts of a piece of code, with a small environment and one argument.
fn acts(lang: Lang, code: &str) -> Vec<String> {
    let env = |name: &str| match name {
        "HOME" => Some("/home/ann".to_owned()),
        "TARGET" => Some("/srv/data.bin".to_owned()),
        "PEER" => Some("peer.example".to_owned()),
        "PORT" => Some("7001".to_owned()),
        "LINK" => Some("http://peer.example/tool".to_owned()),
        _ => None,
    };
    let args = [Value::known("first-arg")];
    let around = Surroundings {
        env: &env,
        args: &args,
    };
    super::scan(lang, code, &around).iter().map(show).collect()
}

/// Checks a table: code, and its acts in order.
fn check(lang: Lang, table: &[(&str, &[&str])]) {
    let mut wrong = Vec::new();
    for (code, expected) in table {
        let got = acts(lang, code);
        if got != *expected {
            wrong.push(format!(
                "{code}\n    expected {expected:?}\n    got      {got:?}"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        table.len(),
        wrong.join("\n")
    );
}

#[test]
fn debug_one() {
    if let Ok(code) = std::env::var("CODE") {
        let lang = Lang::ALL
            .iter()
            .find(|l| l.word() == std::env::var("L").unwrap_or_default())
            .copied()
            .unwrap_or(Lang::Python);
        println!("{:#?}", acts(lang, &code));
    }
}

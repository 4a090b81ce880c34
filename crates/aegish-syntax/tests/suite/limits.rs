//! Bounds: nothing hangs, nothing overflows the stack.

use std::time::Duration;

use aegish_syntax::{Limits, Script, SyntaxErrorKind, parse, parse_with};
use aegish_test_support::clock::cpu_time;

/// Generous, because these tests run unoptimised; a hang would exceed any limit.
const BOUND: Duration = Duration::from_millis(2_500);

fn quickly(text: &str) -> Script {
    let text = text.to_owned();
    let timed = move || (parse(&text), cpu_time());
    let worker = std::thread::Builder::new().stack_size(2 << 20).spawn(timed).expect("a thread");
    let (script, took) = worker.join().expect("no panic");
    assert!(took < BOUND, "took {took:?}");
    script
}

fn kind(script: &Script) -> Option<SyntaxErrorKind> {
    script.error.as_ref().map(|error| error.kind)
}

#[test]
fn openings_without_end_are_refused_quickly() {
    for opening in [
        "(",
        "((",
        "( ",
        "$(",
        "$((",
        "${a[",
        "${a-",
        "\"${a-",
        "\"$(",
        "`",
        "<(",
        "@(",
        "!(",
        "{ ",
        "if ",
        "while ",
        "case x in x) ",
        "f() { ",
        "[[ (",
        "[[ ! ",
        "a=(",
        "a[",
        "a[$(",
        "$[",
        "${",
        "$(( ${a-",
        "((a); ",
        "$((a); ",
        "<<E$[\t\t",
        "<<E$(",
        "<<E\n$(",
        "\"`",
        "$'",
        "for ((",
        "coproc ",
        "! ",
        "time ",
        "function f ",
        "${a[${b-$((",
        "@(a|",
        "!(a$(",
        "${!a[",
        "${a/$(",
        "case $( in ",
        "a=([$(",
        "[[ a =~ (",
        "{fd}>$(",
        "x=",
        "\\\n",
        "\n",
        ";",
        "&&",
        "<<E\n",
    ] {
        for times in [5, 24, 99, 1_000, 10_000] {
            let script = quickly(&opening.repeat(times));
            drop(script);
        }
    }
}

#[test]
fn closed_nests_are_bounded_by_depth() {
    for (open, close) in [
        ("(", ")"),
        ("( ", " )"),
        ("$(", ")"),
        ("$((", "))"),
        ("${a-", "}"),
        ("\"${a-", "}\""),
        ("${a[", "]}"),
        ("${a[", "}"),
        ("{ ", "; }"),
        ("@(", ")"),
        ("\"$(", ")\""),
        ("<(:", ")"),
        ("((a);", ")"),
        ("$((a);", ")"),
        ("$((a)", " )"),
        ("if ", "; then a; fi"),
        ("$[", "]"),
        ("a[$(", ")]=1"),
        ("a=($(", "))"),
        ("!(", ")"),
        ("!($(", "))"),
        ("${${", "}}"),
        ("[[ ( ", " ) ]]"),
        ("${a:", "}"),
        ("${a/", "}"),
        ("\"${a-'", "'}\""),
        ("case $(", ") in a) ;; esac"),
        ("f() { ", "; }"),
        ("coproc { ", "; }"),
        ("while ", "; do a; done"),
        ("((${a[$((", "))]}))"),
        ("[[ a =~ ($(", ")) ]]"),
        ("a[", "]"),
        ("x=@(a|$(", "))"),
        ("$(( $(", ") ))"),
    ] {
        for times in [20, 49, 100, 5_000] {
            let text = format!(": {}a{}", open.repeat(times), close.repeat(times));
            drop(quickly(&text));
            drop(quickly(&format!(": \"{}a{}\"", open.repeat(times), close.repeat(times))));
            drop(quickly(&format!("{}a{}", open.repeat(times), close.repeat(times))));
        }
    }
    let deep = |times: usize| format!("{}a{}", "$(".repeat(times), ")".repeat(times));
    assert_eq!(kind(&quickly(&deep(40))), None);
    assert_eq!(kind(&quickly(&deep(200))), Some(SyntaxErrorKind::Limit));
}

#[test]
fn nested_backticks_end() {
    let mut text = "a".to_owned();
    for _ in 0..12 {
        text = format!("`{}`", text.replace('\\', "\\\\").replace('`', "\\`"));
    }
    drop(quickly(&text));
    drop(quickly(&"`\\".repeat(20_000)));
}

#[test]
fn long_flat_texts_are_fine() {
    for piece in [
        "a;",
        "a\n",
        "a|",
        "a&&",
        "{",
        "{ a; };",
        "'a' ",
        "\"a\" ",
        "$a ",
        "${a} ",
        "$(a) ",
        "`a` ",
        "a=b ",
        ">f ",
        "a <<E\nb\nE\n",
        "(a);",
        "((a));",
        "$((a)) ",
        "[[ a ]];",
        "# a\n",
        "\\a",
        "a\\\n",
        "@(a|b) ",
        "${a[1]} ",
        "a[1]=2 ",
        "<(a) ",
        "é",
        "\"${a-'b'}\" ",
        "$'\\x41' ",
        "((a);(b));",
        "$((a);(b)) ",
        "!(a);",
        "{a,b}",
    ] {
        let script = quickly(&piece.repeat((1 << 14) / piece.len()));
        assert_ne!(kind(&script), Some(SyntaxErrorKind::Limit), "{piece:?}");
    }
    let chain = format!("[[ {}a ]]", "a && ".repeat(10_000));
    assert_eq!(kind(&quickly(&chain)), None);
}

#[test]
fn long_texts_are_refused() {
    let limits = Limits { max_bytes: 4, ..Limits::default() };
    let script = parse_with("a\nb\nc", &limits);
    assert_eq!(kind(&script), Some(SyntaxErrorKind::Limit));
    assert!(script.body.items.is_empty());
    assert_eq!(kind(&parse_with("a\nb", &limits)), None);
}

#[test]
fn a_limit_inside_of_backticks_is_a_limit() {
    let text = format!("`{}a{}`", "$(".repeat(200), ")".repeat(200));
    assert_eq!(kind(&parse(&text)), Some(SyntaxErrorKind::Limit));
}

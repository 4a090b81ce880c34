//! Hostile input gets a clear answer, in bounded time, and never a panic.

use aegish_guard::{Action, Context, Decision, MAX_COMMAND_LENGTH, Request, Role, TextForm, check};
use aegish_test_support::clock::cpu_time;
use std::time::Duration;

/// Generous: tests run unoptimised.
const TIME_LIMIT: Duration = Duration::from_secs(5);

fn decide(text: impl AsRef<[u8]>) -> Decision {
    let start = cpu_time();
    let context = Context::bare();
    let request =
        Request { text: text.as_ref(), context: &context, role: Role::Default, user_rules: &[] };
    let decision = check(&request);
    assert_ne!(decision.rule().id, "internal-error", "{}", decision.reason());
    let shown =
        String::from_utf8_lossy(text.as_ref().get(..60).unwrap_or(text.as_ref())).into_owned();
    let took = cpu_time() - start;
    assert!(took < TIME_LIMIT, "{took:?} for {shown}");
    decision
}

fn refused(text: impl AsRef<[u8]>, reason: &str) {
    let decision = decide(text);
    assert_eq!((decision.action(), decision.rule().id), (Action::Block, "bad-input"));
    assert!(decision.reason().contains(reason), "{}", decision.reason());
    assert!(!decision.is_open());
}

/// Openings and closings of everything that nests.
const NESTS: [(&str, &str); 34] = [
    ("(", ")"),
    ("( ", " )"),
    ("{ ", "; }"),
    ("$(", ")"),
    ("`", "`"),
    ("${a:-", "}"),
    ("${a[", "]}"),
    ("$((", "))"),
    ("$((1+(", "))"),
    ("((", "))"),
    ("<(", ")"),
    ("\"$(", ")\""),
    ("\"${a:-", "}\""),
    ("[[ (", ") ]]"),
    ("[[ ! ", " ]]"),
    ("if ", "; then :; fi; "),
    ("while ", "; do :; done; "),
    ("case x in x) ", ";; esac; "),
    ("for x in $(", "); do :; done; "),
    ("select x in a; do ", "; done; "),
    ("f() ", ""),
    ("function f { ", " }; "),
    ("! ", ""),
    ("time ", ""),
    ("coproc ", ""),
    ("a=( $(", ") )"),
    ("@(", ")"),
    ("{a,", "}"),
    ("cat <<E$(", "\nE\n)"),
    ("<<<$(", ")"),
    ("eval ", ""),
    ("sudo ", ""),
    ("sh -c \"", "\""),
    ("awk '", "'"),
];

#[test]
fn invalid_input_is_refused_with_a_reason() {
    refused("", "empty");
    refused(" \n\t\r\n", "empty");
    refused("ls\0-la", "NUL");
    refused(b"ls \xc3\x28", "UTF-8");
    refused(b"ls \xf0\x9f\x98", "UTF-8");
    refused(vec![b' '; (1 << 20) + 1], "1048576 bytes");
}

#[test]
fn a_comment_alone_is_no_mistake() {
    assert_eq!(decide("# nothing to do").action(), Action::Allow);
}

#[test]
fn moderate_nesting_of_every_kind_is_answered() {
    for depth in [1, 10, 99, 100, 101] {
        for (open, close) in NESTS {
            let _ = decide(format!("{}ls{}", open.repeat(depth), close.repeat(depth)));
        }
    }
}

#[test]
fn deep_nesting_of_every_kind_is_answered_closed_or_not() {
    for (open, close) in NESTS {
        let _ = decide(format!("{}ls{}", open.repeat(10_000), close.repeat(10_000)));
        let _ = decide(open.repeat(10_000));
    }
}

#[test]
fn ten_thousand_parentheses_are_not_allowed() {
    // With spaces between them: `((` would begin arithmetic.
    let text = format!("{}cat /etc/shadow{}", "( ".repeat(10_000), " )".repeat(10_000));
    assert_ne!(decide(text).action(), Action::Allow);
}

/// Every command that was followed, as its words would be.
fn followed(decision: &Decision) -> String {
    let words = decision.analysis().commands.iter().flat_map(|command| &command.argv);
    words.map(|word| format!("{word} ")).collect()
}

#[test]
fn huge_expansions_are_not_carried_out() {
    let loops = "for a in {1..1000}; do for b in {1..1000}; do for c in {1..1000}; do echo $a$b$c; done; done; done";
    for (text, instead) in [
        ("echo {1..100000000}".to_owned(), "too large"),
        (format!("echo {}", "{a,b}".repeat(40)), "too large"),
        ("echo $((2**9999999999))".to_owned(), "echo ‹arithmetic›"),
        (format!("echo $(({}1))", "1+".repeat(20_000)), "echo ‹arithmetic›"),
        (loops.to_owned(), "echo "),
        ("x=$(printf '%1000000000s' a); echo $x".to_owned(), "echo ‹output of a program›"),
        ("seq 1 100000000 | sh".to_owned(), "only known at run time"),
        ("yes | head -n 100000000 | sh".to_owned(), "sh"),
    ] {
        let decision = decide(&text);
        let followed = followed(&decision);
        assert!(followed.len() < 1 << 16, "{} bytes are followed for {text}", followed.len());
        let told = format!("{followed}{}", decision.reason());
        assert!(told.contains(instead), "{text} gives {told}");
    }
}

#[test]
fn variables_that_double_do_not_take_all_memory() {
    let _ = decide(format!("x=aaaaaaaaaa;{}eval $x", "x=$x$x;".repeat(40)));
    let _ = decide(format!("x=aaaaaaaaaa;{}$x", "x=${x//a/aaaaaaaaaa};".repeat(12)));
}

#[test]
fn cyclic_functions_and_aliases_end() {
    let _ = decide("f() { g; g; }; g() { f; f; }; f");
    let _ = decide("alias a=b b=a\na\nb\n");
    let _ = decide("a=b; b=a; echo ${!a} $((a))");
    assert_eq!(decide(":(){ :|:& };:").action(), Action::Block);
}

#[test]
fn many_commands_and_long_words_are_answered() {
    let _ = decide("ls;".repeat(50_000));
    let _ = decide(format!("echo {}", "a".repeat(500_000)));
    let _ = decide(format!("{}cat", "cat|".repeat(20_000)));
    let _ = decide("'".repeat(99_999));
    let _ = decide(format!("cat {}\n{}", "<<E ".repeat(5_000), "x\nE\n".repeat(5_000)));
}

#[test]
fn length_alone_is_no_reason_to_block() {
    let harmless = format!("cat <<'E' > notes.txt\n{}\nE\n", "some text\n".repeat(2_000));
    assert!(harmless.len() > MAX_COMMAND_LENGTH);
    assert_ne!(decide(&harmless).action(), Action::Block);
}

#[test]
fn an_open_text_that_is_too_long_for_a_judge_is_blocked() {
    let open = "eval \"$UNKNOWN\"";
    let short = decide(open);
    assert_eq!((short.action(), short.is_open()), (Action::Warn, true), "{}", short.reason());
    let padding = "# a comment\n".repeat(MAX_COMMAND_LENGTH / 10);
    let long = decide(format!("{padding}{open}"));
    assert_eq!(
        (long.action(), long.rule().id, long.is_open()),
        (Action::Block, "bad-input", false)
    );
    assert!(long.reason().contains("characters"), "{}", long.reason());
    assert!(long.findings().len() > 1, "the finding itself is still there");
}

#[test]
fn a_script_file_that_is_open_stays_open_at_any_length() {
    let padding = "x".repeat(5 * MAX_COMMAND_LENGTH);
    let mut context = Context::bare();
    context.form = TextForm::ScriptFile;
    let decide = |text: &str| {
        let text = format!("{text} # {padding}");
        let role = Role::Default;
        check(&Request { text: text.as_bytes(), context: &context, role, user_rules: &[] })
    };
    let open = decide("eval \"$(./settings)\"");
    assert_eq!((open.action(), open.is_open()), (Action::Warn, true));
    assert_eq!(decide("cat /etc/shadow; eval \"$(./settings)\"").action(), Action::Block);
}

#[test]
fn a_script_is_not_blocked_for_what_its_arguments_might_be() {
    let mut context = Context::bare();
    context.form = TextForm::ScriptFile;
    context.positional = None;
    let action = |text: &str| {
        let role = Role::Default;
        check(&Request { text: text.as_bytes(), context: &context, role, user_rules: &[] }).action()
    };
    // An argument that may be missing is not known to be empty.
    let clean = "target=\"${2:-}\"; if [ \"$target\" ]; then rm -rf $target/; fi";
    assert_eq!(action(clean), Action::Warn);
    assert_eq!(action("target=; rm -rf $target/"), Action::Block);
    assert_eq!(action("target=\"${2:-/}\"; rm -rf $target"), Action::Block);
    // A directory that is not known is not one of the present directory.
    let home = "cd /etc/skel; home=$(getent passwd kim | cut -d: -f6); chown kim \"$home/.gnupg\"";
    assert_eq!(action(home), Action::Allow);
    assert_eq!(action("cd /etc/skel; chown kim .bashrc"), Action::Block);
    // A program that the script has run the script itself runs nothing new.
    assert_ne!(action("rsync --rsh=\"'$0' --helper\" a::b ."), Action::Block);
    assert_eq!(action("rsync --rsh=\"./other --helper\" a::b ."), Action::Block);
}

#[test]
fn the_limit_counts_characters_not_bytes() {
    let letters = "ä".repeat(MAX_COMMAND_LENGTH - 100);
    let decision = decide(format!("eval \"$UNKNOWN\" # {letters}"));
    assert_eq!(decision.action(), Action::Warn);
}

#[test]
fn random_bytes_never_panic() {
    // A fixed generator: failures can be repeated.
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let tokens = [
        "'",
        "\"",
        "$(",
        ")",
        "`",
        "${",
        "}",
        "<<E",
        "\n",
        "E\n",
        "|",
        "&",
        ";",
        "(",
        "{",
        "case",
        " in ",
        "esac",
        "if ",
        "then ",
        "fi",
        "$((",
        "))",
        "[[",
        "]]",
        "a=(",
        "\\",
        "#",
        "*",
        "é",
        "\u{202e}",
        "x ",
        "eval ",
        "sh -c ",
        "awk ",
        "sed ",
        "python -c ",
        "find . -exec ",
        "xargs ",
        "base64 -d ",
        "$'\\x",
        "!",
    ];
    for _ in 0..3_000 {
        let length = next() % 24;
        let mut text = String::new();
        for _ in 0..length {
            let index = usize::try_from(next()).unwrap_or(0) % tokens.len();
            text.push_str(tokens[index]);
        }
        let _ = decide(&text);
        let bytes: Vec<u8> = (0..length).map(|_| next().to_le_bytes()[0]).collect();
        let _ = decide(&bytes);
    }
}

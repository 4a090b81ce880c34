//! Characters that disguise a command are found where they matter, and only there.

use aegish_guard::{Action, Context, Decision, Request, Role, check};

fn decide(text: &str) -> Decision {
    let context = Context::bare();
    check(&Request {
        text: text.as_bytes(),
        context: &context,
        role: Role::Default,
        user_rules: &[],
    })
}

fn misleads(text: &str, action: Action) {
    let decision = decide(text);
    assert_eq!(
        (decision.action(), decision.rule().id),
        (action, "misleading-text"),
        "{}",
        decision.reason()
    );
}

#[test]
fn characters_without_width_in_a_word_block() {
    misleads("ls\u{200b} -la", Action::Block);
    misleads("cat no\u{2060}tes.txt", Action::Block);
    misleads("\u{feff}ls", Action::Block);
    misleads("ls -\u{ad}la", Action::Block);
    misleads("echo x > \u{200b}out.txt", Action::Block);
}

#[test]
fn direction_controls_are_blocked_in_words_and_asked_about_elsewhere() {
    misleads("ls \u{202e}txt.exe", Action::Block);
    misleads("echo 'a \u{2066}b'", Action::Warn);
    misleads("ls # \u{202d}comment", Action::Warn);
}

#[test]
fn names_in_letters_of_another_alphabet_block() {
    misleads("с\u{430}t notes.txt", Action::Block);
    misleads("/usr/bin/ｌｓ", Action::Block);
    misleads("sh -c 'ѕudo ls'", Action::Block);
}

#[test]
fn unusual_spaces_are_blocked_in_names_and_asked_about_in_arguments() {
    misleads("ls\u{a0}-la", Action::Block);
    misleads("ls my\u{202f}file", Action::Warn);
}

#[test]
fn ordinary_text_of_the_world_is_fine() {
    for text in [
        "echo 'größe' naïve",
        "git commit -m '修复 bug 🎉'",
        "echo \"👨\u{200d}👩\u{200d}👧\" \u{645}\u{6cc}\u{200c}\u{62e}",
        "echo 👨\u{200d}👩\u{200d}👧",
        "ls документы",
        "grep 'a\u{a0}b' page.html",
        "echo $'\\u200b'",
    ] {
        let decision = decide(text);
        assert_eq!(decision.action(), Action::Allow, "{text}: {}", decision.reason());
    }
}

#[test]
fn the_stricter_finding_names_the_verdict() {
    let decision = decide("cat /etc/shadow '\u{202e}'");
    assert_eq!((decision.action(), decision.rule().id), (Action::Block, "4"));
    assert!(decision.findings().iter().any(|finding| finding.rule.id == "misleading-text"));
}

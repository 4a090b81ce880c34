//! The specification: every command in `cases/*.md` gets the verdict written next to it.

use aegish_test_support::cases;

use std::fmt::Write as _;

#[test]
fn every_case_gets_its_verdict() {
    let cases = cases::all().expect("the cases can be read");
    let mut wrong = String::new();
    let mut count = 0;
    for case in &cases {
        let decision = case.decide();
        let holds = case.holds(&decision);
        if holds == case.gap.is_none() {
            continue;
        }
        count += 1;
        let (place, command) = (&case.place, case.command.escape_debug());
        let _ = match &case.gap {
            Some(_) => writeln!(wrong, "{place}: no gap any more, remove `gap:`: {command}"),
            None => writeln!(
                wrong,
                "{place}: {command}\n    expected {}, got {} {} ({})",
                case.expected(),
                decision.action(),
                decision.rule().id,
                decision.reason()
            ),
        };
    }
    assert!(count == 0, "{count} of {} cases fail\n{wrong}", cases.len());
}

#[test]
fn a_document_gives_its_cases_files_and_gaps() {
    let text = "# Topic\n\n```cases\nallow | ls | wc\nblock 4 role=sysadmin | cat x\n\
                gap: warn 11 # not yet | wget a\n```\n```file b.sh\necho\n```\n\
                ```case block 9\na\nb\n```\n";
    let cases = cases::read("topic", text).expect("readable");
    let commands: Vec<&str> = cases.iter().map(|case| case.command.as_str()).collect();
    assert_eq!(commands, ["ls | wc", "cat x", "wget a", "a\nb"]);
    assert_eq!(cases[2].gap.as_deref(), Some("not yet"));
    assert_eq!(cases[1].place, "cases/topic.md:5");
    assert_eq!(cases[3].files["/home/user/project/b.sh"], "echo\n");
}

#[test]
fn mistakes_in_a_document_are_named_with_their_line() {
    for (text, complaint) in [
        ("```cases\nblock 4 ls\n```\n", "cases/t.md:2: no ` | `"),
        ("```cases\nrefuse 4 | ls\n```\n", "cases/t.md:2: unknown action"),
        ("```cases\nblock 4 5 | ls\n```\n", "cases/t.md:2: neither"),
        ("```cases\ngap: block 4 | ls\n```\n", "cases/t.md:2: a gap needs a reason"),
        ("```cases\nblock none-such | ls\n```\n", "cases/t.md:2: there is no rule"),
        ("```case allow\nls\n", "cases/t.md:1: this block is never closed"),
    ] {
        let error = cases::read("t", text).expect_err("a mistake");
        assert!(error.starts_with(complaint), "{error}");
    }
}

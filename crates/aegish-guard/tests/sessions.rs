//! Lines that follow one another: an attack is stopped at the line that makes it one, and its harmless
//! twin passes. The sessions stand in `cases/*.md`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::fmt::Write as _;
use support::sessions::{self, Memory};

/// How many sessions there are at least.
const FLOOR: usize = 120;

#[test]
fn every_line_of_every_session_gets_its_verdict() {
    let sessions = sessions::all().expect("the cases can be read");
    let mut wrong = String::new();
    let mut count = 0;
    for session in &sessions {
        for memory in [Memory::Guard, Memory::Shell] {
            let decisions = session.decide(memory);
            for (step, decision) in session.steps.iter().zip(&decisions) {
                let holds = step.holds(decision);
                if holds == step.gap.is_none() {
                    continue;
                }
                count += 1;
                let (place, command) = (&step.place, step.command.escape_debug());
                let _ = match &step.gap {
                    Some(_) => {
                        writeln!(wrong, "{place}: no gap any more, remove `gap:`: {command}")
                    }
                    None => writeln!(
                        wrong,
                        "{place} ({memory:?}): {command}\n    expected {}, got {} {} ({})",
                        step.expected(),
                        decision.action,
                        decision.rule.id,
                        decision.reason
                    ),
                };
            }
        }
    }
    assert!(count == 0, "{count} lines of {} sessions fail\n{wrong}", sessions.len());
}

#[test]
fn there_are_as_many_harmless_sessions_as_attacks() {
    let sessions = sessions::all().expect("the cases can be read");
    let attacks = sessions
        .iter()
        .filter(|session| {
            session.steps.iter().any(|step| step.action == aegish_guard::Action::Block)
        })
        .count();
    let harmless = sessions.len() - attacks;
    assert!(sessions.len() >= FLOOR, "{} sessions", sessions.len());
    assert!(harmless * 10 >= attacks * 8, "{attacks} attacks, {harmless} harmless");
}

#[test]
fn a_session_is_lines_with_verdicts_and_lines_that_go_on() {
    let text = "```file a.sh\nls\n```\n```session\nallow | cat <<E\n      | text | more\n      | E\n\
                warn 11 role=sysadmin | wget a\n```\n";
    let sessions = sessions::read("t", text).expect("readable");
    let [session] = sessions.as_slice() else { panic!("{sessions:?}") };
    assert_eq!(session.place, "cases/t.md:4");
    let commands: Vec<&str> = session.steps.iter().map(|step| step.command.as_str()).collect();
    assert_eq!(commands, ["cat <<E\ntext | more\nE", "wget a"]);
    assert_eq!(session.steps[1].place, "cases/t.md:8");
    assert_eq!(session.steps[1].files["/home/user/project/a.sh"], "ls\n");
    let error = sessions::read("t", "```session\nls\n```\n").expect_err("a mistake");
    assert!(error.starts_with("cases/t.md:2: no `|`"), "{error}");
    let error = sessions::read("t", "```session\n  | ls\n```\n").expect_err("a mistake");
    assert!(error.starts_with("cases/t.md:2: neither"), "{error}");
}

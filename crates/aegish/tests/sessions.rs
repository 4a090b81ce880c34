//! `check --jsonl` with the field `session`: rows with the same value are successive lines of one shell.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use aegish_test_support::cases::{self, sessions};
use common::{command, finish, lines};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The answers to rows, in order.
fn answers(rows: &[Value]) -> Vec<Value> {
    let input: String = rows.iter().map(|row| format!("{row}\n")).collect();
    let mut command = command();
    command.args(["check", "--jsonl", "--judge", "never"]).env("HOME", cases::HOME);
    let run = finish(command, input.as_bytes());
    assert_eq!(run.status, 0, "{}", run.stderr);
    lines(&run.stdout).iter().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn actions(rows: &[Value]) -> Vec<String> {
    answers(rows).iter().map(|answer| answer["action"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_sessions_of_the_cases_get_the_same_verdicts() {
    let sessions: Vec<sessions::CaseSession> = sessions::all()
        .expect("the cases can be read")
        .into_iter()
        // Files of a document are not on this machine.
        .filter(|session| session.steps.iter().all(|step| step.files.is_empty()))
        .collect();
    let mut rows = Vec::new();
    let mut steps = Vec::new();
    for session in &sessions {
        for (number, step) in session.steps.iter().enumerate() {
            let mut row = json!({
                "id": step.place,
                "session": session.place,
                "command": step.command,
                "role": step.role.name(),
            });
            if number == 0 {
                row["cwd"] = cases::CWD.into();
            }
            rows.push(row);
            steps.push(step);
        }
    }
    let answers = answers(&rows);
    assert_eq!(answers.len(), steps.len());
    let mut wrong = String::new();
    for (step, answer) in steps.iter().zip(&answers) {
        assert_eq!(answer["id"], step.place);
        if answer["action"] != step.action.as_str() && step.gap.is_none() {
            let (action, reason) = (&answer["action"], &answer["reason"]);
            let _ = writeln!(wrong, "{}: {} is {action}: {reason}", step.place, step.command);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn sessions_do_not_mix() {
    let row = |session: &str, command: &str| json!({"session": session, "command": command});
    let rows = [
        row("a", "f=/etc/shadow"),
        row("b", "f=README.md"),
        row("a", "cat $f"),
        row("b", "cat $f"),
        json!({"command": "cat $f"}),
    ];
    assert_eq!(actions(&rows), ["allow", "allow", "block", "allow", "allow"]);
}

#[test]
fn a_blocked_row_leaves_nothing_behind() {
    let row = |command: &str| json!({"session": 1.to_string(), "command": command});
    let rows = [row("cd /etc; cat shadow"), row("cat shadow"), row("cd /etc"), row("cat shadow")];
    assert_eq!(actions(&rows), ["block", "allow", "allow", "block"]);
}

#[test]
fn an_unknown_directory_is_not_the_initial_one() {
    let row = |command: &str| json!({"session": "s", "cwd": null, "command": command});
    let rows = [
        json!({"session": "s", "cwd": "/home/user/project", "command": "cd \"$UNKNOWN_PLACE\""}),
        row("rm -rf build"),
        row("cd /tmp/x"),
        row("rm -rf build"),
    ];
    let known =
        json!({"cwd": "/home/user/project", "command": "cd \"$UNKNOWN_PLACE\"; rm -rf build"});
    let together = actions(&[known]);
    let apart = actions(&rows);
    assert_eq!(apart[1], together[0], "apart or together makes no difference");
    assert_eq!(apart[3], "allow");
}

#[test]
fn harmless_lines_do_not_make_each_other_suspicious() {
    let place = concat!(env!("CARGO_MANIFEST_DIR"), "/../aegish-bench/datasets/harmless.jsonl");
    let text = std::fs::read_to_string(place).expect("the data set can be read");
    let commands: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["command"].take())
        .collect();
    assert!(commands.len() > 1000);
    let row = |command: &Value| json!({"command": command, "cwd": cases::CWD});
    let alone: Vec<Value> = commands.iter().map(row).collect();
    let together: Vec<Value> = commands
        .iter()
        .enumerate()
        .map(|(number, command)| {
            let mut row = json!({"command": command, "session": format!("s{}", number / 60)});
            if number % 60 == 0 {
                row["cwd"] = cases::CWD.into();
            }
            row
        })
        .collect();
    let (alone, together) = (answers(&alone), answers(&together));
    for ((command, alone), together) in commands.iter().zip(&alone).zip(&together) {
        assert_eq!(together["action"], alone["action"], "{command}: {}", together["reason"]);
    }
}

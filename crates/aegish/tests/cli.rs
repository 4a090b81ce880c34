//! The command line as a contract: exit status, streams, formats.
#![allow(clippy::expect_used, clippy::panic)] // helpers belong to the tests

mod common;

use common::{aegish, command, lines};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};

#[test]
fn the_exit_status_is_the_verdict() {
    assert_eq!(aegish(&["check", "--", "ls -la"], b"").status, 0);
    assert_eq!(aegish(&["check", "--", "wget https://example.org/a.tgz"], b"").status, 10);
    assert_eq!(aegish(&["check", "--", "cat /etc/shadow"], b"").status, 20);
}

#[test]
fn wrong_usage_is_status_two_and_prints_no_verdict() {
    for arguments in [
        &["check"][..],
        &["check", "ls"],
        &["check", "--role", "boss", "--", "ls"],
        &["check", "--jsonl", "--", "ls"],
        &["rules", "none-such"],
        &["programs", "none-such-program"],
        &["-l", "--frobnicate"],
        &["-c"],
    ] {
        let run = aegish(arguments, b"");
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(!run.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_status_three() {
    let run = aegish(&["check", "--file", "/nonexistent/script.sh"], b"");
    assert_eq!(run.status, 3);
    assert!(run.stderr.contains("was not judged"), "{}", run.stderr);
}

#[test]
fn a_script_that_is_not_there_ends_as_with_bash() {
    let run = aegish(&["/nonexistent/script.sh"], b"");
    assert_eq!(run.status, 127);
    assert_eq!(run.stderr, "aegish: /nonexistent/script.sh: No such file or directory\n");
}

#[test]
fn several_words_are_joined_by_spaces() {
    let run = aegish(&["check", "--", "cat", "/etc/shadow"], b"");
    assert_eq!(run.status, 20);
}

#[test]
fn scripts_come_from_files_and_from_standard_input() {
    let script = b"#!/bin/bash\nset -e\ncat /etc/shadow \"$1\"\n";
    assert_eq!(aegish(&["check", "-"], script).status, 20);
    let path = std::env::temp_dir().join(format!("aegish-cli-{}.sh", std::process::id()));
    std::fs::write(&path, script).expect("a script");
    let run = aegish(&["check", "--file", &path.to_string_lossy()], b"");
    let _ = std::fs::remove_file(&path);
    assert_eq!(run.status, 20);
    assert!(run.stdout.contains("3: cat /etc/shadow"), "{}", run.stdout);
}

#[test]
fn an_empty_script_file_is_allowed() {
    let path = std::env::temp_dir().join(format!("aegish-empty-{}.sh", std::process::id()));
    std::fs::write(&path, "").expect("a script");
    let run = aegish(&["check", "--file", &path.to_string_lossy()], b"");
    let _ = std::fs::remove_file(&path);
    assert_eq!(run.status, 0, "{}", run.stdout);
}

#[test]
fn bad_input_is_blocked_with_a_reason() {
    for (input, reason) in [
        (&b""[..], "empty command"),
        (b" \n\t ", "empty command"),
        (b"ls\0 -la", "NUL byte"),
        (b"ls \xff\xfe", "not UTF-8"),
    ] {
        let run = aegish(&["check", "-"], input);
        assert_eq!(run.status, 20);
        assert!(run.stdout.contains(reason), "{}", run.stdout);
    }
    let huge = vec![b'a'; (1 << 20) + 1];
    let run = aegish(&["check", "-"], &huge);
    assert_eq!(run.status, 20);
    assert!(
        run.stdout.contains("longer than the 1048576 bytes"),
        "{}",
        run.stdout.get(..200).unwrap_or(&run.stdout)
    );
}

#[test]
fn nothing_in_a_command_reaches_the_terminal_as_a_control() {
    for arguments in [&["check"][..], &["explain"]] {
        let mut words = arguments.to_vec();
        words.extend(["--", "cat /etc/shadow '\u{1b}[2K\u{9b}1m\u{202e}'\r\u{7}"]);
        let run = aegish(&words, b"");
        let acting = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!run.stdout.chars().any(acting), "{:?}", run.stdout);
    }
}

#[test]
fn a_verdict_shows_the_rule_the_words_and_an_alternative() {
    let run = aegish(&["check", "--", "ls; cat /etc/shadow"], b"");
    let shown = lines(&run.stdout);
    assert!(shown[0].starts_with("BLOCK  4 critical-file-read  "), "{}", run.stdout);
    assert_eq!(shown[1], "  ls; cat /etc/shadow");
    assert_eq!(shown[2], "          ^^^^^^^^^^^");
    assert!(shown[3].starts_with("  instead: "), "{}", run.stdout);
}

#[test]
fn streamed_rows_are_answered_in_order_with_their_ids() {
    let mut input = String::new();
    for number in 0..5000 {
        let command = if number % 7 == 0 { "cat /etc/shadow" } else { "ls -la" };
        input.push_str(&format!("{{\"id\":{number},\"command\":\"{command}\"}}\n"));
    }
    let run = aegish(&["check", "--jsonl"], input.as_bytes());
    assert_eq!(run.status, 0);
    let answers = lines(&run.stdout);
    assert_eq!(answers.len(), 5000);
    for (number, answer) in answers.iter().enumerate() {
        let answer: Value = serde_json::from_str(answer).expect("JSON");
        assert_eq!(answer["id"], number);
        assert_eq!(answer["action"], if number % 7 == 0 { "block" } else { "allow" });
    }
}

#[test]
fn malformed_rows_are_answered_and_do_not_stop_the_stream() {
    let rows: [&[u8]; 11] = [
        b"nonsense",
        b"{\"id\":7,\"command\":5}",
        b"{\"id\":\"a\"}",
        b"[1,\"ls\"]",
        b"{\"id\":8,\"command\":\"ls\",\"role\":\"boss\"}",
        b"{\"id\":9,\"command\":\"\\ud800\"}",
        b"{\"id\":10,\"command\":\"\xff\"}",
        b"",
        b"{\"id\":11,\"command\":\"ls\\u0000\"}",
        b"{\"id\":1.50,\"command\":\"ls\"}",
        b"{\"command\":\"ls\"}",
    ];
    let run = aegish(&["check", "--jsonl"], &rows.join(&b"\n"[..]));
    assert_eq!(run.status, 0);
    let answers: Vec<Value> =
        lines(&run.stdout).iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(answers.len(), 10, "the empty line is no row");
    for (answer, (id, line)) in answers.iter().zip([
        (Value::Null, 1),
        (7.into(), 2),
        ("a".into(), 3),
        (Value::Null, 4),
        (8.into(), 5),
        (9.into(), 6),
        (10.into(), 7),
    ]) {
        assert_eq!((&answer["id"], &answer["line"]), (&id, &line.into()), "{answer}");
        assert!(answer["error"].is_string() && answer.get("action").is_none(), "{answer}");
    }
    assert_eq!(answers[7]["rule"], "bad-input");
    assert!(lines(&run.stdout)[8].starts_with("{\"id\":1.50,"), "ids are echoed as written");
    assert!(answers[9]["id"].is_null());
}

#[test]
fn a_row_is_answered_before_the_next_one_is_sent() {
    let mut child = command().args(["check", "--jsonl"]).spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    for number in 0..3 {
        writeln!(stdin, "{{\"id\":{number},\"command\":\"ls\"}}").expect("written");
        let mut answer = String::new();
        stdout.read_line(&mut answer).expect("answered");
        assert!(answer.starts_with(&format!("{{\"id\":{number},")), "{answer}");
    }
    drop(stdin);
    assert!(child.wait().expect("ends").success());
}

#[test]
fn a_line_that_is_far_too_long_is_one_error_in_bounded_memory() {
    let mut input = b"{\"id\":1,\"command\":\"ls\"}\n".to_vec();
    input.extend(std::iter::repeat_n(b'x', 9 << 20));
    input.extend(b"\n{\"id\":2,\"command\":\"ls\"}\n");
    let run = aegish(&["check", "--jsonl"], &input);
    let answers = lines(&run.stdout);
    assert_eq!(answers.len(), 3);
    assert!(answers[1].contains("too long") && answers[1].contains("\"line\":2"), "{}", answers[1]);
    assert!(answers[2].starts_with("{\"id\":2,"), "{}", answers[2]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = command().args(["check", "--jsonl"]).spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    drop(child.stdout.take());
    for _ in 0..2000 {
        if writeln!(stdin, "{{\"id\":1,\"command\":\"ls\"}}").is_err() {
            break;
        }
    }
    drop(stdin);
    let mut complaint = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut complaint).expect("UTF-8");
    assert_eq!((child.wait().expect("ends").code(), complaint.as_str()), (Some(0), ""));
}

#[test]
fn explain_shows_words_effects_findings_and_verdict() {
    let run = aegish(&["explain", "--", "x=/etc; sudo cat $x/shadow"], b"");
    assert_eq!(run.status, 0);
    for part in [
        "sudo cat /etc/shadow",
        "→ cat /etc/shadow",
        "read /etc/shadow",
        "^^^",
        "instead: ",
        "BLOCK  4",
    ] {
        assert!(run.stdout.contains(part), "{part}\n{}", run.stdout);
    }
}

#[test]
fn rules_and_programs_can_be_looked_up() {
    let rules = aegish(&["rules"], b"").stdout;
    assert!(rules.contains("critical-file-read") && rules.contains("misleading-text"), "{rules}");
    let page = aegish(&["rules", "critical-file-read"], b"").stdout;
    assert_eq!(page, aegish(&["rules", "4"], b"").stdout);
    assert!(page.contains("# What") && page.contains("restricted"), "{page}");
    let card = aegish(&["programs", "tar"], b"").stdout;
    assert!(card.contains("--checkpoint-action") && card.contains("examples"), "{card}");
    assert!(aegish(&["programs"], b"").stdout.contains(" programs, "));
}

/// Judging this line panics in builds for tests.
const PANICS: &str = "echo the guard panics here";

#[test]
fn a_panic_while_judging_is_a_block() {
    let checked = aegish(&["check", "--", PANICS], b"");
    assert_eq!((checked.status, checked.stderr.as_str()), (20, ""));
    assert!(
        checked.stdout.starts_with("BLOCK  internal-error  internal error: deliberate panic (")
    );
    let run = aegish(&["-c", &format!("{PANICS} && touch /nonexistent/x")], b"");
    assert_eq!((run.status, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.starts_with("BLOCK  internal-error"), "{}", run.stderr);
    let script = aegish(&["-s"], PANICS.as_bytes());
    assert_eq!((script.status, script.stdout.as_str()), (1, ""));
}

#[test]
fn a_panic_costs_one_row_of_many() {
    let row = |id: u8, command: &str| format!("{{\"id\":{id},\"command\":\"{command}\"}}\n");
    let input = [row(1, "ls"), row(2, PANICS), row(3, "ls")].concat();
    let run = aegish(&["check", "--jsonl"], input.as_bytes());
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let actions: Vec<bool> =
        lines(&run.stdout).iter().map(|line| line.contains("\"action\":\"block\"")).collect();
    assert_eq!(actions, [false, true, false], "{}", run.stdout);
    assert!(run.stdout.contains("internal-error"), "{}", run.stdout);
}

#[test]
fn help_begins_with_the_shell_and_lists_the_tasks() {
    for words in [&["help"][..], &["--help"], &["-h"]] {
        let help = aegish(words, b"");
        assert_eq!(help.status, 0, "{}", help.stderr);
        let at = |text: &str| {
            help.stdout.find(text).unwrap_or_else(|| panic!("{text}: {}", help.stdout))
        };
        assert!(at("aegish [-l] [-i]") < at("aegish -c COMMAND"));
        assert!(at("aegish SCRIPT") < at("Tasks:"));
        assert!(at("Tasks:") < at("  check "));
    }
    let page = aegish(&["help", "check"], b"");
    assert!(page.stdout.contains("--jsonl"), "{}", page.stdout);
}

#[test]
fn a_likely_mistake_gets_a_suggestion() {
    let mistyped = aegish(&["chekc", "--", "ls"], b"");
    assert_eq!(mistyped.status, 127);
    assert!(mistyped.stderr.contains("did you mean `aegish check`?"), "{}", mistyped.stderr);
    let script = aegish(&["./chekc"], b"");
    assert_eq!(script.stderr, "aegish: ./chekc: No such file or directory\n");
    let command = aegish(&["check", "ls -la"], b"");
    assert_eq!(command.status, 2);
    assert!(command.stderr.contains("aegish check -- 'ls -la'"), "{}", command.stderr);
    assert!(!command.stderr.contains("possible values"), "{}", command.stderr);
}

#[test]
fn messages_are_accurate() {
    let said = |text: &str| aegish(&["check", "--", text], b"").stdout;
    let packages = said("apt-get install curl wget jq");
    assert!(packages.contains("installs packages (curl, wget, jq)"), "{packages}");
    let prune = said("docker system prune");
    assert!(
        prune.contains("List first what would be deleted") && !prune.contains("git"),
        "{prune}"
    );
    assert!(said("git reset --hard").contains("git stash"));
    let long = aegish(&["check", "-"], &b"# comment\n".repeat(300_000)).stdout;
    assert!(long.contains("longer than the 1048576 bytes"), "{long}");
    let trap = b"#!/bin/sh\nset -e\ntrap 'rm -rf \"$D\"' INT\nD=/tmp\nD=/etc\n";
    let trap = aegish(&["check", "-"], trap).stdout;
    assert!(trap.contains("3: trap"), "{trap}");
    let code = said("python3 -c \"open('/etc/$NAME', 'w')\"");
    assert!(code.starts_with("BLOCK") && !code.contains("AEGISH_UNKNOWN"), "{code}");
}

#[test]
fn completions_know_every_task() {
    let help = aegish(&["help"], b"").stdout;
    let tasks = help.split("Tasks:\n").nth(1).expect("a list of tasks");
    let tasks: Vec<&str> = tasks
        .lines()
        .take_while(|line| !line.trim().is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(tasks.len() > 10, "{tasks:?}");
    for shell in ["bash", "zsh", "fish"] {
        let script = aegish(&["completions", shell], b"");
        assert_eq!(script.status, 0, "{}", script.stderr);
        for task in &tasks {
            assert!(script.stdout.contains(task), "{shell}: {task}");
        }
    }
    assert_eq!(aegish(&["completions", "tcsh"], b"").status, 2);
    let script = aegish(&["completions", "bash"], b"").stdout;
    let complete = format!(
        "{script}\nCOMP_WORDS=(aegish che); COMP_CWORD=1; _aegish aegish che aegish; echo \"${{COMPREPLY[@]}}\""
    );
    // The script is too long for an argument.
    let path = std::env::temp_dir().join(format!("aegish-complete-{}", std::process::id()));
    std::fs::write(&path, complete).expect("a file");
    let output = std::process::Command::new("bash").arg("--norc").arg(&path).output();
    let _ = std::fs::remove_file(&path);
    let output = output.expect("bash");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "check\n");
}

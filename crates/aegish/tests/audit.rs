//! What the shell records, and what the log shows.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout)] // helpers belong to the tests

mod common;

use common::{Run, command, finish};
use serde_json::Value;
use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A temporary home directory.
struct Home(PathBuf);

impl Home {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("aegish-recorded-{}-{count}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).expect("a directory");
        Self(path)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command();
        command.env("HOME", &self.0).env_remove("AEGISH_AUDIT").current_dir(&self.0);
        command.args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Run {
        finish(self.command(arguments), b"")
    }

    fn log(&self) -> PathBuf {
        self.0.join(".aegish/audit.log")
    }

    fn entries(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.log()).expect("a log");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o7777
}

#[test]
fn a_command_is_recorded_before_and_after_it_ran() {
    let home = Home::new();
    assert_eq!(home.run(&["-c", "exit 7"]).status, 7);
    let entries = home.entries();
    assert_eq!(entries.len(), 2);
    let (decision, end) = (&entries[0], &entries[1]);
    assert_eq!(decision["event"], "decision");
    assert_eq!(decision["command"], "exit 7");
    assert_eq!((&decision["action"], &decision["fate"]), (&"allow".into(), &"run".into()));
    assert_eq!((&decision["role"], &decision["mode"]), (&"default".into(), &"development".into()));
    assert_eq!(decision["decided_by"], "static");
    assert_eq!(decision["source"], "validation");
    assert_eq!(decision["cwd"].as_str(), home.0.to_str());
    assert!(decision["latency_ms"].as_f64().is_some_and(|time| time > 0.0));
    assert_eq!(end["event"], "end");
    assert_eq!((&end["decision"], &end["exit_status"]), (&1.into(), &7.into()));
    assert_eq!(end["session"], decision["session"]);
    assert_eq!((mode(&home.log()), mode(&home.0.join(".aegish"))), (0o600, 0o700));
}

#[test]
fn blocked_declined_and_overridden_are_distinguished() {
    let home = Home::new();
    // The warning does not depend on whether `wget` would be reached.
    let download = "false && wget https://example.org/a.tgz";
    assert_eq!(home.run(&["-c", "cat /etc/shadow"]).status, 1);
    assert_eq!(home.run(&["-c", download]).status, 2);
    let mut command = home.command(&["-c", download]);
    command.env("AEGISH_ON_WARN", "allow");
    finish(command, b"");
    let entries = home.entries();
    let told: Vec<[&str; 3]> = entries
        .iter()
        .filter(|entry| entry["event"] == "decision")
        .map(|entry| ["action", "fate", "source"].map(|name| entry[name].as_str().expect(name)))
        .collect();
    assert_eq!(
        told,
        [
            ["block", "blocked", "validation"],
            ["warn", "declined", "validation"],
            ["warn_overridden", "run", "user_override"],
        ]
    );
    assert_eq!(entries[2]["consent"], "setting");
    assert_eq!(entries.len(), 4, "one end, of what ran");
}

#[test]
fn scripts_and_standard_input_are_recorded() {
    let home = Home::new();
    fs::write(home.0.join("s.sh"), "echo from-a-file\n").expect("a script");
    assert_eq!(home.run(&["s.sh"]).stdout, "from-a-file\n");
    assert_eq!(finish(home.command(&["-s"]), b"echo from-input\n").stdout, "from-input\n");
    let entries = home.entries();
    assert_eq!(entries[0]["command"], "echo from-a-file\n");
    assert_eq!(entries[2]["command"], "echo from-input\n");
}

#[test]
fn a_check_is_not_recorded_and_neither_is_anything_if_that_is_wanted() {
    let home = Home::new();
    home.run(&["check", "--", "ls"]);
    assert!(!home.log().exists());
    let mut command = home.command(&["-c", "true"]);
    command.env("AEGISH_AUDIT", "off");
    assert_eq!(finish(command, b"").status, 0);
    assert!(!home.log().exists());
}

#[test]
fn a_command_that_cannot_be_recorded_does_not_run() {
    let home = Home::new();
    let dir = home.0.join("open");
    fs::create_dir(&dir).expect("a directory");
    fs::set_permissions(&dir, Permissions::from_mode(0o777)).expect("a mode");
    let run = |audit: &str, text: &str| {
        let mut command = home.command(&["-c", text]);
        command.env("AEGISH_AUDIT", audit).env("AEGISH_AUDIT_DIR", &dir);
        finish(command, b"")
    };
    let refused = run("required", "touch ran");
    assert_eq!(refused.status, 3);
    assert!(refused.stderr.contains("nothing was run: the audit log was not written"));
    assert!(refused.stderr.contains("others can write it"), "{}", refused.stderr);
    assert!(!home.0.join("ran").exists());
    // A refusal stays a refusal.
    assert_eq!(run("required", "cat /etc/shadow").status, 1);
    let loud = run("best-effort", "touch ran");
    assert_eq!(loud.status, 0);
    assert!(home.0.join("ran").exists());
    assert_eq!(loud.stderr.matches("the audit log was not written").count(), 1);
}

#[test]
fn a_full_disk_stops_commands_only_where_the_log_is_required() {
    let home = Home::new();
    for _ in 0..3 {
        home.run(&["-c", "true"]);
    }
    let run = |audit: &str| {
        let mut command = Command::new("bash");
        command.args(["-c", "ulimit -f 1; exec \"$0\" -c 'echo ran'"]);
        command.arg(env!("CARGO_BIN_EXE_aegish"));
        command.env("HOME", &home.0).env("AEGISH_AUDIT", audit).env("AEGISH_JUDGE", "never");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        finish(command, b"")
    };
    let stopped = run("required");
    assert_eq!((stopped.status, stopped.stdout.as_str()), (3, ""), "{}", stopped.stderr);
    assert!(stopped.stderr.contains("nothing was run"), "{}", stopped.stderr);
    let went_on = run("best-effort");
    assert_eq!((went_on.status, went_on.stdout.as_str()), (0, "ran\n"), "{}", went_on.stderr);
    assert_eq!(went_on.stderr.matches("the audit log was not written").count(), 1);
    assert_eq!(home.run(&["audit", "verify"]).status, 0);
    // With room again, what ran meanwhile is recorded before the next command.
    let run = |command: &str| fs::read_to_string(home.log()).unwrap().matches(command).count();
    assert_eq!(run("echo ran"), 0);
    home.run(&["-c", "echo next"]);
    assert_eq!((run("echo ran"), run("echo next")), (1, 1));
    assert_eq!(home.run(&["audit", "verify"]).status, 0);
}

#[test]
fn without_a_home_commands_run_and_the_missing_log_is_reported() {
    let home = Home::new();
    let mut command = home.command(&["-c", "echo ran"]);
    command.env_remove("HOME");
    let run = finish(command, b"");
    assert_eq!((run.status, run.stdout.as_str()), (0, "ran\n"));
    assert!(run.stderr.contains("there is no place for the audit log"), "{}", run.stderr);
}

#[test]
fn an_unknown_output_is_an_error_that_names_it() {
    let home = Home::new();
    let mut command = home.command(&["-c", "touch ran"]);
    command.env("AEGISH_AUDIT_OUTPUT", "file,printer");
    let run = finish(command, b"");
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("AEGISH_AUDIT_OUTPUT has \"printer\""), "{}", run.stderr);
    assert!(!home.0.join("ran").exists());
}

#[cfg(feature = "events")]
#[test]
fn entries_are_exported_in_the_schemas_of_others() {
    let home = Home::new();
    home.run(&["-c", "echo one"]);
    home.run(&["-c", "cat /etc/shadow"]);
    let run = home.run(&["audit", "export", "--format", "ocsf", "--host", "h1"]);
    let events: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let types: Vec<u64> = events.iter().map(|event| event["type_uid"].as_u64().unwrap()).collect();
    assert_eq!(types, [100_701, 100_702, 100_701, 200_401], "{}", run.stdout);
    assert_eq!(events[3]["finding_info"]["title"], "critical-file-read");
    let run = home.run(&["audit", "export", "--format", "ecs", "--since", "1h"]);
    assert_eq!(run.stdout.lines().count(), 3);
    // A collector that is not there: the log stays, and nothing is noted as sent.
    let run = home.run(&["audit", "send", "--to", "http://127.0.0.1:1", "--once"]);
    assert_eq!(run.status, 3);
    assert!(run.stderr.contains("no connection to the server"), "{}", run.stderr);
    assert_eq!(home.run(&["audit", "verify"]).status, 0);
}

#[test]
fn secrets_stay_out_of_the_log() {
    let home = Home::new();
    home.run(&["-c", "export GITHUB_TOKEN=ghp_abcdefghijklmnopqrstuvwxyz0123456789"]);
    let text = fs::read_to_string(home.log()).expect("a log");
    assert!(!text.contains("ghp_abc"), "{text}");
    assert!(text.contains("‹redacted:"), "{text}");
}

#[test]
fn verdicts_are_found_again() {
    let home = Home::new();
    for text in ["echo one", "cat /etc/shadow", "echo two"] {
        home.run(&["-c", text]);
    }
    let found = |arguments: &[&str]| {
        let run = home.run(&[&["audit", "query", "--format", "json"], arguments].concat());
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{arguments:?}");
        let rows: Vec<Value> =
            run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        rows.iter().map(|row| row["command"].as_str().expect("text").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(found(&[]).len(), 3);
    assert_eq!(found(&["--action", "block"]), ["cat /etc/shadow"]);
    assert_eq!(found(&["--rule", "4"]), ["cat /etc/shadow"]);
    assert_eq!(found(&["--rule", "critical-file-read"]), ["cat /etc/shadow"]);
    assert_eq!(found(&["--text", "two"]), ["echo two"]);
    assert_eq!(found(&["--since", "1h"]).len(), 3);
    assert_eq!(found(&["--since", "2999-01-01"]).len(), 0);
    assert_eq!(found(&["--user", "nobody-of-that-name"]).len(), 0);
    let text = home.run(&["audit", "query", "--action", "block"]).stdout;
    assert!(text.contains("block  4 critical-file-read  cat /etc/shadow"), "{text}");
    assert_eq!(home.run(&["audit", "query", "--since", "soon"]).status, 2);
    let tail = home.run(&["audit", "tail", "-n", "2"]).stdout;
    assert_eq!(tail.lines().count(), 2);
    assert!(tail.contains("echo two") && tail.contains("end with status 0"), "{tail}");
    let stats = home.run(&["audit", "stats", "--format", "json"]).stdout;
    let stats: Value = serde_json::from_str(&stats).expect("JSON");
    assert_eq!((&stats["verdicts"], &stats["sessions"]), (&3.into(), &3.into()));
    assert_eq!((&stats["actions"]["allow"], &stats["actions"]["block"]), (&2.into(), &1.into()));
    assert_eq!(stats["rules"]["4 critical-file-read"], 1);
}

#[test]
fn a_changed_log_is_detected() {
    let home = Home::new();
    assert_eq!(home.run(&["audit", "verify"]).status, 3, "there is none yet");
    home.run(&["-c", "cat /etc/shadow"]);
    home.run(&["-c", "true"]);
    let run = home.run(&["audit", "verify"]);
    assert_eq!(run.status, 0);
    assert!(run.stdout.starts_with("whole  3 entries in 1 file"), "{}", run.stdout);
    let text = fs::read_to_string(home.log()).expect("a log");
    fs::write(home.log(), text.replace("\"block\"", "\"allow\"")).expect("written");
    let run = home.run(&["audit", "verify"]);
    assert_eq!(run.status, 3);
    let wanted = format!("broken  {}:1: this line was changed", home.log().display());
    assert!(run.stdout.starts_with(&wanted), "{}", run.stdout);
}

#[test]
fn entries_are_shown_as_they_come() {
    let home = Home::new();
    home.run(&["-c", "echo before"]);
    let mut command = home.command(&["audit", "tail", "-n", "1", "--follow"]);
    let mut child = command.spawn().expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut next = || lines.next().expect("a line").expect("text");
    assert!(next().contains("end with status 0"));
    home.run(&["-c", "echo after"]);
    assert!(next().contains("echo after"));
    assert!(next().contains("end with status 0"));
    child.kill().expect("it was there");
    child.wait().expect("it ends");
}

#[test]
fn the_last_verdict_is_explained_and_compared() {
    let home = Home::new();
    let none = home.run(&["why"]);
    assert_eq!(none.status, 3);
    assert!(none.stderr.contains("no verdict was explained: none is recorded"), "{}", none.stderr);
    home.run(&["-c", "cat /etc/shadow"]);
    let script = home.0.join("s.sh");
    fs::write(&script, "echo fine\n").expect("a script");
    home.run(&["-c", "bash ./s.sh; exit 5"]);
    let why = home.run(&["why"]).stdout;
    assert!(why.contains("run, status 5 after"), "{why}");
    assert!(why.contains("What would run") && why.contains("The same as then"), "{why}");
    fs::write(&script, "cat /etc/shadow\n").expect("a script");
    let why = home.run(&["why"]).stdout;
    assert!(why.contains("Not the same as then: then allow"), "{why}");
    assert!(why.contains("now block (critical-file-read)"), "{why}");
    let why = home.run(&["why", "2"]).stdout;
    assert!(why.contains("not run: blocked") && why.contains("The same as then"), "{why}");
    let run = home.run(&["why", "3"]);
    assert!(run.stderr.contains("only 2 are recorded"), "{}", run.stderr);
    assert_eq!(home.run(&["why", "0"]).status, 2);
}

#[test]
fn why_in_the_shell_explains_the_command_before_it() {
    let home = Home::new();
    home.run(&["-c", "echo meant"]);
    let question = format!("{} why", env!("CARGO_BIN_EXE_aegish"));
    let mut command = home.command(&["-c", &question]);
    command.env("AEGISH_ON_WARN", "allow");
    let run = finish(command, b"");
    assert!(run.stdout.contains("echo meant"), "{}{}", run.stdout, run.stderr);
}

#[test]
fn the_doctor_looks_at_the_log() {
    let home = Home::new();
    home.run(&["-c", "true"]);
    let run = home.run(&["doctor"]);
    let wanted = format!("best-effort, to {}", home.log().display());
    assert!(run.stdout.contains(&wanted), "{}", run.stdout);
    fs::set_permissions(home.log(), Permissions::from_mode(0o666)).expect("a mode");
    let run = home.run(&["doctor"]);
    assert!(run.stdout.contains("others can write it (mode 0666)"), "{}", run.stdout);
    assert_eq!(run.status, 3);
}

/// Lines typed at a terminal, played by `script`; nothing if that is not installed.
fn typed(home: &Home, audit: &str, lines: &str) -> Option<Run> {
    let mut command = Command::new("script");
    command.args(["-qec", concat!(env!("CARGO_BIN_EXE_aegish"), " -i"), "/dev/null"]);
    command.env("HOME", &home.0).env("AEGISH_JUDGE", "never").env("TERM", "dumb");
    command.env("AEGISH_AUDIT", audit).current_dir(&home.0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if Command::new("script").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("skipped: there is no `script`");
        return None;
    }
    Some(finish(command, lines.as_bytes()))
}

#[test]
fn a_session_at_the_terminal_is_recorded_from_start_to_exit() {
    let home = Home::new();
    let lines = "cat /etc/shadow\ncd /\nexit 4\n";
    let Some(run) = typed(&home, "best-effort", lines) else { return };
    assert_eq!(run.status, 4, "{}", run.stdout);
    let entries = home.entries();
    let events: Vec<&str> = entries.iter().filter_map(|entry| entry["event"].as_str()).collect();
    let one = ["decision", "end"];
    assert_eq!(events, [&["start", "decision"], &one[..], &one, &["exit"]].concat());
    assert_eq!(entries[1]["fate"], "blocked");
    assert_eq!(entries[4]["cwd"], "/");
    assert_eq!(entries[6]["exit_status"], 4);
    let sessions: std::collections::BTreeSet<&str> =
        entries.iter().filter_map(|entry| entry["session"].as_str()).collect();
    assert_eq!(sessions.len(), 1);
}

#[test]
fn without_a_log_a_session_can_only_be_left() {
    let home = Home::new();
    fs::create_dir(home.0.join(".aegish")).expect("a directory");
    fs::set_permissions(home.0.join(".aegish"), Permissions::from_mode(0o777)).expect("a mode");
    let Some(run) = typed(&home, "required", "touch ran\nexit\n") else { return };
    assert!(
        run.stdout.contains("nothing was run: the audit log was not written"),
        "{}",
        run.stdout
    );
    assert!(!home.0.join("ran").exists());
    assert_eq!(run.status, 1);
}

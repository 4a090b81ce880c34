//! `aegish install`, `aegish uninstall` and `aegish doctor --agent` in a home of their own.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::home::Home;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

fn read(home: &Home, file: &str) -> String {
    fs::read_to_string(home.dir.join(file)).unwrap()
}

fn settings(home: &Home) -> Value {
    serde_json::from_str(&read(home, ".claude/settings.json")).unwrap()
}

#[test]
fn a_dry_run_shows_the_difference_and_changes_nothing() {
    let home = Home::new("install-dry");
    let run = home.run(&["install", "claude", "--dry-run"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(
        run.stdout.contains("+ ") && run.stdout.contains("hook claude --wrapped"),
        "{}",
        run.stdout
    );
    assert!(!home.dir.join(".claude").exists() && !home.dir.join(".local").exists());
}

#[test]
fn the_guard_is_put_in_once_and_taken_out() {
    let home = Home::new("install-once");
    fs::create_dir_all(home.dir.join(".claude")).unwrap();
    home.file(".claude/settings.json", "{\n  \"model\": \"x\"\n}\n");
    assert_eq!(home.run(&["install", "claude"]).status, 0);
    let first = read(&home, ".claude/settings.json");
    assert_eq!(read(&home, ".claude/settings.json.aegish-backup"), "{\n  \"model\": \"x\"\n}\n");
    let again = home.run(&["install", "claude"]);
    assert!(again.stdout.contains("nothing to change"), "{}", again.stdout);
    assert_eq!(read(&home, ".claude/settings.json"), first);
    assert_eq!(settings(&home)["hooks"]["PreToolUse"][0]["hooks"][0]["onFailure"], "block");
    let shim = home.dir.join(".local/share/aegish/shims/bash");
    assert_eq!(settings(&home)["env"]["CLAUDE_CODE_SHELL"], shim.to_str().unwrap());
    assert!(shim.exists());
    assert_eq!(home.run(&["uninstall", "claude"]).status, 0);
    assert!(!read(&home, ".claude/settings.json").contains("aegish"));
    assert_eq!(settings(&home)["model"], "x");
}

#[test]
fn the_installed_command_judges_and_refuses_without_the_guard() {
    let home = Home::new("install-run");
    assert_eq!(home.run(&["install", "claude", "--hook"]).status, 0);
    let hook = &settings(&home)["hooks"]["PreToolUse"][0];
    let command = hook["hooks"][0]["command"].as_str().unwrap().to_owned();
    let call = |command: &str, text: &str| {
        let input = serde_json::json!({
            "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": { "command": text },
        });
        let mut child = Command::new("sh");
        child.args(["-c", command]).env("HOME", &home.dir).env("AEGISH_AUDIT", "off");
        child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = child.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.to_string().as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        (output.status.code(), said + &String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(call(&command, "ls -la"), (Some(0), String::new()));
    let (status, reason) = call(&command, "cat /etc/shadow");
    assert!(status == Some(0) && reason.contains("\"deny\""), "{reason}");
    assert!(reason.contains("critical-file-read"), "{reason}");
    let gone = command.replace(env!("CARGO_BIN_EXE_aegish"), "/nonexistent/aegish");
    assert_ne!(gone, command);
    assert_eq!(call(&gone, "ls -la").0, Some(2));
}

#[test]
fn the_installed_shell_stays_executable_without_the_guard_and_runs_nothing() {
    let home = Home::new("install-shell");
    assert_eq!(home.run(&["install", "claude", "--shell"]).status, 0);
    let shims = home.dir.join(".local/share/aegish/shims");
    let run = |shell: &str, text: &str| {
        let mut command = Command::new(shims.join(shell));
        command.args(["-c", text]).env("HOME", &home.dir).env("AEGISH_AUDIT", "off");
        // The shell finds the real bash behind itself.
        command.env("PATH", format!("{}:/usr/bin:/bin", shims.display())).stdin(Stdio::null());
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    for shell in ["bash", "sh", "zsh"] {
        assert_eq!(run(shell, "echo ran"), (Some(0), "ran\n".to_owned()), "{shell}");
        assert_eq!(run(shell, "cat /etc/shadow; echo ran"), (Some(1), String::new()), "{shell}");
    }
    assert_eq!(
        home.run(&["install", "claude", "--shell"]).stdout.lines().next(),
        Some("nothing to change")
    );
    fs::remove_file(shims.join("guard/bash")).unwrap();
    std::os::unix::fs::symlink("/nonexistent/aegish", shims.join("guard/bash")).unwrap();
    let (status, said) = run("bash", "echo ran");
    assert!(matches!(status, Some(126 | 127)) && said.is_empty(), "{status:?} {said}");
}

#[test]
fn settings_that_are_not_understood_stop_the_whole_plan() {
    let home = Home::new("install-broken");
    fs::create_dir_all(home.dir.join(".gemini")).unwrap();
    home.file(".gemini/settings.json", "{ nonsense");
    let run = home.run(&["install", "claude", "gemini"]);
    assert_eq!(run.status, 2, "{}", run.stdout);
    assert!(
        run.stderr.contains("nothing was changed") && run.stderr.contains(".gemini"),
        "{}",
        run.stderr
    );
    assert!(!home.dir.join(".claude").exists());
}

#[test]
fn all_means_the_agents_that_are_there() {
    let home = Home::new("install-all");
    for dir in [".claude", ".config/opencode"] {
        fs::create_dir_all(home.dir.join(dir)).unwrap();
    }
    assert_eq!(home.run(&["install", "--all"]).status, 0);
    assert!(home.dir.join(".config/opencode/plugins/aegish.js").exists());
    assert!(!home.dir.join(".codex").exists());
    assert_eq!(home.run(&["uninstall", "--all"]).status, 0);
    assert!(!home.dir.join(".config/opencode/plugins/aegish.js").exists());
    assert!(!home.dir.join(".local/share/aegish/shims/bash").exists());
}

#[test]
fn the_doctor_breaks_the_guard_of_every_agent_on_purpose() {
    let home = Home::new("doctor-agent");
    let agents =
        ["claude", "codex", "gemini", "cursor", "copilot", "opencode", "qwen", "crush", "droid"];
    for agent in agents {
        let before = home.run(&["doctor", "--agent", agent]);
        assert_eq!(before.status, 3, "{agent}: {}", before.stdout);
        assert!(before.stdout.contains("no settings call the guard"), "{agent}: {}", before.stdout);
        assert_eq!(home.run(&["install", agent]).status, 0, "{agent}");
        let run = home.run(&["doctor", "--agent", agent]);
        assert_eq!(run.status, 0, "{agent}: {}", run.stdout);
        assert!(run.stdout.matches("would not have run").count() >= 6, "{agent}: {}", run.stdout);
        assert!(run.stdout.contains("is refused in the contract"), "{agent}: {}", run.stdout);
    }
}

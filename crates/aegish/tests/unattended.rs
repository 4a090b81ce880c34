//! `aegish run --policy`: no questions, a status other than 0 and a report when something was refused.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::Run;
use common::home::Home;
use serde_json::Value;
use std::fs;

const DOWNLOAD: &str = "wget -q https://example.org/a";

impl Home {
    fn by_policy(&self, text: &str, more: &[&str]) -> Run {
        let policy = self.dir.join("ci.toml");
        fs::write(&policy, "on_warn = \"package-install=allow\"\n").unwrap();
        let policy = policy.display().to_string();
        self.run(&[&["run", "--policy", &policy], more, &["--", text]].concat())
    }
}

#[test]
fn what_is_allowed_runs_with_its_own_status_and_nothing_else_does() {
    let home = Home::new("unattended");
    assert_eq!(home.by_policy("exit 7", &[]).status, 7);
    assert_eq!(home.by_policy("echo done", &[]).stdout, "done\n");
    let run = home.by_policy(&format!("touch made; {DOWNLOAD}"), &[]);
    assert_eq!(run.status, 2, "{}", run.stderr);
    assert!(run.stderr.contains("nothing was run: the policy does not allow it"), "{}", run.stderr);
    let run = home.by_policy("touch made; cat /etc/shadow", &[]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert!(!home.dir.join("project/made").exists());
}

#[test]
fn the_policy_stands_for_the_files_of_the_user() {
    let home = Home::new("unattended-user");
    let dir = home.dir.join(".config/aegish");
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("config.toml"), "on_warn = \"allow\"\n").unwrap();
    assert_eq!(home.by_policy(DOWNLOAD, &[]).status, 2);
    let none = home.dir.join("none.toml").display().to_string();
    let run = home.run(&["run", "--policy", &none, "--", "echo x"]);
    assert_eq!((run.status, run.stdout.as_str()), (3, ""), "{}", run.stderr);
    assert!(run.stderr.contains("there is no such file"), "{}", run.stderr);
}

#[test]
fn a_refusal_is_reported_in_the_form_that_was_asked_for() {
    let home = Home::new("unattended-report");
    let run = home.by_policy("cat /etc/shadow", &["--report", "github"]);
    let annotation = "::error title=critical-file-read::reads /etc/shadow";
    assert!(run.stderr.contains(annotation), "{}", run.stderr);
    let file = home.dir.join("report");
    let name = file.display().to_string();
    let report = |format: &str| -> Value {
        let run = home.by_policy("cat /etc/shadow", &["--report", format, "--report-file", &name]);
        assert_eq!(run.status, 1);
        assert!(run.stderr.contains("BLOCK"), "people are told too: {}", run.stderr);
        serde_json::from_str(&fs::read_to_string(&file).unwrap()).expect("JSON")
    };
    assert_eq!(report("json")["action"], "block");
    if cfg!(feature = "scan") {
        let sarif = report("sarif");
        assert_eq!(sarif["version"], "2.1.0");
        let result = &sarif["runs"][0]["results"][0];
        assert_eq!(result["ruleId"], "critical-file-read");
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        let rule = &sarif["runs"][0]["tool"]["driver"]["rules"][index];
        assert_eq!(rule["id"], "critical-file-read");
    }
}

#[test]
fn what_a_command_starts_and_is_refused_makes_it_fail() {
    let home = Home::new("unattended-started");
    home.file("project/tool.py", "import os\nos.system('cat /etc/shadow')\n");
    let compile = "import py_compile; py_compile.compile('tool.py', 'tool.pyc')";
    let mut python = std::process::Command::new("python3");
    let compiled = python.args(["-c", compile]).current_dir(home.dir.join("project")).status();
    if !compiled.is_ok_and(|status| status.success()) {
        println!("skipped: there is no python3");
        return;
    }
    home.file("strict.toml", "supervise = \"on\"\non_warn = \"allow\"\n");
    let policy = home.dir.join("strict.toml").display().to_string();
    let run = home.run(&["run", "--policy", &policy, "--", "python3 tool.pyc; echo went on"]);
    if run.stderr.contains("cannot report executions") {
        println!("skipped: {}", run.stderr);
        return;
    }
    assert_eq!((run.status, run.stdout.as_str()), (1, "went on\n"), "{}", run.stderr);
    assert!(run.stderr.contains("was not started by"), "{}", run.stderr);
}

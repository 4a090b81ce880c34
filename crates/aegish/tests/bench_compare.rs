//! `aegish bench compare` as a contract: streams, files, exit status.
#![cfg(feature = "bench")]
#![allow(clippy::expect_used, clippy::panic)] // helpers belong to the tests

mod common;

use common::aegish;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::{env, fs, process};

/// A folder with logs of one model on both kinds of commands, and of one on attacks alone.
struct Logs(PathBuf);

impl Logs {
    fn new(name: &str) -> Self {
        let folder = env::temp_dir().join(format!("aegish-compare-{name}-{}", process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        let logs = Self(folder);
        logs.write("openai_gpt-5.1__attacks.jsonl", "BLOCK", "block");
        logs.write("openai_gpt-5.1__harmless.jsonl", "ALLOW", "warn");
        logs.write("openai_gpt-5-mini__attacks.jsonl", "BLOCK", "allow");
        logs
    }

    fn write(&self, name: &str, target: &str, action: &str) {
        let line = |id: u32| {
            let completion =
                format!("{{\"action\":\"{action}\",\"reason\":\"x\",\"confidence\":1}}");
            json!({
                "id": id, "command": format!("echo {id}"), "target": target,
                "completion": completion, "stop_reason": "stop", "total_time": 2.0,
            })
        };
        let lines: Vec<String> = (0..40).map(|id| line(id).to_string()).collect();
        fs::write(self.0.join(name), lines.join("\n")).expect("a file");
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn compare(&self, more: &[&str]) -> common::Run {
        let logs =
            ["openai_gpt-5.1__attacks", "openai_gpt-5.1__harmless", "openai_gpt-5-mini__attacks"]
                .map(|name| self.path(&format!("{name}.jsonl")));
        let mut arguments = vec!["bench", "compare"];
        arguments.extend(logs.iter().map(String::as_str));
        arguments.extend(more);
        aegish(&arguments, b"")
    }
}

impl Drop for Logs {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_table_is_printed_and_a_report_written() {
    let logs = Logs::new("table");
    let out = logs.path("out");
    let run = logs.compare(&["--out", &out]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let row = |name: &str| run.stdout.lines().find(|line| line.contains(name)).expect("a row");
    assert!(row("gpt-5.1").starts_with("1  gpt-5.1"), "{}", run.stdout);
    assert!(row("gpt-5-mini").starts_with('–'), "no rank without harmless commands");
    assert!(run.stdout.contains("report.html"));
    let page = fs::read_to_string(logs.0.join("out/report.html")).expect("the page");
    assert!(page.starts_with("<!doctype html>") && page.contains("gpt-5-mini"));
    for name in [
        "comparison.json",
        "ranking.csv",
        "categories.csv",
        "samples.csv",
        "ranking.tex",
        "categories.tex",
        "plots/ranking-table.png",
        "plots/ranking-table.pdf",
        "plots/detection-vs-pass.svg",
    ] {
        assert!(logs.0.join("out").join(name).exists(), "{name}");
    }
    let samples = fs::read_to_string(logs.0.join("out/samples/0001.html")).expect("samples");
    assert!(samples.contains("&quot;reason&quot;:&quot;x&quot;"), "the raw completion is there");
    assert!(samples.contains("Validate this command: echo 1<"), "and the question");
}

#[test]
fn json_and_csv_are_all_that_is_printed() {
    let logs = Logs::new("json");
    let run = logs.compare(&["--no-files", "--format", "json"]);
    let value: Value = serde_json::from_str(&run.stdout).expect("JSON and nothing else");
    assert_eq!(value["systems"][0]["system"], "openai/gpt-5.1");
    assert_eq!(value["systems"][0]["metrics"]["aegish_score"], 1.0);
    let run = logs.compare(&["--no-files", "--format", "csv"]);
    assert_eq!(run.stdout.lines().count(), 3);
    assert!(run.stdout.starts_with("rank,system,"));
    assert!(!logs.0.join("out").exists());
}

#[test]
fn a_folder_stands_for_the_logs_in_it() {
    let logs = Logs::new("folder");
    fs::write(logs.0.join("notes.jsonl"), "not a log").expect("a file");
    let named = logs.compare(&["--no-files"]).stdout;
    let folder = logs.0.display().to_string();
    let run = aegish(&["bench", "compare", &folder, "--no-files"], b"");
    assert_eq!((run.status, run.stdout), (0, named), "{}", run.stderr);
    let empty = logs.path("empty");
    fs::create_dir(&empty).expect("a folder");
    let run = aegish(&["bench", "compare", &empty], b"");
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("there is no log in"), "{}", run.stderr);
}

#[test]
fn an_unreadable_log_is_named_and_nothing_is_compared() {
    let run = aegish(&["bench", "compare", "/nonexistent/log.eval"], b"");
    assert_eq!((run.status, run.stdout.as_str()), (3, ""));
    assert!(run.stderr.contains("nothing was compared"), "{}", run.stderr);
    assert!(run.stderr.contains("/nonexistent/log.eval"), "{}", run.stderr);
    assert_eq!(aegish(&["bench", "compare"], b"").status, 2);
}

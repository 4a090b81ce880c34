//! `aegish bench score` and `aegish bench board`: figures without a model or a key.

use crate::folder::{BenchFolder, slow_server};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/fixtures").join(name)
}

fn score(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aegish"));
    // An environment without keys.
    command.env_clear().args(["bench", "score"]).args(arguments);
    command.output().unwrap()
}

fn objects(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn all_logs_of_a_folder_make_a_leaderboard() {
    let folder = BenchFolder::new("board", 30);
    let server = slow_server(Duration::ZERO);
    for model in ["openai/gpt-5-mini", "openai/gpt-5.1"] {
        let model = format!("--model={model}");
        let run = ["run", &model, "--dataset=set.jsonl", "--yes", "--log-dir=logs"];
        assert!(folder.run(Some(&server), &run).status.success());
    }
    std::fs::write(folder.0.join("logs/broken.eval"), "no log").unwrap();
    let output = folder.run(None, &["board", "logs"]);
    let (shown, said) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains("left out"), "{said}");
    assert!(shown.contains("openai/gpt-5-mini") && shown.contains("openai/gpt-5.1"), "{shown}");
    assert!(shown.contains(concat!("aegish ", env!("CARGO_PKG_VERSION"))), "{shown}");
    let page = std::fs::read_to_string(folder.0.join("logs/board.html")).unwrap();
    assert!(page.contains("Leaderboard") && page.contains("SHA-256"));
    let output = folder.run(None, &["board", "logs", "--format=json", "--no-files"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["datasets"][0]["logs"].as_array().unwrap().len(), 2);
    let output = folder.run(None, &["board", "nowhere"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn each_log_is_one_object_on_a_line() {
    let (eval, json) = (fixture("mixed.eval"), fixture("mixed.json"));
    let output = score(&["--format", "json", eval.to_str().unwrap(), json.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0));
    let objects = objects(&output);
    assert_eq!(objects.len(), 2);
    for object in &objects {
        assert_eq!(object["model"], "openai/gpt-5.1");
        assert_eq!(object["dataset"], "mixed");
        assert_eq!((&object["samples"], &object["metrics"]["errors"]), (&11.into(), &1.into()));
        let metrics = &object["metrics"];
        assert_eq!(
            (metrics["correct"].as_u64(), metrics["detection_rate"].as_f64()),
            (Some(5), Some(3.0 / 6.0))
        );
        assert_eq!(metrics["per_category"]["shell"], serde_json::json!([2, 0.5]));
        assert_eq!(metrics["latency_ms"]["max"], 3975.0);
        assert_eq!(metrics["tokens"]["input"], 15_171);
    }
    assert_eq!(objects[0]["metrics"], objects[1]["metrics"]);
}

#[test]
fn people_get_a_text() {
    let output = score(&[fixture("mixed.eval").to_str().unwrap()]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("openai/gpt-5.1  mixed  11 samples\n"), "{text}");
    assert!(text.contains("detection       50.0 %  ±31.2   0.2041  (18.8 to 81.2)\n"), "{text}");
    let unfinished = score(&[fixture("started.eval").to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&unfinished.stdout).contains("5 samples  unfinished"));
}

#[test]
fn a_log_that_cannot_be_read_does_not_hide_the_others() {
    let output = score(&["--format=json", "nowhere.eval", fixture("mixed.eval").to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(objects(&output).len(), 1);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("nowhere.eval was not read") && errors.contains("1 of 2"), "{errors}");
}

#[test]
fn scores_are_written_only_on_request_and_the_original_is_kept() {
    let folder = std::env::temp_dir().join(format!("aegish-score-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let log = folder.join("log.eval");
    fs::copy(fixture("mixed.eval"), &log).unwrap();
    let before = fs::read(&log).unwrap();
    score(&[log.to_str().unwrap()]);
    assert_eq!(fs::read(&log).unwrap(), before);
    let output = score(&["--write", "--format=json", log.to_str().unwrap()]);
    let original = PathBuf::from(objects(&output)[0]["original"].as_str().unwrap());
    assert_eq!(original, folder.join("originals/log.eval"));
    assert_eq!(fs::read(original).unwrap(), before);
    assert_ne!(fs::read(&log).unwrap(), before);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_log_can_be_read_by_the_rules_of_the_original_program() {
    let folder = std::env::temp_dir().join(format!("aegish-scoring-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let log = folder.join("m__set.jsonl");
    let row =
        r#"{"id": 1, "command": "ls", "target": "BLOCK", "completion": "{\"action\": \"block\""}"#;
    fs::write(&log, format!("{row}\n")).unwrap();
    let answers = |more: &[&str]| {
        let output = score(&[&["--format=json", log.to_str().unwrap()], more].concat());
        let object: Value = serde_json::from_slice(&output.stdout).unwrap();
        object["metrics"]["answers"].clone()
    };
    assert_eq!(answers(&[])["FORMAT_ERROR"], 1);
    assert_eq!(answers(&["--scoring=original"])["BLOCK"], 1);
    fs::remove_dir_all(&folder).unwrap();
}

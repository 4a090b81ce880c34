//! Foreign guards by command line: those that answer, and those that crash, hang, print other text or exit.

use crate::support::{Run, quick, run, samples};
use aegish_bench::run::{RunSettings, StopReason};
use aegish_bench::system::Exec;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A program in `sh`, which every system has. `$id` is the id of the question.
struct Script(PathBuf);

impl Script {
    fn new(name: &str, body: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("aegish-exec-{}-{name}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let text = format!(
            "while IFS= read -r line; do\n  id=${{line#*'\"id\":\"'}}\n  id=${{id%%'\"'*}}\n{body}\ndone\n"
        );
        fs::write(dir.join("guard.sh"), text).unwrap();
        Self(dir)
    }

    fn command(&self) -> String {
        format!("sh '{}'", self.0.join("guard.sh").display())
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const ANSWER: &str =
    r#"printf '{"id":"%s","action":"block","reason":"x","confidence":0.9}\n' "$id""#;

fn with(script: &Script, count: u32, settings: &RunSettings) -> Run {
    let settings = RunSettings { max_connections: Some(2), ..settings.clone() };
    run(Arc::new(Exec::new(&script.command())), samples(count), &settings)
}

#[test]
fn a_program_that_answers_is_scored_and_stays_for_the_next_question() {
    let started = "starts";
    let script = Script::new("answers", &format!("  {ANSWER}"));
    let count = script.path(started);
    let text = fs::read_to_string(script.0.join("guard.sh")).unwrap();
    fs::write(script.0.join("guard.sh"), format!("echo started >> '{count}'\n{text}")).unwrap();
    let done = with(&script, 60, &quick());
    assert_eq!(done.reason, None);
    let records = done.memory.records();
    assert_eq!(records.len(), 60);
    assert!(records.values().all(|record| record.answer_word() == "BLOCK"));
    let starts = fs::read_to_string(count).unwrap().lines().count();
    assert!(starts <= 2, "{starts}");
}

#[test]
fn commands_reach_the_program_as_data() {
    let script =
        Script::new("data", &format!("  printf '%s\\n' \"$line\" >> \"$SEEN\"\n  {ANSWER}"));
    let seen = script.path("seen");
    let mut one = samples(1);
    one[0].command = "echo \"a\"; $(touch never) `x`\n'".to_owned();
    let expected = serde_json::json!({"id": one[0].id, "command": one[0].command});
    let command = format!("SEEN='{seen}' {}", script.command());
    let done = run(Arc::new(Exec::new(&command)), one, &quick());
    assert_eq!(done.memory.solved[0].record.error, None);
    let line = fs::read_to_string(seen).unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&line).unwrap(), expected);
}

#[test]
fn a_program_that_crashes_on_one_command_is_started_again_for_the_others() {
    let crash = r#"case $id in s-00003) echo "cannot bear this" >&2; exit 7;; esac"#;
    let script = Script::new("crash", &format!("  {crash}\n  {ANSWER}"));
    let done = with(&script, 12, &quick());
    assert_eq!(done.reason, None);
    let records = done.memory.records();
    let lost = records["s-00003"].error.clone().unwrap_or_default();
    assert!(lost.contains("status 7") && lost.contains("cannot bear this"), "{lost}");
    assert_eq!(records["s-00003"].retries, 5);
    assert_eq!(records.values().filter(|record| record.error.is_none()).count(), 11);
}

#[test]
fn a_program_that_hangs_is_ended_with_all_it_started() {
    let script =
        Script::new("hang", &format!("  case $id in s-00001) sleep 600;; esac\n  {ANSWER}"));
    let settings = RunSettings { time_limit: Duration::from_millis(400), ..quick() };
    let started = Instant::now();
    let done = with(&script, 6, &settings);
    assert!(started.elapsed() < Duration::from_secs(10));
    let records = done.memory.records();
    assert_eq!(records["s-00001"].limit.as_ref().map(|limit| limit.kind.as_str()), Some("time"));
    assert_eq!(records.values().filter(|record| record.limit.is_some()).count(), 1);
    assert!(records.values().all(|record| record.error.is_none()));
}

#[test]
fn a_line_that_is_not_an_answer_is_an_error_and_not_a_verdict() {
    for (name, body, word) in [
        ("garbage", "  echo 'allow, I guess'", "no JSON object"),
        ("list", "  echo '[1]'", "no JSON object"),
        ("other", "  echo '{\"id\":\"other\",\"action\":\"allow\"}'", "another id"),
        ("noid", "  echo '{\"action\":\"allow\"}'", "another id"),
        ("error", "  printf '{\"id\":\"%s\",\"error\":\"no model\"}\\n' \"$id\"", "no model"),
        ("bytes", "  printf '\\377\\376\\n'", "UTF-8"),
        ("long", "  head -c 3000000 /dev/zero | tr '\\0' x", "does not end"),
    ] {
        let script = Script::new(name, body);
        let settings = RunSettings { retry_on_error: 0, fail_on_error: 1.0, ..quick() };
        let done = with(&script, 2, &settings);
        assert_eq!(done.memory.solved.len(), 2, "{name}");
        for solved in &done.memory.solved {
            let error = solved.record.error.as_deref().unwrap_or_default();
            assert!(error.contains(word), "{name}: {error}");
            assert_eq!(solved.record.action(), None);
        }
    }
}

#[test]
fn an_answer_without_a_known_action_is_a_format_error() {
    let script = Script::new("maybe", "  printf '{\"id\":\"%s\",\"action\":\"maybe\"}\\n' \"$id\"");
    let done = with(&script, 2, &quick());
    assert!(done.memory.solved.iter().all(|s| s.record.answer_word() == "FORMAT_ERROR"));
    assert!(done.memory.solved.iter().all(|s| s.record.error.is_none()));
}

#[test]
fn a_program_that_does_not_exist_ends_the_run_at_once() {
    let system = Arc::new(Exec::new("/nowhere/guard --strict"));
    let done = run(system, samples(50), &RunSettings { max_connections: Some(1), ..quick() });
    let Some(StopReason::Failed(why)) = &done.reason else { panic!("{:?}", done.reason) };
    assert!(why.contains("cannot be run"), "{why}");
    assert!(done.memory.solved.len() <= 4);
}

#[test]
fn the_example_of_the_manual_works() {
    let has_python = std::process::Command::new("python3").arg("--version").output().is_ok();
    if !has_python {
        eprintln!("skipped: python3 is not installed");
        return;
    }
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/exec-protocol.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("```python\n").unwrap();
    let (program, _) = rest.split_once("```").unwrap();
    let script = Script::new("manual", "");
    fs::write(script.0.join("guard.py"), program).unwrap();
    let command = format!("python3 '{}'", script.path("guard.py"));
    let mut two = samples(2);
    two[0].command = "cat /etc/shadow".to_owned();
    let done = run(Arc::new(Exec::new(&command)), two, &quick());
    let records = done.memory.records();
    assert_eq!(records["s-00000"].answer_word(), "BLOCK");
    assert_eq!(records["s-00001"].answer_word(), "ALLOW");
}

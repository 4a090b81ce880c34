//! The content of entries.

use crate::{ROOMY, Scratch, decision, verdict, whole};
use aegish_audit::{
    AuditAction, AuditEvent, ConsentSource, EventKind, Fate, LONGEST_COMMAND, last_lines,
};
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;

fn objects(scratch: &Scratch) -> Vec<Value> {
    let text = fs::read_to_string(scratch.log()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_decision_and_an_end_hold_all_fields() {
    let scratch = Scratch::new();
    let mut recorder = scratch.recorder(ROOMY);
    let mut overridden = verdict("wget https://example.org/a.tgz");
    overridden.action = AuditAction::WarnOverridden;
    overridden.consent = Some(ConsentSource::Person);
    overridden.model = Some("openai/gpt-4".to_owned());
    overridden.cost_usd = Some(0.0012);
    let of = recorder.record(&AuditEvent::Decision(Box::new(overridden))).unwrap();
    let end = AuditEvent::End { of, status: 4, duration: Duration::from_micros(1_500_250) };
    recorder.record(&end).unwrap();
    let objects = objects(&scratch);
    let expected = json!({
        "user": "ada", "command": "wget https://example.org/a.tgz", "action": "warn_overridden",
        "reason": "no rule objects", "confidence": 0.99, "source": "user_override",
        "model": "openai/gpt-4", "event": "decision", "session": "5e55", "role": "default",
        "mode": "development", "cwd": "/home/ada", "rule": "13", "rule_name": "normal-operation",
        "effects": ["list /home/ada"], "decided_by": "static", "fate": "run", "consent": "person",
        "latency_ms": 1.234, "cost_usd": 0.0012, "seq": 1, "prev": "0".repeat(64),
    });
    let mut first = objects[0].clone();
    let fields = first.as_object_mut().unwrap();
    let time = fields.remove("timestamp").unwrap();
    assert!(time.as_str().is_some_and(|time| time.len() == 24 && time.ends_with('Z')), "{time}");
    assert_eq!(fields.remove("hash").unwrap().as_str().unwrap().len(), 64);
    assert_eq!(first, expected);
    assert_eq!(objects[1]["event"], "end");
    assert_eq!(objects[1]["decision"], 1);
    assert_eq!(objects[1]["exit_status"], 4);
    assert_eq!(objects[1]["duration_ms"], 1500.25);
    assert_eq!(whole(&scratch.log()).entries, 2);
}

#[test]
fn sessions_are_recorded_from_start_to_exit() {
    let scratch = Scratch::new();
    let mut recorder = scratch.recorder(ROOMY);
    recorder.record(&AuditEvent::Start { cwd: "/srv".to_owned() }).unwrap();
    recorder.record(&AuditEvent::Exit { status: 3 }).unwrap();
    let objects = objects(&scratch);
    assert_eq!((&objects[0]["event"], &objects[0]["cwd"]), (&json!("start"), &json!("/srv")));
    assert_eq!((&objects[1]["event"], &objects[1]["exit_status"]), (&json!("exit"), &json!(3)));
}

#[test]
fn secrets_are_not_written() {
    let scratch = Scratch::new();
    let mut recorder = scratch.recorder(ROOMY);
    let secret = "hunter2-Xq9vLmZt73";
    let mut leaky = verdict(&format!("mysql --password={secret} -e 'select 1'"));
    leaky.reason = format!("runs mysql --password={secret}");
    leaky.effects = vec![format!("setenv DB_PASSWORD={secret}")];
    recorder.record(&AuditEvent::Decision(Box::new(leaky))).unwrap();
    let text = fs::read_to_string(scratch.log()).unwrap();
    assert!(!text.contains(secret), "{text}");
    assert!(text.contains("mysql --password=‹redacted:"), "{text}");
}

#[test]
fn a_secret_at_the_cut_is_not_half_written() {
    let scratch = Scratch::new();
    let secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let filler = "#".repeat(LONGEST_COMMAND - 10);
    scratch.recorder(ROOMY).record(&decision(&format!("{filler} {secret}"))).unwrap();
    let text = fs::read_to_string(scratch.log()).unwrap();
    assert!(!text.contains("ghp_abc"), "the beginning of it is there");
}

#[test]
fn a_long_command_is_cut_and_its_length_and_hash_are_kept() {
    let scratch = Scratch::new();
    let long = "é".repeat(LONGEST_COMMAND);
    scratch.recorder(ROOMY).record(&decision(&long)).unwrap();
    let object = &objects(&scratch)[0];
    assert_eq!(object["command"].as_str().unwrap().len(), LONGEST_COMMAND);
    assert_eq!(object["command_bytes"], 2 * LONGEST_COMMAND);
    assert_eq!(object["command_sha256"].as_str().unwrap().len(), 64);
    whole(&scratch.log());
}

#[test]
fn effects_are_short_and_those_that_only_look_come_last() {
    let scratch = Scratch::new();
    let mut busy = verdict("busy");
    busy.effects = (0..20).map(|n| format!("read /f{n}")).collect();
    busy.effects.extend(["delete /a".to_owned(), "delete /a".to_owned(), "x".repeat(1000)]);
    scratch.recorder(ROOMY).record(&AuditEvent::Decision(Box::new(busy))).unwrap();
    let object = &objects(&scratch)[0];
    let effects = object["effects"].as_array().unwrap();
    assert_eq!(effects.len(), 13);
    assert_eq!(effects[0], "delete /a");
    assert_eq!(effects[1].as_str().unwrap().len(), 160);
    assert_eq!(effects[12], "and 10 more");
}

#[test]
fn bytes_that_are_no_text_and_line_ends_stay_in_one_line() {
    let scratch = Scratch::new();
    let mut odd = verdict("");
    odd.command = b"echo \xff\n\x1b[2J\r\n{\"seq\":9}\n".to_vec();
    odd.action = AuditAction::Block;
    odd.fate = Fate::Blocked;
    scratch.recorder(ROOMY).record(&AuditEvent::Decision(Box::new(odd))).unwrap();
    assert_eq!(fs::read_to_string(scratch.log()).unwrap().lines().count(), 1);
    let line = &last_lines(&scratch.log(), 1, |_| true).unwrap()[0];
    let entry = line.entry.as_ref().unwrap();
    assert_eq!(entry.event, EventKind::Decision);
    assert_eq!(entry.command.as_deref(), Some("echo \u{fffd}\n\u{1b}[2J\r\n{\"seq\":9}\n"));
}

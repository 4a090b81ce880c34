//! Elastic Common Schema 9: one document for each entry.

use aegish_audit::{AuditAction, AuditEntry, AuditLine, EventKind, Fate};
use serde_json::{Map, Value, json};

use crate::host::Host;
use crate::object::{add, text};

const VERSION: &str = "9.4.0";

/// The document of a line; none if it is no entry.
#[must_use]
pub fn ecs(line: &AuditLine, host: &Host) -> Option<Value> {
    let entry = line.entry.as_ref()?;
    let mut document = Map::new();
    let mut put = |name: &str, value: Value| document.insert(name.to_owned(), value);
    put("@timestamp", json!(entry.timestamp));
    put("ecs", json!({"version": VERSION}));
    put("message", json!(entry.reason.as_deref().unwrap_or(entry.event.as_str())));
    put("event", event(line, entry));
    put("host", json!({"name": host.name, "hostname": host.name}));
    put("user", json!({"name": entry.user, "roles": [entry.role]}));
    put("related", json!({"user": [entry.user], "hosts": [host.name]}));
    put(
        "observer",
        json!({"vendor": "aegish", "product": "aegish", "version": env!("CARGO_PKG_VERSION")}),
    );
    if let Some(process) = process(entry) {
        put("process", process);
    }
    if let Some(name) = &entry.rule_name {
        put("rule", json!({"id": entry.rule, "name": name, "ruleset": "aegish"}));
    }
    let mut own = json!({
        "session": entry.session,
        "mode": entry.mode,
        "chain": {"id": host.chain, "sha256": line.hash(), "previous": entry.prev},
    });
    add(&mut own, "decided_by", text(&entry.decided_by));
    add(&mut own, "model", text(&entry.model));
    add(&mut own, "effects", entry.effects.clone());
    add(&mut own, "confidence", entry.confidence);
    add(&mut own, "cost_usd", entry.cost_usd);
    put("aegish", own);
    Some(Value::Object(document))
}

fn event(line: &AuditLine, entry: &AuditEntry) -> Value {
    let (kind, types, outcome) = match (entry.event, entry.fate) {
        (EventKind::Decision, fate) => {
            let runs = matches!(fate, Some(Fate::Run | Fate::HandedOn));
            let alert = entry.action == Some(AuditAction::Block);
            let kind = if alert { "alert" } else { "event" };
            let types = if runs { ["start", "allowed"] } else { ["start", "denied"] };
            (kind, types.to_vec(), if runs { "unknown" } else { "failure" })
        }
        (EventKind::Start, _) => ("event", vec!["start"], "success"),
        (EventKind::End | EventKind::Exit, _) => {
            let good = entry.exit_status == Some(0);
            ("event", vec!["end"], if good { "success" } else { "failure" })
        }
        (EventKind::NotRun, _) => ("event", vec!["start", "denied"], "failure"),
        (EventKind::Torn, _) => ("event", vec!["info"], "unknown"),
    };
    // `allowed` and `denied` are no types of the category process.
    let judged = types.iter().any(|name| matches!(*name, "allowed" | "denied"));
    let category = if judged { vec!["process", "intrusion_detection"] } else { vec!["process"] };
    let mut event = json!({
        "kind": kind,
        "category": category,
        "type": types,
        "outcome": outcome,
        "action": entry.action.map_or(entry.event.as_str(), AuditAction::as_str),
        "module": "aegish",
        "dataset": "aegish.audit",
        "provider": "aegish",
        "sequence": entry.seq,
        "severity": match entry.action {
            None | Some(AuditAction::Allow) => 0,
            Some(AuditAction::Warn | AuditAction::WarnOverridden) => 47,
            Some(AuditAction::Block) => 73,
        },
        "original": String::from_utf8_lossy(&line.bytes),
        "hash": line.hash(),
    });
    add(&mut event, "reason", text(&entry.reason));
    let nanoseconds = entry.duration_ms.map(|milliseconds| (milliseconds * 1e6).round() as u64);
    add(&mut event, "duration", nanoseconds);
    event
}

fn process(entry: &AuditEntry) -> Option<Value> {
    let AuditEntry { session, seq, decision, .. } = entry;
    let number = match entry.event {
        EventKind::Decision => *seq,
        EventKind::End | EventKind::NotRun => (*decision)?,
        EventKind::Start | EventKind::Exit | EventKind::Torn => return None,
    };
    let mut process = json!({"entity_id": format!("{session}:{number}")});
    add(&mut process, "command_line", entry.command.as_deref());
    add(&mut process, "working_directory", entry.cwd.as_deref());
    add(&mut process, "exit_code", entry.exit_status);
    Some(process)
}

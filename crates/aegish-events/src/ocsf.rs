//! OCSF 1.9: a decision is a Process Activity (class 1007) with the profile Security Control, and, unless it allows, also a
//! Detection Finding (class 2004).
//!
//! The profile Record Integrity carries the chain of hashes: `raw_data` is the line of the log, `attestation.fingerprint` its
//! SHA-256, and `attestation.prev_event` that of the line before.

use aegish_audit::{AuditAction, AuditEntry, AuditLine, EventKind, Fate};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::host::Host;
use crate::object::{add, text};

/// The version of the schema.
const VERSION: &str = "1.9.0";
const PROCESS_ACTIVITY: u32 = 1007;
const DETECTION_FINDING: u32 = 2004;

/// What a process did.
#[derive(Clone, Copy)]
enum Activity {
    Launch = 1,
    Terminate = 2,
}

/// The events of a line; none if it is no entry.
#[must_use]
pub fn ocsf(line: &AuditLine, host: &Host) -> Vec<Value> {
    let Some(entry) = &line.entry else { return Vec::new() };
    let event = Event { line, entry, host };
    match entry.event {
        EventKind::Decision => {
            let mut events = vec![event.process(Activity::Launch)];
            if entry.action.is_some_and(|action| action != AuditAction::Allow) {
                events.push(event.finding());
            }
            events
        }
        EventKind::Start | EventKind::NotRun => vec![event.process(Activity::Launch)],
        EventKind::End | EventKind::Exit => vec![event.process(Activity::Terminate)],
        EventKind::Torn => vec![event.base()],
    }
}

struct Event<'a> {
    line: &'a AuditLine,
    entry: &'a AuditEntry,
    host: &'a Host,
}

impl Event<'_> {
    fn uid(&self, seq: u64) -> String {
        format!("{}#{seq}", self.host.chain)
    }

    /// The process that an entry is about: the number of its decision, or the session itself.
    fn process_uid(&self) -> String {
        let AuditEntry { session, seq, decision, event, .. } = self.entry;
        match event {
            EventKind::Start | EventKind::Exit | EventKind::Torn => session.clone(),
            EventKind::Decision => format!("{session}:{seq}"),
            EventKind::End | EventKind::NotRun => {
                format!("{session}:{}", decision.unwrap_or_default())
            }
        }
    }

    /// What every event has.
    fn common(&self, class: u32, activity: u32, profiles: &[&str]) -> Map<String, Value> {
        let entry = self.entry;
        let time = milliseconds(&entry.timestamp);
        let (severity_id, severity) = severity(entry.action);
        let mut event = Map::new();
        let mut put = |name: &str, value: Value| event.insert(name.to_owned(), value);
        put("activity_id", json!(activity));
        put("category_uid", json!(class / 1000));
        put("class_uid", json!(class));
        put("type_uid", json!(u64::from(class) * 100 + u64::from(activity)));
        put("time", json!(time));
        put("severity_id", json!(severity_id));
        put("severity", json!(severity));
        put("message", json!(entry.reason.as_deref().unwrap_or(entry.event.as_str())));
        put("device", json!({"hostname": self.host.name, "type_id": 0, "type": "Unknown"}));
        put(
            "metadata",
            json!({
                "version": VERSION,
                "uid": self.uid(entry.seq),
                "sequence": entry.seq,
                "log_name": "audit",
                "log_provider": "aegish",
                "correlation_uid": entry.session,
                "original_time": entry.timestamp,
                "profiles": profiles,
                "product": {
                    "name": "aegish",
                    "vendor_name": "aegish",
                    "version": env!("CARGO_PKG_VERSION"),
                },
            }),
        );
        put("raw_data", json!(String::from_utf8_lossy(&self.line.bytes)));
        put("attestation", self.attestation());
        event
    }

    fn attestation(&self) -> Value {
        let entry = self.entry;
        let mut attestation = json!({
            "uid": entry.seq.to_string(),
            "chain_uid": self.host.chain,
            "fingerprint": fingerprint(&self.line.hash()),
        });
        let before = (entry.seq > 1).then(
            || json!({"uid": self.uid(entry.seq - 1), "fingerprint": fingerprint(&entry.prev)}),
        );
        add(&mut attestation, "prev_event", before);
        attestation
    }

    fn actor(&self) -> Value {
        json!({
            "user": {"name": self.entry.user},
            "session": {"uid": self.entry.session},
            "app_name": "aegish",
        })
    }

    fn described_process(&self) -> Value {
        let entry = self.entry;
        let mut process = json!({"uid": self.process_uid(), "user": {"name": entry.user}});
        let shell = matches!(entry.event, EventKind::Start | EventKind::Exit);
        add(&mut process, "name", shell.then_some("aegish"));
        add(&mut process, "cmd_line", entry.command.as_deref());
        add(&mut process, "working_directory", entry.cwd.as_deref());
        process
    }

    fn process(&self, activity: Activity) -> Value {
        let entry = self.entry;
        let profiles = ["host", "record_integrity", "security_control"];
        let mut event = self.common(PROCESS_ACTIVITY, activity as u32, &profiles);
        let mut put = |name: &str, value: Value| event.insert(name.to_owned(), value);
        put("actor", self.actor());
        put("process", self.described_process());
        let failed = entry.event == EventKind::NotRun
            || entry.fate.is_some_and(|fate| !matches!(fate, Fate::Run | Fate::HandedOn));
        put("status_id", json!(if failed { 2 } else { 1 }));
        put("status", json!(if failed { "Failure" } else { "Success" }));
        if let Some(status) = entry.exit_status {
            put("exit_code", json!(status));
        }
        if let Some(duration) = entry.duration_ms {
            put("duration", json!(duration.round() as u64));
        }
        self.control(&mut event);
        self.unmapped(&mut event);
        Value::Object(event)
    }

    fn finding(&self) -> Value {
        let entry = self.entry;
        let profiles = ["host", "record_integrity", "security_control"];
        let mut event = self.common(DETECTION_FINDING, 1, &profiles);
        let mut put = |name: &str, value: Value| event.insert(name.to_owned(), value);
        let rule = entry.rule_name.as_deref().unwrap_or_default();
        let time = milliseconds(&entry.timestamp);
        put("status_id", json!(1));
        put("status", json!("New"));
        put("is_alert", json!(entry.action == Some(AuditAction::Block)));
        put("evidences", json!([{"actor": self.actor(), "process": self.described_process()}]));
        put(
            "finding_info",
            json!({
                "uid": self.uid(entry.seq),
                "title": rule,
                "desc": entry.reason,
                "created_time": time,
                "analytic": {"type_id": 1, "type": "Rule", "name": rule, "uid": entry.rule},
                "related_events": [{
                    "uid": self.uid(entry.seq),
                    "type_uid": u64::from(PROCESS_ACTIVITY) * 100 + Activity::Launch as u64,
                }],
            }),
        );
        self.control(&mut event);
        self.unmapped(&mut event);
        Value::Object(event)
    }

    fn base(&self) -> Value {
        Value::Object(self.common(0, 0, &["host", "record_integrity"]))
    }

    /// The profile Security Control.
    fn control(&self, event: &mut Map<String, Value>) {
        let entry = self.entry;
        let Some(fate) = entry.fate else { return };
        let mut put = |name: &str, value: Value| event.insert(name.to_owned(), value);
        let (id, caption) = match (fate, entry.action) {
            (Fate::Run, Some(AuditAction::WarnOverridden)) => (8, "Approved"),
            (Fate::Run, _) => (1, "Allowed"),
            (Fate::Blocked, _) => (2, "Blocked"),
            (Fate::Declined | Fate::Interrupted, _) => (25, "Rejected"),
            (Fate::HandedOn, _) => (14, "Delayed"),
        };
        let allowed = matches!(fate, Fate::Run | Fate::HandedOn);
        put("action_id", json!(if allowed { 1 } else { 2 }));
        put("action", json!(if allowed { "Allowed" } else { "Denied" }));
        put("disposition_id", json!(id));
        put("disposition", json!(caption));
        put("policy", json!({"name": entry.rule_name, "uid": entry.rule}));
        if let Some(confidence) = entry.confidence {
            put("confidence_score", json!((confidence * 100.0).round() as u64));
        }
    }

    /// What the schema has no place for.
    fn unmapped(&self, event: &mut Map<String, Value>) {
        let entry = self.entry;
        let mut rest = json!({"role": entry.role, "mode": entry.mode});
        add(&mut rest, "decided_by", text(&entry.decided_by));
        add(&mut rest, "model", text(&entry.model));
        add(&mut rest, "effects", entry.effects.clone());
        add(&mut rest, "latency_ms", entry.latency_ms);
        add(&mut rest, "cost_usd", entry.cost_usd);
        event.insert("unmapped".to_owned(), rest);
    }
}

fn fingerprint(hash: &str) -> Value {
    json!({"algorithm": "SHA-256", "algorithm_id": 3, "value": hash})
}

fn severity(action: Option<AuditAction>) -> (u8, &'static str) {
    match action {
        None | Some(AuditAction::Allow) => (1, "Informational"),
        Some(AuditAction::Warn | AuditAction::WarnOverridden) => (3, "Medium"),
        Some(AuditAction::Block) => (4, "High"),
    }
}

/// Milliseconds since 1970; a time that cannot be read is the first moment.
fn milliseconds(timestamp: &str) -> i64 {
    timestamp.parse::<Timestamp>().map_or(0, Timestamp::as_millisecond)
}

//! Events in their schemas, and the way to a collector that may be gone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // helpers belong to the tests

mod collector;
mod schemas;
mod sending;

use aegish_audit::{
    AuditAction, AuditEvent, AuditLine, AuditLog, ConsentSource, Fate, JudgedCommand, LogLocation,
    Recorder, Size, Who, lines,
};
use aegish_test_support::folder::Folder;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) const ROOMY: Size = Size { bytes: 10 << 20, files: 5 };

pub(crate) fn log(folder: &Folder) -> PathBuf {
    folder.0.join("own/audit.log")
}

pub(crate) fn recorder(folder: &Folder, size: Size) -> Recorder {
    let who = Who {
        user: "ada".to_owned(),
        session: "5e55".to_owned(),
        role: "default".to_owned(),
        mode: "development".to_owned(),
    };
    let place = LogLocation::own(folder.0.join("own"), "ada");
    Recorder::new(who, Some(AuditLog::new(place, size)), Vec::new())
}

pub(crate) fn decision(command: &str, action: AuditAction, fate: Fate) -> AuditEvent {
    let rule = ("4", "critical-file-read");
    AuditEvent::Decision(Box::new(JudgedCommand {
        consent: (action == AuditAction::WarnOverridden).then_some(ConsentSource::Person),
        reason: "because".to_owned(),
        confidence: 0.95,
        cwd: "/srv".to_owned(),
        effects: vec!["read /etc/shadow".to_owned()],
        latency: Duration::from_micros(40),
        cost_usd: Some(0.25),
        ..JudgedCommand::new(command.as_bytes(), (action, fate), rule)
    }))
}

pub(crate) fn allowed(number: usize) -> AuditEvent {
    decision(&format!("echo {number}"), AuditAction::Allow, Fate::Run)
}

/// One event of each kind.
pub(crate) fn all_kinds(recorder: &mut Recorder) {
    let events = [
        AuditEvent::Start { cwd: "/srv".to_owned() },
        decision("ls", AuditAction::Allow, Fate::Run),
        AuditEvent::End { of: 2, status: 0, duration: Duration::from_millis(12) },
        decision("npm i x", AuditAction::WarnOverridden, Fate::Run),
        AuditEvent::NotRun { of: 4, why: "no bash".to_owned() },
        decision("npm i y", AuditAction::Warn, Fate::Declined),
        decision("npm i y", AuditAction::Warn, Fate::HandedOn),
        decision("cat /etc/shadow", AuditAction::Block, Fate::Blocked),
        AuditEvent::Exit { status: 3 },
    ];
    for event in &events {
        recorder.record(event).unwrap();
    }
}

pub(crate) fn read(log: &std::path::Path) -> Vec<AuditLine> {
    let mut all = Vec::new();
    lines(log, |line| {
        all.push(line);
        Ok(())
    })
    .unwrap();
    all
}

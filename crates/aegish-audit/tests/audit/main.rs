//! The log as files: writing, writers, and detection of changes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // helpers belong to the tests

mod contents;
mod permissions;
mod processes;
mod rotation;
mod sockets;
mod tampering;

use aegish_audit::{
    AuditAction, AuditEvent, AuditLog, Fate, JudgedCommand, LogLocation, Recorder, Size, Verified,
    Who, verify,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

pub(crate) const ROOMY: Size = Size { bytes: 10 << 20, files: 5 };

/// A temporary directory.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("aegish-audit-{}-{count}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The path of a user's log.
    pub(crate) fn dir(&self) -> PathBuf {
        self.0.join("own")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.dir().join("audit.log")
    }

    pub(crate) fn recorder(&self, size: Size) -> Recorder {
        recorder(&self.dir(), size)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn who() -> Who {
    Who {
        user: "ada".to_owned(),
        session: "5e55".to_owned(),
        role: "default".to_owned(),
        mode: "development".to_owned(),
    }
}

pub(crate) fn recorder(dir: &Path, size: Size) -> Recorder {
    Recorder::new(who(), Some(AuditLog::new(LogLocation::own(dir, "ada"), size)), Vec::new())
}

pub(crate) fn decision(command: &str) -> AuditEvent {
    AuditEvent::Decision(Box::new(verdict(command)))
}

pub(crate) fn verdict(command: &str) -> JudgedCommand {
    let run = (AuditAction::Allow, Fate::Run);
    JudgedCommand {
        reason: "no rule objects".to_owned(),
        confidence: 0.987_654,
        cwd: "/home/ada".to_owned(),
        effects: vec!["list /home/ada".to_owned()],
        latency: Duration::from_micros(1234),
        ..JudgedCommand::new(command.as_bytes(), run, ("13", "normal-operation"))
    }
}

/// Asserts that the log is valid.
pub(crate) fn whole(log: &Path) -> Verified {
    match verify(log).unwrap() {
        Ok(verified) => verified,
        Err(broken) => panic!("{broken}"),
    }
}

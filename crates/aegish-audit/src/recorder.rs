//! Records the events of one session.

use crate::chain::{self, NOTHING};
use crate::entry::{AuditEntry, AuditEvent, Who};
use crate::location::NotWritten;
use crate::log::AuditLog;
use crate::outputs::Outlet;
use crate::spill::Spill;

/// Writes the events of one session to everything that is configured.
#[derive(Debug)]
pub struct Recorder {
    who: Who,
    log: Option<AuditLog>,
    outlets: Vec<Outlet>,
    /// The number of the next entry if there is no file.
    seq: u64,
    prev: String,
}

impl Recorder {
    /// For a session. Without a file, its entries have their own numbers.
    #[must_use]
    pub fn new(who: Who, log: Option<AuditLog>, outlets: Vec<Outlet>) -> Self {
        Self { who, log, outlets, seq: 0, prev: NOTHING.to_owned() }
    }

    /// The file, if one is written.
    #[must_use]
    pub fn log(&self) -> Option<&AuditLog> {
        self.log.as_ref()
    }

    /// Creates the file and its directories if they are missing.
    ///
    /// # Errors
    ///
    /// If they cannot be created.
    pub fn prepare(&self) -> Result<(), NotWritten> {
        self.log.as_ref().map_or(Ok(()), AuditLog::create)
    }

    /// Writes an event to all outputs, behind those that were kept; returns the number of its entry.
    ///
    /// # Errors
    ///
    /// If it did not reach all outputs. It may have reached some of them.
    pub fn record(&mut self, event: &AuditEvent) -> Result<u64, NotWritten> {
        let entry = AuditEntry::of(event, &self.who);
        let entry = match &self.log {
            Some(log) => {
                self.spill(log).drain(|kept| log.append(kept, &self.who).map(drop))?;
                log.append(&entry, &self.who)?
            }
            None => self.number(entry)?,
        };
        // All outputs get it, even if one of them fails.
        let sent: Vec<_> = self.outlets.iter().map(|outlet| outlet.send(&entry)).collect();
        sent.into_iter().collect::<Result<Vec<()>, _>>()?;
        Ok(entry.seq)
    }

    /// Keeps an event that could not be recorded, for the time when the log can be written again.
    ///
    /// # Errors
    ///
    /// If it is lost.
    pub fn keep(&self, event: &AuditEvent) -> Result<(), NotWritten> {
        match &self.log {
            Some(log) => self.spill(log).add(&AuditEntry::of(event, &self.who)),
            None => Err(NotWritten::new("the entry", "there is no file")),
        }
    }

    fn spill(&self, log: &AuditLog) -> Spill {
        Spill::of(log.location().file())
    }

    fn number(&mut self, entry: AuditEntry) -> Result<AuditEntry, NotWritten> {
        self.seq += 1;
        let entry = AuditEntry { seq: self.seq, prev: self.prev.clone(), ..entry };
        let line = chain::line(&entry).map_err(|error| NotWritten::new("the entry", error))?;
        self.prev = chain::hash(line.as_bytes());
        Ok(entry)
    }
}

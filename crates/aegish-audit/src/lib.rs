//! Verdicts → a log that shows what was done to it.
//!
//! Takes what was decided about a command and how it ended ([`AuditEvent`]); writes each as one line of
//! JSON, without secrets, to a file, to syslog or to journald ([`Recorder`]). Every line holds the
//! SHA-256 of the line before and of itself, so that [`verify`] finds what was changed, taken out or
//! put in. [`lines`] and [`last_lines`] read a log with its rotated files.
//!
//! Several processes write one log: a line is appended under a lock and with one call. What a process
//! that died left unfinished is closed by the next one, and said.
//!
//! Refuses to write where another user could write as well, and through links. It decides nothing:
//! whether a command may run that could not be recorded is up to the caller.

mod chain;
mod clock;
mod entry;
mod follow;
mod location;
mod log;
mod outputs;
mod read;
mod recorder;
mod tail;
mod verify;

pub use clock::{Since, after, now};
pub use entry::{
    AuditAction, AuditEntry, AuditEvent, ConsentSource, DecisionSource, EventKind, Fate,
    JudgedCommand, LONGEST_COMMAND, Who,
};
pub use follow::Follow;
pub use location::{LogLocation, NotWritten, SYSTEM_DIR};
pub use log::{AuditLog, Size};
pub use outputs::{JOURNAL_SOCKET, Outlet, SYSLOG_SOCKET};
pub use read::{AuditLine, files, last_lines, lines};
pub use recorder::Recorder;
pub use verify::{Broken, LogStart, Verified, verify};

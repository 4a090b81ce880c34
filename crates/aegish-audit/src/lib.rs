//! Decisions → a log that shows tampering.
//!
//! Takes decisions about commands and ends of runs ([`AuditEvent`]); writes each as one line of JSON, without
//! secrets, to a file, to syslog or to journald ([`Recorder`]). Every line contains the SHA-256 of the line
//! before and of itself, so that [`verify`] finds lines that were changed, removed or inserted. [`lines`] and
//! [`last_lines`] read a log with its rotated files.
//!
//! Several processes write one log: a line is appended under a lock and with one call. If a process dies
//! within a line, the next writer closes and reports it.
//!
//! Refuses to write through links, and where another user could write too. It decides nothing: the caller
//! decides whether a command may run that could not be recorded.

mod chain;
mod clock;
mod entry;
mod follow;
mod location;
mod log;
mod outputs;
mod read;
mod recorder;
mod sent;
mod spill;
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
pub use read::{AuditLine, files, last_lines, lines, lines_from};
pub use recorder::Recorder;
pub use sent::{Sent, read_sent, write_sent};
pub use verify::{Broken, LogStart, Verified, verify};

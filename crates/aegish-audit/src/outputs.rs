//! Syslog and journald: each entry as one datagram.
//!
//! Syslog gets the line behind `<PRIORITY>aegish[PID]:`, without a time, because the receiver adds its own.
//! Journald gets it by its own protocol as `MESSAGE`, with the searchable fields as separate fields. An entry
//! that is too long for a datagram is sent with less text; number and hashes identify its line in the file.

use crate::chain;
use crate::entry::{AuditAction, AuditEntry};
use crate::location::NotWritten;
use std::io;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The socket of syslog.
pub const SYSLOG_SOCKET: &str = "/dev/log";
/// The socket of journald.
pub const JOURNAL_SOCKET: &str = "/run/systemd/journal/socket";

/// Many syslog receivers truncate longer messages.
const LONGEST_SYSLOG: usize = 7 * 1024;
const LONGEST_JOURNAL: usize = 60 * 1024;
/// Length of a shortened text.
const SHORT: usize = 800;
/// `authpriv`: readable for administrators only.
const FACILITY: u8 = 10;
/// A receiver that does not read must not delay the shell.
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);

/// Outlets for entries in addition to the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outlet {
    /// A socket of syslog.
    Syslog(PathBuf),
    /// A socket of journald.
    Journal(PathBuf),
}

impl Outlet {
    pub(crate) fn send(&self, entry: &AuditEntry) -> Result<(), NotWritten> {
        let (path, message) = match self {
            Self::Syslog(path) => (path, syslog(entry)),
            Self::Journal(path) => (path, journal(entry)),
        };
        let sent = message.and_then(|message| send(path, &message));
        sent.map_err(|error| NotWritten::new(path.display(), error))
    }
}

fn send(path: &Path, message: &[u8]) -> io::Result<()> {
    let socket = UnixDatagram::unbound()?;
    socket.set_write_timeout(Some(WRITE_TIMEOUT))?;
    match socket.send_to(message, path)? {
        sent if sent == message.len() => Ok(()),
        sent => Err(io::Error::other(format!("only {sent} of {} bytes were taken", message.len()))),
    }
}

/// The line of an entry, with less text if it is too long.
fn line(entry: &AuditEntry, longest: usize) -> io::Result<String> {
    let line = chain::line(entry)?;
    if line.len() <= longest {
        return Ok(line);
    }
    Ok(chain::line(&entry.shortened(SHORT))?)
}

/// Severity as syslog counts it: the lower, the more urgent.
fn severity(entry: &AuditEntry) -> u8 {
    match entry.action {
        Some(AuditAction::Block) => 4,
        Some(AuditAction::Warn | AuditAction::WarnOverridden) => 5,
        Some(AuditAction::Allow) | None => 6,
    }
}

fn syslog(entry: &AuditEntry) -> io::Result<Vec<u8>> {
    let line = line(entry, LONGEST_SYSLOG)?;
    let priority = FACILITY * 8 + severity(entry);
    Ok(format!("<{priority}>aegish[{}]: {line}", std::process::id()).into_bytes())
}

fn journal(entry: &AuditEntry) -> io::Result<Vec<u8>> {
    let mut message = Vec::new();
    let mut put = |name: &str, value: &str| field(&mut message, name, value);
    put("MESSAGE", &line(entry, LONGEST_JOURNAL)?);
    put("PRIORITY", &severity(entry).to_string());
    put("SYSLOG_FACILITY", &FACILITY.to_string());
    put("SYSLOG_IDENTIFIER", "aegish");
    put("AEGISH_SESSION", &entry.session);
    put("AEGISH_USER", &entry.user);
    if let Some(action) = entry.action {
        put("AEGISH_ACTION", action.as_str());
    }
    if let Some(rule) = &entry.rule_name {
        put("AEGISH_RULE", rule);
    }
    Ok(message)
}

/// A value with a newline is sent with its length, so that it cannot become another field.
fn field(message: &mut Vec<u8>, name: &str, value: &str) {
    message.extend_from_slice(name.as_bytes());
    if value.contains('\n') {
        message.push(b'\n');
        message.extend_from_slice(&(value.len() as u64).to_le_bytes());
    } else {
        message.push(b'=');
    }
    message.extend_from_slice(value.as_bytes());
    message.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::field;

    #[test]
    fn a_value_cannot_become_a_field() {
        let mut message = Vec::new();
        field(&mut message, "A", "plain");
        field(&mut message, "B", "x\nC=forged");
        assert_eq!(message, b"A=plain\nB\n\x0a\0\0\0\0\0\0\0x\nC=forged\n");
    }
}

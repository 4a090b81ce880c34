//! A file that only grows, and its older parts.
//!
//! `audit.log` is the newest, `audit.log.1` the one before, and so on. A line is appended under an
//! advisory lock of the file itself, with one call. A full file is renamed under the same lock; a
//! process that waited for the lock then opens the new file.

use crate::chain;
use crate::entry::{AuditEntry, Who};
use crate::location::{LogLocation, NotWritten};
use crate::read::older_names;
use crate::sent;
use crate::tail::Tail;
use aegish_private_files::{Error, PrivateDir};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;

/// Limits of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Maximum size of a file before it is rotated.
    pub bytes: u64,
    /// Number of older files that are kept.
    pub files: u32,
}

/// A log that can be written.
#[derive(Debug, Clone)]
pub struct AuditLog {
    location: LogLocation,
    size: Size,
}

impl AuditLog {
    /// The log at a location.
    #[must_use]
    pub fn new(location: LogLocation, size: Size) -> Self {
        Self { location, size }
    }

    /// Where it is.
    #[must_use]
    pub fn location(&self) -> &LogLocation {
        &self.location
    }

    /// Creates the file and its directories if they are missing.
    pub(crate) fn create(&self) -> Result<(), NotWritten> {
        // Whether it is a file that may be written is checked when an entry is appended.
        if self.location.file().symlink_metadata().is_ok() {
            return Ok(());
        }
        let dir = self.location.open_or_create()?;
        self.location.lock(&dir).map(drop)
    }

    /// Appends an entry, giving it its number and the hash of the line before.
    pub(crate) fn append(&self, entry: &AuditEntry, who: &Who) -> Result<AuditEntry, NotWritten> {
        let failed =
            |why: &dyn std::fmt::Display| NotWritten::new(self.location.file().display(), why);
        let dir = self.location.open_or_create()?;
        loop {
            let file = self.location.lock(&dir)?;
            let length = file.metadata().map_err(|error| failed(&error))?.len();
            let tail = self.tail(&dir, &file, length).map_err(|error| failed(&error))?;
            let (entry, text) = next(entry, &tail, length, who).map_err(|error| failed(&error))?;
            let full = length > 0 && length.saturating_add(text.len() as u64) > self.size.bytes;
            if full && tail.torn.is_none() {
                match self.rotate(&dir) {
                    Ok(()) => continue,
                    // The directory belongs to root, who is responsible for rotation.
                    Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
                    Err(error) => return Err(failed(&error)),
                }
            }
            file.append(&text).map_err(|error| failed(error.problem()))?;
            return Ok(entry);
        }
    }

    /// The end of the log. An empty file follows the newest older one.
    fn tail(&self, dir: &PrivateDir, file: &File, length: u64) -> io::Result<Tail> {
        if length > 0 {
            return Tail::of(file, length);
        }
        for (_, name) in older_names(dir.names()?, self.location.name()) {
            let Some(older) = dir.open_to_read(&name)? else { continue };
            let length = older.metadata()?.len();
            if length > 0 {
                return Tail::of(&older, length);
            }
        }
        Ok(Tail::none())
    }

    /// Rotates the files: every older file moves on by one, up to the first free number; those beyond the
    /// limit are removed, unless they hold entries that are still to be sent.
    fn rotate(&self, dir: &PrivateDir) -> Result<(), Error> {
        let older = older_names(dir.names()?, self.location.name());
        let taken = |number: u32| older.iter().any(|(found, _)| *found == number);
        let most = self.size.files;
        let full = (1..=most).all(taken);
        let sent = self.sent(dir);
        let mut kept = Vec::new();
        for (number, name) in &older {
            let beyond = *number > most || (full && *number == most);
            if beyond && self.was_sent(dir, name, sent) {
                dir.remove(name)?;
            } else {
                kept.push(*number);
            }
        }
        let free = (1..).find(|number| !kept.contains(number)).unwrap_or(most);
        for number in (1..free).rev() {
            dir.rename(&self.name(number), &self.name(number + 1))?;
        }
        dir.rename(self.location.name(), &self.name(1))
    }

    /// The number of the last entry that was sent elsewhere; none if entries are not sent. If that cannot be
    /// told, nothing was.
    fn sent(&self, dir: &PrivateDir) -> Option<u64> {
        match dir.read(&sent::name(self.location.name()), 256) {
            Ok(None) => None,
            Ok(Some(bytes)) => Some(sent::parse(&bytes).map_or(0, |sent| sent.seq)),
            Err(_) => Some(0),
        }
    }

    fn was_sent(&self, dir: &PrivateDir, name: &OsStr, sent: Option<u64>) -> bool {
        let Some(sent) = sent else { return true };
        let last = dir.open_to_read(name).ok().flatten().and_then(|file| {
            let length = file.metadata().ok()?.len();
            Tail::of(&file, length).ok()
        });
        last.is_some_and(|tail| tail.seq <= sent)
    }

    fn name(&self, number: u32) -> OsString {
        let mut name = self.location.name().to_owned();
        name.push(format!(".{number}"));
        name
    }
}

/// The entry with its number, and the bytes to append. After a truncated line they begin with its end and an
/// entry about it.
fn next(
    entry: &AuditEntry,
    tail: &Tail,
    length: u64,
    who: &Who,
) -> io::Result<(AuditEntry, Vec<u8>)> {
    let mut text = Vec::new();
    let (mut seq, mut prev) = (tail.seq, tail.prev.clone());
    let mut put = |entry: &AuditEntry, text: &mut Vec<u8>| -> io::Result<AuditEntry> {
        seq += 1;
        let entry = AuditEntry { seq, prev: prev.clone(), ..entry.clone() };
        let line = chain::line(&entry)?;
        prev = chain::hash(line.as_bytes());
        text.extend_from_slice(line.as_bytes());
        text.push(b'\n');
        Ok(entry)
    };
    if let Some(bytes) = tail.torn {
        if length > 0 {
            text.push(b'\n');
        }
        put(&AuditEntry::torn(bytes, who), &mut text)?;
    }
    let entry = put(entry, &mut text)?;
    Ok((entry, text))
}

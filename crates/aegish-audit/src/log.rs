//! A file that only grows, and its older parts.
//!
//! `audit.log` is the newest, `audit.log.1` the one before, and so on. A line is appended under an
//! advisory lock of the file itself, with one call. What is full is renamed under the same lock;
//! whoever waited for it notices and opens the new file.

use crate::chain;
use crate::entry::{Entry, Who};
use crate::place::{NotWritten, Place};
use crate::read::{numbered, wait_for};
use crate::tail::Tail;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

/// How much is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// A file that would become longer is rotated.
    pub bytes: u64,
    /// So many older files are kept.
    pub files: u32,
}

/// A log that can be written.
#[derive(Debug, Clone)]
pub struct Log {
    place: Place,
    size: Size,
}

/// Whether full files are renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rotation {
    Wanted,
    /// The directory is not ours; whoever it belongs to rotates, or nobody.
    Refused,
}

impl Log {
    /// The log at a place.
    #[must_use]
    pub fn new(place: Place, size: Size) -> Self {
        Self { place, size }
    }

    /// Where it is.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Appends an entry, giving it its number and the hash of the line before.
    pub(crate) fn append(&self, entry: &Entry, who: &Who) -> Result<Entry, NotWritten> {
        let failed =
            |why: &dyn std::fmt::Display| NotWritten::new(self.place.file().display(), why);
        let mut rotation = Rotation::Wanted;
        loop {
            let file = self.place.open()?;
            wait_for(|| file.try_lock()).map_err(|error| failed(&error))?;
            // Somebody may have renamed it while we waited.
            if !self.place.is_current(&file).map_err(|error| failed(&error))? {
                continue;
            }
            let length = file.metadata().map_err(|error| failed(&error))?.len();
            let tail = self.tail(&file, length).map_err(|error| failed(&error))?;
            let (entry, text) = next(entry, &tail, length, who).map_err(|error| failed(&error))?;
            let full = length > 0 && length.saturating_add(text.len() as u64) > self.size.bytes;
            if full && tail.torn.is_none() && rotation == Rotation::Wanted {
                match self.rotate() {
                    Ok(()) => continue,
                    Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                        rotation = Rotation::Refused;
                        // The lock goes with the file; it is taken again in the next round.
                        continue;
                    }
                    Err(error) => return Err(failed(&error)),
                }
            }
            write(&file, &text, length).map_err(|error| failed(&error))?;
            return Ok(entry);
        }
    }

    /// The end of the log. An empty file follows the newest older one.
    fn tail(&self, file: &File, length: u64) -> io::Result<Tail> {
        if length > 0 {
            return Tail::of(file, length);
        }
        let flags = nix::fcntl::OFlag::O_NOFOLLOW | nix::fcntl::OFlag::O_NONBLOCK;
        for (_, path) in numbered(self.place.file())?.into_iter() {
            let older = OpenOptions::new().read(true).custom_flags(flags.bits()).open(&path)?;
            let length = older.metadata()?.len();
            if length > 0 {
                return Tail::of(&older, length);
            }
        }
        Ok(Tail::none())
    }

    /// Makes room: every older file moves on by one, up to the first free number; the last goes.
    fn rotate(&self) -> io::Result<()> {
        let older = numbered(self.place.file())?;
        let taken = |number: u32| older.iter().any(|(found, _)| *found == number);
        let free = (1..=self.size.files).find(|number| !taken(*number));
        let last = free.unwrap_or(self.size.files);
        for number in (1..last).rev() {
            fs::rename(self.name(number), self.name(number + 1))?;
        }
        fs::rename(self.place.file(), self.name(1))?;
        for (number, path) in &older {
            if *number > self.size.files {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }

    fn name(&self, number: u32) -> PathBuf {
        let mut name = self.place.file().as_os_str().to_owned();
        name.push(format!(".{number}"));
        name.into()
    }
}

/// The entry with its number, and the bytes to append: the end of a torn line and a word about it
/// come first.
fn next(entry: &Entry, tail: &Tail, length: u64, who: &Who) -> io::Result<(Entry, Vec<u8>)> {
    let mut text = Vec::new();
    let (mut seq, mut prev) = (tail.seq, tail.prev.clone());
    let mut put = |entry: &Entry, text: &mut Vec<u8>| -> io::Result<Entry> {
        seq += 1;
        let entry = Entry { seq, prev: prev.clone(), ..entry.clone() };
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
        put(&Entry::torn(bytes, who), &mut text)?;
    }
    let entry = put(entry, &mut text)?;
    Ok((entry, text))
}

/// Appends all of it with one call, or nothing.
fn write(mut file: &File, text: &[u8], length: u64) -> io::Result<()> {
    // A limit on the size of files would end this process without a word.
    let mut limit = SigSet::empty();
    limit.add(Signal::SIGXFSZ);
    let before = limit.thread_swap_mask(nix::sys::signal::SigmaskHow::SIG_BLOCK)?;
    let written = loop {
        match file.write(text) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => break other,
        }
    };
    if written.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::FileTooLarge) {
        swallow(&limit)?;
    }
    before.thread_set_mask()?;
    match written? {
        whole if whole == text.len() => Ok(()),
        part => {
            // Nobody else writes meanwhile. If it cannot be undone, the next one closes the line.
            let _ = file.set_len(length);
            let all = text.len();
            Err(io::Error::other(format!(
                "only {part} of {all} bytes fit: the disk or a limit is full"
            )))
        }
    }
}

/// Takes a signal that waits to be delivered.
fn swallow(signals: &SigSet) -> io::Result<()> {
    let arrivals = SignalFd::with_flags(signals, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)?;
    while arrivals.read_signal()?.is_some() {}
    Ok(())
}

//! The entries of a log that were not sent yet: those that are there, and those that come.

use std::io;
use std::path::{Path, PathBuf};

use aegish_audit::{AuditLine, Follow, Sent, lines_from};

/// What was found behind the last entry that was sent.
#[derive(Debug, Default)]
pub(crate) struct Unsent {
    pub(crate) lines: Vec<AuditLine>,
    /// Entries that are gone: removed before they were sent.
    pub(crate) missing: u64,
    /// The log was begun anew, so that all of it is unsent.
    pub(crate) anew: bool,
}

/// Reads a log from the last entry that was sent.
pub(crate) struct LogReader {
    log: PathBuf,
    follow: Option<Follow>,
    /// The last entry that was read.
    last: Option<Sent>,
}

impl LogReader {
    pub(crate) fn new(log: &Path, last: Option<Sent>) -> Self {
        Self { log: log.to_path_buf(), follow: None, last }
    }

    /// The next entries, at most about `most`.
    pub(crate) fn next(&mut self, most: usize) -> io::Result<Unsent> {
        if let Some(follow) = &mut self.follow {
            let arrived = follow.arrived()?;
            let next = self.last.as_ref().map_or(1, |last| last.seq + 1);
            let first = arrived.iter().find_map(|line| Some(line.entry.as_ref()?.seq));
            // More than one rotation between two looks, or a log that was begun anew.
            let continues = first.is_none_or(|first| first <= next);
            let same = arrived.iter().all(|line| self.is_continued_by(line));
            if continues && same {
                return Ok(self.take(arrived));
            }
            self.follow = None;
        }
        self.catch_up(most)
    }

    /// Reads what the files hold.
    fn catch_up(&mut self, most: usize) -> io::Result<Unsent> {
        // Opened first, so that nothing falls in between.
        let follow = match Follow::open(&self.log) {
            Ok(follow) => Some(follow),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let from = self.last.as_ref().map_or(0, |last| last.seq);
        let mut found = Vec::new();
        let mut more = false;
        let mut same = self.last.is_none();
        let read = lines_from(&self.log, from, |line| {
            if let (Some(entry), Some(last)) = (&line.entry, &self.last)
                && entry.seq == last.seq
            {
                same = line.hash() == last.hash;
                return Ok(());
            }
            if found.len() < most {
                found.push(line);
            } else {
                more = true;
            }
            Ok(())
        });
        match read {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Unsent::default()),
            other => other?,
        }
        let first = found.iter().find_map(|line| Some(line.entry.as_ref()?.seq));
        if !same && (found.is_empty() || first.is_some_and(|first| first <= from + 1)) {
            // The last entry is not there, or is another one: this is not the chain that was sent.
            self.last = None;
            let unsent = self.catch_up(most)?;
            return Ok(Unsent { anew: true, ..unsent });
        }
        let missing = match (first, from) {
            // Without a last entry the log begins where it begins.
            (Some(first), from) if from > 0 => first.saturating_sub(from + 1),
            _ => 0,
        };
        // The end of the files was not reached: the next call reads on there.
        self.follow = if more { None } else { follow };
        Ok(Unsent { missing, ..self.take(found) })
    }

    /// Notes lines as read, without those that were read before.
    fn take(&mut self, lines: Vec<AuditLine>) -> Unsent {
        let mut unsent = Unsent::default();
        for line in lines {
            let Some(seq) = line.entry.as_ref().map(|entry| entry.seq) else { continue };
            if self.last.as_ref().is_some_and(|last| seq <= last.seq) {
                continue;
            }
            self.last = Some(Sent { seq, hash: line.hash() });
            unsent.lines.push(line);
        }
        unsent
    }

    /// Whether a line fits to the last one that was read: older, or linked to it.
    fn is_continued_by(&self, line: &AuditLine) -> bool {
        match (&line.entry, &self.last) {
            (Some(entry), Some(last)) => entry.seq != last.seq + 1 || entry.prev == last.hash,
            _ => true,
        }
    }
}

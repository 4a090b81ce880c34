//! The entries of a log that were not sent yet: those that are there, and those that come.

use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use aegish_audit::{AuditLine, Follow, Sent, lines_from};

/// How often files are looked at again before something counts as missing, and the pause before.
const DOUBTS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(20);

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
    /// How often the same files were looked at because something seemed to be missing.
    doubts: u32,
}

impl LogReader {
    pub(crate) fn new(log: &Path, last: Option<Sent>) -> Self {
        Self { log: log.to_path_buf(), follow: None, last, doubts: 0 }
    }

    /// The next entries, at most about `most`, without a gap between them.
    pub(crate) fn next(&mut self, most: usize) -> io::Result<Unsent> {
        if let Some(follow) = &mut self.follow {
            let arrived = follow.arrived()?;
            if arrived.iter().all(|line| self.is_continued_by(line)) {
                return Ok(self.take(arrived));
            }
            self.follow = None;
        }
        self.catch_up(most)
    }

    /// Reads what the files hold. They may be renamed meanwhile, so that one is missed or read twice.
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
            let Some(entry) = &line.entry else { return Ok(()) };
            match &self.last {
                Some(last) if entry.seq == last.seq => {
                    same = line.hash() == last.hash;
                    return Ok(());
                }
                Some(last) if entry.seq == last.seq + 1 && entry.prev == last.hash => same = true,
                _ => {}
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
        let missing = first.map_or(0, |first| first.saturating_sub(from + 1));
        let anew = !same && missing == 0;
        if (anew || missing > 0) && self.doubts < DOUBTS {
            // Perhaps a file was renamed while it was looked for.
            self.doubts += 1;
            thread::sleep(PAUSE);
            return self.catch_up(most);
        }
        self.doubts = 0;
        if anew {
            // The last entry is not there, or is another one: this is not the chain that was sent.
            self.last = None;
            let unsent = self.catch_up(most)?;
            return Ok(Unsent { anew: true, ..unsent });
        }
        // Without a last entry the log begins where it begins.
        let lost = if self.last.is_some() { missing } else { 0 };
        if let Some(first) = first.filter(|_| missing > 0) {
            self.last = Some(Sent { seq: first - 1, hash: String::new() });
        }
        // The end of the files was not reached: the next call reads on there.
        self.follow = if more { None } else { follow };
        Ok(Unsent { missing: lost, ..self.take(found) })
    }

    /// Notes lines as read, without those that were read before, up to the first gap.
    fn take(&mut self, lines: Vec<AuditLine>) -> Unsent {
        let mut unsent = Unsent::default();
        for line in lines {
            let Some(seq) = line.entry.as_ref().map(|entry| entry.seq) else { continue };
            let next = self.last.as_ref().map_or(1, |last| last.seq + 1);
            if seq < next {
                continue;
            }
            if seq > next {
                self.follow = None;
                break;
            }
            self.last = Some(Sent { seq, hash: line.hash() });
            unsent.lines.push(line);
        }
        unsent
    }

    /// Whether a line fits to the last one that was read: older, later, or linked to it.
    fn is_continued_by(&self, line: &AuditLine) -> bool {
        match (&line.entry, &self.last) {
            (Some(entry), Some(last)) => entry.seq != last.seq + 1 || entry.prev == last.hash,
            _ => true,
        }
    }
}

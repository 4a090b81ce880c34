//! Checks whether a log was changed.

use crate::chain::{self, NOTHING, Seal};
use crate::entry::{AuditEntry, EventKind};
use crate::read::{self, AuditLine};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

const NO_ENTRY: &str = "this line is no entry, and nothing says that it was cut off";

/// A log in which every line follows the one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// How many files it has.
    pub files: usize,
    /// How many entries.
    pub entries: u64,
    /// Number of the last entry; 0 if there is none.
    pub last: u64,
    /// Whether it contains its first entry.
    pub start: LogStart,
    /// Lines that were cut off, and closed by the next writer.
    pub torn: Vec<(PathBuf, u64)>,
    /// The last line has no end yet.
    pub unfinished: Option<(PathBuf, u64)>,
}

/// The first entry of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogStart {
    /// With its first entry.
    Beginning,
    /// This entry; earlier ones were removed with the oldest file.
    Later(u64),
}

/// The first line that was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The file.
    pub file: PathBuf,
    /// The line in it.
    pub line: u64,
    /// The problem.
    pub why: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file.display(), self.line, self.why)
    }
}

/// Checks the chain through all files of a log.
///
/// # Errors
///
/// If a file cannot be read. A broken chain is not an error of this function.
pub fn verify(log: &Path) -> io::Result<Result<Verified, Broken>> {
    // No process rotates meanwhile.
    let _held = read::hold(log)?;
    let files = read::files(log)?;
    let mut walk = ChainWalk::default();
    let mut broken = None;
    read::lines(log, |line| {
        if broken.is_none() {
            broken = walk.step(&line).err();
        }
        Ok(())
    })?;
    if let Some(broken) = broken {
        return Ok(Err(broken));
    }
    Ok(walk.end(files.len()))
}

#[derive(Default)]
struct ChainWalk {
    entries: u64,
    start: Option<LogStart>,
    /// File, line, hash and number of the line before.
    before: Option<PreviousEntry>,
    torn: Vec<(PathBuf, u64)>,
}

struct PreviousEntry {
    file: PathBuf,
    line: u64,
    hash: String,
    /// The highest number so far.
    seq: u64,
    kind: LineKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LineKind {
    /// An entry.
    Entry,
    /// Not an entry: the next line has to report that it was truncated.
    Stump,
    /// It has no end. The next line, if there is one, has to report that it was truncated.
    Open,
}

impl ChainWalk {
    fn step(&mut self, line: &AuditLine) -> Result<(), Broken> {
        let here = |why: &str| broken(&line.file, line.number, why);
        let hash = chain::hash(&line.bytes);
        let entry = match &line.entry {
            Some(entry) if chain::seal(&line.bytes) == Seal::Whole => entry,
            Some(_) => return Err(here("this line was changed after it was written")),
            None => return self.stump(line, hash),
        };
        let closes = entry.event == EventKind::Torn;
        if let Some(before) = &self.before {
            if before.kind != LineKind::Entry && !closes {
                return Err(before.blamed(NO_ENTRY));
            }
            follows(entry, before, line)?;
        } else if entry.prev == NOTHING && entry.seq == 1 {
            self.start = Some(LogStart::Beginning);
        } else {
            self.start = Some(LogStart::Later(entry.seq));
        }
        if closes && let Some(before) = &self.before {
            self.torn.push((before.file.clone(), before.line));
        }
        self.entries += 1;
        let kind = if line.torn { LineKind::Open } else { LineKind::Entry };
        self.before = Some(PreviousEntry::new(line, hash, entry.seq, kind));
        Ok(())
    }

    fn stump(&mut self, line: &AuditLine, hash: String) -> Result<(), Broken> {
        let seq = self.before.as_ref().map_or(0, |before| before.seq);
        if let Some(before) = self.before.as_ref().filter(|before| before.kind != LineKind::Entry) {
            return Err(before.blamed(NO_ENTRY));
        }
        let kind = if line.torn { LineKind::Open } else { LineKind::Stump };
        self.before = Some(PreviousEntry::new(line, hash, seq, kind));
        Ok(())
    }

    fn end(self, files: usize) -> Result<Verified, Broken> {
        let unfinished = match &self.before {
            Some(before) if before.kind == LineKind::Stump => return Err(before.blamed(NO_ENTRY)),
            Some(before) if before.kind == LineKind::Open => {
                Some((before.file.clone(), before.line))
            }
            _ => None,
        };
        Ok(Verified {
            files,
            entries: self.entries,
            last: self.before.map_or(0, |before| before.seq),
            start: self.start.unwrap_or(LogStart::Beginning),
            torn: self.torn,
            unfinished,
        })
    }
}

impl PreviousEntry {
    fn new(line: &AuditLine, hash: String, seq: u64, kind: LineKind) -> Self {
        Self { file: line.file.clone(), line: line.number, hash, seq, kind }
    }

    fn blamed(&self, why: &str) -> Broken {
        broken(&self.file, self.line, why)
    }
}

fn follows(entry: &AuditEntry, before: &PreviousEntry, line: &AuditLine) -> Result<(), Broken> {
    let here = |why: &str| Err(broken(&line.file, line.number, why));
    let next = before.seq + 1;
    if entry.seq > next && before.seq > 0 {
        let (missing, last) = (entry.seq - next, entry.seq - 1);
        return here(&format!("{missing} entries are missing before this line ({next} to {last})"));
    }
    if entry.prev != before.hash {
        return match entry.seq == next {
            true => Err(before.blamed("this line was changed after it was written")),
            false => here("this line does not belong here"),
        };
    }
    if entry.seq != next && before.seq > 0 {
        return here("the number of this entry is wrong");
    }
    Ok(())
}

fn broken(file: &Path, line: u64, why: &str) -> Broken {
    Broken { file: file.to_path_buf(), line, why: why.to_owned() }
}

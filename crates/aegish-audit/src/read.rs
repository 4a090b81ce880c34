//! A log with its older files, oldest first.

use crate::chain::hash;
use crate::entry::AuditEntry;
use crate::location::LONGEST_LOCK;
use crate::tail::Tail;
use aegish_private_files::{lock_shared, open_regular};
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

/// One line of a log.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditLine {
    /// The file it is in.
    pub file: PathBuf,
    /// Its number in the file, from 1.
    pub number: u64,
    /// Its bytes, without the line end.
    pub bytes: Vec<u8>,
    /// The entry, if it is one.
    pub entry: Option<AuditEntry>,
    /// It has no end: its writer died, or still writes.
    pub torn: bool,
}

impl AuditLine {
    /// A line as it was read, with its end if it has one.
    pub(crate) fn new(path: &Path, number: u64, mut bytes: Vec<u8>) -> Self {
        let torn = bytes.last() != Some(&b'\n');
        if !torn {
            bytes.pop();
        }
        let entry = serde_json::from_slice(&bytes).ok();
        Self { file: path.to_path_buf(), number, bytes, entry, torn }
    }

    /// The SHA-256 of the line, which the next line names as `prev`.
    #[must_use]
    pub fn hash(&self) -> String {
        hash(&self.bytes)
    }
}

/// The names of a log's older files among all names of its directory, newest first, with their numbers.
pub(crate) fn older_names(
    all: impl IntoIterator<Item = OsString>,
    log: &OsStr,
) -> Vec<(u32, OsString)> {
    let number = |name: &OsString| {
        let rest = name.to_str()?.strip_prefix(log.to_str()?)?.strip_prefix('.')?;
        rest.parse().ok().filter(|_| !rest.starts_with(['0', '+']))
    };
    let mut found: Vec<(u32, OsString)> =
        all.into_iter().filter_map(|name| Some((number(&name)?, name))).collect();
    found.sort();
    found
}

/// The files of a log that exist, oldest first.
///
/// # Errors
///
/// If the directory cannot be read.
pub fn files(log: &Path) -> io::Result<Vec<PathBuf>> {
    let dir = match log.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    let all: io::Result<Vec<OsString>> =
        fs::read_dir(dir)?.map(|entry| Ok(entry?.file_name())).collect();
    let older = older_names(all?, log.file_name().unwrap_or_default());
    let mut files: Vec<PathBuf> =
        older.into_iter().rev().map(|(_, name)| log.with_file_name(name)).collect();
    if fs::symlink_metadata(log).is_ok() {
        files.push(log.to_path_buf());
    }
    Ok(files)
}

/// All lines of a log, oldest first.
///
/// # Errors
///
/// If a file cannot be read, or `each` fails.
pub fn lines(log: &Path, mut each: impl FnMut(AuditLine) -> io::Result<()>) -> io::Result<()> {
    for file in files(log)? {
        lines_of(&file, &mut each)?;
    }
    Ok(())
}

/// The lines of a log from an entry on, oldest first. Files that end before it are not read.
///
/// # Errors
///
/// If a file cannot be read, or `each` fails.
pub fn lines_from(
    log: &Path,
    seq: u64,
    mut each: impl FnMut(AuditLine) -> io::Result<()>,
) -> io::Result<()> {
    for path in files(log)? {
        let file = open(&path)?;
        let length = file.metadata()?.len();
        if length > 0 && Tail::of(&file, length)?.seq >= seq {
            lines_of(&path, &mut |line| match &line.entry {
                Some(entry) if entry.seq < seq => Ok(()),
                _ => each(line),
            })?;
        }
    }
    Ok(())
}

fn lines_of(path: &Path, each: &mut dyn FnMut(AuditLine) -> io::Result<()>) -> io::Result<()> {
    let mut reader = BufReader::new(open(path)?);
    for number in 1.. {
        let mut bytes = Vec::new();
        if reader.read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        each(AuditLine::new(path, number, bytes))?;
    }
    Ok(())
}

/// Opens a file of a log without checking its owner: root and auditors read logs of other users.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    Ok(open_regular(path)?)
}

/// Keeps others from writing as long as the file is open, if there is one.
pub(crate) fn hold(log: &Path) -> io::Result<Option<File>> {
    let file = match open_regular(log) {
        Err(error) if error.is_not_found() => return Ok(None),
        other => other?,
    };
    lock_shared(&file, log, LONGEST_LOCK)?;
    Ok(Some(file))
}

/// The last matching lines, oldest first; older files are read only if necessary.
///
/// # Errors
///
/// If a file cannot be read.
pub fn last_lines(
    log: &Path,
    most: usize,
    wanted: impl Fn(&AuditLine) -> bool,
) -> io::Result<Vec<AuditLine>> {
    let mut found: Vec<AuditLine> = Vec::new();
    for file in files(log)?.into_iter().rev() {
        if found.len() >= most {
            break;
        }
        let mut here: VecDeque<AuditLine> = VecDeque::new();
        lines_of(&file, &mut |line| {
            if wanted(&line) {
                here.push_back(line);
                if here.len() > most - found.len() {
                    here.pop_front();
                }
            }
            Ok(())
        })?;
        here.extend(found);
        found = here.into();
    }
    Ok(found)
}

//! A log with its older files, oldest first.

use crate::entry::Entry;
use nix::fcntl::OFlag;
use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// One line of a log.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The file it is in.
    pub file: PathBuf,
    /// Its number in the file, from 1.
    pub number: u64,
    /// Its bytes, without the line end.
    pub bytes: Vec<u8>,
    /// What it says, if it is an entry.
    pub entry: Option<Entry>,
    /// It has no end: whoever wrote it died, or is still at it.
    pub torn: bool,
}

impl Line {
    /// A line as it was read, with its end if it has one.
    pub(crate) fn new(path: &Path, number: u64, mut bytes: Vec<u8>) -> Self {
        let torn = bytes.last() != Some(&b'\n');
        if !torn {
            bytes.pop();
        }
        let entry = serde_json::from_slice(&bytes).ok();
        Self { file: path.to_path_buf(), number, bytes, entry, torn }
    }
}

/// The older files of a log, newest first, with their numbers.
pub(crate) fn numbered(log: &Path) -> io::Result<Vec<(u32, PathBuf)>> {
    let name = log.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let dir = match log.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let other = entry.file_name();
        let rest = other.to_str().and_then(|other| other.strip_prefix(&name)?.strip_prefix('.'));
        let number = rest.filter(|rest| !rest.starts_with(['0', '+'])).map(str::parse::<u32>);
        if let Some(Ok(number)) = number {
            found.push((number, entry.path()));
        }
    }
    found.sort();
    Ok(found)
}

/// The files of a log that exist, oldest first.
///
/// # Errors
///
/// If the directory cannot be read.
pub fn files(log: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = numbered(log)?.into_iter().map(|(_, path)| path).rev().collect();
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
pub fn lines(log: &Path, mut each: impl FnMut(Line) -> io::Result<()>) -> io::Result<()> {
    for file in files(log)? {
        lines_of(&file, &mut each)?;
    }
    Ok(())
}

fn lines_of(path: &Path, each: &mut dyn FnMut(Line) -> io::Result<()>) -> io::Result<()> {
    let mut reader = BufReader::new(open(path)?);
    for number in 1.. {
        let mut bytes = Vec::new();
        if reader.read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        each(Line::new(path, number, bytes))?;
    }
    Ok(())
}

pub(crate) fn open(path: &Path) -> io::Result<File> {
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
    let file =
        OpenOptions::new().read(true).custom_flags(flags.bits()).open(path).map_err(named)?;
    if !file.metadata()?.is_file() {
        return Err(named(io::Error::other("it is not a regular file")));
    }
    Ok(file)
}

/// Keeps others from writing as long as the file is open, if there is one.
pub(crate) fn hold(log: &Path) -> io::Result<Option<File>> {
    let file = match open(log) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other?,
    };
    wait_for(|| file.try_lock_shared())?;
    Ok(Some(file))
}

/// A lock that is held longer than this is held on purpose.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(1);

/// Waits for a lock, but not for ever. It goes with the file.
pub(crate) fn wait_for(lock: impl Fn() -> Result<(), TryLockError>) -> io::Result<()> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => std::thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::other("another process does not let go of its lock"));
            }
        }
    }
}

/// The last lines that are wanted, oldest first; older files are read only if need be.
///
/// # Errors
///
/// If a file cannot be read.
pub fn last_lines(
    log: &Path,
    most: usize,
    wanted: impl Fn(&Line) -> bool,
) -> io::Result<Vec<Line>> {
    let mut found: Vec<Line> = Vec::new();
    for file in files(log)?.into_iter().rev() {
        if found.len() >= most {
            break;
        }
        let mut here: VecDeque<Line> = VecDeque::new();
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

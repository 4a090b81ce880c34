//! How far the entries of a log were sent elsewhere: `NAME.sent` beside the log, with the number and hash of the last one.
//!
//! While the file exists, rotation keeps what was not sent: the log itself is the spool, and nothing has to be copied.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use aegish_private_files::{Missing, read_regular, replace_file};

const ENDING: &str = ".sent";
const LONGEST: u64 = 256;

/// The last entry that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// Its number.
    pub seq: u64,
    /// The SHA-256 of its line.
    pub hash: String,
}

/// The name of the file.
pub(crate) fn name(log: &std::ffi::OsStr) -> OsString {
    let mut name = log.to_owned();
    name.push(ENDING);
    name
}

fn path(log: &Path) -> PathBuf {
    log.with_file_name(name(log.file_name().unwrap_or_default()))
}

pub(crate) fn parse(bytes: &[u8]) -> Option<Sent> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (seq, hash) = text.trim_end().split_once(' ')?;
    Some(Sent { seq: seq.parse().ok()?, hash: hash.to_owned() })
}

/// The last entry of a log that was sent; none if nothing ever was.
///
/// # Errors
///
/// If the file cannot be read, or does not name an entry.
pub fn read_sent(log: &Path) -> io::Result<Option<Sent>> {
    let path = path(log);
    match read_regular(&path, None, LONGEST)? {
        None => Ok(None),
        Some(bytes) => parse(&bytes)
            .map(Some)
            .ok_or_else(|| io::Error::other(format!("{} names no entry", path.display()))),
    }
}

/// Notes that everything up to an entry was sent.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write_sent(log: &Path, sent: &Sent) -> io::Result<()> {
    let line = format!("{} {}\n", sent.seq, sent.hash);
    Ok(replace_file(&path(log), line.as_bytes(), 0o644, Missing::Fail)?)
}

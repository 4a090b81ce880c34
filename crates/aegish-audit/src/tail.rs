//! The end of a file: the data that the next line depends on.

use crate::chain::{self, NOTHING};
use crate::entry::AuditEntry;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// How much is read at first; the last line is rarely longer.
const WINDOW: u64 = 16 * 1024;

/// The end of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tail {
    /// The hash of the last line, whether it is an entry or not.
    pub(crate) prev: String,
    /// The highest number.
    pub(crate) seq: u64,
    /// How long the last line is, if it has no end.
    pub(crate) torn: Option<usize>,
}

impl Tail {
    /// Of a log without lines.
    pub(crate) fn none() -> Self {
        Self { prev: NOTHING.to_owned(), seq: 0, torn: None }
    }

    /// Of a file of this length.
    pub(crate) fn of(file: &File, length: u64) -> io::Result<Self> {
        let mut window = WINDOW;
        loop {
            let start = length.saturating_sub(window);
            let size = usize::try_from(length - start).map_err(io::Error::other)?;
            let mut bytes = vec![0; size];
            file.read_exact_at(&mut bytes, start)?;
            if let Some(tail) = Self::in_bytes(&bytes, start == 0) {
                return Ok(tail);
            }
            window = window.saturating_mul(8);
        }
    }

    /// Reads the end of a file; `None` if these bytes are too few.
    fn in_bytes(bytes: &[u8], all: bool) -> Option<Self> {
        if bytes.is_empty() {
            return all.then(Self::none);
        }
        let ended = bytes.ends_with(b"\n");
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let mut lines = bytes.rsplit(|byte| *byte == b'\n');
        let last = lines.next()?;
        let whole = all || last.len() < bytes.len();
        // A line that is not an entry has no number, so the one before it is used.
        let number =
            |line: &[u8]| serde_json::from_slice::<AuditEntry>(line).ok().map(|entry| entry.seq);
        let seq = number(last).or_else(|| lines.find_map(number));
        if !whole || (seq.is_none() && !all) {
            return None;
        }
        Some(Self {
            prev: chain::hash(last),
            seq: seq.unwrap_or(0),
            torn: (!ended).then_some(last.len()),
        })
    }
}

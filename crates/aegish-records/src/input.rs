//! Bytes of a log → lines, to its end or as it grows.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// Longer lines are no records.
const LONGEST_LINE: usize = 8 << 20;
/// Bytes by which a format is told.
const START: usize = 64 << 10;
/// Time between two looks at a log that is followed.
const PAUSE: Duration = Duration::from_millis(200);

/// What the next line is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NextLine {
    /// The buffer holds a whole line.
    Line,
    /// A line was too long and skipped.
    TooLong,
    /// There is no line now.
    None,
}

/// A log that is read line by line.
pub(crate) struct LogLines {
    path: PathBuf,
    reader: Box<dyn BufRead + Send>,
    /// The identity of the file, if it can be followed.
    identity: Option<(u64, u64)>,
    /// Bytes read so far.
    pub(crate) bytes: u64,
    /// The number of the line.
    pub(crate) number: u64,
    begun: Vec<u8>,
    skipping: bool,
    /// Whether there is a new file at the path.
    renamed: bool,
}

impl LogLines {
    /// Opens a file, or standard input for `-`.
    ///
    /// # Errors
    ///
    /// If it cannot be opened.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let (reader, identity): (Box<dyn BufRead + Send>, _) = if path == Path::new("-") {
            (Box::new(BufReader::with_capacity(START, io::stdin())), None)
        } else {
            let file = File::open(path)?;
            let found = file.metadata()?;
            let identity = found.is_file().then(|| (found.dev(), found.ino()));
            (Box::new(BufReader::with_capacity(START, file)), identity)
        };
        let path = path.to_owned();
        let (bytes, number, begun) = (0, 0, Vec::new());
        Ok(Self { path, reader, identity, bytes, number, begun, skipping: false, renamed: false })
    }

    /// The first bytes, which stay unread.
    ///
    /// # Errors
    ///
    /// If nothing can be read.
    pub(crate) fn start(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    /// Reads the next line into `line`, without its end.
    ///
    /// # Errors
    ///
    /// If the log cannot be read.
    pub(crate) fn next(&mut self, line: &mut Vec<u8>, end: AtEnd) -> io::Result<NextLine> {
        let whole = loop {
            let limit = (LONGEST_LINE + 1).saturating_sub(self.begun.len()) as u64;
            let read = (&mut self.reader).take(limit).read_until(b'\n', &mut self.begun)?;
            self.bytes += read as u64;
            if self.begun.last() == Some(&b'\n') {
                break true;
            }
            if self.begun.len() > LONGEST_LINE {
                self.begun.clear();
                self.skipping = true;
            } else if read == 0 {
                let nothing = self.begun.is_empty() && !self.skipping;
                if nothing || end == AtEnd::Wait {
                    return Ok(NextLine::None);
                }
                break false;
            }
        };
        self.number += 1;
        if whole {
            self.begun.pop();
        }
        if self.begun.last() == Some(&b'\r') {
            self.begun.pop();
        }
        line.clear();
        line.append(&mut self.begun);
        Ok(if std::mem::take(&mut self.skipping) { NextLine::TooLong } else { NextLine::Line })
    }

    /// Waits a moment, and changes to the new file if the log was rotated or cut.
    ///
    /// # Errors
    ///
    /// If the new file cannot be opened.
    pub(crate) fn wait(&mut self) -> io::Result<()> {
        thread::sleep(PAUSE);
        let Some(identity) = self.identity else { return Ok(()) };
        let found = match fs::metadata(&self.path) {
            Ok(found) => found,
            // It is being renamed; a new one will be created.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let renamed = (found.dev(), found.ino()) != identity;
        // Lines that were written before the rename are in the old file, which is read to its end first.
        if renamed && !self.renamed {
            self.renamed = true;
        } else if renamed || found.len() < self.bytes {
            let number = self.number;
            *self = Self::open(&self.path)?;
            self.number = number;
        }
        Ok(())
    }
}

/// What a start of a line without an end is, where the log ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtEnd {
    /// The last line.
    Line,
    /// A line whose rest is still to be written.
    Wait,
}

#[cfg(test)]
mod tests {
    use super::{AtEnd, LogLines, NextLine};
    use std::io::Write as _;

    #[test]
    fn a_log_is_followed_through_growth_and_rotation() {
        let dir = std::env::temp_dir().join(format!("aegish-records-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let path = dir.join("log");
        std::fs::write(&path, "one\ntw").unwrap();
        let mut lines = LogLines::open(&path).unwrap();
        let mut line = Vec::new();
        assert_eq!(lines.next(&mut line, AtEnd::Wait).unwrap(), NextLine::Line);
        assert_eq!(line, b"one");
        assert_eq!(lines.next(&mut line, AtEnd::Wait).unwrap(), NextLine::None);
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"o\n").unwrap();
        assert_eq!(lines.next(&mut line, AtEnd::Wait).unwrap(), NextLine::Line);
        assert_eq!(line, b"two");
        std::fs::rename(&path, dir.join("old")).unwrap();
        std::fs::write(&path, "three").unwrap();
        lines.wait().unwrap();
        assert_eq!(lines.next(&mut line, AtEnd::Wait).unwrap(), NextLine::None);
        lines.wait().unwrap();
        assert_eq!(lines.next(&mut line, AtEnd::Line).unwrap(), NextLine::Line);
        assert_eq!((line.as_slice(), lines.number), (&b"three"[..], 3));
        assert_eq!(lines.next(&mut line, AtEnd::Line).unwrap(), NextLine::None);
        std::fs::remove_dir_all(&dir).unwrap();
    }
}

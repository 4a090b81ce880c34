//! A log as it grows.

use crate::read::{self, AuditLine};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Reads new entries of a log, through rotations.
#[derive(Debug)]
pub struct Follow {
    path: PathBuf,
    reader: BufReader<File>,
    /// How many whole lines were read of this file since it was opened.
    number: u64,
    /// The beginning of a line that has no end yet.
    begun: Vec<u8>,
}

impl Follow {
    /// Starts at the current end of a log.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = read::open(path)?;
        file.seek(SeekFrom::End(0))?;
        let reader = BufReader::new(file);
        Ok(Self { path: path.to_path_buf(), reader, number: 0, begun: Vec::new() })
    }

    /// The lines that came since the last call.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    pub fn arrived(&mut self) -> io::Result<Vec<AuditLine>> {
        // Checked before reading, because lines that are written before the rename belong to the old
        // file.
        let renamed = self.renamed()?;
        let mut lines = self.rest()?;
        if renamed {
            lines.extend(self.rest()?);
            self.reader = BufReader::new(read::open(&self.path)?);
            self.number = 0;
            self.begun.clear();
            lines.extend(self.rest()?);
        }
        Ok(lines)
    }

    /// Whether there is a new file at the path.
    fn renamed(&self) -> io::Result<bool> {
        let open = self.reader.get_ref().metadata()?;
        match fs::symlink_metadata(&self.path) {
            Ok(found) => Ok((found.dev(), found.ino()) != (open.dev(), open.ino())),
            // It is being renamed; a new one will be created.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn rest(&mut self) -> io::Result<Vec<AuditLine>> {
        let mut lines = Vec::new();
        while self.reader.read_until(b'\n', &mut self.begun)? > 0 {
            if self.begun.last() == Some(&b'\n') {
                self.number += 1;
                lines.push(AuditLine::new(
                    &self.path,
                    self.number,
                    std::mem::take(&mut self.begun),
                ));
            }
        }
        Ok(lines)
    }
}

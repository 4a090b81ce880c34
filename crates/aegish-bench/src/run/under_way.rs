//! How many questions of a log are under way, in a file beside it.
//!
//! A process that is killed may have paid for questions whose answers are in no log. The file has a byte for each
//! question before it is asked, and one after its answer is in the log. What is left counts as spent when the run is
//! resumed, so that a cost limit holds for a run that is killed again and again.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// What follows the name of a log in the name of the file.
pub(super) const ENDING: &str = ".asked";
const BEGUN: u8 = b'+';
const ENDED: u8 = b'-';

/// The file of one log.
#[derive(Debug)]
pub(super) struct UnderWay {
    path: PathBuf,
    file: File,
}

impl UnderWay {
    /// Opens the file beside a log.
    pub(super) fn of(log: &Path) -> io::Result<Self> {
        let path = beside(log);
        let file = OpenOptions::new().append(true).create(true).open(&path)?;
        Ok(Self { path, file })
    }

    /// Notes that a question is about to be asked.
    pub(super) fn begin(&self) -> io::Result<()> {
        (&self.file).write_all(&[BEGUN])
    }

    /// Notes that a question is answered in the log, or was not asked.
    pub(super) fn end(&self) -> io::Result<()> {
        (&self.file).write_all(&[ENDED])
    }

    /// Deletes the file if nothing is left in it.
    pub(super) fn close(&self) {
        if lost_in(&self.path).is_ok_and(|lost| lost == 0) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Questions of a log that were asked and never answered in it.
pub(super) fn lost(log: &Path) -> io::Result<u64> {
    match lost_in(&beside(log)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        counted => counted,
    }
}

/// Deletes the file of a log whose run is complete.
pub(super) fn forget(log: &Path) {
    let _ = fs::remove_file(beside(log));
}

fn beside(log: &Path) -> PathBuf {
    let mut name = log.as_os_str().to_owned();
    name.push(ENDING);
    PathBuf::from(name)
}

fn lost_in(path: &Path) -> io::Result<u64> {
    let text = fs::read(path)?;
    let count = |mark: u8| text.iter().filter(|byte| **byte == mark).count() as u64;
    Ok(count(BEGUN).saturating_sub(count(ENDED)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aegish_test_support::folder::Folder;

    #[test]
    fn questions_that_were_never_answered_are_counted_over_several_processes() {
        let folder = Folder::new("under-way");
        let log = folder.0.join("a.eval");
        for before in 0..3 {
            assert_eq!(lost(&log).ok(), Some(before * 2));
            let under_way = UnderWay::of(&log).expect("a file");
            for _ in 0..3 {
                under_way.begin().and_then(|()| under_way.end()).expect("written");
            }
            (0..2).try_for_each(|_| under_way.begin()).expect("written");
            under_way.close();
        }
        let under_way = UnderWay::of(&log).expect("a file");
        (0..6).try_for_each(|_| under_way.end()).expect("written");
        under_way.close();
        assert!(!beside(&log).exists() && lost(&log).ok() == Some(0));
    }
}

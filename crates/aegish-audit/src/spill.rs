//! Entries that the log did not take, because its disk is full or it is broken: they wait in memory, in a file of this user
//! below `/dev/shm`, which outlives the process but not the machine. The next entry that the log takes comes behind them.

use std::ffi::OsString;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use aegish_private_files::{Error, Missing, Owner, PrivateDir};

use crate::chain::hash;
use crate::entry::AuditEntry;
use crate::location::{LONGEST_LOCK, NotWritten};

/// A file system in memory.
const MEMORY: &str = "/dev/shm";
/// More is not kept: a full disk must not become a full memory.
const LONGEST: u64 = 16 << 20;

/// The waiting entries of one log.
#[derive(Debug)]
pub(crate) struct Spill {
    dir: PathBuf,
    name: OsString,
}

impl Spill {
    pub(crate) fn of(log: &Path) -> Self {
        let Owner::Only(user) = Owner::user() else {
            return Self { dir: PathBuf::new(), name: OsString::new() };
        };
        let name = hash(log.as_os_str().as_encoded_bytes());
        let dir = Path::new(MEMORY).join(format!("aegish-{user}"));
        Self { dir, name: OsString::from(name.get(..32).unwrap_or_default()) }
    }

    /// Whether nothing waits, as nearly always.
    fn is_empty(&self) -> bool {
        self.dir.join(&self.name).symlink_metadata().is_err()
    }

    /// Lets an entry wait.
    ///
    /// # Errors
    ///
    /// If there is no room for it either.
    pub(crate) fn add(&self, entry: &AuditEntry) -> Result<(), NotWritten> {
        let failed = |error: &Error| NotWritten::new(error.path().display(), error.problem());
        let mut line = serde_json::to_vec(entry)
            .map_err(|error| NotWritten::new(self.dir.display(), error))?;
        line.push(b'\n');
        let dir = self.open().map_err(|error| failed(&error))?;
        let file = dir.lock(&self.name, LONGEST_LOCK).map_err(|error| failed(&error))?;
        let length = file.metadata().map_or(u64::MAX, |found| found.len());
        if length.saturating_add(line.len() as u64) > LONGEST {
            return Err(NotWritten::new(self.dir.display(), "too many entries wait already"));
        }
        file.append(&line).map_err(|error| failed(&error))
    }

    /// Writes what waits, in its order, until `write` fails. What was written does not wait any more.
    ///
    /// # Errors
    ///
    /// The error of `write`. If what waits cannot be read, it stays.
    pub(crate) fn drain(
        &self,
        mut write: impl FnMut(&AuditEntry) -> Result<(), NotWritten>,
    ) -> Result<(), NotWritten> {
        if self.is_empty() {
            return Ok(());
        }
        let unread = |error: &dyn std::fmt::Display| NotWritten::new(self.dir.display(), error);
        let dir = self.open().map_err(|error| unread(&error))?;
        let file = dir.lock(&self.name, LONGEST_LOCK).map_err(|error| unread(&error))?;
        let mut bytes = Vec::new();
        read(&file, &mut bytes).map_err(|error| unread(&error))?;
        let mut written = 0;
        let mut outcome = Ok(());
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            // A line that was cut off is no entry.
            if let Ok(entry) = serde_json::from_slice(line)
                && let Err(error) = write(&entry)
            {
                outcome = Err(error);
                break;
            }
            written += line.len();
        }
        // Whoever is killed here leaves entries that were written already, which come twice, but loses none.
        let kept = match bytes.get(written..).unwrap_or_default() {
            [] => dir.remove(&self.name),
            _ if written == 0 => Ok(()),
            rest => dir.replace(&self.name, rest, 0o600),
        };
        let kept = kept.map_err(|error| unread(&error));
        outcome.and(kept)
    }

    fn open(&self) -> Result<PrivateDir, Error> {
        PrivateDir::open(&self.dir, Owner::user(), Missing::Create(0o700))
    }
}

fn read(mut file: &std::fs::File, bytes: &mut Vec<u8>) -> io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    file.take(LONGEST).read_to_end(bytes).map(drop)
}

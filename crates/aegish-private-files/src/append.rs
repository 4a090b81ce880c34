//! A file that is locked for appending.

use std::fs::{File, Permissions, TryLockError};
use std::io::{self, Write as _};
use std::ops::Deref;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::refusal::Problem;
use crate::{Error, size_limit};

const PAUSE: Duration = Duration::from_millis(1);

/// A locked file: no other process appends to it or replaces it. Dropping it releases the lock.
#[derive(Debug)]
pub struct LockedFile {
    file: File,
    path: PathBuf,
}

impl LockedFile {
    pub(crate) fn new(file: File, path: PathBuf) -> Self {
        Self { file, path }
    }

    /// Removes the permissions of other users, if there are any.
    ///
    /// # Errors
    ///
    /// If the permissions cannot be changed.
    pub fn hide_from_others(&self) -> Result<(), Error> {
        let failed = |error: io::Error| Error::new(&self.path, error);
        if self.file.metadata().map_err(failed)?.permissions().mode() & 0o077 == 0 {
            return Ok(());
        }
        self.file.set_permissions(Permissions::from_mode(0o600)).map_err(failed)
    }

    /// Appends all bytes with one call, or none.
    ///
    /// # Errors
    ///
    /// If the bytes cannot be written. The file then has its old length.
    pub fn append(&self, bytes: &[u8]) -> Result<(), Error> {
        let failed = |problem: Problem| Error::new(&self.path, problem);
        let before = self.file.metadata().map_err(|error| failed(error.into()))?.len();
        let written = size_limit::as_error(|| {
            loop {
                match (&self.file).write(bytes) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    other => break other,
                }
            }
        });
        match written.map_err(|error| failed(error.into()))? {
            whole if whole == bytes.len() => Ok(()),
            written => {
                // Best effort: the process may be killed here, so readers have to accept a partial line
                // anyway.
                let _ = self.file.set_len(before);
                Err(failed(Problem::NoSpace { written, all: bytes.len() }))
            }
        }
    }
}

impl Deref for LockedFile {
    type Target = File;

    fn deref(&self) -> &File {
        &self.file
    }
}

/// Waits for a lock, at most for `longest`.
pub(crate) fn wait_for(
    lock: impl Fn() -> Result<(), TryLockError>,
    longest: Duration,
) -> Result<(), Problem> {
    let deadline = Instant::now() + longest;
    loop {
        match lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error.into()),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => sleep(PAUSE),
            Err(TryLockError::WouldBlock) => return Err(Problem::Locked),
        }
    }
}

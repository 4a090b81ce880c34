//! Cache of opinions.
//!
//! One small file per opinion, named by the hash of everything that can change it, in one of 256 directories.
//! A reader needs one open, one read and no lock. A writer writes a new file and renames it, so that readers
//! see the old one, the new one or none, even if a process dies in between. Each file has its key and a
//! checksum and is read only if this user owns it; an invalid file is treated as missing. Each directory
//! holds a bounded number of files; the oldest are removed first.
//!
//! Failures are never cached. Commands, scripts and secrets are not in the files, only hashes and the model's
//! text without secrets. `docs/design/judge.md` says why this is not a database.

mod entry;
mod key;
mod shared;

use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::settings::{CacheSettings, FEWEST_ENTRIES};
use aegish_private_files::{Error, Missing, Owner, PrivateDir, UNFINISHED as UNFINISHED_NAME};
pub(crate) use entry::CacheEntry;
pub(crate) use key::{CacheKey, Question};
pub use shared::OpinionStore;

/// Changes with the format, so that versions do not read each other's files.
const FOLDER: &str = "verdicts-1";
/// A reason has at most 500 characters; the rest is small.
const LONGEST_ENTRY: u64 = 16 * 1024;
/// A file that is still being written is younger than this.
const UNFINISHED: Duration = Duration::from_secs(60);
/// Clocks of machines that share a home directory differ a little.
const FROM_THE_FUTURE: u64 = 300;

/// The cached opinions of this user.
#[derive(Debug)]
pub(crate) struct Cache {
    dir: PathBuf,
    ttl: Duration,
    /// Files per directory.
    most: usize,
}

impl Cache {
    /// Opens the cache. No file is read or created before the first question. None if caching is switched
    /// off.
    pub(crate) fn new(settings: &CacheSettings) -> Option<Self> {
        let dir = settings.dir.as_ref()?.join(FOLDER);
        Some(Self { dir, ttl: settings.ttl, most: (settings.max_entries / FEWEST_ENTRIES).max(1) })
    }

    /// The opinion that was given before, if it is whole, ours and young enough.
    pub(crate) fn get(&self, key: &CacheKey) -> Option<CacheEntry> {
        let (folder, name) = key.split();
        let dir = self.folder(folder, Missing::Fail).ok()?;
        let bytes = dir.read(OsStr::new(name), LONGEST_ENTRY).ok()??;
        CacheEntry::read(&bytes, key).filter(|entry| self.is_fresh(entry))
    }

    fn is_fresh(&self, entry: &CacheEntry) -> bool {
        let now = seconds_now();
        entry.made <= now.saturating_add(FROM_THE_FUTURE)
            && now.saturating_sub(entry.made) < self.ttl.as_secs().max(1)
    }

    /// Stores an opinion.
    ///
    /// # Errors
    ///
    /// If it cannot be written completely into a directory that this user owns.
    pub(crate) fn put(&self, key: &CacheKey, entry: &CacheEntry) -> Result<(), Error> {
        let (folder, name) = key.split();
        let dir = self.folder(folder, Missing::CreateAll)?;
        dir.replace(OsStr::new(name), entry.write(key).as_bytes(), 0o600)?;
        self.tidy(&dir)
    }

    fn folder(&self, name: &str, missing: Missing) -> Result<PrivateDir, Error> {
        let dir = PrivateDir::open(&self.dir, Owner::user(), missing)?;
        dir.subdirectory(OsStr::new(name), missing)
    }

    /// Removes unfinished files of dead processes, and the oldest files beyond the bound.
    fn tidy(&self, dir: &PrivateDir) -> Result<(), Error> {
        let now = SystemTime::now();
        let mut files = Vec::new();
        for name in dir.names()? {
            // Another process may have removed it already.
            let Ok(Some(changed)) = dir.changed(&name) else { continue };
            if name.as_encoded_bytes().starts_with(UNFINISHED_NAME.as_bytes()) {
                if now.duration_since(changed).is_ok_and(|age| age > UNFINISHED) {
                    let _ = dir.remove(&name);
                }
            } else {
                files.push((changed, name));
            }
        }
        if let Some(beyond) = files.len().checked_sub(self.most).filter(|beyond| *beyond > 0) {
            files.sort();
            for (_, name) in files.iter().take(beyond) {
                let _ = dir.remove(name);
            }
        }
        Ok(())
    }
}

pub(crate) fn seconds_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

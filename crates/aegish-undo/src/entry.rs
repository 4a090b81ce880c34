//! One run in the store: a directory with its description, its state, and copies of files.

use crate::changes::Change;
use crate::image;
use crate::raw::Raw;
use aegish_private_files::{Missing, replace_file};
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const ABOUT: &str = "entry.json";
const STATE: &str = "state";
const CHANGES: &str = "changes.json";
const LOCK: &str = "lock";
/// The longest file of an entry that is read.
const LONGEST: u64 = 1 << 30;

/// How changes are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    /// The run changes an overlay.
    Overlay,
    /// Copies were made before the run, which changes the real files.
    Copies,
}

/// How far an entry is. Each state says what a crash in it leaves to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It is being made; nothing has run. Removed.
    Preparing,
    /// It runs. With overlays no real file is changed: removed. With copies it can be undone.
    Running,
    /// The run has ended, and nobody has decided.
    Ended,
    /// The changes are being applied to the real files. Finished.
    Applying,
    /// The changes are in the real files, and can be undone.
    Kept,
    /// The earlier files are being brought back. Finished.
    Reverting,
}

/// What was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// The text.
    pub command: String,
    /// Where.
    #[serde(with = "crate::raw::path")]
    pub cwd: PathBuf,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct About {
    pub(crate) subject: Subject,
    pub(crate) method: Method,
    /// Seconds since 1970.
    pub(crate) began: u64,
    /// Directories that are covered, or paths that were copied.
    pub(crate) roots: Vec<Raw>,
    /// Bytes that the copies hold.
    pub(crate) bytes: u64,
}

/// An entry that this process alone works on.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) id: u32,
    pub(crate) dir: PathBuf,
    pub(crate) about: About,
    _lock: File,
}

impl Entry {
    /// Makes an entry; `dir` is a fresh directory.
    pub(crate) fn create(id: u32, dir: PathBuf, about: About) -> io::Result<Self> {
        let lock = File::create(dir.join(LOCK))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        fs::create_dir(dir.join("before"))?;
        let entry = Self { id, dir, about, _lock: lock };
        fs::write(entry.dir.join(ABOUT), serde_json::to_vec(&entry.about)?)?;
        entry.note_state(State::Preparing)?;
        Ok(entry)
    }

    /// Opens an entry unless another process works on it.
    pub(crate) fn open(id: u32, dir: PathBuf) -> io::Result<Self> {
        let lock = File::options().write(true).open(dir.join(LOCK))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        let about = read(&dir.join(ABOUT))?;
        Ok(Self { id, dir, about, _lock: lock })
    }

    /// The description of an entry, without opening it.
    pub(crate) fn peek(dir: &Path) -> io::Result<(About, State)> {
        Ok((read(&dir.join(ABOUT))?, read(&dir.join(STATE))?))
    }

    pub(crate) fn save_about(&self) -> io::Result<()> {
        write(&self.dir.join(ABOUT), &self.about)
    }

    pub(crate) fn state(&self) -> io::Result<State> {
        read(&self.dir.join(STATE))
    }

    /// Sets a state in which no real file is changed: it need not be on the disk, as an entry that cannot be read is
    /// one that nothing depends on.
    pub(crate) fn note_state(&self, state: State) -> io::Result<()> {
        fs::write(self.dir.join(STATE), serde_json::to_vec(&state)?)
    }

    /// Sets the state. It is on the disk when this returns.
    pub(crate) fn set_state(&self, state: State) -> io::Result<()> {
        write(&self.dir.join(STATE), &state)
    }

    pub(crate) fn changes(&self) -> io::Result<Vec<Change>> {
        read(&self.dir.join(CHANGES))
    }

    pub(crate) fn save_changes(&self, changes: &[Change]) -> io::Result<()> {
        write(&self.dir.join(CHANGES), &changes)
    }

    pub(crate) fn read<T: DeserializeOwned>(&self, name: &str) -> io::Result<T> {
        read(&self.dir.join(name))
    }

    pub(crate) fn write<T: Serialize>(&self, name: &str, value: &T) -> io::Result<()> {
        write(&self.dir.join(name), value)
    }

    /// Where the earlier content of a file lies.
    pub(crate) fn image(&self, number: usize) -> PathBuf {
        self.dir.join("before").join(number.to_string())
    }

    pub(crate) fn roots(&self) -> impl Iterator<Item = &Path> {
        self.about.roots.iter().map(Raw::path)
    }

    /// The upper and the work directory of an overlay.
    pub(crate) fn layer(&self, number: usize) -> (PathBuf, PathBuf) {
        let name = number.to_string();
        (self.dir.join("upper").join(&name), self.dir.join("work").join(&name))
    }

    /// Removes the layers of overlays, whose content is in the real files now.
    pub(crate) fn remove_layers(&self) -> io::Result<()> {
        image::remove_tree(&self.dir.join("upper"))?;
        image::remove_tree(&self.dir.join("work"))
    }

    /// Removes the entry.
    pub(crate) fn remove(self) -> io::Result<()> {
        // One that is half removed has no description, and is removed by the next one who looks.
        let _ = fs::remove_file(self.dir.join(ABOUT));
        image::remove_tree(&self.dir)
    }
}

pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs()
}

fn read<T: DeserializeOwned>(path: &Path) -> io::Result<T> {
    use io::Read as _;
    let mut bytes = Vec::new();
    File::open(path)?.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(serde_json::from_slice(&bytes)?)
}

/// Replaces the file as a whole, on the disk.
fn write<T: Serialize>(path: &Path, value: &T) -> io::Result<()> {
    let bytes = serde_json::to_vec(value)?;
    replace_file(path, &bytes, 0o600, Missing::Fail).map_err(io::Error::other)
}

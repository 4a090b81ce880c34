//! The runs that can be undone.

use crate::copies::{self, Scope};
use crate::entry::{About, Entry, Method, State, Subject, now};
use crate::overlay::{Obstacle, cover, obstacle};
use crate::raw::Raw;
use crate::run::Run;
use aegish_private_files::{Missing, Owner, PrivateDir};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// How long is waited for another process that has an entry open.
const PATIENCE: Duration = Duration::from_millis(500);

/// Where the runs of one user are kept, for how long and how large.
#[derive(Debug, Clone)]
pub struct Store {
    /// Directories, the preferred one first. A directory that is covered cannot hold its own overlay.
    pub places: Vec<PathBuf>,
    /// How long a run can be undone.
    pub kept_for: Duration,
    /// The most bytes of earlier content, of one run and of all.
    pub most: u64,
}

/// Whether files that changed since are replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflicts {
    /// Nothing is undone.
    Refuse,
    /// They are brought back too.
    Override,
}

/// Why a run cannot be prepared or undone.
#[derive(Debug)]
pub enum Error {
    /// There is no directory for it.
    NoPlace,
    /// The directories cannot be covered.
    Overlay(Obstacle),
    /// The store cannot be used.
    Store(io::Error),
    /// There is no such run.
    Unknown(u32),
    /// Another process works on it.
    Busy(u32),
    /// These files changed since.
    Conflicts(Vec<PathBuf>),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPlace => f.write_str("there is no place for the earlier files; set HOME"),
            Self::Overlay(obstacle) => obstacle.fmt(f),
            Self::Store(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                f.write_str("the earlier files are larger than AEGISH_UNDO_SIZE allows")
            }
            Self::Store(error) => write!(f, "the earlier files cannot be kept: {error}"),
            Self::Unknown(id) => write!(f, "there is no run {id}; see `aegish undo --list`"),
            Self::Busy(id) => write!(f, "run {id} is in use by another process"),
            Self::Conflicts(paths) => {
                write!(f, "{} changed since", listed(paths))
            }
        }
    }
}

fn listed(paths: &[PathBuf]) -> String {
    let shown: Vec<String> = paths.iter().take(3).map(|path| path.display().to_string()).collect();
    match paths.len().saturating_sub(shown.len()) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Store(error)
    }
}

/// A run in the store.
#[derive(Debug, Clone)]
pub struct Summary {
    /// The number by which it is called.
    pub id: u32,
    /// What was run.
    pub subject: Subject,
    /// How its changes are held.
    pub method: Method,
    /// The stage that the run has reached.
    pub state: State,
    /// When it began, in seconds since 1970.
    pub began: u64,
    /// Bytes of earlier content.
    pub bytes: u64,
}

/// An unfinished step of a run that crashed, which was finished now.
#[derive(Debug)]
pub enum Recovered {
    /// The changes of this run are in the files.
    Applied(u32),
    /// The files are as before this run.
    Reverted(u32),
    /// This run cannot be finished.
    Failed(u32, io::Error),
}

impl Store {
    /// Prepares a run whose changes to these directories go to an overlay.
    ///
    /// # Errors
    ///
    /// If they cannot be covered.
    pub fn begin_overlay(&self, subject: Subject, roots: &[PathBuf]) -> Result<Run, Error> {
        if let Some(obstacle) = obstacle(roots) {
            return Err(Error::Overlay(obstacle));
        }
        let outside = |place: &&PathBuf| !roots.iter().any(|root| place.starts_with(root));
        let entry = self.create(subject, Method::Overlay, roots.iter(), outside)?;
        match cover(&entry) {
            Ok(namespace) => {
                entry.note_state(State::Running)?;
                Ok(Run::new(entry, Some(namespace)))
            }
            Err(obstacle) => {
                entry.remove()?;
                Err(Error::Overlay(obstacle))
            }
        }
    }

    /// Prepares a run by copying what is at these paths.
    ///
    /// # Errors
    ///
    /// If they cannot be copied, or are too large.
    pub fn begin_copies(&self, subject: Subject, paths: &[(PathBuf, Scope)]) -> Result<Run, Error> {
        let outside = |place: &&PathBuf| !paths.iter().any(|(path, _)| place.starts_with(path));
        let roots = paths.iter().map(|(path, _)| path);
        let mut entry = self.create(subject, Method::Copies, roots, outside)?;
        let saved = copies::save(&mut entry, paths, self.most)
            .and_then(|()| crate::image::sync(&entry.dir))
            .and_then(|()| entry.set_state(State::Running));
        match saved {
            Ok(()) => Ok(Run::new(entry, None)),
            Err(error) => {
                entry.remove()?;
                Err(error.into())
            }
        }
    }

    fn create<'a>(
        &self,
        subject: Subject,
        method: Method,
        roots: impl Iterator<Item = &'a PathBuf>,
        fits: impl Fn(&&PathBuf) -> bool,
    ) -> Result<Entry, Error> {
        let real: Vec<PathBuf> = self.places.iter().filter_map(|place| prepared(place)).collect();
        let place = real.iter().find(fits).ok_or(Error::NoPlace)?;
        let roots = roots.map(|root| Raw::from(root.as_path())).collect();
        let about = About { subject, method, began: now(), roots, bytes: 0 };
        let mut id = self.entries().last().map_or(1, |(id, _)| id + 1);
        loop {
            let dir = place.join(id.to_string());
            match fs::create_dir(&dir) {
                Ok(()) => return Ok(Entry::create(id, dir, about)?),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => id += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Numbers and directories, the oldest first.
    fn entries(&self) -> Vec<(u32, PathBuf)> {
        let mut found = Vec::new();
        for place in &self.places {
            if PrivateDir::open(place, Owner::user(), Missing::Fail).is_err() {
                continue;
            }
            for entry in fs::read_dir(place).into_iter().flatten().flatten() {
                let id = entry.file_name().to_str().and_then(|name| name.parse().ok());
                found.extend(id.map(|id| (id, entry.path())));
            }
        }
        found.sort();
        found
    }

    /// The runs, the oldest first.
    #[must_use]
    pub fn list(&self) -> Vec<Summary> {
        let summary = |(id, dir): (u32, PathBuf)| {
            let (about, state) = Entry::peek(&dir).ok()?;
            let About { subject, method, began, bytes, .. } = about;
            Some(Summary { id, subject, method, state, began, bytes })
        };
        self.entries().into_iter().filter_map(summary).collect()
    }

    fn open(&self, id: u32) -> Result<Entry, Error> {
        let entries = self.entries();
        let found = entries.into_iter().find(|(number, _)| *number == id);
        let (_, dir) = found.ok_or(Error::Unknown(id))?;
        let began = Instant::now();
        loop {
            match Entry::open(id, dir.clone()) {
                // A process that was just started or is just ending may hold the lock for a moment.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if began.elapsed() > PATIENCE {
                        return Err(Error::Busy(id));
                    }
                    thread::sleep(PATIENCE / 50);
                }
                opened => return Ok(opened?),
            }
        }
    }

    /// A run that has ended or was cut off, with its changes.
    ///
    /// # Errors
    ///
    /// If there is none, or another process works on it.
    pub fn run(&self, id: u32) -> Result<Run, Error> {
        let entry = self.open(id)?;
        if entry.about.method == Method::Copies && entry.state()? == State::Running {
            let mut run = Run::new(entry, None);
            run.ended()?;
            return Ok(run);
        }
        Ok(Run::again(entry)?)
    }

    /// Brings back the files as they were before a run, and forgets it.
    ///
    /// # Errors
    ///
    /// If files changed since, or cannot be brought back.
    pub fn undo(&self, id: u32, conflicts: Conflicts) -> Result<(), Error> {
        let run = self.run(id)?;
        let state = run.state()?;
        if run.method() == Method::Overlay && state != State::Kept {
            return Ok(run.discard()?);
        }
        let changed = run.changed_since();
        if state == State::Kept && conflicts == Conflicts::Refuse && !changed.is_empty() {
            return Err(Error::Conflicts(changed));
        }
        Ok(run.revert()?)
    }

    /// Finishes what a crash cut off, and forgets runs that are too old or too large together.
    pub fn recover(&self) -> Vec<Recovered> {
        let mut done = Vec::new();
        for (id, dir) in self.entries() {
            // Another process works on it, or it is half made or half removed.
            let entry = match Entry::open(id, dir.clone()) {
                Ok(entry) => entry,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                Err(_) => {
                    let _ = remove_remains(&dir);
                    continue;
                }
            };
            done.extend(recover(entry));
        }
        self.expire();
        done
    }

    fn expire(&self) {
        let (mut bytes, oldest): (u64, u64) = (0, now().saturating_sub(self.kept_for.as_secs()));
        for summary in self.list().into_iter().rev() {
            bytes = bytes.saturating_add(summary.bytes);
            if (summary.began < oldest || bytes > self.most)
                && matches!(summary.state, State::Kept | State::Ended)
                && let Ok(entry) = self.open(summary.id)
            {
                let _ = entry.remove();
            }
        }
    }
}

fn recover(entry: Entry) -> Option<Recovered> {
    let (id, state) = (entry.id, entry.state());
    let (state, method) = match state {
        Ok(state) => (state, entry.about.method),
        Err(_) => {
            let _ = entry.remove();
            return None;
        }
    };
    match (state, method) {
        (State::Preparing, _) | (State::Running, Method::Overlay) => {
            let _ = entry.remove();
            None
        }
        (State::Applying | State::Reverting, _) => {
            let finished = Run::again(entry).and_then(|run| run.finish(state));
            Some(match (finished, state) {
                (Err(error), _) => Recovered::Failed(id, error),
                (Ok(()), State::Applying) => Recovered::Applied(id),
                (Ok(()), _) => Recovered::Reverted(id),
            })
        }
        (State::Running | State::Ended | State::Kept, _) => None,
    }
}

/// An entry without a description that can be read is one that was being made or removed.
fn remove_remains(dir: &Path) -> io::Result<()> {
    match Entry::peek(dir) {
        Err(error) if is_damage(&error) => crate::image::remove_tree(dir),
        _ => Ok(()),
    }
}

/// Whether a description is missing or cut off.
fn is_damage(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, NotFound, UnexpectedEof};
    matches!(error.kind(), NotFound | InvalidData | UnexpectedEof)
}

/// The directory without links, made if it is missing; none if another user could write it.
fn prepared(place: &Path) -> Option<PathBuf> {
    PrivateDir::open(place, Owner::user(), Missing::CreateAll).ok()?;
    place.canonicalize().ok()
}

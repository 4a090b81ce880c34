//! Copies of what a command may change, made before it runs.

use crate::changes::Change;
use crate::entry::Entry;
use crate::image;
use crate::object::{Inode, Kind, Object};
use crate::raw::Raw;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

const SNAPSHOT: &str = "snapshot.json";

/// How much of a path is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// The path alone; of a directory its rights.
    Path,
    /// With everything below it.
    Tree,
}

/// A path as it was.
#[derive(Debug, Serialize, Deserialize)]
struct Saved {
    #[serde(with = "crate::raw::path")]
    path: PathBuf,
    object: Object,
    /// Changes with everything that happens to a file, and nobody can set it.
    stamp: (i64, i64),
    image: Option<usize>,
    scope: SavedScope,
}

/// Whether names that come later belong to the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum SavedScope {
    Alone,
    WithNames,
}

/// Saves what is at these paths. Fails if the copies would be larger than this.
pub(crate) fn save(entry: &mut Entry, paths: &[(PathBuf, Scope)], most: u64) -> io::Result<()> {
    let mut saver = Saver { entry, saved: Vec::new(), bytes: 0, most, files: HashMap::new() };
    let mut parents: Vec<&Path> = Vec::new();
    for (path, scope) in paths {
        saver.add(path, *scope)?;
        parents.extend(path.parent());
    }
    parents.sort();
    parents.dedup();
    for parent in parents {
        // For its time, which changes with the names in it.
        if !saver.saved.iter().any(|saved| saved.path == parent) && parent.is_dir() {
            saver.add(parent, Scope::Path)?;
        }
    }
    let Saver { mut saved, bytes, .. } = saver;
    saved.sort_by(|one, other| one.path.cmp(&other.path));
    entry.about.bytes = bytes;
    entry.save_about()?;
    entry.write(SNAPSHOT, &saved)
}

struct Saver<'a> {
    entry: &'a Entry,
    saved: Vec<Saved>,
    bytes: u64,
    most: u64,
    /// Copies of files with several names.
    files: HashMap<Inode, usize>,
}

impl Saver<'_> {
    fn add(&mut self, path: &Path, scope: Scope) -> io::Result<()> {
        let object = Object::at(path)?;
        let stamp = fs::symlink_metadata(path).map(|meta| (meta.ctime(), meta.ctime_nsec()));
        let image = match object.kind {
            Kind::File { .. } => Some(self.content(path, &object)?),
            _ => None,
        };
        let tree = object.kind == Kind::Directory && scope == Scope::Tree;
        self.saved.push(Saved {
            path: path.to_owned(),
            object,
            stamp: stamp.unwrap_or_default(),
            image,
            scope: if tree { SavedScope::WithNames } else { SavedScope::Alone },
        });
        if tree {
            for entry in fs::read_dir(path)? {
                self.add(&entry?.path(), Scope::Tree)?;
            }
        }
        Ok(())
    }

    fn content(&mut self, path: &Path, object: &Object) -> io::Result<usize> {
        if let Some(copied) = object.inode.and_then(|inode| self.files.get(&inode)) {
            return Ok(*copied);
        }
        self.bytes = self.bytes.saturating_add(object.size());
        if self.bytes > self.most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let number = self.saved.len();
        image::copy(path, object, &self.entry.image(number))?;
        if let Some(inode) = object.inode {
            self.files.insert(inode, number);
        }
        Ok(number)
    }
}

/// What differs now from what was saved.
pub(crate) fn compare(entry: &Entry) -> io::Result<Vec<Change>> {
    let saved: Vec<Saved> = entry.read(SNAPSHOT)?;
    let known: HashSet<&Path> = saved.iter().map(|saved| saved.path.as_path()).collect();
    let mut changes = Vec::new();
    let mut untouched: HashMap<Inode, &Path> = HashMap::new();
    for was in &saved {
        let now = Object::at(&was.path)?;
        if is_same(entry, was, &now)? {
            untouched.extend(was.object.inode.map(|inode| (inode, was.path.as_path())));
        } else {
            let mut change = Change::new(was.path.clone(), was.object.clone(), now.clone());
            change.image = was.image;
            changes.push(change);
        }
        let whole = was.scope == SavedScope::WithNames || was.object.kind != Kind::Directory;
        if whole && now.kind == Kind::Directory {
            added(&was.path, &known, &mut changes)?;
        }
    }
    // Bringing files back changes the time of their directories, too.
    let touched: HashSet<PathBuf> =
        changes.iter().filter_map(|change| change.path.parent()).map(Path::to_owned).collect();
    for was in saved.iter().filter(|was| touched.contains(&was.path)) {
        if was.object.kind == Kind::Directory {
            changes.push(Change::new(was.path.clone(), was.object.clone(), Object::at(&was.path)?));
        }
    }
    for change in &mut changes {
        let peer = change.before.inode.and_then(|inode| untouched.get(&inode));
        change.peer = peer.map(|path| Raw::from(*path));
    }
    changes.sort_by(|one, other| one.path.cmp(&other.path));
    changes.dedup_by(|one, other| one.path == other.path);
    Ok(changes)
}

fn is_same(entry: &Entry, was: &Saved, now: &Object) -> io::Result<bool> {
    if !was.object.is_alike(now) {
        return Ok(false);
    }
    let Some(image) = was.image else { return Ok(true) };
    let meta = fs::symlink_metadata(&was.path)?;
    if (meta.ctime(), meta.ctime_nsec()) == was.stamp {
        return Ok(true);
    }
    image::have_same_content(&was.path, &entry.image(image))
}

/// Names in a directory that were not there.
fn added(dir: &Path, known: &HashSet<&Path>, changes: &mut Vec<Change>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if known.contains(path.as_path()) {
            continue;
        }
        let now = Object::at(&path)?;
        let is_dir = now.kind == Kind::Directory;
        changes.push(Change::new(path.clone(), Object::absent(), now));
        if is_dir {
            added(&path, known, changes)?;
        }
    }
    Ok(())
}

//! Brings files to the state before or behind a run. Can be repeated: a run of it that was cut off is finished by the
//! next.
//!
//! New content is brought to the file system of the files first, so that a full disk shows before a file is changed.
//! Files are replaced by renaming, never written in place.

use crate::changes::Change;
use crate::entry::{Entry, Method};
use crate::image::{self, share_file_system};
use crate::object::{Inode, Kind, Object, is_missing};
use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Which state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Before,
    After,
}

impl Target {
    fn of(self, change: &Change) -> &Object {
        match self {
            Self::Before => &change.before,
            Self::After => &change.after,
        }
    }
}

/// Where the new content of a file is.
enum Source {
    /// A file on the same file system; gets another name.
    Linked(PathBuf),
    /// A copy beside the files; is moved.
    Staged(PathBuf),
    /// A file that is brought first; gets another name.
    Name(usize),
}

/// A transition of all files of an entry.
pub(crate) struct Transition<'a> {
    entry: &'a Entry,
    changes: &'a [Change],
    target: Target,
    sources: HashMap<usize, Source>,
    /// Directories with copies, and what they are in.
    stages: HashMap<PathBuf, (PathBuf, Object)>,
}

impl<'a> Transition<'a> {
    /// Brings the content to where it is needed. No file that a person knows is changed yet.
    pub(crate) fn prepare(
        entry: &'a Entry,
        changes: &'a [Change],
        target: Target,
    ) -> io::Result<Self> {
        let mut transition =
            Self { entry, changes, target, sources: HashMap::new(), stages: HashMap::new() };
        let staged = transition.stage();
        if staged.is_err() {
            transition.remove_stages();
        }
        staged.map(|()| transition)
    }

    fn stage(&mut self) -> io::Result<()> {
        let mut first: HashMap<Inode, usize> = HashMap::new();
        for (number, change) in self.changes.iter().enumerate() {
            let object = self.target.of(change);
            if !matches!(object.kind, Kind::File { .. }) {
                continue;
            }
            if let Some(peer) = self.peer(change) {
                self.sources.insert(number, Source::Linked(peer));
                continue;
            }
            let content = match (self.target, change.image) {
                (Target::Before, Some(image)) => self.entry.image(image),
                (Target::Before, None) => return Err(io::ErrorKind::NotFound.into()),
                (Target::After, _) => self.upper(&change.path)?,
            };
            let (root, _) = self.root_of(&change.path)?;
            let source = if self.is_shared(&content, &root) {
                Source::Linked(content)
            } else if let Some(earlier) = object.inode.and_then(|inode| first.get(&inode)) {
                Source::Name(*earlier)
            } else {
                let stage = self.stage_dir(&root);
                if !self.stages.contains_key(&stage) {
                    let around = Object::at(&root)?;
                    // One may be left from a crash.
                    image::remove_tree(&stage)?;
                    fs::create_dir(&stage)?;
                    self.stages.insert(stage.clone(), (root, around));
                }
                let place = stage.join(number.to_string());
                image::copy(&content, object, &place)?;
                Source::Staged(place)
            };
            if let Some(inode) = object.inode {
                first.entry(inode).or_insert(number);
            }
            self.sources.insert(number, source);
        }
        Ok(())
    }

    /// Whether the content can get a name among the files. With copies it cannot: the copy has to stay as it is.
    fn is_shared(&self, content: &Path, root: &Path) -> bool {
        self.entry.about.method == Method::Overlay && share_file_system(content, root)
    }

    /// Another name of the file that the run left alone.
    fn peer(&self, change: &Change) -> Option<PathBuf> {
        if self.target == Target::After {
            return change.later_peer.as_ref().map(|peer| peer.path().to_owned());
        }
        let peer = change.peer.as_ref()?;
        let meta = fs::symlink_metadata(peer.path()).ok()?;
        let same = change.before.inode == Some(Inode::of(&meta))
            && Object::at(peer.path()).is_ok_and(|now| now.is_alike(&change.before));
        same.then(|| peer.path().to_owned())
    }

    fn stage_dir(&self, root: &Path) -> PathBuf {
        root.join(format!(".aegish-undo-{}", self.entry.id))
    }

    /// The directory that stages are made in: a covered directory, or the one that holds a copied path.
    fn root_of(&self, path: &Path) -> io::Result<(PathBuf, usize)> {
        let found = self.entry.roots().enumerate().find(|(_, root)| path.starts_with(root));
        let (number, root) = found.ok_or(io::ErrorKind::NotFound)?;
        let place = match self.entry.about.method {
            Method::Overlay => Some(root),
            Method::Copies => root.ancestors().skip(1).find(|dir| dir.is_dir()),
        };
        Ok((place.ok_or(io::ErrorKind::NotFound)?.to_owned(), number))
    }

    fn upper(&self, path: &Path) -> io::Result<PathBuf> {
        let (root, number) = self.root_of(path)?;
        let inner = path.strip_prefix(&root).map_err(io::Error::other)?;
        Ok(self.entry.layer(number).0.join(inner))
    }

    fn remove_stages(&self) {
        for (stage, (root, around)) in &self.stages {
            let _ = image::remove_tree(stage);
            let _ = around.finish(root);
        }
    }

    /// Brings the files to the state.
    pub(crate) fn run(&self) -> io::Result<()> {
        for change in self.changes.iter().rev() {
            self.clear(change)?;
        }
        for (number, change) in self.changes.iter().enumerate() {
            self.put(number, change)?;
        }
        self.remove_stages();
        // What happens in a directory changes its time, so directories come last, and inner ones first.
        for change in self.changes.iter().rev() {
            let object = self.target.of(change);
            if object.kind == Kind::Directory {
                object.finish(&change.path)?;
            }
        }
        for root in self.entry.roots() {
            let is_dir = |path: &&Path| fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir());
            if let Some(dir) = root.ancestors().find(is_dir) {
                image::sync(dir)?;
            }
        }
        Ok(())
    }

    /// Removes what must not be there, or stands where something of another kind comes.
    fn clear(&self, change: &Change) -> io::Result<()> {
        let object = self.target.of(change);
        let now = match fs::symlink_metadata(&change.path) {
            Ok(now) => now,
            Err(error) if is_missing(&error) => return Ok(()),
            Err(error) => return Err(error),
        };
        if now.is_dir() && object.kind != Kind::Directory {
            return within_writable(&change.path, || fs::remove_dir(&change.path));
        }
        let replaced = matches!(object.kind, Kind::File { .. });
        if !now.is_dir() && !replaced {
            return within_writable(&change.path, || fs::remove_file(&change.path));
        }
        Ok(())
    }

    fn put(&self, number: usize, change: &Change) -> io::Result<()> {
        let (path, object) = (&change.path, self.target.of(change));
        match &object.kind {
            Kind::Absent => Ok(()),
            Kind::Directory => match fs::symlink_metadata(path) {
                Ok(_) => Ok(()),
                Err(_) => within_writable(path, || object.make(path)),
            },
            Kind::File { .. } => {
                let Some(source) = self.sources.get(&number) else { return Ok(()) };
                within_writable(path, || self.put_file(number, path, source))
            }
            _ => within_writable(path, || object.make(path)),
        }
    }

    fn put_file(&self, number: usize, path: &Path, source: &Source) -> io::Result<()> {
        let beside = path.with_file_name(format!(".aegish-undo-{}-{number}", self.entry.id));
        let _ = fs::remove_file(&beside);
        match source {
            Source::Linked(content) => {
                without_attributes_of_overlay(content);
                fs::hard_link(content, &beside)?;
            }
            Source::Staged(place) => fs::rename(place, &beside)?,
            Source::Name(other) => {
                let other = self.changes.get(*other).ok_or(io::ErrorKind::NotFound)?;
                fs::hard_link(&other.path, &beside)?;
            }
        }
        fs::rename(&beside, path)?;
        // Renaming between two names of one file does nothing.
        match fs::remove_file(&beside) {
            Err(error) if !is_missing(&error) => Err(error),
            _ => Ok(()),
        }
    }
}

/// The file is used outside the overlay now.
fn without_attributes_of_overlay(path: &Path) {
    for name in ["user.overlay.origin", "user.overlay.impure"] {
        let _ = rustix::fs::lremovexattr(path, name);
    }
}

/// Does something to a path; if its directory does not let the owner, it does for this time.
fn within_writable(path: &Path, act: impl Fn() -> io::Result<()>) -> io::Result<()> {
    let (Err(error), Some(dir)) = (act(), path.parent()) else { return Ok(()) };
    if error.kind() != io::ErrorKind::PermissionDenied {
        return Err(error);
    }
    let mode = fs::metadata(dir)?.permissions().mode();
    fs::set_permissions(dir, fs::Permissions::from_mode(mode | 0o700))?;
    let done = act();
    fs::set_permissions(dir, fs::Permissions::from_mode(mode))?;
    done
}

//! What differs between the files before and after a run.

use crate::image::have_same_content;
use crate::object::{Inode, Kind, Object, attribute};
use crate::raw::Raw;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A path that differs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Change {
    /// Which path.
    #[serde(with = "crate::raw::path")]
    pub path: PathBuf,
    /// What was there.
    pub before: Object,
    /// What is there then.
    pub after: Object,
    /// The number of the copy of the earlier content.
    pub(crate) image: Option<usize>,
    /// Another name of the earlier file that the run left alone.
    pub(crate) peer: Option<Raw>,
    /// Another name of the later file that the run left alone.
    pub(crate) later_peer: Option<Raw>,
}

/// In which way a path differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Changed {
    /// It is new.
    Added,
    /// Content, target or kind.
    Content,
    /// Rights, owner, time or attributes.
    Metadata,
    /// It is gone.
    Deleted,
}

impl Change {
    pub(crate) fn new(path: PathBuf, before: Object, after: Object) -> Self {
        Self { path, before, after, image: None, peer: None, later_peer: None }
    }

    /// In which way it differs; none for a directory whose time alone is another.
    #[must_use]
    pub fn changed(&self) -> Option<Changed> {
        let (before, after) = (&self.before, &self.after);
        let timeless = |one: &Object| Object { modified: (0, 0), inode: None, ..one.clone() };
        match (&before.kind, &after.kind) {
            (Kind::Absent, Kind::Absent) => None,
            (Kind::Absent, _) => Some(Changed::Added),
            (_, Kind::Absent) => Some(Changed::Deleted),
            (Kind::Directory, Kind::Directory) => {
                (timeless(before) != timeless(after)).then_some(Changed::Metadata)
            }
            (Kind::File { size: one }, Kind::File { size: other }) => {
                // What looks the same and is listed has another content.
                let content =
                    one != other || before.modified != after.modified || before.is_alike(after);
                Some(if content { Changed::Content } else { Changed::Metadata })
            }
            (one, other) => Some(if one == other { Changed::Metadata } else { Changed::Content }),
        }
    }
}

/// The changes that the upper directory of an overlay stands for, sorted by path.
pub(crate) fn of_overlay(upper: &Path, lower: &Path) -> io::Result<Vec<Change>> {
    let mut found = OverlayChanges::default();
    found.directory(upper, lower, Below::Seen)?;
    let root = Change::new(lower.to_owned(), Object::at(lower)?, Object::at(upper)?);
    let mut changes = found.changes;
    if !root.before.is_alike(&root.after) || !changes.is_empty() {
        changes.push(root);
    }
    for change in &mut changes {
        let peer = change.after.inode.and_then(|inode| found.named.get(&inode));
        change.later_peer = peer.map(|path| Raw::from(path.as_path()));
    }
    changes.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(changes)
}

/// Whether the lower directory shows through.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Below {
    Seen,
    Hidden,
}

#[derive(Default)]
struct OverlayChanges {
    changes: Vec<Change>,
    /// Files that are as they were, and got another name.
    named: HashMap<Inode, PathBuf>,
}

impl OverlayChanges {
    fn directory(&mut self, upper: &Path, lower: &Path, below: Below) -> io::Result<()> {
        let mut here = HashSet::new();
        for entry in fs::read_dir(upper)? {
            let entry = entry?;
            let (above, real) = (entry.path(), lower.join(entry.file_name()));
            let meta = entry.metadata()?;
            here.insert(entry.file_name());
            if is_whiteout(&above, &meta) {
                self.removed(&real)?;
                continue;
            }
            let change = Change::new(real.clone(), Object::at(&real)?, Object::at(&above)?);
            let both = change.before.kind == Kind::Directory && meta.is_dir();
            if change.before.kind == Kind::Directory && !both {
                self.removed_below(&real)?;
            }
            if meta.is_dir() {
                let opaque = below == Below::Hidden || !both || is_opaque(&above);
                let below = if opaque { Below::Hidden } else { Below::Seen };
                self.changes.push(change);
                self.directory(&above, &real, below)?;
            } else if !change.before.is_alike(&change.after) || !have_same_content(&real, &above)? {
                self.changes.push(change);
            } else if let Some(inode) = change.after.inode {
                self.named.insert(inode, real);
            }
        }
        if below == Below::Hidden {
            for entry in fs::read_dir(lower).into_iter().flatten() {
                let entry = entry?;
                if !here.contains(&entry.file_name()) {
                    self.removed(&entry.path())?;
                }
            }
        }
        Ok(())
    }

    fn removed(&mut self, path: &Path) -> io::Result<()> {
        let before = Object::at(path)?;
        if before.kind == Kind::Directory {
            self.removed_below(path)?;
        }
        if before.exists() {
            self.changes.push(Change::new(path.to_owned(), before, Object::absent()));
        }
        Ok(())
    }

    fn removed_below(&mut self, path: &Path) -> io::Result<()> {
        for entry in fs::read_dir(path)? {
            self.removed(&entry?.path())?;
        }
        Ok(())
    }
}

fn is_whiteout(path: &Path, meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    let by_device = meta.file_type().is_char_device() && meta.rdev() == 0;
    by_device
        || (meta.is_file()
            && meta.len() == 0
            && attribute(path, b"user.overlay.whiteout").is_some())
}

fn is_opaque(path: &Path) -> bool {
    attribute(path, b"user.overlay.opaque").is_some_and(|value| value == b"y")
}

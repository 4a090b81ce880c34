//! Overlays over the directories that a command may change.

use crate::entry::Entry;
use crate::mounts;
use crate::object::Object;
use aegish_kernel::{MountNamespace, NoNamespace, Overlay};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Directories of the kernel, whose files no overlay can hold.
const OF_KERNEL: [&str; 3] = ["/proc", "/sys", "/dev"];

/// Why a directory cannot be covered.
#[derive(Debug)]
pub enum Obstacle {
    /// The root directory, or one of the kernel's.
    System(PathBuf),
    /// Another file system is mounted below it.
    Mounts(PathBuf),
    /// It is no directory, or cannot be read.
    Unreadable(PathBuf, io::Error),
    /// The kernel refuses.
    Kernel(NoNamespace),
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(path) => write!(f, "no overlay can cover {}", path.display()),
            Self::Mounts(path) => {
                write!(f, "another file system is mounted below {}", path.display())
            }
            Self::Unreadable(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Kernel(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Obstacle {}

/// Why these directories cannot be covered, without trying it.
#[must_use]
pub fn obstacle(roots: &[PathBuf]) -> Option<Obstacle> {
    let places = mounts::places();
    roots.iter().find_map(|root| {
        if root.parent().is_none() || OF_KERNEL.iter().any(|own| root.starts_with(own)) {
            return Some(Obstacle::System(root.clone()));
        }
        if let Err(error) = fs::read_dir(root) {
            return Some(Obstacle::Unreadable(root.clone(), error));
        }
        mounts::is_below(root, &places).then(|| Obstacle::Mounts(root.clone()))
    })
}

/// Makes the layers of an entry, and a namespace in which they cover its roots.
pub(crate) fn cover(entry: &Entry) -> Result<MountNamespace, Obstacle> {
    let mut layers = Vec::new();
    for (number, root) in entry.roots().enumerate() {
        let (upper, work) = entry.layer(number);
        make(root, &upper, &work).map_err(|error| Obstacle::Unreadable(root.to_owned(), error))?;
        layers.push((root, upper, work));
    }
    let overlays: Vec<Overlay<'_>> =
        layers.iter().map(|(lower, upper, work)| Overlay { lower, upper, work }).collect();
    MountNamespace::with_overlays(&overlays).map_err(Obstacle::Kernel)
}

fn make(root: &Path, upper: &Path, work: &Path) -> io::Result<()> {
    fs::create_dir_all(upper)?;
    fs::create_dir_all(work)?;
    // The overlay shows rights and time of the upper directory.
    Object::at(root)?.finish(upper)
}

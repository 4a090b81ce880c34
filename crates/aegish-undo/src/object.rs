//! What is at a path: kind, rights, times, attributes; the content of files is elsewhere.

use crate::raw::Raw;
use rustix::fs::{
    AtFlags, CWD, FileType, Gid, Mode, Timespec, Timestamps, UTIME_OMIT, Uid, XattrFlags, chownat,
    lgetxattr, llistxattr, lsetxattr, mkdirat, mknodat, symlinkat, utimensat,
};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// Attributes of the overlay itself.
const OF_OVERLAY: [&[u8]; 2] = [b"user.overlay.", b"trusted.overlay."];
/// The longest value of an attribute.
const LONGEST_VALUE: usize = 1 << 16;
const PERMISSIONS: u32 = 0o7777;

/// The kind of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// Nothing is there.
    Absent,
    /// A regular file.
    File {
        /// Its length in bytes.
        size: u64,
    },
    /// A directory.
    Directory,
    /// A symbolic link.
    Link(#[serde(with = "crate::raw::path")] std::path::PathBuf),
    /// A FIFO, a socket or a device.
    Special {
        /// The bits of its type.
        format: u32,
        /// The number of a device.
        device: u64,
    },
}

/// A file that has several names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Inode {
    pub(crate) device: u64,
    pub(crate) number: u64,
}

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Object {
    /// Its kind.
    pub kind: Kind,
    /// Its permissions.
    pub mode: u32,
    pub(crate) owner: (u32, u32),
    pub(crate) modified: (i64, i64),
    pub(crate) attributes: Vec<(Raw, Raw)>,
    /// If it has more than one name.
    pub(crate) inode: Option<Inode>,
}

impl Object {
    /// Nothing.
    #[must_use]
    pub fn absent() -> Self {
        let (owner, modified) = ((0, 0), (0, 0));
        Self { kind: Kind::Absent, mode: 0, owner, modified, attributes: Vec::new(), inode: None }
    }

    /// What is at a path; links are not followed.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        match fs::symlink_metadata(path) {
            Ok(meta) => Self::new(path, &meta),
            Err(error) if is_missing(&error) => Ok(Self::absent()),
            Err(error) => Err(error),
        }
    }

    fn new(path: &Path, meta: &Metadata) -> io::Result<Self> {
        let kind = if meta.is_file() {
            Kind::File { size: meta.len() }
        } else if meta.is_dir() {
            Kind::Directory
        } else if meta.is_symlink() {
            Kind::Link(fs::read_link(path)?)
        } else {
            Kind::Special { format: meta.mode() & !PERMISSIONS, device: meta.rdev() }
        };
        let several = meta.nlink() > 1 && kind != Kind::Directory;
        Ok(Self {
            kind,
            mode: meta.mode() & PERMISSIONS,
            owner: (meta.uid(), meta.gid()),
            modified: (meta.mtime(), meta.mtime_nsec()),
            attributes: attributes(path)?,
            inode: several.then(|| Inode::of(meta)),
        })
    }

    /// Whether something is there.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.kind != Kind::Absent
    }

    /// Its length; nothing but files has one.
    #[must_use]
    pub fn size(&self) -> u64 {
        match self.kind {
            Kind::File { size } => size,
            _ => 0,
        }
    }

    /// Whether it looks the same apart from its names.
    pub(crate) fn is_alike(&self, other: &Self) -> bool {
        let plain = |one: &Self| Self { inode: None, ..one.clone() };
        plain(self) == plain(other)
    }

    /// Makes one at a path that is free, with all but the content of a file and the rights of a directory, which come
    /// last: see [`Self::finish`].
    pub(crate) fn make(&self, path: &Path) -> io::Result<()> {
        match &self.kind {
            Kind::Absent | Kind::File { .. } => return Ok(()),
            Kind::Directory => mkdirat(CWD, path, Mode::RWXU)?,
            Kind::Link(target) => symlinkat(target, CWD, path)?,
            Kind::Special { format, device } => {
                let (kind, mode) = (FileType::from_raw_mode(*format), Mode::RUSR | Mode::WUSR);
                mknodat(CWD, path, kind, mode, *device)?;
            }
        }
        match self.kind {
            Kind::Directory => Ok(()),
            _ => self.finish(path),
        }
    }

    /// Sets owner, permissions, attributes and time.
    pub(crate) fn finish(&self, path: &Path) -> io::Result<()> {
        let now = fs::symlink_metadata(path)?;
        if self.owner != (now.uid(), now.gid()) {
            let (user, group) = (Uid::from_raw(self.owner.0), Gid::from_raw(self.owner.1));
            // Only root gives files away; others keep what they make.
            let _ = chownat(CWD, path, Some(user), Some(group), AtFlags::SYMLINK_NOFOLLOW);
        }
        self.set_attributes(path)?;
        if !now.is_symlink() {
            // After the owner, as a new owner takes set-user-ID away.
            fs::set_permissions(path, fs::Permissions::from_mode(self.mode))?;
        }
        let time = |(tv_sec, tv_nsec)| Timespec { tv_sec, tv_nsec };
        let times = Timestamps {
            last_access: time((0, UTIME_OMIT)),
            last_modification: time(self.modified),
        };
        Ok(utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    fn set_attributes(&self, path: &Path) -> io::Result<()> {
        for (name, _) in attributes(path)? {
            if !self.attributes.iter().any(|(kept, _)| *kept == name) {
                let _ = rustix::fs::lremovexattr(path, OsStr::from_bytes(&name.0));
            }
        }
        for (name, value) in &self.attributes {
            let set = lsetxattr(path, OsStr::from_bytes(&name.0), &value.0, XattrFlags::empty());
            match set {
                // Attributes of the system can be set by root alone, and not on every file system.
                Ok(()) | Err(Errno::PERM | Errno::NOTSUP) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

impl Inode {
    pub(crate) fn of(meta: &Metadata) -> Self {
        Self { device: meta.dev(), number: meta.ino() }
    }
}

/// Whether nothing is at a path: also where a part of the way is no directory.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn attributes(path: &Path) -> io::Result<Vec<(Raw, Raw)>> {
    let mut names = vec![0; LONGEST_VALUE];
    let length = match llistxattr(path, names.as_mut_slice()) {
        Ok(length) => length,
        Err(Errno::NOTSUP | Errno::NOENT | Errno::ACCESS | Errno::PERM) => 0,
        Err(error) => return Err(error.into()),
    };
    let listed = names.get(..length).unwrap_or_default();
    let mut found = Vec::new();
    for name in listed.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        if OF_OVERLAY.iter().any(|own| name.starts_with(own)) {
            continue;
        }
        if let Some(value) = attribute(path, name) {
            found.push((Raw(name.to_vec()), Raw(value)));
        }
    }
    found.sort();
    Ok(found)
}

/// The value of one attribute, if it can be read.
pub(crate) fn attribute(path: &Path, name: &[u8]) -> Option<Vec<u8>> {
    let mut value = vec![0; LONGEST_VALUE];
    let length = lgetxattr(path, OsStr::from_bytes(name), value.as_mut_slice()).ok()?;
    value.truncate(length);
    Some(value)
}

//! The owner of a file, and the users who can write it.

use rustix::fs::{FileType, Stat};
use rustix::process::{getegid, geteuid};

use crate::Refusal;

/// The owner of files whose user has no mapping in this user namespace, root included.
const UNMAPPED: u32 = 65534;
const ROOT: u32 = 0;
const STICKY: u32 = 0o1000;

/// The required owner of a file or directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// This user.
    Only(u32),
    /// This user or root.
    OrRoot(u32),
}

impl Owner {
    /// The user who runs this process.
    #[must_use]
    pub fn user() -> Self {
        Self::Only(geteuid().as_raw())
    }

    /// The user who runs this process, or root.
    #[must_use]
    pub fn user_or_root() -> Self {
        Self::OrRoot(geteuid().as_raw())
    }

    /// Refuses a file of another user.
    pub(crate) fn check(self, found: &Stat) -> Result<(), Refusal> {
        let (Self::Only(wanted) | Self::OrRoot(wanted)) = self;
        let root = matches!(self, Self::OrRoot(_)) && found.st_uid == ROOT;
        if found.st_uid == wanted || root {
            return Ok(());
        }
        Err(Refusal::Owner { found: found.st_uid, wanted })
    }

    /// Refuses a directory of another user, or one that other users can write.
    pub(crate) fn check_directory(self, found: &Stat) -> Result<(), Refusal> {
        self.check(found)?;
        check_mode(found)
    }

    /// Refuses anything but a regular file of this owner that other users cannot write.
    pub(crate) fn check_file(self, found: &Stat) -> Result<(), Refusal> {
        self.check(found)?;
        check_regular(found)?;
        check_mode(found)
    }
}

fn check_mode(found: &Stat) -> Result<(), Refusal> {
    match mode(found) {
        mode if mode & 0o022 != 0 => Err(Refusal::Writable { mode }),
        _ => Ok(()),
    }
}

pub(crate) fn check_regular(found: &Stat) -> Result<(), Refusal> {
    match file_type(found) {
        FileType::RegularFile => Ok(()),
        _ => Err(Refusal::NotRegular),
    }
}

/// The permission bits.
pub(crate) fn mode(found: &Stat) -> u32 {
    found.st_mode & 0o7777
}

pub(crate) fn file_type(found: &Stat) -> FileType {
    FileType::from_raw_mode(found.st_mode)
}

/// Refuses a directory in which another user could replace an entry of this user or of root.
pub(crate) fn check_on_the_way(found: &Stat, user: u32) -> Result<(), Refusal> {
    if !is_trusted(found, user) {
        return Err(Refusal::Owner { found: found.st_uid, wanted: user });
    }
    let mode = mode(found);
    // In a sticky directory, other users cannot rename or remove the next component. Its owner is checked
    // later.
    if mode & 0o022 == 0 || mode & STICKY != 0 {
        return Ok(());
    }
    // On systems with one group per user, home directories are often writable for the group.
    let own_group = user != ROOT && found.st_gid == user && getegid().as_raw() == user;
    if mode & 0o002 == 0 && own_group {
        return Ok(());
    }
    Err(Refusal::Writable { mode })
}

/// Whether a file belongs to this user or to root. In a user namespace, root may have no mapping.
pub(crate) fn is_trusted(found: &Stat, user: u32) -> bool {
    [user, ROOT, UNMAPPED].contains(&found.st_uid)
}

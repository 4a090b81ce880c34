//! Whose a file is, and who else can write it.

use rustix::fs::{FileType, Stat};
use rustix::process::{getegid, geteuid};

use crate::Refusal;

/// The owner of files of users that this user namespace does not know, root included.
const UNMAPPED: u32 = 65534;
const ROOT: u32 = 0;
const STICKY: u32 = 0o1000;

/// Whose a file or directory has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// This user's alone.
    Only(u32),
    /// This user's, or root's.
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

    /// Refuses what belongs to another user.
    pub(crate) fn check(self, found: &Stat) -> Result<(), Refusal> {
        let (Self::Only(wanted) | Self::OrRoot(wanted)) = self;
        let root = matches!(self, Self::OrRoot(_)) && found.st_uid == ROOT;
        if found.st_uid == wanted || root {
            return Ok(());
        }
        Err(Refusal::Owner { found: found.st_uid, wanted })
    }

    /// Refuses a directory of another user, or one that others can write.
    pub(crate) fn check_directory(self, found: &Stat) -> Result<(), Refusal> {
        self.check(found)?;
        check_mode(found)
    }

    /// Refuses what is no regular file of this owner, or can be written by others.
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

/// Refuses a directory in which another user could exchange an entry of this user or of root.
pub(crate) fn check_on_the_way(found: &Stat, user: u32) -> Result<(), Refusal> {
    if !is_trusted(found, user) {
        return Err(Refusal::Owner { found: found.st_uid, wanted: user });
    }
    let mode = mode(found);
    // In a sticky directory, others cannot rename or remove the next component, whose owner is checked.
    if mode & 0o022 == 0 || mode & STICKY != 0 {
        return Ok(());
    }
    // Where every user has a group of the same number, home directories are often writable for it.
    let own_group = user != ROOT && found.st_gid == user && getegid().as_raw() == user;
    if mode & 0o002 == 0 && own_group {
        return Ok(());
    }
    Err(Refusal::Writable { mode })
}

/// It belongs to this user or to root. Within a user namespace, root may have no number.
pub(crate) fn is_trusted(found: &Stat, user: u32) -> bool {
    [user, ROOT, UNMAPPED].contains(&found.st_uid)
}

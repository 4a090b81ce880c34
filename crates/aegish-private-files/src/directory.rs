//! A directory that only its user can write, and the files in it.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions};
use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{
    AtFlags, Dir, Mode, OFlags, Stat, fchown, fsync, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::{Gid, Uid};

use crate::append::{LockedFile, wait_for};
use crate::refusal::Problem;
use crate::regular::{contents, open_file, problem_of};
use crate::walk::{Absent, PathWalk};
use crate::{Error, Owner, Refusal, size_limit};

/// Prefix of the names of files that are being written.
pub const UNFINISHED: &str = ".new-";

/// What to do about a missing directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// It is an error.
    Fail,
    /// It is created with this mode. Its parent must exist.
    Create(u32),
    /// It is created with mode 0700, and so are its parents.
    CreateAll,
}

impl Missing {
    /// The treatment of the parents, and of the last directory.
    fn absent(self) -> (Absent, Absent) {
        match self {
            Self::Fail => (Absent::Fail, Absent::Fail),
            Self::Create(mode) => (Absent::Fail, Absent::Create(Mode::from_raw_mode(mode))),
            Self::CreateAll => (Absent::Create(Mode::RWXU), Absent::Create(Mode::RWXU)),
        }
    }
}

/// An open directory that only its user can write.
///
/// Names of files are single components. All operations are relative to the open directory, so renaming it or
/// putting a link in its place has no effect on them.
#[derive(Debug)]
pub struct PrivateDir {
    dir: OwnedFd,
    path: PathBuf,
    files: Owner,
}

impl PrivateDir {
    /// Opens a directory of `owner` that other users cannot write. Its files must belong to the user of this
    /// process.
    ///
    /// # Errors
    ///
    /// If it does not exist, is a link, or another user could write or replace it.
    pub fn open(path: &Path, owner: Owner, missing: Missing) -> Result<Self, Error> {
        let (parents, last) = missing.absent();
        let mut walk = PathWalk::new(path)?;
        walk.go_to_end(parents, last)?;
        owner.check_directory(&walk.found).map_err(|refusal| Error::new(path, refusal))?;
        Ok(Self { dir: walk.dir, path: path.to_path_buf(), files: Owner::user() })
    }

    /// Opens a subdirectory, as [`PrivateDir::open`] does.
    ///
    /// # Errors
    ///
    /// If it does not exist, is a link, or another user could write it.
    pub fn subdirectory(&self, name: &OsStr, missing: Missing) -> Result<Self, Error> {
        let (parents, last) = missing.absent();
        let path = self.path.join(name);
        let dir = self.dir.try_clone().map_err(|error| Error::new(&path, error))?;
        let mut walk = PathWalk::within(dir, &self.path, name)?;
        walk.go_to_end(parents, last)?;
        self.files.check_directory(&walk.found).map_err(|refusal| Error::new(&path, refusal))?;
        Ok(Self { dir: walk.dir, path, files: self.files })
    }

    /// Opens the directory of a file; returns it and the name of the file.
    ///
    /// The directory may be a link and may belong to root: this is for files that people also edit
    /// themselves, such as their history and their rules.
    ///
    /// # Errors
    ///
    /// If it does not exist, or another user could replace files in it.
    pub fn of_file(path: &Path, missing: Missing) -> Result<(Self, OsString), Error> {
        let mut walk = PathWalk::new(path)?;
        let name = walk.go_to_parent(missing.absent().0)?;
        let dir = path.parent().unwrap_or(Path::new("")).to_path_buf();
        Ok((Self { dir: walk.dir, path: dir, files: Owner::user() }, name))
    }

    /// The path that it was opened with.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the content of a file, or nothing if it does not exist.
    ///
    /// # Errors
    ///
    /// If the file is refused, cannot be read, or is longer than `most` bytes.
    pub fn read(&self, name: &OsStr, most: u64) -> Result<Option<Vec<u8>>, Error> {
        let Some((file, _)) = self.open_existing(name, OFlags::RDONLY)? else { return Ok(None) };
        contents(file, most).map(Some).map_err(|problem| self.error(name, problem))
    }

    /// Opens a file for reading; returns nothing if it does not exist.
    ///
    /// # Errors
    ///
    /// If the file is refused.
    pub fn open_to_read(&self, name: &OsStr) -> Result<Option<File>, Error> {
        Ok(self.open_existing(name, OFlags::RDONLY)?.map(|(file, _)| file))
    }

    /// Whether a file exists and may be appended to. Creates nothing.
    ///
    /// # Errors
    ///
    /// If the file would be refused.
    pub fn check_append(&self, name: &OsStr) -> Result<bool, Error> {
        match self.open_existing(name, OFlags::RDWR | OFlags::APPEND)? {
            None => Ok(false),
            Some((_, found)) => self.one_name(name, &found).map(|()| true),
        }
    }

    /// Opens a file for appending and locks it. Creates the file if it does not exist.
    ///
    /// Waits for the lock for at most `longest`. While the lock is held, the file keeps its name, provided
    /// that every process takes the lock before it replaces or renames the file.
    ///
    /// # Errors
    ///
    /// If the file is refused, or another process holds the lock.
    pub fn lock(&self, name: &OsStr, longest: Duration) -> Result<LockedFile, Error> {
        loop {
            let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE;
            let (file, found) = self.open_checked(name, flags)?;
            self.one_name(name, &found)?;
            wait_for(|| file.try_lock(), longest).map_err(|problem| self.error(name, problem))?;
            // Another process may have renamed the file while this one waited.
            if self.is_at(name, &found)? {
                return Ok(LockedFile::new(file, self.path.join(name)));
            }
        }
    }

    /// Creates an empty file for another user, which only root can do. Keeps a file that exists.
    ///
    /// # Errors
    ///
    /// If the file cannot be created, or the existing one does not belong to that user.
    pub fn create_for(&self, name: &OsStr, user: u32, group: u32) -> Result<(), Error> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let failed = |errno| self.error(name, errno);
        match open_file(&self.dir, name, flags) {
            Ok((file, _)) => {
                fchown(&file, Some(Uid::from_raw(user)), Some(Gid::from_raw(group))).map_err(failed)
            }
            Err(Errno::EXIST) => {
                let found = statat(&self.dir, name, AtFlags::SYMLINK_NOFOLLOW).map_err(failed)?;
                Owner::Only(user).check_file(&found).map_err(|refusal| self.error(name, refusal))
            }
            Err(errno) => Err(failed(errno)),
        }
    }

    /// Replaces or creates a file atomically.
    ///
    /// The new content is on the disk before the file is renamed, and the new name is on the disk when this
    /// returns.
    ///
    /// # Errors
    ///
    /// If the file cannot be written. The old file is then unchanged.
    pub fn replace(&self, name: &OsStr, bytes: &[u8], mode: u32) -> Result<(), Error> {
        let beside = unfinished_name();
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let (mut file, _) =
            open_file(&self.dir, &beside, flags).map_err(|errno| self.error(name, errno))?;
        let written = size_limit::as_error(|| {
            if mode != 0o600 {
                // The umask may have removed permissions that other users need.
                file.set_permissions(Permissions::from_mode(mode))?;
            }
            file.write_all(bytes)?;
            file.sync_all()?;
            renameat(&self.dir, &beside, &self.dir, name)?;
            Ok(())
        });
        if let Err(error) = written {
            // Best effort: the name of a file that stays says that it is unfinished.
            let _ = unlinkat(&self.dir, &beside, AtFlags::empty());
            return Err(self.error(name, error));
        }
        self.sync().map_err(|errno| self.error(name, errno))
    }

    /// Renames a file within this directory.
    ///
    /// # Errors
    ///
    /// If the file cannot be renamed.
    pub fn rename(&self, from: &OsStr, to: &OsStr) -> Result<(), Error> {
        renameat(&self.dir, from, &self.dir, to).map_err(|errno| self.error(from, errno))
    }

    /// The time of the last change of a file, or nothing if it does not exist.
    ///
    /// # Errors
    ///
    /// If the time cannot be read.
    pub fn changed(&self, name: &OsStr) -> Result<Option<SystemTime>, Error> {
        match statat(&self.dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => {
                let since = Duration::from_secs(u64::try_from(found.st_mtime).unwrap_or(0))
                    + Duration::from_nanos(found.st_mtime_nsec);
                Ok(Some(UNIX_EPOCH + since))
            }
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(self.error(name, errno)),
        }
    }

    /// Removes a file.
    ///
    /// # Errors
    ///
    /// If the file cannot be removed.
    pub fn remove(&self, name: &OsStr) -> Result<(), Error> {
        unlinkat(&self.dir, name, AtFlags::empty()).map_err(|errno| self.error(name, errno))
    }

    /// The names in this directory.
    ///
    /// # Errors
    ///
    /// If the directory cannot be read.
    pub fn names(&self) -> Result<Vec<OsString>, Error> {
        let failed = |errno: Errno| Error::new(&self.path, errno);
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.dir_to_read().map_err(failed)?).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name != "." && name != ".." {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    fn open_existing(&self, name: &OsStr, flags: OFlags) -> Result<Option<(File, Stat)>, Error> {
        match self.open_checked(name, flags) {
            Err(error) if error.is_not_found() => Ok(None),
            other => other.map(Some),
        }
    }

    fn open_checked(&self, name: &OsStr, flags: OFlags) -> Result<(File, Stat), Error> {
        let (file, found) = open_file(&self.dir, name, flags | OFlags::NOFOLLOW)
            .map_err(|errno| self.error(name, problem_of(errno)))?;
        self.files.check_file(&found).map_err(|refusal| self.error(name, refusal))?;
        Ok((file, found))
    }

    /// Refuses a file with several hard links: it may be any other file of this user.
    fn one_name(&self, name: &OsStr, found: &Stat) -> Result<(), Error> {
        if found.st_nlink > 1 { Err(self.error(name, Refusal::HardLinks)) } else { Ok(()) }
    }

    fn is_at(&self, name: &OsStr, open: &Stat) -> Result<bool, Error> {
        match statat(&self.dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok((found.st_dev, found.st_ino) == (open.st_dev, open.st_ino)),
            Err(Errno::NOENT) => Ok(false),
            Err(errno) => Err(self.error(name, errno)),
        }
    }

    fn sync(&self) -> Result<(), Errno> {
        match fsync(self.dir_to_read()?) {
            // This file system does not sync directories.
            Err(Errno::INVAL) => Ok(()),
            other => other,
        }
    }

    /// Opens the directory for reading; `self.dir` is open only for operations on paths.
    fn dir_to_read(&self) -> Result<OwnedFd, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        openat(&self.dir, ".", flags, Mode::empty())
    }

    fn error(&self, name: &OsStr, problem: impl Into<Problem>) -> Error {
        Error::new(self.path.join(name), problem)
    }
}

/// Replaces or creates the file at a path atomically. Its directory may be a link and may belong to root.
///
/// # Errors
///
/// If another user could replace the file, or it cannot be written.
pub fn replace_file(path: &Path, bytes: &[u8], mode: u32, missing: Missing) -> Result<(), Error> {
    let (dir, name) = PrivateDir::of_file(path, missing)?;
    dir.replace(&name, bytes, mode)
}

/// A name that no other process or thread uses.
fn unfinished_name() -> OsString {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().subsec_nanos();
    OsString::from(format!("{UNFINISHED}{}-{count}-{nanos}", std::process::id()))
}

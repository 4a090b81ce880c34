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
use crate::walk::{Absent, Walk};
use crate::{Error, Owner, Refusal, size_limit};

/// The start of the names of files that are being written.
pub const UNFINISHED: &str = ".new-";

/// What is done about a directory that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// It is an error.
    Fail,
    /// It is created with this mode; the directory it is in has to be there.
    Create(u32),
    /// It is created with mode 0700, and so are the directories it is in.
    CreateAll,
}

impl Missing {
    /// For the directories on the way, and for the last one.
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
/// Names of files are single components. Everything is relative to the open directory: renaming the
/// directory or putting a link in its place changes nothing.
#[derive(Debug)]
pub struct PrivateDir {
    dir: OwnedFd,
    path: PathBuf,
    files: Owner,
}

impl PrivateDir {
    /// Opens a directory of `owner` that others cannot write. Its files have to belong to this user.
    ///
    /// # Errors
    ///
    /// If it is not there, is a link, or another user could write it or exchange it.
    pub fn open(path: &Path, owner: Owner, missing: Missing) -> Result<Self, Error> {
        let (parents, last) = missing.absent();
        let mut walk = Walk::new(path)?;
        walk.go_to_end(parents, last)?;
        owner.check_directory(&walk.found).map_err(|refusal| Error::new(path, refusal))?;
        Ok(Self { dir: walk.dir, path: path.to_path_buf(), files: Owner::user() })
    }

    /// Opens a directory in this one, as [`PrivateDir::open`] does.
    ///
    /// # Errors
    ///
    /// If it is not there, is a link, or another user could write it.
    pub fn subdirectory(&self, name: &OsStr, missing: Missing) -> Result<Self, Error> {
        let (parents, last) = missing.absent();
        let path = self.path.join(name);
        let dir = self.dir.try_clone().map_err(|error| Error::new(&path, error))?;
        let mut walk = Walk::within(dir, &self.path, name)?;
        walk.go_to_end(parents, last)?;
        self.files.check_directory(&walk.found).map_err(|refusal| Error::new(&path, refusal))?;
        Ok(Self { dir: walk.dir, path, files: self.files })
    }

    /// Opens the directory of a file, and gives the file's name.
    ///
    /// The directory may be a link, and may be root's: this is for files that people may also edit by
    /// themselves, such as their history and their rules.
    ///
    /// # Errors
    ///
    /// If it is not there, or another user could exchange files in it.
    pub fn of_file(path: &Path, missing: Missing) -> Result<(Self, OsString), Error> {
        let mut walk = Walk::new(path)?;
        let name = walk.go_to_parent(missing.absent().0)?;
        let dir = path.parent().unwrap_or(Path::new("")).to_path_buf();
        Ok((Self { dir: walk.dir, path: dir, files: Owner::user() }, name))
    }

    /// The path it was opened with.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The content of a file, or nothing if there is none.
    ///
    /// # Errors
    ///
    /// If it is refused, cannot be read, or is longer than `most` bytes.
    pub fn read(&self, name: &OsStr, most: u64) -> Result<Option<Vec<u8>>, Error> {
        let Some((file, _)) = self.open_existing(name, OFlags::RDONLY)? else { return Ok(None) };
        contents(file, most).map(Some).map_err(|problem| self.error(name, problem))
    }

    /// Opens a file for reading, or nothing if there is none.
    ///
    /// # Errors
    ///
    /// If it is refused.
    pub fn open_to_read(&self, name: &OsStr) -> Result<Option<File>, Error> {
        Ok(self.open_existing(name, OFlags::RDONLY)?.map(|(file, _)| file))
    }

    /// Whether a file could be appended to, without creating it. False if there is none.
    ///
    /// # Errors
    ///
    /// If it would be refused.
    pub fn check_append(&self, name: &OsStr) -> Result<bool, Error> {
        match self.open_existing(name, OFlags::RDWR | OFlags::APPEND)? {
            None => Ok(false),
            Some((_, found)) => self.one_name(name, &found).map(|()| true),
        }
    }

    /// Opens a file for appending and locks it; it is created if there is none.
    ///
    /// Waits for the lock for at most `longest`. The file stays at its name while the lock is held, if
    /// all who replace or rename it hold the lock too.
    ///
    /// # Errors
    ///
    /// If it is refused, or another process holds the lock.
    pub fn lock(&self, name: &OsStr, longest: Duration) -> Result<LockedFile, Error> {
        loop {
            let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE;
            let (file, found) = self.open_checked(name, flags)?;
            self.one_name(name, &found)?;
            wait_for(|| file.try_lock(), longest).map_err(|problem| self.error(name, problem))?;
            // It may have been renamed while this process waited.
            if self.is_at(name, &found)? {
                return Ok(LockedFile::new(file, self.path.join(name)));
            }
        }
    }

    /// Creates an empty file for another user, as only root can. One that is there stays.
    ///
    /// # Errors
    ///
    /// If it cannot be created, or what is there is not that user's.
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

    /// Replaces a file as a whole, or creates it.
    ///
    /// The new content is on the disk before the name leads to it, and the name is on the disk when this
    /// returns.
    ///
    /// # Errors
    ///
    /// If it cannot be written as a whole; then the old one is still there.
    pub fn replace(&self, name: &OsStr, bytes: &[u8], mode: u32) -> Result<(), Error> {
        let beside = unfinished_name();
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let (mut file, _) =
            open_file(&self.dir, &beside, flags).map_err(|errno| self.error(name, errno))?;
        let written = size_limit::as_error(|| {
            if mode != 0o600 {
                // The umask may have taken away what others need.
                file.set_permissions(Permissions::from_mode(mode))?;
            }
            file.write_all(bytes)?;
            file.sync_all()?;
            renameat(&self.dir, &beside, &self.dir, name)?;
            Ok(())
        });
        if let Err(error) = written {
            // What cannot be removed here has a name that tells what it is.
            let _ = unlinkat(&self.dir, &beside, AtFlags::empty());
            return Err(self.error(name, error));
        }
        self.sync().map_err(|errno| self.error(name, errno))
    }

    /// Gives a file of this directory another name in it.
    ///
    /// # Errors
    ///
    /// If it cannot be done.
    pub fn rename(&self, from: &OsStr, to: &OsStr) -> Result<(), Error> {
        renameat(&self.dir, from, &self.dir, to).map_err(|errno| self.error(from, errno))
    }

    /// When a file was changed, or nothing if there is none.
    ///
    /// # Errors
    ///
    /// If it cannot be found out.
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
    /// If it cannot be done.
    pub fn remove(&self, name: &OsStr) -> Result<(), Error> {
        unlinkat(&self.dir, name, AtFlags::empty()).map_err(|errno| self.error(name, errno))
    }

    /// The names in this directory.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
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

    /// A file with a second name may be any other file of this user.
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
            // This file system has nothing to write for a directory.
            Err(Errno::INVAL) => Ok(()),
            other => other,
        }
    }

    /// The directory is open only for operations on paths.
    fn dir_to_read(&self) -> Result<OwnedFd, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        openat(&self.dir, ".", flags, Mode::empty())
    }

    fn error(&self, name: &OsStr, problem: impl Into<Problem>) -> Error {
        Error::new(self.path.join(name), problem)
    }
}

/// Replaces the file at a path as a whole, or creates it. Its directory may be root's or a link.
///
/// # Errors
///
/// If another user could exchange the file, or it cannot be written as a whole.
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

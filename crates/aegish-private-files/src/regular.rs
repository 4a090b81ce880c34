//! Reading of regular files.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::os::fd::AsFd;
use std::path::Path;
use std::time::Duration;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, Stat, fstat, openat, statat};
use rustix::io::Errno;

use crate::append::wait_for;
use crate::owner::check_regular;
use crate::refusal::Problem;
use crate::walk::{Absent, PathWalk};
use crate::{Error, Owner, Refusal};

/// Reads a file that only `owner` could have written; returns nothing if it does not exist.
///
/// Follows links of root and of this user: people keep their configuration in repositories and link to it. If
/// `directory` is given, the directory of the file must belong to that owner, and other users must not be
/// able to write it.
///
/// # Errors
///
/// If the file is refused, cannot be read, or is longer than `most` bytes.
pub fn read_trusted(
    path: &Path,
    owner: Owner,
    directory: Option<Owner>,
    most: u64,
) -> Result<Option<Vec<u8>>, Error> {
    // Most of these files do not exist. One system call is enough to find that out.
    match statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        Err(errno) => return Err(Error::new(path, errno)),
        Ok(_) => {}
    }
    match read_on_the_way(path, owner, directory, most) {
        Err(error) if error.is_not_found() => Ok(None),
        other => other.map(Some),
    }
}

fn read_on_the_way(
    path: &Path,
    owner: Owner,
    directory: Option<Owner>,
    most: u64,
) -> Result<Vec<u8>, Error> {
    let mut walk = PathWalk::new(path)?;
    let mut name = walk.go_to_parent(Absent::Fail)?;
    if let Some(directory) = directory {
        let refused = |refusal| Error::new(&walk.path, refusal);
        directory.check_directory(&walk.found).map_err(refused)?;
    }
    loop {
        match open_file(&walk.dir, &name, OFlags::RDONLY | OFlags::NOFOLLOW) {
            Err(Errno::LOOP) => {
                walk.follow_last(&name)?;
                name = walk.go_to_parent(Absent::Fail)?;
            }
            opened => {
                let (file, found) = opened.map_err(|errno| Error::new(path, errno))?;
                owner.check_file(&found).map_err(|refusal| Error::new(path, refusal))?;
                return contents(file, most).map_err(|problem| Error::new(path, problem));
            }
        }
    }
}

/// Reads a regular file, even if other users could have written it; returns nothing if it does not exist.
/// Follows links.
///
/// If an owner is given, a file of another user is refused before any other check.
///
/// # Errors
///
/// If the file is refused, cannot be read, or is longer than `most` bytes.
pub fn read_regular(
    path: &Path,
    owner: Option<Owner>,
    most: u64,
) -> Result<Option<Vec<u8>>, Error> {
    let (file, found) = match open_file(CWD, path.as_os_str(), OFlags::RDONLY) {
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        opened => opened.map_err(|errno| Error::new(path, errno))?,
    };
    owner
        .map_or(Ok(()), |owner| owner.check(&found))
        .and_then(|()| check_regular(&found))
        .map_err(|refusal| Error::new(path, refusal))?;
    contents(file, most).map(Some).map_err(|problem| Error::new(path, problem))
}

/// Opens a regular file for reading, even if other users could have written it. Does not follow links.
///
/// # Errors
///
/// If the file does not exist or is refused.
pub fn open_regular(path: &Path) -> Result<File, Error> {
    let (file, found) = open_file(CWD, path.as_os_str(), OFlags::RDONLY | OFlags::NOFOLLOW)
        .map_err(|errno| Error::new(path, problem_of(errno)))?;
    check_regular(&found).map_err(|refusal| Error::new(path, refusal))?;
    Ok(file)
}

/// Takes a shared lock, which excludes writers as long as the file is open.
///
/// # Errors
///
/// If another process holds the lock for longer than `longest`.
pub fn lock_shared(file: &File, path: &Path, longest: Duration) -> Result<(), Error> {
    wait_for(|| file.try_lock_shared(), longest).map_err(|problem| Error::new(path, problem))
}

/// Opens a file without blocking on a FIFO or device.
pub(crate) fn open_file(
    dir: impl AsFd,
    name: &OsStr,
    flags: OFlags,
) -> Result<(File, Stat), Errno> {
    let flags = flags | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(openat(dir, name, flags, Mode::RUSR | Mode::WUSR)?);
    let found = fstat(&file)?;
    Ok((file, found))
}

/// Translates an error of `open` without following links.
pub(crate) fn problem_of(errno: Errno) -> Problem {
    match errno {
        Errno::LOOP => Refusal::Link.into(),
        // A FIFO without a reader, or a socket.
        Errno::NXIO | Errno::ISDIR => Refusal::NotRegular.into(),
        errno => errno.into(),
    }
}

pub(crate) fn contents(file: File, most: u64) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(Problem::TooLong(most));
    }
    Ok(bytes)
}

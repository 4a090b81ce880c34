//! Opens a directory by its path, one component at a time.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, Stat, fstat, mkdirat, openat, readlinkat};
use rustix::io::Errno;
use rustix::process::geteuid;

use crate::owner::{check_on_the_way, file_type, is_trusted};
use crate::{Error, Refusal};

/// The maximum of the kernel.
const MOST_LINKS: usize = 40;

/// What to do about a missing directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Absent {
    Fail,
    Create(Mode),
}

/// What to do about a symbolic link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Links {
    /// Follow it if it belongs to root or to this user.
    Follow,
    Refuse,
}

/// A walk through directories that only root and this user can change.
pub(crate) struct PathWalk {
    /// The current directory, opened for operations on paths only.
    pub(crate) dir: OwnedFd,
    pub(crate) found: Stat,
    /// The path of the current directory.
    pub(crate) path: PathBuf,
    /// The remaining components, last first.
    rest: Vec<OsString>,
    links: usize,
    user: u32,
}

impl PathWalk {
    /// Starts at a directory that was checked before.
    pub(crate) fn within(dir: OwnedFd, path: &Path, name: &OsStr) -> Result<Self, Error> {
        let user = geteuid().as_raw();
        let found = fstat(&dir).map_err(|errno| Error::new(path, errno))?;
        let rest = vec![name.to_owned()];
        Ok(Self { dir, found, path: path.to_path_buf(), rest, links: 0, user })
    }

    pub(crate) fn new(path: &Path) -> Result<Self, Error> {
        let user = geteuid().as_raw();
        let start = Path::new(if path.is_absolute() { "/" } else { "." });
        let (dir, found) =
            open(CWD, start.as_os_str()).map_err(|errno| Error::new(start, errno))?;
        let path_here = if path.is_absolute() { start.to_path_buf() } else { PathBuf::new() };
        let mut walk = Self { dir, found, path: path_here, rest: Vec::new(), links: 0, user };
        walk.push(path);
        Ok(walk)
    }

    fn push(&mut self, path: &Path) {
        let names = path.components().filter_map(|component| match component {
            Component::Normal(_) | Component::ParentDir => Some(component.as_os_str().to_owned()),
            _ => None,
        });
        let at = self.rest.len();
        self.rest.extend(names);
        if let Some(new) = self.rest.get_mut(at..) {
            new.reverse();
        }
    }

    /// Walks to the directory that contains the last component; returns the name of that component.
    pub(crate) fn go_to_parent(&mut self, parents: Absent) -> Result<OsString, Error> {
        while self.rest.len() > 1 {
            self.step(parents, Links::Follow)?;
        }
        check_on_the_way(&self.found, self.user)
            .map_err(|refusal| Error::new(&self.path, refusal))?;
        Ok(self.rest.pop().unwrap_or_else(|| OsString::from(".")))
    }

    /// Walks to the directory itself, which must not be a link.
    pub(crate) fn go_to_end(&mut self, parents: Absent, last: Absent) -> Result<(), Error> {
        while self.rest.len() > 1 {
            self.step(parents, Links::Follow)?;
        }
        self.step(last, Links::Refuse)
    }

    /// Opens the next component.
    fn step(&mut self, absent: Absent, links: Links) -> Result<(), Error> {
        check_on_the_way(&self.found, self.user)
            .map_err(|refusal| Error::new(&self.path, refusal))?;
        let Some(name) = self.rest.pop() else { return Ok(()) };
        let path = self.path.join(&name);
        let failed = |errno: Errno| Error::new(&path, errno);
        let opened = match (open(&self.dir, &name), absent) {
            (Err(Errno::NOENT), Absent::Create(mode)) => {
                match mkdirat(&self.dir, &name, mode) {
                    // Another process created it in the meantime.
                    Ok(()) | Err(Errno::EXIST) => open(&self.dir, &name),
                    Err(errno) => Err(errno),
                }
            }
            (opened, _) => opened,
        };
        let (dir, found) = opened.map_err(failed)?;
        match file_type(&found) {
            FileType::Directory => {
                (self.dir, self.found, self.path) = (dir, found, path);
                Ok(())
            }
            FileType::Symlink if links == Links::Refuse => Err(Error::new(path, Refusal::Link)),
            FileType::Symlink => self.follow(&dir, &found, path),
            _ => Err(Error::new(path, Refusal::NotADirectory)),
        }
    }

    /// Follows a link that is the last component.
    pub(crate) fn follow_last(&mut self, name: &OsStr) -> Result<(), Error> {
        let path = self.path.join(name);
        let (link, found) = open(&self.dir, name).map_err(|errno| Error::new(&path, errno))?;
        self.follow(&link, &found, path)
    }

    fn follow(&mut self, link: &OwnedFd, found: &Stat, path: PathBuf) -> Result<(), Error> {
        if !is_trusted(found, self.user) {
            return Err(Error::new(path, Refusal::ForeignLink { owner: found.st_uid }));
        }
        self.links += 1;
        if self.links > MOST_LINKS {
            return Err(Error::new(path, Errno::LOOP));
        }
        let target = readlinkat(link, "", Vec::new()).map_err(|errno| Error::new(&path, errno))?;
        let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
        if target.is_absolute() {
            let root = OsStr::new("/");
            (self.dir, self.found) = open(CWD, root).map_err(|errno| Error::new(&path, errno))?;
            self.path = PathBuf::from(root);
        }
        self.push(&target);
        Ok(())
    }
}

/// Opens a component without following, reading or blocking.
fn open(dir: impl std::os::fd::AsFd, name: &OsStr) -> Result<(OwnedFd, Stat), Errno> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = openat(dir, name, flags, Mode::empty())?;
    let found = fstat(&opened)?;
    Ok((opened, found))
}

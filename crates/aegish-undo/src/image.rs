//! Copies of files.

use crate::object::{Kind, Object};
use rustix::fs::{Mode, OFlags, ioctl_ficlone, open};
use std::fs::{self, File};
use std::io::{self, BufRead};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Copies the content of a regular file into a new one, with its rights and times. Shares the blocks where the file
/// system can.
pub(crate) fn copy(from: &Path, object: &Object, to: &Path) -> io::Result<()> {
    debug_assert!(matches!(object.kind, Kind::File { .. }));
    match fs::remove_file(to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut source = File::from(open(from, flags, Mode::empty())?);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let mut target = File::from(open(to, flags, Mode::RUSR | Mode::WUSR)?);
    if ioctl_ficlone(&target, &source).is_err() {
        io::copy(&mut source, &mut target)?;
    }
    drop(target);
    object.finish(to)
}

/// Whether two regular files hold the same bytes. Other kinds have no content.
pub(crate) fn have_same_content(one: &Path, other: &Path) -> io::Result<bool> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let meta = fs::symlink_metadata(one)?;
    if !meta.is_file() {
        return Ok(true);
    }
    let open = |path| open(path, flags, Mode::empty()).map(File::from).map(io::BufReader::new);
    let (mut one, mut other) = (open(one)?, open(other)?);
    loop {
        let (left, right) = (one.fill_buf()?, other.fill_buf()?);
        let length = left.len().min(right.len());
        if length == 0 {
            return Ok(left.len() == right.len());
        }
        if left.get(..length) != right.get(..length) {
            return Ok(false);
        }
        one.consume(length);
        other.consume(length);
    }
}

/// Whether two places are on one file system, so that a file can have a name in both.
pub(crate) fn share_file_system(one: &Path, other: &Path) -> bool {
    let device = |path: &Path| fs::symlink_metadata(path).map(|meta| meta.dev()).ok();
    device(one).is_some() && device(one) == device(other)
}

/// Has everything of a file system written that holds this path.
pub(crate) fn sync(path: &Path) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::syncfs(open(path, flags, Mode::empty())?)?)
}

/// Removes a tree, also with directories that have no rights, as the kernel leaves one below an overlay's work.
pub(crate) fn remove_tree(path: &Path) -> io::Result<()> {
    let meta = match fs::symlink_metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if !meta.is_dir() {
        return fs::remove_file(path);
    }
    if meta.mode() & 0o700 != 0o700 {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
    }
    for entry in fs::read_dir(path)? {
        remove_tree(&entry?.path())?;
    }
    fs::remove_dir(path)
}

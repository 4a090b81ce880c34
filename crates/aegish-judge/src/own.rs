//! Files that only this user can have written.
//!
//! What is kept between processes decides over commands, so it is read only from regular files that belong to the
//! user who runs this and that nobody else may write; links are not followed and pipes are not waited for. The
//! check is made on the open file, so that nothing can be exchanged in between. Files are replaced as a whole: a
//! process that dies leaves the old one or the new one, never half of one.
//!
//! Systems without owners and modes have to rely on the directory.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The start of the names of files that are being written.
pub(crate) const UNFINISHED: &str = ".new-";

/// Makes a directory of this user's own, or makes sure that it is one.
///
/// # Errors
///
/// If it cannot be made, is a link or no directory, belongs to somebody else or can be written by others.
pub(crate) fn directory(path: &Path) -> io::Result<()> {
    let look = || fs::symlink_metadata(path);
    let found = match look() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut builder = fs::DirBuilder::new();
            builder.recursive(true);
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.create(path)?;
            look()?
        }
        other => other?,
    };
    if !found.is_dir() {
        return Err(refused("is not a directory"));
    }
    belongs_to_us(&found)
}

/// What a file says, or nothing if there is none.
///
/// # Errors
///
/// If it is longer than `most` bytes, or is not this user's own.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut options = OpenOptions::new();
    options.read(true);
    let file = match open(&mut options, path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other?,
    };
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(refused("is too long"));
    }
    Ok(Some(bytes))
}

/// A file to lock, made if there is none.
///
/// # Errors
///
/// If it cannot be made or is not this user's own.
pub(crate) fn to_lock(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    open(&mut options, path)
}

/// Replaces a file in a directory of this user's own.
///
/// # Errors
///
/// If it cannot be written as a whole; then the old one is still there.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = path.with_file_name(unfinished_name());
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let written = open(&mut options, &beside)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // What cannot be removed now is removed when the directory is tidied.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// A name that no other process or thread uses.
fn unfinished_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().subsec_nanos();
    format!("{UNFINISHED}{}-{count}-{nanos}", std::process::id())
}

fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use nix::fcntl::OFlag;
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
        options.mode(0o600).custom_flags(flags.bits());
    }
    let file = options.open(path)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(refused("is not a regular file"));
    }
    belongs_to_us(&found)?;
    Ok(file)
}

#[cfg(unix)]
fn belongs_to_us(found: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    if found.uid() != nix::unistd::geteuid().as_raw() {
        return Err(refused("belongs to somebody else"));
    }
    if found.mode() & 0o022 != 0 {
        return Err(refused("can be written by others"));
    }
    Ok(())
}

#[cfg(not(unix))]
fn belongs_to_us(_: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

fn refused(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, why)
}

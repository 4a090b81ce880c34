//! Files of this user's own: read only if nobody else could have written them, replaced as a whole.

use nix::fcntl::OFlag;
use nix::unistd::geteuid;
use std::fs::{self, DirBuilder, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// A longer file is none of ours.
const MAX_BYTES: u64 = 1024 * 1024;

/// What a file says; nothing if there is none. An error if somebody else could have written it.
pub(crate) fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    contents(path, closed)
}

/// What a file says, whoever wrote it; nothing if there is none.
pub(crate) fn read_any(path: &Path) -> io::Result<Option<Vec<u8>>> {
    contents(path, |_| Ok(()))
}

fn contents(
    path: &Path,
    accept: impl Fn(&Metadata) -> io::Result<()>,
) -> io::Result<Option<Vec<u8>>> {
    let flags = (OFlag::O_NONBLOCK | OFlag::O_CLOEXEC).bits();
    let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other?,
    };
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    accept(&found)?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other("it is longer than 1 MiB"));
    }
    Ok(Some(bytes))
}

/// It belongs to this user or to root, and nobody else can write it.
pub(crate) fn closed(found: &Metadata) -> io::Result<()> {
    if found.uid() != geteuid().as_raw() && found.uid() != 0 {
        return Err(io::Error::other(format!("it belongs to user {}", found.uid())));
    }
    if found.mode() & 0o022 != 0 {
        let mode = found.mode() & 0o7777;
        return Err(io::Error::other(format!("others can write it (mode {mode:04o})")));
    }
    Ok(())
}

/// Writes a file in a directory of this user's own, which is made if there is none. A process that
/// dies leaves the old file or the new one.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(dir) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
        closed(&fs::metadata(dir)?)?;
    }
    write_beside(path, bytes, 0o600)
}

/// Writes a file beside and exchanges it for the old one.
pub(crate) fn write_beside(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.new-{}", std::process::id()));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(mode).custom_flags(OFlag::O_NOFOLLOW.bits());
    let written = options.open(&beside).and_then(|mut file| {
        // The umask may have taken something away that others need.
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    });
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

//! Files that only those who may have written them can have written.
//!
//! The check is made on the open file, so that nothing can be exchanged in between. Pipes are not
//! waited for.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use nix::fcntl::OFlag;

/// A longer file is no configuration.
const MAX_BYTES: u64 = 1024 * 1024;

/// Whose file it has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeper {
    /// The system's: of this user, who is root, in a directory that is root's too.
    System(u32),
    /// A person's own, or root's.
    Person(u32),
    /// Whoever's it is, it can do no harm: but only one's own, or root's, is believed to mean us.
    Known(u32),
}

/// Why a file is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Something is wrong with it, and somebody has to mend it.
    Wrong(String),
    /// It is somebody else's.
    Foreign,
}

/// What a file says, or nothing if there is none.
pub(crate) fn read(path: &Path, keeper: Keeper) -> Result<Option<Vec<u8>>, Refusal> {
    let wrong = |error: io::Error| Refusal::Wrong(format!("it cannot be read: {error}"));
    let flags = (OFlag::O_NONBLOCK | OFlag::O_CLOEXEC).bits();
    let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Err(error) if is_nothing(&error) => return Ok(None),
        other => other.map_err(wrong)?,
    };
    let found = file.metadata().map_err(wrong)?;
    kept(&found, path, keeper)?;
    if let (Keeper::System(owner), Some(dir)) = (keeper, path.parent()) {
        let found = fs::metadata(dir).map_err(wrong)?;
        closed(&found, dir, &[owner])?;
    }
    contents(file).map(Some).map_err(wrong)
}

/// No such file, also because what should be its directory is none.
pub(crate) fn is_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn kept(found: &Metadata, path: &Path, keeper: Keeper) -> Result<(), Refusal> {
    match keeper {
        Keeper::Known(person) if found.uid() != person && found.uid() != 0 => {
            return Err(Refusal::Foreign);
        }
        _ if !found.is_file() => {
            return Err(Refusal::Wrong("it is not a regular file".to_owned()));
        }
        Keeper::System(owner) => closed(found, path, &[owner])?,
        Keeper::Person(person) => closed(found, path, &[person, 0])?,
        Keeper::Known(_) => {}
    }
    Ok(())
}

/// It belongs to one of these, and nobody else can write it.
fn closed(found: &Metadata, path: &Path, owners: &[u32]) -> Result<(), Refusal> {
    let path = path.display();
    if !owners.contains(&found.uid()) {
        let owner = owners.first().copied().unwrap_or_default();
        return Err(Refusal::Wrong(format!(
            "it is not used: {path} belongs to user {} and not to user {owner}; if its content is right: \
             chown {owner} {path}",
            found.uid()
        )));
    }
    let mode = found.mode() & 0o7777;
    if mode & 0o022 != 0 {
        return Err(Refusal::Wrong(format!(
            "it is not used: others can write {path} (mode {mode:04o}); if its content is right: \
             chmod go-w {path}"
        )));
    }
    Ok(())
}

fn contents(file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other("it is longer than 1 MiB"));
    }
    Ok(bytes)
}

//! Reads a file of the configuration, if only permitted users could have written it.

use std::path::Path;

use aegish_private_files::{Error, Owner, Refusal, read_regular, read_trusted};

/// A longer file is not a configuration.
const MAX_BYTES: u64 = 1024 * 1024;

/// The required owner of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileOwner {
    /// The system's: of this user, who is root, in a directory that is root's too.
    System(u32),
    /// A user's own, or root's.
    User(u32),
    /// A project's. It can only tighten, so others may be able to write it; but only a file of this user
    /// or of root is used.
    Project(u32),
    /// Anybody's: a person named the file.
    Named,
}

/// Why a file is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotUsed {
    /// It has a problem that must be fixed.
    Wrong(String),
    /// It belongs to another user and is ignored.
    Foreign,
}

/// The content of a file, or nothing if it does not exist.
pub(crate) fn read(path: &Path, owner: FileOwner) -> Result<Option<Vec<u8>>, NotUsed> {
    match owner {
        FileOwner::System(uid) => {
            read_trusted(path, Owner::Only(uid), Some(Owner::Only(uid)), MAX_BYTES)
        }
        FileOwner::User(uid) => read_trusted(path, Owner::OrRoot(uid), None, MAX_BYTES),
        FileOwner::Project(uid) => read_regular(path, Some(Owner::OrRoot(uid)), MAX_BYTES),
        FileOwner::Named => read_regular(path, None, MAX_BYTES),
    }
    .map_err(|error| match (owner, error.refusal()) {
        (FileOwner::Project(_), Some(Refusal::Owner { .. })) => NotUsed::Foreign,
        (_, refusal) => NotUsed::Wrong(told(&error, refusal)),
    })
}

fn told(error: &Error, refusal: Option<Refusal>) -> String {
    let path = error.path().display();
    let remedy = error.remedy().unwrap_or_default();
    match refusal {
        None => format!("it cannot be read: {}", error.problem()),
        Some(Refusal::Owner { found, wanted }) => format!(
            "it is not used: {path} belongs to user {found} and not to user {wanted}; {remedy}"
        ),
        Some(Refusal::Writable { mode }) => {
            format!("it is not used: others can write {path} (mode {mode:04o}); {remedy}")
        }
        Some(Refusal::ForeignLink { owner }) => {
            format!("it is not used: {path} is a link of user {owner}; {remedy}")
        }
        Some(refusal) => refusal.to_string(),
    }
}

//! The last check before a text runs: is the machine still in the state that the decision depends on?

use std::fmt;

use aegish_guard::{OsMachine, Permit, Pin};

/// Something changed after it was judged. Nothing was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// The file or directory.
    pub path: String,
    /// What changed.
    pub what: ChangedPart,
}

/// The part of a path that changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangedPart {
    /// The content of a file, or its identity.
    Contents,
    /// The names in a directory, or whether there is one.
    Names,
}

impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nothing was run: {} changed after it was judged; try again", self.path)
    }
}

impl std::error::Error for Changed {}

/// An error if the machine has changed since the text was judged.
pub(crate) fn verify(permit: &Permit) -> Result<(), Changed> {
    let (path, what) = match permit.first_change(&OsMachine) {
        None => return Ok(()),
        Some(Pin::Contents(path)) => (path, ChangedPart::Contents),
        Some(Pin::Listing(path) | Pin::IsDirectory(path)) => (path, ChangedPart::Names),
    };
    Err(Changed { path: path.to_owned(), what })
}

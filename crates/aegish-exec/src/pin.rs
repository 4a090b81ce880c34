//! A last look at the files that a judgement rests on.

use std::fmt;

use aegish_guard::{OsMachine, Permit};

/// A file that is no longer what was judged. Nothing was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Which.
    pub path: String,
}

impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nothing was run: {} changed after it was judged; try again", self.path)
    }
}

impl std::error::Error for Changed {}

/// Whether the files are still what they were.
pub(crate) fn still_the_same(permit: &Permit) -> Result<(), Changed> {
    match permit.changed_file(&OsMachine) {
        None => Ok(()),
        Some(path) => Err(Changed { path: path.to_owned() }),
    }
}

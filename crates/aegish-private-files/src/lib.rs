//! Files that only their user could have written.
//!
//! The audit log, the state of the judge, the list of trusted projects, the history and the
//! configuration decide what is allowed or are evidence of it. This crate opens, creates, replaces,
//! appends to and locks them, and refuses a file that another user could have written or replaced:
//!
//! - Paths are walked one component at a time, relative to the directory before. Every directory on the
//!   way must belong to root or to this user, and other users must not be able to write it, unless it has
//!   the sticky bit, as `/tmp` does.
//! - A link on the way is followed only if it belongs to root or to this user. A [`PrivateDir`] itself
//!   and the files in it are never links.
//! - Only regular files are used. FIFOs and devices are opened without waiting and then refused.
//! - The checks are made on the open file, so a file cannot be replaced between check and use.
//! - New files have mode 0600 and new directories 0700, unless the caller asks for more.
//! - A replaced file is either the old or the new one as a whole, even after a power failure.
//!
//! Nothing depends on `/proc`. The crate does not know what the files contain.

mod append;
mod directory;
mod owner;
mod refusal;
mod regular;
mod size_limit;
mod walk;

pub use append::LockedFile;
pub use directory::{Missing, PrivateDir, UNFINISHED, replace_file};
pub use owner::Owner;
pub use refusal::{Error, Problem, Refusal};
pub use regular::{lock_shared, open_regular, read_regular, read_trusted};

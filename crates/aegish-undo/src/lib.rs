//! A run whose changes to files can be looked at, kept, thrown away and taken back.
//!
//! Takes directories or paths that a command may change; gives a [`Run`]. With overlays the command changes nothing:
//! what it does lands beside, and is applied to the real files when it is kept. Without overlays copies are made first.
//! Either way there is an entry in a [`Store`] until it expires, and [`Store::undo`] brings the earlier files back.
//!
//! Files are changed in one place, [`apply`], which can be repeated: an entry says which state its files are brought to
//! before the first one is touched, and [`Store::recover`] finishes that after a crash. Starts no command, asks nobody.

mod apply;
mod changes;
mod copies;
mod entry;
mod image;
mod leftovers;
mod line_diff;
mod mounts;
mod object;
mod overlay;
mod raw;
mod run;
mod store;

pub use changes::{Change, Changed};
pub use copies::Scope;
pub use entry::{Method, State, Subject};
pub use line_diff::{DiffLine, line_diff};
pub use object::{Kind, Object};
pub use overlay::{Obstacle, obstacle};
pub use run::Run;
pub use store::{Conflicts, Error, Recovered, Store, Summary};

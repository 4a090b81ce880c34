//! The state of a shell at a point of a script, and what a session keeps of it.
//!
//! [`ShellState`] holds what the lines so far set, defined, opened and wrote; [`ShellState::join`] makes one state of
//! several possible ones. [`Session`] passes it from one analysis to the next and corrects it by what a real shell
//! reports. Nothing is followed here: the interpreter changes the state.
#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod joining;
mod outcome;
mod session;
mod state;
mod told;

pub use joining::join_lists;
pub use outcome::{Equality, VerifiedFiles};
pub use session::{Observed, Session};
pub use state::{
    Assumption, FileFact, Flow, Function, HistoryExpansion, Meanings, ShellState, StoredSetting,
    Subscript, Switch, Trap, Unpacked, Variable, VariableContent, small,
};

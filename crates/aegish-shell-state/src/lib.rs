//! The state of a shell at a point of a script, and what a session keeps of it.
//!
//! [`ShellState`] holds what the lines so far set, defined, opened and wrote; [`ShellState::join`] makes one state of
//! several possible ones. [`Session`] passes it from one analysis to the next and corrects it by what a real shell
//! reports. Nothing is followed here: the interpreter changes the state.
#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod content;
mod context;
mod files;
mod functions;
mod job;
mod joining;
mod outcome;
mod pattern;
pub mod places;
mod session;
mod state;
mod told;
mod traps;
mod variable;
mod ways;

pub use content::{ANY_KEY, Subscript, VariableContent};
pub use context::{Context, FileView, Machine, NoMachine, OutputReader, StandardInput, TextForm};
pub use files::{FileFact, Flow, Link};
pub use functions::{Definition, Function};
pub use job::{Job, Jobs, LookedAt, StaleJob};
pub use joining::join_lists;
pub use outcome::{Equality, Outcome};
pub use pattern::small;
pub use session::{Observed, Session};
pub use state::{HistoryExpansion, ParameterWays, ShellState, StoredSetting, Switch, Unpacked};
pub use traps::{Trap, Traps};
pub use variable::{Assumption, Meanings, Variable, Way, Ways};

//! What every task of the command line shares: output to a terminal, and how a task ends.

pub mod command_line;
mod ending;
mod number;
mod output;

pub use ending::{ExitKind, Failure};
pub use number::grouped;
pub use output::{Screen, Style, acts, complain, quiet, spelled, visible};

//! Code of general-purpose languages → what it would do.
//!
//! Takes program text in Python, Perl, Node, PowerShell and their like, gives the [`CodeEffect`]s found
//! in code position. It runs nothing, knows nothing of Bash, and never fails: what it does not
//! understand it leaves out, or reports as [`CodeEffect::Hidden`] where something unknown is executed.

mod effect;
mod engine;

pub use effect::{CodeEffect, Surroundings};
pub use engine::scan;

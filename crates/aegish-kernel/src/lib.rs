//! Calls of the kernel that confine a child and watch what it executes.
//!
//! Takes what was decided elsewhere (a Landlock rule set, a list of system calls, limits) and makes the calls:
//! [`Confinement`] in the child between fork and exec, [`Listener`] and [`trace`] in the supervisor,
//! [`probe`] to find out what the running kernel gives. Knows no policy and judges nothing.
//!
//! Holds `unsafe`, each block with its argument, so that the crates above need none.

mod confinement;
mod filter;
mod listener;
pub mod memory;
pub mod probe;
pub mod trace;

pub use confinement::{Confinement, Limit};
pub use filter::{Debuggers, Filter, Sockets};
pub use listener::{ExecCall, Listener, Reply};

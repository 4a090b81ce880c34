//! Calls of the kernel that confine a child and watch what it executes and connects to.
//!
//! Takes what was decided elsewhere (a Landlock rule set, a list of system calls, limits) and makes the calls:
//! [`Confinement`] in the child between fork and exec, [`Listener`], [`trace`], [`memory`], [`process`] and [`socket`] in the supervisor,
//! [`probe`] to find out what the running kernel gives. Knows no policy and judges nothing.
//!
//! Holds `unsafe`, each block with its argument, so that the crates above need none.

mod confinement;
mod filter;
mod listener;
pub mod memory;
mod namespace;
pub mod probe;
pub mod process;
pub mod socket;
pub mod trace;

pub use confinement::{Confinement, Limit};
pub use filter::{Filter, Sockets, Watch};
pub use listener::{Call, ConnectCall, ExecCall, Listener, OpenCall, Reply, Report};
pub use namespace::{MountNamespace, NoNamespace, Overlay, Step};

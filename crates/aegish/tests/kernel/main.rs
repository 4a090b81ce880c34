//! What the kernel holds for programs that nobody can read: files that are closed to them, programs they may not
//! start. And that ordinary work goes on.
//!
//! Every attempt has its control, which shows that it works without the limit. All run in private mount, process and
//! network namespaces in which only temporary directories can be written.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod escapes;
mod executions;
mod files;
mod hosts;
mod limits;
mod machine;
mod network;
mod red_team;
mod tight;
mod undo;
mod workflows;

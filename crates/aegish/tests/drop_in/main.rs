//! aegish as a replacement for bash: the same scripts give the same output byte for byte, also under programs
//! that start shells, and only judged text runs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod calls;
mod differential;
mod pinned;
mod programs;
mod run;
mod same_bytes;
mod scripts;
mod ssh;
mod ssh_server;
mod supervision;
mod ways;

use aegish_test_support::fake;

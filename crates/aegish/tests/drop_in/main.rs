//! Whether aegish can take bash's place: the same scripts, byte for byte the same outcome, under the
//! programs that start shells, and nothing run that was not judged.
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

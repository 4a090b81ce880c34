//! Whether aegish can take bash's place: the same scripts, byte for byte the same outcome.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod calls;
mod differential;
mod run;
mod scripts;
mod ssh;
mod ssh_server;

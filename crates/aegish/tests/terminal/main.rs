//! The shell in a real terminal, as a person meets it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)] // tests

mod editing;
mod harness;
mod input;
mod jobs;
mod leaving;
mod screens;
mod signals;
mod state;
mod verdicts;

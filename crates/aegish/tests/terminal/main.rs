//! The shell in a real terminal.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::needless_pass_by_value
)] // tests

mod always;
mod channel;
mod completions;
mod editing;
mod faults;
mod harness;
mod input;
mod jobs;
mod leaving;
mod model;
mod outer;
mod prompts_and_keys;
mod screens;
mod signals;
mod state;
mod trust;
mod undo;
mod unjudged;
mod verdicts;

use aegish_test_support::fake;

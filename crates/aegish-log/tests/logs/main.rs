//! Logs and figures, from outside: what the crate promises to others.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod fixtures;
mod reference;
mod rescoring;
mod support;
mod writing;

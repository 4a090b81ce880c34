//! Logs and metrics through the public interface.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod fixtures;
mod reference;
mod rescoring;
mod support;
mod writing;

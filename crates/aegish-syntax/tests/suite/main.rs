//! Tests of the parser: constructs, comparison with real Bash, bounds, and properties.
//!
//! Comparisons need Bash 5.2 on `PATH` and are left out without it.

// Helpers of tests may fail loudly; Clippy only knows functions marked as tests.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

mod bash;
mod constructs;
mod doors;
mod limits;
mod mutants;
mod properties;
mod words;

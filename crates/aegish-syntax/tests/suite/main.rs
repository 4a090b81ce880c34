//! Tests of the parser: constructs, comparison with real Bash, bounds, and properties.
//!
//! Comparisons need Bash 5.2 on `PATH` and are skipped without it.

// Helpers of tests may panic; Clippy only recognises functions marked as tests.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

mod bash;
mod completeness;
mod constructs;
mod limits;
mod mutants;
mod properties;
mod words;

//! What the tests and benchmarks of several crates share: the literate cases, the examples of program profiles,
//! servers that stand in for model providers, attacks on a model's message, kinds of secrets, temporary folders, and a clock.
//!
//! A dev-dependency of the other crates, for integration tests and benchmarks: in a unit test it brings in a second
//! copy of the crate under test, so unit tests use nothing of it but the clock.
#![allow(missing_docs)] // fields and helpers of tests; what is not plain from the name has a comment
#![allow(clippy::expect_used, clippy::panic, clippy::needless_pass_by_value)] // a test may fail
#![allow(clippy::print_stdout)] // a skipped test says so

pub mod attacks;
#[cfg(feature = "cases")]
pub mod cases;
pub mod clock;
#[cfg(feature = "examples")]
pub mod examples;
#[cfg(feature = "fake")]
pub mod fake;
pub mod folder;
pub mod model_server;
pub mod secrets;
#[cfg(feature = "signals")]
pub mod signals;

//! Runs with systems that answer, fail, hang and come back.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod ends;
mod exec;
mod faults;
mod guard;
mod model;
#[path = "../support/mod.rs"]
mod support;

//! Logs and metrics from outside: what the crate promises to others.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod logs;
mod reference;
mod support;

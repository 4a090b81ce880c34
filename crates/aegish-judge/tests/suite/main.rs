//! The judge with providers on the loopback, alone and with other processes.
#![allow(clippy::expect_used, clippy::needless_pass_by_value, clippy::panic)] // helpers belong to the tests

mod chain;
mod failures;
mod health;
mod kept;
mod limits;
mod processes;
mod support;

use aegish_test_support::fake;

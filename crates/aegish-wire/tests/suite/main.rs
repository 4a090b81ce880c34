//! Tests with a provider on the loopback: what is sent, what is read, and how failures are handled.
#![allow(clippy::expect_used, clippy::needless_pass_by_value, clippy::panic)] // helpers belong to the tests

mod calls;
mod clouds;
mod failures;
mod requests;
mod tls;

use aegish_test_support::fake;

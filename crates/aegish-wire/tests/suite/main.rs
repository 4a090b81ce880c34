//! Against a provider on the loopback: what is sent, what is read, what happens when it fails.
#![allow(clippy::expect_used, clippy::needless_pass_by_value, clippy::panic)] // helpers of tests are tests

mod calls;
mod clouds;
mod failures;
mod requests;
mod tls;

use aegish_test_support::fake;

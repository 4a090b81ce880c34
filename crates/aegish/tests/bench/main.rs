//! `aegish bench` as a program: killed, stopped, continued, repaired, scored.
#![cfg(feature = "bench")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod batched;
mod folder;
mod killed;
mod resumed;
mod retried;
mod scored;
mod started;

use aegish_test_support::model_server;

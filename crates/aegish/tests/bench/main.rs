//! `aegish bench` as a program: killed, stopped, continued, repaired, scored.
#![cfg(feature = "bench")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod folder;
mod killed;
#[path = "../../../aegish-bench/tests/support/model_server.rs"]
mod model_server;
mod retried;
mod scored;
mod started;

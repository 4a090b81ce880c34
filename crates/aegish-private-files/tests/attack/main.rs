//! Attacks by other users, links, FIFOs, full disks and races. Nothing outside is read or written.

#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::print_stderr, reason = "what is not tested is told")]

mod limits;
mod races;
mod refusals;
mod support;

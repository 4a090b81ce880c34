//! Decisions as JSON, and the checker that the servers of the guard share.
//!
//! Takes a decision and gives the object that `docs/reference/verdict.schema.json` describes ([`JsonVerdict`]); takes a
//! command and gives the decision of the guard with the settings in force ([`Checker`]). Asks no model and runs nothing.
#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod checker;
mod json;

pub use checker::{CheckInput, Checker, MachineView};
pub use json::{JsonDetail, JsonVerdict};

//! Data set → system → score → log → report.
//!
//! Measures how well a system (a model alone, the static side, the whole guard, a recorded log, a
//! foreign guard) judges shell commands. Each step reads only the record of the one before it:
//! scoring needs no model, a report needs no run. It has no prompt, parser or pipeline of its own.

mod record;
pub mod report;
mod sample;

pub use record::{Limit, Record};
pub use sample::{Expected, Sample, UnknownExpectation};

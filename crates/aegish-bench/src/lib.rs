//! Data set → system → score → log → report.
//!
//! Measures how well a system (a model alone, the static side, the whole guard, a recorded log, a
//! foreign guard) judges shell commands. Each step reads only the record of the one before it:
//! scoring needs no model, a report needs no run. It has no prompt, parser or pipeline of its own.

pub mod dataset;
pub mod log;
pub mod metrics;
pub mod queue;
mod record;
pub mod report;
pub mod run;
mod sample;
mod score;
pub mod system;

pub use metrics::{Metrics, Tally};
pub use record::{Limit, Record};
pub use sample::{Expected, QUESTION, Sample, UnknownExpectation};
pub use score::score;

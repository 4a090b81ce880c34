//! Data set → system → score → log.
//!
//! Measures how well a system (a model alone, the static side, the whole guard, a recorded log, a foreign
//! guard) judges shell commands. Each step reads only the record of the step before: scoring needs no model,
//! a report needs no run. The crate has no prompt, parser or pipeline of its own. Logs and metrics are in
//! `aegish-log`, reports in `aegish-report`.

pub mod dataset;
pub mod queue;
pub mod run;
pub mod system;

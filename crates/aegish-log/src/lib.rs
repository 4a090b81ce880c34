//! Scored samples → metrics and logs in the formats of Inspect AI: `.eval` (a ZIP archive) and `.json`.
//!
//! A [`Writer`] takes samples as they finish and writes a log that can be opened at any time. A [`Log`] reads
//! logs of this crate and of Inspect. Neither holds more than one sample in memory. [`Metrics`] are computed
//! from [`Record`]s alone. This crate asks no system and reads no data set.

pub mod clock;
mod deflate;
mod encode;
mod ending;
mod error;
mod exchange;
mod frame;
mod header;
mod json_log;
mod latest;
pub mod metrics;
mod names;
mod parse;
mod reader;
mod record;
mod recorded;
mod rescore;
mod results;
mod sample;
mod score;
mod shapes;
mod spec;
mod split;
mod store;
mod summary;
mod writer;
mod zip;

pub use error::LogError;
pub use exchange::{Bodies, Exchange};
pub use header::{DatasetHeader, EvalHeader, Header, LogStatus};
pub use metrics::{Metrics, Tally};
pub use parse::LoggedSample;
pub use reader::{Entries, Log, RawSamples};
pub use record::{Limit, Record, UNSCORED};
pub use rescore::{keep_original, measure, rescore, write_json};
pub use sample::{Expected, QUESTION, Sample, UnknownExpectation};
pub use score::score;
pub use spec::{DatasetSpec, EvalConfig, PromptCopies, PromptSpec, Revision, Spec};
pub use writer::{FinalStatus, Writer};

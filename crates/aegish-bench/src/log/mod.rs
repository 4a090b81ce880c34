//! Logs in the formats of Inspect AI: `.eval` (a ZIP archive) and `.json`.
//!
//! A [`Writer`] takes samples as they finish and leaves a log that can be opened at any time; a [`Log`] reads
//! what it, or Inspect itself, wrote. Neither holds more than one sample in memory.

pub(crate) mod clock;
mod deflate;
mod encode;
mod ending;
mod error;
mod exchange;
mod frame;
mod header;
mod json_log;
mod latest;
mod names;
mod parse;
mod reader;
mod recorded;
mod rescore;
mod results;
mod shapes;
mod spec;
mod split;
mod store;
mod summary;
mod writer;
mod zip;

pub use error::LogError;
pub use exchange::{Bodies, Exchange};
pub use header::{DatasetHeader, EvalHeader, Header, Progress};
pub use parse::Entry;
pub use reader::{Entries, Log};
pub use rescore::{keep_original, measure, rescore, write_json};
pub use spec::{Config, DatasetSpec, PromptCopies, PromptSpec, Revision, Spec};
pub use writer::{Status, Writer};

//! Records of other programs → the commands in them, judged.
//!
//! Takes audit logs, process events, shell histories, casts and transcripts of agents; gives a verdict for each command as
//! a line of JSON, and a summary as text and as a page. Sessions are kept apart: by login session or process tree, by
//! file, or by transcript. Memory does not grow with the input: sessions, groups of findings and counters are bounded, and
//! the summary says if a bound was reached. Nothing is run, no model is asked, and no file of this machine is read to
//! judge: the commands ran elsewhere.
#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod bounded;
mod forgetting;
mod format;
mod input;
mod judging;
mod options;
mod output;
mod page;
mod readers;
mod record;
mod run;
mod summary;
#[cfg(feature = "parquet")]
mod table;

pub use format::RecordFormat;
pub use options::JudgeLogOptions;
pub use run::run;

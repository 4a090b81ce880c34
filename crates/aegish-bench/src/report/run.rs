//! What a comparison reads of one log.

use crate::Record;

/// One log: which system was asked about which data set, and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Where it was read from.
    pub source: String,
    /// The system, as the log names it.
    pub model: String,
    /// What was different about the way it was asked, e.g. `cot`.
    pub variant: Option<String>,
    /// The data set.
    pub dataset: String,
    /// The hash of the data set.
    pub dataset_sha256: Option<String>,
    /// The hash of the system prompt.
    pub prompt_sha256: Option<String>,
    /// When it began, in ISO 8601 and UTC.
    pub created: String,
    /// Whether it came to its end.
    pub ending: Ending,
    /// The samples.
    pub records: Vec<Record>,
}

/// Whether a run came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// All samples are in.
    Complete,
    /// Some are missing; the word the log has for it.
    Partial(String),
}

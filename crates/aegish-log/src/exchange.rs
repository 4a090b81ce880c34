//! The exchange between harness and system in one sample.

use std::time::SystemTime;

use serde_json::value::RawValue;

/// The exchange between harness and system in one sample, without the answer, which is in the record.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// The question of the sample before any solver changed it: `Validate this command: …`.
    pub input: String,
    /// The question as it was sent, if a solver changed it.
    pub sent_as: Option<String>,
    /// The model's reasoning, if the provider returns it.
    pub reasoning: Option<String>,
    /// The model that answered, as it names itself.
    pub model: Option<String>,
    /// Start of the sample, including queueing.
    pub started: SystemTime,
    /// When the last attempt was sent.
    pub asked: Option<SystemTime>,
    /// When the last attempt ended.
    pub completed: SystemTime,
    /// The provider's request id.
    pub request_id: Option<String>,
    /// The exact bodies, if they are to be kept.
    pub bodies: Option<Bodies>,
    /// Why earlier attempts failed, in order.
    pub failures: Vec<String>,
}

/// The exact bodies of the last attempt.
#[derive(Debug, Clone)]
pub struct Bodies {
    /// What was sent.
    pub request: Box<RawValue>,
    /// What was received.
    pub response: Option<Box<RawValue>>,
}

impl Exchange {
    /// A question with its start time; all other fields are unknown.
    #[must_use]
    pub fn new(input: impl Into<String>, started: SystemTime, completed: SystemTime) -> Self {
        Self {
            input: input.into(),
            sent_as: None,
            reasoning: None,
            model: None,
            started,
            asked: None,
            completed,
            request_id: None,
            bodies: None,
            failures: Vec::new(),
        }
    }
}

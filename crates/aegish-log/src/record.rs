//! The result of one sample: all that metrics and reports read.

use aegish_guard::Action;
use aegish_judge::{Answer, Stop};
use aegish_wire::Usage;

use crate::Expected;

/// One sample, run and scored.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The sample's id.
    pub id: String,
    /// Which repetition, from 1.
    pub epoch: u32,
    /// The command.
    pub command: String,
    /// The expected answer.
    pub expected: Expected,
    /// The kind of attack, or of harmless work.
    pub category: Option<String>,
    /// The system's text; empty if there was none.
    pub completion: String,
    /// Why it stopped.
    pub stop: Stop,
    /// The answer, or the class of error.
    pub answer: Answer,
    /// Tokens, where they are known.
    pub usage: Usage,
    /// Reasoning tokens that `usage.output` leaves out, as some providers count.
    pub reasoning_apart: u64,
    /// From the start of the sample to its end, queueing included, in seconds.
    pub total_seconds: Option<f64>,
    /// The same without waiting for a slot or between retries.
    pub working_seconds: Option<f64>,
    /// Time of the system itself, in its last attempt.
    pub model_seconds: Option<f64>,
    /// Attempts beyond the first.
    pub retries: u32,
    /// Why there is no answer, if the sample ended in an error.
    pub error: Option<String>,
    /// The limit that ended it, if one did.
    pub limit: Option<Limit>,
}

/// A limit that ended a sample.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// `time`, `token`, `cost`, …
    pub kind: String,
    /// Its value.
    pub value: f64,
}

impl Record {
    /// Whether the answer is right. Errors are wrong.
    #[must_use]
    pub fn correct(&self) -> bool {
        match self.expected {
            Expected::Block => self.answer.action() == Some(Action::Block),
            Expected::Pass => self.answer.action().is_some_and(|action| action < Action::Block),
        }
    }
}

//! The result of one sample: everything that metrics and reports read.

use aegish_guard::Action;
use aegish_judge::{Answer, Scoring, Stop, classify};
use aegish_wire::Usage;

use crate::{Expected, Sample, score};

/// The word for a sample that ended in an error and has no score.
pub const UNSCORED: &str = "ERROR";

/// One sample, run and scored.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The sample's id.
    pub id: String,
    /// The number of the repetition, from 1.
    pub epoch: u32,
    /// The command.
    pub command: String,
    /// The expected answer.
    pub expected: Expected,
    /// The kind of attack, or of harmless work.
    pub category: Option<String>,
    /// The system's text; empty if there was none.
    pub completion: String,
    /// Why the answer ended.
    pub stop: Stop,
    /// The answer, or its class of error; `None` if the sample ended in an error and has no score.
    pub answer: Option<Answer>,
    /// Tokens, where they are known.
    pub usage: Usage,
    /// Reasoning tokens that `usage.output` leaves out, as some providers count.
    pub reasoning_apart: u64,
    /// Time from the start of the sample to its end, including queueing, in seconds.
    pub total_seconds: Option<f64>,
    /// The same without waits for a slot or between retries.
    pub working_seconds: Option<f64>,
    /// Time of the system in its last attempt.
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
    /// A sample of which nothing is known yet.
    #[must_use]
    pub fn new(sample: &Sample, epoch: u32) -> Self {
        Self {
            id: sample.id.clone(),
            epoch,
            command: sample.command.clone(),
            expected: sample.expected,
            category: sample.category.clone(),
            completion: String::new(),
            stop: Stop::Unknown(String::new()),
            answer: None,
            usage: Usage::default(),
            reasoning_apart: 0,
            total_seconds: None,
            working_seconds: None,
            model_seconds: None,
            retries: 0,
            error: None,
            limit: None,
        }
    }

    /// The same with a completion and its score by the rules of the seed. What ended in an error has no score.
    #[must_use]
    pub fn answered(self, completion: String, stop: Stop) -> Self {
        let answer = self.error.is_none().then(|| score(&completion, &stop));
        Self { answer, completion, stop, ..self }
    }

    /// Whether the answer is right. An answer without a verdict is wrong.
    #[must_use]
    pub fn correct(&self) -> bool {
        match self.expected {
            Expected::Block => self.action() == Some(Action::Block),
            Expected::Pass => self.action().is_some_and(|action| action < Action::Block),
        }
    }

    /// The verdict, if there is one.
    #[must_use]
    pub fn action(&self) -> Option<Action> {
        self.answer.as_ref().and_then(Answer::action)
    }

    /// Scores the completion again by other rules. Time-outs and errors stay unchanged.
    pub fn score_by(&mut self, scoring: Scoring) {
        if self.answer.is_some() && self.limit.is_none() {
            self.answer = Some(classify(&self.completion, &self.stop, scoring));
        }
    }

    /// The word for the answer in logs and reports.
    #[must_use]
    pub fn answer_word(&self) -> &'static str {
        self.answer.as_ref().map_or(UNSCORED, Answer::as_str)
    }
}

//! What is known before the first sample: system, question, data set and limits.

use std::time::SystemTime;

use serde_json::{Map, Value};

use super::clock;
use crate::metrics::Reducer;

/// Everything that a log contains before its first sample.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// A unique id of this evaluation.
    pub eval_id: String,
    /// The run it belongs to; evaluations started together share it.
    pub run_id: String,
    /// The task; retries have the same id.
    pub task_id: String,
    /// When the evaluation began.
    pub created: SystemTime,
    /// `aegish_gtfobins`, `aegish_harmless`, …
    pub task: String,
    /// The task's arguments, `cot` among them.
    pub task_args: Map<String, Value>,
    /// The data set.
    pub dataset: DatasetSpec,
    /// The system: `openai/gpt-5.1`, `static`, `exec:…`.
    pub model: String,
    /// Its address, if it is not the default.
    pub model_base_url: Option<String>,
    /// Parameters of the requests: `seed`, `max_tokens`, `temperature`, … under Inspect's names.
    pub generate: Map<String, Value>,
    /// Limits and repetitions.
    pub config: EvalConfig,
    /// The system prompt.
    pub prompt: Option<PromptSpec>,
    /// The steps from a sample to an answer, in order: `system_message`, `chain_of_thought`, `generate`.
    pub solvers: Vec<String>,
    /// The revision of the code.
    pub revision: Option<Revision>,
    /// Other metadata.
    pub metadata: Map<String, Value>,
}

/// The data set.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DatasetSpec {
    /// Its name, as reports show it.
    pub name: String,
    /// The path it was read from.
    pub location: Option<String>,
    /// SHA-256 of its bytes, in hexadecimal digits.
    pub sha256: Option<String>,
    /// How many samples it has, epochs not counted.
    pub samples: u64,
    /// Ids in order. `None` if there are too many to hold; the log then lists the ids it contains.
    pub sample_ids: Option<Vec<String>>,
}

/// Limits and repetitions.
#[derive(Debug, Clone, PartialEq)]
pub struct EvalConfig {
    /// How often each sample is asked.
    pub epochs: u32,
    /// How the answers to a repeated sample are combined.
    pub reducer: Reducer,
    /// Limit on the number of samples.
    pub limit: Option<u64>,
    /// Time limit per sample, in seconds.
    pub time_limit: Option<f64>,
    /// Cost limit of the run, in dollars.
    pub cost_limit: Option<f64>,
    /// Retries of one request.
    pub max_retries: Option<u32>,
    /// Retries of a failed sample.
    pub retry_on_error: Option<u32>,
    /// The share of failed samples at which the run fails.
    pub fail_on_error: Option<f64>,
    /// Concurrent requests.
    pub max_connections: Option<u32>,
}

impl Default for EvalConfig {
    fn default() -> Self {
        Self {
            epochs: 1,
            reducer: Reducer::Mean,
            limit: None,
            time_limit: None,
            cost_limit: None,
            max_retries: None,
            retry_on_error: None,
            fail_on_error: None,
            max_connections: None,
        }
    }
}

/// The system prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptSpec {
    /// The text, exactly as sent.
    pub text: String,
    /// Its SHA-256, in hexadecimal digits.
    pub sha256: String,
    /// Which parts of the log contain the text.
    pub copies: PromptCopies,
}

/// Which parts of a log contain the system prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PromptCopies {
    /// The header and every sample, as in Inspect: about 5 KB each.
    #[default]
    EverySample,
    /// Only the header; samples refer to it by its hash. For runs with very many samples.
    HeaderOnly,
}

/// The revision of the code that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// The URL of the repository.
    pub origin: Option<String>,
    /// The commit.
    pub commit: String,
    /// Whether the working directory had changes.
    pub dirty: bool,
}

impl Spec {
    /// The file name that Inspect would use: time, task and task id.
    #[must_use]
    pub fn file_name(&self) -> String {
        let plain = |text: &str| text.replace(['_', '/', ':', ' ', '\\'], "-");
        let created = clock::iso(self.created, clock::Digits::Seconds).replace([':', '+'], "-");
        format!("{created}_{}_{}.eval", plain(&self.task), plain(&self.task_id))
    }
}

//! The header of a log: everything except its samples.

use std::io::{self, Read};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::metrics::Reducer;
use aegish_judge::Scoring;
use aegish_judge::price::{self, Price};

/// The status of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogStatus {
    /// It is being written, or its writer was killed.
    #[default]
    Started,
    /// Every sample was run.
    Success,
    /// It was stopped early.
    Cancelled,
    /// It failed.
    Error,
}

/// Everything except the samples. Fields that a log lacks are absent or empty.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Header {
    /// The status.
    pub status: LogStatus,
    /// `eval`.
    pub eval: EvalHeader,
    /// The system prompt, as the plan has it.
    pub prompt: Option<String>,
    /// The steps from a sample to an answer.
    pub solvers: Vec<String>,
    /// The results, as in the log.
    pub results: Option<Value>,
    /// Time of its end, as in the log.
    pub completed_at: Option<String>,
    /// Tokens by model, as in the log.
    pub model_usage: Map<String, Value>,
    /// Why it failed.
    pub error: Option<String>,
}

impl Header {
    /// The rules by which completions are scored.
    #[must_use]
    pub fn scoring(&self) -> Scoring {
        let name = self.eval.metadata.get("scoring").and_then(Value::as_str);
        name.and_then(Scoring::from_name).unwrap_or_default()
    }

    /// Whether the questions were handed in as batches.
    #[must_use]
    pub fn is_batch(&self) -> bool {
        let batch = self.eval.model_generate_config.get("batch");
        batch.is_some_and(|batch| !matches!(batch, Value::Null | Value::Bool(false)))
    }

    /// The price of its answers, if it is known: that of a batch for questions in batches.
    #[must_use]
    pub fn price(&self) -> Option<&'static Price> {
        let model = &self.eval.model;
        if self.is_batch() { price::in_batch(model) } else { price::find(model) }
    }

    /// How often each sample was asked.
    #[must_use]
    pub fn epochs(&self) -> u32 {
        let epochs = self.eval.config.get("epochs").and_then(Value::as_u64);
        epochs.map_or(1, |epochs| u32::try_from(epochs).unwrap_or(u32::MAX))
    }

    /// How repetitions of a sample are combined: the first reducer that this crate knows.
    #[must_use]
    pub fn reducer(&self) -> Reducer {
        let names = self.eval.config.get("epochs_reducer").and_then(Value::as_array);
        let known = |name: &Value| Reducer::from_name(name.as_str()?);
        names.and_then(|names| names.iter().find_map(known)).unwrap_or_default()
    }
}

/// Fields of the evaluation.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct EvalHeader {
    /// This evaluation.
    pub eval_id: Option<String>,
    /// The run it belongs to.
    pub run_id: Option<String>,
    /// The task; retries have the same id.
    pub task_id: Option<String>,
    /// Time of its start, as in the log.
    pub created: String,
    /// The task's name.
    pub task: String,
    /// The task's arguments.
    pub task_args: Map<String, Value>,
    /// The data set.
    pub dataset: DatasetHeader,
    /// The system that was asked.
    pub model: String,
    /// Its address.
    pub model_base_url: Option<String>,
    /// Parameters of the requests: `seed`, `max_retries`, ….
    pub model_generate_config: Map<String, Value>,
    /// Limits and repetitions, under Inspect's names.
    pub config: Map<String, Value>,
    /// The revision of the code.
    pub revision: Option<Map<String, Value>>,
    /// The programs that wrote the log, with versions.
    pub packages: Map<String, Value>,
    /// Hashes of prompt and data set, and other metadata.
    pub metadata: Map<String, Value>,
}

/// Fields of the data set.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct DatasetHeader {
    /// Its name.
    pub name: Option<String>,
    /// The path it was read from.
    pub location: Option<String>,
    /// How many samples it has.
    pub samples: Option<u64>,
}

#[derive(Deserialize)]
struct RawHeader {
    #[serde(default)]
    status: LogStatus,
    eval: EvalHeader,
    #[serde(default)]
    plan: Option<RawPlan>,
    #[serde(default)]
    results: Option<Value>,
    #[serde(default)]
    stats: Option<RawStats>,
    #[serde(default)]
    error: Option<RawError>,
}

#[derive(Deserialize)]
struct RawPlan {
    #[serde(default)]
    steps: Vec<RawStep>,
}

#[derive(Deserialize)]
struct RawStep {
    solver: String,
    #[serde(default)]
    params: Map<String, Value>,
}

#[derive(Deserialize)]
struct RawStats {
    #[serde(default)]
    completed_at: Option<String>,
    #[serde(default)]
    model_usage: Map<String, Value>,
}

#[derive(Deserialize)]
struct RawError {
    #[serde(default)]
    message: String,
}

/// Reads a header.
pub(super) fn read(text: impl Read) -> io::Result<Header> {
    let raw: RawHeader = serde_json::from_reader(text)?;
    let steps = raw.plan.map(|plan| plan.steps).unwrap_or_default();
    let template = |step: &RawStep| Some(step.params.get("template")?.as_str()?.to_owned());
    let (completed_at, model_usage) =
        raw.stats.map(|stats| (stats.completed_at, stats.model_usage)).unwrap_or_default();
    Ok(Header {
        status: raw.status,
        eval: raw.eval,
        prompt: steps.iter().find(|step| step.solver == "system_message").and_then(template),
        solvers: steps.into_iter().map(|step| step.solver).collect(),
        results: raw.results,
        completed_at,
        model_usage,
        error: raw.error.map(|error| error.message),
    })
}

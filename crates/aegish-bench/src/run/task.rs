//! One system on one data set, and the header of its log.
//!
//! The id of a task is derived from what is measured (system, prompt, data, repetitions), and the names of
//! its logs contain it. A run with the same arguments thus finds the log of an interrupted one.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use serde_json::{Map, Value};

use super::ids;
use super::session::RunSession;
use super::settings::RunSettings;
use crate::dataset::Dataset;
use crate::system::System;
use aegish_log::{DatasetSpec, EvalConfig, LogError, PromptCopies, PromptSpec, Spec};

/// Larger logs list the ids at the end only: reading them delays the first question.
const IDS_FIRST: u64 = 5_000;
/// Larger logs store the prompt once, not with every sample.
const PROMPT_EACH: u64 = 20_000;

/// One system on one data set.
#[derive(Clone)]
pub struct Task {
    /// The system under test.
    pub system: Arc<dyn System>,
    /// The samples.
    pub dataset: Dataset,
    /// Limits and retries.
    pub settings: RunSettings,
    /// The expected cost of one answer, for the cost limit.
    pub expected_cost: f64,
}

impl Task {
    /// An id derived from what is measured. It is part of the log's name.
    #[must_use]
    pub fn id(&self) -> String {
        let info = self.system.info();
        let prompt = info.prompt.as_ref().map_or("", |prompt| &prompt.sha256);
        let solvers = info.solvers.join(",");
        let sent = Value::Object(info.generate.clone()).to_string();
        let known = Value::Object(info.metadata.clone()).to_string();
        let epochs = self.settings.epochs.to_string();
        let limit = self.settings.samples(self.dataset.counts.samples()).to_string();
        let data = &self.dataset.sha256;
        ids::of(&[&info.model, prompt, &solvers, &sent, &known, data, &epochs, &limit])
    }

    /// The name that logs and viewers show: `aegish_gtfobins`, `aegish_harmless`, ….
    #[must_use]
    pub fn name(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        let name: String = self.dataset.name.chars().map(plain).collect();
        format!("aegish_{}", name.strip_suffix("_commands").unwrap_or(&name))
    }

    /// The number of questions.
    #[must_use]
    pub fn questions(&self) -> u64 {
        self.settings.questions(self.dataset.counts.samples())
    }

    pub(super) fn spec(
        &self,
        session: &RunSession,
        created: SystemTime,
    ) -> Result<Spec, TaskError> {
        let info = self.system.info().clone();
        let RunSettings { epochs, limit, max_retries, retry_on_error, fail_on_error, .. } =
            self.settings;
        let questions = self.questions();
        let samples = self.settings.samples(self.dataset.counts.samples());
        let mut generate = info.generate;
        generate.insert("max_retries".to_owned(), max_retries.into());
        let copies = if questions <= PROMPT_EACH {
            PromptCopies::EverySample
        } else {
            PromptCopies::HeaderOnly
        };
        let mut task_args = Map::new();
        let chain_of_thought = info.solvers.iter().any(|solver| solver == "chain_of_thought");
        task_args.insert("cot".to_owned(), chain_of_thought.into());
        let mut metadata = info.metadata;
        session.stamp().write(&mut metadata);
        metadata.insert("scoring".to_owned(), self.settings.scoring.name().into());
        Ok(Spec {
            eval_id: ids::fresh(),
            run_id: session.run_id().to_owned(),
            task_id: self.id(),
            created,
            task: self.name(),
            task_args,
            dataset: DatasetSpec {
                name: self.dataset.name.clone(),
                location: Some(self.dataset.location.clone()),
                sha256: Some(self.dataset.sha256.clone()),
                samples,
                sample_ids: if questions <= IDS_FIRST { Some(self.ids(samples)?) } else { None },
            },
            model: info.model,
            model_base_url: info.base_url,
            generate,
            config: EvalConfig {
                epochs,
                reducer: self.settings.reducer,
                limit,
                time_limit: Some(self.settings.time_limit.as_secs_f64()),
                cost_limit: self.settings.cost_limit,
                max_retries: Some(max_retries),
                retry_on_error: Some(retry_on_error),
                fail_on_error: Some(fail_on_error),
                max_connections: self.settings.max_connections,
            },
            prompt: info.prompt.map(|prompt| PromptSpec { copies, ..prompt }),
            solvers: info.solvers,
            revision: session.revision().cloned(),
            metadata,
        })
    }

    fn ids(&self, samples: u64) -> Result<Vec<String>, TaskError> {
        let all = self.dataset.samples().map_err(|error| TaskError::Data(error.to_string()))?;
        let first = all.take(usize::try_from(samples).unwrap_or(usize::MAX));
        let ids: Result<_, _> = first.map(|sample| sample.map(|sample| sample.id)).collect();
        ids.map_err(|error| TaskError::Data(error.to_string()))
    }
}
/// Why a task did not start.
#[derive(Debug)]
pub enum TaskError {
    /// Its log.
    Log(LogError),
    /// Its data.
    Data(String),
    /// The folder of its logs.
    Folder(PathBuf, std::io::Error),
    /// Another process is writing it.
    Busy(PathBuf),
    /// The log is of another task.
    OtherTask(PathBuf),
    /// There is nothing left to do.
    Complete(PathBuf),
}

impl fmt::Display for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Log(error) => write!(f, "nothing was asked: {error}"),
            Self::Data(error) => write!(f, "nothing was asked: {error}"),
            Self::Folder(path, error) => {
                write!(f, "nothing was asked: {} cannot be read: {error}", path.display())
            }
            Self::Busy(path) => write!(
                f,
                "nothing was asked: another process is writing {}; wait for it, or begin a new log with --fresh",
                path.display()
            ),
            Self::OtherTask(path) => write!(
                f,
                "nothing was asked: {} was made by another system, prompt, data set or number of samples; \
                 use the arguments it was begun with",
                path.display()
            ),
            Self::Complete(path) => write!(
                f,
                "nothing was asked: {} is complete; `aegish bench retry` repeats what timed out or failed",
                path.display()
            ),
        }
    }
}

impl std::error::Error for TaskError {}

impl From<LogError> for TaskError {
    fn from(error: LogError) -> Self {
        Self::Log(error)
    }
}

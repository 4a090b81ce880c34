//! Messages in the queue: jobs, results, and requests that describe a run.
//!
//! Everything is JSON. A result contains everything that a log needs beside the sample. The coordinator
//! scores the answer again, so that there is one scorer.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aegish_guard::Role;
use aegish_judge::{Prompt, Stop, sha256_hex};
use aegish_wire::{Client, Env, Usage};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::fingerprint;
use crate::run::{RunSettings, Solved};
use crate::system::{
    Delivery, KeepBodies, RequestStyle, System, SystemBuilder, SystemInfo, SystemName, Thinking,
};
use aegish_log::{Bodies, Exchange};
use aegish_log::{Expected, Limit, Record, Sample};

/// The id and the epoch of a sample.
pub(super) type SampleKey = (String, u32);

/// One question.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Job {
    pub(super) id: String,
    pub(super) epoch: u32,
    command: String,
    target: String,
    category: Option<String>,
    metadata: Map<String, Value>,
}

impl Job {
    pub(super) fn new(sample: &Sample, epoch: u32) -> Self {
        Self {
            id: sample.id.clone(),
            epoch,
            command: sample.command.clone(),
            target: sample.expected.target().to_owned(),
            category: sample.category.clone(),
            metadata: sample.metadata.clone(),
        }
    }

    pub(super) fn key(&self) -> SampleKey {
        (self.id.clone(), self.epoch)
    }

    pub(super) fn into_sample(self) -> Result<(Sample, u32), String> {
        let expected: Expected = self.target.parse().map_err(|error| format!("{error}"))?;
        let Self { id, epoch, command, category, metadata, .. } = self;
        Ok((Sample { id, command, expected, category, metadata }, epoch))
    }
}

/// The result of a question.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct AnswerMessage {
    pub(super) id: String,
    pub(super) epoch: u32,
    worker: String,
    completion: String,
    stop: String,
    stop_said: Option<String>,
    usage: TokenUsage,
    reasoning_apart: u64,
    total_seconds: Option<f64>,
    working_seconds: Option<f64>,
    model_seconds: Option<f64>,
    retries: u32,
    error: Option<String>,
    limit: Option<(String, f64)>,
    input: String,
    sent_as: Option<String>,
    reasoning: Option<String>,
    model: Option<String>,
    started: f64,
    asked: Option<f64>,
    completed: f64,
    request_id: Option<String>,
    request: Option<Box<RawValue>>,
    response: Option<Box<RawValue>>,
    failures: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct TokenUsage {
    input: Option<u64>,
    output: Option<u64>,
    cached: Option<u64>,
    cache_write: Option<u64>,
    reasoning: Option<u64>,
}

impl AnswerMessage {
    pub(super) fn new(solved: &Solved, worker: &str) -> Self {
        let Solved { exchange, record } = solved.clone();
        let Usage { input, output, cached, cache_write, reasoning } = record.usage;
        let (request, response) = exchange
            .bodies
            .map_or((None, None), |Bodies { request, response }| (Some(request), response));
        Self {
            id: record.id,
            epoch: record.epoch,
            worker: worker.to_owned(),
            completion: record.completion,
            stop: record.stop.as_str().to_owned(),
            stop_said: match record.stop {
                Stop::Unknown(said) => Some(said),
                _ => None,
            },
            usage: TokenUsage { input, output, cached, cache_write, reasoning },
            reasoning_apart: record.reasoning_apart,
            total_seconds: record.total_seconds,
            working_seconds: record.working_seconds,
            model_seconds: record.model_seconds,
            retries: record.retries,
            error: record.error,
            limit: record.limit.map(|limit| (limit.kind, limit.value)),
            input: exchange.input,
            sent_as: exchange.sent_as,
            reasoning: exchange.reasoning,
            model: exchange.model,
            started: seconds(exchange.started),
            asked: exchange.asked.map(seconds),
            completed: seconds(exchange.completed),
            request_id: exchange.request_id,
            request,
            response,
            failures: exchange.failures,
        }
    }

    pub(super) fn key(&self) -> SampleKey {
        (self.id.clone(), self.epoch)
    }

    /// The result as a solved sample.
    pub(super) fn into_solved(self, sample: &Sample) -> Solved {
        let TokenUsage { input, output, cached, cache_write, reasoning } = self.usage;
        let stop = match self.stop_said {
            Some(said) => Stop::Unknown(said),
            None => Stop::from_log(&self.stop),
        };
        let record = Record {
            id: self.id,
            usage: Usage { input, output, cached, cache_write, reasoning },
            reasoning_apart: self.reasoning_apart,
            total_seconds: self.total_seconds,
            working_seconds: self.working_seconds,
            model_seconds: self.model_seconds,
            retries: self.retries,
            error: self.error,
            limit: self.limit.map(|(kind, value)| Limit { kind, value }),
            ..Record::new(sample, self.epoch)
        };
        let record = record.answered(self.completion, stop);
        let exchange = Exchange {
            input: self.input,
            sent_as: self.sent_as,
            reasoning: self.reasoning,
            model: self.model,
            started: time(self.started),
            asked: self.asked.map(time),
            completed: time(self.completed),
            request_id: self.request_id,
            bodies: self.request.map(|request| Bodies { request, response: self.response }),
            failures: self.failures,
        };
        Solved { exchange, record }
    }
}

fn seconds(time: SystemTime) -> f64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

fn time(seconds: f64) -> SystemTime {
    UNIX_EPOCH + Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

/// The system and settings of a run, as workers get them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRequest {
    /// The name of the system.
    pub system: String,
    /// The style of its requests, if one was chosen.
    #[serde(default)]
    pub asks_as: Option<String>,
    /// The system prompt.
    pub prompt: Option<String>,
    /// Whether it is asked for a chain of thought.
    pub step_by_step: bool,
    /// Whether the exact bodies are kept.
    pub bodies: bool,
    /// Sampling seed for repeatable answers.
    pub seed: Option<i64>,
    /// Longest answer, in tokens.
    pub max_tokens: Option<u32>,
    /// The role that a guard judges for.
    pub role: String,
    /// Seconds for one sample.
    pub time_limit: f64,
    /// Retries of one request.
    pub max_retries: u32,
    /// Retries of one sample.
    pub retry_on_error: u32,
    /// The fingerprint that a worker's own system must have.
    pub fingerprint: String,
}

impl RunRequest {
    /// The request that describes a system of this builder.
    #[must_use]
    pub fn new(
        name: &SystemName,
        info: &SystemInfo,
        builder: &SystemBuilder<'_>,
        settings: &RunSettings,
    ) -> Self {
        Self {
            system: name.to_string(),
            asks_as: builder.style.map(|style| style.name().to_owned()),
            prompt: info.prompt.as_ref().map(|prompt| prompt.text.clone()),
            step_by_step: builder.thinking == Thinking::StepByStep,
            bodies: builder.bodies == KeepBodies::Yes,
            seed: builder.seed,
            max_tokens: builder.max_tokens,
            role: builder.role.to_string(),
            time_limit: settings.time_limit.as_secs_f64(),
            max_retries: settings.max_retries,
            retry_on_error: settings.retry_on_error,
            fingerprint: fingerprint(info),
        }
    }

    /// Builds the system it names, with the addresses and keys of this machine only.
    ///
    /// # Errors
    /// Why it cannot be built.
    pub fn build(&self, env: Env<'_>, client: &Client) -> Result<Arc<dyn System>, String> {
        let name: SystemName = self.system.parse().map_err(|error| format!("{error}"))?;
        let role: Role = self.role.parse().map_err(|error| format!("{error}"))?;
        let prompt = match &self.prompt {
            Some(text) => Prompt { hash: sha256_hex(text.as_bytes()), text: text.clone() },
            None => Prompt::built_in(role),
        };
        let builder = SystemBuilder {
            env,
            client: client.clone(),
            style: self.asks_as.as_deref().and_then(RequestStyle::from_name),
            prompt,
            thinking: if self.step_by_step { Thinking::StepByStep } else { Thinking::Direct },
            bodies: if self.bodies { KeepBodies::Yes } else { KeepBodies::No },
            seed: self.seed,
            max_tokens: self.max_tokens,
            role,
            delivery: Delivery::Requests,
        };
        builder.build(&name).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::{AnswerMessage, Job};
    use crate::run::Solved;
    use aegish_judge::Stop;
    use aegish_log::{Bodies, Exchange};
    use aegish_log::{Expected, Limit, Record, Sample};
    use aegish_wire::Usage;
    use serde_json::value::RawValue;
    use serde_json::{Map, Value};
    use std::time::{Duration, UNIX_EPOCH};

    fn sample() -> Sample {
        Sample {
            id: "a".to_owned(),
            command: "ls\n".to_owned(),
            expected: Expected::Pass,
            category: Some("x".to_owned()),
            metadata: Map::from_iter([("k".to_owned(), Value::from(7))]),
        }
    }

    #[test]
    fn a_job_decodes_to_its_sample() {
        let text = serde_json::to_string(&Job::new(&sample(), 3)).unwrap();
        let job: Job = serde_json::from_str(&text).unwrap();
        assert_eq!(job.into_sample(), Ok((sample(), 3)));
    }

    #[test]
    fn a_result_decodes_unchanged() {
        for (completion, stop) in
            [("{\"action\":\"warn\"}", Stop::Stop), ("", Stop::Unknown("odd".to_owned()))]
        {
            let at = UNIX_EPOCH + Duration::from_micros(1_700_000_000_123_456);
            let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
            let record = Record {
                id: "a".to_owned(),
                epoch: 3,
                command: "ls\n".to_owned(),
                expected: Expected::Pass,
                category: Some("x".to_owned()),
                answer: None,
                completion: completion.to_owned(),
                stop,
                usage: Usage { input: Some(1), cached: Some(0), ..Usage::default() },
                reasoning_apart: 5,
                total_seconds: Some(1.25),
                working_seconds: None,
                model_seconds: Some(0.1),
                retries: 2,
                error: Some("e".to_owned()),
                limit: Some(Limit { kind: "time".to_owned(), value: 180.0 }),
            };
            let exchange = Exchange {
                sent_as: Some("s".to_owned()),
                asked: Some(at),
                bodies: Some(Bodies { request: raw("{\"a\": 1}"), response: None }),
                failures: vec!["f".to_owned()],
                ..Exchange::new("i", at, at)
            };
            let solved = Solved { exchange, record };
            let text = serde_json::to_string(&AnswerMessage::new(&solved, "w")).unwrap();
            let answered: AnswerMessage = serde_json::from_str(&text).unwrap();
            let back = answered.into_solved(&sample());
            assert_eq!(back.record, solved.record);
            assert_eq!(back.exchange.sent_as, solved.exchange.sent_as);
            assert_eq!(back.exchange.failures, solved.exchange.failures);
            let body = |solved: &Solved| {
                solved.exchange.bodies.as_ref().map(|b| b.request.get().to_owned())
            };
            assert_eq!(body(&back), body(&solved));
            let apart = back.exchange.started.duration_since(at).unwrap_or_else(|e| e.duration());
            assert!(apart < Duration::from_micros(2), "{apart:?}");
        }
    }
}

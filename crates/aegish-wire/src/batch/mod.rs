//! Batches: many requests handed in at once and answered within a day, at a lower price.
//!
//! Takes prepared requests under ids of the caller; gives the id of a batch, its state, and at the end a row for
//! each request. Nothing here waits or retries: the caller polls, and looks with [`Client::find_batches`] whether a
//! batch exists before it hands in the same requests again.

mod anthropic;
mod openai;

use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::client::Client;
use crate::completion::Completion;
use crate::endpoint::Endpoint;
use crate::failure::{Failure, FailureKind};
use crate::provider::BatchApi;
use crate::transport::{Call, JSON, Payload, ReplyKind};
use crate::wire::{self, Explained, Prepared};

/// For a question about a batch.
const SHORT: Duration = Duration::from_secs(60);
/// For a file of requests or results.
const LONG: Duration = Duration::from_secs(600);
/// For the results of one batch.
const RESULT_BYTES: u64 = 512 * 1024 * 1024;
/// For everything else.
const STATE_BYTES: u64 = 16 * 1024 * 1024;

/// What one batch may hold: less than the providers allow, so that it fits into memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchLimits {
    /// Requests.
    pub requests: usize,
    /// Bytes of their bodies.
    pub bytes: usize,
}

/// The state of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchStatus {
    /// The provider's id.
    pub id: String,
    /// The caller's label, where the provider keeps one.
    pub label: Option<String>,
    /// When it was created, in seconds since 1970.
    pub created: Option<i64>,
    /// Requests in it, as far as the provider has counted them.
    pub total: u64,
    /// Requests that have an outcome.
    pub done: u64,
    /// How far it has come.
    pub state: BatchState,
}

/// How far a batch has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BatchState {
    /// Requests are still under way.
    Running,
    /// Every request has an outcome.
    Ended {
        /// Addresses of the files with the outcomes.
        files: Vec<String>,
    },
    /// The provider refused the batch as a whole.
    Failed(String),
}

/// The outcome of one request of a batch.
#[derive(Debug, Clone)]
pub struct BatchRow {
    /// The caller's id.
    pub custom_id: String,
    /// What came of it.
    pub outcome: RowOutcome,
}

/// What came of a request.
#[derive(Debug, Clone)]
pub enum RowOutcome {
    /// An answer. Its latency is zero: a batch does not say how long a request took.
    Answer(Box<Completion>),
    /// It was sent to the model and failed.
    Failed(Failure),
    /// The batch ended before the request was executed; it is not charged.
    NotExecuted(&'static str),
}

/// The newest batches of an account, as both providers list them.
#[derive(Deserialize)]
struct List<B> {
    data: Vec<B>,
}

/// It was not executed in time.
const EXPIRED: &str = "the batch expired before this request was executed";
/// The batch was cancelled.
const CANCELLED: &str = "the batch was cancelled before this request was executed";

impl Endpoint {
    /// What a batch of this endpoint may hold; `None` if its provider has no batches.
    #[must_use]
    pub fn batch_limits(&self) -> Option<BatchLimits> {
        self.batch.map(|_| BatchLimits { requests: 10_000, bytes: 64 * 1024 * 1024 })
    }
}

impl Client {
    /// Hands in a batch; gives its id.
    ///
    /// # Errors
    /// [`Failure`]. If it is retryable, the batch may exist all the same.
    pub fn submit_batch(
        &self,
        endpoint: &Endpoint,
        label: &str,
        rows: &[(String, Prepared)],
    ) -> Result<String, Failure> {
        match api(endpoint)? {
            BatchApi::OpenAi => openai::submit(self, endpoint, label, rows),
            BatchApi::Anthropic => anthropic::submit(self, endpoint, rows),
        }
    }

    /// Asks how far a batch has come.
    ///
    /// # Errors
    /// [`Failure`] if the provider does not say.
    pub fn batch_status(&self, endpoint: &Endpoint, id: &str) -> Result<BatchStatus, Failure> {
        match api(endpoint)? {
            BatchApi::OpenAi => openai::status(self, endpoint, plain(id)?),
            BatchApi::Anthropic => anthropic::status(self, endpoint, plain(id)?),
        }
    }

    /// The newest batches of the account that may be the one with this label, handed in at `since` (seconds since
    /// 1970) with this many requests. Where the provider keeps no label, the custom ids in the results decide.
    ///
    /// # Errors
    /// [`Failure`] if the provider does not say.
    pub fn find_batches(
        &self,
        endpoint: &Endpoint,
        label: &str,
        since: i64,
        requests: u64,
    ) -> Result<Vec<BatchStatus>, Failure> {
        /// Clocks differ.
        const SKEW: i64 = 300;
        let all = match api(endpoint)? {
            BatchApi::OpenAi => openai::list(self, endpoint)?,
            BatchApi::Anthropic => anthropic::list(self, endpoint)?,
        };
        let is_ours = |batch: &BatchStatus| match &batch.label {
            Some(other) => other == label,
            None => {
                batch.total == requests
                    && batch.created.is_some_and(|created| created >= since - SKEW)
            }
        };
        Ok(all.into_iter().filter(is_ours).collect())
    }

    /// Reads the outcomes of a batch that has ended. Their order is the provider's.
    ///
    /// # Errors
    /// [`Failure`] if a file cannot be read, or holds something else than outcomes.
    pub fn batch_rows(
        &self,
        endpoint: &Endpoint,
        files: &[String],
    ) -> Result<Vec<BatchRow>, Failure> {
        let api = api(endpoint)?;
        let mut rows = Vec::new();
        for file in files {
            let text = self.exchange(endpoint, file, Payload::None, ReplyKind::File)?;
            for line in text.lines().filter(|line| !line.trim().is_empty()) {
                rows.push(match api {
                    BatchApi::OpenAi => openai::row(endpoint, line)?,
                    BatchApi::Anthropic => anthropic::row(endpoint, line)?,
                });
            }
        }
        Ok(rows)
    }

    /// One call whose reply is JSON.
    fn json<T: DeserializeOwned>(
        &self,
        endpoint: &Endpoint,
        url: &str,
        payload: Payload<'_>,
    ) -> Result<T, Failure> {
        parse(&self.exchange(endpoint, url, payload, ReplyKind::Json)?)
    }

    /// One call beside the model's own address; gives the text of a good reply.
    fn exchange(
        &self,
        endpoint: &Endpoint,
        url: &str,
        payload: Payload<'_>,
        reply: ReplyKind,
    ) -> Result<String, Failure> {
        let sends_file =
            matches!(payload, Payload::Post(kind, body) if kind != JSON || body.len() > 65_536);
        let long = sends_file || reply == ReplyKind::File;
        let received = self
            .transport
            .call(&Call {
                url,
                auth: wire::auth(endpoint).into_iter().collect(),
                headers: wire::headers(endpoint),
                payload,
                reply,
                timeout: if long { LONG } else { SHORT },
                limit: if reply == ReplyKind::File { RESULT_BYTES } else { STATE_BYTES },
            })
            .map_err(|failure| crate::client::tell(failure, endpoint))?;
        if received.status == 200 {
            return Ok(received.body);
        }
        let Explained { kind, message } =
            wire::explain(received.status, &received.body, received.retry_after);
        let failure = Failure {
            status: Some(received.status),
            request_id: received.request_id,
            ..Failure::new(kind, endpoint.hide_key(&message))
        };
        Err(crate::client::tell(failure, endpoint))
    }
}

fn api(endpoint: &Endpoint) -> Result<BatchApi, Failure> {
    endpoint.batch.ok_or_else(|| {
        let what = format!("{} has no batches", endpoint.provider);
        Failure::new(FailureKind::BadRequest, what)
    })
}

/// An id that may stand in an address.
fn plain(id: &str) -> Result<&str, Failure> {
    let is_plain = !id.is_empty()
        && id.len() <= 128
        && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
    if is_plain { Ok(id) } else { Err(odd("an id that no address may hold")) }
}

fn odd(what: &str) -> Failure {
    Failure::new(FailureKind::BadReply, format!("the reply holds {what}"))
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, Failure> {
    serde_json::from_str(text).map_err(|error| {
        let at =
            format!("the reply is no batch (line {}, column {})", error.line(), error.column());
        Failure::new(FailureKind::BadReply, at)
    })
}

/// The answer in a row, or why there is none.
fn answer(endpoint: &Endpoint, body: Box<RawValue>, request_id: Option<String>) -> RowOutcome {
    match wire::read(endpoint.protocol, body.get()) {
        Ok(reply) => RowOutcome::Answer(Box::new(Completion {
            text: reply.text,
            reasoning: reply.reasoning,
            stop: reply.stop,
            usage: reply.usage,
            latency: Duration::ZERO,
            attempts: 1,
            request_id: request_id.or(reply.id),
            model: reply.model,
            exhausted_for: None,
            sent: String::new(),
            left_out: Vec::new(),
            raw: body,
        })),
        Err(failure) => RowOutcome::Failed(crate::client::tell(failure, endpoint)),
    }
}

/// A row whose request failed with this status and body.
fn failed(endpoint: &Endpoint, status: u16, body: &str, request_id: Option<String>) -> RowOutcome {
    let Explained { kind, message } = wire::explain(status, body, None);
    let failure = Failure {
        status: Some(status),
        attempts: 1,
        request_id,
        ..Failure::new(kind, endpoint.hide_key(&message))
    };
    RowOutcome::Failed(crate::client::tell(failure, endpoint))
}

//! A model alone: system prompt → optional chain of thought → generate.
//!
//! The prompt is sent as written, without a template: Inspect's `system_message` doubles the braces of every
//! JSON example in it, and models imitate that.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use aegish_judge::{Prompt, Stop, as_production, plain, price, step_by_step};
use aegish_wire::{Client, Completion, Endpoint, Failure, FailureKind, Request, Template, Usage};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{
    BatchSystem, Billing, Concurrency, Fault, FaultKind, KeptBodies, System, SystemInfo,
    SystemReply,
};
use aegish_log::Sample;
use aegish_log::{Bodies, PromptCopies, PromptSpec};

/// Whether a model is asked for a chain of thought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Thinking {
    /// The question as it is.
    #[default]
    Direct,
    /// The question, and a request for a chain of thought before the answer.
    StepByStep,
}

/// The style of the requests to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RequestStyle {
    /// The seed's: prompt, question and sampling seed; the provider's defaults for everything else.
    #[default]
    Seed,
    /// The guard's: also a schema and a limit on the answer. If the provider rejects the schema, without it.
    Production,
}

impl RequestStyle {
    /// Its name in logs and options.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::Production => "production",
        }
    }

    /// The style of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Seed, Self::Production].into_iter().find(|style| style.name() == name)
    }
}

/// How questions reach a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Delivery {
    /// One request for each.
    #[default]
    Requests,
    /// Many in one batch, at the price of batches.
    Batches,
}

/// How a model is asked.
#[derive(Debug, Clone)]
pub struct ModelOptions {
    /// The style of the request.
    pub style: RequestStyle,
    /// The system prompt.
    pub prompt: Prompt,
    /// Whether it is asked for a chain of thought.
    pub thinking: Thinking,
    /// Sampling seed for repeatable answers, where the provider supports it.
    pub seed: Option<i64>,
    /// Longest answer, in tokens.
    pub max_tokens: Option<u32>,
    /// Whether logs keep the exact bodies.
    pub bodies: KeepBodies,
    /// How questions reach it.
    pub delivery: Delivery,
}

/// Whether logs keep the exact bodies of requests and replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeepBodies {
    /// Only the question and the answer.
    #[default]
    No,
    /// As they were sent and received.
    Yes,
}

impl ModelOptions {
    /// Sampling seed 42, and the model's defaults for everything else.
    #[must_use]
    pub fn new(prompt: Prompt) -> Self {
        Self {
            style: RequestStyle::Seed,
            prompt,
            thinking: Thinking::Direct,
            seed: Some(42),
            max_tokens: None,
            bodies: KeepBodies::No,
            delivery: Delivery::Requests,
        }
    }
}

/// A model at its endpoint.
#[derive(Debug)]
pub struct ModelSystem {
    info: SystemInfo,
    pub(super) endpoint: Endpoint,
    pub(super) client: Client,
    pub(super) template: Template,
    /// The request without a schema, after the provider has rejected one.
    pub(super) plain: Option<Template>,
    is_schema_refused: AtomicBool,
    thinking: Thinking,
    pub(super) bodies: KeepBodies,
    delivery: Delivery,
}

impl ModelSystem {
    /// Prepares to ask a model. Nothing is sent yet.
    ///
    /// # Errors
    /// If the request cannot be written.
    pub fn new(endpoint: Endpoint, client: Client, options: ModelOptions) -> Result<Self, Failure> {
        let ModelOptions { style, prompt, thinking, seed, max_tokens, bodies, delivery } = options;
        let request = Request { seed, max_tokens, ..Request::new(prompt.text.as_str(), "") };
        let (request, plain) = match style {
            RequestStyle::Seed => (request, None),
            RequestStyle::Production => {
                let guards = as_production(request);
                let max_tokens = max_tokens.or(guards.max_tokens);
                let request = Request { seed, max_tokens, ..guards };
                let plain = Template::new(&endpoint, &Request { schema: None, ..request.clone() })?;
                (request, Some(plain))
            }
        };
        let max_tokens = request.max_tokens;
        let template = Template::new(&endpoint, &request)?;
        let mut generate = Map::new();
        let sent = |name: &str| !template.left_out().contains(&name);
        if let Some(seed) = seed.filter(|_| sent("seed")) {
            generate.insert("seed".to_owned(), seed.into());
        }
        if let Some(bound) = max_tokens {
            generate.insert("max_tokens".to_owned(), bound.into());
        }
        if delivery == Delivery::Batches {
            generate.insert("batch".to_owned(), true.into());
        }
        let mut metadata = Map::new();
        metadata.insert("asks_as".to_owned(), style.name().into());
        if !template.left_out().is_empty() {
            metadata.insert("left_out".to_owned(), Value::from(template.left_out().to_vec()));
        }
        let mut solvers = vec!["system_message".to_owned()];
        if thinking == Thinking::StepByStep {
            solvers.push("chain_of_thought".to_owned());
        }
        solvers.push("generate".to_owned());
        let info = SystemInfo {
            model: endpoint.id.clone(),
            provider: endpoint.provider.clone(),
            base_url: Some(endpoint.base_url.clone()),
            generate,
            prompt: Some(PromptSpec {
                text: prompt.text,
                sha256: prompt.hash,
                copies: PromptCopies::EverySample,
            }),
            solvers,
            concurrency: concurrency(&endpoint.provider),
            price: match delivery {
                Delivery::Requests => price::find(&endpoint.id),
                Delivery::Batches => price::in_batch(&endpoint.id),
            },
            billing: Billing::PerAnswer,
            metadata,
        };
        let is_schema_refused = AtomicBool::new(false);
        Ok(Self {
            info,
            endpoint,
            client,
            template,
            plain,
            is_schema_refused,
            thinking,
            bodies,
            delivery,
        })
    }

    /// The question as it is sent, if it differs from the input.
    pub(super) fn sent_as(&self, input: &str) -> Option<String> {
        match self.thinking {
            Thinking::Direct => None,
            Thinking::StepByStep => Some(step_by_step(input)),
        }
    }

    pub(super) fn reply(&self, done: Completion, sent_as: Option<String>) -> SystemReply {
        let bodies = match self.bodies {
            KeepBodies::No => None,
            KeepBodies::Yes => RawValue::from_string(done.sent)
                .ok()
                .map(|request| Box::new(KeptBodies(Bodies { request, response: Some(done.raw) }))),
        };
        SystemReply {
            completion: done.text,
            stop: done.stop,
            usage: done.usage,
            reasoning_apart: 0,
            took: done.latency,
            sent_as,
            reasoning: done.reasoning,
            model: done.model,
            request_id: done.request_id,
            bodies,
            exhausted_for: done.exhausted_for,
        }
    }
}

impl System for ModelSystem {
    fn info(&self) -> &SystemInfo {
        &self.info
    }

    fn batches(&self) -> Option<&dyn BatchSystem> {
        (self.delivery == Delivery::Batches).then_some(self)
    }

    fn ask(&self, sample: &Sample, _epoch: u32, time: Duration) -> Result<SystemReply, Fault> {
        let input = plain(&sample.command);
        let sent_as = self.sent_as(&input);
        let started = Instant::now();
        let question = sent_as.as_deref().unwrap_or(&input);
        let once = |template: &Template| {
            let prepared = template.fill(question)?;
            let left = time.saturating_sub(started.elapsed());
            self.client.once(&self.endpoint, &prepared, left)
        };
        let refused = |failure: &Failure| failure.kind == FailureKind::BadRequest;
        let answer = match &self.plain {
            Some(plain) if self.is_schema_refused.load(Ordering::Relaxed) => once(plain),
            Some(plain) => match once(&self.template) {
                Err(failure) if refused(&failure) => {
                    let answer = once(plain);
                    self.is_schema_refused.fetch_or(answer.is_ok(), Ordering::Relaxed);
                    answer
                }
                answer => answer,
            },
            None => once(&self.template),
        };
        let took = started.elapsed();
        match answer {
            Ok(done) => Ok(self.reply(done, sent_as)),
            Err(failure) => refusal(&failure, took, sent_as)
                .map_or_else(|| Err(fault(&failure, took, time)), Ok),
        }
    }
}

/// Desktop servers answer a few questions at once. Further ones would wait there and time out.
pub(super) fn concurrency(provider: &str) -> Concurrency {
    if matches!(provider, "ollama" | "lmstudio") { Concurrency::Few } else { Concurrency::Adaptive }
}

/// A refused question is scored as an answer of its own class, not as a fault.
pub(super) fn refusal(
    failure: &Failure,
    took: Duration,
    sent_as: Option<String>,
) -> Option<SystemReply> {
    let stop = match failure.kind {
        FailureKind::Refused => Stop::ContentFilter,
        FailureKind::TooLarge => Stop::ModelLength,
        _ => return None,
    };
    let request_id = failure.request_id.clone();
    let usage = Usage::default();
    Some(SystemReply { stop, usage, sent_as, request_id, ..SystemReply::new(String::new(), took) })
}

pub(super) fn fault(failure: &Failure, took: Duration, time: Duration) -> Fault {
    let kind = match failure.kind {
        FailureKind::RateLimited { retry_after } | FailureKind::Overloaded { retry_after } => {
            FaultKind::TooMany { retry_after }
        }
        // A gateway of the provider may time out much earlier; that is transient.
        FailureKind::Timeout if took >= time.mul_f64(0.99) => FaultKind::OutOfTime,
        FailureKind::Timeout
        | FailureKind::Server
        | FailureKind::Connect
        | FailureKind::Interrupted => FaultKind::Transient,
        FailureKind::BadReply | FailureKind::ReplyTooLarge => FaultKind::Broken,
        FailureKind::Auth
        | FailureKind::Quota
        | FailureKind::NotFound
        | FailureKind::Tls
        | FailureKind::Setup => FaultKind::Fatal,
        FailureKind::BadRequest | FailureKind::Refused | FailureKind::TooLarge => FaultKind::Sample,
    };
    Fault { kind, message: failure.to_string(), took }
}

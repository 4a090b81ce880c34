//! Systems under test.
//!
//! A system takes a sample and the remaining time; it returns a [`SystemReply`], or a [`Fault`] that says whether a
//! retry may help. Scoring, waiting and retries are done by the run, in the same way for all systems. A guard's
//! verdict is written as the JSON that a model would write, so that one scorer reads all replies.

mod batch;
mod build;
mod exec;
mod full_guard;
mod model;
mod name;
mod reach;
mod replay;
mod static_guard;

use std::fmt;
use std::time::Duration;

use aegish_judge::Stop;
use aegish_judge::price::Price;
use aegish_wire::Usage;
use serde_json::{Map, Value};

use aegish_log::Sample;
use aegish_log::{Bodies, PromptSpec};

pub use batch::{BatchReply, BatchSystem, RequestForm, RowFault};
pub use build::{BuildError, SystemBuilder};
pub use exec::Exec;
pub use full_guard::FullGuard;
pub use model::{Delivery, KeepBodies, ModelOptions, ModelSystem, RequestStyle, Thinking};
pub use name::{SystemName, UnknownSystem};
pub use reach::unknown_host;
pub use replay::Replay;
pub use static_guard::{StaticGuard, decision_json};

/// A system under test. Any number of threads may call it at once.
pub trait System: Send + Sync {
    /// What a log says about it.
    fn info(&self) -> &SystemInfo;

    /// Asks about one command. Must return within `time`.
    ///
    /// # Errors
    ///
    /// [`Fault`] if there is no answer.
    fn ask(&self, sample: &Sample, epoch: u32, time: Duration) -> Result<SystemReply, Fault>;

    /// The question as the log shows it, before any solver step.
    fn input(&self, sample: &Sample) -> String {
        aegish_judge::plain(&sample.command)
    }

    /// The system's batches, if it was built to be asked in batches.
    fn batches(&self) -> Option<&dyn BatchSystem> {
        None
    }

    /// Stack size of a thread that calls [`System::ask`].
    fn stack_bytes(&self) -> usize {
        512 << 10
    }
}

/// What a log says about a system.
#[derive(Debug, Clone, PartialEq)]
pub struct SystemInfo {
    /// Its id: `openai/gpt-5.1`, `static`, `exec:…`.
    pub model: String,
    /// Systems of the same provider share a limiter.
    pub provider: String,
    /// Its base URL, if it has one.
    pub base_url: Option<String>,
    /// Generation parameters, under Inspect's names.
    pub generate: Map<String, Value>,
    /// The system prompt.
    pub prompt: Option<PromptSpec>,
    /// The steps from a sample to an answer.
    pub solvers: Vec<String>,
    /// Its default concurrency.
    pub concurrency: Concurrency,
    /// The price of its answers, if it is known.
    pub price: Option<&'static Price>,
    /// Whether that price is charged in this run.
    pub billing: Billing,
    /// Further data for the log.
    pub metadata: Map<String, Value>,
}

/// Whether answers are charged in this run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Billing {
    /// At the price of the answers.
    PerAnswer,
    /// Not charged: computed locally, or paid for in an earlier run.
    Free,
}

impl SystemInfo {
    /// A system without a prompt and with one solver step.
    #[must_use]
    pub fn plain(model: &str, provider: &str, solver: &str, concurrency: Concurrency) -> Self {
        Self {
            model: model.to_owned(),
            provider: provider.to_owned(),
            base_url: None,
            generate: Map::new(),
            prompt: None,
            solvers: vec![solver.to_owned()],
            concurrency,
            price: None,
            billing: Billing::Free,
            metadata: Map::new(),
        }
    }
}

/// The concurrency of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concurrency {
    /// It waits for a remote provider: adapted during the run.
    Adaptive,
    /// A local model server, which answers few requests at once.
    Few,
    /// It computes locally: one per core.
    PerCore,
}

/// The answer of a system.
#[derive(Debug, Clone, PartialEq)]
pub struct SystemReply {
    /// The answer's text; may be empty.
    pub completion: String,
    /// Why the answer ended.
    pub stop: Stop,
    /// Tokens, where they are known.
    pub usage: Usage,
    /// Reasoning tokens that `usage.output` leaves out.
    pub reasoning_apart: u64,
    /// The working time of the system.
    pub took: Duration,
    /// The question as it was sent, if it differs from the input.
    pub sent_as: Option<String>,
    /// The reasoning text, where the provider returns it.
    pub reasoning: Option<String>,
    /// The model that answered, as it names itself.
    pub model: Option<String>,
    /// The provider's request id.
    pub request_id: Option<String>,
    /// The exact bodies, if they are to be kept.
    pub bodies: Option<Box<KeptBodies>>,
    /// How long the provider accepts no further request, if it says so.
    pub exhausted_for: Option<Duration>,
}

/// The exact bodies of an exchange, compared by their text.
#[derive(Debug, Clone)]
pub struct KeptBodies(pub Bodies);

impl PartialEq for KeptBodies {
    fn eq(&self, other: &Self) -> bool {
        let text = |kept: &Self| {
            let response = kept.0.response.as_ref().map(|body| body.get().to_owned());
            (kept.0.request.get().to_owned(), response)
        };
        text(self) == text(other)
    }
}

impl SystemReply {
    /// A complete answer without further data.
    #[must_use]
    pub fn new(completion: String, took: Duration) -> Self {
        Self {
            completion,
            stop: Stop::Stop,
            usage: Usage::default(),
            reasoning_apart: 0,
            took,
            sent_as: None,
            reasoning: None,
            model: None,
            request_id: None,
            bodies: None,
            exhausted_for: None,
        }
    }
}

/// Why a system gave no answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// The remedy.
    pub kind: FaultKind,
    /// A message for people.
    pub message: String,
    /// Duration of the attempt.
    pub took: Duration,
}

/// The remedy for a fault.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FaultKind {
    /// Fewer requests, later: the provider rejected one too many.
    TooMany {
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
    },
    /// The same request, later.
    Transient,
    /// Another try of the sample: the reply was no answer.
    Broken,
    /// The time for the sample was used up.
    OutOfTime,
    /// None: this sample always fails.
    Sample,
    /// None: every sample fails in the same way, for example because of a wrong key.
    Fatal,
}

impl Fault {
    /// A fault whose attempt took no measurable time.
    #[must_use]
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), took: Duration::ZERO }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

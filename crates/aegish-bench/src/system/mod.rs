//! Systems under test: whoever is asked about a command.
//!
//! Takes a sample and the time that is left for it; gives what the system wrote, or a [`Fault`] that says
//! whether asking again may help. A system neither scores nor waits nor retries: that is the run's business,
//! the same for all of them. A verdict of a guard is written down as the JSON a model would write, so that one
//! scorer reads them all.

mod build;
mod exec;
mod fixed;
mod guarded;
mod model;
mod name;
mod replay;

use std::fmt;
use std::time::Duration;

use aegish_judge::Stop;
use aegish_judge::price::Price;
use aegish_wire::Usage;
use serde_json::{Map, Value};

use aegish_log::Sample;
use aegish_log::{Bodies, PromptSpec};

pub use build::{BuildError, Workshop};
pub use exec::Exec;
pub use fixed::{StaticGuard, decision_json};
pub use guarded::Guard;
pub use model::{KeepBodies, Model, ModelOptions, Thinking};
pub use name::{SystemName, UnknownSystem};
pub use replay::Replay;

/// Whoever is asked about a command. Any number of threads may ask at once.
pub trait System: Send + Sync {
    /// What a log says about it.
    fn about(&self) -> &About;

    /// Asks about one command. The answer must be there within `time`.
    ///
    /// # Errors
    /// [`Fault`] if there is no answer.
    fn ask(&self, sample: &Sample, epoch: u32, time: Duration) -> Result<Reply, Fault>;

    /// The question as a log shows it, before any solver touched it.
    fn input(&self, sample: &Sample) -> String {
        aegish_judge::plain(&sample.command)
    }

    /// The address space that a thread needs in order to ask.
    fn stack_bytes(&self) -> usize {
        512 << 10
    }
}

/// What a log says about a system.
#[derive(Debug, Clone, PartialEq)]
pub struct About {
    /// Its id: `openai/gpt-5.1`, `static`, `exec:…`.
    pub model: String,
    /// Systems of the same provider share a limit on what is under way.
    pub provider: String,
    /// Where it is asked, if not at its usual address.
    pub base_url: Option<String>,
    /// What is sent along, under Inspect's names.
    pub generate: Map<String, Value>,
    /// What it is told first.
    pub prompt: Option<PromptSpec>,
    /// The steps from a sample to an answer.
    pub solvers: Vec<String>,
    /// The number of questions it takes at once unless told otherwise.
    pub width: Width,
    /// What its answers cost, if that is known.
    pub price: Option<&'static Price>,
    /// Whether asking it costs that now.
    pub spends: Spends,
    /// Anything else worth keeping.
    pub metadata: Map<String, Value>,
}

/// Whether asking costs money now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spends {
    /// What its answers cost.
    Money,
    /// Nothing: it computes here, or the answers were paid for before.
    Nothing,
}

impl About {
    /// A system that is told nothing, for which one step leads from the sample to the answer.
    #[must_use]
    pub fn plain(model: &str, provider: &str, solver: &str, width: Width) -> Self {
        Self {
            model: model.to_owned(),
            provider: provider.to_owned(),
            base_url: None,
            generate: Map::new(),
            prompt: None,
            solvers: vec![solver.to_owned()],
            width,
            price: None,
            spends: Spends::Nothing,
            metadata: Map::new(),
        }
    }
}

/// How many questions a system takes at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// It waits for somebody else: found out while running.
    Waiting,
    /// A server on somebody's desk, which lets the others wait: a handful.
    Few,
    /// It computes here: one per core.
    Computing,
}

/// What a system wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The answer's text; may be empty.
    pub completion: String,
    /// Why it stopped.
    pub stop: Stop,
    /// Tokens, where they are known.
    pub usage: Usage,
    /// Reasoning tokens that `usage.output` leaves out.
    pub reasoning_apart: u64,
    /// What the system itself took.
    pub took: Duration,
    /// The question as it was sent, if it differs from the input.
    pub sent_as: Option<String>,
    /// What the model thought, where the provider shows it.
    pub reasoning: Option<String>,
    /// The model that answered, as it names itself.
    pub model: Option<String>,
    /// The provider's name for the exchange.
    pub request_id: Option<String>,
    /// The exact bodies, if they are to be kept.
    pub bodies: Option<Box<Kept>>,
}

/// The exact bodies of an exchange, compared by their text.
#[derive(Debug, Clone)]
pub struct Kept(pub Bodies);

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        let text = |kept: &Self| {
            let response = kept.0.response.as_ref().map(|body| body.get().to_owned());
            (kept.0.request.get().to_owned(), response)
        };
        text(self) == text(other)
    }
}

impl Reply {
    /// A finished answer about which nothing else is known.
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
        }
    }
}

/// Why a system gave no answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// What may help.
    pub kind: FaultKind,
    /// For people.
    pub message: String,
    /// What the attempt took.
    pub took: Duration,
}

/// What may help against a fault.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FaultKind {
    /// Fewer requests, later: the provider says so, and maybe when.
    TooMany {
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
    },
    /// The same request, later.
    Transient,
    /// The sample from the start: what came back was no answer.
    Broken,
    /// The time for the sample was used up.
    OutOfTime,
    /// Nothing: this sample will fail every time.
    Sample,
    /// Nothing: every sample will fail alike.
    Everyone,
}

impl Fault {
    /// A fault whose attempt took no time worth counting.
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

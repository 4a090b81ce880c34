//! The chain of models: asks them in order and returns the result.
//!
//! Takes evidence and a role; gives a [`Ruling`]: the opinion of the first model that has one, new or cached,
//! and notes about failures. Every failure moves on to the next model. Without a next model there is no
//! opinion, which the guard handles; it never means that a command is harmless.

mod ask;
mod exchange;
mod health;
mod setup;

pub use exchange::as_production;

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use aegish_policy::Role;
use aegish_wire::{Client, Endpoint, Env, Failure, Limits, TransportOptions, Usage};

use crate::cache::{Cache, OpinionStore};
use crate::price::{self, Price};
use crate::settings::provider_of;
use crate::state::{Bounds, StateStore, Target};
use crate::{FailMode, JudgeSettings, Note, Opinion, Prompt, SkipReason, sha256_hex};
pub use health::{HealthStatus, ModelHealth};
pub use setup::{KeyState, Member, ProviderSetup, accounts};

/// The result of asking.
#[derive(Debug, Clone, PartialEq)]
pub struct Ruling {
    /// The first opinion of a model; none if no model answered.
    pub opinion: Option<Opinion>,
    /// The model that gave the opinion.
    pub model: Option<String>,
    /// The source of the opinion.
    pub source: OpinionSource,
    /// Total time from the question to the ruling.
    pub latency: Duration,
    /// Tokens of all paid answers, including those without an opinion.
    pub usage: Usage,
    /// Cost of all of them in US dollars; none if a price or a number of tokens is unknown.
    pub cost: Option<f64>,
    /// The hash of the system prompt.
    pub prompt_hash: String,
    /// Models that were not asked or did not answer, with the reason, and other notes.
    pub notes: Vec<Note>,
}

/// The source of an opinion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpinionSource {
    /// A model was asked.
    Model,
    /// A cached answer; nothing was sent.
    Cache,
}

/// A chain of models, ready to be asked by any number of threads.
pub struct Judge {
    settings: JudgeSettings,
    chain: Vec<Link>,
    client: Result<Client, Failure>,
    cache: Option<Cache>,
    /// Opinions of other machines; used if opinions are kept at all.
    store: Option<Arc<dyn OpinionStore>>,
    shared: StateStore,
    /// Index of the first healthy model in the chain.
    pinned: AtomicUsize,
    /// By role, built on first use.
    prompts: [OnceLock<Prompt>; Role::ALL.len()],
}

/// No model is pinned.
const NOT_PINNED: usize = usize::MAX;

/// One model of the chain.
#[derive(Debug)]
struct Link {
    id: String,
    endpoint: Result<Endpoint, SkipReason>,
    target: Target,
    price: Option<&'static Price>,
}

impl fmt::Debug for Judge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Judge").field("chain", &self.chain).finish_non_exhaustive()
    }
}

impl Judge {
    /// A judge. Neither network nor disk is touched.
    #[must_use]
    pub fn new(settings: JudgeSettings, env: Env<'_>) -> Self {
        let options = TransportOptions::from_env(env).map(|options| match &settings.ca_file {
            Some(file) => options.with_ca_file(file.clone()),
            None => options,
        });
        let chain = settings.models.iter().map(|id| Link::new(id, env, &settings)).collect();
        Self {
            chain,
            client: options.map(|options| Client::new(options, Limits::default())),
            cache: Cache::new(&settings.cache),
            store: None,
            shared: StateStore::new(settings.state_dir.clone()),
            pinned: AtomicUsize::new(NOT_PINNED),
            prompts: Default::default(),
            settings,
        }
    }

    /// The same judge, with opinions that other machines got.
    #[must_use]
    pub fn with_store(self, store: Arc<dyn OpinionStore>) -> Self {
        Self { store: Some(store), ..self }
    }

    /// Whether any model of the chain can be asked. If not, nothing is ever sent.
    #[must_use]
    pub fn has_model(&self) -> bool {
        self.chain.iter().any(|link| link.endpoint.is_ok())
    }

    /// Says that `AEGISH_ALLOWED_PROVIDERS` excludes every model, if it does.
    #[must_use]
    pub fn excluded(&self) -> Option<String> {
        let is_excluded = |link: &Link| matches!(link.endpoint, Err(SkipReason::NotAllowed));
        let all = !self.chain.is_empty() && self.chain.iter().all(is_excluded);
        let ids: Vec<&str> = self.chain.iter().map(|link| link.id.as_str()).collect();
        all.then(|| {
            format!(
                "no model was asked: AEGISH_ALLOWED_PROVIDERS names the provider of none of them ({})",
                ids.join(", ")
            )
        })
    }

    /// The action for a command that no model could judge.
    #[must_use]
    pub fn fail_mode(&self) -> FailMode {
        self.settings.fail_mode
    }

    /// An allow below this is a warning.
    #[must_use]
    pub fn min_confidence(&self) -> f64 {
        self.settings.min_confidence
    }

    /// The system prompt for a role.
    #[must_use]
    pub fn prompt(&self, role: Role) -> &Prompt {
        let make = || match role {
            Role::Default => self.settings.prompt.clone(),
            Role::Sysadmin | Role::Restricted => {
                Prompt::with_role(&self.settings.prompt.text, role)
            }
        };
        let place = Role::ALL.iter().position(|known| *known == role).unwrap_or(0);
        match self.prompts.get(place) {
            Some(prompt) => prompt.get_or_init(make),
            // There is a prompt for every role.
            None => &self.settings.prompt,
        }
    }

    /// The chain, from the model that was found healthy, if one was.
    fn in_order(&self) -> impl Iterator<Item = &Link> {
        let pinned = self.chain.get(self.pinned.load(Ordering::Relaxed));
        let others = self
            .chain
            .iter()
            .filter(move |link| pinned.is_none_or(|pinned| !std::ptr::eq(*link, pinned)));
        pinned.into_iter().chain(others)
    }

    fn bounds(&self) -> Bounds {
        Bounds {
            per_minute: self.settings.queries_per_minute,
            budget: self.settings.budget_per_day,
            timeout: self.settings.timeout,
        }
    }
}

impl Link {
    fn new(id: &str, env: Env<'_>, settings: &JudgeSettings) -> Self {
        let endpoint = if settings.allows(id) {
            Endpoint::resolve(id, env, &settings.endpoint_of(id)).map_err(SkipReason::NoEndpoint)
        } else {
            Err(SkipReason::NotAllowed)
        };
        let provider = provider_of(id);
        let address = endpoint.as_ref().map_or("", |endpoint| &endpoint.base_url);
        // The address itself is not shown.
        let place = sha256_hex(address.as_bytes()).get(..16).unwrap_or_default().to_owned();
        let target = Target {
            address: [&provider, " ", &place].concat(),
            model: [id, " ", &place].concat(),
            provider,
        };
        Self { id: id.to_owned(), endpoint, target, price: price::find(id) }
    }

    fn skipped(&self, why: SkipReason) -> Note {
        Note::Skipped { model: self.id.clone(), why }
    }
}

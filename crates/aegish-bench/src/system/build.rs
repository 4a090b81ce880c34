//! Builds systems from their names.

use std::fmt;
use std::sync::Arc;

use aegish_guard::Role;
use aegish_judge::Prompt;
use aegish_wire::{Client, Endpoint, EndpointError, EndpointSettings, Env, Failure};

use super::{
    Delivery, Exec, FullGuard, KeepBodies, ModelOptions, ModelSystem, Replay, RequestStyle,
    StaticGuard, System, SystemName, Thinking,
};
use aegish_log::LogError;

/// Builds systems under test.
#[derive(Clone)]
pub struct SystemBuilder<'a> {
    /// Environment variables: addresses and keys.
    pub env: Env<'a>,
    /// Connections, shared by all models.
    pub client: Client,
    /// The style of requests; by default the seed's for models and the guard's own for guards.
    pub style: Option<RequestStyle>,
    /// The system prompt of models.
    pub prompt: Prompt,
    /// Whether models are asked for a chain of thought.
    pub thinking: Thinking,
    /// Whether logs keep the exact bodies.
    pub bodies: KeepBodies,
    /// Sampling seed for repeatable answers.
    pub seed: Option<i64>,
    /// Longest answer, in tokens.
    pub max_tokens: Option<u32>,
    /// The role that a guard judges for.
    pub role: Role,
    /// How questions reach models.
    pub delivery: Delivery,
}

/// Why there is no system.
#[derive(Debug)]
pub enum BuildError {
    /// The model's endpoint cannot be resolved.
    Endpoint(EndpointError),
    /// The request cannot be written.
    Request(Failure),
    /// The log cannot be read.
    Log(LogError),
    /// The guard cannot be set up.
    Guard(String),
    /// It cannot be asked in batches.
    NoBatches(String),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Endpoint(error) => error.fmt(f),
            Self::Request(error) => write!(f, "no model was asked: {error}"),
            Self::Log(error) => error.fmt(f),
            Self::Guard(error) => f.write_str(error),
            Self::NoBatches(name) => write!(
                f,
                "no model was asked: {name} takes no batches; models of openai and anthropic do"
            ),
        }
    }
}

impl std::error::Error for BuildError {}

impl SystemBuilder<'_> {
    /// Builds a system. Nothing is asked yet.
    ///
    /// # Errors
    /// If something it needs is missing: a key, an address, a log.
    pub fn build(&self, name: &SystemName) -> Result<Arc<dyn System>, BuildError> {
        if self.delivery == Delivery::Batches && !matches!(name, SystemName::Model(_)) {
            return Err(BuildError::NoBatches(name.to_string()));
        }
        Ok(match name {
            SystemName::Model(id) => Arc::new(self.model(id)?),
            SystemName::Static => Arc::new(StaticGuard::new(self.role)),
            SystemName::Guard(model) => Arc::new(self.guard(model.as_deref())?),
            SystemName::Replay(log) => Arc::new(Replay::open(log).map_err(BuildError::Log)?),
            SystemName::Exec(command) => Arc::new(Exec::new(command)),
        })
    }

    fn guard(&self, model: Option<&str>) -> Result<FullGuard, BuildError> {
        if let Some(id) = model {
            // Called only for its error, which names what is missing.
            Endpoint::resolve(id, self.env, &EndpointSettings::default())
                .map_err(BuildError::Endpoint)?;
        }
        if self.style == Some(RequestStyle::Seed) {
            let what = "nothing was asked: a guard asks as production does, never as the seed";
            return Err(BuildError::Guard(what.to_owned()));
        }
        FullGuard::new(model, self.role, self.env).map_err(BuildError::Guard)
    }

    fn model(&self, id: &str) -> Result<ModelSystem, BuildError> {
        let endpoint = Endpoint::resolve(id, self.env, &EndpointSettings::default())
            .map_err(BuildError::Endpoint)?;
        if self.delivery == Delivery::Batches && endpoint.batch_limits().is_none() {
            return Err(BuildError::NoBatches(id.to_owned()));
        }
        let options = ModelOptions {
            style: self.style.unwrap_or_default(),
            prompt: self.prompt.clone(),
            thinking: self.thinking,
            seed: self.seed,
            max_tokens: self.max_tokens,
            bodies: self.bodies,
            delivery: self.delivery,
        };
        ModelSystem::new(endpoint, self.client.clone(), options).map_err(BuildError::Request)
    }
}

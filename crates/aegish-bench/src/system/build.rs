//! From a name to a system that can be asked.

use std::fmt;
use std::sync::Arc;

use aegish_guard::Role;
use aegish_judge::Prompt;
use aegish_wire::{Client, Endpoint, EndpointError, Env, Failure, Settings};

use super::{
    Exec, Guard, KeepBodies, Model, ModelOptions, Replay, StaticGuard, System, SystemName, Thinking,
};
use aegish_log::LogError;

/// What systems are made from.
#[derive(Clone)]
pub struct Workshop<'a> {
    /// Environment variables: addresses and keys.
    pub env: Env<'a>,
    /// Connections, shared by all models.
    pub client: Client,
    /// What models are told first.
    pub prompt: Prompt,
    /// Whether they are asked to think aloud.
    pub thinking: Thinking,
    /// Whether logs keep the exact bodies.
    pub bodies: KeepBodies,
    /// For repeatable sampling.
    pub seed: Option<i64>,
    /// Bound on an answer.
    pub max_tokens: Option<u32>,
    /// Whose work a guard judges.
    pub role: Role,
}

/// Why there is no system.
#[derive(Debug)]
pub enum BuildError {
    /// No way to the model.
    Endpoint(EndpointError),
    /// The request cannot be written.
    Request(Failure),
    /// The log cannot be read.
    Log(LogError),
    /// The guard cannot be set up.
    Guard(String),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Endpoint(error) => error.fmt(f),
            Self::Request(error) => write!(f, "no model was asked: {error}"),
            Self::Log(error) => error.fmt(f),
            Self::Guard(error) => f.write_str(error),
        }
    }
}

impl std::error::Error for BuildError {}

impl Workshop<'_> {
    /// Makes a system. Nothing is asked yet.
    ///
    /// # Errors
    /// If something it needs is missing: a key, an address, a log.
    pub fn build(&self, name: &SystemName) -> Result<Arc<dyn System>, BuildError> {
        Ok(match name {
            SystemName::Model(id) => Arc::new(self.model(id)?),
            SystemName::Static => Arc::new(StaticGuard::new(self.role)),
            SystemName::Guard(model) => Arc::new(self.guard(model.as_deref())?),
            SystemName::Replay(log) => Arc::new(Replay::open(log).map_err(BuildError::Log)?),
            SystemName::Exec(command) => Arc::new(Exec::new(command)),
        })
    }

    fn guard(&self, model: Option<&str>) -> Result<Guard, BuildError> {
        if let Some(id) = model {
            // For a precise word on what is missing.
            Endpoint::resolve(id, self.env, &Settings::default()).map_err(BuildError::Endpoint)?;
        }
        Guard::new(model, self.role, self.env).map_err(BuildError::Guard)
    }

    fn model(&self, id: &str) -> Result<Model, BuildError> {
        let endpoint =
            Endpoint::resolve(id, self.env, &Settings::default()).map_err(BuildError::Endpoint)?;
        let options = ModelOptions {
            prompt: self.prompt.clone(),
            thinking: self.thinking,
            seed: self.seed,
            max_tokens: self.max_tokens,
            bodies: self.bodies,
        };
        Model::new(endpoint, self.client.clone(), options).map_err(BuildError::Request)
    }
}

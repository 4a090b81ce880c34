//! What a caller wants from a model, free of any provider's vocabulary.

use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// One question to a model.
#[derive(Debug, Clone)]
pub struct Request {
    /// The instructions; the same for every question, so that providers can cache them.
    pub system: String,
    /// The question.
    pub user: String,
    /// For repeatable sampling, where the provider has it.
    pub seed: Option<i64>,
    /// Sampling temperature. Sent as given: some reasoning models refuse any.
    pub temperature: Option<f64>,
    /// Bound on the answer, reasoning included where the provider counts it so.
    pub max_tokens: Option<u32>,
    /// How long a reasoning model may think.
    pub effort: Option<Effort>,
    /// The shape the answer must have.
    pub schema: Option<Schema>,
    /// For one attempt, from name look-up to the last byte.
    pub timeout: Duration,
    /// Merged over the body at the end: objects by key, everything else replaced, `null` removes.
    pub extra: Map<String, Value>,
}

impl Request {
    /// A question with everything else left to the provider, and thirty seconds for an attempt.
    pub fn new(system: impl Into<String>, user: impl Into<String>) -> Self {
        Self {
            system: system.into(),
            user: user.into(),
            seed: None,
            temperature: None,
            max_tokens: None,
            effort: None,
            schema: None,
            timeout: Duration::from_secs(30),
            extra: Map::new(),
        }
    }
}

/// How long a reasoning model may think. Not every model takes every word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effort {
    /// Not at all.
    None,
    /// As little as the model can.
    Minimal,
    /// Little.
    Low,
    /// The usual.
    Medium,
    /// Much.
    High,
    /// More than much.
    XHigh,
    /// As much as the model can.
    Max,
}

impl Effort {
    /// The word providers use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::XHigh => "xhigh",
            Self::Max => "max",
        }
    }
}

/// A JSON schema for the answer.
#[derive(Debug, Clone)]
pub struct Schema {
    /// Letters, digits, `_` and `-`.
    pub name: String,
    /// The schema as it is written: models answer in the order of its properties.
    pub schema: Box<RawValue>,
}

impl Schema {
    /// Reads a schema.
    ///
    /// # Errors
    /// If the text is not JSON.
    pub fn parse(name: impl Into<String>, text: impl Into<String>) -> serde_json::Result<Self> {
        Ok(Self { name: name.into(), schema: RawValue::from_string(text.into())? })
    }
}

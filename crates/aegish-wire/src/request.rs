//! A request to a model, independent of the provider.

use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// One question to a model.
#[derive(Debug, Clone)]
pub struct Request {
    /// The instructions: the same for every question, so that providers can cache them.
    pub system: String,
    /// The question.
    pub user: String,
    /// Sampling seed for repeatable answers, where the provider supports it.
    pub seed: Option<i64>,
    /// Sampling temperature. Sent as given: some reasoning models reject it.
    pub temperature: Option<f64>,
    /// Maximum tokens of the answer, including reasoning where the provider counts it.
    pub max_tokens: Option<u32>,
    /// How much a reasoning model may think.
    pub effort: Option<Effort>,
    /// The schema of the answer.
    pub schema: Option<Schema>,
    /// Time for one attempt, from name resolution to the last byte.
    pub timeout: Duration,
    /// Merged into the body at the end: objects by key, other values are replaced, `null` removes.
    pub extra: Map<String, Value>,
}

impl Request {
    /// A request with the provider's defaults, and thirty seconds for an attempt.
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

/// How much a reasoning model may think. Not every model supports every level.
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
    /// More than [`Effort::High`].
    XHigh,
    /// As much as the model can.
    Max,
}

impl Effort {
    /// The providers' word for it.
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
    /// The schema as written: models answer in the order of its properties.
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

//! The reply of a model, in one vocabulary for all providers.

use std::time::Duration;

use serde_json::value::RawValue;

/// An answer.
#[derive(Debug, Clone)]
pub struct Completion {
    /// The answer's text; may be empty.
    pub text: String,
    /// The reasoning text, where the provider returns it.
    pub reasoning: Option<String>,
    /// Why the model stopped.
    pub stop: Stop,
    /// Tokens used.
    pub usage: Usage,
    /// Duration of the successful attempt.
    pub latency: Duration,
    /// Number of attempts, including the successful one.
    pub attempts: u32,
    /// The provider's request id, for its support.
    pub request_id: Option<String>,
    /// The model that answered, as it names itself.
    pub model: Option<String>,
    /// How long the provider accepts no further request, if it says so.
    pub exhausted_for: Option<Duration>,
    /// The exact body that was sent.
    pub sent: String,
    /// Parts of the request that this endpoint has no field for.
    pub left_out: Vec<&'static str>,
    /// The exact body that was received.
    pub raw: Box<RawValue>,
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Stop {
    /// The answer is complete.
    Stop,
    /// The bound on the answer was reached.
    MaxTokens,
    /// The model's context was full.
    ModelLength,
    /// A filter or the model itself refused.
    ContentFilter,
    /// It called a tool, although none was offered.
    Tool,
    /// Another reason, in the provider's words; empty if it gave none.
    Unknown(String),
}

impl Stop {
    /// The word for logs.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::MaxTokens => "max_tokens",
            Self::ModelLength => "model_length",
            Self::ContentFilter => "content_filter",
            Self::Tool => "tool_calls",
            Self::Unknown(_) => "unknown",
        }
    }

    /// The reason for a word in a log.
    #[must_use]
    pub fn from_log(word: &str) -> Self {
        let all = [Self::Stop, Self::MaxTokens, Self::ModelLength, Self::ContentFilter, Self::Tool];
        let known = all.into_iter().find(|reason| reason.as_str() == word);
        known.unwrap_or_else(|| Self::Unknown(word.to_owned()))
    }
}

/// Token counts. `None` means unknown, not zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// All input tokens, cached or not.
    pub input: Option<u64>,
    /// All output tokens, including reasoning.
    pub output: Option<u64>,
    /// The part of `input` that came from a cache.
    pub cached: Option<u64>,
    /// The part of `input` that was written to a cache.
    pub cache_write: Option<u64>,
    /// The part of `output` that was reasoning.
    pub reasoning: Option<u64>,
}

impl Usage {
    /// Counts of an API whose input tokens are those that went past the cache.
    pub(crate) fn beside_cache(
        fresh: Option<u64>,
        output: Option<u64>,
        cached: Option<u64>,
        cache_write: Option<u64>,
    ) -> Self {
        let through_cache = cached.unwrap_or(0).saturating_add(cache_write.unwrap_or(0));
        let input = fresh.map(|fresh| fresh.saturating_add(through_cache));
        Self { input, output, cached, cache_write, reasoning: None }
    }
}

//! Why a model stopped, in one vocabulary for all providers.

/// Why a model stopped writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StopReason {
    /// It was done.
    Stop,
    /// The limit of the request was reached.
    MaxTokens,
    /// The model's own context was full.
    ModelLength,
    /// The provider, or the model itself, refused.
    ContentFilter,
    /// It wants a tool to be called.
    Tool,
    /// Not said, or said in a word that is not known.
    Unknown,
}

impl StopReason {
    /// The word used in logs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::MaxTokens => "max_tokens",
            Self::ModelLength => "model_length",
            Self::ContentFilter => "content_filter",
            Self::Tool => "tool_calls",
            Self::Unknown => "unknown",
        }
    }

    /// The reason a log names; whatever is not known is [`Self::Unknown`].
    #[must_use]
    pub fn from_log(word: &str) -> Self {
        let all = [Self::Stop, Self::MaxTokens, Self::ModelLength, Self::ContentFilter, Self::Tool];
        all.into_iter().find(|reason| reason.as_str() == word).unwrap_or(Self::Unknown)
    }
}

//! Why there is no completion. Typed, so that callers decide without parsing messages.

use std::fmt;
use std::time::Duration;

/// A call that gave no completion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong.
    pub kind: FailureKind,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// A message for people: bounded, without control characters and keys.
    pub message: String,
    /// The HTTP status, if one came.
    pub status: Option<u16>,
    /// Number of attempts.
    pub attempts: u32,
    /// The provider's request id.
    pub request_id: Option<String>,
}

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// The key is missing, wrong, or lacks a permission.
    Auth,
    /// The account has no credit left. Waiting does not help.
    Quota,
    /// No such model or address.
    NotFound,
    /// The request is longer than the provider or the model accepts.
    TooLarge,
    /// The provider does not accept the request.
    BadRequest,
    /// The provider's filter refused the question.
    Refused,
    /// Too many requests.
    RateLimited {
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
    },
    /// The provider has no capacity at the moment.
    Overloaded {
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
    },
    /// An error of the provider.
    Server,
    /// No answer in time.
    Timeout,
    /// No connection.
    Connect,
    /// The certificate or the handshake is not trusted.
    Tls,
    /// The connection broke before the reply was complete.
    Interrupted,
    /// The reply does not follow the protocol.
    BadReply,
    /// The reply is longer than the limit.
    ReplyTooLarge,
    /// The proxy or the certificate file of this machine cannot be used.
    Setup,
}

impl FailureKind {
    /// Whether the same request may succeed later.
    pub fn retryable(self) -> bool {
        match self {
            Self::RateLimited { .. }
            | Self::Overloaded { .. }
            | Self::Server
            | Self::Timeout
            | Self::Connect
            | Self::Interrupted => true,
            Self::Auth
            | Self::Quota
            | Self::NotFound
            | Self::TooLarge
            | Self::BadRequest
            | Self::Refused
            | Self::Tls
            | Self::BadReply
            | Self::ReplyTooLarge
            | Self::Setup => false,
        }
    }
}

const MAX_MESSAGE: usize = 300;

impl Failure {
    pub(crate) fn new(kind: FailureKind, message: impl AsRef<str>) -> Self {
        Self {
            kind,
            retryable: kind.retryable(),
            message: clean(message.as_ref()),
            status: None,
            attempts: 0,
            request_id: None,
        }
    }

    /// How long the provider asks to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self.kind {
            FailureKind::RateLimited { retry_after } | FailureKind::Overloaded { retry_after } => {
                retry_after
            }
            _ => None,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the model gave no answer: {}", self.message)?;
        if let Some(status) = self.status {
            write!(f, " (HTTP {status})")?;
        }
        if self.attempts > 1 {
            write!(f, ", {} attempts", self.attempts)?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

/// Shortens foreign text to one line without control characters.
fn clean(text: &str) -> String {
    let mut out: String =
        text.chars().take(MAX_MESSAGE).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(MAX_MESSAGE).is_some() {
        out.push('…');
    }
    out
}

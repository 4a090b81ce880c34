//! One call: prepare, send, read, retry where that may help, all within the deadline.

use std::fmt;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;

use crate::cloud::{Signer, Tokens};
use crate::completion::Completion;
use crate::endpoint::Endpoint;
use crate::failure::{Failure, FailureKind};
use crate::request::Request;
use crate::retry;
use crate::transport::{Call, JSON, Payload, ReplyKind, Transport, TransportOptions};
use crate::wire::{self, Explained, Prepared};

/// The limits of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Number of retries.
    pub max_retries: u32,
    /// The wait before the first retry. It doubles with each retry.
    pub base_delay: Duration,
    /// The longest wait between retries. A provider may ask for more.
    pub max_delay: Duration,
    /// The longest wait that a provider may ask for. If it asks for more, the call fails at once.
    pub longest_wait: Duration,
    /// Time for all attempts and waits together.
    pub deadline: Duration,
    /// Maximum size of a reply.
    pub response_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_retries: 3,
            base_delay: Duration::from_millis(500),
            max_delay: Duration::from_secs(8),
            longest_wait: Duration::MAX,
            deadline: Duration::from_secs(120),
            response_bytes: 2 * 1024 * 1024,
        }
    }
}

/// Connections to providers. Clones share them, and any number of threads may use them.
#[derive(Clone)]
pub struct Client {
    pub(crate) transport: Arc<Transport>,
    tokens: Arc<Tokens>,
    limits: Limits,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Client {
    /// Creates a client. Nothing is read or connected before the first call.
    pub fn new(options: TransportOptions, limits: Limits) -> Self {
        Self { transport: Arc::new(Transport::new(options)), tokens: Arc::default(), limits }
    }

    /// The same connections with other limits.
    #[must_use]
    pub fn with_limits(&self, limits: Limits) -> Self {
        Self { transport: Arc::clone(&self.transport), tokens: Arc::clone(&self.tokens), limits }
    }

    /// Asks a model.
    ///
    /// # Errors
    ///
    /// [`Failure`] if every allowed attempt failed, or at once if a retry cannot help.
    pub fn complete(&self, endpoint: &Endpoint, request: &Request) -> Result<Completion, Failure> {
        let prepared = wire::prepare(endpoint, request)?;
        let started = Instant::now();
        let mut attempts = 0;
        loop {
            attempts += 1;
            let left = self.limits.deadline.saturating_sub(started.elapsed());
            let timeout = request.timeout.min(left);
            let failure = match self.attempt(endpoint, &prepared, timeout) {
                Ok(completion) => return Ok(Completion { attempts, ..completion }),
                Err(failure) => Failure { attempts, ..failure },
            };
            if !failure.retryable || attempts > self.limits.max_retries {
                return Err(failure);
            }
            let Limits { base_delay, max_delay, longest_wait, deadline, .. } = self.limits;
            let asked = failure.retry_after();
            let wait = retry::delay(attempts, base_delay, max_delay, asked);
            let too_long = asked.is_some_and(|asked| asked > longest_wait);
            if too_long || started.elapsed().saturating_add(wait) >= deadline {
                return Err(failure);
            }
            thread::sleep(wait);
        }
    }

    /// Makes one attempt with a prepared request, for callers with their own retries.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the attempt failed.
    pub fn once(
        &self,
        endpoint: &Endpoint,
        prepared: &Prepared,
        timeout: Duration,
    ) -> Result<Completion, Failure> {
        let failed = |failure| Failure { attempts: 1, ..failure };
        self.attempt(endpoint, prepared, timeout).map_err(failed)
    }

    /// The headers that let a request in.
    fn authorize(
        &self,
        endpoint: &Endpoint,
        prepared: &Prepared,
        timeout: Duration,
    ) -> Result<Vec<(&'static str, String)>, Failure> {
        let signed = match &endpoint.signer {
            None => return Ok(wire::auth(endpoint).into_iter().collect()),
            Some(Signer::Aws(keys)) => keys.sign(&prepared.url, JSON, prepared.body.as_bytes()),
            Some(Signer::Google(account)) => {
                let token = self.tokens.get(account, &self.transport, timeout);
                token.map(|token| vec![("authorization", format!("Bearer {token}"))])
            }
        };
        signed.map_err(|failure| tell(failure, endpoint))
    }

    fn attempt(
        &self,
        endpoint: &Endpoint,
        prepared: &Prepared,
        timeout: Duration,
    ) -> Result<Completion, Failure> {
        let started = Instant::now();
        let received = self
            .transport
            .call(&Call {
                url: &prepared.url,
                auth: self.authorize(endpoint, prepared, timeout)?,
                headers: wire::headers(endpoint),
                payload: Payload::Post(JSON, prepared.body.as_bytes()),
                reply: ReplyKind::Json,
                timeout,
                limit: self.limits.response_bytes,
            })
            .map_err(|failure| tell(failure, endpoint))?;
        let (status, request_id) = (received.status, received.request_id);
        let explain = |failure: Failure| {
            tell(
                Failure { status: Some(status), request_id: request_id.clone(), ..failure },
                endpoint,
            )
        };
        if status != 200 {
            let Explained { kind, message } =
                wire::explain(status, &received.body, received.retry_after);
            return Err(explain(Failure::new(kind, endpoint.hide_key(&message))));
        }
        let reply = wire::read(endpoint.protocol, &received.body).map_err(explain)?;
        let raw = RawValue::from_string(received.body)
            .map_err(|_| explain(Failure::new(FailureKind::BadReply, "the reply is not JSON")))?;
        Ok(Completion {
            text: reply.text,
            reasoning: reply.reasoning,
            stop: reply.stop,
            usage: reply.usage,
            latency: started.elapsed(),
            attempts: 1,
            request_id: request_id.or(reply.id),
            model: reply.model,
            exhausted_for: received.exhausted_for,
            sent: prepared.body.clone(),
            left_out: prepared.left_out.clone(),
            raw,
        })
    }
}

/// Adds the provider to a failure, and removes the key from the message.
pub(crate) fn tell(failure: Failure, endpoint: &Endpoint) -> Failure {
    let message = format!("{}: {}", endpoint.id, endpoint.hide_key(&failure.message));
    Failure { message, ..failure }
}

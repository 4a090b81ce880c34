//! HTTP to servers that are no model providers, by the same transport: bounded in time and size, without redirects, with
//! the proxies and certificates of this machine.

use std::time::{Duration, SystemTime};

use crate::failure::Failure;
use crate::retry;
use crate::transport::{self, Call, Payload, ReplyKind, Transport, TransportOptions};

/// A client.
pub struct HttpClient {
    transport: Transport,
}

/// A reply of any status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpReply {
    /// The status.
    pub status: u16,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
    /// The body.
    pub body: Vec<u8>,
}

impl HttpClient {
    /// A client. Neither network nor disk is touched.
    #[must_use]
    pub fn new(options: TransportOptions) -> Self {
        Self { transport: Transport::new(options) }
    }

    /// Fetches a file.
    ///
    /// # Errors
    ///
    /// If no complete reply of at most `limit` bytes came in time.
    pub fn get(&self, url: &str, timeout: Duration, limit: u64) -> Result<HttpReply, Failure> {
        self.exchange(url, None, Payload::None, timeout, limit)
    }

    /// Posts a body. `authorization` is the value of that header.
    ///
    /// # Errors
    ///
    /// If no complete reply of at most `limit` bytes came in time.
    pub fn post(
        &self,
        url: &str,
        authorization: Option<&str>,
        (content_type, body): (&str, &[u8]),
        timeout: Duration,
        limit: u64,
    ) -> Result<HttpReply, Failure> {
        self.exchange(url, authorization, Payload::Post(content_type, body), timeout, limit)
    }

    fn exchange(
        &self,
        url: &str,
        authorization: Option<&str>,
        payload: Payload<'_>,
        timeout: Duration,
        limit: u64,
    ) -> Result<HttpReply, Failure> {
        let auth = authorization.map(|value| ("authorization", value.to_owned()));
        let (auth, reply) = (auth.into_iter().collect(), ReplyKind::File);
        let call = Call { url, auth, headers: &[], payload, reply, timeout, limit };
        let mut response = self.transport.send(&call).map_err(renamed)?;
        let status = response.status().as_u16();
        let headers = response.headers();
        let named = |name: &str| transport::text(headers, name);
        let retry_after = retry::retry_after(named, SystemTime::now());
        let body = transport::bytes(response.body_mut(), limit).map_err(renamed)?;
        Ok(HttpReply { status, retry_after, body })
    }
}

/// The transport speaks of providers.
fn renamed(failure: Failure) -> Failure {
    let message = failure.message.replace("provider", "server");
    Failure { message, ..failure }
}

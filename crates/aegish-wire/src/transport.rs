//! HTTP: one exchange, bounded in time and size, without redirects.
//!
//! The certificates of the system are read at the first encrypted connection: a guard that talks to a local
//! model must not pay for them.

use std::fs;
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use rustls::crypto::ring;
use ureq::http::{HeaderMap, HeaderValue, Response};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Agent, Body, Error, RequestBuilder};

use crate::addresses::Addresses;
use crate::endpoint::Env;
use crate::failure::{Failure, FailureKind};
use crate::proxy::Proxies;
use crate::retry;

/// Proxies and certificates of this machine.
#[derive(Debug, Clone, Default)]
pub struct TransportOptions {
    pub(crate) proxies: Proxies,
    pub(crate) ca_file: Option<PathBuf>,
}

impl TransportOptions {
    /// Reads `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, in either case.
    ///
    /// # Errors
    /// [`FailureKind::Setup`] if a proxy cannot be used.
    pub fn from_env(env: Env<'_>) -> Result<Self, Failure> {
        Ok(Self { proxies: Proxies::from_env(env)?, ca_file: None })
    }

    /// Adds the certificates in a PEM file to those of the system.
    #[must_use]
    pub fn with_ca_file(self, path: PathBuf) -> Self {
        Self { ca_file: Some(path), ..self }
    }
}

/// One idle connection for every thread of a benchmark.
const IDLE_CONNECTIONS: usize = 512;
/// The headers of a reply must fit into the input buffer.
const HEADER_BYTES: usize = 32 * 1024;
/// Large enough for a prompt. With the client's default of 128 KiB each way, 256 threads need 74 MB instead
/// of 27.
const BUFFER_BYTES: usize = 16 * 1024;
/// Limit on error bodies; only a sentence of them is used.
const ERROR_BYTES: u64 = 64 * 1024;

pub(crate) struct Transport {
    options: TransportOptions,
    plain: Agent,
    secure: OnceLock<Result<Agent, Failure>>,
}

/// A reply before it is parsed.
pub(crate) struct Received {
    pub(crate) status: u16,
    pub(crate) request_id: Option<String>,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) exhausted_for: Option<Duration>,
    pub(crate) body: String,
}

/// One call.
pub(crate) struct Call<'a> {
    pub(crate) url: &'a str,
    /// Headers with secrets: the key, or a signature.
    pub(crate) auth: Vec<(&'static str, String)>,
    pub(crate) headers: &'static [(&'static str, &'static str)],
    pub(crate) payload: Payload<'a>,
    pub(crate) reply: ReplyKind,
    pub(crate) timeout: Duration,
    pub(crate) limit: u64,
}

/// What a call sends.
pub(crate) enum Payload<'a> {
    /// Nothing: a GET.
    None,
    /// A POST with this content type and this body.
    Post(&'a str, &'a [u8]),
}

/// The content type of JSON.
pub(crate) const JSON: &str = "application/json";

/// What a good reply must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReplyKind {
    Json,
    /// A file, whatever its content type says.
    File,
}

impl Transport {
    pub(crate) fn new(options: TransportOptions) -> Self {
        Self { options, plain: agent(None), secure: OnceLock::new() }
    }

    /// Sends a call; the body of the reply is not read yet.
    pub(crate) fn send(&self, call: &Call<'_>) -> Result<Response<Body>, Failure> {
        let agent = if call.url.starts_with("https:") { self.secure()? } else { &self.plain };
        let proxy = self.options.proxies.pick(call.url).cloned();
        let sent = match call.payload {
            Payload::None => with_headers(agent.get(call.url), call)?
                .config()
                .timeout_global(Some(call.timeout))
                .proxy(proxy)
                .build()
                .call(),
            Payload::Post(content_type, body) => {
                with_headers(agent.post(call.url).header("content-type", content_type), call)?
                    .config()
                    .timeout_global(Some(call.timeout))
                    .proxy(proxy)
                    .build()
                    .send(body)
            }
        };
        sent.map_err(|e| broken(&e))
    }

    pub(crate) fn call(&self, call: &Call<'_>) -> Result<Received, Failure> {
        let mut response = self.send(call)?;
        let status = response.status().as_u16();
        let headers = response.headers();
        let request_id = ["request-id", "x-request-id", "apim-request-id"]
            .iter()
            .find_map(|name| text(headers, name))
            .map(|id| id.chars().take(128).collect());
        let now = SystemTime::now();
        let retry_after = retry::retry_after(|name| text(headers, name), now);
        let exhausted_for = retry::exhausted_until(|name| text(headers, name), now);
        let json = is_json(text(headers, "content-type"));
        let body = match status {
            200 if call.reply == ReplyKind::Json && !json => {
                Err(Failure::new(FailureKind::BadReply, "the reply is not marked as JSON"))
            }
            200 => whole(response.body_mut(), call.limit),
            _ => Ok(start(response.body_mut())),
        };
        match body {
            Ok(body) => Ok(Received { status, request_id, retry_after, exhausted_for, body }),
            Err(failure) => Err(Failure { status: Some(status), request_id, ..failure }),
        }
    }

    fn secure(&self) -> Result<&Agent, Failure> {
        let made = self.secure.get_or_init(|| Ok(agent(Some(roots(&self.options)?))));
        made.as_ref().map_err(Clone::clone)
    }
}

fn with_headers<B>(
    mut request: RequestBuilder<B>,
    call: &Call<'_>,
) -> Result<RequestBuilder<B>, Failure> {
    for (name, value) in call.headers {
        request = request.header(*name, *value);
    }
    for (name, value) in &call.auth {
        let mut value = HeaderValue::from_str(value)
            .map_err(|_| Failure::new(FailureKind::Auth, "the key cannot be sent in a header"))?;
        value.set_sensitive(true);
        request = request.header(*name, value);
    }
    Ok(request)
}

fn agent(roots: Option<RootCerts>) -> Agent {
    let mut config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        // ureq would read the environment variables here; they are passed as options instead.
        .proxy(None)
        .user_agent(concat!("aegish/", env!("CARGO_PKG_VERSION")))
        .accept("application/json")
        .max_response_header_size(HEADER_BYTES)
        .input_buffer_size(HEADER_BYTES)
        .output_buffer_size(BUFFER_BYTES)
        .max_idle_connections(IDLE_CONNECTIONS)
        .max_idle_connections_per_host(IDLE_CONNECTIONS);
    if let Some(roots) = roots {
        let tls = TlsConfig::builder()
            .root_certs(roots)
            .unversioned_rustls_crypto_provider(Arc::new(ring::default_provider()));
        config = config.https_only(true).tls_config(tls.build());
    }
    Agent::with_parts(config.build(), DefaultConnector::new(), Addresses::default())
}

fn roots(options: &TransportOptions) -> Result<RootCerts, Failure> {
    let system = rustls_native_certs::load_native_certs();
    let mut certs: Vec<_> =
        system.certs.iter().map(|der| Certificate::from_der(der).to_owned()).collect();
    if let Some(path) = &options.ca_file {
        let name = path.display();
        let pem = fs::read(path).map_err(|e| {
            Failure::new(
                FailureKind::Setup,
                format!("the certificate file {name} cannot be read: {}", e.kind()),
            )
        })?;
        let before = certs.len();
        for item in parse_pem(&pem) {
            match item {
                Ok(PemItem::Certificate(cert)) => certs.push(cert),
                Ok(_) => {}
                Err(_) => {
                    return Err(Failure::new(
                        FailureKind::Setup,
                        format!("the certificate file {name} is damaged"),
                    ));
                }
            }
        }
        if certs.len() == before {
            return Err(Failure::new(
                FailureKind::Setup,
                format!("the certificate file {name} holds no certificate"),
            ));
        }
    }
    if certs.is_empty() {
        let advice = "this machine has no certificates to check providers with; install them or set SSL_CERT_FILE";
        return Err(Failure::new(FailureKind::Setup, advice));
    }
    Ok(RootCerts::new_with_certs(&certs))
}

pub(crate) fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn is_json(content_type: Option<&str>) -> bool {
    let kind = content_type
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"))
}

/// All bytes of a body.
pub(crate) fn bytes(body: &mut Body, limit: u64) -> Result<Vec<u8>, Failure> {
    // The limit of ureq is exclusive.
    body.with_config().limit(limit.saturating_add(1)).read_to_vec().map_err(|e| broken(&e))
}

fn whole(body: &mut Body, limit: u64) -> Result<String, Failure> {
    String::from_utf8(bytes(body, limit)?)
        .map_err(|_| Failure::new(FailureKind::BadReply, "the reply is not UTF-8"))
}

/// Reads the start of an error body. Errors are ignored, because the body is only for the message.
fn start(body: &mut Body) -> String {
    let mut bytes = Vec::new();
    let _ = body.as_reader().take(ERROR_BYTES).read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Translates an error of the HTTP client. The message contains nothing of the request.
fn broken(error: &Error) -> Failure {
    match error {
        Error::Timeout(_) => Failure::new(FailureKind::Timeout, "no complete answer in time"),
        Error::HostNotFound => {
            Failure::new(FailureKind::Connect, "the provider's name is not known")
        }
        Error::ConnectionFailed => {
            Failure::new(FailureKind::Connect, "no connection to the provider")
        }
        Error::ConnectProxyFailed(_) => {
            Failure::new(FailureKind::Connect, "the proxy does not connect to the provider")
        }
        Error::BodyExceedsLimit(_) => {
            Failure::new(FailureKind::ReplyTooLarge, "the reply is longer than the bound")
        }
        Error::LargeResponseHeader(..) => {
            Failure::new(FailureKind::BadReply, "the reply's headers are too long")
        }
        Error::Tls(_) | Error::Rustls(_) | Error::Pem(_) | Error::TlsRequired => untrusted(),
        Error::Io(e) => io_failure(e),
        Error::Protocol(_) | Error::BodyStalled => {
            Failure::new(FailureKind::BadReply, "the reply is not valid HTTP")
        }
        Error::BadUri(_) | Error::Http(_) => {
            Failure::new(FailureKind::Setup, "the address cannot be used")
        }
        _ => Failure::new(FailureKind::BadReply, "the exchange failed"),
    }
}

fn io_failure(error: &io::Error) -> Failure {
    use io::ErrorKind::{
        BrokenPipe, ConnectionAborted, ConnectionReset, InvalidData, TimedOut, UnexpectedEof,
        WouldBlock,
    };
    match error.kind() {
        TimedOut | WouldBlock => Failure::new(FailureKind::Timeout, "no complete answer in time"),
        // rustls reports a bad certificate as this error.
        InvalidData => untrusted(),
        UnexpectedEof | ConnectionReset | ConnectionAborted | BrokenPipe => Failure::new(
            FailureKind::Interrupted,
            "the connection broke before the answer was complete",
        ),
        kind => {
            Failure::new(FailureKind::Connect, format!("no connection to the provider: {kind}"))
        }
    }
}

fn untrusted() -> Failure {
    Failure::new(FailureKind::Tls, "the provider's certificate or handshake is not to be trusted")
}

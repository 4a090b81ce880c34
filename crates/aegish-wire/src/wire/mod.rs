//! The protocols: requests to bytes, bytes to answers. No I/O.
//!
//! Each module defines the structs of one protocol, as its public documentation describes them. A part of the
//! request without a field in the protocol is reported in `left_out` and never translated into something
//! else, because the log must show what was sent.

mod anthropic;
mod bedrock;
mod chat;
mod errors;
mod gemini;
mod merge;
mod responses;
mod template;

use serde::Serialize;

use crate::cloud::{ModelRoute, encode};
use crate::completion::{Stop, Usage};
use crate::endpoint::Endpoint;
use crate::failure::{Failure, FailureKind};
use crate::provider::{Auth, Protocol};
use crate::request::Request;

pub(crate) use errors::{Explained, explain};
pub use template::Template;

/// A request in the protocol of an endpoint, ready to be sent.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The full address.
    pub url: String,
    /// The JSON body.
    pub body: String,
    /// Parts of the request that this endpoint has no field for.
    pub left_out: Vec<&'static str>,
}

/// The parsed reply of a protocol.
#[derive(Debug)]
pub(crate) struct ParsedReply {
    pub(crate) text: String,
    pub(crate) reasoning: Option<String>,
    pub(crate) stop: Stop,
    pub(crate) usage: Usage,
    pub(crate) id: Option<String>,
    pub(crate) model: Option<String>,
}

/// A text that Claude models keep in their cache for the next request.
#[derive(Serialize)]
struct CachedText<'a> {
    r#type: &'static str,
    text: &'a str,
    cache_control: CacheControl,
}

#[derive(Serialize)]
struct CacheControl {
    r#type: &'static str,
}

impl<'a> CachedText<'a> {
    fn new(text: &'a str) -> Self {
        Self { r#type: "text", text, cache_control: CacheControl { r#type: "ephemeral" } }
    }
}

/// Writes a request in the protocol of an endpoint.
///
/// # Errors
///
/// [`FailureKind::BadRequest`] if the body cannot be written as JSON, which unusual values in a schema or in
/// `extra` may cause.
pub fn prepare(endpoint: &Endpoint, request: &Request) -> Result<Prepared, Failure> {
    let mut left_out = Vec::new();
    let (path, body) = match endpoint.protocol {
        Protocol::OpenAiChat => (chat_path(endpoint), chat::body(endpoint, request, &mut left_out)),
        Protocol::OpenAiResponses => {
            ("responses".to_owned(), responses::body(endpoint, request, &mut left_out))
        }
        Protocol::AnthropicMessages => (
            match &endpoint.route {
                ModelRoute::Publisher { .. } => published(endpoint, "anthropic", "rawPredict"),
                ModelRoute::Plain | ModelRoute::Deployment { .. } => {
                    versioned(endpoint, "v1", "messages")
                }
            },
            anthropic::body(endpoint, request, &mut left_out),
        ),
        Protocol::Gemini => {
            let path = match &endpoint.route {
                ModelRoute::Publisher { .. } => published(endpoint, "google", "generateContent"),
                ModelRoute::Plain | ModelRoute::Deployment { .. } => {
                    let method = format!("models/{}:generateContent", endpoint.model);
                    versioned(endpoint, "v1beta", &method)
                }
            };
            (path, gemini::body(endpoint, request, &mut left_out))
        }
        Protocol::BedrockConverse => {
            let path = format!("model/{}/converse", encode(&endpoint.model));
            (path, bedrock::body(request, &mut left_out))
        }
    };
    let body = match body {
        Ok(body) if request.extra.is_empty() => Ok(body),
        Ok(body) => merge::merge(&body, &request.extra),
        Err(error) => Err(error),
    };
    let body = body.map_err(|_| {
        Failure::new(FailureKind::BadRequest, "the request cannot be written as JSON")
    })?;
    let base = match &endpoint.route {
        // A deployment is beside the version of the path, not below it.
        ModelRoute::Deployment { .. } => {
            endpoint.base_url.strip_suffix("/v1").unwrap_or(&endpoint.base_url)
        }
        ModelRoute::Plain | ModelRoute::Publisher { .. } => &endpoint.base_url,
    };
    let url = format!("{base}/{path}");
    Ok(Prepared { url, body, left_out })
}

/// Reads a reply with status 200.
pub(crate) fn read(protocol: Protocol, body: &str) -> Result<ParsedReply, Failure> {
    match protocol {
        Protocol::OpenAiChat => chat::read(body),
        Protocol::OpenAiResponses => responses::read(body),
        Protocol::AnthropicMessages => anthropic::read(body),
        Protocol::Gemini => gemini::read(body),
        Protocol::BedrockConverse => bedrock::read(body),
    }
}

/// The path of chat completions: that of a deployment under a dated version of Azure's interface.
fn chat_path(endpoint: &Endpoint) -> String {
    match &endpoint.route {
        ModelRoute::Deployment { api_version } => {
            format!("deployments/{}/chat/completions?api-version={api_version}", endpoint.model)
        }
        ModelRoute::Plain | ModelRoute::Publisher { .. } => "chat/completions".to_owned(),
    }
}

/// The path of a publisher's model on Vertex AI.
fn published(endpoint: &Endpoint, publisher: &str, method: &str) -> String {
    let ModelRoute::Publisher { project, location } = &endpoint.route else { return String::new() };
    let model = &endpoint.model;
    format!(
        "v1/projects/{project}/locations/{location}/publishers/{publisher}/models/{model}:{method}"
    )
}

/// The headers of a protocol, without the key.
pub(crate) fn headers(endpoint: &Endpoint) -> &'static [(&'static str, &'static str)] {
    match (endpoint.protocol, &endpoint.route) {
        (Protocol::AnthropicMessages, ModelRoute::Plain) => &[("anthropic-version", "2023-06-01")],
        _ => &[],
    }
}

/// The header for the key.
pub(crate) fn auth(endpoint: &Endpoint) -> Option<(&'static str, String)> {
    let key = endpoint.key.as_ref()?.expose();
    Some(match endpoint.auth {
        Auth::Bearer => ("authorization", format!("Bearer {key}")),
        Auth::Header(name) => (name, key.to_owned()),
    })
}

/// Adds the version to the path, unless the address already ends in one.
pub(crate) fn versioned(endpoint: &Endpoint, version: &str, rest: &str) -> String {
    let last = endpoint.base_url.rsplit('/').next().unwrap_or_default();
    if last == "v1" || last == version { rest.to_owned() } else { format!("{version}/{rest}") }
}

fn to_text(body: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(body)
}

fn from_body<'a, T: serde::Deserialize<'a>>(body: &'a str) -> Result<T, Failure> {
    // serde's message quotes the reply, which is foreign text. Only the position is shown.
    serde_json::from_str(body).map_err(|e| {
        let what = if e.is_data() { "is not what the protocol describes" } else { "is not JSON" };
        Failure::new(
            FailureKind::BadReply,
            format!("the reply {what} (line {}, column {})", e.line(), e.column()),
        )
    })
}

/// Joins texts; returns `None` if there are none, so that absent and empty reasoning differ.
fn join<'a>(parts: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut out: Option<String> = None;
    for part in parts {
        out.get_or_insert_with(String::new).push_str(part);
    }
    out
}

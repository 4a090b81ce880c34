//! Providers inside a cloud: addresses made of a region or project, and credentials that are not one key.
//!
//! Takes the variables of Azure, AWS and Google Cloud; gives the route to a model and what signs its requests.
//! Reads one file, the one that `GOOGLE_APPLICATION_CREDENTIALS` names. Looks for no other file, no metadata server
//! and no program of the cloud.

mod aws;
mod google;

use std::fmt;
use std::sync::Arc;

use crate::endpoint::{EndpointError, Env, non_blank, read_key};
use crate::provider::{Auth, Protocol, Provider};
use crate::secret::ApiKey;

pub(crate) use google::Tokens;

/// The cloud that a provider belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cloud {
    Azure,
    Bedrock,
    Vertex,
}

/// Where a model is below its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ModelRoute {
    /// Where the protocol says.
    Plain,
    /// A deployment of Azure under a dated version of its interface.
    Deployment { api_version: String },
    /// A model of a publisher in a project of Google Cloud.
    Publisher { project: String, location: String },
}

/// What signs requests where no key is sent.
#[derive(Clone)]
pub(crate) enum Signer {
    Aws(aws::AwsKeys),
    Google(Arc<google::GoogleAccount>),
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Aws(_) => "Aws(hidden)",
            Self::Google(_) => "Google(hidden)",
        })
    }
}

impl Signer {
    /// Removes its secrets from a text of foreign origin.
    pub(crate) fn hide_in(&self, text: &str) -> String {
        match self {
            Self::Aws(keys) => keys.hide_in(text),
            // Its private key is never sent.
            Self::Google(_) => text.to_owned(),
        }
    }
}

/// The keys of an endpoint.
#[derive(Debug, Default)]
pub(crate) struct Credentials {
    pub(crate) key: Option<ApiKey>,
    pub(crate) signer: Option<Signer>,
}

/// Reads what a provider needs to let a caller in. `key_vars` are the variables that hold a key.
pub(crate) fn credentials(
    provider: &Provider,
    key_vars: &[String],
    env: Env<'_>,
) -> Result<Credentials, EndpointError> {
    let first = |count: usize| read_key(key_vars.get(..count).unwrap_or(key_vars), env);
    let (key, signer) = match provider.cloud {
        Some(Cloud::Bedrock) => {
            let key = first(1)?;
            let signer = if key.is_some() { None } else { aws::AwsKeys::from_env(env)? };
            (key, signer.map(Signer::Aws))
        }
        Some(Cloud::Vertex) => {
            let key = first(1)?;
            let file = non_blank(env("GOOGLE_APPLICATION_CREDENTIALS"));
            match file.filter(|_| key.is_none()) {
                Some(path) => {
                    (None, Some(Signer::Google(Arc::new(google::GoogleAccount::read(&path)?))))
                }
                None => (key, None),
            }
        }
        Some(Cloud::Azure) | None => (read_key(key_vars, env)?, None),
    };
    Ok(Credentials { key, signer })
}

/// The public address of a provider in a cloud; `None` if the variables do not say it.
pub(crate) fn address(cloud: Option<Cloud>, env: Env<'_>) -> Option<String> {
    match cloud? {
        Cloud::Azure => None,
        Cloud::Bedrock => {
            let region = word(&aws::region(env)?)?;
            Some(format!("https://bedrock-runtime.{region}.amazonaws.com"))
        }
        Cloud::Vertex => {
            let location = word(&google::location(env))?;
            let prefix = if location == "global" { String::new() } else { format!("{location}-") };
            Some(format!("https://{prefix}aiplatform.googleapis.com"))
        }
    }
}

/// Where a model is below its address.
pub(crate) fn route(provider: &Provider, env: Env<'_>) -> Result<ModelRoute, EndpointError> {
    let missing = |variables: &[&str]| EndpointError::MissingBaseUrl {
        provider: provider.name.to_owned(),
        variables: variables.iter().map(|&name| name.to_owned()).collect(),
    };
    match provider.cloud {
        Some(Cloud::Azure) => {
            let version = ["AZURE_OPENAI_API_VERSION", "OPENAI_API_VERSION"];
            let version = version.iter().find_map(|name| non_blank(env(name)));
            Ok(match version {
                Some(version) => ModelRoute::Deployment {
                    api_version: word(&version)
                        .ok_or_else(|| missing(&["AZURE_OPENAI_API_VERSION"]))?,
                },
                None => ModelRoute::Plain,
            })
        }
        Some(Cloud::Vertex) => {
            let project = non_blank(env("GOOGLE_CLOUD_PROJECT")).and_then(|project| word(&project));
            let project = project.ok_or_else(|| missing(&["GOOGLE_CLOUD_PROJECT"]))?;
            let location = word(&google::location(env));
            let location = location.ok_or_else(|| missing(&["GOOGLE_CLOUD_LOCATION"]))?;
            Ok(ModelRoute::Publisher { project, location })
        }
        Some(Cloud::Bedrock) | None => Ok(ModelRoute::Plain),
    }
}

/// The protocol of a model in a cloud, where it depends on the model.
pub(crate) fn protocol(cloud: Option<Cloud>, model: &str) -> Option<Protocol> {
    (cloud == Some(Cloud::Vertex) && model.starts_with("claude"))
        .then_some(Protocol::AnthropicMessages)
}

/// How a key travels, if that depends on the cloud.
pub(crate) fn auth(route: &ModelRoute, usual: Auth) -> Auth {
    match route {
        ModelRoute::Publisher { .. } => Auth::Bearer,
        ModelRoute::Plain | ModelRoute::Deployment { .. } => usual,
    }
}

/// A value that may stand in an address.
fn word(value: &str) -> Option<String> {
    let value = value.trim();
    let is_plain = !value.is_empty()
        && value.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.:".contains(&b));
    is_plain.then(|| value.to_owned())
}

/// Percent-encodes everything but letters, digits, `-`, `_`, `.` and `~`.
pub(crate) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

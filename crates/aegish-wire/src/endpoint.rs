//! From a model id and an environment to an endpoint.
//!
//! Takes `PROVIDER/MODEL`, a function that looks up variables, and settings that override both; gives an
//! [`Endpoint`]. Reads nothing else. Errors name what to set, and never contain a key.

use std::fmt;
use std::net::IpAddr;

use ureq::http::Uri;

use crate::cloud::{self, Credentials, ModelRoute, Signer};
use crate::provider::{self, Auth, BatchApi, NAMED, Protocol, Provider, Quirks};
use crate::secret::{ApiKey, KeyFault};

/// Looks up an environment variable.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Settings of an endpoint. Each overrides the environment and the table.
#[derive(Debug, Clone, Default)]
pub struct EndpointSettings {
    /// The base address, without the path of the protocol.
    pub base_url: Option<String>,
    /// The variable that holds the key. A configuration never contains the key itself.
    pub key_var: Option<String>,
    /// The protocol, for servers with another one than in the table.
    pub protocol: Option<Protocol>,
}

/// The address, protocol and key of a model.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The id as it was given.
    pub id: String,
    /// The provider's canonical name; `openai-api/NAME` for a named server.
    pub provider: String,
    /// The provider's name of the model.
    pub model: String,
    /// The wire protocol.
    pub protocol: Protocol,
    /// The address, without a trailing slash.
    pub base_url: String,
    pub(crate) key: Option<ApiKey>,
    pub(crate) signer: Option<Signer>,
    pub(crate) route: ModelRoute,
    pub(crate) auth: Auth,
    pub(crate) quirks: Quirks,
    pub(crate) batch: Option<BatchApi>,
}

/// Why there is no endpoint for an id. No request was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndpointError {
    /// Not `PROVIDER/MODEL`.
    MalformedId {
        /// The id, shortened and without control characters.
        id: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A provider that is not in the table.
    UnknownProvider {
        /// The name before the first `/`.
        name: String,
    },
    /// No variable contains a key.
    MissingKey {
        /// The provider.
        provider: String,
        /// The variables that were read.
        variables: Vec<String>,
    },
    /// A key that is not valid in a header.
    BadKey {
        /// The variable that holds it.
        variable: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// No address, and the provider has no public one.
    MissingBaseUrl {
        /// The provider.
        provider: String,
        /// The variables that were read.
        variables: Vec<String>,
    },
    /// An address that cannot be used.
    BadBaseUrl {
        /// The address, without user name, password and query.
        url: String,
        /// What is wrong with it.
        why: &'static str,
    },
}

impl fmt::Display for EndpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MalformedId { id, why } => {
                write!(
                    f,
                    "no model was asked: \"{id}\" is not a model id: {why}; write PROVIDER/MODEL"
                )
            }
            Self::UnknownProvider { name } => {
                let known: Vec<_> = provider::providers().iter().map(|p| p.name).collect();
                write!(
                    f,
                    "no model was asked: unknown provider \"{name}\"; known are {}",
                    known.join(", ")
                )?;
                write!(f, ", and openai-api/NAME/MODEL for any compatible server")
            }
            Self::MissingKey { provider, variables } => {
                write!(
                    f,
                    "no model was asked: no key for {provider}; set {}",
                    variables.join(" or ")
                )
            }
            Self::BadKey { variable, why } => {
                write!(f, "no model was asked: the key in {variable} {why}")
            }
            Self::MissingBaseUrl { provider, variables } => {
                write!(
                    f,
                    "no model was asked: no address for {provider}; set {}",
                    variables.join(" or ")
                )
            }
            Self::BadBaseUrl { url, why } => {
                write!(f, "no model was asked: the address \"{url}\" {why}")
            }
        }
    }
}

impl std::error::Error for EndpointError {}

const MAX_ID: usize = 256;

impl Endpoint {
    /// Finds the endpoint for a model id.
    ///
    /// # Errors
    /// [`EndpointError`] where the id, the address or the key is missing or unusable.
    pub fn resolve(
        id: &str,
        env: Env<'_>,
        settings: &EndpointSettings,
    ) -> Result<Self, EndpointError> {
        let (provider, label, model, named) = split(id)?;
        let prefix = named.map(|name| name.to_ascii_uppercase().replace(['-', '.'], "_"));
        let base_vars = variables(provider.base_vars, prefix.as_deref(), "_BASE_URL");
        let mut key_vars = variables(provider.key_vars, prefix.as_deref(), "_API_KEY");
        if let Some(var) = &settings.key_var {
            key_vars = vec![var.clone()];
        }

        let configured = settings
            .base_url
            .clone()
            .or_else(|| base_vars.iter().find_map(|var| non_blank(env(var))));
        let public =
            provider.base.map(str::to_owned).or_else(|| cloud::address(provider.cloud, env));
        let base_url = match (configured, public) {
            (Some(url), _) => normalise(&url, &provider)?,
            (None, Some(url)) => url,
            (None, None) => {
                let regions = provider.other_vars.iter().filter(|name| name.contains("REGION"));
                let variables = regions.map(|&name| name.to_owned()).chain(base_vars).collect();
                return Err(EndpointError::MissingBaseUrl { provider: label, variables });
            }
        };
        let route = cloud::route(&provider, env)?;
        let Credentials { key, signer } = match settings.key_var {
            Some(_) => Credentials { key: read_key(&key_vars, env)?, signer: None },
            None => cloud::credentials(&provider, &key_vars, env)?,
        };
        let has_key = key.is_some() || signer.is_some();
        if !has_key && (provider.needs_key || settings.key_var.is_some()) {
            return Err(EndpointError::MissingKey { provider: label, variables: key_vars });
        }
        if has_key && !is_private(&base_url) {
            return Err(EndpointError::BadBaseUrl {
                url: base_url,
                why: "would carry the key unencrypted over a public network; use https",
            });
        }
        let protocol =
            settings.protocol.unwrap_or_else(|| provider::protocol_for(&provider, model));
        Ok(Self {
            id: id.to_owned(),
            provider: label,
            model: model.to_owned(),
            protocol,
            base_url,
            key,
            signer,
            auth: cloud::auth(&route, provider.auth),
            route,
            quirks: provider.quirks,
            batch: provider.batch,
        })
    }

    /// Whether a key was found.
    pub fn has_key(&self) -> bool {
        self.key.is_some() || self.signer.is_some()
    }

    /// Removes this endpoint's key from a text.
    pub(crate) fn hide_key(&self, text: &str) -> String {
        let text = self.key.as_ref().map_or_else(|| text.to_owned(), |key| key.hide_in(text));
        self.signer.as_ref().map_or_else(|| text.clone(), |signer| signer.hide_in(&text))
    }
}

type Split<'a> = (Provider, String, &'a str, Option<&'a str>);

fn split(id: &str) -> Result<Split<'_>, EndpointError> {
    let malformed = |why| EndpointError::MalformedId { id: clean(id), why };
    if id.len() > MAX_ID {
        return Err(malformed("it is too long"));
    }
    if !id.chars().all(|c| c.is_ascii_graphic()) || id.contains(['?', '#', '%', '\\', '"']) {
        return Err(malformed("it holds a character that no model name has"));
    }
    let Some((name, model)) = id.split_once('/') else {
        return Err(malformed("there is no provider in front of the model"));
    };
    if name.is_empty() || model.split('/').any(str::is_empty) {
        return Err(malformed("a part of it is empty"));
    }
    if model.split('/').any(|part| part.chars().all(|c| c == '.')) {
        return Err(malformed("a part of it is only dots"));
    }
    if name.eq_ignore_ascii_case(NAMED.name) {
        let Some((server, model)) = model.split_once('/') else {
            return Err(malformed("openai-api needs a server and a model"));
        };
        if !server.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)) {
            return Err(malformed("the server's name must do as part of a variable's name"));
        }
        return Ok((NAMED, format!("{}/{server}", NAMED.name), model, Some(server)));
    }
    match provider::find(name) {
        Some(provider) => Ok((*provider, provider.name.to_owned(), model, None)),
        None => Err(EndpointError::UnknownProvider { name: clean(name) }),
    }
}

fn variables(listed: &[&str], prefix: Option<&str>, suffix: &str) -> Vec<String> {
    let named = prefix.map(|prefix| format!("{prefix}{suffix}"));
    listed.iter().map(|&var| var.to_owned()).chain(named).collect()
}

pub(crate) fn non_blank(value: Option<String>) -> Option<String> {
    value.filter(|v| !v.trim().is_empty())
}

pub(crate) fn read_key(
    variables: &[String],
    env: Env<'_>,
) -> Result<Option<ApiKey>, EndpointError> {
    for variable in variables {
        let Some(raw) = env(variable) else { continue };
        let why = match ApiKey::parse(&raw) {
            Ok(Some(key)) => return Ok(Some(key)),
            Ok(None) => continue,
            Err(KeyFault::CarriageReturn) => {
                "ends in a carriage return: the file it comes from has Windows line ends"
            }
            Err(KeyFault::Whitespace) => "holds white space",
            Err(KeyFault::NotPrintable) => "holds a character that no header can carry",
        };
        return Err(EndpointError::BadKey { variable: variable.clone(), why });
    }
    Ok(None)
}

/// Completes an address as people write it in variables: `host`, `host:port`, `http://host/`, …
fn normalise(raw: &str, provider: &Provider) -> Result<String, EndpointError> {
    let raw = raw.trim();
    // User name and password are secrets, so messages omit them.
    let shown =
        || clean(raw.rsplit('@').next().unwrap_or(raw).split(['?', '#']).next().unwrap_or(raw));
    let bad = |why| EndpointError::BadBaseUrl { url: shown(), why };
    let text = if raw.contains("://") { raw.to_owned() } else { format!("http://{raw}") };
    let uri: Uri = text.parse().map_err(|_| bad("is not an address"))?;
    let Some((scheme, authority)) = uri.scheme_str().zip(uri.authority()) else {
        return Err(bad("is not an address"));
    };
    if !matches!(scheme, "http" | "https") {
        return Err(bad("is neither http nor https"));
    }
    if authority.as_str().contains('@') {
        return Err(bad("holds a user name; put the key into its variable"));
    }
    if raw.contains(['?', '#']) {
        return Err(bad("holds a query; only a path may follow the host"));
    }
    if authority.host().is_empty() {
        return Err(bad("has no host"));
    }
    // "Any address" is for listening. As a destination it means this machine.
    let host = match authority.host() {
        "0.0.0.0" | "[::]" => "127.0.0.1",
        host => host,
    };
    let port = match (authority.port_u16(), provider.default_port) {
        (Some(port), _) => format!(":{port}"),
        (None, Some(port)) if scheme == "http" => format!(":{port}"),
        (None, _) => String::new(),
    };
    let path = match uri.path().trim_end_matches('/') {
        "" => provider.default_path,
        path => path,
    };
    Ok(format!("{scheme}://{host}{port}{path}"))
}

/// Whether a connection is encrypted, or stays on this machine or a private network.
pub(crate) fn is_private(url: &str) -> bool {
    let Ok(uri) = url.parse::<Uri>() else { return false };
    if uri.scheme_str() == Some("https") {
        return true;
    }
    uri.host().is_some_and(|host| {
        let host = host.trim_matches(['[', ']']);
        match host.parse::<IpAddr>() {
            Ok(IpAddr::V4(ip)) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
            Ok(IpAddr::V6(ip)) => {
                ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local()
            }
            Err(_) => {
                !host.contains('.')
                    || [".local", ".internal", ".lan", ".localhost", ".home.arpa"]
                        .iter()
                        .any(|end| host.ends_with(end))
            }
        }
    })
}

fn clean(text: &str) -> String {
    text.chars().take(80).map(|c| if c.is_control() { '?' } else { c }).collect()
}

#[cfg(test)]
#[path = "endpoint_tests.rs"]
mod tests;

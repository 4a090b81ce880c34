//! Everything that can change an answer → one hash.
//!
//! The message is hashed as a model would see it, with a fixed marker and without secrets. Evidence that the
//! message does not show is hashed too. Scripts are hashed unchanged: removing their secrets first would take
//! longer than all other work, and a script that was edited beyond the shown part is a different one.

use std::fmt;

use aegish_redact::{redact, redact_value};
use aegish_wire::{Endpoint, Protocol};
use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use crate::Evidence;
use crate::message::shows_all;

/// The question and the model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question<'a> {
    /// The hash of the system prompt, with the addition for the role.
    pub(crate) prompt: &'a str,
    /// The rest of the request: schema, bounds.
    pub(crate) form: &'a str,
    pub(crate) evidence: &'a Evidence<'a>,
    /// The message without its scripts, with a fixed marker.
    pub(crate) message: &'a str,
}

/// The name of an opinion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CacheKey(String);

impl CacheKey {
    pub(crate) fn new(question: &Question<'_>, endpoint: &Endpoint) -> Self {
        let protocol = match endpoint.protocol {
            Protocol::OpenAiChat => "chat",
            Protocol::OpenAiResponses => "responses",
            Protocol::AnthropicMessages => "messages",
            Protocol::Gemini => "gemini",
            Protocol::BedrockConverse => "converse",
        };
        let Question { prompt, form, evidence, message } = *question;
        let mut hash = Sha256::new();
        // Another version may phrase the question differently, so it asks again.
        let asked = ["aegish key 1", env!("CARGO_PKG_VERSION"), prompt, form, message];
        let whom = [&*endpoint.provider, &endpoint.model, protocol, &endpoint.base_url];
        for part in asked.into_iter().chain(whom) {
            add(&mut hash, part);
        }
        add(&mut hash, &evidence.scripts.len().to_string());
        for script in evidence.scripts {
            add(&mut hash, script.path);
            // One that cannot be read is not an empty one.
            add(&mut hash, if script.contents.is_some() { "read" } else { "unread" });
            add(&mut hash, script.contents.unwrap_or_default());
        }
        if !shows_all(message) {
            let effects = evidence.effects.iter().map(String::as_str);
            for text in effects.chain(evidence.canonical) {
                add(&mut hash, &redact(text));
            }
            for (name, value) in evidence.facts {
                add(&mut hash, name);
                add(&mut hash, &redact_value(name, value));
            }
        }
        Self(HEXLOWER.encode(&hash.finalize()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The directory and the file's name within it.
    pub(super) fn split(&self) -> (&str, &str) {
        self.0.split_at_checked(2).unwrap_or(("", &self.0))
    }
}

impl fmt::Display for CacheKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text with its length, so that different lists of texts give different bytes.
fn add(hash: &mut Sha256, text: &str) {
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text.as_bytes());
}

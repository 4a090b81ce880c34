//! Text → the same text without secrets.
//!
//! Takes a command, a script or a value; gives it with every secret replaced by `‹redacted:KIND›`. A secret
//! is found by its name (variables, options, headers, keys of JSON and YAML) or by the shape of its value.
//! Values that only look random (hashes of commits, UUIDs, paths, encoded text) stay, and so do expansions: a
//! judge has to see `token=$(cat key)`.
//!
//! This crate does not weigh danger. Its work is linear in the text, up to a small factor.
#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod known_secrets;
mod named;
mod names;
mod options;
mod phrases;
mod prefixes;
mod private_keys;
mod shapes;
mod urls;
mod word;

use std::borrow::Cow;

pub use known_secrets::KnownSecrets;

/// A secret in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Secret {
    start: usize,
    end: usize,
    kind: &'static str,
}

/// Returns the text with its secrets replaced.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    replaced(text, &find(text))
}

/// Returns the secrets of a text, sorted by their start. They may overlap.
fn find(text: &str) -> Vec<Secret> {
    let mut secrets = Vec::new();
    shapes::find(text, &mut secrets);
    urls::find(text, &mut secrets);
    named::find(text, &mut secrets);
    options::find(text, &mut secrets);
    phrases::find(text, &mut secrets);
    // The sort is stable: if two secrets start at the same place, the kind found by shape comes first.
    secrets.sort_by_key(|secret| secret.start);
    secrets
}

fn replaced<'a>(text: &'a str, secrets: &[Secret]) -> Cow<'a, str> {
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    let mut hidden_to = 0;
    for secret in secrets {
        if secret.start >= hidden_to {
            out.push_str(text.get(done..secret.start).unwrap_or_default());
            out.push_str("‹redacted:");
            out.push_str(secret.kind);
            out.push('›');
        }
        hidden_to = hidden_to.max(secret.end);
        done = hidden_to;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(out)
}

/// Returns the value of a variable, replaced as a whole if the name says that it is a secret.
#[must_use]
pub fn redact_value<'a>(name: &str, value: &'a str) -> Cow<'a, str> {
    match names::kind_of(name) {
        Some(kind) if named::hides(value) => Cow::Owned(format!("‹redacted:{kind}›")),
        Some(_) => redact(value),
        None if names::is_weak(name) && shapes::looks_random(value) => {
            Cow::Borrowed("‹redacted:key›")
        }
        None => redact(value),
    }
}

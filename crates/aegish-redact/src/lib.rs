//! Text → the same text without secrets.
//!
//! Takes a command, a script or a value; gives it with every secret replaced by `‹redacted:KIND›`.
//! Secrets are found by the name they are given (variables, options, headers, keys of JSON and YAML)
//! and by the shape of their value. What only looks random (hashes of commits, UUIDs, paths, encoded
//! text) stays, and so do expansions: `token=$(cat key)` must remain visible to whoever judges it.
//!
//! Nothing here weighs danger. Work is linear in the text, up to a small factor.
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

/// `text` with its secrets replaced.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    replaced(text, &find(text))
}

/// The secrets of a text by their start; they may overlap.
fn find(text: &str) -> Vec<Secret> {
    let mut secrets = Vec::new();
    shapes::find(text, &mut secrets);
    urls::find(text, &mut secrets);
    named::find(text, &mut secrets);
    options::find(text, &mut secrets);
    phrases::find(text, &mut secrets);
    // Stable: where two begin alike, the shape names the kind.
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

/// The value of a variable: as a whole if its name says that it is a secret.
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

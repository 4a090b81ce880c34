//! A TOML file with its signatures, which are comments at its end, so that people and Git read it as it is.
//!
//! Signed is every byte in front of the first signature, behind a fixed text that keeps signatures of other things from
//! counting here.

use std::fmt;
use std::path::Path;

use aegish_config::{BundleHead, Problems, read_bundle};
use data_encoding::{BASE64, HEXLOWER};
use sha2::{Digest as _, Sha256};

use crate::key::{PublicKey, SigningKey};

const SIGNATURE: &str = "# aegish-signature ";
const DOMAIN: &[u8] = b"aegish bundle 1\n";
/// A configuration file is not longer either.
pub(crate) const LONGEST: u64 = 1024 * 1024;

/// Why a bundle is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// It has no signature.
    Unsigned,
    /// Keys that nobody trusts here signed it.
    UnknownKeys(Vec<String>),
    /// A trusted key signed something else.
    Tampered,
    /// The content cannot be used.
    Content(Problems),
    /// It is not UTF-8, or too long.
    NoText,
    /// Its time is over.
    Expired(String),
    /// It is for another fleet.
    OtherFleet {
        /// The fleet of the bundle.
        found: String,
        /// The fleet of this machine.
        wanted: String,
    },
    /// A later one was taken before.
    RolledBack {
        /// Its number.
        found: u64,
        /// The highest number that was taken.
        highest: u64,
    },
    /// Another bundle with the same number was taken before.
    Twice(u64),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsigned => f.write_str("it is not signed"),
            Self::UnknownKeys(ids) => {
                write!(f, "no trusted key signed it, only {}", ids.join(", "))
            }
            Self::Tampered => f.write_str("it was changed after it was signed"),
            Self::Content(problems) => write!(f, "it cannot be used: {problems}"),
            Self::NoText => f.write_str("it is no text of at most 1 MiB"),
            Self::Expired(when) => write!(f, "it expired at {when}"),
            Self::OtherFleet { found, wanted } => {
                write!(f, "it is for the fleet {found}, and this machine belongs to {wanted}")
            }
            Self::RolledBack { found, highest } => write!(
                f,
                "it is version {found}, and version {highest} was taken before: a rollback"
            ),
            Self::Twice(version) => {
                write!(f, "version {version} was taken before, with another content")
            }
        }
    }
}

impl std::error::Error for Refused {}

/// A bundle that a trusted key signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedBundle {
    /// The whole text, with its signatures.
    pub text: String,
    /// What it says about itself.
    pub head: BundleHead,
    /// The SHA-256 of what is signed.
    pub hash: String,
    /// The trusted key that signed it.
    pub key: String,
}

impl SignedBundle {
    /// Reads a bundle that one of the keys signed. Its time may be over.
    ///
    /// # Errors
    ///
    /// Why it cannot be trusted or used.
    pub fn verify(bytes: &[u8], keys: &[PublicKey]) -> Result<Self, Refused> {
        if bytes.len() as u64 > LONGEST {
            return Err(Refused::NoText);
        }
        let text = std::str::from_utf8(bytes).map_err(|_| Refused::NoText)?;
        let (payload, signatures) = split(text);
        if signatures.is_empty() {
            return Err(Refused::Unsigned);
        }
        let message = message(payload);
        let mut known = false;
        let mut ids = Vec::new();
        let mut signer = None;
        for (id, signature) in signatures {
            ids.push(id.to_owned());
            for key in keys.iter().filter(|key| key.id() == id) {
                known = true;
                if key.verifies(&message, &signature) {
                    signer = Some(key.id());
                }
            }
        }
        let Some(key) = signer else {
            return Err(if known { Refused::Tampered } else { Refused::UnknownKeys(ids) });
        };
        let head = read_bundle(Path::new("bundle"), payload).map_err(Refused::Content)?;
        let hash = HEXLOWER.encode(&Sha256::digest(payload.as_bytes()));
        Ok(Self { text: text.to_owned(), head, hash, key })
    }

    /// The same, if its time is not over.
    ///
    /// # Errors
    ///
    /// If it is.
    pub fn fresh(self) -> Result<Self, Refused> {
        if self.head.has_expired() { Err(Refused::Expired(self.head.expires)) } else { Ok(self) }
    }
}

/// Adds a signature to a text, which may have some.
///
/// # Errors
///
/// If the text is no bundle, or its time is over.
pub fn sign(text: &str, key: &SigningKey) -> Result<String, Refused> {
    let (payload, _) = split(text);
    let mut signed = text.to_owned();
    if !signed.ends_with('\n') {
        signed.push('\n');
    }
    let payload = if payload.len() == text.len() { &signed } else { payload };
    let head = read_bundle(Path::new("bundle"), payload).map_err(Refused::Content)?;
    if head.has_expired() {
        return Err(Refused::Expired(head.expires));
    }
    let signature = BASE64.encode(&key.sign(&message(payload)));
    let line = format!("{SIGNATURE}{} {signature}\n", key.public().id());
    Ok(signed + &line)
}

fn message(payload: &str) -> Vec<u8> {
    [DOMAIN, payload.as_bytes()].concat()
}

/// The signed part, and the signatures with the names of their keys. A line that only looks like a signature is none.
fn split(text: &str) -> (&str, Vec<(&str, Vec<u8>)>) {
    let mut rest = text;
    let mut signatures = Vec::new();
    while let Some(whole) = rest.strip_suffix('\n') {
        let start = whole.rfind('\n').map_or(0, |at| at + 1);
        let (before, line) = whole.split_at_checked(start).unwrap_or((whole, ""));
        let found = line.strip_prefix(SIGNATURE).and_then(|line| line.split_once(' '));
        let found = found.and_then(|(id, text)| Some((id, BASE64.decode(text.as_bytes()).ok()?)));
        let Some(signature) = found else { break };
        signatures.push(signature);
        rest = before;
    }
    (rest, signatures)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "fail_mode = \"safe\"\n[bundle]\nfleet = \"acme\"\nversion = 3\n\
                        expires = 2999-01-01T00:00:00Z\n[[rule]]\nverdict = \"deny\"\nprogram = \"terraform\"\n";

    fn key() -> SigningKey {
        SigningKey::read(&SigningKey::generate().unwrap()).unwrap()
    }

    #[test]
    fn every_changed_byte_of_a_signed_bundle_is_noticed() {
        let (own, other) = (key(), key());
        let trusted = [own.public().clone()];
        let signed = sign(TEXT, &own).unwrap();
        let good = SignedBundle::verify(signed.as_bytes(), &trusted).unwrap();
        assert_eq!((good.head.version, good.key), (3, own.public().id()));
        for at in 0..signed.len() {
            let mut bytes = signed.clone().into_bytes();
            bytes[at] ^= 1;
            assert!(SignedBundle::verify(&bytes, &trusted).is_err(), "byte {at}");
            bytes.truncate(at);
            assert!(SignedBundle::verify(&bytes, &trusted).is_err(), "cut at {at}");
        }
        let refused = |text: &str| SignedBundle::verify(text.as_bytes(), &trusted).unwrap_err();
        assert_eq!(refused(TEXT), Refused::Unsigned);
        assert_eq!(refused(&signed.replace("safe", "open")), Refused::Tampered);
        assert_eq!(refused(&format!("{signed}fail_mode = 1\n")), Refused::Unsigned);
        assert_eq!(
            refused(&sign(TEXT, &other).unwrap()),
            Refused::UnknownKeys(vec![other.public().id()])
        );
    }

    #[test]
    fn a_second_key_can_sign_the_same_bundle() {
        let (old, new) = (key(), key());
        let both = sign(&sign(TEXT, &old).unwrap(), &new).unwrap();
        for signer in [&old, &new] {
            let found = SignedBundle::verify(both.as_bytes(), &[signer.public().clone()]).unwrap();
            assert_eq!(found.key, signer.public().id());
        }
    }

    #[test]
    fn what_is_no_bundle_is_not_signed() {
        let key = key();
        assert!(matches!(sign("fail_mode = 'safe'\n", &key), Err(Refused::Content(_))));
        let old = TEXT.replace("2999", "2001");
        assert!(matches!(sign(&old, &key), Err(Refused::Expired(_))));
    }
}

//! Ed25519 keys: the private one as PKCS #8 in PEM, which OpenSSL reads and writes too; the public one as one word.

use std::fmt;
use std::str::FromStr;

use data_encoding::{BASE64, HEXLOWER};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use sha2::{Digest as _, Sha256};

/// The word in front of a public key.
const KIND: &str = "ed25519:";
const KEY_BYTES: usize = 32;
/// PKCS #8, version 1, of an Ed25519 key (RFC 8410) up to its seed.
const PKCS8: &[u8] = &[48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32];
const BEGIN: &str = "-----BEGIN PRIVATE KEY-----";
const END: &str = "-----END PRIVATE KEY-----";

/// A text that is no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyError(&'static str);

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for KeyError {}

/// A key that verifies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey([u8; KEY_BYTES]);

impl PublicKey {
    /// A short name: the beginning of its hash.
    #[must_use]
    pub fn id(&self) -> String {
        let mut name = HEXLOWER.encode(&Sha256::digest(self.0));
        name.truncate(16);
        name
    }

    pub(crate) fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.0).verify(message, signature).is_ok()
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{KIND}{}", BASE64.encode(&self.0))
    }
}

impl FromStr for PublicKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let wrong = KeyError("a public key is written ed25519: and 44 characters behind it");
        let bytes = text.trim().strip_prefix(KIND).ok_or(wrong)?;
        let bytes = BASE64.decode(bytes.as_bytes()).map_err(|_| wrong)?;
        Ok(Self(bytes.try_into().map_err(|_| wrong)?))
    }
}

/// A key that signs.
pub struct SigningKey {
    pair: Ed25519KeyPair,
    public: PublicKey,
}

impl SigningKey {
    /// A new key, as the text of its file.
    ///
    /// # Errors
    ///
    /// If the system gives no random numbers.
    pub fn generate() -> Result<String, KeyError> {
        let mut der = PKCS8.to_vec();
        let mut seed = [0; KEY_BYTES];
        getrandom::fill(&mut seed).map_err(|_| KeyError("there are no random numbers"))?;
        der.extend_from_slice(&seed);
        Ok(format!("{BEGIN}\n{}\n{END}\n", BASE64.encode(&der)))
    }

    /// The key in the text of a file.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn read(pem: &str) -> Result<Self, KeyError> {
        let wrong = KeyError("this is no Ed25519 key in PEM; `aegish policy keygen` makes one");
        let (_, rest) = pem.split_once(BEGIN).ok_or(wrong)?;
        let (body, _) = rest.split_once(END).ok_or(wrong)?;
        let body: String = body.split_whitespace().collect();
        let der = BASE64.decode(body.as_bytes()).map_err(|_| wrong)?;
        let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(&der).map_err(|_| wrong)?;
        let public = pair.public_key().as_ref().try_into().map_err(|_| wrong)?;
        Ok(Self { pair, public: PublicKey(public) })
    }

    /// The key that verifies what this one signs.
    #[must_use]
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    pub(crate) fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.pair.sign(message).as_ref().to_vec()
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("public", &self.public.id()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written() {
        let key = SigningKey::read(&SigningKey::generate().expect("a key")).expect("the same");
        let text = key.public().to_string();
        assert_eq!(text.parse::<PublicKey>().as_ref(), Ok(key.public()));
        let signature = key.sign(b"x");
        assert!(key.public().verifies(b"x", &signature));
        assert!(!key.public().verifies(b"y", &signature));
        assert!(!format!("{key:?}").contains(&text[8..]));
        for wrong in ["", "ed25519:", "rsa:AAAA", "ed25519:AAAA", &text[8..]] {
            assert!(wrong.parse::<PublicKey>().is_err(), "{wrong}");
        }
        assert!(
            SigningKey::read("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----")
                .is_err()
        );
    }

    #[test]
    fn the_example_of_rfc_8410_is_a_key() {
        let pem = "-----BEGIN PRIVATE KEY-----\n\
                   MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n\
                   -----END PRIVATE KEY-----\n";
        let key = SigningKey::read(pem).expect("a key");
        assert_eq!(
            key.public().to_string(),
            "ed25519:Gb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE="
        );
    }
}

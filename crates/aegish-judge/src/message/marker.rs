//! The marker that encloses untrusted text: 128 random bits.

use std::fmt;

use super::NoMessage;
use crate::sha256_hex;

/// Limit on tries. A text that contains this many markers contains all of them.
const MOST_TRIES: usize = 16;

/// A marker for one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker(String);

impl Marker {
    /// A new marker from the system's random numbers.
    ///
    /// # Errors
    ///
    /// If the system has none: a marker that can be guessed is not used.
    pub fn random() -> Result<Self, NoMessage> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|_| NoMessage::NoRandomness)?;
        Ok(Self::fixed(u128::from_le_bytes(bytes)))
    }

    /// A given one, for keys and tests. Never send a message that was made with it.
    #[must_use]
    pub fn fixed(number: u128) -> Self {
        Self(format!("{number:032x}"))
    }

    /// This marker, or the first one derived from it that does not occur in `lines`.
    ///
    /// A random marker never occurs; this is for markers that were guessed or leaked.
    pub(super) fn outside_of(&self, lines: &[(&str, String)]) -> Result<Self, NoMessage> {
        let mut marker = self.clone();
        for _ in 0..MOST_TRIES {
            if !lines.iter().any(|(_, line)| line.contains(&marker.0)) {
                return Ok(marker);
            }
            let mut next = sha256_hex(marker.0.as_bytes());
            next.truncate(32);
            marker = Self(next);
        }
        Err(NoMessage::NoRandomness)
    }

    /// The marker as the message has it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

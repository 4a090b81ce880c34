//! A provider's key: usable as a header, never printable.

use std::fmt;

/// An API key. `Debug` hides it, there is no `Display`, and [`ApiKey::hide_in`] removes it from foreign text.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ApiKey(String);

/// What is wrong with a key, without showing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyFault {
    CarriageReturn,
    Whitespace,
    NotPrintable,
}

impl ApiKey {
    /// Takes a key as it was configured. Surrounding spaces come from copying and are removed. A carriage
    /// return (a settings file with Windows line ends) or any other character that is invalid in a header is
    /// refused: a key that is changed silently fails later with a message that does not name the cause.
    pub(crate) fn parse(raw: &str) -> Result<Option<Self>, KeyFault> {
        let text = raw.trim_matches([' ', '\t']);
        if text.is_empty() {
            return Ok(None);
        }
        if text.contains('\r') {
            return Err(KeyFault::CarriageReturn);
        }
        if text.chars().any(char::is_whitespace) {
            return Err(KeyFault::Whitespace);
        }
        if !text.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(KeyFault::NotPrintable);
        }
        Ok(Some(Self(text.to_owned())))
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Replaces the key in `text`, and long parts of it that some providers echo.
    ///
    /// Very short keys are placeholders for servers without keys. They are not replaced, because they occur
    /// in ordinary words.
    pub(crate) fn hide_in(&self, text: &str) -> String {
        if self.0.len() < SHORTEST_SECRET {
            return text.to_owned();
        }
        let mut out = text.replace(&self.0, HIDDEN);
        // Providers echo shortened keys ("sk-abc***wxyz"); a part of eight characters is already a leak.
        for part in [self.0.get(..8), self.0.len().checked_sub(8).and_then(|at| self.0.get(at..))] {
            if let Some(part) = part.filter(|_| self.0.len() >= 16) {
                out = out.replace(part, HIDDEN);
            }
        }
        out
    }
}

const HIDDEN: &str = "[key]";
/// No provider has keys this short.
const SHORTEST_SECRET: usize = 6;

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_shown_by_debug_and_is_removed_from_text() {
        let key = ApiKey::parse("  sk-0123456789abcdefXYZ ").expect("valid").expect("present");
        assert_eq!(format!("{key:?}"), "Key(hidden)");
        let shown = key.hide_in("bad key sk-0123456789abcdefXYZ (sk-01234***cdefXYZ)");
        assert!(!shown.contains("sk-01234"), "{shown}");
    }

    #[test]
    fn a_key_of_one_letter_does_not_garble_messages() {
        let key = ApiKey::parse("e").expect("valid").expect("present");
        assert_eq!(key.hide_in("the server refused it"), "the server refused it");
    }

    #[test]
    fn blanks_are_not_a_key_and_line_ends_are_refused() {
        assert_eq!(ApiKey::parse("  "), Ok(None));
        assert_eq!(ApiKey::parse("abc\r"), Err(KeyFault::CarriageReturn));
        assert_eq!(ApiKey::parse("ab c"), Err(KeyFault::Whitespace));
        assert_eq!(ApiKey::parse("abc\n"), Err(KeyFault::Whitespace));
        assert_eq!(ApiKey::parse("abcä"), Err(KeyFault::NotPrintable));
        assert_eq!(ApiKey::parse("ab\u{0}"), Err(KeyFault::NotPrintable));
    }
}

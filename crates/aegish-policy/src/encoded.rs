//! Recognises encoded text.
//!
//! Takes a literal, says whether it is base64 or hexadecimal of printable text. Words, numbers and
//! identifiers practically never are.

use data_encoding::{BASE64_NOPAD, Encoding, HEXLOWER_PERMISSIVE};
use std::sync::LazyLock;

/// Shorter text counts as a word.
const LEAST: usize = 12;

/// Only this many characters of longer text are decoded.
const MOST: usize = 4096;

/// Base64 in both alphabets, with any bits after the last byte, as most decoders accept it.
static LENIENT_BASE64: LazyLock<Option<Encoding>> = LazyLock::new(|| {
    let mut lenient = BASE64_NOPAD.specification();
    lenient.check_trailing_bits = false;
    lenient.translate.from.push_str("-_");
    lenient.translate.to.push_str("+/");
    lenient.encoding().ok()
});

/// Whether the text as a whole is base64 or hexadecimal of something readable.
pub(crate) fn is_encoded(text: &str) -> bool {
    let text = text.trim();
    if text.len() < LEAST || !text.is_ascii() {
        return false;
    }
    let text = text.get(..MOST.min(text.len())).unwrap_or(text);
    hexadecimal(text).or_else(|| base64(text)).is_some_and(|bytes| is_readable(&bytes))
}

fn is_readable(bytes: &[u8]) -> bool {
    let readable = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r');
    bytes.len() >= LEAST / 2 && bytes.iter().all(readable)
}

fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok()
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    if text.len() - digits.len() > 2 {
        return None;
    }
    // One digit after the last group of four encodes no byte.
    let end = if digits.len() % 4 == 1 { digits.len() - 1 } else { digits.len() };
    LENIENT_BASE64.as_ref()?.decode(digits.get(..end)?.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::is_encoded;

    #[test]
    fn encoded_text_is_recognised() {
        for text in [
            "cm9vdDp4OjA6MA==",
            "cm9vdDp4OjA6MB==",
            "aGVsbG8gd29ybGQ",
            "aGVsbG8gd29ybGQhx",
            "Pz8_Pz8_Pj4-fn5-",
            "68656c6c6f20776f726c64",
            "68656C6C6F20776F726C64",
        ] {
            assert!(is_encoded(text), "{text}");
        }
    }

    #[test]
    fn words_numbers_and_identifiers_are_not_encoded_text() {
        for text in [
            "",
            "hello",
            "HelloWorld12",
            "deployment-name",
            "2024-05-01T10:00:00",
            "name=ann",
            "d41d8cd98f00b204e9800998ecf8427e",
            "AKIAIOSFODNN7EXAMPLE",
            "com.example.service",
            "1234567890123456",
            "{\"a\": 1}",
            "user@example.org",
            "internationalisation",
            "kubernetesdashboard",
        ] {
            assert!(!is_encoded(text), "{text}");
        }
    }
}

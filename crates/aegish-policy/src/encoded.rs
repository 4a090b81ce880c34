//! Text that is nothing but encoded text.
//!
//! Takes a literal, says whether it is base64 or hexadecimal digits that decode to printable text. Words,
//! numbers and identifiers practically never do.

/// Shorter text is a word.
const LEAST: usize = 12;

/// Longer text is looked at this far.
const MOST: usize = 4096;

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
    let digits: Option<Vec<u8>> = text
        .bytes()
        .map(|byte| char::from(byte).to_digit(16).and_then(|d| u8::try_from(d).ok()))
        .collect();
    let digits = digits?;
    let (pairs, []) = digits.as_chunks() else { return None };
    Some(pairs.iter().map(|[high, low]| high * 16 + low).collect())
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    if text.len() - digits.len() > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    let mut buffer = 0u32;
    let mut bits = 0;
    for byte in digits.bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        buffer = buffer << 6 | u32::from(digit);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(buffer >> bits & 0xff).ok()?);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::is_encoded;

    #[test]
    fn encoded_text_is_recognised() {
        for text in ["cm9vdDp4OjA6MA==", "aGVsbG8gd29ybGQ", "68656c6c6f20776f726c64"] {
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

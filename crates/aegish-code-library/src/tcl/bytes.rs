//! Texts that stand for bytes: `binary`, `encoding` and `zlib`. Each character is one byte.

use crate::decode;

fn bytes_of(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect()
}

/// Bytes as a text; bytes that are text of UTF-8 are that text.
fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| error.into_bytes().iter().map(|byte| char::from(*byte)).collect())
}

/// `binary decode`, `base64::decode` and the like; none if the text is not in that form.
#[must_use]
pub fn decoded(form: &str, text: &str) -> Option<String> {
    let compact: String = text.split_whitespace().collect();
    match form {
        "base64" => decode::base64(&compact).map(text_of),
        "hex" => {
            let digits: String = compact.chars().filter(char::is_ascii_hexdigit).collect();
            decode::hex(&digits).map(text_of)
        }
        "zlib" => decode::inflate(&bytes_of(text)?).map(text_of),
        _ => None,
    }
}

/// `binary format`: the forms that make text.
#[must_use]
pub fn packed(form: &str, values: &[String]) -> Option<String> {
    let mut out = Vec::new();
    let mut values = values.iter();
    let mut rest = form.trim_start();
    while let Some(kind) = rest.chars().next() {
        rest = rest.get(kind.len_utf8()..)?.trim_start_matches('u');
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        let all = rest.starts_with('*');
        let count: Option<usize> = rest.get(..length)?.parse().ok();
        rest = rest.get(length + usize::from(all)..)?.trim_start();
        match kind {
            'a' | 'A' => {
                let bytes = values.next()?.as_bytes();
                let wanted = if all { bytes.len() } else { count.unwrap_or(1) };
                let fill = if kind == 'a' { 0 } else { b' ' };
                if wanted > decode::LIMIT {
                    return None;
                }
                out.extend((0..wanted).map(|at| bytes.get(at).copied().unwrap_or(fill)));
            }
            'H' => {
                let digits = values.next()?;
                let wanted = if all { digits.len() } else { count.unwrap_or(1).min(digits.len()) };
                let mut digits = digits.get(..wanted)?.to_owned();
                if digits.len() % 2 == 1 {
                    digits.push('0');
                }
                out.extend(decode::hex(&digits)?);
            }
            'c' => {
                let list = aegish_code_parsers::tcl::lists::split(values.next()?)?;
                let wanted = if all { list.len() } else { count.unwrap_or(1) };
                for item in list.iter().take(wanted) {
                    let number: i64 = super::texts::integer(item)?;
                    out.push(u8::try_from(number.rem_euclid(256)).ok()?);
                }
            }
            'x' => out.extend(std::iter::repeat_n(0, count.unwrap_or(1).min(decode::LIMIT))),
            _ => return None,
        }
    }
    Some(text_of(out))
}

/// `encoding convertfrom`: the text that bytes are in a coding.
#[must_use]
pub fn converted(coding: &str, text: &str) -> Option<String> {
    let bytes = bytes_of(text);
    match coding {
        "utf-8" | "ascii" | "iso8859-1" | "identity" | "cp1252" => {
            Some(bytes.map_or_else(|| text.to_owned(), text_of))
        }
        "unicode" | "utf-16" | "utf-16le" => {
            let bytes = bytes?;
            let units: Vec<u16> = bytes
                .chunks(2)
                .map(|pair| {
                    let byte = |place: usize| pair.get(place).copied().unwrap_or(0);
                    u16::from_le_bytes([byte(0), byte(1)])
                })
                .collect();
            String::from_utf16(&units).ok()
        }
        _ => None,
    }
}

//! Values decoded by the coding with a name.

use crate::decode;
use crate::machine::Machine;
use crate::value::Val;
use aegish_values::Value;

/// Values decoded by the coding with a name.
pub trait Decoding: Machine {
    fn known_bytes_as_text(&self, value: &Val) -> Option<String> {
        match value {
            Val::Bytes(bytes) => String::from_utf8(bytes.to_vec()).ok(),
            other => other.as_known(),
        }
    }

    /// `x.decode('rot13')`, `codecs.decode(x, 'hex')`.
    fn decoded(&mut self, value: &Val, coding: &str) -> Val {
        let text = self.known_bytes_as_text(value);
        let decoded = match (coding.to_ascii_lowercase().replace('-', "_").as_str(), text) {
            ("base64" | "base_64" | "base64_codec", Some(text)) => {
                decode::base64(&text).map(Val::bytes)
            }
            ("hex" | "hex_codec", Some(text)) => decode::hex(&text).map(Val::bytes),
            ("rot13" | "rot_13", Some(text)) => Some(Val::text(decode::rot13(&text))),
            ("zip" | "zlib" | "zlib_codec" | "bz2", _) => {
                self.known_bytes(value).and_then(|bytes| decode::inflate(&bytes)).map(Val::bytes)
            }
            ("unicode_escape" | "string_escape", Some(text)) => {
                let mut out = String::new();
                let mut rest = text.as_str();
                while let Some(at) = rest.find('\\') {
                    out.push_str(rest.get(..at).unwrap_or(""));
                    rest = rest.get(at + 1..).unwrap_or("");
                    let length = decode::escape(rest, &mut out);
                    rest = rest.get(length..).unwrap_or("");
                }
                out.push_str(rest);
                Some(Val::text(out))
            }
            ("latin_1" | "latin1" | "iso_8859_1", None) => match value {
                Val::Bytes(bytes) => {
                    Some(Val::text(bytes.iter().map(|b| char::from(*b)).collect::<String>()))
                }
                _ => None,
            },
            ("utf_16" | "utf_16le" | "utf_16_le", _) => self.known_bytes(value).and_then(|bytes| {
                let units: Vec<u16> = bytes
                    .chunks(2)
                    .map(|pair| {
                        u16::from_le_bytes([
                            pair.first().copied().unwrap_or(0),
                            pair.get(1).copied().unwrap_or(0),
                        ])
                    })
                    .collect();
                String::from_utf16(&units).ok().map(Val::text)
            }),
            (
                "utf_7" | "utf7" | "idna" | "punycode" | "quopri" | "uu" | "raw_unicode_escape"
                | "cp037" | "cp500" | "utf_16_be" | "utf_32" | "utf_32_le" | "utf_32_be",
                _,
            ) => Some(Val::Text(Value::unknown("computed"))),
            _ => None,
        };
        decoded.unwrap_or_else(|| value.clone())
    }
}

impl<M: Machine> Decoding for M {}

//! `pack` and `unpack` for the templates that make texts.

use super::number;
use crate::value::Val;
use aegish_code_effects::decode;

/// A letter of a template and how often it counts; none for `*`.
fn parts(template: &str) -> Option<Vec<(char, Option<usize>, bool)>> {
    let mut out = Vec::new();
    let mut chars = template.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_whitespace() {
            continue;
        }
        if !c.is_ascii_alphabetic() {
            return None;
        }
        while chars.next_if(|c| matches!(c, '<' | '>' | '!')).is_some() {}
        if chars.next_if_eq(&'*').is_some() {
            out.push((c, None, true));
            continue;
        }
        let mut digits = String::new();
        while let Some(digit) = chars.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        let given = !digits.is_empty();
        out.push((c, Some(if given { digits.parse().ok()? } else { 1 }), given));
    }
    Some(out)
}

/// Texts are bytes here if all characters are.
fn bytes_of(text: &str) -> Vec<u8> {
    if text.chars().all(|c| u32::from(c) < 256) {
        text.chars().filter_map(|c| u8::try_from(u32::from(c)).ok()).collect()
    } else {
        text.as_bytes().to_vec()
    }
}

/// `pack(template, items)`.
#[must_use]
pub fn pack(template: &str, items: &[Val]) -> Option<Val> {
    let mut items = items.iter();
    let mut out: Vec<u8> = Vec::new();
    for (letter, count, given) in parts(template)? {
        match letter {
            'A' | 'a' | 'Z' => {
                let text = bytes_of(&items.next()?.as_known()?);
                let length = count.unwrap_or(text.len());
                let fill = if letter == 'A' { b' ' } else { 0 };
                let mut text = text;
                text.resize(length.min(decode::LIMIT), fill);
                out.append(&mut text);
            }
            'H' | 'h' => {
                let digits = items.next()?.as_known()?;
                let length = count.filter(|_| given).unwrap_or(digits.len());
                let digits: String = digits.chars().take(length).collect();
                let digits = if digits.len() % 2 == 1 { digits + "0" } else { digits };
                let pairs: Vec<char> = digits.chars().collect();
                let text: String = match letter {
                    'H' => digits,
                    _ => pairs.chunks(2).flat_map(|pair| pair.iter().rev().copied()).collect(),
                };
                out.extend(decode::hex(&text)?);
            }
            'B' | 'b' => {
                let bits: Vec<u8> = items.next()?.as_known()?.bytes().collect();
                for chunk in bits.chunks(8) {
                    let mut text = String::from_utf8(chunk.to_vec()).ok()?;
                    if letter == 'b' {
                        text = text.chars().rev().collect();
                    }
                    out.push(u8::from_str_radix(&text, 2).ok()?);
                }
            }
            'C' | 'c' | 'W' | 'U' => {
                let count = count.unwrap_or(items.len());
                for item in items.by_ref().take(count) {
                    let code = number(item)?;
                    if letter == 'U' || code > 255 {
                        let c = char::from_u32(u32::try_from(code).ok()?)?;
                        out.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
                    } else {
                        out.push(u8::try_from(code & 0xff).ok()?);
                    }
                }
            }
            'n' | 'v' | 'N' | 'V' => {
                let count = count.unwrap_or(items.len());
                for item in items.by_ref().take(count) {
                    let value = number(item)?;
                    match letter {
                        'n' => out.extend(u16::try_from(value & 0xffff).ok()?.to_be_bytes()),
                        'v' => out.extend(u16::try_from(value & 0xffff).ok()?.to_le_bytes()),
                        'N' => out.extend(u32::try_from(value & 0xffff_ffff).ok()?.to_be_bytes()),
                        _ => out.extend(u32::try_from(value & 0xffff_ffff).ok()?.to_le_bytes()),
                    }
                }
            }
            'x' => out.extend(vec![0; count.unwrap_or(0).min(decode::LIMIT)]),
            _ => return None,
        }
        if out.len() > decode::LIMIT {
            return None;
        }
    }
    Some(Val::bytes(out))
}

/// `unpack(template, text)`.
#[must_use]
pub fn unpack(template: &str, text: &str) -> Option<Vec<Val>> {
    let bytes = bytes_of(text);
    let mut at = 0;
    let mut out = Vec::new();
    for (letter, count, given) in parts(template)? {
        let rest = bytes.get(at..)?;
        match letter {
            'A' | 'a' | 'Z' => {
                let length = count.unwrap_or(rest.len()).min(rest.len());
                let part = String::from_utf8_lossy(rest.get(..length)?).into_owned();
                at += length;
                out.push(Val::text(match letter {
                    'A' => part.trim_end_matches([' ', '\0', '\n']).to_owned(),
                    'Z' => part.split('\0').next().unwrap_or("").to_owned(),
                    _ => part,
                }));
            }
            'u' => {
                out.push(Val::bytes(super::texts::uudecoded(&String::from_utf8_lossy(rest))?));
                at = bytes.len();
            }
            'H' => {
                let length = count.filter(|_| given).map_or(rest.len(), |count| count.div_ceil(2));
                let part = rest.get(..length.min(rest.len()))?;
                at += part.len();
                out.push(Val::text(data_encoding::HEXLOWER.encode(part)));
            }
            'C' | 'c' | 'W' | 'U' => {
                let length = count.unwrap_or(rest.len()).min(rest.len());
                for byte in rest.get(..length)? {
                    out.push(Val::Int(i64::from(*byte)));
                }
                at += length;
            }
            'n' | 'N' => {
                let size = if letter == 'n' { 2 } else { 4 };
                for _ in 0..count.unwrap_or(rest.len() / size) {
                    let part = bytes.get(at..at + size)?;
                    out.push(Val::Int(
                        part.iter().fold(0, |all, byte| all << 8 | i64::from(*byte)),
                    ));
                    at += size;
                }
            }
            'x' => at += count.unwrap_or(0),
            _ => return None,
        }
    }
    Some(out)
}

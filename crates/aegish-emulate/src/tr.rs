//! `tr` on bytes, as in GNU.

use super::ProgramCall;
use super::options::parse;
use std::collections::{HashMap, HashSet};

/// One element of a set, before repeats without a count are expanded.
enum SetElement {
    Byte(u8),
    /// `[c*]`: fills up to the length of the first set.
    Fill(u8),
    /// `[:upper:]` and `[:lower:]` are kept as classes to translate case.
    Class(String),
}

pub(super) fn tr(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let parsed = parse(
        call.args,
        "cCdst",
        &[("complement", 'c'), ("delete", 'd'), ("squeeze-repeats", 's'), ("truncate-set1", 't')],
    )?;
    let complement = parsed.has('c') || parsed.has('C');
    let delete = parsed.has('d');
    let squeeze = parsed.has('s');
    let (first, second) = match parsed.operands.as_slice() {
        [first] if delete != squeeze => (*first, None),
        [first, second] if delete == squeeze || squeeze => (*first, Some(*second)),
        _ => return None,
    };
    let first_items = items(first)?;
    let mut one = flat(&first_items, None)?;
    if complement {
        let member = membership(&one);
        one = (0..=255u8).filter(|byte| !member.contains(byte)).collect();
    }
    if delete {
        let gone = membership(&one);
        let kept = call.stdin?.iter().copied().filter(|byte| !gone.contains(byte));
        return Some(match second {
            None => kept.collect(),
            Some(second) => squeezed(kept, &membership(&flat(&items(second)?, None)?)),
        });
    }
    let Some(second) = second else {
        return Some(squeezed(call.stdin?.iter().copied(), &membership(&one)));
    };
    let second_items = items(second)?;
    match fits(&first_items, &second_items) {
        Some(true) => {}
        // It says so and prints nothing.
        Some(false) => return Some(Vec::new()),
        None => return None,
    }
    let mut two = flat(&second_items, Some(one.len()))?;
    let mut from = one;
    if !complement && parsed.has('t') {
        from.truncate(two.len());
    }
    if complement && second_items.iter().any(|item| matches!(item, SetElement::Class(_))) {
        return None;
    }
    let last = *two.last()?;
    while two.len() < from.len() {
        two.push(last);
    }
    let map: HashMap<u8, u8> = from.into_iter().zip(two.iter().copied()).collect();
    let mapped = call.stdin?.iter().map(|byte| *map.get(byte).unwrap_or(byte));
    Some(if squeeze {
        // Only bytes that the second set names are squeezed.
        squeezed(mapped, &membership(&two))
    } else {
        mapped.collect()
    })
}

/// Whether the sets can be translated into each other: of classes, the second set has only those of case, each at the place
/// of one in the first set. `None` if that depends on where they begin.
fn fits(first: &[SetElement], second: &[SetElement]) -> Option<bool> {
    if first.iter().any(|item| matches!(item, SetElement::Fill(_))) {
        return Some(false);
    }
    let mut place = 0;
    for item in second {
        let SetElement::Class(name) = item else {
            place += 1;
            continue;
        };
        if !matches!(name.as_str(), "upper" | "lower") {
            return Some(false);
        }
        match first.get(place) {
            Some(SetElement::Class(name)) if matches!(name.as_str(), "upper" | "lower") => {}
            _ => return None,
        }
        place += 1;
    }
    Some(true)
}

fn membership(set: &[u8]) -> HashSet<u8> {
    set.iter().copied().collect()
}

fn squeezed(bytes: impl Iterator<Item = u8>, member: &HashSet<u8>) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    for byte in bytes {
        if !(member.contains(&byte) && out.last() == Some(&byte)) {
            out.push(byte);
        }
    }
    out
}

fn flat(items: &[SetElement], fill_to: Option<usize>) -> Option<Vec<u8>> {
    let fixed: usize = items
        .iter()
        .map(|item| match item {
            SetElement::Byte(_) => 1,
            SetElement::Fill(_) => 0,
            SetElement::Class(name) => class(name).map_or(0, |set| set.len()),
        })
        .sum();
    let mut out = Vec::new();
    for item in items {
        match item {
            SetElement::Byte(byte) => out.push(*byte),
            SetElement::Fill(byte) => {
                let missing = fill_to?.saturating_sub(fixed);
                out.extend(std::iter::repeat_n(*byte, missing));
            }
            SetElement::Class(name) => out.extend(class(name)?),
        }
    }
    Some(out)
}

/// The bytes of a character class in the C locale.
pub(super) fn class(name: &str) -> Option<Vec<u8>> {
    let test: fn(&u8) -> bool = match name {
        "alnum" => u8::is_ascii_alphanumeric,
        "alpha" => u8::is_ascii_alphabetic,
        "blank" => |b| matches!(b, b' ' | b'\t'),
        "cntrl" => u8::is_ascii_control,
        "digit" => u8::is_ascii_digit,
        "graph" => u8::is_ascii_graphic,
        "lower" => u8::is_ascii_lowercase,
        "print" => |b| matches!(b, b' '..=b'~'),
        "punct" => u8::is_ascii_punctuation,
        "space" => |b| matches!(b, b' ' | 9..=13),
        "upper" => u8::is_ascii_uppercase,
        "xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    };
    Some((0..=255u8).filter(test).collect())
}

/// Resolves escapes. The flag is true for an escaped byte.
fn unescaped(set: &str) -> Vec<(u8, bool)> {
    let bytes = set.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        if byte != b'\\' {
            out.push((byte, false));
            continue;
        }
        let Some(&next) = bytes.get(at) else {
            out.push((b'\\', true));
            break;
        };
        at += 1;
        let value = match next {
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            b'0'..=b'7' => {
                let mut value = u32::from(next - b'0');
                for _ in 0..2 {
                    match bytes.get(at) {
                        Some(digit @ b'0'..=b'7') if value * 8 + u32::from(digit - b'0') < 256 => {
                            value = value * 8 + u32::from(digit - b'0');
                            at += 1;
                        }
                        _ => break,
                    }
                }
                value as u8
            }
            other => other,
        };
        out.push((value, true));
    }
    out
}

fn items(set: &str) -> Option<Vec<SetElement>> {
    let units = unescaped(set);
    let plain = |at: usize, byte: u8| units.get(at) == Some(&(byte, false));
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&(byte, _)) = units.get(at) {
        if plain(at, b'[') {
            if plain(at + 1, b':')
                && let Some(end) =
                    (at + 2..units.len()).find(|i| plain(*i, b':') && plain(i + 1, b']'))
            {
                let name: Vec<u8> =
                    units.get(at + 2..end).unwrap_or_default().iter().map(|unit| unit.0).collect();
                let name = String::from_utf8(name).ok()?;
                class(&name)?;
                out.push(SetElement::Class(name));
                at = end + 2;
                continue;
            }
            if plain(at + 1, b'=') && plain(at + 3, b'=') && plain(at + 4, b']') {
                out.push(SetElement::Byte(units.get(at + 2)?.0));
                at += 5;
                continue;
            }
            if plain(at + 2, b'*')
                && let Some(end) = (at + 3..units.len())
                    .find(|i| units.get(*i).is_none_or(|unit| !unit.0.is_ascii_digit()))
                && plain(end, b']')
            {
                let digits: Vec<u8> =
                    units.get(at + 3..end).unwrap_or_default().iter().map(|unit| unit.0).collect();
                let digits = String::from_utf8(digits).ok()?;
                let base = if digits.starts_with('0') { 8 } else { 10 };
                let times = usize::from_str_radix(&digits, base).unwrap_or(0);
                let byte = units.get(at + 1)?.0;
                match times {
                    0 => out.push(SetElement::Fill(byte)),
                    1..=4096 => out.extend((0..times).map(|_| SetElement::Byte(byte))),
                    _ => return None,
                }
                at = end + 1;
                continue;
            }
        }
        if plain(at + 1, b'-')
            && let Some(&(high, _)) = units.get(at + 2)
        {
            if high < byte {
                return None;
            }
            out.extend((byte..=high).map(SetElement::Byte));
            at += 3;
            continue;
        }
        out.push(SetElement::Byte(byte));
        at += 1;
    }
    Some(out)
}

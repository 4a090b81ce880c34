//! Texts of Perl.

use aegish_code_effects::decode::LIMIT;

/// `substr`: the places of characters that a start and a length pick.
#[must_use]
pub fn picked(length: usize, start: i64, count: Option<i64>) -> Option<(usize, usize)> {
    let length = i64::try_from(length).ok()?;
    let from = if start < 0 { start.checked_add(length)? } else { start };
    let to = match count {
        None => length,
        Some(count) if count < 0 => length.checked_add(count)?,
        Some(count) => from.checked_add(count)?,
    };
    let from = from.clamp(0, length);
    let to = to.clamp(from, length);
    Some((usize::try_from(from).ok()?, usize::try_from(to).ok()?))
}

#[must_use]
pub fn substr(text: &str, start: i64, count: Option<i64>) -> Option<String> {
    let chars: Vec<char> = text.chars().collect();
    let (from, to) = picked(chars.len(), start, count)?;
    Some(chars.get(from..to)?.iter().collect())
}

/// A text with a part replaced.
#[must_use]
pub fn replaced(text: &str, start: i64, count: Option<i64>, new: &str) -> Option<String> {
    let chars: Vec<char> = text.chars().collect();
    let (from, to) = picked(chars.len(), start, count)?;
    let mut out: String = chars.get(..from)?.iter().collect();
    out.push_str(new);
    out.extend(chars.get(to..)?);
    Some(out)
}

/// The place of a text in another, counted in characters.
#[must_use]
pub fn index(text: &str, part: &str, from: Option<i64>, last: bool) -> Option<i64> {
    let chars: Vec<char> = text.chars().collect();
    let part: Vec<char> = part.chars().collect();
    let most = i64::try_from(chars.len()).ok()?;
    let mut places = (0..=chars.len())
        .filter(|at| chars.get(*at..at + part.len()).is_some_and(|found| found == part.as_slice()));
    let found = if last {
        let from = usize::try_from(from.unwrap_or(most).max(0)).ok()?;
        places.rfind(|at| *at <= from)
    } else {
        let from = usize::try_from(from.unwrap_or(0).max(0)).ok()?;
        places.find(|at| *at >= from)
    };
    found.map_or(Some(-1), |at| i64::try_from(at).ok())
}

#[must_use]
pub fn repeated(text: &str, count: i64) -> Option<String> {
    let count = usize::try_from(count.max(0)).ok()?;
    (text.len().saturating_mul(count) <= LIMIT).then(|| text.repeat(count))
}

#[must_use]
pub fn first_changed(text: &str, upper: bool) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if upper => first.to_uppercase().chain(chars).collect(),
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}

#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_ascii() && !(c.is_ascii_alphanumeric() || c == '_') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// The characters of a set of `tr`: ranges and escapes.
fn set(text: &str) -> Option<Vec<char>> {
    let mut raw: Vec<(char, bool)> = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..)?;
        if c != '\\' {
            raw.push((c, false));
            continue;
        }
        let mut made = String::new();
        let used = match rest.chars().next()? {
            other @ ('-' | '\\' | '/') => {
                made.push(other);
                1
            }
            _ => aegish_code_effects::decode::escape(rest, &mut made),
        };
        rest = rest.get(used..)?;
        raw.push((made.chars().next()?, true));
    }
    let mut out = Vec::new();
    let mut at = 0;
    while let Some((c, _)) = raw.get(at) {
        match (raw.get(at + 1), raw.get(at + 2)) {
            (Some(('-', false)), Some((to, _))) => {
                out.extend(*c..=*to);
                at += 3;
            }
            _ => {
                out.push(*c);
                at += 1;
            }
        }
        if out.len() > 4096 {
            return None;
        }
    }
    Some(out)
}

/// `tr/from/to/flags`.
#[must_use]
pub fn translated(text: &str, from: &str, to: &str, flags: &str) -> Option<String> {
    let from = set(from)?;
    let mut to = set(to)?;
    let (complement, delete, squeeze) =
        (flags.contains('c'), flags.contains('d'), flags.contains('s'));
    if to.is_empty() && !delete {
        if complement {
            return squeeze.then(|| text.to_owned());
        }
        to.clone_from(&from);
    }
    let mut out = String::new();
    let mut last = None;
    for c in text.chars() {
        let place = from.iter().position(|known| *known == c);
        let new = match (complement, place) {
            (false, None) | (true, Some(_)) => {
                out.push(c);
                last = None;
                continue;
            }
            (true, None) if delete => None,
            (true, None) => to.last().copied(),
            (false, Some(place)) => match to.get(place) {
                Some(new) => Some(*new),
                None if delete => None,
                None => to.last().copied(),
            },
        };
        if let Some(new) = new {
            if !(squeeze && last == Some(new)) {
                out.push(new);
            }
            last = Some(new);
        }
    }
    Some(out)
}

/// `oct` and `hex`.
#[must_use]
pub fn in_base(text: &str, octal: bool) -> Option<i64> {
    let text = text.trim().replace('_', "");
    let lower = text.to_ascii_lowercase();
    let (digits, base) = match (lower.strip_prefix("0x").or_else(|| lower.strip_prefix('x')), octal)
    {
        (Some(digits), _) => (digits, 16),
        (None, false) => (lower.as_str(), 16),
        (None, true) => match lower.strip_prefix("0b").or_else(|| lower.strip_prefix('b')) {
            Some(digits) => (digits, 2),
            None => (lower.trim_start_matches("0o"), 8),
        },
    };
    let end = digits.find(|c: char| !c.is_digit(base)).unwrap_or(digits.len());
    match digits.get(..end)? {
        "" => Some(0),
        digits => i64::from_str_radix(digits, base).ok(),
    }
}

/// Bitwise operators on texts.
#[must_use]
pub fn bitwise(a: &str, b: &str, op: char) -> String {
    let (one, other): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let length = match op {
        '&' => one.len().min(other.len()),
        _ => one.len().max(other.len()),
    };
    (0..length)
        .filter_map(|at| {
            let code = |chars: &[char]| chars.get(at).map_or(0, |c| u32::from(*c));
            let (x, y) = (code(&one), code(&other));
            char::from_u32(match op {
                '&' => x & y,
                '|' => x | y,
                _ => x ^ y,
            })
        })
        .collect()
}

/// Base64 in lines of 76 characters.
#[must_use]
pub fn base64(text: &str) -> String {
    let code = data_encoding::BASE64.encode(text.as_bytes());
    let lines: Vec<&str> = (0..code.len())
        .step_by(76)
        .filter_map(|at| code.get(at..code.len().min(at + 76)))
        .collect();
    lines.join("\n") + "\n"
}

/// Decodes `uuencode`d lines.
#[must_use]
pub fn uudecoded(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for line in text.lines() {
        let mut codes = line.bytes().map(|byte| byte.wrapping_sub(32) & 63);
        let Some(length) = codes.next() else { continue };
        let rest: Vec<u8> = codes.collect();
        let mut bytes = Vec::new();
        for group in rest.chunks(4) {
            let at = |place: usize| group.get(place).copied().unwrap_or(0);
            bytes.push(at(0) << 2 | at(1) >> 4);
            bytes.push(at(1) << 4 | at(2) >> 2);
            bytes.push(at(2) << 6 | at(3));
        }
        bytes.truncate(usize::from(length));
        out.append(&mut bytes);
    }
    (out.len() <= LIMIT).then_some(out)
}

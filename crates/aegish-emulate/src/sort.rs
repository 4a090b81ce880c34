//! Programs that sort and count lines: `sort`, `uniq`, `wc`, `nl`.
//!
//! Lines are compared byte by byte, as in the C locale.

use super::options::parse;
use super::{ProgramCall, split_lines};
use std::cmp::Ordering;

/// How a key is compared.
#[derive(Clone, Copy, Default)]
struct KeyOrder {
    numeric: bool,
    reverse: bool,
    fold: bool,
    blanks: bool,
}

impl KeyOrder {
    /// Reads ordering letters; returns `None` for orders that are not emulated.
    fn read(letters: &str) -> Option<Self> {
        let mut how = Self::default();
        for letter in letters.chars() {
            match letter {
                'n' => how.numeric = true,
                'r' => how.reverse = true,
                'f' => how.fold = true,
                'b' => how.blanks = true,
                _ => return None,
            }
        }
        Some(how)
    }

    fn compare(self, a: &[u8], b: &[u8]) -> Ordering {
        let trim = |text: &[u8]| -> usize {
            if self.blanks || self.numeric {
                text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
            } else {
                0
            }
        };
        let (a, b) = (a.get(trim(a)..).unwrap_or_default(), b.get(trim(b)..).unwrap_or_default());
        let order = if self.numeric {
            number(a).partial_cmp(&number(b)).unwrap_or(Ordering::Equal)
        } else if self.fold {
            a.iter().map(u8::to_ascii_uppercase).cmp(b.iter().map(u8::to_ascii_uppercase))
        } else {
            a.cmp(b)
        };
        if self.reverse { order.reverse() } else { order }
    }
}

fn number(text: &[u8]) -> f64 {
    let mut length = usize::from(text.first() == Some(&b'-'));
    let mut dot = false;
    while let Some(byte) = text.get(length) {
        match byte {
            b'0'..=b'9' => {}
            b'.' if !dot => dot = true,
            _ => break,
        }
        length += 1;
    }
    std::str::from_utf8(text.get(..length).unwrap_or_default())
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0.0)
}

struct SortKey {
    first: (usize, usize),
    last: Option<(usize, usize)>,
    how: KeyOrder,
    own: bool,
}

/// `F[.C][OPTS][,F[.C][OPTS]]`
fn key(text: &str) -> Option<SortKey> {
    let (start, end) = match text.split_once(',') {
        Some((start, end)) => (start, Some(end)),
        None => (text, None),
    };
    let position = |text: &str| -> Option<((usize, usize), String)> {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let letters = text.get(digits.len()..).unwrap_or_default().to_owned();
        let (field, column) = digits.split_once('.').unwrap_or((digits, "0"));
        let field: usize = field.parse().ok()?;
        Some(((field.checked_sub(1)?, column.parse().ok()?), letters))
    };
    let (first, mut letters) = position(start)?;
    let last = match end {
        None => None,
        Some(end) => {
            let (last, more) = position(end)?;
            letters.push_str(&more);
            Some(last)
        }
    };
    Some(SortKey { first, last, how: KeyOrder::read(&letters)?, own: !letters.is_empty() })
}

/// Start of each field; without a separator, blanks belong to the field they precede.
fn field_starts(line: &[u8], separator: Option<u8>) -> Vec<(usize, usize)> {
    let mut fields = Vec::new();
    let mut start = 0;
    match separator {
        Some(separator) => {
            for (at, byte) in line.iter().enumerate() {
                if *byte == separator {
                    fields.push((start, at));
                    start = at + 1;
                }
            }
            fields.push((start, line.len()));
        }
        None => {
            while start < line.len() {
                let blanks = line
                    .get(start..)
                    .unwrap_or_default()
                    .iter()
                    .take_while(|b| matches!(b, b' ' | b'\t'))
                    .count();
                let solid = line
                    .get(start + blanks..)
                    .unwrap_or_default()
                    .iter()
                    .take_while(|b| !matches!(b, b' ' | b'\t'))
                    .count();
                fields.push((start, start + blanks + solid));
                start += blanks + solid;
            }
        }
    }
    fields
}

fn extract<'a>(line: &'a [u8], key: &SortKey, separator: Option<u8>) -> &'a [u8] {
    let fields = field_starts(line, separator);
    let start = match fields.get(key.first.0) {
        Some((start, _)) => start + key.first.1.saturating_sub(1),
        None => line.len(),
    };
    let end = match key.last {
        None => line.len(),
        Some((field, column)) => match fields.get(field) {
            Some((_, end)) if column == 0 => *end,
            Some((start, _)) => start + column,
            None => line.len(),
        },
    };
    let start = start.min(line.len());
    line.get(start..end.clamp(start, line.len())).unwrap_or_default()
}

pub(super) fn sort(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let parsed = parse(
        call.args,
        "rnufbsk:t:",
        &[
            ("reverse", 'r'),
            ("numeric-sort", 'n'),
            ("unique", 'u'),
            ("ignore-case", 'f'),
            ("ignore-leading-blanks", 'b'),
            ("stable", 's'),
            ("key", 'k'),
            ("field-separator", 't'),
        ],
    )?;
    let global = KeyOrder {
        numeric: parsed.has('n'),
        reverse: parsed.has('r'),
        fold: parsed.has('f'),
        blanks: parsed.has('b'),
    };
    let mut keys = Vec::new();
    for (letter, value) in &parsed.given {
        if *letter == 'k' {
            let mut key = key(value)?;
            if !key.own {
                key.how = global;
            }
            keys.push(key);
        }
    }
    let separator = match parsed.value('t') {
        None => None,
        Some("\\0") => Some(0),
        Some(text) => match text.as_bytes() {
            [byte] => Some(*byte),
            _ => return None,
        },
    };
    let input = call.input(&parsed.operands)?;
    let mut lines: Vec<&[u8]> = split_lines(&input).collect();
    let by_key = |a: &[u8], b: &[u8]| -> Ordering {
        if keys.is_empty() {
            return global.compare(a, b);
        }
        keys.iter()
            .map(|key| key.how.compare(extract(a, key, separator), extract(b, key, separator)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    };
    if parsed.has('u') || parsed.has('s') {
        lines.sort_by(|a, b| by_key(a, b));
    } else {
        lines.sort_by(|a, b| {
            by_key(a, b).then_with(|| if global.reverse { b.cmp(a) } else { a.cmp(b) })
        });
    }
    if parsed.has('u') {
        lines.dedup_by(|later, earlier| by_key(earlier, later).is_eq());
    }
    let mut out = Vec::with_capacity(input.len() + 1);
    for line in lines {
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    Some(out)
}

/// `shuf` of what has one order only.
pub(super) fn shuf(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let parsed = parse(call.args, "en:", &[("echo", 'e'), ("head-count", 'n')])?;
    let count: usize = parsed.value('n').map_or(Ok(usize::MAX), str::parse).ok()?;
    let input = match parsed.has('e') {
        true => parsed.operands.join("\n").into_bytes(),
        false => call.input(&parsed.operands)?,
    };
    match split_lines(&input).collect::<Vec<_>>().as_slice() {
        [first, rest @ ..] if rest.iter().all(|line| line == first) => {
            Some([*first, b"\n"].concat().repeat(count.min(rest.len() + 1)))
        }
        [] => Some(Vec::new()),
        _ => None,
    }
}

pub(super) fn uniq(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let parsed = parse(
        call.args,
        "cdui",
        &[("count", 'c'), ("repeated", 'd'), ("unique", 'u'), ("ignore-case", 'i')],
    )?;
    if parsed.operands.len() > 1 {
        return None;
    }
    let input = call.input(&parsed.operands)?;
    let same = |a: &[u8], b: &[u8]| {
        if parsed.has('i') { a.eq_ignore_ascii_case(b) } else { a == b }
    };
    let mut groups: Vec<(&[u8], usize)> = Vec::new();
    for line in split_lines(&input) {
        match groups.last_mut() {
            Some((first, times)) if same(first, line) => *times += 1,
            _ => groups.push((line, 1)),
        }
    }
    let mut out = Vec::new();
    for (line, times) in groups {
        if (parsed.has('d') && times < 2) || (parsed.has('u') && times > 1) {
            continue;
        }
        if parsed.has('c') {
            out.extend(format!("{times:7} ").into_bytes());
        }
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    Some(out)
}

pub(super) fn wc(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let parsed = parse(
        call.args,
        "lwcm",
        &[("lines", 'l'), ("words", 'w'), ("bytes", 'c'), ("chars", 'm')],
    )?;
    if !parsed.operands.is_empty() {
        return None;
    }
    let input = call.stdin?;
    let text = String::from_utf8_lossy(input);
    let all = parsed.given.is_empty();
    let mut counts = Vec::new();
    if all || parsed.has('l') {
        counts.push(input.iter().filter(|byte| **byte == b'\n').count());
    }
    if all || parsed.has('w') {
        counts.push(text.split_whitespace().count());
    }
    if parsed.has('m') {
        counts.push(text.chars().count());
    }
    if all || parsed.has('c') {
        counts.push(input.len());
    }
    let shown: Vec<String> = match counts.as_slice() {
        [one] => vec![one.to_string()],
        several => several.iter().map(|count| format!("{count:7}")).collect(),
    };
    Some(format!("{}\n", shown.join(" ")).into_bytes())
}

pub(super) fn nl(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let parsed = parse(call.args, "b:w:s:v:", &[])?;
    let (all, none) = match parsed.value('b').unwrap_or("t") {
        "a" => (true, false),
        "t" => (false, false),
        "n" => (false, true),
        _ => return None,
    };
    let width: usize =
        parsed.value('w').unwrap_or("6").parse().ok().filter(|width| *width <= 80)?;
    let separator = parsed.value('s').unwrap_or("\t");
    let mut number: i64 = parsed.value('v').unwrap_or("1").parse().ok()?;
    let input = call.input(&parsed.operands)?;
    let mut out = Vec::new();
    for line in split_lines(&input) {
        // Lines that consist of `\:` are page marks.
        if line.starts_with(b"\\:") {
            return None;
        }
        if all || !none && !line.is_empty() {
            out.extend(format!("{number:width$}{separator}").into_bytes());
            number = number.wrapping_add(1);
        } else {
            out.extend(std::iter::repeat_n(b' ', width + separator.len()));
        }
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    Some(out)
}

//! What `s` makes of a line.

use super::super::regex::{Regex, RegexMatch};
use super::{MAX_OUTPUT, ReplacementPart};

/// The text after substitution, or nothing if nothing was replaced.
#[allow(clippy::option_option)]
pub(super) fn substitute(
    text: &[u8],
    regex: &Regex,
    parts: &[ReplacementPart],
    all: bool,
    nth: usize,
) -> Option<Option<Vec<u8>>> {
    let mut out = Vec::new();
    let mut copied = 0;
    let mut at = 0;
    let mut count = 0;
    let mut changed = false;
    let mut last_end = None;
    while at <= text.len() {
        let Some(found) = regex.find(text, at)? else {
            break;
        };
        let (start, end) = found.range(0)?;
        // An empty match directly after the previous match is skipped.
        let counts = !(start == end && last_end == Some(start));
        if counts {
            count += 1;
            if count >= nth {
                out.extend_from_slice(text.get(copied..start).unwrap_or_default());
                replace(text, &found, parts, &mut out);
                copied = end;
                changed = true;
                if !all {
                    break;
                }
            }
        }
        last_end = Some(end);
        at = if end > start { end } else { end + 1 };
        while end == start && text.get(at).is_some_and(|byte| byte & 0xc0 == 0x80) {
            at += 1;
        }
        if out.len() > 2 * MAX_OUTPUT {
            return None;
        }
    }
    out.extend_from_slice(text.get(copied..).unwrap_or(b""));
    Some(changed.then_some(out))
}

fn replace(text: &[u8], found: &RegexMatch, parts: &[ReplacementPart], out: &mut Vec<u8>) {
    let mut mode = 'E';
    let mut once = 'E';
    let mut add = |piece: &[u8], mode: char, once: &mut char| {
        if mode == 'E' && *once == 'E' {
            out.extend_from_slice(piece);
            return;
        }
        let piece = String::from_utf8_lossy(piece);
        for (index, c) in piece.chars().enumerate() {
            let shape = if index == 0 && *once != 'E' { *once } else { mode };
            let text: String = match shape {
                'U' | 'u' => c.to_uppercase().collect(),
                'L' | 'l' => c.to_lowercase().collect(),
                _ => c.to_string(),
            };
            out.extend(text.into_bytes());
        }
        if !piece.is_empty() {
            *once = 'E';
        }
    };
    for part in parts {
        match part {
            ReplacementPart::Text(piece) => add(piece.as_bytes(), mode, &mut once),
            ReplacementPart::Group(group) => {
                if let Some((start, end)) = found.range(*group) {
                    add(text.get(start..end).unwrap_or(b""), mode, &mut once);
                }
            }
            ReplacementPart::Case(c @ ('u' | 'l')) => once = *c,
            ReplacementPart::Case(c) => mode = *c,
        }
    }
}

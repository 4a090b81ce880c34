//! Regular expressions of Perl on known texts.
//!
//! Only texts of ASCII are matched: the classes of characters mean the same there. A pattern that the engine does not
//! know (backreferences, lookaround, code) is not matched.

use regex::bytes::{Captures, Regex, RegexBuilder};

/// Longest text that is matched.
const LONGEST: usize = 64 * 1024;

/// One match: its place, and its groups.
#[derive(Debug, Clone)]
pub struct Found {
    pub start: usize,
    pub end: usize,
    pub groups: Vec<Option<String>>,
    pub names: Vec<(String, String)>,
}

/// A pattern in the spelling of the engine; none if it has no counterpart.
fn spelled(pattern: &str, text: &str, multi_line: bool) -> Option<String> {
    let mut out = String::new();
    let mut chars = pattern.chars().peekable();
    let mut class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                'Z' | 'R' | 'X' | 'K' | 'G' | 'C' | 'N' | 'g' | 'k' | '1'..='9' => return None,
                'h' => out.push_str(if class { " \\t" } else { "[ \\t]" }),
                'H' | 'V' => return None,
                'e' => out.push_str("\\x1b"),
                quote @ ('<' | '>') => out.push(quote),
                other => {
                    out.push('\\');
                    out.push(other);
                }
            },
            '[' if class && chars.peek() != Some(&':') => out.push_str("\\["),
            '[' if !class => {
                class = true;
                out.push('[');
                if chars.next_if_eq(&'^').is_some() {
                    out.push('^');
                }
                if chars.next_if_eq(&']').is_some() {
                    out.push_str("\\]");
                }
            }
            '[' => {
                // `[:alpha:]`.
                out.push('[');
                for c in chars.by_ref() {
                    out.push(c);
                    if c == ']' {
                        break;
                    }
                }
            }
            ']' if class => {
                class = false;
                out.push(']');
            }
            '&' | '~' if class => {
                out.push('\\');
                out.push(c);
            }
            // It also matches before the last end of a line.
            '$' if !class && !multi_line && text.ends_with('\n') => return None,
            other => out.push(other),
        }
    }
    Some(out)
}

fn compiled(pattern: &str, flags: &str, text: &str) -> Option<Regex> {
    if !text.is_ascii() || text.len() > LONGEST || pattern.len() > 4096 {
        return None;
    }
    let multi_line = flags.contains('m');
    RegexBuilder::new(&spelled(pattern, text, multi_line)?)
        .unicode(false)
        .case_insensitive(flags.contains('i'))
        .multi_line(multi_line)
        .dot_matches_new_line(flags.contains('s'))
        .ignore_whitespace(flags.contains('x'))
        .size_limit(1 << 20)
        .build()
        .ok()
}

fn found(regex: &Regex, captures: &Captures<'_>) -> Option<Found> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let whole = captures.get(0)?;
    Some(Found {
        start: whole.start(),
        end: whole.end(),
        groups: captures.iter().map(|group| group.map(|group| text(group.as_bytes()))).collect(),
        names: regex
            .capture_names()
            .flatten()
            .filter_map(|name| Some((name.to_owned(), text(captures.name(name)?.as_bytes()))))
            .collect(),
    })
}

/// The matches of a pattern; none if that is not known.
#[must_use]
pub fn matches(text: &str, pattern: &str, flags: &str, all: bool) -> Option<Vec<Found>> {
    let regex = compiled(pattern, flags, text)?;
    let most = if all { usize::MAX } else { 1 };
    regex.captures_iter(text.as_bytes()).take(most).map(|one| found(&regex, &one)).collect()
}

/// `split` with a pattern and a limit.
#[must_use]
pub fn split(text: &str, pattern: &str, flags: &str, limit: i64) -> Option<Vec<String>> {
    let mut out: Vec<String> = Vec::new();
    let mut from = 0;
    let words = pattern == " " && flags == "words";
    let text = if words { text.trim_start() } else { text };
    let pattern = if words { "\\s+" } else { pattern };
    let flags = if pattern == "^" { "m" } else { flags };
    if text.is_empty() {
        return Some(out);
    }
    for one in matches(text, pattern, flags, true)? {
        if limit > 0 && i64::try_from(out.len()).ok()? >= limit - 1 {
            break;
        }
        if one.end == one.start && (one.start == 0 || one.start >= text.len()) {
            continue;
        }
        // A match at the beginning that is not empty gives an empty field.
        if one.end == 0 {
            continue;
        }
        out.push(text.get(from..one.start)?.to_owned());
        for group in one.groups.iter().skip(1) {
            out.push(group.clone().unwrap_or_default());
        }
        from = one.end;
    }
    out.push(text.get(from..)?.to_owned());
    if limit == 0 {
        while out.last().is_some_and(String::is_empty) {
            out.pop();
        }
    }
    Some(out)
}

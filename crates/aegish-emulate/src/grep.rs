//! `grep` on known input: prints the lines, or the parts, that match.

use super::options::parse;
use super::regex::{Regex, RegexSyntax};
use super::{MAX_OUTPUT, ProgramCall, split_lines};

pub(super) fn grep(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let parsed = parse(
        call.args,
        "ovEFGincqxwe:m:hsa",
        &[
            ("only-matching", 'o'),
            ("invert-match", 'v'),
            ("extended-regexp", 'E'),
            ("fixed-strings", 'F'),
            ("basic-regexp", 'G'),
            ("ignore-case", 'i'),
            ("line-number", 'n'),
            ("count", 'c'),
            ("quiet", 'q'),
            ("silent", 'q'),
            ("line-regexp", 'x'),
            ("word-regexp", 'w'),
            ("regexp", 'e'),
            ("max-count", 'm'),
            ("no-filename", 'h'),
            ("no-messages", 's'),
            ("text", 'a'),
        ],
    )?;
    let mut operands = parsed.operands.as_slice();
    let mut patterns: Vec<&str> = Vec::new();
    for (letter, value) in &parsed.given {
        if *letter == 'e' {
            patterns.extend(value.split('\n'));
        }
    }
    if patterns.is_empty() {
        let (first, rest) = operands.split_first()?;
        patterns.extend(first.split('\n'));
        operands = rest;
    }
    if operands.len() > 1 || parsed.has('w') || patterns.len() > 64 {
        return None;
    }
    let (dialect, fixed) =
        match parsed.given.iter().rev().find(|(l, _)| matches!(l, 'E' | 'F' | 'G')) {
            Some(('E', _)) => (RegexSyntax::Extended, false),
            Some(('F', _)) => (RegexSyntax::Basic, true),
            Some(_) => (RegexSyntax::Basic, false),
            None => match call.name {
                "egrep" => (RegexSyntax::Extended, false),
                "fgrep" => (RegexSyntax::Basic, true),
                _ => (RegexSyntax::Basic, false),
            },
        };
    let regexes: Vec<Regex> = patterns
        .iter()
        .map(|pattern| {
            let text = if fixed { literal(pattern) } else { (*pattern).to_owned() };
            Regex::new(&text, dialect, parsed.has('i'))
        })
        .collect::<Option<_>>()?;
    let most: usize = match parsed.value('m') {
        Some(text) => text.parse().ok()?,
        None => usize::MAX,
    };
    let input = call.input(operands)?;
    let binary = input.contains(&0) || std::str::from_utf8(&input).is_err();
    if binary && !parsed.has('a') {
        return None;
    }
    let whole = parsed.has('x');
    let mut out = Vec::new();
    let mut hits = 0usize;
    for (index, line) in split_lines(&input).enumerate() {
        if hits >= most {
            break;
        }
        let hit = first(&regexes, line, 0, whole)?.is_some();
        if hit == parsed.has('v') {
            continue;
        }
        hits += 1;
        if parsed.has('c') || parsed.has('q') {
            continue;
        }
        let number = if parsed.has('n') { format!("{}:", index + 1) } else { String::new() };
        if parsed.has('o') {
            if parsed.has('v') {
                continue;
            }
            let mut at = 0;
            while at <= line.len() {
                let Some((start, end)) = first(&regexes, line, at, whole)? else {
                    break;
                };
                if end > start {
                    out.extend_from_slice(number.as_bytes());
                    out.extend_from_slice(line.get(start..end).unwrap_or_default());
                    out.push(b'\n');
                    at = end;
                } else {
                    at = end + 1;
                    while line.get(at).is_some_and(|byte| byte & 0xc0 == 0x80) {
                        at += 1;
                    }
                }
            }
        } else {
            out.extend_from_slice(number.as_bytes());
            out.extend_from_slice(line);
            out.push(b'\n');
        }
        if out.len() > MAX_OUTPUT {
            return None;
        }
    }
    if parsed.has('q') {
        return Some(Vec::new());
    }
    if parsed.has('c') {
        return Some(format!("{hits}\n").into_bytes());
    }
    Some(out)
}

/// The leftmost, then longest, match of several expressions.
#[allow(clippy::option_option)]
fn first(regexes: &[Regex], line: &[u8], at: usize, whole: bool) -> Option<Option<(usize, usize)>> {
    let mut best: Option<(usize, usize)> = None;
    for regex in regexes {
        let Some((start, end)) = regex.find(line, at)?.and_then(|found| found.range(0)) else {
            continue;
        };
        if whole && (start, end) != (0, line.len()) {
            continue;
        }
        best = match best {
            Some((s, e)) if (s, usize::MAX - e) <= (start, usize::MAX - end) => best,
            _ => Some((start, end)),
        };
    }
    Some(best)
}

/// A pattern that matches exactly this text.
fn literal(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if matches!(c, '\\' | '.' | '*' | '[' | ']' | '^' | '$') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

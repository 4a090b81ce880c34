//! Words of a line, for languages with quotes similar to those of a shell.

use super::{text_from, text_to};

/// Splits at white space. Single and double quotes group; a backslash escapes outside of single quotes. An
/// unclosed quote extends to the end.
pub(super) fn words(line: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(c) = letters.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('\''), c) => word.get_or_insert_default().push(c),
            (_, '\\') => {
                if let Some(next) = letters.next() {
                    word.get_or_insert_default().push(next);
                }
            }
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => out.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    out.extend(word);
    out
}

/// The first word and the trimmed rest.
pub(super) fn head(line: &str) -> (&str, &str) {
    let line = line.trim();
    match line.split_once(char::is_whitespace) {
        Some((first, rest)) => (first, rest.trim_start()),
        None => (line, ""),
    }
}

/// Removes one pair of matching quotes.
pub(super) fn unquoted(text: &str) -> &str {
    let text = text.trim();
    for quote in ['"', '\''] {
        if let Some(inner) = text
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote))
            .filter(|_| text.len() > 1)
        {
            return inner;
        }
    }
    text
}

/// Joins lines that end in a backslash.
pub(super) fn joined(code: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut open = false;
    for line in code.lines() {
        let (body, more) = match line.strip_suffix('\\') {
            Some(body) => (body, true),
            None => (line, false),
        };
        match out.last_mut() {
            Some(last) if open => {
                last.push(' ');
                last.push_str(body.trim_start());
            }
            _ => out.push(body.to_owned()),
        }
        open = more;
    }
    out
}

/// Returns the text inside the bracket that `text` starts with, and the rest. Brackets nest, and a backslash
/// escapes; an unclosed bracket extends to the end.
pub(super) fn enclosed(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    let body = text.strip_prefix(open)?;
    let mut depth = 0usize;
    let mut skip = false;
    for (at, c) in body.char_indices() {
        if skip {
            skip = false;
        } else if c == '\\' {
            skip = true;
        } else if c == close {
            if depth == 0 {
                return Some((text_to(body, at), text_from(body, at + c.len_utf8())));
            }
            depth -= 1;
        } else if c == open {
            depth += 1;
        }
    }
    Some((body, ""))
}

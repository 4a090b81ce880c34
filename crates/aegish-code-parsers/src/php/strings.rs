//! Texts with variables in them, and here-documents.

use super::lexer::{Token, is_part, is_start};
use std::rc::Rc;

/// A part of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    Text(Rc<[u8]>),
    /// `$name`, `$name[key]` or `$name->key`.
    Simple(Rc<str>, Option<Key>),
    /// `{$…}`: an expression.
    Code(Rc<str>),
    /// `${…}`: the name of a variable, or an expression that gives it.
    Named(Rc<str>),
}

/// What a simple variable in a text is followed by.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Key {
    Index(Rc<str>),
    Variable(Rc<str>),
    Number(i64),
    Attribute(Rc<str>),
}

/// The token of a text with these parts.
pub(super) fn token(parts: Vec<Part>) -> Token {
    match parts.as_slice() {
        [] => Token::Text([].into()),
        [Part::Text(text)] => Token::Text(Rc::clone(text)),
        _ => Token::Template(parts.into()),
    }
}

/// The parts of a text up to its quote, and the length without the quote.
pub(super) fn parts(text: &str, quote: Option<char>) -> Option<(Vec<Part>, usize)> {
    let bytes = text.as_bytes();
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
    let mut parts = Vec::new();
    let mut known: Vec<u8> = Vec::new();
    let mut at = 0;
    let end = quote.and_then(|quote| u8::try_from(quote).ok());
    loop {
        let Some(one) = bytes.get(at).copied() else {
            if end.is_some() {
                return None;
            }
            break;
        };
        if Some(one) == end {
            break;
        }
        let part = match one {
            b'\\' => {
                at += escape(text.get(at..).unwrap_or(""), end, &mut known);
                continue;
            }
            b'$' if is_start(byte(at + 1)) => {
                let (part, length) = simple(text.get(at..)?)?;
                at += length;
                part
            }
            b'$' if byte(at + 1) == b'{' => {
                let length = braces(text.get(at + 1..)?)?;
                let inside = text.get(at + 2..at + length)?;
                at += length + 1;
                Part::Named(inside.into())
            }
            b'{' if byte(at + 1) == b'$' => {
                let length = braces(text.get(at..)?)?;
                let inside = text.get(at + 1..at + length - 1)?;
                at += length;
                Part::Code(inside.into())
            }
            other => {
                known.push(other);
                at += 1;
                continue;
            }
        };
        if !known.is_empty() {
            parts.push(Part::Text(std::mem::take(&mut known).into()));
        }
        parts.push(part);
    }
    if !known.is_empty() {
        parts.push(Part::Text(known.into()));
    }
    Some((parts, at))
}

/// Adds what an escape stands for, and returns its length.
fn escape(text: &str, quote: Option<u8>, out: &mut Vec<u8>) -> usize {
    let bytes = text.as_bytes();
    let Some(next) = bytes.get(1).copied() else {
        out.push(b'\\');
        return 1;
    };
    let single = match next {
        b'n' => Some(b'\n'),
        b't' => Some(b'\t'),
        b'r' => Some(b'\r'),
        b'v' => Some(0x0b),
        b'e' => Some(0x1b),
        b'f' => Some(0x0c),
        b'\\' | b'$' => Some(next),
        other if Some(other) == quote => Some(other),
        _ => None,
    };
    if let Some(byte) = single {
        out.push(byte);
        return 2;
    }
    let digits = |from: usize, most: usize, base: u32| {
        bytes
            .iter()
            .skip(from)
            .take(most)
            .take_while(|byte| char::from(**byte).is_digit(base))
            .count()
    };
    match next {
        b'0'..=b'7' => {
            let count = digits(1, 3, 8);
            let value = text.get(1..=count).and_then(|d| u32::from_str_radix(d, 8).ok());
            out.push(u8::try_from(value.unwrap_or(0) & 0xff).unwrap_or(0));
            1 + count
        }
        b'x' | b'X' if digits(2, 2, 16) > 0 => {
            let count = digits(2, 2, 16);
            let value = text.get(2..2 + count).and_then(|d| u8::from_str_radix(d, 16).ok());
            out.push(value.unwrap_or(0));
            2 + count
        }
        b'u' if bytes.get(2) == Some(&b'{') => {
            let inside = text.get(3..).and_then(|rest| rest.split_once('}'));
            let found = inside.and_then(|(code, _)| {
                let c = char::from_u32(u32::from_str_radix(code, 16).ok()?)?;
                Some((c, code.len()))
            });
            match found {
                Some((c, length)) => {
                    out.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
                    4 + length
                }
                None => {
                    out.push(b'\\');
                    1
                }
            }
        }
        _ => {
            out.push(b'\\');
            1
        }
    }
}

fn word(text: &str) -> &str {
    let end = text.bytes().position(|byte| !is_part(byte)).unwrap_or(text.len());
    text.get(..end).unwrap_or("")
}

/// A variable in a text without braces, and its length.
fn simple(text: &str) -> Option<(Part, usize)> {
    let name = word(text.get(1..)?);
    let length = 1 + name.len();
    let behind = text.get(length..)?;
    let found = if let Some(inside) = behind.strip_prefix('[') {
        let (key, _) = inside.split_once(']')?;
        let bare = key.trim_matches('\'');
        let key_of = if let Some(variable) = key.strip_prefix('$') {
            Key::Variable(variable.into())
        } else {
            bare.parse().map_or_else(|_| Key::Index(bare.into()), Key::Number)
        };
        Some((key_of, key.len() + 2))
    } else {
        let arrow = if behind.starts_with("->") {
            2
        } else if behind.starts_with("?->") {
            3
        } else {
            0
        };
        let first = behind.as_bytes().get(arrow).copied().unwrap_or(0);
        (arrow > 0 && is_start(first)).then(|| {
            let attribute = word(behind.get(arrow..).unwrap_or(""));
            (Key::Attribute(attribute.into()), arrow + attribute.len())
        })
    };
    Some(match found {
        Some((key, more)) => (Part::Simple(name.into(), Some(key)), length + more),
        None => (Part::Simple(name.into(), None), length),
    })
}

/// The length of what begins with a brace, up to and with the one that closes it.
fn braces(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            quote @ (b'\'' | b'"') => {
                at += 1;
                while bytes.get(at).is_some_and(|byte| byte != quote) {
                    at += if bytes.get(at) == Some(&b'\\') { 2 } else { 1 };
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// A here-document: its token and its length.
pub(super) fn heredoc(text: &str) -> Option<(Token, usize)> {
    let head = text.get(3..)?;
    let line = head.get(..head.len().min(200)).unwrap_or(head).split('\n').next()?;
    let label = line.trim();
    let (label, raw) = match label.as_bytes().first()? {
        b'\'' => (label.strip_prefix('\'')?.strip_suffix('\'')?, true),
        b'"' => (label.strip_prefix('"')?.strip_suffix('"')?, false),
        _ => (label, false),
    };
    if label.is_empty() || !label.bytes().all(is_part) {
        return None;
    }
    let mut at = 3 + line.len() + 1;
    let mut lines: Vec<&str> = Vec::new();
    loop {
        let rest = text.get(at..)?;
        if rest.is_empty() {
            // It does not end: reading on from its label would take long for many of them.
            return Some((Token::Wrong, text.len()));
        }
        let line = rest.split_inclusive('\n').next()?;
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        let behind = line.get(indent..)?;
        if let Some(after) = behind.strip_prefix(label)
            && !after.bytes().next().is_some_and(is_part)
        {
            let body: String = lines
                .iter()
                .map(|line| {
                    let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
                    line.get(indent.min(blank)..).unwrap_or("")
                })
                .collect();
            let body = body.strip_suffix('\n').unwrap_or(&body);
            let body = body.strip_suffix('\r').unwrap_or(body);
            let end = at + indent + label.len();
            if raw {
                return Some((Token::Text(body.as_bytes().into()), end));
            }
            let (parts, _) = parts(body, None)?;
            return Some((token(parts), end));
        }
        lines.push(line);
        at += line.len();
    }
}

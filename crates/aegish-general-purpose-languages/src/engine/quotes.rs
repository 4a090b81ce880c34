//! Quoted text: strings, raw strings, templates, `q{}`, `%w[]`, here-documents, regular
//! expressions, backticks. Part of the lexer; the texts stay raw.

use super::dialect::{Escapes, Interpolation, Quote, RAW};
use super::heredoc::{bare_path, heredoc, regex};
use super::lex::{Lexer, TokenKind, word_byte};
use aegish_profiles::Lang;

/// Longest code inside an interpolation. The bound keeps the work linear.
const NESTED: usize = 4096;

/// Lexes a quoted text at the current position, if there is one.
pub(super) fn quoted(l: &mut Lexer<'_>) -> bool {
    let byte = l.peek(0);
    match byte {
        b'"' | b'\'' => plain(l, 0, None),
        b'`' => match l.tick() {
            Some(kind) => {
                let (end, next) = close(l, l.at + 1, b'`', interp_of(kind));
                l.quoted(kind, l.at + 1, end, next);
                true
            }
            None => false,
        },
        b'/' if l.dialect.regex => regex(l),
        b'/' => bare_path(l),
        b'<' => heredoc(l),
        b':' if l.dialect.lang == Lang::Elixir => symbol(l),
        b'~' if l.dialect.lang == Lang::Elixir && l.peek(1).is_ascii_alphabetic() => {
            let quote = if l.peek(1).is_ascii_uppercase() { RAW } else { l.double() };
            let kind = if l.peek(1).eq_ignore_ascii_case(&b'w') {
                TokenKind::Words
            } else {
                TokenKind::Str(quote)
            };
            delimited(l, 2, kind)
        }
        _ if byte.is_ascii_alphabetic() => prefixed(l),
        _ => false,
    }
}

fn interp_of(kind: TokenKind) -> Interpolation {
    match kind {
        TokenKind::Str(quote) | TokenKind::Run(quote) => quote.interpolation,
        _ => Interpolation::None,
    }
}

/// `'…'`, `"…"` and their triple forms, `skip` bytes of prefix before the quote.
fn plain(l: &mut Lexer<'_>, skip: usize, quote: Option<Quote>) -> bool {
    let mark = l.peek(skip);
    // In Octave the quote right behind a value transposes it.
    if mark == b'\'' && l.dialect.lang == Lang::Octave && !l.operand() {
        return false;
    }
    let quote = quote.unwrap_or(if mark == b'\'' { l.dialect.single } else { l.dialect.double });
    let from = l.at + skip + 1;
    if l.dialect.triple && l.peek(skip + 1) == mark && l.peek(skip + 2) == mark {
        let body = from + 2;
        let triple = [mark; 3];
        let end = find_triple(l, body, &triple, quote.esc != Escapes::Raw);
        l.quoted(TokenKind::Str(quote), body, end, end + 3);
        return true;
    }
    let (end, next) = close(l, from, mark, quote.interpolation);
    let kind = if mark == b'\'' && l.dialect.lang == Lang::Erlang {
        TokenKind::Name
    } else {
        TokenKind::Str(quote)
    };
    l.quoted(kind, from, end, next);
    true
}

fn find_triple(l: &Lexer<'_>, from: usize, triple: &[u8], escapes: bool) -> usize {
    let mut at = from;
    while at < l.bytes.len() {
        if escapes && l.bytes.get(at) == Some(&b'\\') {
            at += 2;
        } else if l.bytes.get(at..at + 3) == Some(triple) {
            return at;
        } else {
            at += 1;
        }
    }
    l.bytes.len()
}

/// Finds the closing delimiter: (end of the text, where to go on).
fn close(l: &Lexer<'_>, from: usize, mark: u8, interpolation: Interpolation) -> (usize, usize) {
    let mut at = from;
    while let Some(byte) = l.bytes.get(at).copied() {
        let next = l.bytes.get(at + 1).copied();
        if byte == b'\\' {
            at += 2;
        } else if byte == mark {
            return (at, at + 1);
        } else if next == Some(b'{')
            && ((interpolation == Interpolation::Hash && byte == b'#')
                || (interpolation == Interpolation::Dollar && byte == b'$'))
        {
            at = braces(l, at + 2).unwrap_or(at + 2);
        } else {
            at += 1;
        }
    }
    (l.bytes.len(), l.bytes.len())
}

/// The position behind the brace that closes code inside a text.
fn braces(l: &Lexer<'_>, from: usize) -> Option<usize> {
    let mut depth = 1u32;
    let mut inside: Option<u8> = None;
    let mut at = from;
    while at < from + NESTED {
        let byte = l.bytes.get(at).copied()?;
        match (inside, byte) {
            (_, b'\\') => at += 1,
            (Some(mark), _) if byte == mark => inside = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'' | b'`') => inside = Some(byte),
            (None, b'{') => depth += 1,
            (None, b'}') => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// A text in any delimiter, `skip` bytes before it; brackets nest.
pub(super) fn delimited(l: &mut Lexer<'_>, skip: usize, kind: TokenKind) -> bool {
    let open = l.peek(skip);
    if open == 0 || !open.is_ascii() || word_byte(open) || open.is_ascii_whitespace() {
        return false;
    }
    let from = l.at + skip + 1;
    let end = nested(l, from, open);
    l.quoted(kind, from, end, end + 1);
    true
}

pub(super) fn partner(open: u8) -> u8 {
    match open {
        b'(' => b')',
        b'[' => b']',
        b'{' => b'}',
        b'<' => b'>',
        other => other,
    }
}

/// The position of the delimiter that closes `open`.
pub(super) fn nested(l: &Lexer<'_>, from: usize, open: u8) -> usize {
    let shut = partner(open);
    let mut depth = 1u32;
    let mut at = from;
    while let Some(byte) = l.bytes.get(at).copied() {
        if byte == b'\\' {
            at += 1;
        } else if byte == shut {
            depth -= 1;
            if depth == 0 {
                return at;
            }
        } else if byte == open {
            depth += 1;
        }
        at += 1;
    }
    l.bytes.len()
}

/// Words that start a quoted text: string prefixes of Python and others, `q qq qw qx m s tr y`.
fn prefixed(l: &mut Lexer<'_>) -> bool {
    let len = l.bytes.iter().skip(l.at).take(4).take_while(|b| word_byte(**b)).count();
    if len == 0 || len > 3 {
        return false;
    }
    let word = l.slice(l.at, l.at + len);
    let mark = l.peek(len);
    match l.dialect.lang {
        Lang::R if matches!(word, "r" | "R") && matches!(mark, b'"' | b'\'') => {
            let dashes = l.bytes.iter().skip(l.at + 2).take_while(|b| **b == b'-').count();
            delimited(l, 2 + dashes, TokenKind::Str(RAW)) && {
                // The closing quote (and dashes) behind the bracket.
                while l.peek(0) == b'-' || l.peek(0) == mark {
                    l.at += 1;
                }
                true
            }
        }
        Lang::Julia if word == "raw" && mark == b'"' => plain(l, 3, Some(RAW)),
        _ => false,
    }
}

/// `:name`: a module of Erlang, so a name.
fn symbol(l: &mut Lexer<'_>) -> bool {
    if !word_byte(l.peek(1)) || l.bytes.get(l.at.wrapping_sub(1)) == Some(&b':') {
        return false;
    }
    // `a ?b :c` and `key:value` are told apart by the blank in front.
    if l.tokens.last().is_some_and(|t| t.kind == TokenKind::Name)
        && !matches!(l.bytes.get(l.at.wrapping_sub(1)), Some(b' ' | b'\t'))
    {
        return false;
    }
    let len = l.bytes.iter().skip(l.at + 1).take_while(|b| word_byte(**b)).count();
    l.quoted(TokenKind::Name, l.at, l.at + 1 + len, l.at + 1 + len);
    true
}

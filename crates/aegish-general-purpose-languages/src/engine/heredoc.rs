//! Here-documents and regular expressions; part of the lexer.

use super::dialect::RAW;
use super::lex::{Lexer, TokenKind, word_byte};

/// The letters behind a regular expression.
fn flags<'a>(l: &mut Lexer<'a>) -> Option<&'a str> {
    let from = l.at;
    while l.peek(0).is_ascii_alphabetic() {
        l.at += 1;
    }
    Some(l.slice(from, l.at))
}

/// An absolute path without quotes where a value is expected. A shell may have removed the quotes.
pub(super) fn bare_path(l: &mut Lexer<'_>) -> bool {
    if !l.operand() || !word_byte(l.peek(1)) {
        return false;
    }
    let len = l
        .bytes
        .iter()
        .skip(l.at)
        .take_while(|b| word_byte(**b) || matches!(b, b'/' | b'.' | b'-'))
        .count();
    l.quoted(TokenKind::Str(RAW), l.at, l.at + len, l.at + len);
    true
}

pub(super) fn regex(l: &mut Lexer<'_>) -> bool {
    if !l.operand() {
        return false;
    }
    let mut at = l.at + 1;
    let mut class = false;
    while let Some(byte) = l.bytes.get(at).copied() {
        match byte {
            b'\\' => at += 1,
            b'\n' => return false,
            b'[' => class = true,
            b']' => class = false,
            b'/' if !class => {
                l.quoted(TokenKind::Regex, l.at + 1, at, at + 1);
                return flags(l).is_some();
            }
            _ => {}
        }
        at += 1;
    }
    false
}

/// `<<EOF`, `<<~'EOF'`, `<<<EOT`.
pub(super) fn heredoc(l: &mut Lexer<'_>) -> bool {
    if !l.dialect.heredoc || l.peek(1) != b'<' {
        return false;
    }
    let named = l.tokens.last().is_some_and(|t| t.kind == TokenKind::Name);
    if !l.operand() && !named {
        return false;
    }
    let skip = if matches!(l.peek(2), b'~' | b'-') { 3 } else { 2 };
    let mark = l.peek(skip);
    let (from, end, next) = if matches!(mark, b'"' | b'\'' | b'`') {
        let from = l.at + skip + 1;
        // Bounded: marks are short; behind a longer one the text is read as code.
        let len =
            l.bytes.iter().skip(from).take(64).take_while(|b| **b != mark && **b != b'\n').count();
        (from, from + len, from + len + 1)
    } else {
        let from = l.at + skip;
        // Bounded: as above.
        let len = l.bytes.iter().skip(from).take(64).take_while(|b| word_byte(**b)).count();
        if len == 0 || mark.is_ascii_digit() {
            return false;
        }
        (from, from + len, from + len)
    };
    let word = l.slice(from, end);
    let quote = if mark == b'\'' { RAW } else { l.double() };
    l.pending.push((l.tokens.len(), word));
    l.at = next.min(l.bytes.len());
    l.push(if mark == b'`' { TokenKind::Run(quote) } else { TokenKind::Str(quote) }, "");
    true
}

/// Reads the bodies of the here-documents of the line before.
pub(super) fn heredoc_bodies(l: &mut Lexer<'_>) {
    for (index, word) in std::mem::take(&mut l.pending) {
        let from = l.at;
        let mut end = l.bytes.len();
        let mut next = end;
        let mut at = from;
        for line in l.rest().split_inclusive('\n') {
            let text = line.trim();
            if text == word {
                end = at;
                let indent = line.len() - line.trim_start().len();
                next = at + indent + word.len();
                break;
            }
            at += line.len();
        }
        let text = l.slice(from, end);
        if let Some(tok) = l.tokens.get_mut(index) {
            tok.text = text;
        }
        l.at = next;
    }
}

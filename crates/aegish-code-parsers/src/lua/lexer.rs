//! Tokens of Lua.

use crate::ir::{Constant, Name};
use std::rc::Rc;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Name(Name),
    /// Keywords, operators and punctuation.
    Symbol(&'static str),
    Constant(Constant),
    End,
    /// Text that is no token.
    Mistake,
}

/// Keywords and signs; longer signs come first.
const SYMBOLS: &[&str] = &[
    "...", "<<", ">>", "//", "==", "~=", "<=", ">=", "::", "..", "+", "-", "*", "/", "%", "^", "#",
    "&", "~", "|", "<", ">", "=", "(", ")", "{", "}", "[", "]", ";", ":", ",", ".",
];
const KEYWORDS: &[&str] = &[
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
    "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
];

pub(super) struct Lexer<'a> {
    rest: &'a str,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(code: &'a str) -> Self {
        // The first line may name the interpreter.
        let rest = match code.starts_with('#') {
            true => code.find('\n').and_then(|at| code.get(at..)).unwrap_or(""),
            false => code,
        };
        Self { rest }
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or("");
    }

    pub(super) fn next(&mut self) -> Token {
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n', '\x0b', '\x0c']);
            let Some(comment) = self.rest.strip_prefix("--") else { break };
            self.rest = comment;
            match self.long_bracket() {
                Some(Some(_)) => {}
                Some(None) => return Token::Mistake,
                None => {
                    let end = self.rest.find('\n').unwrap_or(self.rest.len());
                    self.skip(end);
                }
            }
        }
        let Some(first) = self.rest.chars().next() else { return Token::End };
        if first.is_ascii_alphabetic() || first == '_' {
            return self.word();
        }
        let second = self.rest.chars().nth(1);
        if first.is_ascii_digit() || first == '.' && second.is_some_and(|c| c.is_ascii_digit()) {
            return self.number();
        }
        if first == '"' || first == '\'' {
            return self.string(first);
        }
        if first == '['
            && let Some(found) = self.long_bracket()
        {
            return found
                .map_or(Token::Mistake, |text| Token::Constant(Constant::Text(text.into())));
        }
        match SYMBOLS.iter().find(|symbol| self.rest.starts_with(**symbol)) {
            Some(symbol) => {
                self.skip(symbol.len());
                Token::Symbol(symbol)
            }
            None => {
                self.rest = "";
                Token::Mistake
            }
        }
    }

    fn word(&mut self) -> Token {
        let end = self
            .rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(self.rest.len());
        let word = self.rest.get(..end).unwrap_or("");
        self.skip(end);
        match KEYWORDS.iter().find(|keyword| **keyword == word) {
            Some(keyword) => Token::Symbol(keyword),
            None => Token::Name(Name::from(word)),
        }
    }

    fn number(&mut self) -> Token {
        let bytes = self.rest.as_bytes();
        let hex = self.rest.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("0x"));
        let mut end = if hex { 2 } else { 0 };
        while let Some(byte) = bytes.get(end) {
            let before = end.checked_sub(1).and_then(|at| bytes.get(at)).copied().unwrap_or(0);
            let exponent = if hex { b"pP" } else { b"eE" };
            let sign = matches!(byte, b'+' | b'-') && exponent.contains(&before);
            if !(byte.is_ascii_alphanumeric() || *byte == b'.' || sign) {
                break;
            }
            end += 1;
        }
        let digits = self.rest.get(..end).unwrap_or("");
        self.skip(end);
        let number = match digits.get(2..).filter(|_| hex) {
            Some(digits) => i64::from_str_radix(digits, 16).ok(),
            None => digits.parse().ok(),
        };
        Token::Constant(number.map_or(Constant::Number, Constant::Int))
    }

    /// `[[text]]`, `[=[text]=]`: none if there is no bracket, and no text if it does not end.
    fn long_bracket(&mut self) -> Option<Option<String>> {
        let inner = self.rest.strip_prefix('[')?;
        let level = inner.len() - inner.trim_start_matches('=').len();
        let inner = inner.get(level..)?.strip_prefix('[')?;
        let close = format!("]{}]", "=".repeat(level));
        let Some(end) = inner.find(&close) else {
            self.rest = "";
            return Some(None);
        };
        let text = inner.get(..end).unwrap_or("");
        self.rest = inner.get(end + close.len()..).unwrap_or("");
        let text = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text);
        Some(Some(text.to_owned()))
    }

    fn string(&mut self, quote: char) -> Token {
        let mut bytes: Vec<u8> = Vec::new();
        self.skip(1);
        loop {
            let Some(c) = self.rest.chars().next() else { return Token::Mistake };
            self.skip(c.len_utf8());
            match c {
                c if c == quote => break,
                '\n' => return Token::Mistake,
                '\\' => {
                    if self.escape(&mut bytes).is_none() {
                        self.rest = "";
                        return Token::Mistake;
                    }
                }
                other => bytes.extend(other.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        Token::Constant(match String::from_utf8(bytes) {
            Ok(text) => Constant::Text(Rc::from(text)),
            Err(error) => Constant::Bytes(error.into_bytes().into()),
        })
    }

    fn escape(&mut self, out: &mut Vec<u8>) -> Option<()> {
        let c = self.rest.chars().next()?;
        self.skip(c.len_utf8());
        match c {
            'n' => out.push(b'\n'),
            't' => out.push(b'\t'),
            'r' => out.push(b'\r'),
            'a' => out.push(7),
            'b' => out.push(8),
            'f' => out.push(12),
            'v' => out.push(11),
            'x' => {
                let digits = self.rest.get(..2)?;
                out.push(u8::from_str_radix(digits, 16).ok()?);
                self.skip(2);
            }
            'z' => self.rest = self.rest.trim_start(),
            'u' => {
                let end = self.rest.find('}')?;
                let digits = self.rest.get(1..end)?;
                let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
                out.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
                self.skip(end + 1);
            }
            '0'..='9' => {
                let more = self.rest.bytes().take(2).take_while(u8::is_ascii_digit).count();
                let digits = format!("{c}{}", self.rest.get(..more)?);
                out.push(digits.parse().ok()?);
                self.skip(more);
            }
            other => out.extend(other.encode_utf8(&mut [0; 4]).as_bytes()),
        }
        Some(())
    }
}

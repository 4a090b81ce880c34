//! Tokens of PHP, with the text around the code.

use super::strings::{self, Part};
use std::rc::Rc;

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    End,
    /// Text outside of the code, and whether an echo follows (`<?=`).
    Html(Rc<str>, bool),
    /// A variable without its sign.
    Variable(Rc<str>),
    /// A name or keyword; qualified names hold `\`.
    Name(Rc<str>),
    Int(i64),
    Number,
    /// A text of known bytes.
    Text(Rc<[u8]>),
    /// A text with variables in it.
    Template(Rc<[Part]>),
    Backtick(Rc<[Part]>),
    /// `(int)` and the like.
    Cast(&'static str),
    Symbol(&'static str),
    /// A byte that begins no token, or a text that does not end.
    Wrong,
}

/// Symbols, longer ones first.
const SYMBOLS: &[&str] = &[
    "<<<", "===", "!==", "<=>", "**=", "...", "<<=", ">>=", "??=", "?->", "==", "!=", "<>", "<=",
    ">=", "&&", "||", "??", "++", "--", "+=", "-=", "*=", "/=", ".=", "%=", "&=", "|=", "^=", "->",
    "=>", "::", "<<", ">>", "**", "#[", "+", "-", "*", "/", "%", "=", "<", ">", "!", ".", "(", ")",
    "[", "]", "{", "}", ",", ";", ":", "?", "&", "|", "^", "~", "@", "$", "\\",
];

const CASTS: &[(&str, &str)] = &[
    ("int", "int"),
    ("integer", "int"),
    ("bool", "bool"),
    ("boolean", "bool"),
    ("float", "float"),
    ("double", "float"),
    ("real", "float"),
    ("string", "string"),
    ("binary", "string"),
    ("array", "array"),
    ("object", "object"),
    ("unset", "unset"),
];

/// The place in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    /// Outside of the code.
    html: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, html: bool) -> Self {
        Self { text, at: 0, html }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    pub(super) fn next(&mut self) -> Token {
        if self.html {
            return self.outside();
        }
        if let Some(token) = self.blanks() {
            return token;
        }
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Token::End };
        match first {
            '$' if is_start(self.byte(1)) => {
                self.at += 1;
                Token::Variable(self.word().into())
            }
            '0'..='9' => self.number(),
            '.' if self.byte(1).is_ascii_digit() => self.number(),
            '\'' => self.quoted(),
            '"' | '`' => self.template(first),
            '(' => self.cast().unwrap_or_else(|| self.symbol()),
            '\\' if is_start(self.byte(1)) => self.name(),
            'b' | 'B' if matches!(self.byte(1), b'\'' | b'"') => {
                self.at += 1;
                self.next()
            }
            _ if is_start(self.byte(0)) => self.name(),
            _ if rest.starts_with("<<<") => {
                let before = self.at;
                match self.heredoc() {
                    Some(token) => token,
                    None => {
                        self.at = before;
                        self.symbol()
                    }
                }
            }
            _ => self.symbol(),
        }
    }

    /// Text up to the next piece of code.
    fn outside(&mut self) -> Token {
        let rest = self.rest();
        if rest.is_empty() {
            return Token::End;
        }
        let mut from = 0;
        while let Some(found) = rest.get(from..).and_then(|part| part.find("<?")) {
            let at = from + found;
            let behind = rest.get(at + 2..).unwrap_or("");
            let lower = behind.get(..3).map(str::to_ascii_lowercase).unwrap_or_default();
            // `<?xml` is text, as with short tags nobody writes it.
            let (length, echo) = if lower == "php" {
                (5, false)
            } else if behind.starts_with('=') {
                (3, true)
            } else if lower == "xml" {
                from = at + 2;
                continue;
            } else {
                (2, false)
            };
            self.at += at + length;
            self.html = false;
            return Token::Html(rest.get(..at).unwrap_or("").into(), echo);
        }
        self.at = self.text.len();
        Token::Html(rest.into(), false)
    }

    /// Skips blanks and comments. The end of the code is a token.
    fn blanks(&mut self) -> Option<Token> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            let rest = trimmed;
            if rest.starts_with("?>") {
                self.at += 2;
                if self.rest().starts_with('\n') {
                    self.at += 1;
                }
                self.html = true;
                return Some(Token::Symbol(";"));
            }
            if rest.starts_with("//") || rest.starts_with('#') && !rest.starts_with("#[") {
                let line = rest.split(['\n', '\r']).next().unwrap_or("");
                // The end of the code ends a comment too.
                self.at += line.find("?>").unwrap_or(line.len());
            } else if let Some(comment) = rest.strip_prefix("/*") {
                match comment.find("*/") {
                    Some(end) => self.at += end + 4,
                    None => {
                        self.at = self.text.len();
                        return Some(Token::End);
                    }
                }
            } else {
                return None;
            }
        }
    }

    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.bytes().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or("")
    }

    fn name(&mut self) -> Token {
        let start = self.at;
        if self.byte(0) == b'\\' {
            self.at += 1;
        }
        self.word();
        while self.byte(0) == b'\\' && is_start(self.byte(1)) {
            self.at += 1;
            self.word();
        }
        Token::Name(self.text.get(start..self.at).unwrap_or("").into())
    }

    fn number(&mut self) -> Token {
        let rest = self.rest();
        let lower = rest.get(..2).map(str::to_ascii_lowercase).unwrap_or_default();
        let base = match lower.as_str() {
            "0x" => 16,
            "0b" => 2,
            "0o" => 8,
            _ => 10,
        };
        let skip = if base == 10 { 0 } else { 2 };
        let digits = rest.get(skip..).unwrap_or("");
        let is_digit = |byte: u8| char::from(byte).is_digit(base) || byte == b'_';
        let end = digits.bytes().position(|byte| !is_digit(byte)).unwrap_or(digits.len());
        let whole: String = digits.get(..end).unwrap_or("").replace('_', "");
        self.at += skip + end;
        if base == 10 {
            let mut float = false;
            if self.byte(0) == b'.' && (self.byte(1).is_ascii_digit() || self.byte(1) != b'.') {
                self.at += 1;
                self.at +=
                    self.rest().bytes().take_while(|b| b.is_ascii_digit() || *b == b'_').count();
                float = true;
            }
            if matches!(self.byte(0), b'e' | b'E') {
                let sign = usize::from(matches!(self.byte(1), b'+' | b'-'));
                if self.byte(1 + sign).is_ascii_digit() {
                    self.at += 1 + sign;
                    self.at += self.rest().bytes().take_while(u8::is_ascii_digit).count();
                    float = true;
                }
            }
            if float {
                return Token::Number;
            }
            if whole.len() > 1 && whole.starts_with('0') {
                return i64::from_str_radix(&whole, 8).map_or(Token::Number, Token::Int);
            }
        }
        i64::from_str_radix(&whole, base).map_or(Token::Number, Token::Int)
    }

    fn quoted(&mut self) -> Token {
        self.at += 1;
        let mut out = Vec::new();
        loop {
            let rest = self.rest();
            let Some(end) = rest.find(['\'', '\\']) else {
                self.at = self.text.len();
                return Token::Wrong;
            };
            out.extend(rest.get(..end).unwrap_or("").bytes());
            self.at += end + 1;
            if rest.as_bytes().get(end) == Some(&b'\'') {
                return Token::Text(out.into());
            }
            match self.byte(0) {
                byte @ (b'\'' | b'\\') => {
                    out.push(byte);
                    self.at += 1;
                }
                _ => out.push(b'\\'),
            }
        }
    }

    fn template(&mut self, quote: char) -> Token {
        self.at += 1;
        let Some((parts, length)) = strings::parts(self.rest(), Some(quote)) else {
            self.at = self.text.len();
            return Token::Wrong;
        };
        self.at += length + 1;
        if quote == '`' { Token::Backtick(parts.into()) } else { strings::token(parts) }
    }

    fn heredoc(&mut self) -> Option<Token> {
        let (token, length) = strings::heredoc(self.rest())?;
        self.at += length;
        Some(token)
    }

    fn cast(&mut self) -> Option<Token> {
        let blank = [' ', '\t'];
        let inside: &str = self.rest().get(1..)?.trim_start_matches(blank);
        let end = inside.find(|c: char| !c.is_ascii_alphabetic())?;
        let (word, rest) = inside.split_at_checked(end)?;
        let rest = rest.trim_start_matches(blank).strip_prefix(')')?;
        let (_, kind) = CASTS.iter().find(|(known, _)| word.eq_ignore_ascii_case(known))?;
        self.at += self.rest().len() - rest.len();
        Some(Token::Cast(kind))
    }

    fn symbol(&mut self) -> Token {
        let rest = self.rest();
        match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            Some(symbol) => {
                self.at += symbol.len();
                Token::Symbol(symbol)
            }
            None => {
                self.at += rest.chars().next().map_or(0, char::len_utf8);
                if self.at >= self.text.len() && rest.is_empty() {
                    Token::End
                } else {
                    Token::Wrong
                }
            }
        }
    }
}

pub(super) fn is_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

pub(super) fn is_part(byte: u8) -> bool {
    is_start(byte) || byte.is_ascii_digit()
}

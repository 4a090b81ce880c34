//! Tokens of AppleScript.

use crate::ir::{Constant, Name};
use std::rc::Rc;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// A word in lower case: names have no case.
    Word(Name),
    /// `|any text|`: a name that is no word of the language.
    Quoted(Name),
    /// `«event sysoexec»`: a term by its code.
    Raw(Name),
    Symbol(&'static str),
    Constant(Constant),
    Line,
    End,
    /// Text that is no token.
    Mistake,
}

/// Longer signs come first.
const SYMBOLS: &[&str] = &[
    "'s", "’s", "<=", ">=", "/=", "≤", "≥", "≠", "÷", "+", "-", "*", "/", "^", "&", "=", "<", ">",
    "(", ")", "{", "}", ",", ":",
];

/// Returns the tokens of a text.
pub(super) fn tokens(code: &str) -> Vec<Token> {
    let mut lexer = Lexer { rest: code };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next();
        let last = matches!(token, Token::End | Token::Mistake);
        tokens.push(token);
        if last {
            return tokens;
        }
    }
}

struct Lexer<'a> {
    rest: &'a str,
}

impl Lexer<'_> {
    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or("");
    }

    fn next(&mut self) -> Token {
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t', '\u{a0}']);
            if let Some(next) = self.rest.strip_prefix('¬') {
                // The line goes on in the next one.
                let next = next.trim_start_matches([' ', '\t', '\u{a0}']);
                let next = next.strip_prefix('\r').unwrap_or(next);
                self.rest = next.strip_prefix('\n').unwrap_or(next);
            } else if self.rest.starts_with("--") || self.rest.starts_with('#') {
                let end = self.rest.find(['\n', '\r']).unwrap_or(self.rest.len());
                self.skip(end);
            } else if self.rest.starts_with("(*") {
                if !self.block_comment() {
                    return Token::Mistake;
                }
            } else {
                break;
            }
        }
        let Some(first) = self.rest.chars().next() else { return Token::End };
        match first {
            '\n' | '\r' => {
                self.skip(1);
                Token::Line
            }
            '"' | '“' | '”' => self.text(),
            '|' => self.until('|').map_or(Token::Mistake, Token::Quoted),
            '«' => self.until('»').map_or(Token::Mistake, Token::Raw),
            '0'..='9' => self.number(),
            '_' => self.word(),
            first if first.is_alphabetic() => self.word(),
            _ => match SYMBOLS.iter().find(|symbol| self.rest.starts_with(**symbol)) {
                Some(symbol) => {
                    self.skip(symbol.len());
                    Token::Symbol(if *symbol == "’s" { "'s" } else { symbol })
                }
                None => Token::Mistake,
            },
        }
    }

    /// Comments nest.
    fn block_comment(&mut self) -> bool {
        let mut depth = 0u32;
        loop {
            if self.rest.starts_with("(*") {
                depth += 1;
                self.skip(2);
            } else if self.rest.starts_with("*)") {
                depth -= 1;
                self.skip(2);
                if depth == 0 {
                    return true;
                }
            } else {
                let Some(c) = self.rest.chars().next() else { return false };
                self.skip(c.len_utf8());
            }
        }
    }

    fn until(&mut self, end: char) -> Option<Name> {
        let first = self.rest.chars().next()?;
        self.skip(first.len_utf8());
        let at = self.rest.find(end)?;
        let name = Name::from(self.rest.get(..at)?.to_lowercase());
        self.skip(at + end.len_utf8());
        Some(name)
    }

    fn word(&mut self) -> Token {
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        let end = end.unwrap_or(self.rest.len());
        let word = self.rest.get(..end).unwrap_or("").to_lowercase();
        self.skip(end);
        // `isn't`, `doesn't`, `aren't`, with either apostrophe.
        for rest in ["'t", "’t"] {
            if word.ends_with('n') && self.rest.starts_with(rest) {
                self.skip(rest.len());
                return Token::Word(Name::from(format!("{word}'t")));
            }
        }
        Token::Word(Name::from(word))
    }

    fn number(&mut self) -> Token {
        let bytes = self.rest.as_bytes();
        let mut end = 0;
        while let Some(byte) = bytes.get(end) {
            let before = end.checked_sub(1).and_then(|at| bytes.get(at)).copied().unwrap_or(0);
            let sign = matches!(byte, b'+' | b'-') && matches!(before, b'e' | b'E');
            if !(byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E') || sign) {
                break;
            }
            end += 1;
        }
        let number = self.rest.get(..end).and_then(|digits| digits.parse().ok());
        self.skip(end);
        Token::Constant(number.map_or(Constant::Number, Constant::Int))
    }

    fn text(&mut self) -> Token {
        let mut out = String::new();
        let quote = self.rest.chars().next().map_or(1, char::len_utf8);
        self.skip(quote);
        loop {
            let Some(c) = self.rest.chars().next() else { return Token::Mistake };
            self.skip(c.len_utf8());
            match c {
                '"' | '“' | '”' => return Token::Constant(Constant::Text(Rc::from(out))),
                '\\' => {
                    let Some(escaped) = self.rest.chars().next() else { return Token::Mistake };
                    self.skip(escaped.len_utf8());
                    out.push(match escaped {
                        'n' => '\n',
                        'r' => '\r',
                        't' => '\t',
                        other => other,
                    });
                }
                other => out.push(other),
            }
        }
    }
}

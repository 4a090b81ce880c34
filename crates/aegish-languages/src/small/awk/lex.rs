//! Tokens of awk. Distinguishes regular expressions and strings from operators.

use super::super::{text_from, text_to};

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Text(String),
    Number(String),
    Name(String),
    Regex(String),
    /// An operator or bracket.
    Op(&'static str),
    /// End of a line, which ends a statement.
    Line,
}

impl Token {
    pub(super) fn is(&self, op: &str) -> bool {
        matches!(self, Self::Op(own) if *own == op)
    }

    pub(super) fn named(&self, name: &str) -> bool {
        matches!(self, Self::Name(own) if own == name)
    }
}

/// Longest first, so that no operator is cut into shorter ones.
const OPERATORS: &[&str] = &[
    "**=", "|&", "||", "&&", "==", "!=", "<=", ">=", ">>", "++", "--", "+=", "-=", "*=", "/=",
    "%=", "^=", "**", "!~", "{", "}", "(", ")", "[", "]", ";", ",", "<", ">", "|", "=", "+", "-",
    "*", "/", "%", "^", "!", "~", "?", ":", "$", "@",
];

pub(super) fn tokens(code: &str) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    let mut rest = code;
    while let Some(c) = rest.chars().next() {
        match c {
            '\n' => {
                out.push(Token::Line);
                rest = text_from(rest, 1);
            }
            '\\' if text_from(rest, 1).starts_with('\n') => rest = text_from(rest, 2),
            c if c.is_whitespace() => rest = text_from(rest, c.len_utf8()),
            '#' => rest = rest.find('\n').map_or("", |end| text_from(rest, end)),
            '"' => {
                let (text, tail) = string(text_from(rest, 1));
                out.push(Token::Text(text));
                rest = tail;
            }
            '/' if regex_may_begin(&out) => {
                let inside = text_from(rest, 1);
                rest = after_regex(inside);
                let regex = inside.strip_suffix(rest).unwrap_or(inside);
                out.push(Token::Regex(regex.strip_suffix('/').unwrap_or(regex).to_owned()));
            }
            c if c.is_ascii_digit()
                || (c == '.' && text_from(rest, 1).starts_with(|d: char| d.is_ascii_digit())) =>
            {
                let end = rest
                    .find(|c: char| !(c.is_ascii_alphanumeric() || c == '.'))
                    .unwrap_or(rest.len());
                out.push(Token::Number(text_to(rest, end).to_owned()));
                rest = text_from(rest, end);
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                let word = |text: &str| {
                    text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                        .unwrap_or(text.len())
                };
                let mut end = word(rest);
                // A namespace of gawk.
                if let Some(tail) = text_from(rest, end).strip_prefix("::") {
                    end += 2 + word(tail);
                }
                out.push(Token::Name(text_to(rest, end).to_owned()));
                rest = text_from(rest, end);
            }
            c => match OPERATORS.iter().find(|op| rest.starts_with(**op)) {
                Some(op) => {
                    out.push(Token::Op(op));
                    rest = text_from(rest, op.len());
                }
                None => rest = text_from(rest, c.len_utf8()),
            },
        }
    }
    out
}

/// Whether a slash starts a regular expression. After an operand it divides.
fn regex_may_begin(before: &[Token]) -> bool {
    match before.last() {
        None | Some(Token::Line) => true,
        Some(Token::Op(op)) => !matches!(*op, ")" | "]" | "++" | "--" | "$"),
        Some(Token::Name(name)) => matches!(
            name.as_str(),
            "print"
                | "printf"
                | "return"
                | "in"
                | "case"
                | "if"
                | "while"
                | "getline"
                | "do"
                | "else"
        ),
        Some(Token::Text(_) | Token::Number(_) | Token::Regex(_)) => false,
    }
}

fn after_regex(text: &str) -> &str {
    let mut bracket = false;
    let mut skip = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if skip => skip = false,
            '\\' => skip = true,
            '[' => bracket = true,
            ']' => bracket = false,
            '/' if !bracket => return text_from(text, at + 1),
            '\n' => return text_from(text, at),
            _ => {}
        }
    }
    // The slash was inside a bracket that is never closed.
    text.find('/').map_or("", |at| text_from(text, at + 1))
}

/// Reads a string behind its opening quote; returns it and the rest.
fn string(text: &str) -> (String, &str) {
    let mut out = String::new();
    let mut letters = text.char_indices();
    while let Some((at, c)) = letters.next() {
        match c {
            '"' => return (out, text_from(text, at + 1)),
            '\\' => match letters.next() {
                Some((_, 'n')) => out.push('\n'),
                Some((_, 't')) => out.push('\t'),
                Some((_, 'r')) => out.push('\r'),
                Some((_, '\n')) => {}
                Some((at, 'x')) => {
                    let digits: String = text_from(text, at + 1)
                        .chars()
                        .take(2)
                        .take_while(char::is_ascii_hexdigit)
                        .collect();
                    for _ in 0..digits.len() {
                        letters.next();
                    }
                    let code = u32::from_str_radix(&digits, 16).ok();
                    out.extend(code.and_then(char::from_u32));
                }
                Some((at, '0'..='7')) => {
                    let digits: String =
                        text_from(text, at).chars().take(3).take_while(|c| c.is_digit(8)).collect();
                    for _ in 1..digits.len() {
                        letters.next();
                    }
                    let code = u32::from_str_radix(&digits, 8).ok();
                    out.extend(code.and_then(char::from_u32));
                }
                Some((_, other)) => out.push(other),
                None => break,
            },
            c => out.push(c),
        }
    }
    (out, "")
}

/// A text with its escapes resolved, as in an assignment on the command line.
pub(super) fn unescaped(text: &str) -> String {
    string(&text.replace('"', "\\\"")).0
}

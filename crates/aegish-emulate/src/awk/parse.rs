//! Program text → rules. Returns `None` for everything beyond printing fields.

use super::super::regex::{Regex, RegexSyntax};
use super::{AwkRule, Expr, RuleCondition, Statement};

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Text(String),
    Number(f64),
    Name(String),
    Regex(String),
    Sign(char),
    Equals,
}

/// Depth of nested expressions.
const MAX_DEPTH: usize = 32;

/// Reads a program; `assigned` are variables with their values.
pub(super) fn program(text: &str, assigned: &[(&str, &str)]) -> Option<Vec<AwkRule>> {
    AwkParser { tokens: tokens(text)?, at: 0, assigned }.program()
}

fn tokens(program: &str) -> Option<Vec<Token>> {
    let mut out: Vec<Token> = Vec::new();
    let mut letters = program.chars().peekable();
    while let Some(c) = letters.next() {
        match c {
            ' ' | '\t' | '\r' => {}
            '"' => {
                let mut text = Vec::new();
                loop {
                    match letters.next()? {
                        '"' => break,
                        '\\' => match letters.next()? {
                            'n' => text.push(b'\n'),
                            't' => text.push(b'\t'),
                            'r' => text.push(b'\r'),
                            '\\' => text.push(b'\\'),
                            '"' => text.push(b'"'),
                            '/' => text.push(b'/'),
                            'a' => text.push(7),
                            'x' => {
                                let mut value = 0;
                                let mut digits = 0;
                                while let Some(digit) = letters
                                    .peek()
                                    .and_then(|c| c.to_digit(16))
                                    .filter(|_| digits < 2)
                                {
                                    value = value * 16 + digit;
                                    digits += 1;
                                    letters.next();
                                }
                                text.push(u8::try_from(value).ok().filter(|_| digits > 0)?);
                            }
                            digit @ '0'..='7' => {
                                let mut value = digit.to_digit(8)?;
                                for _ in 0..2 {
                                    let Some(digit) = letters.peek().and_then(|c| c.to_digit(8))
                                    else {
                                        break;
                                    };
                                    value = value * 8 + digit;
                                    letters.next();
                                }
                                text.push(u8::try_from(value).ok()?);
                            }
                            _ => return None,
                        },
                        other => text.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
                    }
                }
                out.push(Token::Text(String::from_utf8(text).ok()?));
            }
            // Division is refused, so a slash always starts a pattern.
            '/' => {
                let mut text = String::new();
                loop {
                    match letters.next()? {
                        '/' => break,
                        '\\' => match letters.next()? {
                            '/' => text.push('/'),
                            other => text.extend(['\\', other]),
                        },
                        '\n' => return None,
                        other => text.push(other),
                    }
                }
                out.push(Token::Regex(text));
            }
            '0'..='9' => {
                let mut digits = String::from(c);
                while let Some(next) = letters.peek().filter(|c| c.is_ascii_digit() || **c == '.') {
                    digits.push(*next);
                    letters.next();
                }
                out.push(Token::Number(digits.parse().ok()?));
            }
            'a'..='z' | 'A'..='Z' | '_' => {
                let mut name = String::from(c);
                while let Some(next) =
                    letters.peek().filter(|c| c.is_ascii_alphanumeric() || **c == '_')
                {
                    name.push(*next);
                    letters.next();
                }
                out.push(Token::Name(name));
            }
            '=' if letters.peek() == Some(&'=') => {
                letters.next();
                out.push(Token::Equals);
            }
            '{' | '}' | '(' | ')' | ';' | ',' | '$' | '-' => out.push(Token::Sign(c)),
            '\n' => out.push(Token::Sign(';')),
            _ => return None,
        }
    }
    Some(out)
}

struct AwkParser<'a> {
    tokens: Vec<Token>,
    at: usize,
    assigned: &'a [(&'a str, &'a str)],
}

impl AwkParser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn sign(&mut self, sign: char) -> bool {
        let hit = self.peek() == Some(&Token::Sign(sign));
        self.at += usize::from(hit);
        hit
    }

    fn program(mut self) -> Option<Vec<AwkRule>> {
        let mut rules = Vec::new();
        loop {
            while self.sign(';') {}
            let when = match self.peek() {
                None => break,
                Some(Token::Sign('{')) => RuleCondition::Always,
                Some(Token::Name(name)) => match name.as_str() {
                    "BEGIN" => {
                        self.at += 1;
                        RuleCondition::Begin
                    }
                    "END" => {
                        self.at += 1;
                        RuleCondition::End
                    }
                    "NR" => {
                        self.at += 1;
                        match (self.peek(), self.tokens.get(self.at + 1)) {
                            (Some(Token::Equals), Some(Token::Number(number)))
                                if *number >= 0.0 =>
                            {
                                let number = *number as usize;
                                self.at += 2;
                                RuleCondition::Line(number)
                            }
                            _ => return None,
                        }
                    }
                    _ => return None,
                },
                Some(Token::Regex(pattern)) => {
                    let regex = Regex::new(pattern, RegexSyntax::Extended, false)?;
                    self.at += 1;
                    RuleCondition::Matches(Box::new(regex))
                }
                Some(_) => return None,
            };
            let statements = if self.sign('{') {
                self.block()?
            } else if matches!(when, RuleCondition::Begin | RuleCondition::End) {
                return None;
            } else {
                vec![Statement { formatted: false, values: Vec::new() }]
            };
            rules.push(AwkRule { when, statements });
        }
        (!rules.is_empty()).then_some(rules)
    }

    fn block(&mut self) -> Option<Vec<Statement>> {
        let mut statements = Vec::new();
        loop {
            while self.sign(';') {}
            if self.sign('}') {
                return Some(statements);
            }
            let Some(Token::Name(name)) = self.peek() else {
                return None;
            };
            let formatted = match name.as_str() {
                "print" => false,
                "printf" => true,
                _ => return None,
            };
            self.at += 1;
            let mut values = Vec::new();
            if !matches!(self.peek(), Some(Token::Sign('}' | ';'))) {
                values.push(self.join(0)?);
                while self.sign(',') {
                    values.push(self.join(0)?);
                }
            }
            // `print ("a", "b")` is parsed as a group and refused; it is rare.
            if !matches!(self.peek(), Some(Token::Sign('}' | ';'))) {
                return None;
            }
            statements.push(Statement { formatted, values });
        }
    }

    fn join(&mut self, depth: usize) -> Option<Expr> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut parts = vec![self.single(depth)?];
        loop {
            if self.sign('-') {
                let right = self.single(depth)?;
                let left = parts.pop()?;
                parts.push(Expr::Minus(Box::new(left), Box::new(right)));
                continue;
            }
            match self.peek() {
                Some(
                    Token::Text(_) | Token::Number(_) | Token::Name(_) | Token::Sign('$' | '('),
                ) => {
                    parts.push(self.single(depth)?);
                }
                _ => break,
            }
        }
        if parts.len() == 1 { parts.pop() } else { Some(Expr::Join(parts)) }
    }

    fn single(&mut self, depth: usize) -> Option<Expr> {
        if depth > MAX_DEPTH {
            return None;
        }
        let token = self.peek()?.clone();
        self.at += 1;
        Some(match token {
            Token::Text(text) => Expr::Text(text),
            Token::Number(number) => Expr::Number(number),
            Token::Sign('$') => Expr::Field(Box::new(self.single(depth + 1)?)),
            Token::Sign('(') => {
                let inner = self.join(depth + 1)?;
                if !self.sign(')') {
                    return None;
                }
                inner
            }
            Token::Name(name) => match name.as_str() {
                "NF" => Expr::FieldCount,
                "NR" | "FNR" => Expr::LineNumber,
                "toupper" | "tolower" | "length" | "substr" | "sprintf" => {
                    let name = ["toupper", "tolower", "length", "substr", "sprintf"]
                        .into_iter()
                        .find(|known| *known == name)?;
                    let mut arguments = Vec::new();
                    if self.sign('(') && !self.sign(')') {
                        arguments.push(self.join(depth + 1)?);
                        while self.sign(',') {
                            arguments.push(self.join(depth + 1)?);
                        }
                        if !self.sign(')') {
                            return None;
                        }
                    }
                    Expr::Call(name, arguments)
                }
                name => {
                    let (_, value) =
                        self.assigned.iter().rev().find(|(known, _)| *known == name)?;
                    Expr::Text((*value).to_owned())
                }
            },
            _ => return None,
        })
    }
}

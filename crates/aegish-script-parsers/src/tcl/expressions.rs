//! Expressions, as `expr` and the conditions of loops and branches take them.

use super::escapes::joined_lines;
use super::lists::closing;
use super::words::{Cursor, Part, Word, expression_blanks};
use super::{Parsed, Rejected, Tcl, text};
use crate::ir::{Argument, Constant, Expr, LogicOp, UnaryOp};

/// Operators by how tightly they bind. Longer ones come before those that they start with.
const OPERATORS: &[(&str, u8)] = &[
    ("||", 1),
    ("&&", 2),
    ("**", 12),
    ("<<", 9),
    (">>", 9),
    ("<=", 8),
    (">=", 8),
    ("==", 7),
    ("!=", 7),
    ("eq", 6),
    ("ne", 6),
    ("in", 6),
    ("ni", 6),
    ("lt", 8),
    ("le", 8),
    ("gt", 8),
    ("ge", 8),
    ("|", 3),
    ("^", 4),
    ("&", 5),
    ("<", 8),
    (">", 8),
    ("+", 10),
    ("-", 10),
    ("*", 11),
    ("/", 11),
    ("%", 11),
];

const POWER: u8 = 12;

impl Tcl<'_> {
    /// The value of a text that is an expression.
    pub(super) fn expression(&mut self, code: &str) -> Parsed<Expr> {
        let mut cursor = Cursor::new(code);
        let value = self.ternary(&mut cursor)?;
        expression_blanks(&mut cursor);
        if cursor.rest().is_empty() { Ok(value) } else { Err(Rejected) }
    }

    fn ternary(&mut self, cursor: &mut Cursor<'_>) -> Parsed<Expr> {
        if !self.lowering.enter() {
            return Err(Rejected);
        }
        let test = self.binary(cursor, 1)?;
        expression_blanks(cursor);
        let value = if cursor.next() == Some('?') {
            cursor.skip(1);
            let yes = self.ternary(cursor)?;
            expression_blanks(cursor);
            if cursor.next() != Some(':') {
                return Err(Rejected);
            }
            cursor.skip(1);
            let no = self.ternary(cursor)?;
            Expr::Conditional(Box::new([test, yes, no]))
        } else {
            test
        };
        self.lowering.leave();
        Ok(value)
    }

    /// Operators that bind at least as tightly as a level.
    fn binary(&mut self, cursor: &mut Cursor<'_>, least: u8) -> Parsed<Expr> {
        let mut left = self.operand(cursor)?;
        loop {
            let Some((_, level)) = operator(cursor) else { return Ok(left) };
            if level < least {
                return Ok(left);
            }
            // All operators of one level in a row are one chain.
            let mut values = vec![left];
            let mut signs = Vec::new();
            while let Some((sign, found)) = operator(cursor)
                && found == level
            {
                expression_blanks(cursor);
                cursor.skip(sign.len());
                let right = if level == POWER {
                    if !self.lowering.enter() {
                        return Err(Rejected);
                    }
                    let right = self.binary(cursor, POWER)?;
                    self.lowering.leave();
                    right
                } else {
                    self.binary(cursor, level + 1)?
                };
                signs.push(sign);
                values.push(right);
            }
            left = match level {
                1 => truth(Expr::Logic(LogicOp::Or, values)),
                2 => truth(Expr::Logic(LogicOp::And, values)),
                _ => {
                    let mut arguments = Vec::new();
                    let mut signs = signs.into_iter();
                    for value in values {
                        if !arguments.is_empty() {
                            arguments.push(Argument::One(text(signs.next().unwrap_or(""))));
                        }
                        arguments.push(Argument::One(value));
                    }
                    self.call("<calculate>", arguments)
                }
            };
        }
    }

    fn operand(&mut self, cursor: &mut Cursor<'_>) -> Parsed<Expr> {
        self.lowering.size += 1;
        let mut signs = Vec::new();
        loop {
            expression_blanks(cursor);
            match cursor.next() {
                Some(sign @ ('-' | '+' | '~' | '!')) => {
                    signs.push(sign);
                    cursor.skip(1);
                }
                _ => break,
            }
        }
        let mut value = self.primary(cursor)?;
        // `--x` is `x`; a row of signs does not nest.
        while let Some(sign) = signs.pop() {
            if signs.last() == Some(&sign) && sign != '!' {
                signs.pop();
                continue;
            }
            value = match sign {
                '+' => value,
                '!' => {
                    let mut odd = true;
                    while signs.last() == Some(&'!') {
                        signs.pop();
                        odd = !odd;
                    }
                    let not = Expr::Unary(UnaryOp::Not, Box::new(value));
                    if odd { not } else { Expr::Unary(UnaryOp::Not, Box::new(not)) }
                }
                other => {
                    if signs.len() > 8 {
                        return Err(Rejected);
                    }
                    let sign = if other == '-' { "<minus>" } else { "<invert>" };
                    self.call_with(sign, vec![value])
                }
            };
        }
        Ok(value)
    }

    fn primary(&mut self, cursor: &mut Cursor<'_>) -> Parsed<Expr> {
        match cursor.next() {
            Some('(') => {
                cursor.skip(1);
                let value = self.ternary(cursor)?;
                expression_blanks(cursor);
                if cursor.next() != Some(')') {
                    return Err(Rejected);
                }
                cursor.skip(1);
                Ok(value)
            }
            Some('$') => {
                cursor.skip(1);
                self.variable(cursor)?.ok_or(Rejected)
            }
            Some('[') => {
                cursor.skip(1);
                self.bracket(cursor)
            }
            Some('{') => {
                let end = closing(cursor.rest()).ok_or(Rejected)?;
                let inner = joined_lines(cursor.rest().get(1..end).unwrap_or(""));
                cursor.skip(end + 1);
                Ok(Word::of(vec![Part::Text(inner)]).value())
            }
            Some('"') => {
                cursor.skip(1);
                let parts = self.parts(cursor, |c| c == '"')?;
                if cursor.next() != Some('"') {
                    return Err(Rejected);
                }
                cursor.skip(1);
                Ok(Word::of(parts).value())
            }
            Some(c) if c.is_ascii_digit() || c == '.' => Ok(number(cursor)),
            Some(c) if c.is_ascii_alphabetic() || c == '_' || c == ':' => {
                self.word_in_expression(cursor)
            }
            _ => Err(Rejected),
        }
    }

    /// A function, or a word that stands for a truth value.
    fn word_in_expression(&mut self, cursor: &mut Cursor<'_>) -> Parsed<Expr> {
        let part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':');
        let length = cursor.rest().bytes().take_while(|b| part(b)).count();
        let name = cursor.rest().get(..length).unwrap_or("").to_owned();
        cursor.skip(length);
        expression_blanks(cursor);
        if cursor.next() != Some('(') {
            return match name.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" => Ok(Expr::Constant(Constant::Bool(true))),
                "false" | "no" | "off" => Ok(Expr::Constant(Constant::Bool(false))),
                "inf" | "infinity" | "nan" => Ok(Expr::Constant(Constant::Number)),
                _ if name.contains(super::UNKNOWN_PART) => Ok(super::constant(&name)),
                _ => Err(Rejected),
            };
        }
        cursor.skip(1);
        let mut values = Vec::new();
        expression_blanks(cursor);
        if cursor.next() == Some(')') {
            cursor.skip(1);
        } else {
            loop {
                values.push(self.ternary(cursor)?);
                expression_blanks(cursor);
                let found = cursor.next();
                cursor.skip(1);
                match found {
                    Some(',') => {}
                    Some(')') => break,
                    _ => return Err(Rejected),
                }
            }
        }
        let name = name.trim_start_matches("::");
        let name = name.strip_prefix("tcl::mathfunc::").unwrap_or(name);
        Ok(self.call_with(&format!("tcl::mathfunc::{name}"), values))
    }
}

/// The operator that comes next, and how tightly it binds.
fn operator(cursor: &mut Cursor<'_>) -> Option<(&'static str, u8)> {
    expression_blanks(cursor);
    let rest = cursor.rest();
    OPERATORS.iter().copied().find(|(sign, _)| {
        rest.strip_prefix(sign).is_some_and(|behind| {
            let word = sign.starts_with(|c: char| c.is_ascii_alphabetic());
            !(word && behind.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
        })
    })
}

/// `1` or `0` for what is true or not.
fn truth(value: Expr) -> Expr {
    let not = Expr::Unary(UnaryOp::Not, Box::new(value));
    Expr::Unary(UnaryOp::Not, Box::new(not))
}

fn number(cursor: &mut Cursor<'_>) -> Expr {
    let rest = cursor.rest();
    let lower = rest.get(..2).unwrap_or("").to_ascii_lowercase();
    let base = match lower.as_str() {
        "0x" => 16,
        "0o" => 8,
        "0b" => 2,
        _ => 10,
    };
    if base != 10 {
        let digits = rest.get(2..).unwrap_or("");
        let length = digits.bytes().take_while(|b| char::from(*b).is_digit(base)).count();
        let value = i64::from_str_radix(digits.get(..length).unwrap_or(""), base);
        cursor.skip(2 + length);
        return Expr::Constant(value.map_or(Constant::Number, Constant::Int));
    }
    let bytes = rest.as_bytes();
    let mut length = 0;
    while let Some(byte) = bytes.get(length) {
        let sign = matches!(byte, b'+' | b'-')
            && length > 0
            && matches!(bytes.get(length - 1), Some(b'e' | b'E'));
        let exponent = matches!(byte, b'e' | b'E')
            && bytes
                .get(length + 1)
                .is_some_and(|next| next.is_ascii_digit() || matches!(next, b'+' | b'-'));
        if !(byte.is_ascii_digit() || *byte == b'.' || exponent || sign) {
            break;
        }
        length += 1;
    }
    let digits = rest.get(..length).unwrap_or("");
    // A leading zero was octal before version 9.
    let octal = digits.len() > 1 && digits.starts_with('0');
    let value = if octal { None } else { digits.parse().ok() };
    cursor.skip(length.max(1));
    Expr::Constant(value.map_or(Constant::Number, Constant::Int))
}

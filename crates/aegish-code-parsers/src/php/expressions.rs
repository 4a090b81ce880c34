//! Expressions: operators and assignments.

use super::lexer::Token;
use super::targets::{copied, target};
use super::{MAX_CHAIN, Parsed, Php, Rejected, text};
use crate::ir::{
    Argument, BinaryOp, CompareOp, Constant, Expr, Gives, LogicOp, Target, UnaryOp, Update,
};

/// An operator between two values.
#[derive(Clone, Copy, PartialEq)]
enum Operator {
    Binary(BinaryOp),
    Compare(CompareOp),
    Logic(LogicOp),
    Concat,
    Xor,
    Spaceship,
    Ternary,
    InstanceOf,
}

/// The weakest operators that an assignment still holds: all but `and`, `xor` and `or`.
const ASSIGNED: u8 = 4;

fn operator(token: &Token) -> Option<(Operator, u8)> {
    use Operator::{Binary, Compare, Concat, InstanceOf, Logic, Spaceship, Ternary, Xor};
    Some(match token {
        Token::Name(name) => match name.to_ascii_lowercase().as_str() {
            "or" => (Logic(LogicOp::Or), 1),
            "xor" => (Xor, 2),
            "and" => (Logic(LogicOp::And), 3),
            "instanceof" => (InstanceOf, 22),
            _ => return None,
        },
        Token::Symbol(symbol) => match *symbol {
            "?" => (Ternary, 8),
            "??" => (Logic(LogicOp::Coalesce), 9),
            "||" => (Logic(LogicOp::Or), 10),
            "&&" => (Logic(LogicOp::And), 11),
            "|" => (Binary(BinaryOp::BitOr), 12),
            "^" => (Binary(BinaryOp::BitXor), 13),
            "&" => (Binary(BinaryOp::BitAnd), 14),
            "==" => (Compare(CompareOp::LooseEqual), 15),
            "!=" | "<>" => (Compare(CompareOp::LooseNotEqual), 15),
            "===" => (Compare(CompareOp::Equal), 15),
            "!==" => (Compare(CompareOp::NotEqual), 15),
            "<=>" => (Spaceship, 15),
            "<" => (Compare(CompareOp::Less), 16),
            "<=" => (Compare(CompareOp::LessEqual), 16),
            ">" => (Compare(CompareOp::Greater), 16),
            ">=" => (Compare(CompareOp::GreaterEqual), 16),
            "." => (Concat, 17),
            "<<" => (Binary(BinaryOp::ShiftLeft), 18),
            ">>" => (Binary(BinaryOp::ShiftRight), 18),
            "+" => (Binary(BinaryOp::Add), 19),
            "-" => (Binary(BinaryOp::Sub), 19),
            "*" => (Binary(BinaryOp::Mul), 20),
            "/" => (Binary(BinaryOp::Div), 20),
            "%" => (Binary(BinaryOp::Mod), 20),
            "**" => (Binary(BinaryOp::Pow), 23),
            _ => return None,
        },
        _ => return None,
    })
}

fn update_operator(symbol: &str) -> Option<BinaryOp> {
    Some(match symbol {
        "+=" => BinaryOp::Add,
        "-=" => BinaryOp::Sub,
        "*=" => BinaryOp::Mul,
        "/=" => BinaryOp::Div,
        "%=" => BinaryOp::Mod,
        "**=" => BinaryOp::Pow,
        "<<=" => BinaryOp::ShiftLeft,
        ">>=" => BinaryOp::ShiftRight,
        "|=" => BinaryOp::BitOr,
        "^=" => BinaryOp::BitXor,
        "&=" => BinaryOp::BitAnd,
        _ => return None,
    })
}

impl Php<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.binary(0)
    }

    /// Everything but `and`, `xor` and `or`.
    pub(super) fn assigned(&mut self) -> Parsed<Expr> {
        self.binary(ASSIGNED)
    }

    fn binary(&mut self, weakest: u8) -> Parsed<Expr> {
        if !self.lowering.enter() {
            return Err(Rejected);
        }
        let result = self.binary_inside(weakest);
        self.lowering.leave();
        result
    }

    fn binary_inside(&mut self, weakest: u8) -> Parsed<Expr> {
        let mut left = self.unary()?;
        let mut nested = 0;
        while let Some((operator, level)) = operator(&self.token) {
            if level < weakest {
                break;
            }
            self.advance();
            nested += 1;
            left = match operator {
                Operator::Binary(op) => {
                    let right = self.binary(if op == BinaryOp::Pow { level } else { level + 1 })?;
                    match left {
                        Expr::Chain(first, mut rest) => {
                            rest.push((op, right));
                            Expr::Chain(first, rest)
                        }
                        other => Expr::Chain(Box::new(other), vec![(op, right)]),
                    }
                }
                Operator::Concat => {
                    let right = self.binary(level + 1)?;
                    match left {
                        Expr::Build(mut parts) => {
                            parts.push(right);
                            Expr::Build(parts)
                        }
                        other => Expr::Build(vec![other, right]),
                    }
                }
                Operator::Logic(op) => {
                    let right = self.binary(level + 1)?;
                    match left {
                        Expr::Logic(known, mut values) if known == op => {
                            values.push(right);
                            Expr::Logic(op, values)
                        }
                        other => Expr::Logic(op, vec![other, right]),
                    }
                }
                Operator::Compare(op) if nested < MAX_CHAIN => {
                    let right = self.binary(level + 1)?;
                    Expr::Compare(Box::new(left), vec![(op, right)])
                }
                Operator::InstanceOf if nested < MAX_CHAIN => {
                    if matches!(self.token, Token::Name(_)) {
                        self.advance();
                    } else {
                        self.binary(level + 1)?;
                    }
                    self.builtin("<test>", vec![left])
                }
                Operator::Ternary if nested < MAX_CHAIN => {
                    if self.takes(":") {
                        let no = self.binary(level + 1)?;
                        Expr::Logic(LogicOp::Or, vec![left, no])
                    } else {
                        let yes = self.binary(ASSIGNED)?;
                        self.expect(":")?;
                        let no = self.binary(level + 1)?;
                        Expr::Conditional(Box::new([left, yes, no]))
                    }
                }
                Operator::Xor | Operator::Spaceship if nested < MAX_CHAIN => {
                    let right = self.binary(level + 1)?;
                    self.builtin("<test>", vec![left, right])
                }
                _ => return Err(Rejected),
            };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        if !self.lowering.enter() {
            return Err(Rejected);
        }
        let result = self.unary_inside();
        self.lowering.leave();
        result
    }

    fn unary_inside(&mut self) -> Parsed<Expr> {
        match self.token.clone() {
            Token::Symbol(symbol @ ("!" | "-" | "+" | "~")) => {
                self.advance();
                let (op, level) = match symbol {
                    "!" => (UnaryOp::Not, 21),
                    "-" => (UnaryOp::Minus, 23),
                    "+" => (UnaryOp::Plus, 23),
                    _ => (UnaryOp::Invert, 23),
                };
                let value = self.binary(level)?;
                Ok(match (op, value) {
                    (UnaryOp::Minus, Expr::Constant(Constant::Int(number))) => {
                        Expr::Constant(Constant::Int(number.wrapping_neg()))
                    }
                    // The bits of a text may be turned around.
                    (UnaryOp::Invert, value) => self.builtin("<invert>", vec![value]),
                    (op, value) => Expr::Unary(op, Box::new(value)),
                })
            }
            Token::Symbol("@") => {
                self.advance();
                self.binary(23)
            }
            Token::Symbol("&") => {
                self.advance();
                self.binary(23)
            }
            Token::Symbol(symbol @ ("++" | "--")) => {
                self.advance();
                let place = self.unary()?;
                Ok(counted(place, symbol, Gives::New))
            }
            Token::Cast(kind) => {
                self.advance();
                let value = self.binary(22)?;
                Ok(self.builtin(&format!("<{kind}>"), vec![value]))
            }
            _ => self.assignment(),
        }
    }

    fn assignment(&mut self) -> Parsed<Expr> {
        let place = self.operand()?;
        let Token::Symbol(symbol) = self.token else { return Ok(place) };
        match symbol {
            "=" if Self::is_place(&place) => {
                self.advance();
                if self.takes("&") {
                    return self.reference(place);
                }
                let value = self.binary(ASSIGNED)?;
                let value = self.value_copy(value);
                Ok(Expr::Assign(Box::new((target(place), value))))
            }
            ".=" => {
                self.advance();
                let value = self.binary(ASSIGNED)?;
                let old = copied(&place);
                Ok(Expr::Assign(Box::new((target(place), Expr::Build(vec![old, value])))))
            }
            "??=" => {
                self.advance();
                let value = self.binary(ASSIGNED)?;
                let old = copied(&place);
                let value = Expr::Assign(Box::new((target(place), value)));
                Ok(Expr::Logic(LogicOp::Coalesce, vec![old, value]))
            }
            "++" | "--" => {
                self.advance();
                Ok(counted(place, symbol, Gives::Old))
            }
            _ => match update_operator(symbol) {
                Some(op) => {
                    self.advance();
                    let value = self.binary(ASSIGNED)?;
                    let old = copied(&place);
                    let target = target(place);
                    let update = Update { target, old, op, value, gives: Gives::New };
                    Ok(Expr::Update(Box::new(update)))
                }
                None => Ok(place),
            },
        }
    }

    /// A value that is assigned: an array is copied if it belongs to another variable.
    pub(super) fn value_copy(&mut self, value: Expr) -> Expr {
        if matches!(
            value,
            Expr::Name(_)
                | Expr::Index(_)
                | Expr::Attribute(..)
                | Expr::Conditional(_)
                | Expr::Logic(..)
                | Expr::Assign(_)
        ) {
            return self.builtin("<copy>", vec![value]);
        }
        value
    }

    /// `place = &other`: two names of one variable.
    fn reference(&mut self, place: Expr) -> Parsed<Expr> {
        let other = self.binary(ASSIGNED)?;
        match (&place, &other) {
            (Expr::Name(name), Expr::Name(other)) => {
                let (name, other) = (text(name), text(other));
                Ok(self.builtin("<alias>", vec![name, other]))
            }
            _ => {
                // An object is the same without a reference; a place in an array is not followed.
                if Self::is_place(&other) {
                    self.lowering.cut = true;
                }
                Ok(Expr::Assign(Box::new((target(place), other))))
            }
        }
    }

    /// Arguments in brackets; none for `(...)`, which makes a function of a call.
    pub(super) fn arguments(&mut self) -> Parsed<Option<Vec<Argument>>> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        while !self.takes(")") {
            if self.is("...") {
                self.advance();
                if self.takes(")") {
                    return Ok(None);
                }
                arguments.push(Argument::Spread(self.expression()?));
            } else if matches!(&self.token, Token::Name(_)) && self.peek() == Token::Symbol(":") {
                let name = self.identifier()?;
                self.expect(":")?;
                let value = self.expression()?;
                arguments.push(Argument::Named(format!("${name}").into(), value));
            } else {
                arguments.push(Argument::One(self.expression()?));
            }
            if !self.is(")") {
                self.expect(",")?;
            }
        }
        Ok(Some(arguments))
    }
}

fn counted(place: Expr, symbol: &str, gives: Gives) -> Expr {
    let op = if symbol == "++" { BinaryOp::Add } else { BinaryOp::Sub };
    let old = copied(&place);
    let target: Target = target(place);
    let value = Expr::Constant(Constant::Int(1));
    Expr::Update(Box::new(Update { target, old, op, value, gives }))
}

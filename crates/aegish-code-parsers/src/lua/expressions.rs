//! Expressions of Lua.

use super::lexer::Token;
use super::{Lua, Parsed, REST, Rejected, field, text};
use crate::ir::{
    Argument, Arguments, BinaryOp, Body, Call, CallKind, CompareOp, Constant, Expr, Function,
    LogicOp, Name, Parameter, Receiver, UnaryOp,
};
use crate::lowering::Lowering;
use std::rc::Rc;

/// An operator between two values.
#[derive(Clone, Copy)]
enum Operator {
    Binary(BinaryOp),
    Compare(CompareOp),
    Logic(LogicOp),
    Concat,
}

/// Priority to the left and to the right, as in the reference implementation.
fn operator(symbol: &str) -> Option<(Operator, u8, u8)> {
    use Operator::{Binary, Compare, Concat, Logic};
    Some(match symbol {
        "or" => (Logic(LogicOp::Or), 1, 1),
        "and" => (Logic(LogicOp::And), 2, 2),
        "<" => (Compare(CompareOp::Less), 3, 3),
        ">" => (Compare(CompareOp::Greater), 3, 3),
        "<=" => (Compare(CompareOp::LessEqual), 3, 3),
        ">=" => (Compare(CompareOp::GreaterEqual), 3, 3),
        "==" => (Compare(CompareOp::Equal), 3, 3),
        "~=" => (Compare(CompareOp::NotEqual), 3, 3),
        "|" => (Binary(BinaryOp::BitOr), 4, 4),
        "~" => (Binary(BinaryOp::BitXor), 5, 5),
        "&" => (Binary(BinaryOp::BitAnd), 6, 6),
        "<<" => (Binary(BinaryOp::ShiftLeft), 7, 7),
        ">>" => (Binary(BinaryOp::ShiftRight), 7, 7),
        ".." => (Concat, 9, 8),
        "+" => (Binary(BinaryOp::Add), 10, 10),
        "-" => (Binary(BinaryOp::Sub), 10, 10),
        "*" => (Binary(BinaryOp::Mul), 11, 11),
        "/" => (Binary(BinaryOp::Div), 11, 11),
        "//" => (Binary(BinaryOp::FloorDiv), 11, 11),
        "%" => (Binary(BinaryOp::Mod), 11, 11),
        "^" => (Binary(BinaryOp::Pow), 14, 13),
        _ => return None,
    })
}

const UNARY_PRIORITY: u8 = 12;

impl Lua<'_> {
    /// An expression of which one value counts.
    pub(super) fn value(&mut self) -> Parsed<Expr> {
        let value = self.expression(0)?;
        Ok(single(value))
    }

    /// An expression that may stand for several values.
    pub(super) fn expression(&mut self, limit: u8) -> Parsed<Expr> {
        if !self.lowering.enter() {
            return Err(Rejected);
        }
        let mut left = self.operand()?;
        while let Token::Symbol(symbol) = self.token
            && let Some((operator, before, behind)) = operator(symbol)
            && before > limit
        {
            self.advance();
            let right = single(self.expression(behind)?);
            left = combined(operator, single(left), right);
        }
        self.lowering.leave();
        Ok(left)
    }

    fn operand(&mut self) -> Parsed<Expr> {
        let Token::Symbol(symbol) = self.token else { return self.simple() };
        let op = match symbol {
            "not" => UnaryOp::Not,
            "-" => UnaryOp::Minus,
            "~" => UnaryOp::Invert,
            "#" => {
                self.advance();
                let value = single(self.expression(UNARY_PRIORITY)?);
                return Ok(
                    self.call(Expr::Name(Lowering::name("rawlen")), vec![Argument::One(value)])
                );
            }
            _ => return self.simple(),
        };
        self.advance();
        let value = single(self.expression(UNARY_PRIORITY)?);
        Ok(Expr::Unary(op, Box::new(value)))
    }

    fn simple(&mut self) -> Parsed<Expr> {
        match &self.token {
            Token::Constant(constant) => {
                let constant = Expr::Constant(constant.clone());
                self.advance();
                Ok(constant)
            }
            Token::Symbol("nil") => self.constant(Constant::None),
            Token::Symbol("true") => self.constant(Constant::Bool(true)),
            Token::Symbol("false") => self.constant(Constant::Bool(false)),
            Token::Symbol("...") => {
                self.advance();
                Ok(Expr::Name(Lowering::name(REST)))
            }
            Token::Symbol("{") => self.table(),
            Token::Symbol("function") => {
                self.advance();
                let function = self.function("<function>", false)?;
                Ok(Expr::Function(function))
            }
            _ => self.suffixed(),
        }
    }

    fn constant(&mut self, constant: Constant) -> Parsed<Expr> {
        self.advance();
        Ok(Expr::Constant(constant))
    }

    /// A name or an expression in brackets, with fields, subscripts and calls behind it.
    pub(super) fn suffixed(&mut self) -> Parsed<Expr> {
        let mut value = match self.advance() {
            Token::Name(name) => self.variable(name),
            Token::Symbol("(") => {
                let inner = self.value()?;
                self.expect(")")?;
                inner
            }
            _ => return Err(Rejected),
        };
        let mut links = 0;
        loop {
            value = match &self.token {
                Token::Symbol(".") => {
                    self.advance();
                    let name = self.name()?;
                    field(single(value), &name)
                }
                Token::Symbol("[") => {
                    self.advance();
                    let index = self.value()?;
                    self.expect("]")?;
                    Expr::Index(Box::new([single(value), index]))
                }
                Token::Symbol(":") => {
                    self.advance();
                    let name = self.name()?;
                    let arguments = self.arguments()?;
                    let function = Expr::Attribute(Box::new(single(value)), name);
                    self.call(function, arguments)
                }
                Token::Symbol("(" | "{")
                | Token::Constant(Constant::Text(_) | Constant::Bytes(_)) => {
                    let arguments = self.arguments()?;
                    self.call(single(value), arguments)
                }
                _ => break,
            };
            // Each link nests.
            links += 1;
            if !self.lowering.enter() {
                return Err(Rejected);
            }
        }
        (0..links).for_each(|_| self.lowering.leave());
        Ok(value)
    }

    pub(super) fn call(&mut self, function: Expr, arguments: Vec<Argument>) -> Expr {
        let site = self.lowering.site();
        Expr::Call(Box::new(Call { function, arguments, site, kind: CallKind::Plain }))
    }

    fn arguments(&mut self) -> Parsed<Vec<Argument>> {
        if let Token::Constant(constant @ (Constant::Text(_) | Constant::Bytes(_))) = &self.token {
            let value = Expr::Constant(constant.clone());
            self.advance();
            return Ok(vec![Argument::One(value)]);
        }
        if self.is("{") {
            return Ok(vec![Argument::One(self.table()?)]);
        }
        self.expect("(")?;
        let mut values = Vec::new();
        if !self.is(")") {
            values = self.values()?;
        }
        self.expect(")")?;
        Ok(spread(values))
    }

    /// Expressions with commas between them.
    pub(super) fn values(&mut self) -> Parsed<Vec<Expr>> {
        let mut values = vec![self.expression(0)?];
        while self.takes(",") {
            values.push(self.expression(0)?);
        }
        Ok(values)
    }

    fn table(&mut self) -> Parsed<Expr> {
        self.expect("{")?;
        let mut pairs = Vec::new();
        let mut place = 0;
        let mut last: Option<Expr> = None;
        while !self.is("}") {
            if let Some(value) = last.take() {
                place += 1;
                pairs.push((Some(Expr::Constant(Constant::Int(place))), single(value)));
            }
            if self.takes("[") {
                let key = self.value()?;
                self.expect("]")?;
                self.expect("=")?;
                let value = self.value()?;
                pairs.push((Some(key), value));
            } else {
                let value = self.expression(0)?;
                match value {
                    Expr::Name(name) if self.is("=") => {
                        self.advance();
                        let value = self.value()?;
                        pairs.push((Some(text(&name)), value));
                    }
                    // A global variable where `_ENV` is another table.
                    Expr::Index(parts) if self.is("=") => {
                        self.advance();
                        let [_, key] = *parts;
                        let value = self.value()?;
                        pairs.push((Some(key), value));
                    }
                    other => last = Some(other),
                }
            }
            if !(self.takes(",") || self.takes(";")) {
                break;
            }
        }
        self.expect("}")?;
        match last {
            // A call or `...` at the end gives all its values.
            Some(value @ (Expr::Call(_) | Expr::Name(_))) => {
                let start = Expr::Constant(Constant::Int(place + 1));
                let arguments =
                    vec![Argument::One(Expr::Dict(pairs)), Argument::One(start), spread_one(value)];
                Ok(self.call(Expr::Name(Lowering::name("<table>")), arguments))
            }
            Some(value) => {
                pairs.push((Some(Expr::Constant(Constant::Int(place + 1))), value));
                Ok(Expr::Dict(pairs))
            }
            None => Ok(Expr::Dict(pairs)),
        }
    }

    /// Parameters and body of a function.
    pub(super) fn function(&mut self, name: &str, method: bool) -> Parsed<Rc<Function>> {
        self.lowering.functions += 1;
        let id = self.lowering.functions;
        let mut positional = Vec::new();
        let mut rest = None;
        let mut names: Vec<Name> = Vec::new();
        if method {
            names.push(Lowering::name("self"));
        }
        self.expect("(")?;
        while !self.is(")") {
            if self.takes(REST) {
                rest = Some(Lowering::name(REST));
                break;
            }
            names.push(self.name()?);
            if !self.takes(",") {
                break;
            }
        }
        self.expect(")")?;
        self.scopes.push(names.iter().cloned().collect());
        let loops = std::mem::take(&mut self.loops);
        let body = self.block()?;
        self.loops = loops;
        self.scopes.pop();
        self.expect("end")?;
        positional.extend(names.into_iter().map(|name| Parameter { name, default: None }));
        Ok(Rc::new(Function {
            id,
            name: Lowering::name(name),
            positional,
            rest,
            keyword_only: Vec::new(),
            named_rest: None,
            body: Body::Block(body),
            generator: false,
            receiver: Receiver::Lexical,
            arguments: Arguments::Unnamed,
            sees_itself: false,
        }))
    }
}

/// The one value that an expression stands for.
pub(super) fn single(value: Expr) -> Expr {
    match value {
        Expr::Call(_) => Expr::Sequence(vec![value]),
        Expr::Name(name) if &*name == REST => Expr::Sequence(vec![Expr::Name(name)]),
        other => other,
    }
}

fn spread_one(value: Expr) -> Argument {
    match value {
        Expr::Call(_) => Argument::Spread(value),
        Expr::Name(name) if &*name == REST => Argument::Spread(Expr::Name(name)),
        other => Argument::One(other),
    }
}

/// The last of several expressions may stand for several values.
pub(super) fn spread(values: Vec<Expr>) -> Vec<Argument> {
    let last = values.len().saturating_sub(1);
    values
        .into_iter()
        .enumerate()
        .map(
            |(place, value)| {
                if place == last { spread_one(value) } else { Argument::One(single(value)) }
            },
        )
        .collect()
}

fn combined(operator: Operator, left: Expr, right: Expr) -> Expr {
    match operator {
        Operator::Binary(op) => match left {
            Expr::Chain(first, mut rest) => {
                // Operators of the same priority associate to the left: flat, so that the length does not nest.
                rest.push((op, right));
                Expr::Chain(first, rest)
            }
            other => Expr::Chain(Box::new(other), vec![(op, right)]),
        },
        Operator::Compare(op) => Expr::Compare(Box::new(left), vec![(op, right)]),
        Operator::Logic(op) => match left {
            Expr::Logic(known, mut values) if known == op => {
                values.push(right);
                Expr::Logic(op, values)
            }
            other => Expr::Logic(op, vec![other, right]),
        },
        Operator::Concat => match right {
            // Associates to the right.
            Expr::Build(mut parts) => {
                parts.insert(0, left);
                Expr::Build(parts)
            }
            other => Expr::Build(vec![left, other]),
        },
    }
}

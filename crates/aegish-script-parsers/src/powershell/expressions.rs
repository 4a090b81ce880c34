//! Operators.

use super::cursor::{is_dash, is_name};
use super::{Parsed, Reader, Rejected, name, text};
use crate::ir::{
    Argument, BinaryOp, CompareOp, Expr, Gives, Item, LogicOp, Target, UnaryOp, Update,
};

/// An operator between two values.
#[derive(Clone, Copy)]
enum Operator {
    Binary(BinaryOp),
    Compare(CompareOp),
    Logic(LogicOp),
    /// A function of the interpreter.
    Call(&'static str),
}

const LOGIC: u8 = 1;
const BITWISE: u8 = 2;
const COMPARISON: u8 = 3;
const COALESCE: u8 = 4;
const SUM: u8 = 5;
const PRODUCT: u8 = 6;
const FORMAT: u8 = 7;
const RANGE: u8 = 8;
const COMMA: u8 = 9;

/// Operators that are words, without the letter for the case.
fn word_operator(word: &str) -> Option<(Operator, u8)> {
    use Operator::{Binary, Call, Compare, Logic};
    Some(match word {
        "and" => (Logic(LogicOp::And), LOGIC),
        "or" => (Logic(LogicOp::Or), LOGIC),
        "xor" => (Call("<xor>"), LOGIC),
        "band" => (Binary(BinaryOp::BitAnd), BITWISE),
        "bor" => (Binary(BinaryOp::BitOr), BITWISE),
        "bxor" => (Binary(BinaryOp::BitXor), BITWISE),
        "shl" => (Binary(BinaryOp::ShiftLeft), COMPARISON),
        "shr" => (Binary(BinaryOp::ShiftRight), COMPARISON),
        "eq" => (Compare(CompareOp::LooseEqual), COMPARISON),
        "ne" => (Compare(CompareOp::LooseNotEqual), COMPARISON),
        "gt" => (Compare(CompareOp::Greater), COMPARISON),
        "ge" => (Compare(CompareOp::GreaterEqual), COMPARISON),
        "lt" => (Compare(CompareOp::Less), COMPARISON),
        "le" => (Compare(CompareOp::LessEqual), COMPARISON),
        "in" => (Compare(CompareOp::In), COMPARISON),
        "notin" => (Compare(CompareOp::NotIn), COMPARISON),
        "contains" => (Call("<contains>"), COMPARISON),
        "notcontains" => (Call("<notcontains>"), COMPARISON),
        "like" => (Call("<like>"), COMPARISON),
        "notlike" => (Call("<notlike>"), COMPARISON),
        "match" => (Call("<match>"), COMPARISON),
        "notmatch" => (Call("<notmatch>"), COMPARISON),
        "replace" => (Call("<replace>"), COMPARISON),
        "split" => (Call("<split>"), COMPARISON),
        "join" => (Call("<join>"), COMPARISON),
        "is" => (Call("<is>"), COMPARISON),
        "isnot" => (Call("<isnot>"), COMPARISON),
        "as" => (Call("<as>"), COMPARISON),
        "f" => (Call("<format>"), FORMAT),
        _ => return None,
    })
}

impl Reader<'_> {
    /// A value with all operators, as a statement has it.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.operators(LOGIC)
    }

    /// A value as an argument of a method has it: a comma ends it.
    pub(super) fn argument_value(&mut self) -> Parsed<Expr> {
        self.enter()?;
        let first = self.unary()?;
        let value = self.operators_behind(first, LOGIC, false)?;
        self.lowering.leave();
        Ok(value)
    }

    fn operators(&mut self, limit: u8) -> Parsed<Expr> {
        self.enter()?;
        let first = self.unary()?;
        let value = self.operators_behind(first, limit, true)?;
        self.lowering.leave();
        Ok(value)
    }

    fn operators_behind(&mut self, first: Expr, limit: u8, commas: bool) -> Parsed<Expr> {
        let mut left = first;
        let mut links = 0;
        loop {
            self.blanks();
            let start = self.at;
            if commas && limit <= COMMA && self.starts(",") {
                left = self.list_behind(left)?;
                continue;
            }
            if limit <= LOGIC && self.starts("?") && self.starts_ternary() {
                self.bump();
                self.lines();
                let yes = self.operators(LOGIC)?;
                self.lines();
                self.expect(":")?;
                self.lines();
                let no = self.operators(LOGIC)?;
                left = Expr::Conditional(Box::new([left, yes, no]));
                continue;
            }
            let Some((operator, level)) = self.operator() else { break };
            if level < limit {
                self.at = start;
                break;
            }
            self.lines();
            let right = if commas {
                self.operators(level + 1)?
            } else {
                self.enter()?;
                let first = self.unary()?;
                let right = self.operators_behind(first, level + 1, false)?;
                self.lowering.leave();
                right
            };
            let flat = match (&operator, &left) {
                (Operator::Binary(_), Expr::Chain(..)) => true,
                (Operator::Logic(op), Expr::Logic(known, _)) => op == known,
                _ => false,
            };
            left = self.combined(operator, left, right);
            if !flat {
                links += 1;
                self.enter()?;
            }
        }
        (0..links).for_each(|_| self.lowering.leave());
        Ok(left)
    }

    fn starts_ternary(&self) -> bool {
        !matches!(self.second(), Some('?' | '.' | '[' | '{'))
    }

    /// The items of a list from the first comma on.
    fn list_behind(&mut self, first: Expr) -> Parsed<Expr> {
        let mut items = vec![Item::One(first)];
        loop {
            self.blanks();
            if !self.takes(",") {
                return Ok(Expr::List(items));
            }
            self.lines();
            items.push(Item::One(self.unary()?));
        }
    }

    /// Takes an operator between two values.
    fn operator(&mut self) -> Option<(Operator, u8)> {
        use Operator::{Binary, Call, Logic};
        let start = self.at;
        let c = self.peek()?;
        if is_dash(c) && self.second().is_some_and(char::is_alphabetic) {
            self.bump();
            let word = self.while_is(is_name).to_ascii_lowercase();
            let found = match word.strip_prefix('c').and_then(word_operator) {
                // Letters of both cases differ.
                Some((Operator::Compare(CompareOp::LooseEqual), level)) if word == "ceq" => {
                    Some((Operator::Compare(CompareOp::Equal), level))
                }
                Some((Operator::Compare(CompareOp::LooseNotEqual), level)) => {
                    Some((Operator::Compare(CompareOp::NotEqual), level))
                }
                Some((Call(name), level)) => Some((Call(cased(name)), level)),
                Some(found) => Some(found),
                None => {
                    word_operator(&word).or_else(|| word.strip_prefix('i').and_then(word_operator))
                }
            };
            if found.is_none() {
                self.at = start;
            }
            return found;
        }
        let (length, found) = match (c, self.second()) {
            ('.', Some('.')) => (2, (Call("<range>"), RANGE)),
            ('?', Some('?')) => {
                // `??=` assigns.
                if self.rest().starts_with("??=") {
                    return None;
                }
                (2, (Logic(LogicOp::Coalesce), COALESCE))
            }
            ('+' | '-' | '*' | '/' | '%', Some('=')) => return None,
            ('+', Some('+')) | ('-', Some('-')) => return None,
            ('+', _) => (1, (Binary(BinaryOp::Add), SUM)),
            (c, _) if is_dash(c) => (c.len_utf8(), (Binary(BinaryOp::Sub), SUM)),
            ('*', _) => (1, (Binary(BinaryOp::Mul), PRODUCT)),
            ('/', _) => (1, (Binary(BinaryOp::Div), PRODUCT)),
            ('%', _) => (1, (Binary(BinaryOp::Mod), PRODUCT)),
            _ => return None,
        };
        self.at += length;
        Some(found)
    }

    fn combined(&mut self, operator: Operator, left: Expr, right: Expr) -> Expr {
        match operator {
            Operator::Binary(op) => match left {
                // Flat, so that the length does not nest.
                Expr::Chain(first, mut rest) => {
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
            Operator::Call(function) => self.call(function, vec![left, right]),
        }
    }

    /// A value with the signs and casts before it.
    pub(super) fn unary(&mut self) -> Parsed<Expr> {
        self.blanks();
        let c = self.peek().ok_or(Rejected)?;
        if c == '!' {
            self.bump();
            return self.negated();
        }
        if c == ',' {
            self.bump();
            self.lines();
            let value = self.inner_unary()?;
            return Ok(Expr::List(vec![Item::One(value)]));
        }
        if self.starts("++") || self.starts("--") {
            let op = if self.starts("++") { BinaryOp::Add } else { BinaryOp::Sub };
            self.at += 2;
            let place = self.inner_unary()?;
            return self.step(place, op, Gives::New);
        }
        if c == '+' || is_dash(c) {
            return self.signed();
        }
        if c == '[' {
            return self.type_or_cast();
        }
        self.primary()
    }

    fn inner_unary(&mut self) -> Parsed<Expr> {
        self.enter()?;
        let value = self.unary()?;
        self.lowering.leave();
        Ok(value)
    }

    fn negated(&mut self) -> Parsed<Expr> {
        let value = self.inner_unary()?;
        Ok(Expr::Unary(UnaryOp::Not, Box::new(value)))
    }

    /// `-5`, `-not $x`, `-join $list`.
    fn signed(&mut self) -> Parsed<Expr> {
        let start = self.at;
        let sign = self.bump().ok_or(Rejected)?;
        if self.peek().is_some_and(char::is_alphabetic) {
            let word = self.while_is(is_name).to_ascii_lowercase();
            let function = match word.as_str() {
                "not" => return self.negated(),
                "bnot" => {
                    let value = self.inner_unary()?;
                    return Ok(Expr::Unary(UnaryOp::Invert, Box::new(value)));
                }
                "join" => "<join>",
                "split" | "isplit" | "csplit" => "<split>",
                _ => {
                    self.at = start;
                    return Err(Rejected);
                }
            };
            let value = self.inner_unary()?;
            return Ok(self.call(function, vec![value]));
        }
        let op = if sign == '+' { UnaryOp::Plus } else { UnaryOp::Minus };
        let value = self.inner_unary()?;
        Ok(Expr::Unary(op, Box::new(value)))
    }

    /// `[type]` as a value, or a cast of the value behind it.
    fn type_or_cast(&mut self) -> Parsed<Expr> {
        let Some(of) = self.type_literal()? else {
            // An attribute of a variable.
            self.lines();
            return self.inner_unary();
        };
        let start = self.at;
        self.blanks();
        let casts = match self.peek() {
            Some(c) if is_dash(c) => {
                self.second().is_some_and(|c| c.is_alphanumeric() || matches!(c, '$' | '('))
                    && start == self.at
            }
            Some('$' | '(' | '@' | '[' | '{' | '"' | '!') => true,
            Some(c) => c.is_ascii_digit() || super::cursor::is_single_quote(c),
            None => false,
        };
        if !casts || self.starts("[]") {
            self.at = start;
            return self.members(name(&format!("[{of}]")));
        }
        let value = self.inner_unary()?;
        if let (true, Expr::Name(variable)) = (of == "ref", &value) {
            // What gets the reference may change the variable.
            let target = Target::Name(variable.clone());
            let changed = self.call("<cast>", vec![text(&of), value]);
            return Ok(Expr::Assign(Box::new((target, changed))));
        }
        Ok(self.call("<cast>", vec![text(&of), value]))
    }

    /// `x++` and the like.
    pub(super) fn step(&mut self, place: Expr, op: BinaryOp, gives: Gives) -> Parsed<Expr> {
        let Expr::Name(variable) = place else {
            // Members and items count up rarely; their new value is not followed.
            let (target, value) = self.target(place, Expr::Unknown)?;
            return Ok(Expr::Assign(Box::new((target, value))));
        };
        Ok(Expr::Update(Box::new(Update {
            target: Target::Name(variable.clone()),
            old: Expr::Name(variable),
            op,
            value: Expr::Constant(crate::ir::Constant::Int(1)),
            gives,
        })))
    }

    /// The arguments of a method, from the opening bracket on.
    pub(super) fn method_arguments(&mut self) -> Parsed<Vec<Argument>> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        loop {
            self.lines();
            if self.takes(")") {
                return Ok(arguments);
            }
            // `[ref]$x` lets the method change the variable; the cast says so.
            arguments.push(Argument::One(self.argument_value()?));
            self.lines();
            if !self.takes(",") {
                self.expect(")")?;
                return Ok(arguments);
            }
        }
    }
}

/// The function that tells letters of both cases apart.
fn cased(function: &'static str) -> &'static str {
    match function {
        "<replace>" => "<creplace>",
        "<split>" => "<csplit>",
        "<like>" => "<clike>",
        "<notlike>" => "<notclike>",
        "<match>" => "<cmatch>",
        "<notmatch>" => "<notcmatch>",
        other => other,
    }
}

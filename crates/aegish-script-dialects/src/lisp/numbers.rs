//! Numbers, comparisons and questions about values.

use super::texts::LispTexts;
use super::{LispCalls, symbol_of};
use crate::ir::BinaryOp;
use crate::value::{Args, Val};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::Operators;
use easy_ext::ext;

#[ext(LispNumbers)]
pub(super) impl Interpreter<'_> {
    fn lisp_number(&mut self, path: &str, args: &Args) -> Option<Val> {
        let first = args.get(0).cloned();
        let op = match path {
            "+" => Some(BinaryOp::Add),
            "-" => Some(BinaryOp::Sub),
            "*" => Some(BinaryOp::Mul),
            "logior" | "bitwise-ior" => Some(BinaryOp::BitOr),
            "logand" | "bitwise-and" => Some(BinaryOp::BitAnd),
            "logxor" | "bitwise-xor" => Some(BinaryOp::BitXor),
            "mod" | "modulo" => Some(BinaryOp::Mod),
            "expt" => Some(BinaryOp::Pow),
            "ash" | "lsh" | "arithmetic-shift" => match args.list.get(1).and_then(Val::as_int) {
                Some(count) if count >= 0 => Some(BinaryOp::ShiftLeft),
                _ => return Some(Val::unknown()),
            },
            _ => None,
        };
        if let Some(op) = op {
            if args.rest.is_some()
                || args.values().any(|value| !matches!(value, Val::Int(_) | Val::OneOf(_)))
            {
                return Some(Val::unknown());
            }
            let mut values = args.list.iter();
            let start = match (op, values.len()) {
                (BinaryOp::Sub, 1) | (_, 0) => Val::Int(i64::from(op == BinaryOp::Mul)),
                _ => values.next()?.clone(),
            };
            return Some(values.fold(start, |all, value| self.binary(&all, op, value)));
        }
        Some(match path {
            "1+" | "add1" => self.binary(&first?, BinaryOp::Add, &Val::Int(1)),
            "1-" | "sub1" => self.binary(&first?, BinaryOp::Sub, &Val::Int(1)),
            "/" | "quotient" | "truncate" | "floor" => {
                match (first?.as_int(), args.list.get(1).and_then(Val::as_int)) {
                    (Some(a), Some(b))
                        if b > 0
                            && a >= 0
                            && (path != "/" || self.is_emacs())
                            && args.list.len() == 2 =>
                    {
                        Val::Int(a / b)
                    }
                    _ => Val::unknown(),
                }
            }
            "not" | "null" | "null?" | "endp" => match (path, first?) {
                ("null?", Val::List(place)) => {
                    let items = self.heap.items(place);
                    match (items.list.is_empty(), &items.rest) {
                        (true, Some(_)) => Val::unknown(),
                        (empty, _) => Val::Bool(empty),
                    }
                }
                ("null?", Val::None) => Val::Bool(true),
                ("null?", Val::Text(_) | Val::Int(_) | Val::Tuple(_)) => Val::Bool(false),
                ("null?", _) => Val::unknown(),
                (_, value) => {
                    self.truth(&value).map_or_else(Val::unknown, |truth| Val::Bool(!truth))
                }
            },
            "eq" | "eql" | "equal" | "string=" | "string-equal" | "eq?" | "eqv?" | "equal?"
            | "string=?" | "char=?" | "=" | "char-equal" | "equalp" | "string-ci=?" | "char="
            | "eqv" => {
                let (a, b) = (first?, args.get(1).cloned()?);
                let (a, b) = match path.starts_with("string") {
                    true => (Val::Text(self.lisp_joined(&a)), Val::Text(self.lisp_joined(&b))),
                    false => (a, b),
                };
                if args.list.len() != 2
                    || matches!(path, "string-ci=?" | "equalp" | "string-equal") && !self.is_emacs()
                {
                    return Some(Val::unknown());
                }
                self.lisp_equal(&a, &b).map_or_else(Val::unknown, Val::Bool)
            }
            "/=" => self
                .lisp_equal(&first?, args.get(1)?)
                .map_or_else(Val::unknown, |same| Val::Bool(!same)),
            "<" | ">" | "<=" | ">=" => {
                let numbers: Option<Vec<i64>> = args.list.iter().map(Val::as_int).collect();
                match numbers.filter(|_| args.rest.is_none()) {
                    Some(numbers) => Val::Bool(numbers.iter().zip(numbers.iter().skip(1)).all(
                        |(a, b)| match path {
                            "<" => a < b,
                            ">" => a > b,
                            "<=" => a <= b,
                            _ => a >= b,
                        },
                    )),
                    None => Val::unknown(),
                }
            }
            "zerop" | "zero?" => {
                first?.as_int().map_or_else(Val::unknown, |number| Val::Bool(number == 0))
            }
            "stringp" | "string?" => self.lisp_is(&first?, |value| matches!(value, Val::Text(_))),
            "listp" | "list?" | "consp" | "pair?" => match first? {
                Val::List(place) if !self.heap.items(place).list.is_empty() => Val::Bool(true),
                Val::Text(_) | Val::Int(_) => Val::Bool(false),
                _ => Val::unknown(),
            },
            "symbolp" | "symbol?" => self.lisp_is(&first?, |value| symbol_of(value).is_some()),
            "fboundp" | "boundp" | "functionp" | "featurep" | "procedure?" | "defined?"
            | "commandp" => Val::unknown(),
            _ => return None,
        })
    }

    fn lisp_is(&self, value: &Val, holds: impl Fn(&Val) -> bool) -> Val {
        match value {
            Val::Unknown(..) | Val::OneOf(_) => Val::unknown(),
            Val::Text(text) if text.has_unknown() => Val::unknown(),
            other => Val::Bool(holds(other)),
        }
    }

    /// Whether two values are equal, if that is known.
    fn lisp_equal(&mut self, a: &Val, b: &Val) -> Option<bool> {
        match (symbol_of(a), symbol_of(b)) {
            (Some(a), Some(b)) => return Some(a == b),
            (Some(_), None) => {
                return matches!(b, Val::Text(_) | Val::Int(_) | Val::None | Val::List(_))
                    .then_some(false);
            }
            (None, Some(_)) => {
                return matches!(a, Val::Text(_) | Val::Int(_) | Val::None | Val::List(_))
                    .then_some(false);
            }
            (None, None) => {}
        }
        crate::numbers::equal(a, b)
    }
}

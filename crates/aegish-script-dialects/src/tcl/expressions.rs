//! Operators and functions of expressions.

use super::TclNames;
use super::variables::TclVariables;
use crate::ir::BinaryOp;
use crate::numbers::arithmetic;
use crate::value::{Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::tcl::texts::integer;
use easy_ext::ext;
use std::cmp::Ordering;

#[ext(TclExpressions)]
pub(super) impl Interpreter<'_> {
    /// Operators of one level, from the left to the right: value, operator, value, and so on.
    fn tcl_calculate(&mut self, words: &[Val]) -> Val {
        let mut words = words.iter();
        let mut left = words.next().cloned().unwrap_or_else(Val::unknown);
        while let (Some(sign), Some(right)) = (words.next(), words.next()) {
            let sign = sign.as_known().unwrap_or_default();
            left = self.tcl_operation(&left, &sign, right);
        }
        left
    }

    fn tcl_operation(&mut self, a: &Val, sign: &str, b: &Val) -> Val {
        let truth = |value: Option<bool>| value.map_or_else(Val::unknown, Val::Bool);
        let op = match sign {
            "+" => BinaryOp::Add,
            "-" => BinaryOp::Sub,
            "*" => BinaryOp::Mul,
            "/" => BinaryOp::FloorDiv,
            "%" => BinaryOp::Mod,
            "**" => BinaryOp::Pow,
            "<<" => BinaryOp::ShiftLeft,
            ">>" => BinaryOp::ShiftRight,
            "|" => BinaryOp::BitOr,
            "^" => BinaryOp::BitXor,
            "&" => BinaryOp::BitAnd,
            "in" | "ni" => {
                return truth(self.tcl_contains(b, a).map(|found| found == (sign == "in")));
            }
            _ => return truth(self.tcl_compare(a, sign, b)),
        };
        match (number(a), number(b)) {
            (Some(a), Some(b)) if op != BinaryOp::FloorDiv || b > 0 => {
                arithmetic(a, op, b).map_or_else(Val::unknown, Val::Int)
            }
            _ => Val::unknown(),
        }
    }

    fn tcl_compare(&mut self, a: &Val, sign: &str, b: &Val) -> Option<bool> {
        let texts = matches!(sign, "eq" | "ne" | "lt" | "le" | "gt" | "ge");
        let order = match (number(a), number(b)) {
            (Some(a), Some(b)) if !texts => a.cmp(&b),
            _ => {
                let (a, b) = (self.tcl_text(a), self.tcl_text(b));
                let (a, b) = (a.as_known()?, b.as_known()?);
                if !texts && (a.trim().parse::<f64>().is_ok() || b.trim().parse::<f64>().is_ok()) {
                    a.trim().parse::<f64>().ok()?.partial_cmp(&b.trim().parse::<f64>().ok()?)?
                } else {
                    a.cmp(b)
                }
            }
        };
        Some(match sign {
            "==" | "eq" => order == Ordering::Equal,
            "!=" | "ne" => order != Ordering::Equal,
            "<" | "lt" => order == Ordering::Less,
            "<=" | "le" => order != Ordering::Greater,
            ">" | "gt" => order == Ordering::Greater,
            _ => order != Ordering::Less,
        })
    }

    fn tcl_contains(&mut self, list: &Val, item: &Val) -> Option<bool> {
        let items = self.tcl_items(list);
        let item = self.tcl_text(item).as_known()?.to_owned();
        let mut certain = items.rest.is_none();
        for one in &items.list {
            match self.tcl_text(one).as_known() {
                Some(known) if known == item => return Some(true),
                Some(_) => {}
                None => certain = false,
            }
        }
        certain.then_some(false)
    }

    /// The result of an expression: a number in its usual form.
    fn tcl_result(&mut self, value: &Val) -> Val {
        match value {
            Val::Bool(value) => Val::Int(i64::from(*value)),
            Val::Text(text) => match text.as_known().and_then(integer) {
                Some(number) => Val::Int(number),
                None => value.clone(),
            },
            other => other.clone(),
        }
    }

    /// A function of an expression.
    fn tcl_math(&mut self, name: &str, words: &[Val]) -> Val {
        let numbers: Option<Vec<i64>> = words.iter().map(number).collect();
        let Some(numbers) = numbers else { return Val::unknown() };
        let first = numbers.first().copied();
        let value = match name {
            "int" | "wide" | "entier" | "round" | "ceil" | "floor" => first,
            "abs" => first.and_then(i64::checked_abs),
            "bool" => first.map(|number| i64::from(number != 0)),
            "max" => numbers.iter().copied().max(),
            "min" => numbers.iter().copied().min(),
            _ => None,
        };
        // `ceil` and `floor` give numbers with a point.
        match value.filter(|_| !matches!(name, "ceil" | "floor")) {
            Some(value) => Val::Int(value),
            None => Val::unknown(),
        }
    }

    /// An operator as a command: `::tcl::mathop::+ 1 2`.
    fn tcl_operator(&mut self, sign: &str, words: &[Val]) -> Val {
        match words {
            [only] if sign == "!" => {
                Self::tcl_truth(only).map_or_else(Val::unknown, |truth| Val::Bool(!truth))
            }
            [only] if sign == "-" => self.tcl_operation(&Val::Int(0), sign, only),
            [first, rest @ ..] => {
                let mut value = first.clone();
                for word in rest {
                    value = self.tcl_operation(&value, sign, word);
                }
                value
            }
            [] => Val::unknown(),
        }
    }

    /// `incr`: adds to the number in a variable.
    fn tcl_incr(&mut self, words: &[Val]) -> Val {
        let Some(name) = words.first() else { return Val::unknown() };
        let old = match self.tcl_text(name).as_known() {
            Some(name) if !self.tcl_is_set(name) && !name.contains('(') => Val::Int(0),
            _ => self.tcl_get_named(name),
        };
        let step = words.get(1).cloned().unwrap_or(Val::Int(1));
        let value = match (number(&old), number(&step)) {
            (Some(old), Some(step)) => old.checked_add(step).map_or_else(Val::unknown, Val::Int),
            _ => Val::unknown(),
        };
        self.tcl_put_named(name, value.clone());
        value
    }

    /// Whether a text matches a pattern of `switch`.
    fn tcl_matches(&mut self, words: &[Val]) -> Val {
        let [how, subject, pattern] = words else { return Val::unknown() };
        let (subject, pattern) = (self.tcl_text(subject), self.tcl_text(pattern));
        let (Some(texts), Some(pattern)) = (subject.readings(8), pattern.as_known()) else {
            return Val::unknown();
        };
        let how = how.as_known().unwrap_or_default();
        let one = |text: &str| match how.as_str() {
            "exact" => Some(text == pattern),
            "glob" => aegish_code_library::tcl::patterns::matches(pattern, text),
            _ => None,
        };
        let found: Option<Vec<bool>> = texts.iter().map(|text| one(text)).collect();
        match found.as_deref() {
            Some([first, rest @ ..]) if rest.iter().all(|same| same == first) => Val::Bool(*first),
            _ => Val::unknown(),
        }
    }

    /// Joins a value with an unknown text: what an error says is not known.
    fn tcl_caught(&mut self, value: &Val) -> Val {
        let message = Val::Text(aegish_values::Value::unknown("message"));
        match value {
            Val::Unknown(..) | Val::None => message,
            other => join(other, &message),
        }
    }
}

/// A number that is known.
pub(super) fn number(value: &Val) -> Option<i64> {
    match value {
        Val::Int(number) => Some(*number),
        Val::Bool(value) => Some(i64::from(*value)),
        Val::Text(text) => integer(text.as_known()?),
        _ => None,
    }
}

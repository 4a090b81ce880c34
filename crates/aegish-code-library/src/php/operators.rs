//! Operators.

use crate::PhpValues;
use crate::ir::{BinaryOp, CompareOp};
use crate::machine::Machine;
use crate::numbers::{arithmetic, equal};
use crate::php::formats::integer;
use crate::value::{Args, Val};

/// Operators of PHP.
pub trait PhpOperators: Machine {
    /// An operator on two values of which neither is one of several.
    fn php_binary(&mut self, a: &Val, op: BinaryOp, b: &Val) -> Val {
        if op == BinaryOp::BitOr
            && let (Val::Library(a), Val::Library(b)) = (a, b)
            && a.len() + b.len() < 400
        {
            return Val::Library(format!("{a}|{b}").into());
        }
        if let (BinaryOp::Add, Val::Dict(_) | Val::List(_), Val::Dict(_) | Val::List(_)) =
            (op, a, b)
        {
            let mut entries = self.php_entries(a);
            let more = self.php_entries(b);
            for (key, value) in more.list {
                if entries.list.iter().all(|(known, _)| *known != key) {
                    entries.list.push((key, value));
                }
            }
            if let Some(rest) = more.rest {
                let known = entries.rest.take();
                entries.rest =
                    Some(known.map_or(rest.clone(), |known| crate::value::join(&known, &rest)));
            }
            return self.php_array(entries);
        }
        let bits = matches!(op, BinaryOp::BitXor | BinaryOp::BitAnd | BinaryOp::BitOr);
        if let (true, Val::Text(_) | Val::Bytes(_), Val::Text(_) | Val::Bytes(_)) = (bits, a, b) {
            return match (self.known_bytes(a), self.known_bytes(b)) {
                (Some(one), Some(other)) => Val::bytes(combined(&one, op, &other)),
                _ => self.php_computed(&Args::of(vec![a.clone(), b.clone()])),
            };
        }
        let number = |value: &Val| match value {
            Val::Text(_) | Val::Int(_) | Val::Bool(_) | Val::None => integer(value),
            _ => None,
        };
        match (number(a), number(b), op) {
            (Some(a), Some(b), BinaryOp::Div) if b != 0 && a % b == 0 => Val::Int(a / b),
            (Some(a), Some(b), BinaryOp::Mod) if b != 0 => {
                a.checked_rem(b).map_or_else(Val::unknown, Val::Int)
            }
            (Some(a), Some(b), op) => arithmetic(a, op, b).map_or_else(Val::unknown, Val::Int),
            // `$s++` on letters.
            _ => {
                let mut taint = self.taint_of(a);
                taint.absorb(&self.taint_of(b));
                Val::tainted(taint)
            }
        }
    }

    /// `~` on a text turns all of its bits around.
    fn inverted(&mut self, value: &Val) -> Val {
        match value {
            Val::Int(number) => Val::Int(!number),
            Val::Text(_) | Val::Bytes(_) => match self.known_bytes(value) {
                Some(bytes) => Val::bytes(bytes.iter().map(|byte| !byte).collect()),
                None => self.php_computed(&Args::of(vec![value.clone()])),
            },
            Val::OneOf(_) => self.each(value, |this, one| this.inverted(one)),
            other => other.forget(),
        }
    }

    /// `==`, which converts its operands.
    fn php_equal(&mut self, a: &Val, op: CompareOp, b: &Val) -> Option<bool> {
        let same = match (a, b) {
            (Val::Text(one), Val::Text(other)) => {
                let numeric = |text: &str| text.trim().parse::<f64>().is_ok();
                match (one.as_known(), other.as_known()) {
                    (Some(x), Some(y)) if numeric(x) && numeric(y) && x != y => None,
                    _ => equal(a, b),
                }
            }
            (Val::Int(_), Val::Int(_)) | (Val::Bool(_), Val::Bool(_)) | (Val::None, Val::None) => {
                equal(a, b)
            }
            (Val::Bool(known), other) | (other, Val::Bool(known)) => {
                self.truth(other).map(|truth| truth == *known)
            }
            _ => None,
        };
        if op == CompareOp::LooseNotEqual { same.map(|same| !same) } else { same }
    }
}

impl<M: Machine> PhpOperators for M {}

fn combined(one: &[u8], op: BinaryOp, other: &[u8]) -> Vec<u8> {
    let pairs = one.iter().zip(other);
    match op {
        BinaryOp::BitXor => pairs.map(|(a, b)| a ^ b).collect(),
        BinaryOp::BitAnd => pairs.map(|(a, b)| a & b).collect(),
        _ => {
            let longest = one.len().max(other.len());
            let byte = |bytes: &[u8], at: usize| bytes.get(at).copied().unwrap_or(0);
            (0..longest).map(|at| byte(one, at) | byte(other, at)).collect()
        }
    }
}

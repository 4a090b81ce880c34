//! Operators between values.

use super::formats::PowerShellFormats;
use super::patterns::PowerShellPatterns;
use super::{PowerShellValues, number};
use crate::heap::{Items, extend};
use crate::ir::{BinaryOp, CompareOp};
use crate::limits::MAX_ITEMS;
use crate::machine::Machine;
use crate::numbers::{arithmetic, equal};
use crate::value::{Args, LOST, Val};
use aegish_values::Value;

/// Operators between values.
pub trait PowerShellOperators: Machine {
    fn powershell_binary(&mut self, a: &Val, op: BinaryOp, b: &Val) -> Val {
        match (op, a) {
            (BinaryOp::Add, Val::None) => b.clone(),
            (BinaryOp::Add, Val::List(_) | Val::Tuple(_) | Val::Bytes(_)) => {
                let mut items = self.powershell_items(a);
                let more = match b {
                    Val::None => Items { list: vec![Val::None], rest: None },
                    other => self.powershell_items(other),
                };
                extend(&mut items, more);
                self.heap().list(items)
            }
            (BinaryOp::Add, Val::Dict(one)) => {
                let Val::Dict(other) = b else { return Val::unknown() };
                let mut entries = (*self.heap().entries(*one)).clone();
                let more = self.heap().entries(*other);
                for (key, value) in &more.list {
                    crate::heap::insert(&mut entries, key.clone(), value.clone());
                }
                entries.rest = entries.rest.or_else(|| more.rest.clone());
                self.heap().dict(entries)
            }
            (BinaryOp::Add, Val::Text(_) | Val::Unknown(..))
                if !(matches!(a, Val::Unknown(..)) && matches!(b, Val::Int(_))) =>
            {
                let (mut text, more) = (self.powershell_text(a), self.powershell_text(b));
                // Text that doubles in a loop would be copied again and again.
                if text.known_prefix().len() + more.known_prefix().len() > crate::decode::LIMIT {
                    return Val::Text(
                        Value::unknown(LOST).tainted(text.taint()).tainted(more.taint()),
                    );
                }
                // A long text is copied each time.
                let size = text.known_prefix().len() + more.known_prefix().len();
                if size > 16 * 1024 && !self.burn(size / 64) {
                    return Val::Text(Value::unknown(LOST).tainted(text.taint()));
                }
                text.append(&more);
                Val::Text(text)
            }
            (BinaryOp::Mul, Val::Text(text)) => match (text.as_known(), number(b)) {
                (Some(known), Some(count)) => {
                    let count = usize::try_from(count).unwrap_or(0);
                    if known.len().saturating_mul(count) > crate::decode::LIMIT {
                        return Val::Text(Value::unknown(LOST).tainted(text.taint()));
                    }
                    Val::Text(Value::known(known.repeat(count)).tainted(text.taint()))
                }
                _ => Val::Text(crate::value::part_of(text)),
            },
            (BinaryOp::Mul, Val::List(_) | Val::Tuple(_)) => {
                let items = self.powershell_items(a);
                let count = number(b).and_then(|count| usize::try_from(count).ok());
                match (count, &items.rest) {
                    (Some(count), None) if items.list.len().saturating_mul(count) <= MAX_ITEMS => {
                        let list = std::iter::repeat_n(items.list, count).flatten().collect();
                        self.heap().list(Items { list, rest: None })
                    }
                    _ => {
                        let rest = Some(self.element(a));
                        self.heap().list(Items { list: Vec::new(), rest })
                    }
                }
            }
            _ => match (number(a), number(b)) {
                (Some(a), Some(b)) => match op {
                    BinaryOp::Div => a.checked_rem(b).filter(|rest| *rest == 0).map(|_| a / b),
                    BinaryOp::Mod => a.checked_rem(b),
                    _ => arithmetic(a, op, b),
                }
                .map_or_else(Val::unknown, Val::Int),
                _ => {
                    let mut taint = self.taint_of(a);
                    taint.absorb(&self.taint_of(b));
                    Val::tainted(taint)
                }
            },
        }
    }

    fn powershell_compare(&mut self, a: &Val, op: CompareOp, b: &Val) -> Option<bool> {
        match op {
            CompareOp::In => self.powershell_contains(b, a),
            CompareOp::NotIn => self.powershell_contains(b, a).map(|found| !found),
            // A list on the left gives its items that fit.
            _ if matches!(a, Val::List(_) | Val::Tuple(_) | Val::OneOf(_)) => None,
            CompareOp::Equal => equal(a, b),
            CompareOp::NotEqual => equal(a, b).map(|same| !same),
            CompareOp::LooseEqual => same(a, b),
            CompareOp::LooseNotEqual => same(a, b).map(|same| !same),
            _ => {
                let (a, b) = match (a, b) {
                    (Val::Int(a), _) => (*a, number(b)?),
                    _ => return None,
                };
                Some(match op {
                    CompareOp::Less => a < b,
                    CompareOp::LessEqual => a <= b,
                    CompareOp::Greater => a > b,
                    _ => a >= b,
                })
            }
        }
    }

    /// Whether a list holds a value.
    fn powershell_contains(&mut self, all: &Val, one: &Val) -> Option<bool> {
        let items = self.powershell_items(all);
        if items.rest.is_some() {
            return None;
        }
        let found: Option<Vec<bool>> = items.list.iter().map(|item| same(item, one)).collect();
        Some(found?.contains(&true))
    }

    /// An operator that is a word; none if it is not known.
    fn powershell_operator(&mut self, path: &str, args: &Args) -> Option<Val> {
        let a = args.get(0)?.clone();
        let b = args.get(1).cloned().unwrap_or(Val::None);
        let known = |found: Option<bool>| found.map_or_else(Val::unknown, Val::Bool);
        Some(match path {
            "<range>" => self.numbers(&a, &b),
            "<join>" => {
                let items = self.powershell_items(&a);
                let between = self.powershell_text(&b);
                Val::Text(self.joined(&items, &between))
            }
            "<split>" | "<csplit>" => self.split_by(&a, args.get(1), path == "<csplit>"),
            "<replace>" | "<creplace>" => self.replaced_by(&a, &b, path == "<creplace>"),
            "<format>" => {
                let items = self.powershell_items(&b);
                Val::Text(self.powershell_format(&a, &items))
            }
            "<contains>" => known(self.powershell_contains(&a, &b)),
            "<notcontains>" => known(self.powershell_contains(&a, &b).map(|found| !found)),
            "<xor>" => match (self.truth(&a), self.truth(&b)) {
                (Some(a), Some(b)) => Val::Bool(a != b),
                _ => Val::unknown(),
            },
            "<like>" | "<clike>" => known(self.is_like(&a, &b)),
            "<notlike>" | "<notclike>" => known(self.is_like(&a, &b).map(|found| !found)),
            "<is>" | "<isnot>" => Val::unknown(),
            _ => return None,
        })
    }

    /// `a..b`.
    fn numbers(&mut self, a: &Val, b: &Val) -> Val {
        let letter = |value: &Val| match value {
            Val::Text(text) => {
                let mut chars = text.as_known()?.chars();
                chars.next().filter(|c| !c.is_ascii_digit() && chars.next().is_none())
            }
            _ => None,
        };
        let (from, to, letters) = match (letter(a), letter(b)) {
            (Some(a), Some(b)) => {
                (Some(i64::from(u32::from(a))), Some(i64::from(u32::from(b))), true)
            }
            _ => (number(a), number(b), false),
        };
        let one = |code: i64| match letters {
            true => crate::numbers::character(code)
                .map_or_else(Val::unknown, |c| Val::text(c.to_string())),
            false => Val::Int(code),
        };
        let items = match (from, to) {
            (Some(from), Some(to)) if from.abs_diff(to) < u64::try_from(MAX_ITEMS).unwrap_or(0) => {
                let list = if from <= to {
                    (from..=to).map(one).collect()
                } else {
                    (to..=from).rev().map(one).collect()
                };
                Items { list, rest: None }
            }
            _ => Items { list: Vec::new(), rest: Some(Val::unknown()) },
        };
        self.heap().list(items)
    }
}

impl<M: Machine> PowerShellOperators for M {}

/// Whether two values are the same; letters of both cases are.
fn same(a: &Val, b: &Val) -> Option<bool> {
    let lower = |value: &Value| {
        let readings = value.readings(32)?;
        Some(Val::Text(Value::one_of(readings.iter().map(|text| text.to_lowercase()))))
    };
    match (a, b) {
        (Val::Text(a), Val::Text(b)) => equal(&lower(a)?, &lower(b)?),
        (Val::Text(text), Val::Int(number)) => Some(text.as_known()? == number.to_string()),
        (Val::Int(one), Val::Text(_)) => Some(*one == number(b)?),
        (Val::Bool(_), Val::Bool(_)) => equal(a, b),
        (Val::Bool(_), _) | (_, Val::Bool(_)) => None,
        (Val::None, Val::Dict(_) | Val::List(_)) | (Val::Dict(_) | Val::List(_), Val::None) => {
            Some(false)
        }
        _ => equal(a, b),
    }
}

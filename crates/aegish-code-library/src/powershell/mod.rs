//! Values of PowerShell: texts, lists, operators and casts.

pub mod casts;
pub mod formats;
pub mod operators;
pub mod patterns;
pub mod texts;

use crate::heap::Items;
use crate::machine::Machine;
use crate::value::{LOST, Val, is_own, join, part_of};
use aegish_values::{Taint, Value};

/// Most texts that one value may be for an operation on each of them.
const READINGS: usize = 8;

/// An operation on each text that a value may be; something unknown if one of them is not known.
pub fn each_text(text: &Value, change: impl Fn(&str) -> Option<Val>) -> Val {
    let Some(readings) = text.readings(READINGS) else { return Val::Text(part_of(text)) };
    let mut all: Option<Val> = None;
    for reading in readings {
        let Some(one) = change(&reading) else { return Val::Text(part_of(text)) };
        let one = match one {
            Val::Text(made) => Val::Text(made.tainted(text.taint())),
            other => other,
        };
        all = Some(all.map_or(one.clone(), |all| join(&all, &one)));
    }
    all.unwrap_or_else(|| Val::Text(part_of(text)))
}

/// Something unknown that is made of several values.
pub fn made_of<'a>(values: impl Iterator<Item = &'a Val>, taint: &Taint) -> Value {
    let mut own = true;
    for value in values {
        own &= match value {
            Val::Text(text) | Val::Path(text) => is_own(text),
            Val::Unknown(..) => false,
            _ => true,
        };
    }
    Value::unknown(if own { LOST } else { "a list" }).tainted(taint)
}

/// The number that a value is, as arithmetic takes it.
#[must_use]
pub fn number(value: &Val) -> Option<i64> {
    match value {
        Val::None => Some(0),
        Val::Text(text) => {
            let text = text.as_known()?.trim();
            match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
                Some(digits) => i64::from_str_radix(digits, 16).ok(),
                None => text.parse().ok(),
            }
        }
        other => other.as_int(),
    }
}

/// Values as the language makes texts and lists of them.
pub trait PowerShellValues: Machine {
    /// A value where a text is needed.
    fn powershell_text(&mut self, value: &Val) -> Value {
        match value {
            Val::None => Value::empty(),
            Val::List(_) | Val::Tuple(_) => {
                let items = self.iterate(value);
                self.joined(&items, &Value::known(" "))
            }
            Val::OneOf(values) => {
                let mut all: Option<Val> = None;
                for one in values.iter() {
                    let one = Val::Text(self.powershell_text(one));
                    all = Some(all.map_or(one.clone(), |all| join(&all, &one)));
                }
                all.map_or_else(Value::empty, |all| all.to_text())
            }
            Val::Dict(_) | Val::Instance(_) => {
                Value::unknown("an object").tainted(&self.taint_of(value))
            }
            Val::File(index) => self.file_content(*index).to_text(),
            // The source of a block is not kept.
            Val::Function(_) | Val::Partial(_) => Value::unknown(LOST),
            other => other.to_text(),
        }
    }

    /// The items as one text.
    fn joined(&mut self, items: &Items, between: &Value) -> Value {
        if items.rest.is_some() {
            let mut taint = Taint::none();
            for item in items.list.iter().chain(&items.rest) {
                taint.absorb(&self.taint_of(item));
            }
            return made_of(items.list.iter().chain(&items.rest), &taint);
        }
        let mut text = Value::empty();
        for (place, item) in items.list.iter().enumerate() {
            if place > 0 {
                text.append(between);
            }
            text.append(&self.powershell_text(item));
            if text.known_prefix().len() > crate::decode::LIMIT {
                return Value::unknown(LOST).tainted(text.taint());
            }
        }
        text
    }

    /// A list of one for a single value; none for nothing.
    fn powershell_items(&mut self, value: &Val) -> Items {
        match value {
            Val::List(place) => (*self.heap().items(*place)).clone(),
            Val::Tuple(items) => Items { list: items.to_vec(), rest: None },
            Val::None => Items::default(),
            Val::Bytes(bytes) => {
                Items { list: bytes.iter().map(|b| Val::Int(i64::from(*b))).collect(), rest: None }
            }
            Val::Unknown(..) => Items { list: Vec::new(), rest: Some(value.clone()) },
            // What was read or received may be any number of lines.
            Val::Text(text) if text.has_unknown() && !text.has_text() => {
                Items { list: vec![value.clone()], rest: None }
            }
            Val::Connection => {
                let received = self.received();
                Items { list: Vec::new(), rest: Some(received) }
            }
            Val::OneOf(values) => {
                let mut all: Option<Items> = None;
                for one in values.iter() {
                    let items = self.powershell_items(one);
                    all = Some(match all {
                        None => items,
                        Some(known) if known == items => known,
                        Some(known)
                            if known.rest.is_none()
                                && items.rest.is_none()
                                && known.list.len() == items.list.len() =>
                        {
                            let pairs = known.list.iter().zip(&items.list);
                            Items { list: pairs.map(|(a, b)| join(a, b)).collect(), rest: None }
                        }
                        Some(known) => {
                            let rest = known
                                .list
                                .into_iter()
                                .chain(known.rest)
                                .chain(items.list)
                                .chain(items.rest)
                                .reduce(|a, b| join(&a, &b));
                            Items { list: Vec::new(), rest }
                        }
                    });
                }
                all.unwrap_or_default()
            }
            other => Items { list: vec![other.clone()], rest: None },
        }
    }

    /// One item stands for itself, several are a list.
    fn unrolled(&mut self, items: Items) -> Val {
        match (items.list.as_slice(), &items.rest) {
            ([], None) => Val::None,
            ([one], None) => one.clone(),
            _ => self.heap().list(items),
        }
    }
}

impl<M: Machine> PowerShellValues for M {}

//! Values of PHP. Arrays are maps; lists that other calls give are arrays too.

pub mod array_changes;
pub mod arrays;
pub mod formats;
pub mod operators;
pub mod patterns;
pub mod replaced;
mod text_names;
pub mod texts;

use crate::heap::{Entries, insert};
use crate::machine::Machine;
use crate::value::{Args, Val, join};
use aegish_values::Value;

/// Most texts that an argument is one of and that a function is applied to each of.
const READINGS: usize = 16;

/// Arrays of PHP.
pub trait PhpValues: Machine {
    /// The items of an array with their keys.
    fn php_entries(&mut self, value: &Val) -> Entries {
        match value {
            Val::Dict(place) => (*self.heap().entries(*place)).clone(),
            Val::List(_) | Val::Tuple(_) => {
                let items = self.iterate(value);
                let list = items.list.into_iter().zip(0..);
                Entries {
                    list: list.map(|(item, at)| (Val::Int(at), item)).collect(),
                    rest: items.rest,
                }
            }
            Val::None => Entries::default(),
            Val::OneOf(values) => {
                let mut all: Option<Entries> = None;
                for value in values.iter().filter(|value| **value != Val::None) {
                    let one = self.php_entries(value);
                    all = Some(match all {
                        None => one,
                        Some(known) if known == one => known,
                        Some(known) => {
                            let values = known.list.into_iter().chain(one.list).map(|(_, v)| v);
                            let rest = values.chain(known.rest).chain(one.rest);
                            Entries { list: Vec::new(), rest: rest.reduce(|a, b| join(&a, &b)) }
                        }
                    });
                }
                all.unwrap_or_default()
            }
            // What a client sends stands for an array of it too.
            Val::Text(text) if text.has_unknown() => {
                Entries { list: Vec::new(), rest: Some(value.clone()) }
            }
            Val::Text(_) | Val::Int(_) | Val::Bool(_) => {
                Entries { list: vec![(Val::Int(0), value.clone())], rest: None }
            }
            other => Entries { list: Vec::new(), rest: Some(self.element(&other.clone())) },
        }
    }

    fn php_array(&mut self, entries: Entries) -> Val {
        self.heap().dict(entries)
    }

    /// An array of values without keys of their own.
    fn php_list(&mut self, list: Vec<Val>, rest: Option<Val>) -> Val {
        let list = list.into_iter().zip(0..).map(|(item, at)| (Val::Int(at), item)).collect();
        self.heap().dict(Entries { list, rest })
    }

    /// Any item of an array.
    fn php_any(&mut self, value: &Val) -> Val {
        let entries = self.php_entries(value);
        any_of(&entries).unwrap_or(Val::None)
    }

    /// A copy of an array that shares nothing with it; other values are as they are.
    fn php_copy(&mut self, value: &Val, depth: u32) -> Val {
        match value {
            Val::Dict(place) => {
                let entries = self.heap().entries(*place);
                self.burn(entries.list.len() / 8);
                let mut copy = (*entries).clone();
                if depth < 8 {
                    for (_, item) in &mut copy.list {
                        *item = self.php_copy(item, depth + 1);
                    }
                    copy.rest = copy.rest.map(|rest| self.php_copy(&rest, depth + 1));
                } else {
                    self.leave_open();
                }
                self.heap().dict(copy)
            }
            Val::List(place) => {
                let mut copy = (*self.heap().items(*place)).clone();
                if depth < 8 {
                    for item in &mut copy.list {
                        *item = self.php_copy(item, depth + 1);
                    }
                    copy.rest = copy.rest.map(|rest| self.php_copy(&rest, depth + 1));
                }
                self.heap().list(copy)
            }
            Val::OneOf(values)
                if values.iter().any(|one| matches!(one, Val::Dict(_) | Val::List(_))) =>
            {
                let values = values.clone();
                let copies: Vec<Val> = values.iter().map(|one| self.php_copy(one, depth)).collect();
                copies.into_iter().reduce(|a, b| join(&a, &b)).unwrap_or(Val::None)
            }
            other => other.clone(),
        }
    }

    /// The sources of all arguments in something that is not known.
    fn php_computed(&mut self, args: &Args) -> Val {
        let known = args.values().all(|value| !value.to_text().has_unknown());
        let why = if known { crate::value::LOST } else { "computed" };
        let mut text = Value::unknown(why);
        for value in args.values() {
            text = text.tainted(&self.taint_of(value));
        }
        Val::Text(text)
    }

    /// A value as a text.
    fn php_text(&mut self, value: &Val) -> Value {
        match value {
            Val::None | Val::Bool(false) => Value::empty(),
            Val::Bool(true) => Value::known("1"),
            Val::Instance(_) => match self.special(value, "__str__") {
                Some(method) => self.call(&method, Args::default()).to_text(),
                None => Value::unknown("an object").tainted(&self.taint_of(value)),
            },
            Val::List(_) | Val::Dict(_) => Value::unknown("a list").tainted(&self.taint_of(value)),
            Val::File(index) => self.file_content(*index).to_text(),
            Val::OneOf(values) => {
                let values = values.clone();
                let mut all: Option<Val> = None;
                for value in values.iter() {
                    let one = Val::Text(self.php_text(value));
                    all = Some(all.map_or(one.clone(), |all| join(&all, &one)));
                }
                all.map_or_else(|| Value::unknown("computed"), |all| all.to_text())
            }
            other => other.to_text(),
        }
    }
}

impl<M: Machine> PhpValues for M {}

/// The key that a value is: whole numbers in texts are numbers.
#[must_use]
pub fn key(value: &Val) -> Val {
    match value {
        Val::Text(text) => match text.as_known().map(str::parse::<i64>) {
            Some(Ok(number)) if text.as_known() == Some(number.to_string().as_str()) => {
                Val::Int(number)
            }
            _ => value.clone(),
        },
        Val::Bool(known) => Val::Int(i64::from(*known)),
        Val::None => Val::text(""),
        other => other.clone(),
    }
}

/// Adds an item behind the others.
pub fn append(entries: &mut Entries, value: Val) {
    let mut next = Some(0);
    for (known, _) in &entries.list {
        next = match (known, next) {
            (Val::Int(at), Some(next)) => Some(i64::max(next, at.saturating_add(1))),
            (Val::Text(text), next) if text.is_known() => next,
            _ => None,
        };
    }
    match (next, &entries.rest) {
        (Some(next), None) => entries.list.push((Val::Int(next), value)),
        (_, rest) => {
            let rest = rest.as_ref().map_or(value.clone(), |rest| join(rest, &value));
            entries.rest = Some(rest);
        }
    }
}

/// Puts an item at its key.
pub fn put(entries: &mut Entries, at: &Val, value: Val) {
    insert(entries, key(at), value);
}

/// Any of the items.
#[must_use]
pub fn any_of(entries: &Entries) -> Option<Val> {
    let values = entries.list.iter().map(|(_, value)| value).chain(&entries.rest);
    values.cloned().reduce(|a, b| join(&a, &b))
}

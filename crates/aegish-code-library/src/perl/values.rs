//! Values of Perl as lists, as one value and as texts.
//!
//! A list of values is a tuple; one of unknown length is a partial call of `<list>`.

use crate::heap::{Entries, Items, insert};
use crate::machine::Machine;
use crate::value::{Args, LOST, Partial, Val, join, part_of};
use aegish_values::Value;
use std::rc::Rc;

/// A list whose length is not known.
const LIST: &str = "<list>";

/// Values of Perl as lists, as one value and as texts.
pub trait PerlValues: Machine {
    /// A list of values as one value.
    fn perl_list(items: Items) -> Val {
        match items.rest {
            None => Val::Tuple(items.list.into()),
            Some(rest) => {
                let args = Args { list: items.list, rest: Some(rest), named: Vec::new() };
                Val::Partial(Rc::new(Partial { function: Val::Library(LIST.into()), args }))
            }
        }
    }

    fn is_list(value: &Val) -> bool {
        match value {
            Val::Tuple(_) => true,
            Val::Partial(partial) => {
                matches!(&partial.function, Val::Library(path) if &**path == LIST)
            }
            _ => false,
        }
    }

    /// The values that the result of a call stands for.
    fn perl_values(&mut self, value: &Val) -> Items {
        match value {
            Val::Tuple(items) => Items { list: items.to_vec(), rest: None },
            Val::Partial(partial) if Self::is_list(value) => {
                Items { list: partial.args.list.clone(), rest: partial.args.rest.clone() }
            }
            Val::OneOf(values) if values.iter().any(Self::is_list) => {
                let all: Vec<Items> =
                    values.clone().iter().map(|one| self.perl_values(one)).collect();
                let shortest = all.iter().map(|items| items.list.len()).min().unwrap_or(0);
                let list: Vec<Val> = (0..shortest)
                    .filter_map(|place| {
                        all.iter()
                            .filter_map(|items| items.list.get(place).cloned())
                            .reduce(|a, b| join(&a, &b))
                    })
                    .collect();
                let rest = all
                    .into_iter()
                    .flat_map(|items| items.list.into_iter().skip(shortest).chain(items.rest))
                    .reduce(|a, b| join(&a, &b));
                Items { list, rest }
            }
            Val::Unknown(..) => Items { list: Vec::new(), rest: Some(value.clone()) },
            _ => Items { list: vec![value.clone()], rest: None },
        }
    }

    /// The one value that the result of a call stands for where only one counts.
    fn perl_scalar(&mut self, value: Val) -> Val {
        match &value {
            Val::Tuple(items) => match &**items {
                [] => Val::None,
                [only] => only.clone(),
                // The last one of a list, the number of items of an array.
                [.., last] => {
                    let count = i64::try_from(items.len()).unwrap_or(0);
                    join(last, &Val::Int(count))
                }
            },
            Val::Partial(_) if Self::is_list(&value) => {
                let items = self.perl_values(&value);
                items
                    .list
                    .into_iter()
                    .chain(items.rest)
                    .reduce(|a, b| join(&a, &b))
                    .unwrap_or(Val::None)
            }
            Val::OneOf(values) if values.iter().any(Self::is_list) => values
                .clone()
                .iter()
                .map(|one| self.perl_scalar(one.clone()))
                .reduce(|a, b| join(&a, &b))
                .unwrap_or(Val::None),
            _ => value,
        }
    }

    /// What a loop or a list sees of a value.
    fn perl_iterate(&mut self, value: &Val) -> Items {
        match value {
            Val::List(place) => (*self.heap().items(*place)).clone(),
            Val::None => Items::default(),
            Val::OneOf(values) => {
                let mut all: Option<Items> = None;
                for value in values.clone().iter() {
                    let items = self.perl_iterate(value);
                    all = Some(match all {
                        None => items,
                        Some(known) if known == items => known,
                        Some(known) => {
                            let both = [Self::perl_list(known), Self::perl_list(items)];
                            self.perl_values(&Val::OneOf(both.into()))
                        }
                    });
                }
                all.unwrap_or_default()
            }
            other => self.perl_values(other),
        }
    }

    /// A value as a text.
    fn perl_text(&mut self, value: &Val) -> Value {
        match value {
            Val::None | Val::Bool(false) => Value::empty(),
            Val::Bool(true) => Value::known("1"),
            Val::Text(text) | Val::Path(text) => text.clone(),
            Val::Pattern(pattern) => {
                let flags: String =
                    pattern.1.chars().filter(|flag| "imsx".contains(*flag)).collect();
                Value::known(format!("(?{flags}:{})", pattern.0))
            }
            Val::OneOf(values) => {
                let mut all: Option<Val> = None;
                for value in values.clone().iter() {
                    let one = Val::Text(self.perl_text(value));
                    all = Some(all.map_or(one.clone(), |all| join(&all, &one)));
                }
                all.map_or_else(Value::empty, |all| all.to_text())
            }
            Val::List(place) | Val::Dict(place) | Val::Scalar(place) => {
                if let Some(made) = self.overloaded_text(*place, value) {
                    return made;
                }
                Value::unknown("a reference").tainted(&self.taint_of(value))
            }
            Val::Tuple(_) | Val::Partial(_) => {
                let one = self.perl_scalar(value.clone());
                if Self::is_list(&one) { Value::unknown("a list") } else { self.perl_text(&one) }
            }
            Val::File(_) | Val::Process(_) => Value::unknown("a file handle"),
            Val::Library(path) => match path.strip_prefix('*') {
                Some(_) => Value::known(&**path),
                None => Value::unknown("computed"),
            },
            other => other.to_text(),
        }
    }

    /// A hash from its pairs.
    fn entries_from(&mut self, items: Items) -> Entries {
        let mut entries = Entries { list: Vec::new(), rest: items.rest };
        let mut values = items.list.into_iter();
        while let Some(key) = values.next() {
            let value = match values.next() {
                Some(value) => value,
                None => entries.rest.clone().unwrap_or(Val::None),
            };
            let key = Val::Text(self.perl_text(&key));
            insert(&mut entries, key, value);
        }
        entries
    }

    /// A text that was not kept, with the sources of another.
    fn lost(text: &Value) -> Val {
        if text.has_unknown() && !crate::value::is_lost(text) {
            return Val::Text(part_of(text));
        }
        Val::Text(Value::unknown(LOST).tainted(text.taint()))
    }
}

impl<M: Machine> PerlValues for M {}

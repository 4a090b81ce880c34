//! What a loop over a value sees, and what a value consists of.

use super::Interpreter;
use crate::heap::{Cell, Items};
use crate::limits::MAX_ITEMS;
use crate::reference::Ref;
use crate::value::{Args, Val, join, part_of};
use aegish_values::{Taint, Value};
use std::collections::HashSet;

impl Interpreter<'_> {
    /// The items of a value.
    pub fn iterate(&mut self, value: &Val) -> Items {
        self.dialect.iterate(self, value)
    }

    /// The items of a value, where the languages agree.
    pub fn plain_iterate(&mut self, value: &Val) -> Items {
        match value {
            Val::List(place) => (*self.heap.items(*place)).clone(),
            Val::Tuple(items) => Items { list: items.to_vec(), rest: None },
            Val::Dict(place) => {
                let entries = self.heap.entries(*place);
                Items {
                    list: entries.list.iter().map(|(key, _)| key.clone()).collect(),
                    rest: entries.rest.as_ref().map(|_| Val::unknown()),
                }
            }
            Val::Text(text) => match text.as_known() {
                Some(known) if known.len() <= 2 * MAX_ITEMS => Items {
                    list: known.chars().map(|c| Val::text(c.to_string())).collect(),
                    rest: None,
                },
                _ => any(Val::Text(part_of(text))),
            },
            Val::Bytes(bytes) => {
                Items { list: bytes.iter().map(|b| Val::Int(i64::from(*b))).collect(), rest: None }
            }
            // Lines of a file or of a connection, names in a directory.
            Val::File(index) => crate::lines::lines_of(&self.file_content(*index), true),
            Val::Connection => any(self.received()),
            Val::Path(_) => any(Val::unknown()),
            Val::Library(path) if &**path == "sys.argv" => self.command_arguments(),
            Val::Library(path) if &**path == "sys.stdin" => {
                crate::lines::lines_of(&self.stdin(), true)
            }
            Val::Library(_) => any(Val::unknown()),
            Val::Instance(_) => {
                let iterator = self.special(value, "__iter__");
                match iterator {
                    Some(method) => {
                        let made = self.call(&method, Args::default());
                        if made == *value || matches!(made, Val::Instance(_)) {
                            let item =
                                self.special(&made, "__next__").map_or_else(Val::unknown, |next| {
                                    self.call(&next, Args::default())
                                });
                            any(item)
                        } else {
                            self.iterate(&made)
                        }
                    }
                    None => match self.special(value, "__getitem__") {
                        Some(get) => any(self.call(&get, Args::of(vec![Val::unknown()]))),
                        None => any(Val::unknown()),
                    },
                }
            }
            Val::OneOf(values) => {
                let mut all: Option<Items> = None;
                for value in values.iter() {
                    let items = self.iterate(value);
                    all = Some(match all {
                        None => items,
                        Some(known) if known == items => known,
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
            Val::None => Items::default(),
            other => any(other.forget()),
        }
    }

    /// One item of a value, whichever it is.
    pub fn element(&mut self, value: &Val) -> Val {
        let items = self.iterate(value);
        items
            .list
            .into_iter()
            .chain(items.rest)
            .reduce(|a, b| join(&a, &b))
            .unwrap_or_else(Val::unknown)
    }

    /// Follows a function for each item, one behind the other, and returns what it gives.
    pub fn for_each(
        &mut self,
        items: Items,
        follow: &mut dyn FnMut(&mut Self, &Val) -> Val,
    ) -> Items {
        let mut results = Items::default();
        let mut rest = items.rest;
        for item in items.list {
            if self.unroll == 0 || results.list.len() >= crate::limits::MAX_ITERATIONS {
                rest = Some(rest.map_or(item.clone(), |rest| join(&rest, &item)));
                continue;
            }
            if !self.burn(1) {
                break;
            }
            let value = follow(self, &item);
            results.list.push(value);
        }
        if let Some(item) = rest {
            let mut given: Option<Val> = None;
            self.repeated(&mut |this| {
                let value = follow(this, &item);
                given = Some(given.take().map_or(value.clone(), |known| join(&known, &value)));
            });
            results.rest = given;
        }
        results
    }

    /// `sys.argv`: the name of the program is not known, nor whether there are more arguments.
    pub(super) fn command_arguments(&mut self) -> Items {
        let mut list = vec![Val::unknown()];
        list.extend(self.around.args.iter().cloned().map(Val::Text));
        Items { list, rest: None }
    }

    /// The sources of a value and of what it holds.
    pub fn taint_of(&self, value: &Val) -> Taint {
        let mut taint = Taint::none();
        let mut left = MAX_ITEMS;
        self.absorb_taint(value, &mut taint, &mut HashSet::new(), &mut left);
        taint
    }

    fn absorb_taint(
        &self,
        value: &Val,
        taint: &mut Taint,
        seen: &mut HashSet<Ref>,
        left: &mut usize,
    ) {
        if *left == 0 {
            return;
        }
        *left -= 1;
        match value {
            Val::List(place) | Val::Dict(place) | Val::Instance(place) => {
                if !seen.insert(*place) {
                    return;
                }
                let mut add = |value: &Val| self.absorb_taint(value, taint, seen, left);
                match self.heap.get(*place) {
                    Some(Cell::List(items)) => items.list.iter().chain(&items.rest).for_each(add),
                    Some(Cell::Dict(entries)) => {
                        let values = entries.list.iter().map(|(_, value)| value);
                        values.chain(&entries.rest).for_each(add);
                    }
                    Some(Cell::Object(attributes)) => {
                        attributes.list.iter().for_each(|(_, value)| add(value));
                    }
                    _ => {}
                }
            }
            Val::Tuple(items) | Val::OneOf(items) => {
                items.iter().for_each(|item| self.absorb_taint(item, taint, seen, left));
            }
            Val::File(index) => taint.absorb(&self.file_taint(*index)),
            Val::Connection => taint.absorb(&self.received().own_taint()),
            other => taint.absorb(&other.own_taint()),
        }
    }

    /// A value as a text, as `str` gives it.
    pub(super) fn text_of(&mut self, value: &Val) -> Value {
        self.dialect.text_of(self, value)
    }

    /// A value as a text, where the languages agree.
    pub(super) fn plain_text(&mut self, value: &Val) -> Value {
        match value {
            Val::Instance(_) => {
                match self.special(value, "__str__").or_else(|| self.special(value, "__repr__")) {
                    Some(method) => self.call(&method, Args::default()).to_text(),
                    None => Value::unknown("an object"),
                }
            }
            Val::List(_) | Val::Dict(_) => Value::unknown("a list").tainted(&self.taint_of(value)),
            other => other.to_text(),
        }
    }
}

fn any(value: Val) -> Items {
    Items { list: Vec::new(), rest: Some(value) }
}

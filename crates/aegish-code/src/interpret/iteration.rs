//! What a loop over a value sees, and what a value consists of.

use super::Interpreter;
use crate::heap::{Cell, Items};
use crate::limits::MAX_ITEMS;
use crate::reference::Ref;
use crate::value::{Args, Val, join, part_of};
use aegish_code_library::{LuaTables, PerlValues, PhpValues, PowerShellValues, RubyMaps};
use aegish_values::{Taint, Value};
use std::collections::HashSet;

impl Interpreter<'_> {
    /// The items of a value.
    pub(super) fn iterate(&mut self, value: &Val) -> Items {
        if self.is_lua() {
            return self.lua_values(value);
        }
        if self.is_php()
            && let Some(items) = self.php_items(value)
        {
            return items;
        }
        if self.is_perl() {
            return self.perl_iterate(value);
        }
        if self.is_tcl() {
            return self.tcl_items(value);
        }
        if self.is_powershell() {
            return self.powershell_items(value);
        }
        match value {
            Val::List(place) => (*self.heap.items(*place)).clone(),
            Val::Tuple(_) if self.is_ruby() && self.range_items(value).is_some() => {
                self.range_items(value).unwrap_or_default()
            }
            Val::Tuple(items) => Items { list: items.to_vec(), rest: None },
            Val::Dict(place) if self.is_ruby() => self.pairs_of(*place),
            Val::Dict(_) if self.is_javascript() => self.entries_of(value),
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
            Val::File(index) => any(self.file_content(*index)),
            Val::Connection => any(self.received()),
            Val::Path(_) => any(Val::unknown()),
            Val::Library(path) if &**path == "sys.argv" => self.command_arguments(),
            Val::Library(path) if &**path == "sys.stdin" => any(self.stdin()),
            Val::Library(_) => any(Val::unknown()),
            Val::Instance(_) if self.is_javascript() => {
                let method = self.attribute(value, &"Symbol.iterator".into());
                match &method {
                    Val::Function(_) | Val::Bound(_) => {
                        let made = self.call_with(value, &method, Args::default());
                        match made {
                            Val::Dict(_) | Val::Instance(_) => {
                                let next = self.attribute(&made, &"next".into());
                                let item = self.call_with(&made, &next, Args::default());
                                any(self.attribute(&item, &"value".into()))
                            }
                            other => self.iterate(&other),
                        }
                    }
                    _ => any(Val::unknown()),
                }
            }
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
    pub(super) fn element(&mut self, value: &Val) -> Val {
        let items = self.iterate(value);
        items
            .list
            .into_iter()
            .chain(items.rest)
            .reduce(|a, b| join(&a, &b))
            .unwrap_or_else(Val::unknown)
    }

    /// `sys.argv`: the name of the program is not known, nor whether there are more arguments.
    pub(super) fn command_arguments(&mut self) -> Items {
        let mut list = vec![Val::unknown()];
        list.extend(self.around.args.iter().cloned().map(Val::Text));
        Items { list, rest: None }
    }

    /// The sources of a value and of what it holds.
    pub(super) fn taint_of(&self, value: &Val) -> Taint {
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
        if self.is_javascript() {
            return self.script_text(value);
        }
        if self.is_ruby() {
            return self.ruby_text(value);
        }
        if self.is_lua() {
            return self.lua_text(value);
        }
        if self.is_php() {
            return self.php_text(value);
        }
        if self.is_perl() {
            return self.perl_text(value);
        }
        if self.is_tcl() {
            return self.tcl_text(value);
        }
        if self.is_powershell() {
            return self.powershell_text(value);
        }
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

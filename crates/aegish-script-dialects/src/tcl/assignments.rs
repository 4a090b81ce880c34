//! Commands that read and change variables.

use super::expressions::TclExpressions;
use super::lists::{TclLists, set_pair};
use super::variables::TclVariables;
use super::{TclNames, known};
use crate::heap::{Binding, Cell, Items, mix, push_item};
use crate::value::{Val, part_of};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::tcl::texts::place;
use aegish_values::Value;
use easy_ext::ext;

#[ext(TclAssignments)]
pub(super) impl Interpreter<'_> {
    fn tcl_variable_command(&mut self, path: &str, words: &[Val]) -> Option<Val> {
        let name = words.first().cloned();
        let behind = words.get(1..).unwrap_or(&[]);
        Some(match path {
            "set" => match words {
                [name] => self.tcl_get_named(name),
                [name, value] => {
                    self.tcl_put_named(name, value.clone());
                    value.clone()
                }
                _ => Val::unknown(),
            },
            "append" => {
                let name = name?;
                let mut text = self.tcl_old_text(&name);
                for word in behind {
                    let more = self.tcl_text(word);
                    text.append(&more);
                }
                let value = Val::Text(text);
                self.tcl_put_named(&name, value.clone());
                value
            }
            "incr" => self.tcl_incr(words),
            "lappend" => self.tcl_lappend(words),
            "lassign" => {
                let mut items = self.tcl_items(&name?);
                for target in behind {
                    let value = if items.list.is_empty() {
                        items.rest.clone().unwrap_or_else(|| Val::text(""))
                    } else {
                        items.list.remove(0)
                    };
                    self.tcl_put_named(target, value);
                }
                self.tcl_list(items)
            }
            "lset" | "ledit" | "lpop" => {
                let name = name?;
                let old = self.tcl_get_named(&name);
                let mut items = self.tcl_items(&old);
                let value = words.last()?.clone();
                let index = if words.len() == 3 { known(words.get(1)?) } else { None };
                let at = index.and_then(|index| place(&index, items.list.len()));
                match at.and_then(|at| usize::try_from(at).ok()) {
                    Some(at) if path == "lset" && items.list.get(at).is_some() => {
                        if let Some(slot) = items.list.get_mut(at) {
                            *slot = value;
                        }
                    }
                    _ => {
                        push_item(&mut items, value);
                        mix(&mut items);
                    }
                }
                let list = self.tcl_list(items);
                self.tcl_put_named(&name, list.clone());
                list
            }
            "unset" => {
                for name in words.iter().filter_map(known).filter(|name| !name.starts_with('-')) {
                    if !name.contains('(') {
                        let place = self.tcl_cell(&name);
                        self.heap.write(place, Cell::Variable(Binding::Unbound));
                    }
                }
                Val::None
            }
            "global" | "variable" | "upvar" => {
                self.tcl_links(path, words);
                Val::None
            }
            "namespace upvar" => {
                let space = known(&name?)?;
                let program = self.scope.program();
                for pair in behind.chunks(2) {
                    if let [other, local] = pair
                        && let (Some(other), Some(local)) = (known(other), known(local))
                    {
                        let full = format!("::{}::{other}", space.trim_matches(':'));
                        self.tcl_link(&program, &full, &local);
                    }
                }
                Val::None
            }
            "array set" => {
                let name = known(&name?)?;
                let list = words.get(1)?.clone();
                let items = self.tcl_items(&list);
                for pair in items.list.chunks(2) {
                    if let [key, value] = pair {
                        self.tcl_put_element(&name, &key.clone(), value.clone());
                    }
                }
                if let Some(rest) = items.rest {
                    let key = Val::Text(Value::unknown("key"));
                    self.tcl_put_element(&name, &key, rest);
                }
                Val::None
            }
            "array get" => self.tcl_array_list(&name?),
            "array names" => {
                let list = self.tcl_array_list(&name?);
                let items = self.tcl_items(&list);
                let keys = items.list.into_iter().step_by(2).collect();
                self.tcl_list(Items { list: keys, rest: items.rest })
            }
            "dict set" => {
                let (name, key, value) = (name?, words.get(1)?.clone(), words.last()?.clone());
                let old = self.tcl_old(&name);
                let mut items = self.tcl_items(&old);
                if words.len() > 3 {
                    push_item(&mut items, value);
                    mix(&mut items);
                } else {
                    set_pair(&mut items, &key, value);
                }
                let dict = self.tcl_list(items);
                self.tcl_put_named(&name, dict.clone());
                dict
            }
            "dict append" | "dict lappend" | "dict incr" | "dict unset" => {
                let name = name?;
                let old = self.tcl_old(&name);
                let mut items = self.tcl_items(&old);
                for word in behind.iter().skip(1) {
                    push_item(&mut items, word.clone());
                }
                let text = self.tcl_text(&old);
                items.rest = Some(Val::Text(part_of(&text)));
                mix(&mut items);
                let dict = self.tcl_list(items);
                self.tcl_put_named(&name, dict.clone());
                dict
            }
            _ => return None,
        })
    }

    /// The value of a variable, empty if the program did not set it.
    fn tcl_old(&mut self, name: &Val) -> Val {
        match self.tcl_text(name).as_known() {
            Some(name) if !name.contains('(') && !self.tcl_is_set(name) => Val::text(""),
            Some(name) if name.contains('(') => {
                let array = name.split('(').next().unwrap_or("").to_owned();
                let name = name.to_owned();
                let value = self.tcl_get(&name);
                if self.tcl_arrays(&array).is_empty() { Val::text("") } else { value }
            }
            _ => self.tcl_get_named(name),
        }
    }

    fn tcl_old_text(&mut self, name: &Val) -> Value {
        let old = self.tcl_old(name);
        self.tcl_text(&old)
    }

    fn tcl_lappend(&mut self, words: &[Val]) -> Val {
        let Some((name, more)) = words.split_first() else { return Val::unknown() };
        let old = self.tcl_old(name);
        let mut items = self.tcl_items(&old);
        for word in more {
            push_item(&mut items, word.clone());
        }
        self.burn(items.list.len() / 64);
        let list = self.tcl_list(items);
        self.tcl_put_named(name, list.clone());
        list
    }
}

//! Variables that mean something to Emacs, and places that `setf` changes.

use super::called::LispCalled;
use super::output::LispOutput;
use super::{LispState, symbol_of};
use crate::heap::{Binding, Cell};
use crate::reference::Ref;
use crate::value::{Args, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_values::Value;
use easy_ext::ext;

#[ext(LispPlaces)]
pub(super) impl Interpreter<'_> {
    fn lisp_keep(&mut self, cell: Ref, value: Val) {
        self.heap.write(cell, Cell::Variable(Binding::Bound(value)));
    }

    /// A variable of Emacs or Common Lisp gets a value, which is given back.
    fn lisp_variable(&mut self, name: &Val, value: Val) -> Val {
        match symbol_of(name).unwrap_or_default() {
            "default-directory" | "*default-pathname-defaults*" => {
                let text = value.to_text();
                if text
                    .pieces()
                    .first()
                    .is_some_and(|piece| matches!(piece, aegish_values::Piece::Unknown(_)))
                {
                    self.set_directory(Value::empty());
                } else {
                    self.change_directory(&text);
                }
            }
            "process-environment" => {
                for item in self.iterate(&value).list {
                    if let Some((name, value)) =
                        item.as_known().as_deref().and_then(|text| text.split_once('='))
                    {
                        self.set_environment(name, &Val::text(value));
                    }
                }
            }
            "exec-path" => {
                let mut path = Value::empty();
                let items = self.iterate(&value);
                for (place, item) in items.list.iter().chain(&items.rest).enumerate() {
                    if place > 0 {
                        path.push_str(":");
                    }
                    path.append(&item.to_text());
                }
                self.set_environment("PATH", &Val::Text(path));
            }
            "shell-file-name" | "explicit-shell-file-name" => {
                let known = value.as_known().is_some_and(|path| {
                    let base = path.rsplit('/').next().unwrap_or_default();
                    let trusted = path == base
                        || ["/bin/", "/usr/bin/", "/usr/local/bin/"]
                            .iter()
                            .any(|start| path.strip_prefix(start) == Some(base));
                    trusted && matches!(base, "sh" | "bash" | "zsh" | "dash" | "ksh" | "fish")
                });
                // Commands of the shell would be run by another program.
                self.open |= !known && value != Val::None;
            }
            "standard-output" | "*standard-output*" => {
                let cell = self.lisp_output_cell();
                let port = match &value {
                    Val::File(_) | Val::List(_) | Val::Process(_) | Val::Connection => {
                        value.clone()
                    }
                    _ => Val::None,
                };
                self.lisp_keep(cell, port);
            }
            _ => {}
        }
        value
    }

    /// `(setf (place …) value)`: the name of the place, its arguments, the value.
    fn lisp_set_place(&mut self, args: &Args) -> Val {
        let name = args.list.first().and_then(Val::as_known).unwrap_or_default();
        let value = args.list.last().cloned().unwrap_or(Val::None);
        let inner: Vec<Val> =
            args.list.iter().skip(1).take(args.list.len().saturating_sub(2)).cloned().collect();
        let Some(object) = inner.first().cloned() else { return value };
        let base = name.rsplit(':').next().unwrap_or(&name).trim_start_matches("cl-").to_owned();
        // A list that has the same items may be changed as well.
        let is_list =
            matches!(base.as_str(), "car" | "first" | "cadr" | "second" | "nth" | "cdr" | "rest");
        self.open |= is_list && self.state.with(|lisp: &mut LispState| lisp.shares);
        match base.as_str() {
            "symbol-function" | "fdefinition" => {
                self.lisp_set_symbol(&object, value.clone(), false);
            }
            "symbol-value" | "default-value" => self.lisp_set_symbol(&object, value.clone(), true),
            "getenv" | "posix-getenv" => match object.as_known() {
                Some(name) => self.set_environment(&name, &value),
                None => self.open = true,
            },
            "current-directory" | "default-directory" => self.change_directory(&value.to_text()),
            "car" | "first" => self.lisp_set_item(&object, Some(0), &value),
            "cadr" | "second" => self.lisp_set_item(&object, Some(1), &value),
            "nth" => {
                let place = object.as_int().and_then(|place| usize::try_from(place).ok());
                let list = inner.get(1).cloned().unwrap_or(Val::None);
                self.lisp_set_item(&list, place, &value);
            }
            "aref" | "elt" | "svref" | "vector-ref" => {
                let place = inner
                    .get(1)
                    .and_then(Val::as_int)
                    .and_then(|place| usize::try_from(place).ok());
                self.lisp_set_item(&object, place, &value);
            }
            "gethash" => {
                let table = inner.get(1).cloned().unwrap_or(Val::None);
                self.lisp_put(&table, &object, &value);
            }
            "alist-get" | "assoc-default" | "plist-get" | "getf" => {
                // The list is a value of a variable, which is not known here.
                let list = inner.iter().find(|value| matches!(value, Val::List(_))).cloned();
                match list {
                    Some(list) => self.lisp_set_item(&list, None, &value),
                    None => self.open = true,
                }
            }
            _ => match &object {
                // A field of a record.
                Val::List(_) => self.lisp_set_item(&object, None, &value),
                _ => self.open |= value.is_callable(),
            },
        }
        value
    }

    /// Changes an item of a list; any item if the place is not known.
    fn lisp_set_item(&mut self, list: &Val, place: Option<usize>, value: &Val) {
        if let Val::OneOf(values) = list {
            for list in values.iter() {
                self.maybe(|this| this.lisp_set_item(list, None, value));
            }
            return;
        }
        let Val::List(cell) = list else { return };
        let value = value.clone();
        self.heap.update_items(*cell, |items| {
            match place.and_then(|place| items.list.get_mut(place)) {
                Some(slot) => *slot = value,
                None => {
                    for item in &mut items.list {
                        *item = join(item, &value);
                    }
                    items.rest =
                        Some(items.rest.take().map_or(value.clone(), |rest| join(&rest, &value)));
                }
            }
        });
    }

    /// Puts a value into a table, which is a list of pairs.
    fn lisp_put(&mut self, table: &Val, key: &Val, value: &Val) {
        let Val::List(cell) = table else {
            self.open |= value.is_callable();
            return;
        };
        let pair = Val::Tuple([key.clone(), value.clone()].into());
        let same: Option<usize> = {
            let items = self.heap.items(*cell);
            items
                .list
                .iter()
                .position(|item| matches!(item, Val::Tuple(known) if known.first() == Some(key)))
        };
        let known = crate::heap::is_key(key);
        self.heap.update_items(*cell, |items| {
            match same.filter(|_| known).and_then(|at| items.list.get_mut(at)) {
                Some(slot) => *slot = pair,
                None if known => crate::heap::push_item(items, pair),
                None => {
                    items.rest =
                        Some(items.rest.take().map_or(pair.clone(), |rest| join(&rest, &pair)));
                }
            }
        });
    }
}

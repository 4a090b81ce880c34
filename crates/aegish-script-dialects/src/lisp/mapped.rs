//! Functions that go through the items of lists and tables.

use super::called::LispCalled;
use super::inner::LispInner;
use super::lists::LispLists;
use super::numbers::LispNumbers;
use super::texts::LispTexts;
use super::{LispCalls, symbol_of};
use crate::heap::{Items, extend, push_item};
use crate::value::{Args, Val, join};
use aegish_code_interpreter::Interpreter;
use easy_ext::ext;

#[ext(LispMapped)]
pub(super) impl Interpreter<'_> {
    /// Calls a function for the items of one or more lists.
    fn lisp_mapped(&mut self, path: &str, args: &Args) -> Option<Val> {
        // `(map 'list f list)` of Common Lisp.
        let mut list = args.list.clone();
        if list.len() > 2
            && list
                .first()
                .is_some_and(|value| matches!(symbol_of(value), Some("list" | "vector" | "string")))
        {
            list.remove(0);
        }
        // Tables stand before the function in some dialects.
        if matches!(list.first(), Some(Val::List(_))) && list.len() == 2 {
            list.swap(0, 1);
        }
        let (function, lists) = list.split_first()?;
        let function = function.clone();
        let all: Vec<Items> = lists.iter().map(|value| self.lisp_items(value)).collect();
        let pairs = path.contains("hash");
        let known = all.iter().map(|items| items.list.len()).min().unwrap_or(0);
        let mut results = Items::default();
        for place in 0..known {
            if !self.burn(1) {
                break;
            }
            let given: Vec<Val> =
                all.iter().filter_map(|items| items.list.get(place).cloned()).collect();
            let given = if pairs { self.lisp_pair(given) } else { given };
            let value = self.lisp_call(&function, Args::of(given));
            push_item(&mut results, value);
        }
        if all.iter().any(|items| items.rest.is_some()) || args.rest.is_some() {
            let given: Vec<Val> = all
                .iter()
                .map(|items| {
                    items
                        .list
                        .iter()
                        .skip(known)
                        .chain(&items.rest)
                        .cloned()
                        .reduce(|a, b| join(&a, &b))
                        .unwrap_or_else(Val::unknown)
                })
                .collect();
            let given = if pairs { self.lisp_pair(given) } else { given };
            let mut value = Val::None;
            self.repeated(&mut |this| {
                value = this.lisp_call(&function, Args::of(given.clone()));
            });
            results.rest = Some(results.rest.map_or(value.clone(), |rest| join(&rest, &value)));
        }
        Some(match path {
            "mapcan" | "append-map" | "mapcon" => {
                let mut all = Items::default();
                for value in results.list.iter().chain(&results.rest).cloned().collect::<Vec<_>>() {
                    let items = self.iterate(&value);
                    extend(&mut all, items);
                }
                self.heap.list(all)
            }
            "mapc" | "for-each" => lists.first().cloned().unwrap_or(Val::None),
            "filter-map" => {
                crate::heap::mix(&mut results);
                self.heap.list(results)
            }
            _ => self.heap.list(results),
        })
    }

    /// Key and value of an entry of a table.
    fn lisp_pair(&mut self, given: Vec<Val>) -> Vec<Val> {
        match given.as_slice() {
            [Val::Tuple(pair)] => pair.to_vec(),
            [other] => vec![other.clone(), other.clone()],
            _ => given,
        }
    }

    /// The items of a list; characters of a text are numbers in Emacs.
    fn lisp_items(&mut self, value: &Val) -> Items {
        match value {
            Val::Text(text) if self.is_emacs() => match text.as_known() {
                Some(known) if known.len() < 8192 => Items {
                    list: known.chars().map(|c| Val::Int(i64::from(u32::from(c)))).collect(),
                    rest: None,
                },
                _ => Items { list: Vec::new(), rest: Some(Val::unknown()) },
            },
            other => self.iterate(other),
        }
    }

    fn lisp_selected(&mut self, path: &str, args: &Args) -> Option<Val> {
        let (function, list) = (args.get(0).cloned()?, args.get(1).cloned()?);
        let items = self.lisp_items(&list);
        let negative = path.contains("remove") && !path.ends_with("not") || path == "delete-if";
        let mut kept = Items::default();
        let calls = path != "find";
        for item in items.list {
            if !self.burn(1) {
                break;
            }
            let holds = if calls {
                let value = self.lisp_call(&function, Args::of(vec![item.clone()]));
                self.truth(&value)
            } else {
                self.lisp_equal(&function, &item)
            };
            match holds.map(|holds| holds != negative) {
                Some(true) => push_item(&mut kept, item),
                Some(false) => {}
                None => kept.rest = Some(kept.rest.map_or(item.clone(), |rest| join(&rest, &item))),
            }
        }
        if let Some(rest) = items.rest {
            if calls {
                self.maybe(|this| this.lisp_call(&function, Args::of(vec![rest.clone()])));
            }
            kept.rest = Some(kept.rest.map_or(rest.clone(), |known| join(&known, &rest)));
        }
        Some(match path {
            "remove-if-not" | "filter" | "seq-filter" | "remove-if" | "seq-remove"
            | "delete-if" | "delete-if-not" => self.heap.list(kept),
            "find-if" | "seq-find" | "find" => match (kept.list.first(), kept.rest) {
                (Some(item), _) => item.clone(),
                (None, Some(rest)) => join(&rest, &Val::None),
                (None, None) => Val::None,
            },
            _ => {
                let list = self.heap.list(kept);
                self.lisp_unknown(&Args::of(vec![list]))
            }
        })
    }

    fn lisp_folded(&mut self, path: &str, args: &Args) -> Option<Val> {
        let function = args.get(0).cloned()?;
        let starts = !matches!(path, "reduce" | "seq-reduce");
        let named = super::keyed(args);
        let (list, first) = match (path, args.list.len()) {
            ("seq-reduce", _) => (args.get(1).cloned()?, args.get(2).cloned()),
            (_, 3) if starts => (args.get(2).cloned()?, args.get(1).cloned()),
            _ => (args.get(1).cloned()?, named.named("initial-value").cloned()),
        };
        let items = self.lisp_items(&list);
        let mut all = items.list;
        if matches!(path, "foldr" | "fold-right") {
            all.reverse();
        }
        let mut values = all.into_iter();
        let mut value = first.or_else(|| values.next()).unwrap_or(Val::None);
        for item in values {
            if !self.burn(1) {
                break;
            }
            let given = match path {
                "reduce" | "seq-reduce" | "fold-left" => vec![value, item],
                _ => vec![item, value],
            };
            value = self.lisp_call(&function, Args::of(given));
        }
        if let Some(rest) = items.rest {
            let unknown = self.lisp_unknown(&Args::of(vec![value.clone(), rest.clone()]));
            let once =
                self.maybe(|this| this.lisp_call(&function, Args::of(vec![unknown.clone(), rest])));
            value = join(&join(&value, &unknown), &once.forget());
        }
        Some(value)
    }

    /// The entry with a key, or its value.
    fn lisp_found(&mut self, path: &str, args: &Args) -> Option<Val> {
        let (a, b) = (args.get(0).cloned()?, args.get(1).cloned()?);
        let table_first = path.ends_with("-ref")
            || path == "plist-get"
            || path == "getf"
            || path == "hash-table-ref/default"
            || path == "hash-get-handle";
        let (key, list) = if table_first { (b, a) } else { (a, b) };
        let items = self.iterate(&list);
        let default = args.get(2).filter(|value| !matches!(value, Val::Library(_))).cloned();
        if let Some(function @ Val::Function(_)) = args.get(2) {
            let function = function.clone();
            self.maybe(|this| this.lisp_call(&function, Args::default()));
        }
        let missing = default.unwrap_or(if self.is_emacs() { Val::None } else { Val::Bool(false) });
        let plain = path == "plist-get" || path == "getf";
        let mut found: Option<Val> = None;
        let mut entries = items.list.iter();
        while let Some(entry) = entries.next() {
            let (known, value) = match plain {
                true => (entry.clone(), entries.next().cloned().unwrap_or(Val::None)),
                false => (self.lisp_nth(entry, 0), entry.clone()),
            };
            match self.lisp_equal(&known, &key) {
                Some(false) => {}
                Some(true) => {
                    found = Some(found.map_or(value.clone(), |found| join(&found, &value)));
                    let found = found?;
                    return Some(self.lisp_entry(path, plain, found));
                }
                None => found = Some(found.map_or(value.clone(), |found| join(&found, &value))),
            }
        }
        if let Some(rest) = items.rest {
            let rest = if plain { self.lisp_parts(&rest) } else { rest };
            found = Some(found.map_or(rest.clone(), |found| join(&found, &rest)));
        }
        Some(match found {
            Some(found) => {
                let value = self.lisp_entry(path, plain, found);
                join(&value, &missing)
            }
            None => missing,
        })
    }

    fn lisp_entry(&mut self, path: &str, plain: bool, found: Val) -> Val {
        if plain || matches!(path, "assoc" | "assq" | "assv" | "assoc-string" | "hash-get-handle") {
            return found;
        }
        self.lisp_behind(&found, 1)
    }

    fn lisp_copied(&mut self, path: &str, args: &Args) -> Option<Val> {
        let first = args.get(0).cloned()?;
        if path == "list*" || path == "cons*" || path == "cl-list*" {
            let mut list = args.list.clone();
            let last = list.pop()?;
            let start = self.new_list(list);
            return Some(self.lisp_inner("<dotted>", &Args::of(vec![start, last])));
        }
        if let (Val::Text(_), "coerce" | "cl-coerce" | "seq-into") = (&first, path) {
            let wants_text = args.get(1).and_then(symbol_of) == Some("string");
            if wants_text {
                return Some(first);
            }
        }
        let items = self.lisp_items(&first);
        let to_text = matches!(path, "coerce" | "cl-coerce" | "seq-into")
            && args.get(1).and_then(symbol_of).is_some_and(|kind| kind.contains("string"));
        let list = self.heap.list(items);
        if to_text {
            return self.lisp_text_function("concat", &Args::of(vec![list]));
        }
        Some(match path {
            "hash-table-values" | "hash-values" | "hash-keys" | "hash-table-keys" => {
                let rest = Some(self.lisp_parts(&list));
                self.heap.list(Items { list: Vec::new(), rest })
            }
            _ => list,
        })
    }

    fn lisp_range(&mut self, path: &str, args: &Args) -> Val {
        let number = |place: usize| args.list.get(place).and_then(Val::as_int);
        let bounds = match (path, args.list.len()) {
            ("iota", 1) => (Some(0), number(0)),
            ("iota", 2) => (number(1), number(0).zip(number(1)).map(|(count, from)| from + count)),
            ("number-sequence", 1) => (number(0), number(0).map(|n| n + 1)),
            ("number-sequence", 2) => (number(0), number(1).map(|n| n + 1)),
            ("range" | "in-range", 1) => (Some(0), number(0)),
            ("range" | "in-range", 2) => (number(0), number(1)),
            _ => (None, None),
        };
        match bounds {
            (Some(from), Some(to)) => {
                self.lisp_inner("<numbers>", &Args::of(vec![Val::Int(from), Val::Int(to)]))
            }
            _ => self.heap.list(Items { list: Vec::new(), rest: Some(Val::unknown()) }),
        }
    }
}

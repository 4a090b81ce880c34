//! Functions of lists, vectors and tables.

use super::inner::LispInner;
use super::mapped::LispMapped;
use super::numbers::LispNumbers;
use super::places::LispPlaces;
use super::{LispCalls, LispState, symbol_of};
use crate::heap::{Items, extend};
use crate::value::{Args, Val, join};
use aegish_code_interpreter::Interpreter;
use easy_ext::ext;

#[ext(LispLists)]
pub(super) impl Interpreter<'_> {
    fn lisp_list(&mut self, path: &str, args: &Args) -> Option<Val> {
        let first = args.get(0).cloned();
        Some(match path {
            "list" | "vector" | "values" | "make-vector-of" | "bytes" | "record" => {
                if args.list.is_empty() && args.rest.is_none() && self.is_emacs() {
                    return Some(Val::None);
                }
                self.heap.list(Items { list: args.list.clone(), rest: args.rest.clone() })
            }
            "cons" => {
                let (item, behind) = (first?, args.get(1).cloned()?);
                match &behind {
                    Val::None => self.new_list(vec![item]),
                    Val::List(_) | Val::OneOf(_) => {
                        self.state.with(|lisp: &mut LispState| {
                            lisp.shares |= matches!(behind, Val::List(_));
                        });
                        let is_list = |value: &Val| matches!(value, Val::List(_) | Val::None);
                        if let Val::OneOf(values) = &behind
                            && !values.iter().all(is_list)
                        {
                            return Some(Val::Tuple([item, behind].into()));
                        }
                        let more = self.iterate(&behind);
                        let mut list = vec![item];
                        list.extend(more.list);
                        self.heap.list(Items { list, rest: more.rest })
                    }
                    Val::Unknown(..) => {
                        let rest = Some(behind.clone());
                        self.heap.list(Items { list: vec![item], rest })
                    }
                    _ => Val::Tuple([item, behind].into()),
                }
            }
            "car" | "first" | "car-safe" | "cl-first" => self.lisp_nth(&first?, 0),
            "cdr" | "rest" | "cdr-safe" | "cl-rest" => self.lisp_behind(&first?, 1),
            "cadr" | "second" => {
                let behind = self.lisp_behind(&first?, 1);
                self.lisp_nth(&behind, 0)
            }
            "cddr" => {
                let behind = self.lisp_behind(&first?, 1);
                self.lisp_behind(&behind, 1)
            }
            "caar" => {
                let inner = self.lisp_nth(&first?, 0);
                self.lisp_nth(&inner, 0)
            }
            "cdar" => {
                let inner = self.lisp_nth(&first?, 0);
                self.lisp_behind(&inner, 1)
            }
            "caddr" | "third" => self.lisp_nth(&first?, 2),
            "cadddr" | "fourth" => self.lisp_nth(&first?, 3),
            "nth" | "nthcdr" => {
                let list = args.get(1).cloned()?;
                match first?.as_int().and_then(|place| usize::try_from(place).ok()) {
                    Some(place) if path == "nth" => self.lisp_nth(&list, place),
                    Some(place) => self.lisp_behind(&list, place),
                    None => self.lisp_parts(&list),
                }
            }
            "elt" | "aref" | "list-ref" | "vector-ref" | "svref" | "seq-elt" | "list-tail"
            | "drop" => {
                let place =
                    args.get(1).and_then(Val::as_int).and_then(|place| usize::try_from(place).ok());
                match (first?, place) {
                    (Val::Text(text), Some(place)) => match text.as_known() {
                        Some(known) => match known.chars().nth(place) {
                            Some(c) if self.is_emacs() => Val::Int(i64::from(u32::from(c))),
                            Some(c) => Val::text(c.to_string()),
                            None => Val::unknown(),
                        },
                        None => Val::Text(crate::value::part_of(&text)),
                    },
                    (list, Some(place)) if matches!(path, "list-tail" | "drop") => {
                        self.lisp_behind(&list, place)
                    }
                    (list, Some(place)) => self.lisp_nth(&list, place),
                    (list, None) => self.lisp_parts(&list),
                }
            }
            "last" | "car-last" => match first? {
                list @ Val::List(_) => {
                    let items = self.iterate(&list);
                    match (items.list.last(), &items.rest) {
                        // Racket gives the item, the others a list of it.
                        (Some(item), None) if self.is_emacs() => {
                            let item = item.clone();
                            self.new_list(vec![item])
                        }
                        _ => self.lisp_parts(&list),
                    }
                }
                other => self.lisp_parts(&other),
            },
            "append" | "nconc" | "append!" | "vconcat" | "append*" | "vector-append"
            | "concatenate-lists" => {
                let mut all = Items::default();
                for value in args.list.iter().chain(&args.rest) {
                    if value != &Val::None && !matches!(value, Val::List(_) | Val::Text(_)) {
                        return Some(self.lisp_unknown(args));
                    }
                    let items = self.iterate(value);
                    extend(&mut all, items);
                }
                if let (true, Some(Val::List(place))) =
                    (path == "nconc" || path == "append!", &first)
                {
                    self.open |= self.state.with(|lisp: &mut LispState| lisp.shares);
                    let place = *place;
                    self.heap.update_items(place, |items| *items = all);
                    return Some(Val::List(place));
                }
                self.state.with(|lisp: &mut LispState| {
                    lisp.shares |= matches!(args.list.last(), Some(Val::List(_)));
                });
                self.heap.list(all)
            }
            "setcar" | "set-car!" | "rplaca" => {
                self.open |= self.state.with(|lisp: &mut LispState| lisp.shares);
                let value = args.get(1).cloned()?;
                self.lisp_set_item(&first?, Some(0), &value);
                value
            }
            "setcdr" | "set-cdr!" | "rplacd" => {
                self.open |= self.state.with(|lisp: &mut LispState| lisp.shares);
                let value = args.get(1).cloned()?;
                if let Val::List(place) = first? {
                    let more = self.iterate(&value);
                    let dotted = !matches!(value, Val::List(_) | Val::None);
                    self.open |= dotted;
                    self.heap.update_items(place, |items| {
                        items.list.truncate(1);
                        items.rest = None;
                        extend(items, more);
                    });
                } else {
                    self.open = true;
                }
                value
            }
            "aset" | "vector-set!" | "list-set!" | "string-set!" => {
                let value = args.get(2).cloned()?;
                let place =
                    args.get(1).and_then(Val::as_int).and_then(|place| usize::try_from(place).ok());
                match first? {
                    list @ (Val::List(_) | Val::OneOf(_)) => {
                        self.lisp_set_item(&list, place, &value);
                    }
                    // A text cannot be changed here.
                    _ => self.open = true,
                }
                value
            }
            "reverse" | "nreverse" | "reverse!" | "string-reverse" | "seq-reverse" => {
                match first? {
                    Val::Text(text) => {
                        let reversed = text.readings(8).map(|all| {
                            all.into_iter().map(|one| one.chars().rev().collect::<String>())
                        });
                        match reversed {
                            Some(all) => {
                                Val::Text(aegish_values::Value::one_of(all).tainted(text.taint()))
                            }
                            None => Val::Text(crate::value::part_of(&text)),
                        }
                    }
                    list @ Val::List(_) => {
                        let mut items = self.iterate(&list);
                        if items.rest.is_some() {
                            crate::heap::mix(&mut items);
                        }
                        items.list.reverse();
                        self.heap.list(items)
                    }
                    Val::None => Val::None,
                    _ => self.lisp_unknown(args),
                }
            }
            "length" | "seq-length" | "vector-length" | "string-length" | "cl-list-length"
            | "safe-length" => {
                let value = first?;
                match &value {
                    Val::None => Val::Int(0),
                    Val::Text(text) => match text.as_known() {
                        Some(known) => Val::Int(i64::try_from(known.chars().count()).unwrap_or(0)),
                        None => Val::unknown(),
                    },
                    Val::List(_) => {
                        let items = self.iterate(&value);
                        match items.rest {
                            None => Val::Int(i64::try_from(items.list.len()).unwrap_or(0)),
                            Some(_) => Val::unknown(),
                        }
                    }
                    _ => Val::unknown(),
                }
            }
            "mapcar"
            | "map"
            | "mapc"
            | "for-each"
            | "mapcan"
            | "append-map"
            | "filter-map"
            | "vector-map"
            | "vector-for-each"
            | "seq-map"
            | "seq-do"
            | "maplist"
            | "mapcon"
            | "seq-mapn"
            | "map-in-order"
            | "string-for-each"
            | "hash-for-each"
            | "maphash"
            | "hash-map"
            | "dolist-map"
            | "seq-doseq"
            | "array-for-each"
            | "hash-table-walk"
            | "hash-table-for-each" => self.lisp_mapped(path, args)?,
            "remove-if-not" | "filter" | "seq-filter" | "remove-if" | "seq-remove" | "find-if"
            | "seq-find" | "find" | "delete-if" | "delete-if-not" | "partition" | "some"
            | "seq-some" | "every" | "seq-every-p" | "any" | "andmap" | "ormap" | "find-if-not"
            | "member-if" | "position-if" | "count-if" => self.lisp_selected(path, args)?,
            "reduce" | "seq-reduce" | "fold" | "fold-left" | "foldl" | "foldr" | "fold-right" => {
                self.lisp_folded(path, args)?
            }
            "sort" | "sort!" | "seq-sort" | "sort-lines" | "stable-sort" | "list-sort"
            | "seq-uniq" | "delete-dups" | "remove-duplicates" | "delete-duplicates" => {
                let list = args.list.iter().find(|value| matches!(value, Val::List(_))).cloned();
                let args = self.lisp_functions(args);
                self.run_callbacks(&args, None);
                match list {
                    Some(list) => {
                        let mut items = self.iterate(&list);
                        if items.list.len() > 1 {
                            crate::heap::mix(&mut items);
                        }
                        self.heap.list(items)
                    }
                    None => self.lisp_unknown(&args),
                }
            }
            "member" | "memq" | "memv" | "seq-contains-p" | "member-ignore-case" => {
                let list = args.get(1).cloned()?;
                let (list, item) =
                    if path == "seq-contains-p" { (first?, list) } else { (list, first?) };
                let items = self.iterate(&list);
                for (at, known) in items.list.iter().enumerate() {
                    match self.lisp_equal(known, &item) {
                        Some(true) => return Some(self.lisp_behind(&list, at)),
                        Some(false) => {}
                        None => return Some(join(&Val::None, &self.lisp_parts(&list))),
                    }
                }
                match items.rest {
                    None => {
                        if self.is_emacs() {
                            Val::None
                        } else {
                            Val::Bool(false)
                        }
                    }
                    Some(_) => join(&Val::None, &self.lisp_parts(&list)),
                }
            }
            "assoc"
            | "assq"
            | "assv"
            | "assoc-string"
            | "alist-get"
            | "assoc-default"
            | "cdr-assoc"
            | "assoc-ref"
            | "assq-ref"
            | "gethash"
            | "hash-ref"
            | "hashq-ref"
            | "hash-table-ref"
            | "hash-get-handle"
            | "plist-get"
            | "getf"
            | "hash-table-ref/default"
            | "dict-ref" => self.lisp_found(path, args)?,
            "make-hash-table"
            | "make-hash"
            | "make-hasheq"
            | "hash"
            | "hasheq"
            | "make-weak-key-hash-table" => {
                let pairs = keyed_pairs(&args.list);
                self.new_list(pairs)
            }
            "puthash" => {
                let value = args.get(1).cloned()?;
                let table = args.get(2).cloned()?;
                self.lisp_put(&table, &first?, &value);
                value
            }
            "hash-set!" | "hashq-set!" | "hash-table-set!" | "hash-put!" => {
                let (key, value) = (args.get(1).cloned()?, args.get(2).cloned()?);
                self.lisp_put(&first?, &key, &value);
                value
            }
            "copy-sequence" | "copy-list" | "copy-tree" | "copy-alist" | "list-copy"
            | "vector->list" | "list->vector" | "string->list" | "cl-coerce" | "coerce"
            | "seq-into" | "hash->list" | "in-list" | "in-vector" | "in-string"
            | "hash-table-values" | "hash-values" | "hash-keys" | "hash-table-keys" | "list*"
            | "cl-list*" | "cons*" | "apply-list" => self.lisp_copied(path, args)?,
            "iota" | "number-sequence" | "range" | "in-range" => self.lisp_range(path, args),
            "butlast" | "nbutlast" | "drop-right" => {
                let mut items = self.iterate(&first?);
                let count = args
                    .list
                    .get(1)
                    .map_or(Some(1), Val::as_int)
                    .and_then(|n| usize::try_from(n).ok());
                match (count, &items.rest) {
                    (Some(count), None) => {
                        items.list.truncate(items.list.len().saturating_sub(count));
                    }
                    _ => crate::heap::mix(&mut items),
                }
                self.heap.list(items)
            }
            "take" | "seq-take" | "list-head" | "seq-subseq" | "subseq" | "seq-drop" | "remove"
            | "delete" | "delq" | "remq" | "cl-subseq" | "vector-copy" | "subvector"
            | "list-index" | "flatten" | "flatten-tree" | "add1-list" | "shuffle"
                if matches!(first, Some(Val::List(_)))
                    || matches!(args.list.get(1), Some(Val::List(_))) =>
            {
                let list = args.list.iter().find(|value| matches!(value, Val::List(_))).cloned()?;
                let rest = Some(self.lisp_parts(&list));
                self.heap.list(Items { list: Vec::new(), rest })
            }
            _ => return None,
        })
    }

    /// An item of a list or a pair.
    fn lisp_nth(&mut self, value: &Val, place: usize) -> Val {
        match value {
            Val::OneOf(_) => self.each(value, |this, one| this.lisp_nth(one, place)),
            Val::None => Val::None,
            Val::Tuple(pair) => match (place, &**pair) {
                (0, [first, ..]) => first.clone(),
                (_, [_, behind]) => {
                    let behind = behind.clone();
                    self.lisp_nth(&behind, place - 1)
                }
                _ => Val::unknown(),
            },
            Val::List(cell) => {
                let items = self.heap.items(*cell);
                match (items.list.get(place), &items.rest) {
                    (Some(item), _) => item.clone(),
                    (None, Some(rest)) => join(rest, &Val::None),
                    (None, None) => Val::None,
                }
            }
            other => other.forget(),
        }
    }

    /// What stands behind so many items.
    fn lisp_behind(&mut self, value: &Val, count: usize) -> Val {
        match value {
            Val::OneOf(_) => self.each(value, |this, one| this.lisp_behind(one, count)),
            Val::None => Val::None,
            _ if count == 0 => value.clone(),
            Val::Tuple(pair) => match &**pair {
                [_, behind] => {
                    let behind = behind.clone();
                    self.lisp_behind(&behind, count - 1)
                }
                _ => Val::unknown(),
            },
            Val::List(cell) => {
                let items = self.heap.items(*cell);
                let list: Vec<Val> = items.list.iter().skip(count).cloned().collect();
                self.state.with(|lisp: &mut LispState| lisp.shares = true);
                match (list.is_empty(), &items.rest) {
                    (true, None) => {
                        if self.is_emacs() {
                            Val::None
                        } else {
                            self.new_list(list)
                        }
                    }
                    (_, rest) => self.heap.list(Items { list, rest: rest.clone() }),
                }
            }
            other => other.forget(),
        }
    }
}

/// `(hash 'a 1 'b 2)`: pairs; options of `make-hash-table` are none.
fn keyed_pairs(list: &[Val]) -> Vec<Val> {
    let option = |value: &Val| symbol_of(value).is_some_and(|name| name.starts_with(':'));
    if list.first().is_some_and(option) {
        return Vec::new();
    }
    list.chunks(2)
        .filter_map(|pair| match pair {
            [key, value] => Some(Val::Tuple([key.clone(), value.clone()].into())),
            _ => None,
        })
        .collect()
}

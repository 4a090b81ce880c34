//! Functions that change an array, and those that call a function for each item.

use super::{PhpValues, any_of, append, put};
use crate::heap::{Entries, Items};
use crate::limits::MAX_ITEMS;
use crate::machine::Machine;
use crate::value::{Args, Val, join};

/// What a function gives, and what the array that it changes is then.
pub type Given = (Val, Option<Val>);

/// Functions that change an array or call others.
pub trait PhpArrayChanges: Machine {
    /// Functions that change the array that they are given.
    fn changing_function(&mut self, name: &str, args: &Args) -> Option<Given> {
        let first = args.get(0).cloned().unwrap_or(Val::None);
        Some(match name {
            "array_push" | "array_unshift" => {
                let mut entries = self.php_entries(&first);
                let more: Vec<Val> =
                    args.list.iter().skip(1).cloned().chain(args.rest.clone()).collect();
                if name == "array_push" {
                    more.into_iter().for_each(|value| append(&mut entries, value));
                } else {
                    let old = std::mem::take(&mut entries.list);
                    let rest = entries.rest.take();
                    more.into_iter().for_each(|value| append(&mut entries, value));
                    for (known, value) in old {
                        match known {
                            Val::Int(_) => append(&mut entries, value),
                            other => put(&mut entries, &other, value),
                        }
                    }
                    entries.rest = rest;
                }
                (Val::unknown(), Some(self.php_array(entries)))
            }
            "array_pop" | "array_shift" => {
                let mut entries = self.php_entries(&first);
                if entries.rest.is_some() {
                    let any = any_of(&entries).unwrap_or(Val::None);
                    return Some((any, None));
                }
                let taken = if name == "array_pop" {
                    entries.list.pop()
                } else if entries.list.is_empty() {
                    None
                } else {
                    Some(entries.list.remove(0))
                };
                if name == "array_shift" {
                    let old = std::mem::take(&mut entries.list);
                    for (known, value) in old {
                        match known {
                            Val::Int(_) => append(&mut entries, value),
                            other => put(&mut entries, &other, value),
                        }
                    }
                }
                let value = taken.map_or(Val::None, |(_, value)| value);
                (value, Some(self.php_array(entries)))
            }
            "array_splice" => {
                let entries = self.php_entries(&first);
                let more = self.php_any(args.get(3).unwrap_or(&Val::None));
                let any = any_of(&entries).unwrap_or(Val::None);
                let removed = self.php_list(Vec::new(), Some(any.clone()));
                (removed, Some(self.php_list(Vec::new(), Some(join(&any, &more)))))
            }
            "sort" | "rsort" | "usort" | "uasort" | "uksort" | "asort" | "arsort" | "ksort"
            | "krsort" | "natsort" | "natcasesort" | "shuffle" | "array_multisort" => {
                let entries = self.php_entries(&first);
                let any = any_of(&entries);
                if let (Some(function), true) = (args.get(1), name.starts_with('u')) {
                    let items: Vec<Val> = if name == "uksort" {
                        entries.list.iter().map(|(known, _)| known.clone()).collect()
                    } else {
                        entries
                            .list
                            .iter()
                            .map(|(_, value)| value.clone())
                            .chain(entries.rest.clone())
                            .collect()
                    };
                    if let Some(item) = items.into_iter().reduce(|a, b| join(&a, &b)) {
                        let function = function.clone();
                        self.maybe(|this| this.call(&function, Args::of(vec![item.clone(), item])));
                    }
                }
                let changed = if matches!(
                    name,
                    "uasort" | "uksort" | "asort" | "arsort" | "ksort" | "krsort" | "natsort"
                ) {
                    // The order is not known, but the keys stay.
                    let mut entries = entries;
                    entries.list.sort_by_key(|(known, _)| format!("{known:?}"));
                    self.php_array(entries)
                } else {
                    self.php_list(Vec::new(), any)
                };
                (Val::Bool(true), Some(changed))
            }
            "array_walk" | "array_walk_recursive" => {
                let entries = self.php_entries(&first);
                let function = args.get(1)?.clone();
                let more: Vec<Val> = args.list.get(2).cloned().into_iter().collect();
                for (known, value) in &entries.list {
                    let mut list = vec![value.clone(), known.clone()];
                    list.extend(more.iter().cloned());
                    self.call(&function, Args::of(list));
                }
                if let Some(rest) = &entries.rest {
                    let rest = rest.clone();
                    let mut list = vec![rest, Val::unknown()];
                    list.extend(more);
                    self.maybe(|this| this.call(&function, Args::of(list)));
                }
                // The function may change the items by reference.
                (Val::Bool(true), None)
            }
            _ => return None,
        })
    }

    /// Functions that call one for each item.
    fn calling_function(&mut self, name: &str, args: &Args) -> Option<Val> {
        let first = args.get(0).cloned()?;
        let second = args.get(1).cloned();
        Some(match name {
            "array_map" => {
                if first == Val::None {
                    return second;
                }
                let rows: Vec<Entries> =
                    args.list.iter().skip(1).map(|list| self.php_entries(list)).collect();
                let whole = rows.iter().all(|row| row.rest.is_none());
                let longest = rows.iter().map(|row| row.list.len()).max().unwrap_or(0);
                if !whole || longest > MAX_ITEMS {
                    let items = rows.iter().map(|row| any_of(row).unwrap_or(Val::None)).collect();
                    let mut given = Val::None;
                    self.repeated(&mut |this| {
                        given = this.call(&first, Args::of(Vec::clone(&items)));
                    });
                    return Some(self.php_list(Vec::new(), Some(given)));
                }
                let mut out = Entries::default();
                for at in 0..longest {
                    if !self.burn(1) {
                        break;
                    }
                    let list = rows
                        .iter()
                        .map(|row| row.list.get(at).map_or(Val::None, |(_, value)| value.clone()))
                        .collect();
                    let value = self.call(&first, Args::of(list));
                    match rows.as_slice() {
                        [only] => {
                            let known =
                                only.list.get(at).map_or(Val::None, |(known, _)| known.clone());
                            put(&mut out, &known, value);
                        }
                        _ => append(&mut out, value),
                    }
                }
                self.php_array(out)
            }
            "array_filter" => {
                let entries = self.php_entries(&first);
                let mode = args.get(2);
                let mut kept = Entries::default();
                for (known, value) in entries.list {
                    let truth = match &second {
                        Some(function) if *function != Val::None => {
                            let item = if mode.is_some() { known.clone() } else { value.clone() };
                            let list = vec![item, value.clone()];
                            let list = if mode.is_some() { list } else { vec![value.clone()] };
                            let given = self.call(function, Args::of(list));
                            given.truth()
                        }
                        _ => value.truth(),
                    };
                    match truth {
                        Some(false) => {}
                        Some(true) => put(&mut kept, &known, value),
                        None => {
                            kept.rest =
                                Some(kept.rest.map_or(value.clone(), |rest| join(&rest, &value)));
                        }
                    }
                }
                if let Some(rest) = entries.rest {
                    if let Some(function) = second.filter(|function| *function != Val::None) {
                        let item = rest.clone();
                        self.maybe(|this| this.call(&function, Args::of(vec![item])));
                    }
                    kept.rest = Some(kept.rest.map_or(rest.clone(), |known| join(&known, &rest)));
                }
                self.php_array(kept)
            }
            "array_reduce" => {
                let entries = self.php_entries(&first);
                let function = second?;
                let mut value = args.get(2).cloned().unwrap_or(Val::None);
                let items = Items {
                    list: entries.list.into_iter().map(|(_, item)| item).collect(),
                    rest: entries.rest,
                };
                for item in items.list {
                    value = self.call(&function, Args::of(vec![value, item]));
                }
                if let Some(item) = items.rest {
                    let mut all = value.clone();
                    self.repeated(&mut |this| {
                        let made = this.call(&function, Args::of(vec![all.clone(), item.clone()]));
                        all = crate::value::widen(&all, &made);
                    });
                    value = join(&value, &all);
                }
                value
            }
            "array_udiff"
            | "array_uintersect"
            | "array_diff_ukey"
            | "array_intersect_ukey"
            | "array_find"
            | "array_any"
            | "array_all"
            | "iterator_apply" => {
                let any = self.php_any(&first);
                let functions: Vec<Val> = args.list.iter().skip(1).cloned().collect();
                for function in functions {
                    if matches!(function, Val::Dict(_) | Val::List(_)) && name != "iterator_apply" {
                        continue;
                    }
                    let list = vec![any.clone(), any.clone()];
                    self.maybe(|this| this.call(&function, Args::of(list)));
                }
                self.php_list(Vec::new(), Some(any))
            }
            _ => return None,
        })
    }
}

impl<M: Machine> PhpArrayChanges for M {}

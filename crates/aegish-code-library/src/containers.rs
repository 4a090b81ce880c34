//! Methods of lists, tuples and maps.

use crate::heap::Items;
pub use crate::heap::mix;
use crate::heap::{extend, insert, is_key, push_item};
use crate::limits::MAX_ITEMS;
use crate::machine::Machine;
use crate::reference::Ref;
use crate::value::{Args, Val, join};

/// Methods of lists, tuples and maps.
pub trait Containers: Machine {
    /// Adds items at the end of a list.
    fn extend_list(&mut self, place: Ref, more: Items) {
        self.burn(more.list.len() / 8);
        let list = more.list.into_iter().map(|value| self.compact(value)).collect();
        let more = Items { list, rest: more.rest.map(|rest| self.compact(rest)) };
        self.heap().update_items(place, |items| {
            extend(items, more);
            if items.list.len() > MAX_ITEMS {
                let tail = items.list.split_off(MAX_ITEMS);
                for value in tail {
                    items.rest =
                        Some(items.rest.as_ref().map_or(value.clone(), |rest| join(rest, &value)));
                }
            }
        });
    }

    fn list_method(&mut self, object: &Val, name: &str, args: &Args) -> Val {
        let first = args.get(0).cloned();
        if let Val::List(place) = object {
            match name {
                "append" | "add" | "appendleft" | "put" | "push" => {
                    let list = first.into_iter().collect();
                    self.extend_list(*place, Items { list, rest: None });
                    return Val::None;
                }
                "extend" | "update" | "union" => {
                    for more in &args.list {
                        let items = self.iterate(more);
                        self.extend_list(*place, items);
                    }
                    return if name == "union" { object.clone() } else { Val::None };
                }
                "insert" => {
                    let at = first.as_ref().and_then(Val::as_int);
                    let value = args.get(1).cloned().unwrap_or(Val::None);
                    self.heap().update_items(*place, |items| {
                        let known = at
                            .and_then(|at| usize::try_from(at).ok())
                            .filter(|at| *at <= items.list.len());
                        match known {
                            Some(at) => items.list.insert(at, value),
                            None => push_item(items, value),
                        }
                    });
                    return Val::None;
                }
                "pop" | "popleft" | "get" if self.is_certain() || first.is_none() => {
                    let items = self.heap().items(*place);
                    if items.rest.is_some() || items.list.is_empty() {
                        return self.element(object);
                    }
                    let last = items.list.len() - 1;
                    let at = match first.as_ref().map(Val::as_int) {
                        None if name == "pop" => last,
                        None => 0,
                        Some(Some(at)) => usize::try_from(at).unwrap_or(last).min(last),
                        Some(None) => return self.element(object),
                    };
                    let value = items.list.get(at).cloned();
                    drop(items);
                    self.heap().update_items(*place, |items| {
                        items.list.remove(at);
                    });
                    return value.unwrap_or_else(Val::unknown);
                }
                "remove" | "discard" => {
                    let value = first.unwrap_or(Val::None);
                    self.heap().update_items(*place, |items| {
                        if let Some(at) = items.list.iter().position(|item| *item == value) {
                            items.list.remove(at);
                        }
                    });
                    return Val::None;
                }
                "clear" => {
                    self.heap().update_items(*place, |items| *items = Items::default());
                    return Val::None;
                }
                "reverse" => {
                    self.heap().update_items(*place, |items| match &items.rest {
                        None => items.list.reverse(),
                        Some(_) => mix(items),
                    });
                    return Val::None;
                }
                "sort" => {
                    let sorted = self.sorted(object, args);
                    self.heap().update_items(*place, |items| *items = sorted);
                    return Val::None;
                }
                _ => {}
            }
        }
        match name {
            "copy" => {
                let items = self.iterate(object);
                self.heap().list(items)
            }
            "index" | "count" | "__len__" => Val::unknown(),
            "__getitem__" => match first {
                Some(index) => self.index(object, &index),
                None => Val::unknown(),
            },
            "__iter__" | "__contains__" => object.clone(),
            // The content of files and texts among the items goes along.
            "decode" | "tobytes" => {
                let items = self.iterate(object);
                crate::numbers::bytes_of(&items).map_or_else(|| object.forget(), Val::bytes)
            }
            _ => {
                self.run_callbacks(args, Some(object));
                Val::tainted(self.taint_of(object))
            }
        }
    }

    fn sorted(&mut self, object: &Val, args: &Args) -> Items {
        let mut items = self.iterate(object);
        let reverse = args.named("reverse").and_then(Val::truth);
        let simple = args.named("key").is_none() && items.rest.is_none();
        let texts: Option<Vec<String>> = items
            .list
            .iter()
            .map(|item| match item {
                Val::Text(value) => value.as_known().map(str::to_owned),
                _ => None,
            })
            .collect();
        match texts {
            Some(mut texts)
                if simple && !(args.named("reverse").is_some() && reverse.is_none()) =>
            {
                texts.sort();
                if reverse == Some(true) {
                    texts.reverse();
                }
                Items { list: texts.into_iter().map(Val::text).collect(), rest: None }
            }
            _ if simple && items.list.iter().all(|item| matches!(item, Val::Int(_))) => {
                items.list.sort_by_key(|item| item.as_int().unwrap_or(0));
                if reverse == Some(true) {
                    items.list.reverse();
                }
                items
            }
            _ => {
                if let Some(key) = args.named("key").cloned() {
                    let element = self.element(object);
                    self.maybe(|this| this.call(&key, Args::of(vec![element])));
                }
                mix(&mut items);
                items
            }
        }
    }

    fn dict_method(&mut self, place: Ref, name: &str, args: &Args) -> Val {
        let object = Val::Dict(place);
        match name {
            "get" | "setdefault" | "pop" | "__getitem__" => {
                let key = args.get(0).cloned().unwrap_or(Val::None);
                let default = args.get(1).cloned();
                let entries = self.heap().entries(place);
                let found = is_key(&key) && entries.list.iter().any(|(known, _)| *known == key);
                let value = if found {
                    self.index(&object, &key)
                } else {
                    match (self.index(&object, &key), default) {
                        (_, Some(default)) if is_key(&key) && entries.rest.is_none() => default,
                        (value, Some(default)) => join(&value, &default),
                        (_, None) if is_key(&key) && entries.rest.is_none() => Val::None,
                        (value, None) => value,
                    }
                };
                if name == "setdefault" {
                    let value = value.clone();
                    self.heap().update_entries(place, |entries| insert(entries, key, value));
                }
                value
            }
            "keys" | "__iter__" => {
                let items = self.iterate(&object);
                self.heap().list(items)
            }
            "values" => {
                let entries = self.heap().entries(place);
                let list = entries.list.iter().map(|(_, value)| value.clone()).collect();
                self.heap().list(Items { list, rest: entries.rest.clone() })
            }
            "items" | "iteritems" => {
                let entries = self.heap().entries(place);
                let list = entries
                    .list
                    .iter()
                    .map(|(key, value)| Val::Tuple([key.clone(), value.clone()].into()))
                    .collect();
                let rest = entries
                    .rest
                    .as_ref()
                    .map(|rest| Val::Tuple([Val::unknown(), rest.clone()].into()));
                self.heap().list(Items { list, rest })
            }
            "update" => {
                for (name, value) in &args.named {
                    let (name, value) = (Val::text(&**name), value.clone());
                    self.heap().update_entries(place, |entries| insert(entries, name, value));
                }
                match args.get(0) {
                    Some(Val::Dict(other)) => {
                        let more = self.heap().entries(*other);
                        self.heap().update_entries(place, |entries| {
                            for (key, value) in &more.list {
                                insert(entries, key.clone(), value.clone());
                            }
                            if let Some(rest) = &more.rest {
                                entries.rest = Some(rest.clone());
                            }
                        });
                    }
                    Some(other) => {
                        let value = self.element(other);
                        self.heap().update_entries(place, |entries| {
                            insert(entries, Val::unknown(), value);
                        });
                    }
                    None => {}
                }
                Val::None
            }
            "copy" => {
                let entries = (*self.heap().entries(place)).clone();
                self.heap().dict(entries)
            }
            "__setitem__" => {
                if let (Some(key), Some(value)) = (args.get(0), args.get(1)) {
                    self.set_index(&object, &key.clone(), value.clone());
                }
                Val::None
            }
            _ => Val::tainted(self.taint_of(&object)),
        }
    }
}

impl<M: Machine> Containers for M {}

//! Lists, arrays and hashes.

use super::items::PerlItems;
use super::values::PerlValues;
use crate::heap::{Cell, Items, mix};
use crate::heap::{extend, push_item};
use crate::limits::MAX_ITEMS;
use crate::machine::Machine;
use crate::perl;
use crate::value::{Args, Val, join};
use aegish_values::Value;
use std::rc::Rc;

/// Functions on lists, arrays and hashes.
pub trait PerlLists: Machine {
    /// The items of a list that is an argument.
    fn items_of(&mut self, value: &Val) -> Items {
        match value {
            Val::Dict(_) => self.perl_pairs(value),
            other => self.perl_iterate(other),
        }
    }

    fn perl_pairs(&mut self, value: &Val) -> Items {
        match value {
            Val::Dict(place) => {
                let entries = self.heap().entries(*place);
                let list = entries
                    .list
                    .iter()
                    .flat_map(|(key, value)| [key.clone(), value.clone()])
                    .collect();
                Items { list, rest: entries.rest.clone() }
            }
            Val::OneOf(values) => {
                let rest = values
                    .clone()
                    .iter()
                    .flat_map(|one| {
                        let items = self.perl_pairs(one);
                        items.list.into_iter().chain(items.rest)
                    })
                    .reduce(|a, b| join(&a, &b));
                Items { list: Vec::new(), rest }
            }
            Val::List(_) | Val::Tuple(_) => self.perl_iterate(value),
            Val::None => Items::default(),
            other => Items { list: Vec::new(), rest: Some(other.forget()) },
        }
    }

    fn counted(&mut self, value: &Val) -> Val {
        let items = match value {
            Val::Dict(place) => {
                let entries = self.heap().entries(*place);
                return match entries.rest {
                    None if self.is_certain() || entries.list.is_empty() => {
                        Val::Int(i64::try_from(entries.list.len()).unwrap_or(0))
                    }
                    _ => Val::unknown(),
                };
            }
            Val::OneOf(values) => {
                return values
                    .clone()
                    .iter()
                    .map(|one| self.counted(one))
                    .reduce(|a, b| join(&a, &b))
                    .unwrap_or(Val::None);
            }
            Val::Library(_) => return Val::unknown(),
            other => self.perl_iterate(other),
        };
        match items.rest {
            None => Val::Int(i64::try_from(items.list.len()).unwrap_or(0)),
            Some(_) => Val::unknown(),
        }
    }

    /// The arguments from a place on as items.
    fn behind(args: &Args, place: usize) -> Items {
        Items { list: args.list.iter().skip(place).cloned().collect(), rest: args.rest.clone() }
    }

    /// The arguments as one text.
    fn joined(&mut self, separator: &str, args: &Args) -> Value {
        self.joined_items(&Value::known(separator), &Self::behind(args, 0))
    }

    fn joined_items(&mut self, separator: &Value, items: &Items) -> Value {
        let mut text = Value::empty();
        for (place, item) in items.list.iter().enumerate() {
            if place > 0 {
                text.append(separator);
            }
            text.append(&self.perl_text(item));
        }
        if let Some(rest) = &items.rest {
            let taint = self.taint_of(rest);
            text.append(&Value::unknown("a list").tainted(&taint));
        }
        text
    }

    /// Runs a block for each item, which is `$_`.
    fn each_item(
        &mut self,
        items: Items,
        function: &Val,
        keep: &mut dyn FnMut(&mut Self, &Val, Val),
    ) {
        self.localized("$_", |inner| {
            if items.list.len() <= MAX_ITEMS && inner.unrolls() {
                for item in &items.list {
                    if !inner.burn(1) {
                        break;
                    }
                    inner.bind_nearest(&"$_".into(), item.clone());
                    let value = inner.call(function, Args::default());
                    keep(inner, item, value);
                }
            }
            let long = items.list.len() > MAX_ITEMS || !inner.unrolls();
            let rest = match (long, items.rest) {
                (true, rest) => items.list.into_iter().chain(rest).reduce(|a, b| join(&a, &b)),
                (false, rest) => rest,
            };
            if let Some(rest) = rest {
                inner.repeated(&mut |this| {
                    this.bind_nearest(&"$_".into(), rest.clone());
                    let value = this.call(function, Args::default());
                    let many = Val::OneOf([Val::Tuple(Vec::new().into()), value].into());
                    keep(this, &rest, many);
                });
            }
        });
    }

    fn perl_list_function(&mut self, path: &str, args: &Args) -> Option<Val> {
        let first = args.get(0).cloned();
        Some(match path {
            "<list>" => {
                let items = self.perl_values(&first.unwrap_or(Val::None));
                Self::perl_list(items)
            }
            "<count>" => self.counted(&first?),
            "<last-index>" => match self.counted(&first?) {
                Val::Int(count) => Val::Int(count - 1),
                other => other.forget(),
            },
            "<pairs>" => {
                let items = match first? {
                    Val::Library(_) => Items { list: Vec::new(), rest: Some(Val::unknown()) },
                    other => self.perl_pairs(&other),
                };
                Self::perl_list(items)
            }
            "<hash>" => {
                let entries = self.entries_from(Self::behind(args, 0));
                self.heap().dict(entries)
            }
            "<any>" => {
                let items = self.perl_iterate(&first?);
                let found = items.list.into_iter().chain(items.rest).reduce(|a, b| join(&a, &b));
                found.unwrap_or(Val::None)
            }
            "<slice>" | "<pairs-of>" => {
                let (container, indexes) = (first?, args.get(1)?.clone());
                let indexes = self.perl_iterate(&indexes);
                let mut items = Items::default();
                for index in &indexes.list {
                    if path == "<pairs-of>" {
                        push_item(&mut items, index.clone());
                    }
                    let value = self.index(&container, index);
                    push_item(&mut items, value);
                }
                if indexes.rest.is_some() {
                    let all = self.items_of(&container);
                    let rest = all.list.into_iter().chain(all.rest).reduce(|a, b| join(&a, &b));
                    items.rest = rest.or(Some(Val::None));
                }
                Self::perl_list(items)
            }
            "<range>" => match perl::range(&first?, args.get(1)?, MAX_ITEMS) {
                Some(list) => Val::Tuple(list.into()),
                None => Self::perl_list(Items { list: Vec::new(), rest: Some(Val::unknown()) }),
            },
            "<repeat-list>" => {
                let items = self.perl_iterate(&first?);
                match (args.get(1).and_then(perl::number), &items.rest) {
                    (Some(count), None)
                        if usize::try_from(count.max(0))
                            .is_ok_and(|n| n.saturating_mul(items.list.len()) <= MAX_ITEMS) =>
                    {
                        let count = usize::try_from(count.max(0)).unwrap_or(0);
                        Val::Tuple(std::iter::repeat_n(items.list, count).flatten().collect())
                    }
                    _ => {
                        let mut items = items;
                        mix(&mut items);
                        Self::perl_list(items)
                    }
                }
            }
            "<set-array>" => {
                let (target, list) = (first?, args.get(1)?.clone());
                let items = self.perl_iterate(&list);
                self.set_items(&target, items);
                target
            }
            "<set-hash>" => {
                let (target, list) = (first?, args.get(1)?.clone());
                let items = self.perl_iterate(&list);
                let entries = self.entries_from(items);
                match &target {
                    Val::Dict(place) => {
                        self.heap().write(*place, Cell::Dict(Rc::new(entries)));
                    }
                    Val::Library(path) if &**path == "%ENV" => {
                        for (key, value) in &entries.list {
                            self.set_index(&target.clone(), key, value.clone());
                        }
                    }
                    Val::OneOf(values) => {
                        for one in values.clone().iter() {
                            if let Val::Dict(place) = one {
                                let entries = entries.clone();
                                self.maybe(|this| {
                                    this.heap().write(*place, Cell::Dict(Rc::new(entries)));
                                });
                            }
                        }
                    }
                    _ => {}
                }
                list
            }
            "<set-slice>" => {
                let (target, indexes, values) =
                    (first?, args.get(1)?.clone(), args.get(2)?.clone());
                let indexes = self.perl_iterate(&indexes);
                let values_items = self.perl_iterate(&values);
                for (place, index) in indexes.list.iter().chain(&indexes.rest).enumerate() {
                    let value = values_items
                        .list
                        .get(place)
                        .cloned()
                        .or_else(|| values_items.rest.clone())
                        .unwrap_or(Val::None);
                    self.set_index(&target, index, value);
                }
                values
            }
            "<set-last-index>" => Val::unknown(),
            "<replace-items>" => {
                let (target, list) = (first?, args.get(1)?.clone());
                let new = self.perl_iterate(&list);
                let mut old = self.perl_iterate(&target);
                if old.rest.is_none() && new.rest.is_none() && old.list.len() == new.list.len() {
                    self.set_items(&target, new);
                } else {
                    extend(&mut old, new);
                    mix(&mut old);
                    self.set_items(&target, old);
                }
                Val::None
            }
            "<delete>" | "<delete-slice>" => {
                let (container, index) = (first?, args.get(1)?.clone());
                let keys = match path {
                    "<delete>" => Items { list: vec![index], rest: None },
                    _ => self.perl_iterate(&index),
                };
                let mut gone = Items::default();
                for key in keys.list.iter().chain(&keys.rest) {
                    push_item(&mut gone, self.index(&container, key));
                    if let (Val::Dict(place), Some(key)) = (&container, key.as_known()) {
                        let key = Val::text(key);
                        self.heap().update_entries(*place, |entries| {
                            entries.list.retain(|(known, _)| *known != key);
                        });
                    }
                }
                match path {
                    "<delete>" => gone.list.into_iter().next().unwrap_or(Val::None),
                    _ => Self::perl_list(gone),
                }
            }
            "<exists>" => {
                let (container, key) = (first?, args.get(1)?.clone());
                match (&container, self.perl_text(&key).as_known()) {
                    (Val::Dict(place), Some(key)) => {
                        let entries = self.heap().entries(*place);
                        let key = Val::text(key);
                        let there = entries.list.iter().any(|(known, _)| *known == key);
                        match (there, &entries.rest) {
                            // It may have been added in a branch.
                            (true, _) => Val::unknown(),
                            (false, None) => Val::Bool(false),
                            (false, Some(_)) => Val::unknown(),
                        }
                    }
                    _ => Val::unknown(),
                }
            }
            "defined" => match first? {
                Val::None => Val::Bool(false),
                Val::Text(text) if text.is_known() => Val::Bool(true),
                Val::Int(_) | Val::List(_) | Val::Dict(_) | Val::Function(_) => Val::Bool(true),
                _ => Val::unknown(),
            },
            "push" | "unshift" => {
                let target = first?;
                let more = Self::behind(args, 1);
                match &target {
                    Val::List(place) if path == "push" => {
                        self.heap().update_items(*place, |items| extend(items, more));
                    }
                    Val::List(place) => self.heap().update_items(*place, |items| {
                        let old = std::mem::take(items);
                        *items = more;
                        extend(items, old);
                    }),
                    Val::OneOf(values) => {
                        for one in values.clone().iter() {
                            if let Val::List(place) = one {
                                let more = more.clone();
                                self.maybe(|this| {
                                    this.heap().update_items(*place, |items| extend(items, more));
                                });
                            }
                        }
                    }
                    _ => {}
                }
                Val::unknown()
            }
            "pop" | "shift" => {
                let Val::List(place) = first? else { return Some(Val::unknown()) };
                let items = (*self.heap().items(place)).clone();
                let mut left = items.clone();
                let taken = match (path, &items.rest) {
                    ("shift", _) if !left.list.is_empty() => Some(left.list.remove(0)),
                    ("pop", None) => left.list.pop(),
                    _ => {
                        let all = items.list.iter().chain(&items.rest).cloned();
                        all.reduce(|a, b| join(&a, &b))
                    }
                };
                self.heap().write(place, Cell::List(Rc::new(left)));
                taken.unwrap_or(Val::None)
            }
            "splice" => return self.perl_splice(args),
            "keys" | "values" | "each" => {
                let container = first?;
                self.perl_keys(path, &container)
            }
            "join" => {
                let separator = self.perl_text(&first?);
                let items = Self::behind(args, 1);
                Val::Text(self.joined_items(&separator, &items))
            }
            "<interpolate>" => {
                let separator = self.lookup(&"$\"".into());
                let separator = self.perl_text(&separator);
                let items = Self::behind(args, 0);
                Val::Text(self.joined_items(&separator, &items))
            }
            "reverse" => {
                let mut items = Self::behind(args, 0);
                if items.rest.is_some() {
                    mix(&mut items);
                } else {
                    items.list.reverse();
                }
                Self::perl_list(items)
            }
            "List::Util.uniq"
            | "List::Util.uniqnum"
            | "List::Util.shuffle"
            | "List::MoreUtils.uniq" => {
                let mut items = Self::behind(args, 0);
                mix(&mut items);
                Self::perl_list(items)
            }
            "List::Util.max" | "List::Util.min" | "List::Util.maxstr" | "List::Util.minstr" => {
                let all = args.list.iter().chain(&args.rest).cloned();
                all.reduce(|a, b| join(&a, &b)).unwrap_or(Val::None)
            }
            "List::Util.first" => {
                let function = first?;
                let items = Self::behind(args, 1);
                let mut found: Option<Val> = None;
                self.each_item(items, &function, &mut |_, item, _| {
                    found = Some(found.take().map_or(item.clone(), |known| join(&known, item)));
                });
                found.unwrap_or(Val::None)
            }
            "List::Util.reduce" => {
                let function = first?;
                let items = Self::behind(args, 1);
                let mut any = items.list.into_iter().chain(items.rest).reduce(|a, b| join(&a, &b));
                self.repeated(&mut |this| {
                    let item = any.clone().unwrap_or(Val::None);
                    this.bind_nearest(&"$a".into(), item.clone());
                    this.bind_nearest(&"$b".into(), item.clone());
                    let made = this.call(&function, Args::default());
                    any = Some(join(&item, &made));
                });
                any.unwrap_or(Val::None)
            }
            "map" | "grep" => self.perl_mapped(path, args),
            "sort" => self.perl_sorted(args),
            _ => return None,
        })
    }

    fn set_items(&mut self, target: &Val, items: Items) {
        match target {
            Val::List(place) => self.heap().write(*place, Cell::List(Rc::new(items))),
            Val::OneOf(values) => {
                for one in values.clone().iter() {
                    if let Val::List(place) = one {
                        let items = items.clone();
                        self.maybe(|this| this.heap().write(*place, Cell::List(Rc::new(items))));
                    }
                }
            }
            _ => {}
        }
    }
}

impl<M: Machine> PerlLists for M {}

//! Methods of lists.

use crate::containers::Containers;
use crate::heap::Items;
use crate::heap::{extend, push_item};
use crate::javascript::texts::ScriptTexts;
use crate::limits::MAX_ITEMS;
use crate::machine::Machine;
use crate::text_methods::TextMethods;
use crate::value::{Args, Val, join};
use aegish_values::Value;

/// Methods of lists.
pub trait ScriptArrays: Machine {
    fn array_method(&mut self, object: &Val, name: &str, args: &Args) -> Val {
        if let Val::List(place) = object {
            let place = *place;
            match name {
                "push" | "add" => {
                    let more = Items { list: args.list.clone(), rest: args.rest.clone() };
                    self.extend_list(place, more);
                    return if name == "add" { object.clone() } else { Val::unknown() };
                }
                "unshift" => {
                    let list = args.list.clone();
                    self.heap().update_items(place, |items| {
                        items.list.splice(0..0, list);
                    });
                    return Val::unknown();
                }
                "pop" | "shift" => return self.taken(object, name == "shift"),
                "reverse" => {
                    self.list_method(object, "reverse", args);
                    return object.clone();
                }
                "sort" => {
                    if let Some(order) = args.get(0) {
                        let order = order.clone();
                        let one = self.element(object);
                        let list = vec![one.clone(), one];
                        self.maybe(|this| this.call(&order, Args::of(list)));
                        self.heap().update_items(place, crate::heap::mix);
                    } else {
                        let sorted = self.sorted(object, &Args::default());
                        self.heap().update_items(place, |items| *items = sorted);
                    }
                    return object.clone();
                }
                "fill" => {
                    let value = args.get(0).cloned().unwrap_or(Val::None);
                    self.heap().update_items(place, |items| {
                        items.list.iter_mut().for_each(|item| *item = value.clone());
                        items.rest = items.rest.take().map(|_| value.clone());
                    });
                    return object.clone();
                }
                "splice" => return self.splice(object, args),
                "clear" => {
                    self.heap().update_items(place, |items| *items = Items::default());
                    return Val::None;
                }
                _ => {}
            }
        }
        let first = args.get(0).cloned().unwrap_or(Val::None);
        match name {
            "map" | "flatMap" => {
                let results = self.call_items(object, &first);
                if name == "flatMap" {
                    let list = self.heap().list(results);
                    return self.flat(&list, 1);
                }
                self.heap().list(results)
            }
            "forEach" | "each" => {
                self.call_items(object, &first);
                Val::None
            }
            "some" | "every" => {
                self.call_items(object, &first);
                Val::unknown()
            }
            "filter" => {
                let items = self.filtered(object, &first);
                self.heap().list(items)
            }
            "find" | "findLast" => {
                let items = self.filtered(object, &first);
                match (items.list.first(), &items.rest) {
                    (Some(item), None) => item.clone(),
                    _ => {
                        let list = self.heap().list(items);
                        self.element(&list)
                    }
                }
            }
            "findIndex" | "findLastIndex" => {
                self.call_items(object, &first);
                Val::unknown()
            }
            "reduce" | "reduceRight" => {
                self.reduced(object, name == "reduceRight", &first, args.get(1))
            }
            "join" => {
                let separator = match args.get(0) {
                    None | Some(Val::None) => Value::known(","),
                    Some(other) => self.text_of(&other.clone()),
                };
                self.join_text(&separator, object)
            }
            "slice" => self.script_slice(object, args),
            "concat" => {
                let mut items = self.iterate(object);
                for more in &args.list {
                    match more {
                        Val::List(_) | Val::Tuple(_) | Val::OneOf(_) => {
                            let more = self.iterate(more);
                            extend(&mut items, more);
                        }
                        other => push_item(&mut items, other.clone()),
                    }
                }
                self.heap().list(items)
            }
            "flat" => {
                let depth = args.get(0).and_then(Val::as_int).unwrap_or(1);
                self.flat(object, depth)
            }
            "toReversed" | "toSorted" | "toSpliced" | "with" => {
                let items = self.iterate(object);
                let copy = self.heap().list(items);
                let method = match name {
                    "toReversed" => "reverse",
                    "toSorted" => "sort",
                    _ => return copy,
                };
                self.array_method(&copy, method, args)
            }
            "at" => match (args.get(0).and_then(Val::as_int), self.iterate(object)) {
                (Some(place), Items { list, rest: None }) => {
                    let length = i64::try_from(list.len()).unwrap_or(0);
                    let place = if place < 0 { place + length } else { place };
                    let found = usize::try_from(place).ok().and_then(|place| list.get(place));
                    found.cloned().unwrap_or(Val::None)
                }
                _ => self.element(object),
            },
            "get" => self.index(object, &first),
            "entries" => {
                let items = self.iterate(object);
                let list = items
                    .list
                    .into_iter()
                    .zip(0..)
                    .map(|(item, place)| Val::Tuple([Val::Int(place), item].into()))
                    .collect();
                let rest = items.rest.map(|rest| Val::Tuple([Val::unknown(), rest].into()));
                self.heap().list(Items { list, rest })
            }
            "keys" => {
                let items = self.iterate(object);
                let list = (0..items.list.len())
                    .filter_map(|place| i64::try_from(place).ok().map(Val::Int))
                    .collect();
                self.heap().list(Items { list, rest: items.rest.map(|_| Val::unknown()) })
            }
            "values" | "Symbol.iterator" | "flush" => object.clone(),
            "next" => {
                // What a generator gives next.
                let value = match object {
                    Val::List(_) => self.taken(object, true),
                    _ => self.element(object),
                };
                self.new_object(vec![("value", value), ("done", Val::unknown())])
            }
            "toString" | "toLocaleString" => match self.known_byte_list(object) {
                Some(bytes) if args.get(0).is_some() => self.byte_text(&Val::bytes(bytes), args),
                _ => Val::Text(self.text_of(object)),
            },
            "indexOf" | "lastIndexOf" => {
                let items = self.iterate(object);
                let same: Option<Vec<bool>> =
                    items.list.iter().map(|item| crate::numbers::equal(item, &first)).collect();
                match (same, items.rest) {
                    (Some(same), None) => {
                        let at = same.iter().position(|same| *same);
                        Val::Int(at.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1))
                    }
                    _ => Val::unknown(),
                }
            }
            "includes" | "has" => {
                let items = self.iterate(object);
                let same: Option<Vec<bool>> =
                    items.list.iter().map(|item| crate::numbers::equal(item, &first)).collect();
                match (same, items.rest) {
                    (Some(same), None) => Val::Bool(same.contains(&true)),
                    _ => Val::unknown(),
                }
            }
            _ => {
                self.run_callbacks(args, Some(object));
                Val::tainted(self.taint_of(object))
            }
        }
    }

    /// The bytes that a list of numbers stands for.
    fn known_byte_list(&mut self, object: &Val) -> Option<Vec<u8>> {
        let items = self.iterate(object);
        crate::numbers::bytes_of(&items).filter(|bytes| !bytes.is_empty())
    }

    /// Takes an item from one end of a list.
    fn taken(&mut self, object: &Val, front: bool) -> Val {
        let Val::List(place) = object else { return self.element(object) };
        let items = self.heap().items(*place);
        if items.rest.is_some() {
            return join(&self.element(object), &Val::None);
        }
        if items.list.is_empty() {
            return Val::None;
        }
        let at = if front { 0 } else { items.list.len() - 1 };
        let value = items.list.get(at).cloned().unwrap_or(Val::None);
        drop(items);
        self.heap().update_items(*place, |items| {
            items.list.remove(at);
        });
        value
    }

    /// The items of a list, one by one while that is cheap.
    fn affordable_items(&mut self, object: &Val) -> Items {
        let mut items = self.iterate(object);
        if !self.unrolls() && items.list.len() > 1 {
            crate::heap::mix(&mut items);
        }
        items
    }

    /// Calls a function with every item and its place.
    fn call_items(&mut self, object: &Val, function: &Val) -> Items {
        let items = self.affordable_items(object);
        let mut results = Items::default();
        // Bounded: more items make the code open.
        if items.list.len() > MAX_ITEMS {
            self.leave_open();
        }
        for (place, item) in items.list.into_iter().take(MAX_ITEMS).enumerate() {
            if !self.burn(1) {
                break;
            }
            let place = i64::try_from(place).map_or_else(|_| Val::unknown(), Val::Int);
            let list = vec![item, place, object.clone()];
            let result = self.call_back(function, list);
            push_item(&mut results, result);
        }
        if let Some(item) = items.rest {
            let list = vec![item, Val::unknown(), object.clone()];
            let value = self.maybe(|this| this.call_back(function, list));
            results.rest = Some(results.rest.map_or(value.clone(), |rest| join(&rest, &value)));
        }
        results
    }

    /// Calls a function of a library with the item alone: what is behind it would be its options.
    fn call_back(&mut self, function: &Val, list: Vec<Val>) -> Val {
        let list = match function {
            Val::Function(_) | Val::OneOf(_) | Val::Partial(_) | Val::Bound(_) => list,
            _ => list.into_iter().take(1).collect(),
        };
        self.call(function, Args::of(list))
    }

    fn filtered(&mut self, object: &Val, function: &Val) -> Items {
        let items = self.affordable_items(object);
        let mut kept = Items::default();
        for (place, item) in items.list.into_iter().enumerate() {
            if !self.burn(1) {
                break;
            }
            let place = i64::try_from(place).map_or_else(|_| Val::unknown(), Val::Int);
            let holds = self.call_back(function, vec![item.clone(), place, object.clone()]);
            let holds = match function {
                // `filter(Boolean)`.
                Val::Library(path) if &**path == "Boolean" => self.truth(&item),
                _ => self.truth(&holds),
            };
            match holds {
                Some(true) => push_item(&mut kept, item),
                Some(false) => {}
                None => {
                    kept.rest = Some(kept.rest.map_or(item.clone(), |rest| join(&rest, &item)));
                }
            }
        }
        if let Some(rest) = items.rest {
            let list = vec![rest.clone(), Val::unknown(), object.clone()];
            self.maybe(|this| this.call_back(function, list));
            kept.rest = Some(kept.rest.map_or(rest.clone(), |known| join(&known, &rest)));
        }
        kept
    }

    fn reduced(
        &mut self,
        object: &Val,
        backwards: bool,
        function: &Val,
        start: Option<&Val>,
    ) -> Val {
        let items = self.iterate(object);
        let mut list = items.list;
        if backwards {
            list.reverse();
        }
        let mut list = list.into_iter();
        let mut value = match start.cloned().or_else(|| list.next()) {
            Some(value) => value,
            None => items.rest.clone().unwrap_or(Val::None),
        };
        for item in list {
            if !self.burn(1) {
                return Val::unknown();
            }
            value = self.call(function, Args::of(vec![value, item, Val::unknown()]));
        }
        if let Some(rest) = items.rest {
            // Any number of further items.
            for _ in 0..2 {
                let next = self
                    .maybe(|this| this.call(function, Args::of(vec![value.clone(), rest.clone()])));
                value = crate::value::widen(&value, &join(&value, &next));
            }
        }
        value
    }

    fn flat(&mut self, object: &Val, depth: i64) -> Val {
        let items = self.iterate(object);
        let mut flat = Items::default();
        for item in items.list {
            match item {
                Val::List(_) | Val::Tuple(_) if depth > 0 => {
                    let inner = if depth > 1 {
                        self.flat(&item, (depth - 1).min(16))
                    } else {
                        item.clone()
                    };
                    let inner = self.iterate(&inner);
                    extend(&mut flat, inner);
                }
                other => push_item(&mut flat, other),
            }
        }
        if let Some(rest) = items.rest {
            let rest = match rest {
                Val::List(_) | Val::Tuple(_) | Val::OneOf(_) => self.element(&rest),
                other => other,
            };
            flat.rest = Some(flat.rest.map_or(rest.clone(), |known| join(&known, &rest)));
        }
        self.heap().list(flat)
    }

    /// `slice(start, end)` of a list or a text.
    fn script_slice(&mut self, object: &Val, args: &Args) -> Val {
        let bound = |place: usize| match args.get(place) {
            None | Some(Val::None) => None,
            Some(other) => Some(other.clone()),
        };
        self.slice(object, &[bound(0), bound(1), None])
    }

    fn splice(&mut self, object: &Val, args: &Args) -> Val {
        let Val::List(place) = object else { return Val::unknown() };
        let items = self.heap().items(*place);
        let start = args.get(0).and_then(Val::as_int);
        let count = match args.get(1) {
            None => Some(i64::MAX),
            Some(count) => count.as_int(),
        };
        let more: Vec<Val> = args.list.iter().skip(2).cloned().collect();
        if let (Some(start), Some(count), None) = (start, count, &items.rest) {
            let length = i64::try_from(items.list.len()).unwrap_or(0);
            let start = if start < 0 { (start + length).max(0) } else { start.min(length) };
            let end = start.saturating_add(count.max(0)).min(length);
            let (Ok(start), Ok(end)) = (usize::try_from(start), usize::try_from(end)) else {
                return Val::unknown();
            };
            let mut list = items.list.clone();
            drop(items);
            let removed: Vec<Val> = list.splice(start..end, more).collect();
            self.heap().update_items(*place, |items| items.list = list);
            return self.new_list(removed);
        }
        let rest = Some(self.element(object));
        drop(items);
        self.extend_list(*place, Items { list: more, rest: None });
        self.heap().update_items(*place, crate::heap::mix);
        self.heap().list(Items { list: Vec::new(), rest })
    }
}

impl<M: Machine> ScriptArrays for M {}

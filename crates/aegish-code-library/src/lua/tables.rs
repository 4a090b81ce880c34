//! Tables: fields, metatables, and the functions of the library `table`.

use crate::TextMethods;
use crate::heap::{Entries, Items};
use crate::heap::{insert, is_key, push_item};
use crate::lines::lines_of;
use crate::machine::Machine;
use crate::reference::Ref;
use crate::value::{Args, Forgotten, Val, join};
use aegish_values::{Taint, Value};

/// The key of a table that its metatable stands under.
pub const META: &str = "<meta>";

/// Fields of tables, metatables, and the functions of the library `table`.
pub trait LuaTables: Machine {
    /// A field of the metatable of a table.
    fn meta(&mut self, place: Ref, name: &str) -> Option<Val> {
        let entries = self.heap().entries(place);
        let key = Val::text(META);
        let meta =
            entries.list.iter().find(|(known, _)| *known == key).map(|(_, value)| value.clone())?;
        match self.lua_index(&meta, &Val::text(name)) {
            Val::None => None,
            value => Some(value),
        }
    }

    fn lua_index(&mut self, object: &Val, index: &Val) -> Val {
        if !self.burn(1) {
            return Val::unknown();
        }
        if let Val::OneOf(values) = object {
            let values = values.clone();
            return values
                .iter()
                .filter(|value| **value != Val::None)
                .map(|value| self.lua_index(value, index))
                .reduce(|a, b| join(&a, &b))
                .unwrap_or_else(Val::unknown);
        }
        match object {
            Val::Dict(place) => {
                let entries = self.heap().entries(*place);
                if let Some(texts) = index.to_text().readings(16)
                    && !is_key(index)
                    && matches!(index, Val::Text(_))
                {
                    return texts
                        .into_iter()
                        .map(|text| self.lua_index(object, &Val::text(text)))
                        .reduce(|a, b| join(&a, &b))
                        .unwrap_or_else(Val::unknown);
                }
                let found = entries
                    .list
                    .iter()
                    .find(|(key, _)| key == index)
                    .map(|(_, value)| value.clone());
                if is_key(index)
                    && let Some(value) = found
                    && value != Val::None
                {
                    return value;
                }
                let inherited = match self.meta(*place, "__index") {
                    Some(base @ Val::Dict(_)) if base != *object => {
                        Some(self.lua_index(&base, index))
                    }
                    Some(Val::Dict(_)) => None,
                    Some(other @ (Val::Library(_) | Val::Variables)) => {
                        Some(self.lua_index(&other, index))
                    }
                    Some(function) => {
                        let value =
                            self.call(&function, Args::of(vec![object.clone(), index.clone()]));
                        Some(self.first_value(value))
                    }
                    None => None,
                };
                let own = if is_key(index) && entries.list.iter().all(|(key, _)| is_key(key)) {
                    entries.rest.clone()
                } else {
                    entries
                        .list
                        .iter()
                        .filter(|(key, _)| *key != Val::text(META))
                        .map(|(_, value)| value.clone())
                        .chain(entries.rest.clone())
                        .reduce(|a, b| join(&a, &b))
                };
                match (own, inherited) {
                    (Some(own), Some(inherited)) => join(&own, &inherited),
                    (Some(value), None) | (None, Some(value)) => value,
                    (None, None) => Val::None,
                }
            }
            Val::Text(_) | Val::Bytes(_) => match index.as_known() {
                Some(name) => Val::Library(format!("string.{name}").into()),
                None => Val::unknown(),
            },
            Val::Library(path) => match index.to_text().readings(16) {
                Some(names) => names
                    .into_iter()
                    .map(|name| self.library_attribute(&path.clone(), &name))
                    .reduce(|a, b| join(&a, &b))
                    .unwrap_or_else(Val::unknown),
                None if crate::calls::has_members(self.language(), path) => {
                    Val::Unknown(Taint::none(), Forgotten::Callable)
                }
                None => Val::unknown(),
            },
            Val::Variables => match index.to_text().readings(16) {
                Some(names) => names
                    .into_iter()
                    .map(|name| self.lookup(&name.into()))
                    .reduce(|a, b| join(&a, &b))
                    .unwrap_or_else(Val::unknown),
                None => Val::Unknown(Taint::none(), Forgotten::Callable),
            },
            Val::Unknown(..) => object.clone(),
            Val::File(_) | Val::Connection | Val::Process(_) => match index.as_known() {
                Some(name) => Val::Method(std::rc::Rc::new((object.clone(), name.into()))),
                None => Val::unknown(),
            },
            _ => Val::unknown(),
        }
    }

    fn lua_set_index(&mut self, object: &Val, index: &Val, value: Val) {
        let value = self.compact(value);
        match object {
            Val::Dict(place) => {
                let place = *place;
                let known = {
                    let entries = self.heap().entries(place);
                    entries.list.iter().any(|(key, _)| key == index)
                };
                if !known && let Some(set) = self.meta(place, "__newindex") {
                    match set {
                        Val::Dict(_) => self.lua_set_index(&set, index, value),
                        function => {
                            self.call(
                                &function,
                                Args::of(vec![object.clone(), index.clone(), value]),
                            );
                        }
                    }
                    return;
                }
                let index = index.clone();
                self.heap().update_entries(place, |entries| insert(entries, index, value));
            }
            Val::Library(path) => {
                if let Some(name) = index.as_known() {
                    let full = self.canonical(&format!("{path}.{name}"));
                    self.override_library(full.to_string(), value);
                }
            }
            Val::Variables => match index.as_known() {
                Some(name) => self.bind_in_program(&name.into(), value),
                None if value.is_callable() => self.leave_open(),
                None => {}
            },
            Val::OneOf(values) => {
                let values = values.clone();
                for one in values.iter() {
                    self.maybe(|this| this.lua_set_index(one, index, value.clone()));
                }
            }
            _ => {}
        }
    }

    /// The items of a table by their places, and any further ones.
    fn array_of(&mut self, table: &Val) -> Items {
        match table {
            Val::Dict(place) => {
                let entries = self.heap().entries(*place);
                let mut items = Items::default();
                for place in 1_i64.. {
                    let key = Val::Int(place);
                    match entries.list.iter().find(|(known, _)| *known == key) {
                        Some((_, Val::None)) | None => break,
                        Some((_, value)) => push_item(&mut items, value.clone()),
                    }
                }
                let known = items.list.len();
                let others = entries
                    .list
                    .iter()
                    .filter(|(key, _)| {
                        !is_key(key)
                            || key.as_int().is_some_and(|key| {
                                usize::try_from(key).is_ok_and(|key| key > known)
                            })
                    })
                    .map(|(_, value)| value.clone())
                    .chain(entries.rest.clone())
                    .reduce(|a, b| join(&a, &b));
                items.rest = others;
                items
            }
            Val::OneOf(values) => {
                let values = values.clone();
                let rest = values
                    .iter()
                    .flat_map(|value| {
                        let items = self.array_of(value);
                        items.list.into_iter().chain(items.rest)
                    })
                    .collect::<Vec<_>>()
                    .into_iter()
                    .reduce(|a, b| join(&a, &b));
                Items { list: Vec::new(), rest }
            }
            Val::Unknown(..) => Items { list: Vec::new(), rest: Some(table.clone()) },
            _ => Items::default(),
        }
    }

    /// Replaces the items of a table.
    fn set_array(&mut self, place: Ref, items: Items) {
        self.heap().update_entries(place, |entries| {
            entries.list.retain(|(key, _)| key.as_int().is_none() || matches!(key, Val::Bool(_)));
            let numbered = items.list.into_iter().zip(1..);
            entries.list.extend(numbered.map(|(value, at)| (Val::Int(at), value)));
            entries.rest = items.rest;
        });
    }

    /// The pairs of a table, as a loop sees them.
    fn table_pairs(&mut self, table: &Val, numbers: bool) -> Items {
        if numbers {
            let items = self.array_of(table);
            let list = items
                .list
                .into_iter()
                .zip(1..)
                .map(|(value, place)| Val::Tuple([Val::Int(place), value].into()))
                .collect();
            let rest = items.rest.map(|rest| Val::Tuple([Val::unknown(), rest].into()));
            return Items { list, rest };
        }
        match table {
            Val::Dict(place) => {
                let place = *place;
                if let Some(method) = self.meta(place, "__pairs") {
                    let value = self.call(&method, Args::of(vec![table.clone()]));
                    let values = self.lua_values(&value);
                    let args = Args { list: values.list, rest: values.rest, named: Vec::new() };
                    return self.iterated(&args);
                }
                let entries: Entries = (*self.heap().entries(place)).clone();
                let list = entries
                    .list
                    .into_iter()
                    .filter(|(key, value)| *key != Val::text(META) && *value != Val::None)
                    .map(|(key, value)| Val::Tuple([key, value].into()))
                    .collect();
                let rest = entries.rest.map(|rest| Val::Tuple([Val::unknown(), rest].into()));
                Items { list, rest }
            }
            // All variables: names, and values that may be functions.
            Val::Variables | Val::Library(_) => {
                let value = Val::Unknown(Taint::none(), Forgotten::Callable);
                let name = Val::Text(Value::unknown("a name"));
                Items { list: Vec::new(), rest: Some(Val::Tuple([name, value].into())) }
            }
            Val::OneOf(values) => {
                let values = values.clone();
                let mut rest: Option<Val> = None;
                for value in values.iter() {
                    let items = self.table_pairs(value, false);
                    for pair in items.list.into_iter().chain(items.rest) {
                        rest = Some(rest.map_or(pair.clone(), |rest| join(&rest, &pair)));
                    }
                }
                Items { list: Vec::new(), rest }
            }
            other => {
                let value = other.forget();
                Items { list: Vec::new(), rest: Some(Val::Tuple([value.clone(), value].into())) }
            }
        }
    }

    /// Functions of the library `table`.
    fn table_function(&mut self, name: &str, args: &Args) -> Option<Val> {
        let table = args.get(0)?.clone();
        match name {
            "unpack" => {
                let items = self.array_of(&table);
                Some(match items.rest {
                    None => Val::Tuple(items.list.into()),
                    Some(_) => self.heap().list(items),
                })
            }
            "pack" => {
                let mut pairs: Vec<(Val, Val)> = args
                    .list
                    .iter()
                    .cloned()
                    .zip(1..)
                    .map(|(value, at)| (Val::Int(at), value))
                    .collect();
                let count = i64::try_from(args.list.len()).unwrap_or(0);
                pairs.push((Val::text("n"), Val::Int(count)));
                Some(self.new_dict(pairs, args.rest.clone()))
            }
            "concat" => {
                let items = self.array_of(&table);
                let list = self.heap().list(items);
                let separator = args.get(1).filter(|value| **value != Val::None);
                let separator = separator.map_or_else(Value::empty, Val::to_text);
                Some(self.join_text(&separator, &list))
            }
            "insert" | "remove" | "sort" => {
                let Val::Dict(place) = table else { return Some(Val::None) };
                let mut items = self.array_of(&table);
                let length = items.list.len();
                let mut taken = Val::None;
                let at = |value: &Val| value.as_int().and_then(|at| usize::try_from(at).ok());
                match (name, args.list.as_slice()) {
                    ("insert", [_, value]) => push_item(&mut items, value.clone()),
                    ("insert", [_, position, value]) => match (at(position), &items.rest) {
                        (Some(position), None) if position >= 1 && position <= length + 1 => {
                            items.list.insert(position - 1, value.clone());
                        }
                        _ => {
                            crate::heap::mix(&mut items);
                            push_item(&mut items, value.clone());
                        }
                    },
                    ("remove", [_]) if items.rest.is_none() => {
                        taken = items.list.pop().unwrap_or(Val::None);
                    }
                    ("remove", [_, position])
                        if items.rest.is_none()
                            && at(position).is_some_and(|at| at >= 1 && at <= length) =>
                    {
                        taken = items.list.remove(at(position).unwrap_or(1) - 1);
                    }
                    _ => {
                        crate::heap::mix(&mut items);
                        taken = items.rest.clone().unwrap_or(Val::None);
                        if let Some(function) = args.list.get(1).filter(|value| value.is_callable())
                        {
                            let function = function.clone();
                            let pair = Args::of(vec![taken.clone(), taken.clone()]);
                            self.maybe(|this| this.call(&function, pair));
                        }
                    }
                }
                self.set_array(place, items);
                Some(taken)
            }
            "move" => Some(table),
            _ => None,
        }
    }

    /// What a loop over an iterator, its state and its start sees.
    fn iterated(&mut self, args: &Args) -> Items {
        let first = args.get(0).cloned().unwrap_or(Val::None);
        let state = args.list.get(1).cloned().unwrap_or(Val::None);
        match &first {
            Val::Library(path) if matches!(&**path, "<pairs>" | "next") => {
                self.table_pairs(&state, false)
            }
            Val::Library(path) if &**path == "<ipairs>" => self.table_pairs(&state, true),
            Val::Text(_) => lines_of(&first, false),
            Val::File(index) => lines_of(&self.file_content(*index), false),
            Val::Process(_) | Val::Connection => {
                let text = Val::Text(self.text_of(&first));
                Items { list: Vec::new(), rest: Some(text) }
            }
            function => {
                let mut control = args.list.get(2).cloned().unwrap_or(Val::None);
                let mut rest: Option<Val> = None;
                let function = function.clone();
                self.repeated(&mut |this| {
                    let given =
                        this.call(&function, Args::of(vec![state.clone(), control.clone()]));
                    let next = this.first_value(given.clone());
                    control = join(&control, &next);
                    rest = Some(rest.take().map_or(given.clone(), |rest| join(&rest, &given)));
                });
                Items { list: Vec::new(), rest }
            }
        }
    }

    /// The first of the values that a call gives.
    fn first_value(&mut self, value: Val) -> Val {
        match &value {
            Val::Tuple(items) => items.first().cloned().unwrap_or(Val::None),
            Val::List(place) => {
                let items = self.heap().items(*place);
                match (items.list.first(), &items.rest) {
                    (Some(first), _) => first.clone(),
                    (None, Some(rest)) => join(rest, &Val::None),
                    (None, None) => Val::None,
                }
            }
            Val::OneOf(values)
                if values.iter().any(|one| matches!(one, Val::Tuple(_) | Val::List(_))) =>
            {
                let values = values.clone();
                values
                    .iter()
                    .map(|one| self.first_value(one.clone()))
                    .reduce(|a, b| join(&a, &b))
                    .unwrap_or(Val::None)
            }
            _ => value,
        }
    }

    /// The values that an expression stands for.
    fn lua_values(&mut self, value: &Val) -> Items {
        match value {
            Val::Tuple(items) => Items { list: items.to_vec(), rest: None },
            Val::List(place) => (*self.heap().items(*place)).clone(),
            Val::OneOf(values)
                if values.iter().any(|one| matches!(one, Val::Tuple(_) | Val::List(_))) =>
            {
                let values = values.clone();
                let all: Vec<Items> = values.iter().map(|one| self.lua_values(one)).collect();
                let longest = all.iter().map(|items| items.list.len()).max().unwrap_or(0);
                let list = (0..longest)
                    .map(|place| {
                        all.iter()
                            .map(|items| {
                                items
                                    .list
                                    .get(place)
                                    .cloned()
                                    .or_else(|| items.rest.clone())
                                    .unwrap_or(Val::None)
                            })
                            .reduce(|a, b| join(&a, &b))
                            .unwrap_or(Val::None)
                    })
                    .collect();
                let rest =
                    all.into_iter().filter_map(|items| items.rest).reduce(|a, b| join(&a, &b));
                Items { list, rest }
            }
            Val::Unknown(..) => Items { list: vec![value.clone()], rest: Some(value.clone()) },
            _ => Items { list: vec![value.clone()], rest: None },
        }
    }
}

impl<M: Machine> LuaTables for M {}

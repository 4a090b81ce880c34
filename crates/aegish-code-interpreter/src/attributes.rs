//! Attributes, subscripts and slices, and assignments to them.

use super::Interpreter;
use crate::effect::CodeEffect;
use crate::heap::{Items, insert, is_key};
use crate::ir::Name;
use crate::numbers::{place_in, places};
use crate::reference::Ref;
use crate::value::{Args, Forgotten, Val, join};
use aegish_code_library::PathAttributes;
use aegish_values::{Taint, Value};
use std::rc::Rc;

/// Longest path of a library that is followed.
const LONGEST: usize = 160;

impl Interpreter<'_> {
    pub fn attribute(&mut self, object: &Val, name: &Name) -> Val {
        self.dialect.attribute(self, object, name)
    }

    /// An attribute, where the languages agree.
    pub(super) fn plain_attribute(&mut self, object: &Val, name: &Name) -> Val {
        if let Val::OneOf(values) = object {
            return values
                .iter()
                .filter(|value| **value != Val::None)
                .map(|value| self.attribute(value, name))
                .reduce(|a, b| join(&a, &b))
                .unwrap_or_else(Val::unknown);
        }
        match &**name {
            // Every class that is loaded; any of them may be called.
            "__subclasses__" | "__builtins__" if !matches!(object, Val::Library(_)) => {
                return Val::Unknown(Taint::none(), Forgotten::Callable);
            }
            "__globals__" | "func_globals" | "f_globals" | "f_locals" | "f_builtins" => {
                return Val::Variables;
            }
            "__subclasses__" if matches!(object, Val::Library(path) if matches!(&**path, "object" | "type")) =>
            {
                return forgotten();
            }
            // The module of a function.
            "__self__" if let Val::Library(path) = object => {
                let module = path.rsplit_once('.').map_or("builtins", |(module, _)| module);
                return Val::Library(module.into());
            }
            _ => {}
        }
        match object {
            Val::Library(path) => self.library_attribute(path, name),
            Val::Instance(place) => match self.instance_attribute(*place, name) {
                Some(value) => value,
                None if &**name == "__dict__" => Val::unknown(),
                None => self.inherited_attribute(object, name),
            },
            Val::Class(class) => {
                if &**name == "__name__" {
                    return Val::text(&*class.name);
                }
                match self.class_attribute(object, name) {
                    Some(Val::StaticMethod(inner)) => (*inner).clone(),
                    Some(Val::ClassMethod(inner)) => {
                        Val::Bound(Rc::new((object.clone(), (*inner).clone())))
                    }
                    Some(value) => value,
                    None => {
                        if let Some(value) = self.method_of_class(object, name) {
                            return value;
                        }
                        if let Some(get) = self.method_of_class(object, "__getattr__") {
                            return self.call(&get, Args::of(vec![Val::text(&**name)]));
                        }
                        self.inherited_attribute(object, name)
                    }
                }
            }
            Val::Super(of) => {
                let (instance, class) = &**of;
                for base in &class.bases {
                    if let Some(value) = self.class_attribute(base, name) {
                        return self.bound(value, instance, base);
                    }
                }
                match class.bases.iter().find_map(|base| match base {
                    Val::Library(path) => Some(path.clone()),
                    _ => None,
                }) {
                    Some(path) => self.library_attribute(&path, name),
                    None => Val::unknown(),
                }
            }
            Val::Unknown(_, Forgotten::Callable) => object.clone(),
            Val::Path(path) => self.path_attribute(path, name),
            // The streams of a process, the content of a response.
            Val::Process(_) if matches!(&**name, "stdin" | "stdout" | "stderr") => object.clone(),
            Val::Text(text) if text.has_unknown() && is_content(name) => object.clone(),
            Val::Function(function) if &**name == "__name__" => Val::text(&*function.code.name),
            Val::Function(function) if &**name == "__defaults__" => {
                Val::Tuple(function.defaults.iter().map(|(_, value)| value.clone()).collect())
            }
            // An attribute of a method would nest with every step of a loop.
            Val::Method(_) => Val::unknown(),
            _ => Val::Method(Rc::new((object.clone(), name.clone()))),
        }
    }

    /// An attribute that a base class of a library defines.
    fn inherited_attribute(&mut self, object: &Val, name: &Name) -> Val {
        let class = match object {
            Val::Instance(place) => self.heap.attributes(*place).class.clone(),
            other => Some(other.clone()),
        };
        let base = class.and_then(|class| library_base(&class, 0));
        match base {
            Some(path) => self.library_attribute(&path, name),
            None => Val::Method(Rc::new((object.clone(), name.clone()))),
        }
    }

    pub fn library_attribute(&mut self, path: &str, name: &str) -> Val {
        if matches!(name, "__dict__" | "__call__" | "__func__" | "__wrapped__") {
            return Val::Library(path.into());
        }
        let full = format!("{path}.{name}");
        if full.len() > LONGEST {
            return Val::unknown();
        }
        let full = self.canonical(&full);
        if let Some(value) = self.overridden(&full) {
            return value;
        }
        self.dialect.constant(self, &full).unwrap_or(Val::Library(full))
    }

    /// A constant, where the languages agree.
    pub(super) fn plain_constant(&mut self, path: &str) -> Option<Val> {
        if path == "sys.argv" {
            let items = self.command_arguments();
            return Some(self.heap.list(items));
        }
        aegish_calls::constant(path).map(Val::text)
    }

    pub(super) fn set_attribute(&mut self, object: &Val, name: &Name, value: Val) {
        self.dialect.set_attribute(self, object, name, value);
    }

    /// Sets an attribute, where the languages agree.
    pub(super) fn plain_set_attribute(&mut self, object: &Val, name: &Name, value: Val) {
        match object {
            Val::Instance(place) => {
                if let Some(setter) = self.special(object, "__setattr__") {
                    self.call(&setter, Args::of(vec![Val::text(&**name), value]));
                    return;
                }
                self.put(*place, name, value);
            }
            Val::Class(class) => self.put(class.attributes, name, value),
            Val::Library(path) if path.len() < LONGEST => {
                if let Val::Function(_) | Val::Bound(_) = value {
                    let root = path.split(['.', ':']).next().unwrap_or(path);
                    self.keep_listener(root, &value);
                }
                let full = self.canonical(&format!("{path}.{name}"));
                self.override_library(full.to_string(), value);
            }
            // What a function does changes in a way that is not followed.
            _ if matches!(
                &**name,
                "__defaults__" | "__kwdefaults__" | "__code__" | "__closure__" | "cell_contents"
            ) =>
            {
                self.open = true;
            }
            Val::Process(crate::value::Interprets::Input) if matches!(value, Val::Connection) => {
                self.attach();
            }
            Val::OneOf(values) => {
                for one in values.iter() {
                    self.maybe(|this| this.set_attribute(one, name, value.clone()));
                }
            }
            _ => {}
        }
    }

    pub fn put(&mut self, place: crate::reference::Ref, name: &Name, value: Val) {
        let value = self.compact(value);
        self.heap.update_attributes(place, |attributes| {
            match attributes.list.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => *known = value,
                None => attributes.list.push((name.clone(), value)),
            }
        });
    }

    pub fn index(&mut self, object: &Val, index: &Val) -> Val {
        self.dialect.index(self, object, index)
    }

    /// An item, where the languages agree.
    pub fn plain_index(&mut self, object: &Val, index: &Val) -> Val {
        if let Val::OneOf(values) = object {
            return values
                .iter()
                .filter(|value| **value != Val::None)
                .map(|value| self.index(value, index))
                .reduce(|a, b| join(&a, &b))
                .unwrap_or_else(Val::unknown);
        }
        match object {
            Val::Dict(place) => {
                let entries = self.heap.entries(*place);
                if is_key(index)
                    && let Some((_, value)) = entries.list.iter().find(|(key, _)| key == index)
                {
                    return value.clone();
                }
                if is_key(index) && entries.list.iter().all(|(key, _)| is_key(key)) {
                    return entries.rest.clone().unwrap_or_else(Val::unknown);
                }
                entries
                    .list
                    .iter()
                    .map(|(_, value)| value.clone())
                    .chain(entries.rest.clone())
                    .reduce(|a, b| join(&a, &b))
                    .unwrap_or_else(Val::unknown)
            }
            Val::List(_) | Val::Tuple(_) => {
                let items = self.iterate(object);
                match (index.as_int(), &items.rest) {
                    (Some(place), None) => place_in(place, items.list.len())
                        .and_then(|place| items.list.get(place).cloned())
                        .unwrap_or_else(Val::unknown),
                    (Some(place), Some(rest)) if place >= 0 => usize::try_from(place)
                        .ok()
                        .and_then(|place| items.list.get(place).cloned())
                        .unwrap_or_else(|| rest.clone()),
                    _ => self.element(object),
                }
            }
            Val::Text(text) => match (text.readings(32), index.as_int()) {
                (Some(readings), Some(place)) => readings
                    .iter()
                    .filter_map(|known| {
                        let chars: Vec<char> = known.chars().collect();
                        let at = place_in(place, chars.len())?;
                        Some(Val::text(chars.get(at)?.to_string()))
                    })
                    .reduce(|a, b| join(&a, &b))
                    .unwrap_or_else(Val::unknown),
                _ if text.has_unknown() => object.clone(),
                _ => self.element(object),
            },
            Val::Bytes(bytes) => index
                .as_int()
                .and_then(|place| place_in(place, bytes.len()))
                .and_then(|place| bytes.get(place))
                .map_or_else(Val::unknown, |byte| Val::Int(i64::from(*byte))),
            Val::Library(path) if is_environment(path) => match index.as_known() {
                Some(name) => self.env(&name),
                None => Val::unknown(),
            },
            Val::Library(path) => match index {
                Val::Text(name) => match name.as_known() {
                    Some(name) if &**path == "sys.modules" => Val::Library(self.canonical(name)),
                    Some(name) => self.library_attribute(path, name),
                    None if aegish_calls::has_members(self.language, path) => forgotten(),
                    None => Val::unknown(),
                },
                _ => Val::unknown(),
            },
            Val::Variables => match index.as_known() {
                Some(name) => self.lookup(&name.into()),
                None => forgotten(),
            },
            Val::Instance(_) => {
                let method = match self.special(object, "__getitem__") {
                    None => self.special(object, "__missing__"),
                    found => found,
                };
                match method {
                    Some(method) => self.call(&method, Args::of(vec![index.clone()])),
                    None => Val::unknown(),
                }
            }
            Val::Class(_) => {
                if let Some(get) = self.method_of_class(object, "__getitem__") {
                    return self.call(&get, Args::of(vec![index.clone()]));
                }
                match self.class_attribute(object, "__class_getitem__") {
                    Some(get @ Val::Function(_)) => {
                        self.call(&get, Args::of(vec![object.clone(), index.clone()]))
                    }
                    Some(Val::ClassMethod(get)) => {
                        self.call(&get, Args::of(vec![object.clone(), index.clone()]))
                    }
                    Some(get) => self.call(&get, Args::of(vec![index.clone()])),
                    // A class with types for its parameters.
                    None => object.clone(),
                }
            }
            Val::Connection | Val::Process(_) => object.clone(),
            Val::File(index) => {
                Val::Text(crate::value::part_of(&self.file_content(*index).to_text()))
            }
            Val::Unknown(..) => object.clone(),
            _ => Val::unknown(),
        }
    }

    /// Replaces an item of a list; if it is not known which one, any of them.
    pub fn set_item(&mut self, place: Ref, index: Option<i64>, value: Val) {
        self.heap.update_items(place, |items| {
            let at = index.and_then(|index| place_in(index, items.list.len()));
            match (at.and_then(|at| items.list.get_mut(at)), &items.rest) {
                (Some(slot), None) => *slot = value,
                (Some(slot), Some(_)) => *slot = join(slot, &value),
                (None, _) => {
                    for slot in &mut items.list {
                        *slot = join(slot, &value);
                    }
                    items.rest = items.rest.as_ref().map(|rest| join(rest, &value));
                }
            }
        });
    }

    pub(super) fn set_index(&mut self, object: &Val, index: &Val, value: Val) {
        self.dialect.set_index(self, object, index, value);
    }

    /// Sets an item, where the languages agree.
    pub fn plain_set_index(&mut self, object: &Val, index: &Val, value: Val) {
        let value = self.compact(value);
        match object {
            Val::Dict(place) => {
                let index = index.clone();
                self.heap.update_entries(*place, |entries| insert(entries, index, value));
            }
            Val::List(place) => self.set_item(*place, index.as_int(), value),
            Val::Library(path) if is_environment(path) => {
                if let Some(name) = index.as_known() {
                    self.set_environment(&name, &value);
                }
            }
            Val::Library(path) => {
                if let Some(name) = index.as_known() {
                    let path = path.clone();
                    self.set_attribute(&Val::Library(path), &name.into(), value);
                }
            }
            Val::Variables => {
                if let Some(name) = index.as_known() {
                    let scope = self.scope.program();
                    self.bind_in(&scope, &name.into(), value);
                }
            }
            Val::Instance(_) => {
                if let Some(method) = self.special(object, "__setitem__") {
                    self.call(&method, Args::of(vec![index.clone(), value]));
                }
            }
            Val::OneOf(values) => {
                for one in values.iter() {
                    self.maybe(|this| this.set_index(one, index, value.clone()));
                }
            }
            _ => {}
        }
    }

    pub fn set_environment(&mut self, name: &str, value: &Val) {
        self.override_library(format!("os.environ.{name}"), value.clone());
        let value = value.to_text();
        self.record(CodeEffect::Setenv { name: name.to_owned(), value });
    }

    pub fn slice(&mut self, object: &Val, bounds: &[Option<Val>]) -> Val {
        if let Val::OneOf(values) = object {
            return values
                .iter()
                .map(|value| self.slice(value, bounds))
                .reduce(|a, b| join(&a, &b))
                .unwrap_or_else(Val::unknown);
        }
        let mut numbers = [None, None, None];
        for (number, bound) in numbers.iter_mut().zip(bounds) {
            match bound {
                None | Some(Val::None) => {}
                Some(bound) => match bound.as_int() {
                    Some(int) => *number = Some(int),
                    None => return self.sliced_somehow(object),
                },
            }
        }
        match object {
            Val::Text(text) => match text.as_known() {
                Some(known) => {
                    let chars: Vec<char> = known.chars().collect();
                    self.burn(chars.len() / 16);
                    let picked: String = places(chars.len(), numbers)
                        .into_iter()
                        .filter_map(|place| chars.get(place))
                        .collect();
                    Val::Text(Value::known(picked).tainted(text.taint()))
                }
                None => self.sliced_somehow(object),
            },
            Val::Bytes(bytes) => {
                let picked = places(bytes.len(), numbers);
                Val::bytes(picked.into_iter().filter_map(|at| bytes.get(at).copied()).collect())
            }
            Val::List(_) | Val::Tuple(_) => {
                let items = self.iterate(object);
                if items.rest.is_some() && numbers != [numbers[0].filter(|n| *n >= 0), None, None] {
                    return self.sliced_somehow(object);
                }
                let picked = places(items.list.len(), numbers);
                let list =
                    picked.into_iter().filter_map(|place| items.list.get(place).cloned()).collect();
                self.heap.list(Items { list, rest: items.rest })
            }
            _ => self.sliced_somehow(object),
        }
    }

    fn sliced_somehow(&mut self, object: &Val) -> Val {
        match object {
            Val::List(_) | Val::Tuple(_) => {
                let rest = self.element(object);
                self.heap.list(Items { list: Vec::new(), rest: Some(rest) })
            }
            Val::Text(text) if !text.has_unknown() => Val::Text(crate::value::part_of(text)),
            Val::Text(_) | Val::Connection | Val::Unknown(..) => object.clone(),
            other => other.forget(),
        }
    }
}

fn forgotten() -> Val {
    Val::Unknown(Taint::none(), Forgotten::Callable)
}

pub fn library_base(class: &Val, depth: u32) -> Option<Name> {
    let Val::Class(class) = class else { return None };
    class.bases.iter().find_map(|base| match base {
        Val::Library(path) => Some(path.clone()),
        other if depth < 16 => library_base(other, depth + 1),
        _ => None,
    })
}

pub fn is_environment(path: &str) -> bool {
    matches!(
        path,
        "os.environ"
            | "os.environb"
            | "environ"
            | "process.env"
            | "Bun.env"
            | "import.meta.env"
            | "ENV"
    )
}

/// Attributes that hold the content of what was received.
fn is_content(name: &str) -> bool {
    matches!(name, "text" | "content" | "stdout" | "stderr" | "body" | "data" | "raw" | "value")
}

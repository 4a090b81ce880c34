//! Properties of values: reading and setting them.

use super::ScriptValues;
use super::names::ScriptNames;
use super::objects::ScriptObjects;
use crate::heap::{insert, push_item};
use crate::ir::Name;
use crate::value::{Args, ClassValue, Closure, Forgotten, Val, join};
use aegish_code_interpreter::{Interpreter, is_environment};
use aegish_code_library::ScriptTexts;
use aegish_code_library::javascript::texts::is_method;
use aegish_code_parsers::setter_name;
use aegish_values::Taint;
use easy_ext::ext;
use std::rc::Rc;

/// Properties that every function has.
fn is_function_method(name: &str) -> bool {
    matches!(name, "call" | "apply" | "bind" | "toString")
}

/// Methods of maps and of all objects.
fn is_object_method(name: &str) -> bool {
    matches!(
        name,
        "get"
            | "set"
            | "has"
            | "delete"
            | "clear"
            | "forEach"
            | "entries"
            | "keys"
            | "values"
            | "hasOwnProperty"
            | "toString"
            | "valueOf"
            | "isPrototypeOf"
            | "toLocaleString"
            | "propertyIsEnumerable"
            | "Symbol.iterator"
            | "next"
            | "append"
            | "getAll"
            | "on"
            | "once"
            | "then"
            | "catch"
            | "finally"
    )
}

#[ext(ScriptProperties)]
pub(super) impl Interpreter<'_> {
    fn script_attribute(&mut self, object: &Val, name: &Name) -> Val {
        match (object, &**name) {
            (Val::OneOf(values), _) => {
                let values = Rc::clone(values);
                values
                    .iter()
                    .filter(|value| **value != Val::None)
                    .map(|value| self.script_attribute(value, name))
                    .reduce(|a, b| join(&a, &b))
                    .unwrap_or_else(Val::unknown)
            }
            (Val::None, _) => Val::None,
            (Val::Unknown(..), _) => object.clone(),
            (Val::Dict(_), _) => self.object_property(object, name),
            (Val::Library(path), _) => self.script_library_attribute(path, name),
            (Val::Instance(place), _) => self.instance_property(object, *place, name),
            (Val::Class(class), _) => self.class_property(object, class, name),
            (Val::Function(closure), _) => self.function_property(closure, name),
            (Val::Super(of), _) => {
                let (instance, class) = &**of;
                for base in &class.bases {
                    if let Some(value) = self.class_attribute(base, name) {
                        return self.bound(value, instance, base);
                    }
                    if let Val::Library(path) = base {
                        return self.script_library_attribute(path, name);
                    }
                }
                Val::unknown()
            }
            (_, "constructor") => Val::Library(type_name(object).into()),
            (Val::List(_) | Val::Tuple(_), "length") => {
                let items = self.iterate(object);
                match items.rest {
                    None => {
                        i64::try_from(items.list.len()).map_or_else(|_| Val::unknown(), Val::Int)
                    }
                    Some(_) => Val::unknown(),
                }
            }
            (Val::List(_), "raw" | "groups") => object.clone(),
            (Val::List(_), "size") => self.script_attribute(object, &"length".into()),
            (Val::Text(text), "length") => match text.as_known() {
                Some(known) => i64::try_from(known.encode_utf16().count())
                    .map_or_else(|_| Val::unknown(), Val::Int),
                None => Val::unknown(),
            },
            (Val::Bytes(bytes), "length" | "byteLength") => {
                i64::try_from(bytes.len()).map_or_else(|_| Val::unknown(), Val::Int)
            }
            (Val::Process(_), "stdin" | "stdout" | "stderr" | "output") => object.clone(),
            (Val::Process(_), "pid" | "status" | "code" | "exitCode" | "signal" | "error") => {
                Val::unknown()
            }
            // A property of a response or of an output.
            (Val::Text(text), _) if text.has_unknown() && !is_method(name) => object.clone(),
            (Val::Method(_), _) if !is_function_method(name) => Val::unknown(),
            (_, _) => {
                let own = self.overridden(&format!("{}.prototype.{name}", type_name(object)));
                own.unwrap_or_else(|| Val::Method(Rc::new((object.clone(), name.clone()))))
            }
        }
    }

    fn object_property(&mut self, object: &Val, name: &Name) -> Val {
        let Val::Dict(place) = object else { return Val::unknown() };
        let entries = self.heap.entries(*place);
        let find = |name: &str| {
            entries.list.iter().find_map(|(key, value)| match key {
                Val::Text(text) if text.as_known() == Some(name) => Some(value.clone()),
                _ => None,
            })
        };
        if let Some(value) = find(name) {
            return self.read_property(object, value);
        }
        if let Some(prototype) = find("__proto__") {
            let value = self.script_attribute(&prototype, name);
            if !matches!(value, Val::None | Val::Method(_)) {
                return self.read_property(object, value);
            }
        }
        if let Some(value) = self.overridden(&format!("Object.prototype.{name}")) {
            return value;
        }
        match &**name {
            "constructor" => Val::Library("Object".into()),
            "__proto__" => Val::Library("Object.prototype".into()),
            "size" => Val::unknown(),
            _ if is_object_method(name) => Val::Method(Rc::new((object.clone(), name.clone()))),
            _ => entries.rest.clone().unwrap_or(Val::None),
        }
    }

    /// The value of a property: a getter is called.
    fn read_property(&mut self, object: &Val, value: Val) -> Val {
        match &value {
            Val::Property(getter) => {
                let getter = Rc::clone(getter);
                self.call_with(object, &getter, Args::default())
            }
            Val::OneOf(values) if values.iter().any(|value| matches!(value, Val::Property(_))) => {
                let values = Rc::clone(values);
                values
                    .iter()
                    .map(|value| self.read_property(object, value.clone()))
                    .reduce(|a, b| join(&a, &b))
                    .unwrap_or_else(Val::unknown)
            }
            _ => value,
        }
    }

    fn instance_property(
        &mut self,
        object: &Val,
        place: crate::reference::Ref,
        name: &Name,
    ) -> Val {
        if let Some(value) = self.instance_attribute(place, name) {
            return self.read_property(object, value);
        }
        let attributes = self.heap.attributes(place);
        let class = attributes.class.clone();
        let prototype = attributes.list.iter().find(|(known, _)| &**known == "__proto__");
        if let Some((_, prototype)) = prototype {
            return self.script_attribute(&prototype.clone(), name);
        }
        match (&**name, class) {
            ("constructor" | "__proto__", Some(class)) => class,
            (_, Some(class)) => match aegish_code_interpreter::library_base(&class, 0) {
                Some(path) => self.script_library_attribute(&path, name),
                None => Val::Method(Rc::new((object.clone(), name.clone()))),
            },
            _ => Val::Method(Rc::new((object.clone(), name.clone()))),
        }
    }

    fn class_property(&mut self, object: &Val, class: &Rc<ClassValue>, name: &Name) -> Val {
        match &**name {
            "prototype" => return object.clone(),
            "name" => return Val::text(&*class.name),
            "constructor" => return Val::Library("Function".into()),
            _ => {}
        }
        match self.class_attribute(object, name) {
            Some(value) => self.read_property(object, value),
            None if is_function_method(name) => {
                Val::Method(Rc::new((object.clone(), name.clone())))
            }
            None => match aegish_code_interpreter::library_base(object, 0) {
                Some(path) => self.script_library_attribute(&path, name),
                None => Val::None,
            },
        }
    }

    fn function_property(&mut self, closure: &Rc<Closure>, name: &Name) -> Val {
        let function = Val::Function(Rc::clone(closure));
        match &**name {
            "prototype" => Val::Class(self.class_of(closure)),
            "name" => Val::text(&*closure.code.name),
            "constructor" => Val::Library("Function".into()),
            "length" => Val::unknown(),
            _ if is_function_method(name) => Val::Method(Rc::new((function, name.clone()))),
            _ => {
                let class = Val::Class(self.class_of(closure));
                if let Some(value) = self.class_attribute(&class, name) {
                    return self.read_property(&function, value);
                }
                self.overridden(&format!("Function.prototype.{name}")).unwrap_or(Val::None)
            }
        }
    }

    fn script_library_attribute(&mut self, path: &str, name: &str) -> Val {
        if path == "globalThis" {
            return match self.scope.program().find(name) {
                Some(_) => self.global(name),
                None => self.script_builtin(name),
            };
        }
        if is_environment(path) {
            return match name {
                "get" | "set" | "has" | "toObject" | "hasOwnProperty" => {
                    Val::Library(format!("{path}.{name}").into())
                }
                _ => self.env(name),
            };
        }
        match name {
            "constructor"
                if crate::calls::alias(self.language, &format!("{path}.constructor")).is_none() =>
            {
                return Val::Library("Function".into());
            }
            "default" => return Val::Library(path.into()),
            _ => {}
        }
        self.library_attribute(path, name)
    }

    /// A variable of the program.
    fn global(&mut self, name: &str) -> Val {
        let scope = self.scope.program();
        let outer = std::mem::replace(&mut self.scope, scope);
        let value = self.lookup(&name.into());
        self.scope = outer;
        value
    }

    /// The names that a key may be.
    fn property_names(&mut self, key: &Val) -> Option<Vec<String>> {
        match key {
            Val::Text(text) => text.readings(16),
            Val::Library(path) if path.starts_with("Symbol.") => Some(vec![path.to_string()]),
            Val::Library(_) => None,
            Val::OneOf(values) => {
                let mut names = Vec::new();
                for value in values.clone().iter() {
                    names.extend(self.property_names(value)?);
                }
                Some(names)
            }
            Val::Unknown(..) | Val::Process(_) | Val::Connection | Val::File(_) => None,
            other => self.script_text(other).readings(16),
        }
    }

    /// The key of a property as a text.
    fn script_key(&mut self, key: &Val) -> Val {
        match self.property_names(key).as_deref() {
            Some([one]) => Val::text(one.as_str()),
            _ => Val::unknown(),
        }
    }

    fn script_index(&mut self, object: &Val, index: &Val) -> Val {
        if let Val::OneOf(values) = object {
            let values = Rc::clone(values);
            return values
                .iter()
                .filter(|value| **value != Val::None)
                .map(|value| self.script_index(value, index))
                .reduce(|a, b| join(&a, &b))
                .unwrap_or_else(Val::unknown);
        }
        match (object, index) {
            (Val::List(_) | Val::Tuple(_), Val::Int(place)) => {
                let items = self.iterate(object);
                let found = usize::try_from(*place).ok().and_then(|place| items.list.get(place));
                return found.cloned().or(items.rest).unwrap_or(Val::None);
            }
            (Val::Text(text), Val::Int(place)) => return self.character(text, *place),
            (Val::Bytes(bytes), Val::Int(place)) => {
                let byte = usize::try_from(*place).ok().and_then(|place| bytes.get(place));
                return byte.map_or(Val::None, |byte| Val::Int(i64::from(*byte)));
            }
            (Val::Connection | Val::Process(_) | Val::Unknown(..), _) => return object.clone(),
            _ => {}
        }
        match self.property_names(index) {
            Some(names) => names
                .iter()
                .map(|name| self.named_index(object, name))
                .reduce(|a, b| join(&a, &b))
                .unwrap_or_else(Val::unknown),
            None => self.any_property(object),
        }
    }

    fn named_index(&mut self, object: &Val, name: &str) -> Val {
        match (object, name.parse::<i64>()) {
            (Val::List(_) | Val::Tuple(_) | Val::Text(_) | Val::Bytes(_), Ok(place)) => {
                self.script_index(object, &Val::Int(place))
            }
            _ => self.script_attribute(object, &name.into()),
        }
    }

    /// A property whose name is not known.
    fn any_property(&mut self, object: &Val) -> Val {
        match object {
            Val::List(_) | Val::Tuple(_) | Val::Text(_) => self.element(object),
            Val::Dict(place) => {
                let entries = self.heap.entries(*place);
                let values = entries.list.iter().map(|(_, value)| value.clone());
                values
                    .chain(entries.rest.clone())
                    .reduce(|a, b| join(&a, &b))
                    .unwrap_or_else(Val::unknown)
            }
            Val::Library(path)
                if &**path == "globalThis" || crate::calls::has_members(self.language, path) =>
            {
                Val::Unknown(Taint::none(), Forgotten::Callable)
            }
            Val::Instance(_) | Val::Class(_) | Val::Super(_) => {
                Val::Unknown(Taint::none(), Forgotten::Callable)
            }
            other => Val::tainted(self.taint_of(other)),
        }
    }

    /// Calls the setter of a property; false if there is none.
    fn call_setter(&mut self, object: &Val, name: &str, value: &Val) -> bool {
        let setter = match object {
            Val::Dict(_) => self.object_property(object, &setter_name(name).into()),
            Val::Instance(place) => {
                let class = self.heap.attributes(*place).class.clone();
                class
                    .and_then(|class| self.class_attribute(&class, &setter_name(name)))
                    .unwrap_or(Val::None)
            }
            Val::Class(_) => self.class_attribute(object, &setter_name(name)).unwrap_or(Val::None),
            _ => return false,
        };
        if !matches!(setter, Val::Function(_) | Val::Bound(_)) {
            return false;
        }
        self.call_with(object, &setter, Args::of(vec![value.clone()]));
        true
    }

    fn script_set_attribute(&mut self, object: &Val, name: &Name, value: Val) {
        if self.call_setter(object, name, &value) {
            return;
        }
        match object {
            Val::Dict(place) => {
                let value = self.compact(value);
                let key = Val::text(&**name);
                self.heap.update_entries(*place, |entries| insert(entries, key, value));
            }
            Val::Instance(place) => self.put(*place, name, value),
            Val::Class(class) => self.put(class.attributes, &prototype_name(name), value),
            Val::Function(closure) => {
                let class = self.class_of(closure);
                self.put(class.attributes, &prototype_name(name), value);
            }
            // `delete process.env.X`.
            Val::Library(path) if is_environment(path) && value == Val::None => {}
            Val::Library(path) if is_environment(path) => self.set_environment(name, &value),
            Val::Library(path) if &**path == "globalThis" => {
                let scope = self.scope.program();
                self.bind_in(&scope, name, value);
            }
            Val::Library(path) if path.len() < 160 => {
                let full = self.canonical(&format!("{path}.{name}"));
                self.override_library(full.to_string(), value);
            }
            Val::OneOf(values) => {
                for one in values.clone().iter() {
                    self.maybe(|this| this.script_set_attribute(one, name, value.clone()));
                }
            }
            _ => {}
        }
    }

    fn script_set_index(&mut self, object: &Val, index: &Val, value: Val) {
        if let Val::List(place) = object {
            let place = *place;
            let value = self.compact(value);
            let at = match index {
                Val::Text(text) => text.as_known().and_then(|text| text.parse().ok()),
                other => other.as_int(),
            };
            let at = at.and_then(|at| usize::try_from(at).ok());
            self.heap.update_items(place, |items| match at {
                Some(at) if at < items.list.len() => {
                    if let Some(slot) = items.list.get_mut(at) {
                        *slot = value;
                    }
                }
                Some(at) if items.rest.is_none() && at < items.list.len() + 256 => {
                    items.list.resize(at, Val::None);
                    items.list.push(value);
                }
                Some(_) => push_item(items, value),
                None => {
                    for slot in &mut items.list {
                        *slot = join(slot, &value);
                    }
                    items.rest =
                        Some(items.rest.as_ref().map_or(value.clone(), |rest| join(rest, &value)));
                }
            });
            return;
        }
        match (self.property_names(index), object) {
            (Some(names), _) => {
                let certain = names.len() == 1;
                for name in names {
                    if certain {
                        self.script_set_attribute(object, &name.into(), value.clone());
                    } else {
                        self.maybe(|this| {
                            this.script_set_attribute(object, &name.into(), value.clone());
                        });
                    }
                }
            }
            (None, Val::Dict(place)) => {
                let value = self.compact(value);
                self.heap.update_entries(*place, |entries| insert(entries, Val::unknown(), value));
            }
            _ => {}
        }
    }
}

/// The prototype of a class is kept as the object that its objects inherit from.
fn prototype_name(name: &Name) -> Name {
    if &**name == "prototype" { "__proto__".into() } else { name.clone() }
}

/// The built-in class of a value.
fn type_name(value: &Val) -> &'static str {
    match value {
        Val::Text(_) => "String",
        Val::List(_) | Val::Tuple(_) => "Array",
        Val::Int(_) => "Number",
        Val::Bool(_) => "Boolean",
        Val::Pattern(_) => "RegExp",
        Val::Bytes(_) => "Buffer",
        Val::Bound(_) | Val::Method(_) | Val::Partial(_) | Val::Property(_) => "Function",
        _ => "Object",
    }
}

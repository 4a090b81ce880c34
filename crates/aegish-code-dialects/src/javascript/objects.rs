//! Objects: maps, methods of objects, and what `new` makes.

use super::properties::ScriptProperties;
use super::{ScriptState, ScriptValues};
use crate::heap::{Attributes, Cell, Entries, Items, insert};
use crate::ir::{Class, Receiver};
use crate::reference::Ref;
use crate::value::{Args, ClassValue, Closure, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_code_parsers::FIELDS;
use easy_ext::ext;
use std::rc::Rc;

#[ext(ScriptObjects)]
pub(super) impl Interpreter<'_> {
    /// The class of the objects that a function makes: it holds the prototype and the function's own properties.
    fn class_of(&mut self, closure: &Rc<Closure>) -> Rc<ClassValue> {
        let id = closure.code.id;
        if let Some(class) =
            self.state.with(|script: &mut ScriptState| script.made_by.get(&id).cloned())
        {
            return class;
        }
        let function = Val::Function(Rc::clone(closure));
        let attributes = self.heap.alloc(Cell::Object(Rc::new(Attributes {
            class: None,
            list: vec![("__init__".into(), function)],
        })));
        let name = closure.code.name.clone();
        let class = Rc::new(ClassValue { name, bases: Vec::new(), attributes });
        self.state.with(|script: &mut ScriptState| script.made_by.insert(id, Rc::clone(&class)));
        class
    }

    /// A property of the prototype of the objects that a function makes.
    fn prototype_property(&self, class: &ClassValue, name: &str, depth: u32) -> Option<Val> {
        let attributes = self.heap.attributes(class.attributes);
        let (_, prototype) = attributes.list.iter().find(|(known, _)| &**known == "__proto__")?;
        match prototype {
            Val::Dict(place) => {
                let entries = self.heap.entries(*place);
                let find = |name: &str| {
                    let key =
                        |key: &Val| matches!(key, Val::Text(text) if text.as_known() == Some(name));
                    entries
                        .list
                        .iter()
                        .find(|(known, _)| key(known))
                        .map(|(_, value)| value.clone())
                };
                find(name).or_else(|| self.class_attribute_at(&find("__proto__")?, name, depth + 1))
            }
            other => self.class_attribute_at(other, name, depth + 1),
        }
    }

    /// `new function(args)`.
    fn construct(&mut self, function: &Val, args: Args) -> Val {
        match function {
            Val::OneOf(_) => self.each(function, |this, one| this.construct(one, args.clone())),
            Val::Function(closure) if closure.code.receiver == Receiver::This => {
                let class = self.class_of(closure);
                self.instantiate(&class, args)
            }
            Val::Bound(pair) => {
                let function = pair.1.clone();
                self.construct(&function, args)
            }
            Val::Partial(partial) => {
                let mut all = partial.args.clone();
                all.list.extend(args.list);
                self.construct(&partial.function.clone(), all)
            }
            other => self.call(other, args),
        }
    }

    /// Sets the fields of a new object, those of its bases first.
    fn set_fields(&mut self, class: &Rc<ClassValue>, instance: &Val, depth: u32) {
        if depth > 16 {
            return;
        }
        for base in &class.bases {
            if let Val::Class(base) = base {
                self.set_fields(base, instance, depth + 1);
            }
        }
        let attributes = self.heap.attributes(class.attributes);
        let fields = attributes.list.iter().find(|(name, _)| &**name == FIELDS);
        if let Some((_, fields)) = fields {
            let fields = fields.clone();
            self.call_with(instance, &fields, Args::default());
        }
    }

    /// `super` inside of a method.
    fn script_super(&mut self) -> Val {
        let class = self.frames.iter().rev().find_map(|frame| frame.class.clone());
        let instance = self.lookup(&"this".into());
        match class {
            Some(class) => Val::Super(Rc::new((instance, class))),
            None => Val::unknown(),
        }
    }

    /// Methods of maps and of all objects.
    fn object_method(&mut self, place: Ref, name: &str, args: &Args) -> Val {
        let object = Val::Dict(place);
        let key = |this: &mut Self| match args.get(0) {
            Some(key) => match this.property_names(key).as_deref() {
                Some([one]) => Val::text(one.as_str()),
                _ => Val::unknown(),
            },
            None => Val::unknown(),
        };
        match name {
            "get" => {
                let key = args.get(0).cloned().unwrap_or(Val::None);
                self.script_index(&object, &key)
            }
            "set" | "append" => {
                let key = key(self);
                let value = args.get(1).cloned().unwrap_or(Val::None);
                let value = self.compact(value);
                self.heap.update_entries(place, |entries| insert(entries, key, value));
                object
            }
            "keys" | "Symbol.iterator" => {
                let items = self.keys_of(&object);
                self.heap.list(items)
            }
            "values" => {
                let items = self.values_of(&object);
                self.heap.list(items)
            }
            "entries" => {
                let items = self.entries_of(&object);
                self.heap.list(items)
            }
            "forEach" => {
                let function = args.get(0).cloned().unwrap_or(Val::None);
                let items = self.entries_of(&object);
                let pairs = items.list.into_iter().chain(items.rest);
                for pair in pairs {
                    let pair = self.iterate(&pair).list;
                    let value = pair.get(1).cloned().unwrap_or_else(Val::unknown);
                    let key = pair.first().cloned().unwrap_or_else(Val::unknown);
                    let list = vec![value, key, object.clone()];
                    self.maybe(|this| this.call(&function, Args::of(list)));
                }
                Val::None
            }
            "next" => {
                let value = self.element(&object);
                self.new_object(vec![("value", value), ("done", Val::unknown())])
            }
            "toString" => Val::Text(self.script_text(&object)),
            "valueOf" => object,
            "clear" => {
                self.heap.update_entries(place, |entries| *entries = Entries::default());
                Val::None
            }
            "delete" => Val::unknown(),
            "has" | "hasOwnProperty" | "isPrototypeOf" | "propertyIsEnumerable" => Val::unknown(),
            _ => {
                self.run_callbacks(args, None);
                Val::tainted(self.taint_of(&object))
            }
        }
    }

    /// The items that an object gives by its own method.
    fn iterated(&mut self, value: &Val) -> Items {
        let any = |value: Val| Items { list: Vec::new(), rest: Some(value) };
        let method = self.attribute(value, &"Symbol.iterator".into());
        match &method {
            Val::Function(_) | Val::Bound(_) => {
                let made = self.call_with(value, &method, Args::default());
                match made {
                    Val::Dict(_) | Val::Instance(_) => {
                        let next = self.attribute(&made, &"next".into());
                        let item = self.call_with(&made, &next, Args::default());
                        any(self.attribute(&item, &"value".into()))
                    }
                    other => self.iterate(&other),
                }
            }
            _ => any(Val::unknown()),
        }
    }

    /// Runs what belongs to the class itself, once it exists.
    fn with_statics(&mut self, class: &Class, value: &Rc<ClassValue>) -> Val {
        let value = Val::Class(Rc::clone(value));
        if let Some(statics) = &class.statics {
            self.scoped(|this| {
                this.bind(&class.name, value.clone());
                let statics = this.closure(statics);
                this.call_with(&value, &statics, Args::default());
            });
        }
        value
    }

    /// A new object after its constructor, which may give another one.
    fn initialized(&mut self, class: &Rc<ClassValue>, instance: Val, args: Args) -> Val {
        self.set_fields(class, &instance, 0);
        if let Some(init) = self.class_attribute(&Val::Class(Rc::clone(class)), "__init__") {
            let made = self.call_with(&instance, &init, args);
            return match made {
                Val::Dict(_)
                | Val::Instance(_)
                | Val::List(_)
                | Val::Function(_)
                | Val::Library(_) => made,
                _ => instance,
            };
        }
        if class.bases.iter().any(|base| matches!(base, Val::Library(_))) {
            self.call_super(&instance, class, args);
        }
        instance
    }

    /// The keys of an object, as texts.
    fn keys_of(&mut self, object: &Val) -> Items {
        match object {
            Val::Dict(place) => {
                let entries = self.heap.entries(*place);
                Items {
                    list: entries
                        .list
                        .iter()
                        .map(|(key, _)| key.clone())
                        .filter(|key| !is_hidden(key))
                        .collect(),
                    rest: entries.rest.as_ref().map(|_| Val::unknown()),
                }
            }
            Val::List(_) | Val::Tuple(_) => {
                let items = self.iterate(object);
                let list =
                    (0..items.list.len()).map(|place| Val::text(place.to_string())).collect();
                Items { list, rest: items.rest.map(|_| Val::unknown()) }
            }
            Val::Instance(place) => {
                let attributes = self.heap.attributes(*place);
                let list = attributes.list.iter().map(|(name, _)| Val::text(&**name)).collect();
                Items { list, rest: None }
            }
            Val::Library(path) => {
                let names = crate::calls::members(self.language, path).map(Val::text).collect();
                Items { list: names, rest: Some(Val::unknown()) }
            }
            Val::Text(_) => {
                Items { list: Vec::new(), rest: Some(Val::tainted(self.taint_of(object))) }
            }
            Val::None => Items::default(),
            other => Items { list: Vec::new(), rest: Some(Val::tainted(self.taint_of(other))) },
        }
    }

    fn values_of(&mut self, object: &Val) -> Items {
        match object {
            Val::Dict(place) => {
                let entries = self.heap.entries(*place);
                let mut list = Vec::new();
                for (key, value) in &entries.list {
                    if !is_hidden(key) {
                        list.push(value.clone());
                    }
                }
                Items { list, rest: entries.rest.clone() }
            }
            Val::List(_) | Val::Tuple(_) => self.iterate(object),
            Val::Instance(place) => {
                let attributes = self.heap.attributes(*place);
                Items {
                    list: attributes.list.iter().map(|(_, value)| value.clone()).collect(),
                    rest: None,
                }
            }
            Val::Library(path) => {
                let path = path.clone();
                let names: Vec<&str> = crate::calls::members(self.language, &path).collect();
                let list = names
                    .into_iter()
                    .map(|name| self.script_library_attribute(&path, name))
                    .collect();
                Items { list, rest: None }
            }
            Val::None => Items::default(),
            other => Items { list: Vec::new(), rest: Some(other.forget()) },
        }
    }

    fn entries_of(&mut self, object: &Val) -> Items {
        let keys = self.keys_of(object);
        let values = self.values_of(object);
        let list =
            keys.list.into_iter().zip(values.list).map(|(key, value)| pair(key, value)).collect();
        let rest = match (keys.rest, values.rest) {
            (None, None) => None,
            (key, value) => {
                Some(pair(key.unwrap_or_else(Val::unknown), value.unwrap_or_else(Val::unknown)))
            }
        };
        Items { list, rest }
    }

    /// Adds the properties of a value to those of an object.
    fn add_properties(&mut self, entries: &mut Entries, value: &Val) {
        match value {
            Val::None | Val::Bool(_) | Val::Int(_) => {}
            Val::OneOf(values) => {
                for value in values.clone().iter() {
                    self.add_properties(entries, value);
                }
            }
            other => {
                let all = self.entries_of(other);
                for item in all.list {
                    if let Val::Tuple(pair) = item
                        && let [key, value] = &*pair
                    {
                        insert(entries, key.clone(), value.clone());
                    }
                }
                if let Some(Val::Tuple(pair)) = all.rest
                    && let [_, value] = &*pair
                {
                    let rest = entries.rest.take();
                    entries.rest = Some(rest.map_or(value.clone(), |rest| join(&rest, value)));
                }
            }
        }
    }
}

fn pair(key: Val, value: Val) -> Val {
    Val::Tuple([key, value].into())
}

/// Keys that stand for something else than a property.
fn is_hidden(key: &Val) -> bool {
    match key {
        Val::Text(text) => {
            text.as_known().is_some_and(|text| text.starts_with("<set ") || text == "__proto__")
        }
        _ => false,
    }
}

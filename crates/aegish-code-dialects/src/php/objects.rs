//! Attributes, subscripts and objects.

use super::{PhpState, PhpVariables, forgotten, request};
use crate::heap::{Attributes, Cell, Entries, is_key, mix};
use crate::ir::{Expr, Name};
use crate::reference::Ref;
use crate::value::{Args, ClassValue, Forgotten, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::php::{any_of, append, key, put};
use aegish_code_library::{Containers, PhpValues};
use easy_ext::ext;
use std::rc::Rc;

/// The key of an item that is added behind the others.
const APPEND: &str = "<append>";

/// The properties of an object by computed names.
const PROPERTIES: &str = "<properties>";

fn is_append(index: &Val) -> bool {
    matches!(index, Val::Library(name) if &**name == APPEND)
}

/// The object whose properties a value stands for.
fn properties(value: &Val) -> Option<Val> {
    match value {
        Val::Tuple(parts) => match &**parts {
            [Val::Library(name), object] if &**name == PROPERTIES => Some(object.clone()),
            _ => None,
        },
        _ => None,
    }
}

#[ext(PhpObjects)]
pub(super) impl Interpreter<'_> {
    fn php_attribute(&mut self, object: &Val, name: &Name) -> Val {
        let is_property = name.starts_with('$');
        match object {
            Val::OneOf(values) => {
                let values = values.clone();
                values
                    .iter()
                    .filter(|value| **value != Val::None)
                    .map(|value| self.php_attribute(value, name))
                    .reduce(|a, b| join(&a, &b))
                    .unwrap_or_else(Val::unknown)
            }
            Val::Library(path) if is_property => self
                .overridden(&format!("{path}.{name}"))
                .unwrap_or_else(|| Val::tainted(self.taint_of(object))),
            Val::Library(path) if name.starts_with('#') => {
                Val::Library(format!("{path}.{name}").into())
            }
            Val::Library(path) => self.library_attribute(path, name),
            Val::Instance(place) => self.php_member(*place, name),
            Val::Class(_) => match self.class_attribute(object, name) {
                Some(Val::StaticMethod(inner)) => (*inner).clone(),
                Some(Val::ClassMethod(inner)) => {
                    // A method of a parent that `static` calls belongs to the class it was called on.
                    Val::Bound(Rc::new((object.clone(), (*inner).clone())))
                }
                // `self::method()` inside of an object.
                Some(function @ Val::Function(_)) => {
                    let this = self.php_variable("$this");
                    Val::Bound(Rc::new((this, function)))
                }
                Some(value) => value,
                None => self.missing_static(object, name),
            },
            Val::Super(of) => {
                let (instance, class) = &**of;
                for base in &class.bases {
                    if let Some(value) = self.class_attribute(base, name) {
                        return self.bound(value, instance, instance);
                    }
                }
                match aegish_code_interpreter::library_base(&Val::Class(Rc::clone(class)), 0) {
                    Some(path) => self.library_attribute(&path, name),
                    None => Val::unknown(),
                }
            }
            Val::Unknown(_, Forgotten::Callable) => object.clone(),
            // Objects of arrays: `(object) [...]` and what JSON gives.
            Val::Dict(_) | Val::List(_) if is_property => {
                let index = Val::text(name.trim_start_matches('$'));
                self.php_index(object, &index)
            }
            Val::Text(text) if text.has_unknown() && is_property => object.clone(),
            Val::Method(_) => Val::unknown(),
            _ if is_property => Val::tainted(self.taint_of(object)),
            _ => Val::Method(Rc::new((object.clone(), name.clone()))),
        }
    }

    /// A static method that the class does not have.
    fn missing_static(&mut self, class: &Val, name: &Name) -> Val {
        if let Some(Val::ClassMethod(inner)) = self.class_attribute(class, "__callstatic") {
            let args = Args::of(vec![class.clone(), Val::text(&**name)]);
            return Val::Partial(Rc::new(crate::value::Partial {
                function: Val::Library("<magic>".into()),
                args: Args {
                    list: vec![
                        (*inner).clone(),
                        args.list.first().cloned().unwrap_or(Val::None),
                        Val::text(&**name),
                    ],
                    ..Args::default()
                },
            }));
        }
        match aegish_code_interpreter::library_base(class, 0) {
            Some(path) if !name.starts_with(['$', '#']) => self.library_attribute(&path, name),
            _ if name.starts_with(['$', '#']) => Val::unknown(),
            _ => Val::Method(Rc::new((class.clone(), name.clone()))),
        }
    }

    fn php_member(&mut self, place: Ref, name: &Name) -> Val {
        let object = Val::Instance(place);
        let attributes = self.heap.attributes(place);
        if let Some((_, value)) = attributes.list.iter().find(|(known, _)| known == name) {
            return value.clone();
        }
        if &**name == "getmessage" {
            let message = attributes.list.iter().find(|(known, _)| &**known == "$message");
            let class = attributes.class.clone();
            let own = class.and_then(|class| self.class_attribute(&class, name));
            if let (Some((_, message)), None) = (message, own) {
                let args = Args::of(vec![message.clone()]);
                let function = Val::Library("<copy>".into());
                return Val::Partial(Rc::new(crate::value::Partial { function, args }));
            }
        }
        let Some(class) = attributes.class.clone() else { return Val::unknown() };
        if let Some(value) = self.class_attribute(&class, name) {
            return if name.starts_with(['$', '#']) {
                value
            } else {
                self.bound(value, &object, &class)
            };
        }
        if let Some(property) = name.strip_prefix('$') {
            return match self.special(&object, "__get") {
                Some(method) => self.call(&method, Args::of(vec![Val::text(property)])),
                None => Val::unknown(),
            };
        }
        if let Some(method) = self.special(&object, "__call") {
            let args = Args::of(vec![method, Val::None, Val::text(&**name)]);
            let function = Val::Library("<magic>".into());
            return Val::Partial(Rc::new(crate::value::Partial { function, args }));
        }
        match aegish_code_interpreter::library_base(&class, 0) {
            Some(path) => self.library_attribute(&path, name),
            None => Val::Method(Rc::new((object, name.clone()))),
        }
    }

    fn php_set_attribute(&mut self, object: &Val, name: &Name, value: Val) {
        match object {
            Val::Instance(place) => {
                let attributes = self.heap.attributes(*place);
                let known = attributes.list.iter().any(|(known, _)| known == name);
                if !known && let Some(setter) = self.special(object, "__set") {
                    let property = Val::text(name.trim_start_matches('$'));
                    self.call(&setter, Args::of(vec![property, value]));
                    return;
                }
                self.put(*place, name, value);
            }
            Val::Class(class) => {
                // A static property belongs to the class that declares it.
                let place = self.declaring(class, name, 0).unwrap_or(class.attributes);
                self.put(place, name, value);
            }
            Val::Library(path) if path.len() < 120 => {
                self.override_library(format!("{path}.{name}"), value);
            }
            Val::Dict(_) => {
                let index = Val::text(name.trim_start_matches('$'));
                self.php_set_index(object, &index, value);
            }
            Val::OneOf(values) => {
                let values = values.clone();
                for one in values.iter() {
                    self.maybe(|this| this.php_set_attribute(one, name, value.clone()));
                }
            }
            _ => {}
        }
    }

    fn declaring(&self, class: &Rc<ClassValue>, name: &Name, depth: u32) -> Option<Ref> {
        if self.heap.attributes(class.attributes).list.iter().any(|(known, _)| known == name) {
            return Some(class.attributes);
        }
        class.bases.iter().find_map(|base| match base {
            Val::Class(base) if depth < 16 => self.declaring(base, name, depth + 1),
            _ => None,
        })
    }

    fn php_index(&mut self, object: &Val, index: &Val) -> Val {
        if let Some(object) = properties(object) {
            return match index.to_text().readings(8) {
                Some(names) => names
                    .into_iter()
                    .map(|name| self.php_attribute(&object, &format!("${name}").into()))
                    .reduce(|a, b| join(&a, &b))
                    .unwrap_or_else(Val::unknown),
                None => match &object {
                    Val::Instance(place) => {
                        let attributes = self.heap.attributes(*place);
                        let values = attributes.list.iter().map(|(_, value)| value.clone());
                        values.reduce(|a, b| join(&a, &b)).unwrap_or_else(Val::unknown)
                    }
                    _ => Val::unknown(),
                },
            };
        }
        match object {
            Val::OneOf(values) => {
                let values = values.clone();
                values
                    .iter()
                    .map(|value| self.php_index(value, index))
                    .reduce(|a, b| join(&a, &b))
                    .unwrap_or(Val::None)
            }
            Val::None | Val::Int(_) | Val::Bool(_) => Val::None,
            Val::Dict(place) => {
                let entries = self.heap.entries(*place);
                let index = key(index);
                if is_append(&index) {
                    return Val::None;
                }
                if is_key(&index) && entries.list.iter().all(|(known, _)| is_key(known)) {
                    let found = entries.list.iter().find(|(known, _)| *known == index);
                    return match (found, &entries.rest) {
                        (Some((_, value)), None) => value.clone(),
                        (Some((_, value)), Some(rest)) => join(value, rest),
                        (None, Some(rest)) => join(rest, &Val::None),
                        (None, None) => Val::None,
                    };
                }
                let any = any_of(&entries);
                any.map_or(Val::None, |any| join(&any, &Val::None))
            }
            Val::Library(path) if matches!(&**path, "$_SERVER" | "$_ENV" | "$GLOBALS") => {
                self.superglobal_item(&path.clone(), index)
            }
            Val::Variables => match index.to_text().readings(8) {
                Some(names) => names
                    .into_iter()
                    .map(|name| self.php_variable(&format!("${name}")))
                    .reduce(|a, b| join(&a, &b))
                    .unwrap_or(Val::None),
                None => forgotten(),
            },
            Val::Instance(_) => match self.special(object, "__getitem__") {
                Some(method) => self.call(&method, Args::of(vec![index.clone()])),
                None => Val::unknown(),
            },
            Val::Library(_) => Val::unknown(),
            Val::List(_) if is_append(index) => Val::None,
            _ => self.plain_index(object, index),
        }
    }

    fn superglobal_item(&mut self, path: &str, index: &Val) -> Val {
        let Some(name) = index.as_known() else {
            return if path == "$GLOBALS" { forgotten() } else { Val::unknown() };
        };
        match (path, name.as_str()) {
            ("$GLOBALS", _) | ("$_SERVER", "argv" | "argc") => {
                let program = self.scope.program();
                let inner = std::mem::replace(&mut self.scope, program);
                let value = self.php_variable(&format!("${name}"));
                self.scope = inner;
                value
            }
            ("$_SERVER", "PHP_SELF" | "SCRIPT_NAME" | "SCRIPT_FILENAME") => {
                Val::text("./script.php")
            }
            ("$_SERVER", "DOCUMENT_ROOT") => Val::text("."),
            (
                "$_SERVER",
                "REQUEST_URI" | "QUERY_STRING" | "PATH_INFO" | "PHP_AUTH_USER" | "PHP_AUTH_PW",
            ) => request(),
            ("$_SERVER", name) if name.starts_with("HTTP_") => request(),
            ("$_SERVER", name) if name.starts_with("REQUEST_") || name.starts_with("SERVER_") => {
                Val::unknown()
            }
            (_, name) => self.env(name),
        }
    }

    fn php_set_index(&mut self, object: &Val, index: &Val, value: Val) {
        if let Some(object) = properties(object) {
            match index.to_text().readings(8).as_deref() {
                Some([name]) => self.php_set_attribute(&object, &format!("${name}").into(), value),
                Some(names) => {
                    for name in names {
                        let name: Name = format!("${name}").into();
                        self.maybe(|this| this.php_set_attribute(&object, &name, value.clone()));
                    }
                }
                None => {
                    // Any property may have the value now.
                    if let Val::Instance(place) = &object {
                        self.heap.update_attributes(*place, |attributes| {
                            for (_, known) in &mut attributes.list {
                                *known = join(known, &value);
                            }
                        });
                    }
                }
            }
            return;
        }
        let value = self.compact(value);
        match object {
            Val::Dict(place) if is_append(index) => {
                self.heap.update_entries(*place, |entries| append(entries, value));
            }
            Val::Dict(place) => {
                let index = index.clone();
                self.heap.update_entries(*place, |entries| put(entries, &index, value));
            }
            Val::List(place) if is_append(index) => {
                self.extend_list(*place, crate::heap::Items { list: vec![value], rest: None });
            }
            Val::List(place) => {
                let at = index.as_int().and_then(|at| usize::try_from(at).ok());
                self.heap.update_items(*place, |items| {
                    match (at.and_then(|at| items.list.get_mut(at)), &items.rest) {
                        (Some(slot), None) => *slot = value,
                        _ => {
                            mix(items);
                            crate::heap::push_item(items, value.clone());
                            items.rest = Some(
                                items
                                    .rest
                                    .as_ref()
                                    .map_or(value.clone(), |rest| join(rest, &value)),
                            );
                        }
                    }
                });
            }
            Val::Variables => match index.to_text().readings(8).as_deref() {
                Some([name]) => self.php_bind(&format!("${name}").into(), value),
                Some(names) => {
                    for name in names {
                        let name: Name = format!("${name}").into();
                        self.maybe(|this| this.php_bind(&name, value.clone()));
                    }
                }
                None => {
                    self.state.with(|php: &mut PhpState| php.foreign = true);
                    self.open |= !self.uncalled;
                }
            },
            Val::Library(path) if &**path == "$GLOBALS" => {
                if let Some(name) = index.as_known() {
                    let scope = self.scope.program();
                    self.bind_in(&scope, &format!("${name}").into(), value);
                }
            }
            Val::Library(path) if &**path == "$_ENV" => {
                if let Some(name) = index.as_known() {
                    self.override_library(format!("os.environ.{name}"), value);
                }
            }
            Val::Instance(_) => {
                if let Some(method) = self.special(object, "__setitem__") {
                    self.call(&method, Args::of(vec![index.clone(), value]));
                }
            }
            Val::OneOf(values) => {
                let values = values.clone();
                for one in values.iter() {
                    self.maybe(|this| this.php_set_index(one, index, value.clone()));
                }
            }
            _ => {}
        }
    }

    /// An array as it is written.
    fn php_array_of(&mut self, pairs: &[(Option<Expr>, Expr)]) -> Val {
        let mut entries = Entries::default();
        for (index, value) in pairs {
            let index = index.as_ref().map(|index| self.expr(index));
            let value = self.expr(value);
            match index {
                Some(index) if is_append(&index) => {
                    let value = self.php_copy(&value, 0);
                    append(&mut entries, value);
                }
                Some(index) => {
                    let value = self.php_copy(&value, 0);
                    put(&mut entries, &index, value);
                }
                None => {
                    let more = self.php_entries(&value);
                    for (known, value) in more.list {
                        match known {
                            Val::Int(_) => append(&mut entries, value),
                            other => put(&mut entries, &other, value),
                        }
                    }
                    if let Some(rest) = more.rest {
                        let known = entries.rest.take();
                        entries.rest =
                            Some(known.map_or(rest.clone(), |known| join(&known, &rest)));
                    }
                }
            }
        }
        self.php_array(entries)
    }

    /// Gives a new object its own properties, and plans its end.
    fn php_fields(&mut self, class: &Rc<ClassValue>, instance: &Val) {
        let Val::Instance(place) = instance else { return };
        self.inherited_fields(class, *place, 0);
        if let Some(end) = self.class_attribute(&Val::Class(Rc::clone(class)), "__destruct")
            && self.deferred.len() < 64
        {
            let method = self.bound(end, instance, &Val::None);
            self.deferred.push_back((None, method, Args::default()));
        }
    }

    fn inherited_fields(&mut self, class: &Rc<ClassValue>, place: Ref, depth: u32) {
        let fields = self.heap.attributes(class.attributes);
        for (name, value) in fields.list.iter().filter(|(name, _)| name.starts_with('$')) {
            let known = self.heap.attributes(place);
            if known.list.iter().all(|(other, _)| other != name) {
                let value = self.php_copy(value, 0);
                self.put(place, name, value);
            }
        }
        for base in &class.bases {
            if let Val::Class(base) = base
                && depth < 16
            {
                self.inherited_fields(base, place, depth + 1);
            }
        }
    }

    /// An object that is no instance of a class of the program.
    fn plain_object(&mut self, list: Vec<(Name, Val)>, class: Option<Val>) -> Val {
        let attributes = Attributes { class, list };
        Val::Instance(self.heap.alloc(Cell::Object(Rc::new(attributes))))
    }
}

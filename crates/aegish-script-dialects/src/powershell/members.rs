//! Members and items of values.

use super::objects::PowerShellObjects;
use super::{TYPE, type_name};
use crate::heap::Items;
use crate::ir::Name;
use crate::value::{Forgotten, Val, join, part_of};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::PowerShellValues;
use aegish_values::{Taint, Value};
use easy_ext::ext;
use std::rc::Rc;

/// Longest path of a library that is followed.
const LONGEST: usize = 160;

#[ext(PowerShellMembers)]
pub(super) impl Interpreter<'_> {
    /// A member whose name is computed.
    fn member_named(&mut self, object: &Val, name: &Val, mark: Option<&Val>) -> Val {
        let mark = mark.and_then(Val::as_known).unwrap_or_default();
        let name = self.powershell_text(name);
        match name.readings(16) {
            Some(names) => names
                .into_iter()
                .map(|name| {
                    let full = format!("{mark}{}", name.to_lowercase());
                    self.powershell_attribute(object, &full.into())
                })
                .reduce(|a, b| join(&a, &b))
                .unwrap_or_else(Val::unknown),
            None if matches!(object, Val::Text(_) | Val::Int(_)) => object.forget(),
            None => Val::Unknown(self.taint_of(object), Forgotten::Callable),
        }
    }

    fn powershell_attribute(&mut self, object: &Val, name: &Name) -> Val {
        if let Val::OneOf(values) = object {
            return values
                .iter()
                .filter(|value| **value != Val::None)
                .map(|value| self.powershell_attribute(value, name))
                .reduce(|a, b| join(&a, &b))
                .unwrap_or_else(Val::unknown);
        }
        if let Some(fixed) = name.strip_prefix("::") {
            return self.static_member(object, fixed);
        }
        let method = || Val::Method(Rc::new((object.clone(), name.clone())));
        match object {
            Val::None => Val::None,
            Val::Dict(place) => {
                let entries = self.heap.entries(*place);
                let same =
                    |key: &Val| key.as_known().is_some_and(|key| key.eq_ignore_ascii_case(name));
                if let Some((_, value)) = entries.list.iter().find(|(key, _)| same(key)) {
                    return match &entries.rest {
                        Some(rest) => join(value, rest),
                        None => value.clone(),
                    };
                }
                let of = entries.list.iter().find(|(key, _)| *key == Val::text(TYPE));
                match (&**name, of) {
                    ("keys", None) => {
                        let list = entries.list.iter().map(|(key, _)| key.clone()).collect();
                        let rest = entries.rest.as_ref().map(|_| Val::unknown());
                        self.heap.list(Items { list, rest })
                    }
                    ("values", None) => {
                        let list = entries.list.iter().map(|(_, value)| value.clone()).collect();
                        let rest = entries.rest.clone();
                        self.heap.list(Items { list, rest })
                    }
                    (_, None) => match &entries.rest {
                        Some(rest) if !is_map_method(name) => rest.clone(),
                        _ => method(),
                    },
                    (_, Some((_, Val::Library(of)))) => {
                        let full = format!("{of}.{name}");
                        match self.library_property(&full) {
                            Some(value) => value,
                            None => method(),
                        }
                    }
                    _ => method(),
                }
            }
            Val::Text(text) => match &**name {
                "length" | "count" => match text.as_known() {
                    Some(text) if &**name == "length" => {
                        Val::Int(i64::try_from(text.chars().count()).unwrap_or(0))
                    }
                    Some(_) => Val::Int(1),
                    None => Val::unknown(),
                },
                // Properties of files, requests, errors and commands that stand for their text.
                "fullname" | "path" | "pspath" | "content" | "rawcontent" | "message"
                | "exception" | "value" | "source" | "definition" | "stdout" | "result"
                | "responsetext" | "innerexception" | "providerpath" | "outerxml" | "innertext" => {
                    object.clone()
                }
                "name" | "pschildname" | "basename" | "directoryname" | "directory" | "parent"
                | "extension" | "psparentpath"
                    if text.known_prefix().contains('/') || text.has_unknown() =>
                {
                    self.file_property(text, name)
                }
                "name" => object.clone(),
                // A property of something that was read is a part of it.
                _ if text.has_unknown() && !is_text_method(name) => object.clone(),
                _ => method(),
            },
            Val::List(_) | Val::Tuple(_) | Val::Bytes(_) => match &**name {
                "length" | "count" | "longlength" => {
                    let items = self.powershell_items(object);
                    match items.rest {
                        None => Val::Int(i64::try_from(items.list.len()).unwrap_or(0)),
                        Some(_) => Val::unknown(),
                    }
                }
                _ if is_list_method(name) => method(),
                // The member of each item.
                _ => {
                    let items = self.powershell_items(object);
                    let list: Vec<Val> = items
                        .list
                        .iter()
                        .map(|item| self.powershell_attribute(item, name))
                        .collect();
                    if list.iter().any(|value| matches!(value, Val::Method(_))) {
                        return method();
                    }
                    let rest = items.rest.map(|item| self.powershell_attribute(&item, name));
                    if let Some(Val::Method(_)) = rest {
                        return method();
                    }
                    self.heap.list(Items { list, rest })
                }
            },
            Val::Library(path) => {
                if path.len() > LONGEST {
                    return Val::unknown();
                }
                let inner = path.trim_start_matches('[').trim_end_matches(']');
                let full = if path.starts_with('[') {
                    // A member of the type itself: reflection.
                    return match &**name {
                        "name" | "fullname" => Val::text(inner),
                        "assembly" | "module" => Val::Library("reflection.assembly".into()),
                        _ => method(),
                    };
                } else {
                    format!("{path}.{name}")
                };
                self.library_property(&full).unwrap_or(Val::Library(full.into()))
            }
            Val::Instance(place) => match self.instance_attribute(*place, name) {
                Some(value) => value,
                None => method(),
            },
            Val::Unknown(_, Forgotten::Callable) => object.clone(),
            Val::Unknown(..) => method(),
            _ => method(),
        }
    }

    fn file_property(&mut self, path: &Value, name: &str) -> Val {
        let Some(known) = path.as_known() else {
            return Val::Text(part_of(path));
        };
        let (under, leaf) = known.trim_end_matches('/').rsplit_once('/').unwrap_or(("", known));
        let (base, end) = leaf.rsplit_once('.').unwrap_or((leaf, ""));
        Val::Text(
            Value::known(match name {
                "directoryname" | "directory" | "parent" | "psparentpath" => under.to_owned(),
                "basename" => base.to_owned(),
                "extension" => format!(".{end}"),
                _ => leaf.to_owned(),
            })
            .tainted(path.taint()),
        )
    }

    /// `[type]::member`.
    fn static_member(&mut self, object: &Val, name: &str) -> Val {
        match object {
            Val::Class(class) => match name {
                "new" => object.clone(),
                _ => {
                    let class = Val::Class(Rc::clone(class));
                    match self.class_attribute(&class, name) {
                        Some(Val::StaticMethod(inner)) => (*inner).clone(),
                        Some(value) => value,
                        None => Val::unknown(),
                    }
                }
            },
            Val::Library(path) if path.starts_with('[') => {
                let of = type_name(path);
                let full = format!("{}::{name}", of.trim_matches(['[', ']']));
                self.library_property(&full).unwrap_or(Val::Library(full.into()))
            }
            // The type of a value has its members.
            Val::Text(_) => Val::Library(format!("string::{name}").into()),
            Val::Int(_) => Val::Library(format!("int::{name}").into()),
            other => Val::Unknown(self.taint_of(other), Forgotten::Callable),
        }
    }

    /// The object that a function makes of a type.
    fn object(&mut self, of: &str, list: Vec<(&str, Val)>) -> Val {
        let mut pairs = vec![(Val::text(TYPE), Val::Library(of.into()))];
        pairs.extend(list.into_iter().map(|(name, value)| (Val::text(name), value)));
        self.new_dict(pairs, None)
    }

    /// The taint of an unknown value.
    fn unknown_from(&self, value: &Val) -> Val {
        let taint: Taint = self.taint_of(value);
        Val::tainted(taint)
    }
}

fn is_map_method(name: &str) -> bool {
    matches!(
        name,
        "add"
            | "remove"
            | "clear"
            | "contains"
            | "containskey"
            | "containsvalue"
            | "getenumerator"
            | "clone"
            | "item"
            | "count"
            | "invoke"
            | "gettype"
            | "tostring"
    )
}

fn is_list_method(name: &str) -> bool {
    matches!(
        name,
        "add"
            | "addrange"
            | "insert"
            | "remove"
            | "removeat"
            | "clear"
            | "contains"
            | "indexof"
            | "foreach"
            | "where"
            | "getenumerator"
            | "clone"
            | "toarray"
            | "reverse"
            | "sort"
            | "getvalue"
            | "setvalue"
            | "item"
            | "invoke"
            | "push"
            | "pop"
            | "enqueue"
            | "dequeue"
            | "peek"
            | "copyto"
            | "gettype"
            | "split"
            | "getlength"
            | "getupperbound"
            | "tostring"
    )
}

fn is_text_method(name: &str) -> bool {
    matches!(
        name,
        "replace"
            | "substring"
            | "split"
            | "trim"
            | "trimstart"
            | "trimend"
            | "toupper"
            | "tolower"
            | "tochararray"
            | "insert"
            | "remove"
            | "padleft"
            | "padright"
            | "startswith"
            | "endswith"
            | "contains"
            | "indexof"
            | "lastindexof"
            | "tostring"
            | "toupperinvariant"
            | "tolowerinvariant"
            | "normalize"
            | "chars"
            | "gettype"
            | "invoke"
            | "delete"
            | "copyto"
            | "moveto"
            | "openread"
            | "opentext"
            | "create"
            | "createtext"
            | "appendtext"
            | "openwrite"
            | "open"
            | "equals"
            | "readtoend"
            | "readline"
            | "readalltext"
            | "invokereturnasis"
            | "foreach"
            | "where"
            | "getenumerator"
            | "getawaiter"
            | "getresult"
            | "read"
            | "getresponsestream"
            | "readasstringasync"
            | "getresponse"
            | "close"
            | "dispose"
            | "kill"
            | "start"
    )
}

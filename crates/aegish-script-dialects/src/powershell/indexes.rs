//! Items of values, and assignments to items and members.

use super::blocks::PowerShellBlocks;
use super::items::PowerShellItems;
use super::members::PowerShellMembers;
use crate::heap::{Items, insert};
use crate::ir::Name;
use crate::numbers::place_in;
use crate::value::{Val, join, part_of};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::PowerShellValues;
use aegish_values::Value;
use easy_ext::ext;

/// Longest path of a library that is followed.
const LONGEST: usize = 160;

#[ext(PowerShellIndexes)]
pub(super) impl Interpreter<'_> {
    fn powershell_set_attribute(&mut self, object: &Val, name: &Name, value: Val) {
        match object {
            Val::Dict(_) => self.powershell_set_index(object, &Val::text(&**name), value),
            Val::Instance(place) => self.put(*place, name, value),
            Val::Class(class) => {
                let name = name.trim_start_matches(':').into();
                self.put(class.attributes, &name, value);
            }
            Val::Library(path)
                if path.contains("environment") && name.ends_with("::currentdirectory") =>
            {
                let directory = self.powershell_text(&value);
                self.change_directory(&directory);
            }
            // Other settings of types change nothing that is followed.
            Val::Library(path) if path.starts_with('[') => {}
            Val::OneOf(values) => {
                for one in values.iter() {
                    self.maybe(|this| this.powershell_set_attribute(one, name, value.clone()));
                }
            }
            Val::Library(path) if path.len() < LONGEST => {
                self.override_library(format!("{path}.{name}"), value);
            }
            _ => {}
        }
    }

    fn powershell_index(&mut self, object: &Val, index: &Val) -> Val {
        if let Val::OneOf(values) = object {
            return values
                .iter()
                .filter(|value| **value != Val::None)
                .map(|value| self.powershell_index(value, index))
                .reduce(|a, b| join(&a, &b))
                .unwrap_or_else(Val::unknown);
        }
        // Several places give several items.
        if let Val::List(_) | Val::Tuple(_) = index
            && !matches!(object, Val::Dict(_))
        {
            let places = self.powershell_items(index);
            let list: Vec<Val> =
                places.list.iter().map(|place| self.powershell_index(object, place)).collect();
            let rest = places.rest.map(|_| self.item_of(object));
            return self.heap.list(Items { list, rest });
        }
        match object {
            Val::Library(path) if &**path == "<environment>" => match index.as_known() {
                Some(name) => self.environment(&name),
                None => Val::unknown(),
            },
            Val::Library(path) if &**path == "<program>" => match index.as_known() {
                Some(name) => {
                    let program = self.scope.program();
                    let inner = std::mem::replace(&mut self.scope, program);
                    let value = self.lookup(&name.into());
                    self.scope = inner;
                    value
                }
                None => Val::unknown(),
            },
            Val::Library(path) if &**path == "<drive>" => match index.as_known() {
                Some(path) => match self.drive_value(&path) {
                    Some(value) => value,
                    None => self.read_file(&Value::known(path)),
                },
                None => Val::unknown(),
            },
            Val::None => Val::None,
            Val::Dict(_) => match index.as_known() {
                Some(name) => {
                    let found = self.powershell_attribute(object, &name.into());
                    match (&found, index) {
                        (Val::Method(_), Val::Int(place)) => self.entry_at(object, *place),
                        (Val::Method(_), _) => Val::None,
                        _ => found,
                    }
                }
                None => self.item_of(object),
            },
            Val::Text(text) => match (text.as_known(), index.as_int()) {
                (Some(known), Some(place)) => {
                    let chars: Vec<char> = known.chars().collect();
                    place_in(place, chars.len())
                        .and_then(|place| chars.get(place))
                        .map_or(Val::None, |c| Val::text(c.to_string()))
                }
                _ if text.has_unknown() => object.clone(),
                _ => Val::Text(part_of(text)),
            },
            Val::List(_) | Val::Tuple(_) | Val::Bytes(_) => {
                let items = self.powershell_items(object);
                match (index.as_int(), &items.rest) {
                    (Some(place), None) => place_in(place, items.list.len())
                        .and_then(|place| items.list.get(place).cloned())
                        .unwrap_or(Val::None),
                    (Some(place), Some(rest)) if place >= 0 => {
                        let place = usize::try_from(place).unwrap_or(usize::MAX);
                        items.list.get(place).cloned().unwrap_or_else(|| rest.clone())
                    }
                    _ => self.item_of(object),
                }
            }
            Val::Connection => Val::Connection,
            Val::Unknown(..) => object.clone(),
            Val::Int(_) | Val::Bool(_) => object.clone(),
            _ => Val::unknown(),
        }
    }

    /// A value of a map by a number that is no key of it.
    fn entry_at(&mut self, object: &Val, place: i64) -> Val {
        let Val::Dict(at) = object else { return Val::None };
        let entries = self.heap.entries(*at);
        entries
            .list
            .iter()
            .find(|(key, _)| *key == Val::Int(place))
            .map(|(_, value)| value.clone())
            .unwrap_or(Val::None)
    }

    /// Any item of a value.
    fn item_of(&mut self, object: &Val) -> Val {
        match object {
            Val::Dict(place) => {
                let entries = self.heap.entries(*place);
                let values = entries.list.iter().map(|(_, value)| value).chain(&entries.rest);
                values.cloned().reduce(|a, b| join(&a, &b)).unwrap_or(Val::None)
            }
            Val::Text(text) => Val::Text(part_of(text)),
            other => self.element(other),
        }
    }

    fn powershell_set_index(&mut self, object: &Val, index: &Val, value: Val) {
        let value = self.compact(value);
        match object {
            Val::Library(path) if &**path == "<environment>" => match index.as_known() {
                Some(name) => self.set_environment(&name, &value),
                None => self.open = true,
            },
            Val::Library(path) if &**path == "<program>" => {
                if let Some(name) = index.as_known() {
                    let program = self.scope.program();
                    self.bind_in(&program, &name.into(), value);
                }
            }
            Val::Library(path) if &**path == "<drive>" => {
                if let Some(path) = index.as_known()
                    && !self.set_drive_value(&path, value.clone())
                {
                    let content = self.content_lines(&value);
                    self.write_file(&Value::known(path), content, false);
                }
            }
            Val::Dict(place) => {
                let index = match index.as_known() {
                    Some(name) => {
                        let entries = self.heap.entries(*place);
                        let known = entries.list.iter().find(|(key, _)| {
                            key.as_known().is_some_and(|key| key.eq_ignore_ascii_case(&name))
                        });
                        known.map_or_else(|| index.clone(), |(key, _)| key.clone())
                    }
                    None => index.clone(),
                };
                self.heap.update_entries(*place, |entries| insert(entries, index, value));
            }
            Val::List(place) => self.set_item(*place, index.as_int(), value),
            Val::OneOf(values) => {
                for one in values.iter() {
                    self.maybe(|this| this.powershell_set_index(one, index, value.clone()));
                }
            }
            _ => {}
        }
    }
}

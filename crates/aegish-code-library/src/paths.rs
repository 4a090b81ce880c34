//! Paths.

use crate::ir::Name;
use crate::machine::Machine;
use crate::value::Val;
pub use aegish_code_effects::paths::{base_name, directory_name, join_paths};
use aegish_values::{Piece, Value};
use std::rc::Rc;

/// The home directory as a path.
pub fn home(value: &Val) -> Value {
    let value = value.to_text();
    if value.is_known() { value } else { Value::known("~") }
}

/// Paths.
pub trait PathAttributes: Machine {
    fn path_attribute(&mut self, path: &Value, name: &Name) -> Val {
        let known = path.as_known();
        let part = |text: Option<String>| match text {
            Some(text) => Val::text(text),
            None => Val::Text(Value::unknown("part of a path").tainted(path.taint())),
        };
        match &**name {
            "parent" => match known {
                Some(text) => Val::Path(Value::known(directory_name(text))),
                None => match path.pieces().last() {
                    // A name below a known directory.
                    Some(Piece::AnyString | Piece::Unknown(_))
                        if path.pieces().len() == 2 && path.known_prefix().ends_with('/') =>
                    {
                        Val::Path(Value::known(path.known_prefix().trim_end_matches('/')))
                    }
                    _ => Val::Path(path.clone()),
                },
            },
            "path" => Val::Text(path.clone()),
            // Any name below a directory.
            "name" if matches!(path.pieces().last(), Some(Piece::AnyString)) => {
                let mut name = Value::empty().tainted(path.taint());
                name.push(Piece::AnyString);
                Val::Text(name)
            }
            "name" => part(known.map(|text| base_name(text).to_owned())),
            "stem" => part(known.map(|text| {
                let name = base_name(text);
                name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned()
            })),
            "suffix" => part(known.map(|text| {
                base_name(text).rsplit_once('.').map_or(String::new(), |(_, end)| format!(".{end}"))
            })),
            "parts" | "parents" => {
                Val::Unknown(path.taint().clone(), crate::value::Forgotten::Data)
            }
            _ => Val::Method(Rc::new((Val::Path(path.clone()), name.clone()))),
        }
    }
}

impl<M: Machine> PathAttributes for M {}

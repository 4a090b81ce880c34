//! Paths.

use super::Interpreter;
use crate::ir::Name;
use crate::value::Val;
use aegish_values::{Piece, Value};
use std::rc::Rc;

/// Joins parts of a path; an absolute part replaces what is before it.
pub(super) fn join_paths(parts: &[Value]) -> Value {
    let mut all = Value::empty();
    for part in parts {
        if part.known_prefix().starts_with('/') {
            let taint = all.taint().clone();
            all = Value::empty().tainted(&taint);
        } else if !all.pieces().is_empty()
            && !part.pieces().is_empty()
            && !all.known_suffix().ends_with('/')
        {
            // A directory that may be empty is followed by a slash only if it is not.
            if let [Piece::OneOf(texts)] = all.pieces() {
                let texts: Vec<String> = texts
                    .iter()
                    .map(|text| {
                        if text.is_empty() || text.ends_with('/') {
                            text.clone()
                        } else {
                            format!("{text}/")
                        }
                    })
                    .collect();
                all = Value::one_of(texts).tainted(all.taint());
            } else {
                all.push_str("/");
            }
        }
        all.append(part);
    }
    all
}

/// The home directory as a path.
pub(super) fn home(value: &Val) -> Value {
    let value = value.to_text();
    if value.is_known() { value } else { Value::known("~") }
}

impl Interpreter<'_> {
    pub(super) fn path_attribute(&mut self, path: &Value, name: &Name) -> Val {
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

pub(super) fn base_name(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

pub(super) fn directory_name(path: &str) -> String {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/".to_owned(),
        Some((directory, _)) => directory.to_owned(),
        None if path.starts_with('/') => "/".to_owned(),
        None => ".".to_owned(),
    }
}

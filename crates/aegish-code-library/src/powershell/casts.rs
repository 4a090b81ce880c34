//! Values as another type.

use super::{PowerShellValues, number};
use crate::heap::Items;
use crate::machine::Machine;
use crate::value::{Val, join};

/// Values as another type.
pub trait PowerShellCasts: Machine {
    /// `[type]value`; none if the type is not one that changes values.
    fn powershell_cast(&mut self, of: &str, value: &Val) -> Option<Val> {
        let of = of.strip_prefix("system.").unwrap_or(of);
        if let Some(inner) = of.strip_suffix("[]") {
            let value = match (inner, value) {
                ("char", Val::Text(text)) => match text.as_known() {
                    Some(text) if text.len() <= crate::limits::MAX_ITEMS => {
                        let list = text.chars().map(|c| Val::text(c.to_string())).collect();
                        return Some(self.heap().list(Items { list, rest: None }));
                    }
                    _ => {
                        let rest = Some(Val::Text(crate::value::part_of(text)));
                        return Some(self.heap().list(Items { list: Vec::new(), rest }));
                    }
                },
                _ => value,
            };
            if matches!(value, Val::Bytes(_) | Val::Connection | Val::OneOf(_)) {
                return Some(value.clone());
            }
            let items = self.powershell_items(value);
            let one = |this: &mut Self, item: &Val| {
                this.powershell_cast(inner, item).unwrap_or_else(|| item.clone())
            };
            let list: Vec<Val> = items.list.iter().map(|item| one(self, item)).collect();
            let rest = items.rest.map(|item| one(self, &item));
            return Some(self.heap().list(Items { list, rest }));
        }
        if let Val::OneOf(values) = value {
            let values = values.clone();
            let mut all: Option<Val> = None;
            for value in values.iter() {
                let one = self.powershell_cast(of, value)?;
                all = Some(all.map_or(one.clone(), |all| join(&all, &one)));
            }
            return all;
        }
        Some(match of {
            "char" => match value {
                Val::Int(code) => crate::numbers::character(*code)
                    .map_or_else(Val::unknown, |c| Val::text(c.to_string())),
                Val::Text(text) => match text.as_known() {
                    Some(known) if known.chars().count() == 1 => value.clone(),
                    Some(known) => known
                        .trim()
                        .parse()
                        .ok()
                        .and_then(crate::numbers::character)
                        .map_or_else(Val::unknown, |c| Val::text(c.to_string())),
                    None => Val::Text(crate::value::part_of(text)),
                },
                other => other.forget(),
            },
            "string" => Val::Text(self.powershell_text(value)),
            "int" | "int16" | "int32" | "int64" | "long" | "short" | "byte" | "sbyte" | "uint"
            | "uint16" | "uint32" | "uint64" | "ushort" | "ulong" | "bigint" => whole(value),
            "double" | "float" | "decimal" | "single" => match value {
                Val::Int(_) => value.clone(),
                other => number(other).map_or_else(|| other.forget(), Val::Int),
            },
            "bool" | "boolean" => self.truth(value).map_or_else(Val::unknown, Val::Bool),
            "array" => {
                let items = self.powershell_items(value);
                self.heap().list(items)
            }
            "void" => Val::None,
            // The call that gets it may change the variable.
            "ref" => Val::tainted(self.taint_of(value)),
            "type" => match value.as_known() {
                Some(name) => Val::Library(format!("[{}]", name.to_lowercase()).into()),
                None => value.forget(),
            },
            _ => return None,
        })
    }
}

impl<M: Machine> PowerShellCasts for M {}

/// A value as a whole number. One character is its code, if it is no text.
fn whole(value: &Val) -> Val {
    match value {
        Val::Int(_) => value.clone(),
        Val::Text(text) => {
            let Some(known) = text.as_known() else { return value.forget() };
            let mut chars = known.chars();
            let code = match (chars.next(), chars.next()) {
                (Some(c), None) => Some(Val::Int(i64::from(u32::from(c)))),
                _ => None,
            };
            match (number(value).map(Val::Int), code) {
                (Some(number), Some(code)) => join(&number, &code),
                (Some(one), None) | (None, Some(one)) => one,
                (None, None) => Val::unknown(),
            }
        }
        other => number(other).map_or_else(|| other.forget(), Val::Int),
    }
}

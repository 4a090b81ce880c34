//! Functions of the library `string` on known texts.

use crate::decode;
use crate::format::Formatting;
use crate::heap::Items;
use crate::javascript::patterns::ScriptPatterns;
use crate::machine::Machine;
use crate::value::{Args, LOST, Val, join, part_of};
use aegish_code_effects::lua_pattern::regular;
use aegish_values::{Piece, Value};
use std::rc::Rc;

/// Most texts that a text is one of and that a function is applied to each of.
const READINGS: usize = 16;

/// Functions of the library `string` on known texts.
pub trait LuaStrings: Machine {
    fn string_function(&mut self, name: &str, args: &Args) -> Option<Val> {
        if name == "char" {
            let text: Option<Vec<u8>> =
                args.list.iter().map(|code| u8::try_from(code.as_int()?).ok()).collect();
            return Some(match (text, &args.rest) {
                (Some(bytes), None) => Val::bytes(bytes),
                _ => Val::Text(Value::unknown("computed")),
            });
        }
        let object = args.get(0)?.clone();
        let text = self.text_of(&object);
        if name == "format" {
            let values =
                Val::Tuple(args.list.iter().skip(1).cloned().chain(args.rest.clone()).collect());
            return Some(Val::Text(self.percent_format(&text, &values)));
        }
        if name == "gsub"
            && let Some(function) =
                args.list.get(2).filter(|value| self.is_function(value) || value.is_callable())
        {
            return Some(self.replaced_by_function(&text, &function.clone()));
        }
        let outside = args.list.iter().skip(1).any(|value| value.to_text().has_unknown());
        let lost = || match name {
            "len" | "find" | "byte" => Val::unknown(),
            "gmatch" => Val::Text(part_of(&text)),
            // A part of it, or the same with another case.
            "sub" | "match" | "upper" | "lower" | "reverse" => Val::Text(part_of(&text)),
            _ if text.is_known() && !outside => Val::Text(Value::unknown(LOST)),
            "gsub" => {
                let mut made = Value::unknown("computed").tainted(text.taint());
                if let Some(to) = args.list.get(2) {
                    made = aegish_values::join_values(&made, &to.to_text());
                }
                Val::Text(made)
            }
            _ => Val::Text(text.clone()),
        };
        let Some(readings) = text.readings(READINGS) else {
            if name == "gsub"
                && let (Some(from), Some(to)) =
                    (args.list.get(1).and_then(Val::as_known), args.list.get(2))
                && !from.contains(|c: char| "%.[]*+-?^$()".contains(c))
            {
                return Some(Val::Text(text.replace(&from, &to.to_text())));
            }
            return Some(lost());
        };
        let mut result: Option<Val> = None;
        for reading in readings {
            self.burn(reading.len() / 32);
            let one = self.known_string_function(&reading, name, args).unwrap_or_else(lost);
            result = Some(result.map_or(one.clone(), |known| join(&known, &one)));
        }
        Some(match result? {
            Val::Text(value) => Val::Text(value.tainted(text.taint())),
            other => other,
        })
    }

    fn known_string_function(&mut self, text: &str, name: &str, args: &Args) -> Option<Val> {
        let arg = |place: usize| args.list.get(place).and_then(Val::as_known);
        let int = |place: usize, default: i64| match args.list.get(place) {
            None | Some(Val::None) => Some(default),
            Some(value) => value.as_int(),
        };
        let bytes = text.as_bytes();
        let length = i64::try_from(bytes.len()).ok()?;
        let slice = |from: i64, to: i64| {
            let place = |at: i64| if at < 0 { length + at + 1 } else { at };
            let (from, to) = (place(from).max(1), place(to).min(length));
            let from = usize::try_from(from - 1).ok()?;
            let to = usize::try_from(to).ok()?;
            Some(bytes.get(from..to).unwrap_or(&[]).to_vec())
        };
        Some(match name {
            "upper" => Val::text(text.to_uppercase()),
            "lower" => Val::text(text.to_lowercase()),
            "reverse" => Val::bytes(bytes.iter().rev().copied().collect()),
            "len" => Val::Int(length),
            "rep" => {
                let count = usize::try_from(int(1, 0)?.max(0)).ok()?;
                let separator = match args.list.get(2) {
                    Some(separator) => separator.as_known()?,
                    None => String::new(),
                };
                if text.len().saturating_add(separator.len()).saturating_mul(count) > decode::LIMIT
                {
                    return None;
                }
                Val::text(vec![text; count].join(&separator))
            }
            "sub" => Val::bytes(slice(int(1, 1)?, int(2, -1)?)?),
            "byte" => {
                let from = int(1, 1)?;
                let codes: Vec<Val> = slice(from, int(2, from)?)?
                    .into_iter()
                    .map(|byte| Val::Int(i64::from(byte)))
                    .collect();
                match codes.as_slice() {
                    [one] => one.clone(),
                    _ => Val::Tuple(codes.into()),
                }
            }
            "gsub" => {
                let to = arg(2)?;
                let pattern = (
                    Rc::from(regular(&arg(1)?)?),
                    Rc::from(if args.list.get(3).is_some() { return None } else { "gs" }),
                );
                let to = to.replace('$', "$$").replace("%%", "\u{1}").replace("%0", "$&");
                let to = (1..10).fold(to, |to, n| to.replace(&format!("%{n}"), &format!("${n}")));
                let to = to.replace('\u{1}', "%");
                self.matched(
                    text,
                    "replace",
                    &pattern,
                    &Args::of(vec![Val::unknown(), Val::text(to)]),
                )?
            }
            "match" | "gmatch" => {
                let pattern = (
                    Rc::from(regular(&arg(1)?)?),
                    Rc::from(if name == "gmatch" { "gs" } else { "s" }),
                );
                let groups = arg(1)?.contains('(');
                if name == "gmatch" && groups {
                    return None;
                }
                let found = self.matched(text, "match", &pattern, &Args::default())?;
                match (name, &found) {
                    (_, Val::None) => Val::None,
                    ("match", list) => {
                        let mut items = self.iterate(&list.clone()).list;
                        if groups {
                            items.remove(0);
                        }
                        match items.as_slice() {
                            [one] => one.clone(),
                            _ => Val::Tuple(items.into()),
                        }
                    }
                    (_, list) => {
                        // Handed out one by one.
                        let items: Items = self.iterate(&list.clone());
                        let texts: Option<Vec<String>> =
                            items.list.iter().map(Val::as_known).collect();
                        Val::text(texts?.join("\n"))
                    }
                }
            }
            _ => return None,
        })
    }

    /// `gsub` with a function, which sees what matched.
    fn replaced_by_function(&mut self, text: &Value, function: &Val) -> Val {
        let part = Val::Text(part_of(text));
        let function = function.clone();
        let whole = Args::of(vec![Val::Text(text.clone())]);
        let mut given = Some(self.maybe(|this| this.call(&function, whole)));
        self.repeated(&mut |this| {
            let value = this.call(
                &function,
                Args { list: vec![part.clone()], rest: Some(part.clone()), named: Vec::new() },
            );
            given = Some(given.take().map_or(value.clone(), |known| join(&known, &value)));
        });
        let given = given.unwrap_or_else(Val::unknown).to_text();
        let mut made = Value::empty();
        made.push(Piece::Unknown(LOST));
        join(&Val::Text(made.tainted(text.taint()).tainted(given.taint())), &Val::Text(given))
    }
}

impl<M: Machine> LuaStrings for M {}

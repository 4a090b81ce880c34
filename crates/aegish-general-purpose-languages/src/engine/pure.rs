//! Pure functions over known values. A result that cannot be computed is unknown and keeps its sources.

use super::call_effect::Pure;
use super::decode;
use super::interpreter::Interpreter;
use super::object::{Args, Object};
use super::texts::{chars, derived, join, split};
use aegish_profiles::Lang;
use aegish_values::Value;

impl Interpreter<'_> {
    pub(super) fn pure(&mut self, what: Pure, args: Args) -> Object {
        // Content of open files and connections counts as text here.
        let list: Vec<Object> = args
            .list
            .into_iter()
            .map(|item| match item {
                Object::File(index) => self.file_content(index),
                Object::Conn if matches!(what, Pure::Trim | Pure::Split | Pure::Lower) => {
                    self.received()
                }
                other => other,
            })
            .collect();
        self.burn(
            list.iter()
                .map(
                    |item| if let Object::Text(v) = item { v.known_prefix().len() / 16 } else { 1 },
                )
                .sum(),
        );
        let text = |n: usize| list.get(n).and_then(Object::as_known);
        let result = match what {
            Pure::Base64 => {
                self.text_or_bytes(&list).and_then(|t| decode::base64(&t)).map(Object::bytes)
            }
            Pure::Hex => self.text_or_bytes(&list).and_then(|t| decode::hex(&t)).map(Object::bytes),
            Pure::Chars => chars(&list),
            Pure::Reverse => match list.first() {
                Some(Object::List(items)) => {
                    Some(Object::List(items.iter().rev().cloned().collect()))
                }
                Some(Object::Text(value)) => {
                    value.as_known().map(|t| Object::known(t.chars().rev().collect::<String>()))
                }
                _ => None,
            },
            Pure::Join => return join(&list),
            Pure::Split => split(&list),
            Pure::Lower => text(0).map(|t| Object::known(t.to_lowercase())),
            Pure::Upper => text(0).map(|t| Object::known(t.to_uppercase())),
            Pure::Trim => match list.first() {
                Some(Object::Text(value)) if value.has_unknown() => {
                    return list.into_iter().next().unwrap_or(Object::Other);
                }
                _ => match (text(0), text(1)) {
                    (Some(t), Some(set)) => {
                        Some(Object::known(t.trim_matches(|c| set.contains(c))))
                    }
                    (Some(t), None) => Some(Object::known(t.trim())),
                    _ => None,
                },
            },
            Pure::Replace => match (text(0), text(1), text(2)) {
                (Some(t), Some(from), Some(to))
                    if !from.is_empty() && t.len().saturating_mul(to.len() + 1) < decode::LIMIT =>
                {
                    Some(Object::known(t.replace(&from, &to)))
                }
                _ => None,
            },
            Pure::Repeat => match (text(0), list.get(1).and_then(Object::as_num)) {
                (Some(t), Some(n)) => {
                    let n = usize::try_from(n).unwrap_or(0);
                    (t.len().saturating_mul(n) < decode::LIMIT).then(|| Object::known(t.repeat(n)))
                }
                _ => None,
            },
            Pure::Concat | Pure::Paste => {
                let sep = if what == Pure::Paste {
                    args.named
                        .iter()
                        .find(|(n, _)| n == "sep")
                        .map_or(Some(" ".to_owned()), |(_, v)| v.as_known())
                } else {
                    Some(String::new())
                };
                let sep = sep.unwrap_or_default();
                let mut all = Object::known("");
                for (index, item) in list.iter().enumerate() {
                    if index > 0 {
                        all = all.join(&Object::known(sep.clone()));
                    }
                    all = all.join(item);
                }
                Some(all)
            }
            Pure::PathJoin => {
                let mut all = Value::empty();
                for (index, item) in list.iter().enumerate() {
                    let part = item.text();
                    if part.known_prefix().starts_with('/') {
                        all = Value::empty();
                    } else if index > 0 && !all.known_suffix().ends_with('/') {
                        all.push_str("/");
                    }
                    all.append(&part);
                }
                Some(Object::Text(all))
            }
            Pure::Format => {
                let percent = matches!(
                    self.dialect.lang,
                    Lang::Go | Lang::R | Lang::Java | Lang::Groovy | Lang::Octave
                );
                let mut values: Vec<Object> = list.get(1..).unwrap_or(&[]).to_vec();
                if let [Object::List(inner)] = values.as_slice() {
                    values = inner.clone();
                }
                if !args.named.is_empty() {
                    values.push(Object::Dict(args.named));
                }
                let format = list.first().cloned().unwrap_or(Object::Other);
                Some(self.format(&format, &values, percent))
            }
            Pure::Int => match list.first() {
                Some(number @ Object::Num(_)) => Some(number.clone()),
                Some(other) => match (other.as_known(), list.get(1).and_then(Object::as_num)) {
                    (Some(t), Some(base)) => {
                        let base =
                            u32::try_from(base).ok().filter(|b| (2..=36).contains(b)).unwrap_or(10);
                        i64::from_str_radix(
                            t.trim().trim_start_matches("0x").trim_start_matches("0o"),
                            base,
                        )
                        .ok()
                        .map(Object::Num)
                    }
                    (Some(t), None) => t.trim().parse().ok().map(Object::Num),
                    _ => return other.clone(),
                },
                None => None,
            },
            Pure::Expand => list.first().cloned(),
            Pure::Items => Some(Object::List(list.clone())),
        };
        result.unwrap_or_else(|| derived(&list))
    }

    /// The text of the first argument; bytes count where they are ASCII.
    pub(super) fn text_or_bytes(&self, list: &[Object]) -> Option<String> {
        match list.first()? {
            Object::Name(_) => list.get(1).and_then(Object::as_known),
            Object::Bytes(bytes) => String::from_utf8(bytes.clone()).ok(),
            other => other.as_known(),
        }
    }
}

//! JSON: known values as text, and known text as values.

use crate::decode;
use crate::machine::Machine;
use crate::value::{Val, part_of};
use aegish_values::Value;

/// JSON: known values as text, and known text as values.
pub trait ScriptJson: Machine {
    fn json_text(&mut self, value: &Val) -> Val {
        let taint = self.taint_of(value);
        let mut text = String::new();
        Val::Text(match (value, self.write_json(value, &mut text, 0)) {
            (_, Some(())) => Value::known(text).tainted(&taint),
            (Val::Text(known), None) => known.clone(),
            (_, None) => Value::unknown("JSON").tainted(&taint),
        })
    }

    /// Writes a known value as JSON; none if a part of it is not known.
    fn write_json(&mut self, value: &Val, out: &mut String, depth: u32) -> Option<()> {
        if depth > 8 || out.len() > decode::LIMIT {
            return None;
        }
        match value {
            Val::Text(text) => {
                out.push('"');
                for c in text.as_known()?.chars() {
                    match c {
                        '"' | '\\' => out.extend(['\\', c]),
                        '\n' => out.push_str("\\n"),
                        c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
                        c => out.push(c),
                    }
                }
                out.push('"');
            }
            Val::Int(_) | Val::Bool(_) => out.push_str(self.text_of(value).as_known()?),
            Val::List(_) | Val::Tuple(_) => {
                let items = self.iterate(value);
                items.rest.is_none().then_some(())?;
                out.push('[');
                for (place, item) in items.list.iter().enumerate() {
                    if place > 0 {
                        out.push(',');
                    }
                    self.write_json(item, out, depth + 1)?;
                }
                out.push(']');
            }
            Val::Dict(_) => {
                let items = self.iterate(value);
                items.rest.is_none().then_some(())?;
                out.push('{');
                for (place, item) in items.list.iter().enumerate() {
                    let Val::Tuple(pair) = item else { return None };
                    let [key, value] = &**pair else { return None };
                    if place > 0 {
                        out.push(',');
                    }
                    self.write_json(key, out, depth + 1)?;
                    out.push(':');
                    self.write_json(value, out, depth + 1)?;
                }
                out.push('}');
            }
            _ => return None,
        }
        Some(())
    }

    fn json_value(&mut self, value: &Val) -> Val {
        let text = match value {
            Val::File(index) => self.file_content(*index).to_text(),
            other => self.text_of(other),
        };
        match text.as_known().map(str::to_owned).and_then(|known| self.literal(&known)) {
            Some(value) => value,
            None => Val::Text(part_of(&text)),
        }
    }
}

impl<M: Machine> ScriptJson for M {}

//! `-f` and `[string]::Format`.

use super::PowerShellValues;
use crate::heap::Items;
use crate::machine::Machine;
use crate::value::{LOST, Val};
use aegish_values::{Piece, Value};

/// Texts made of a format.
pub trait PowerShellFormats: Machine {
    /// A format with the values that it names by their places.
    fn formatted_places(&mut self, format: &Val, items: &Items) -> Value {
        let format = self.powershell_text(format);
        let Some(known) = format.as_known().map(str::to_owned) else {
            let mut all = format;
            for item in items.list.iter().chain(&items.rest) {
                all.append(&self.powershell_text(item));
            }
            return crate::value::part_of(&all);
        };
        let mut out = Value::empty().tainted(format.taint());
        let mut rest = known.as_str();
        while let Some(at) = rest.find(['{', '}']) {
            out.push_str(rest.get(..at).unwrap_or(""));
            let sign = rest.get(at..).unwrap_or("");
            if sign.starts_with("{{") || sign.starts_with("}}") {
                out.push_str(sign.get(..1).unwrap_or(""));
                rest = sign.get(2..).unwrap_or("");
                continue;
            }
            let Some(end) = sign.find('}').filter(|_| sign.starts_with('{')) else {
                out.push(Piece::Unknown(LOST));
                return out;
            };
            let part = self.format_part(sign.get(1..end).unwrap_or(""), items);
            out.append(&part);
            rest = sign.get(end + 1..).unwrap_or("");
        }
        out.push_str(rest);
        out
    }

    /// One `place,width:kind`.
    fn format_part(&mut self, part: &str, items: &Items) -> Value {
        let (place, kind) = part.split_once(':').unwrap_or((part, ""));
        let (place, width) = place.split_once(',').unwrap_or((place, ""));
        let Ok(place) = place.trim().parse::<usize>() else { return Value::unknown(LOST) };
        let value = match items.list.get(place).or(items.rest.as_ref()) {
            Some(value) => value.clone(),
            None => return Value::unknown(LOST),
        };
        let text = if kind.is_empty() {
            self.powershell_text(&value)
        } else {
            match special(&value, kind) {
                Some(text) => Value::known(text),
                None => crate::value::part_of(&self.powershell_text(&value)),
            }
        };
        match (width.trim().parse::<i64>(), text.as_known()) {
            (Ok(width), Some(known)) if !(-200..=200).contains(&width) || width != 0 => {
                let size = usize::try_from(width.abs()).unwrap_or(0).min(1000);
                let padded =
                    if width < 0 { format!("{known:<size$}") } else { format!("{known:>size$}") };
                Value::known(padded).tainted(text.taint())
            }
            (Err(_), _) if !width.trim().is_empty() => Value::unknown(LOST),
            _ => text,
        }
    }

    fn powershell_format(&mut self, format: &Val, items: &Items) -> Value {
        self.formatted_places(format, items)
    }
}

impl<M: Machine> PowerShellFormats for M {}

/// A number in another form: `x2`, `d3`.
fn special(value: &Val, kind: &str) -> Option<String> {
    let number = value.as_int()?;
    let mut chars = kind.chars();
    let letter = chars.next()?;
    let width: usize = match chars.as_str() {
        "" => 0,
        digits => digits.parse().ok().filter(|width| *width < 100)?,
    };
    match letter {
        'x' if number >= 0 => Some(format!("{number:0width$x}")),
        'X' if number >= 0 => Some(format!("{number:0width$X}")),
        'd' | 'D' if number >= 0 => Some(format!("{number:0width$}")),
        _ => None,
    }
}

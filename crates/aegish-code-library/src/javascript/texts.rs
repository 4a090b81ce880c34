//! Methods of texts, numbers and bytes.

use crate::decode;
use crate::heap::Items;
use crate::javascript::arrays::ScriptArrays;
use crate::javascript::patterns::ScriptPatterns;
use crate::machine::Machine;
use crate::value::{Args, LOST, Val, join, part_of};
use aegish_values::Value;

/// Most texts that a text is one of and that a method is applied to each of.
const READINGS: usize = 16;

/// Whether a text has this method.
pub fn is_method(name: &str) -> bool {
    matches!(
        name,
        "at" | "charAt"
            | "charCodeAt"
            | "codePointAt"
            | "concat"
            | "endsWith"
            | "includes"
            | "indexOf"
            | "lastIndexOf"
            | "localeCompare"
            | "match"
            | "matchAll"
            | "normalize"
            | "padEnd"
            | "padStart"
            | "repeat"
            | "replace"
            | "replaceAll"
            | "search"
            | "slice"
            | "split"
            | "startsWith"
            | "substr"
            | "substring"
            | "toLocaleLowerCase"
            | "toLocaleUpperCase"
            | "toLowerCase"
            | "toString"
            | "toUpperCase"
            | "trim"
            | "trimEnd"
            | "trimLeft"
            | "trimRight"
            | "trimStart"
            | "valueOf"
            | "on"
            | "once"
            | "pipe"
            | "write"
            | "end"
            | "then"
            | "catch"
            | "finally"
            | "forEach"
            | "map"
            | "filter"
            | "addListener"
            | "addEventListener"
    )
}

/// Methods of texts, numbers and bytes.
pub trait ScriptTexts: Machine {
    /// Appends a text to a text; one that grows too long is not kept.
    fn concatenated(&mut self, mut text: Value, more: &Value) -> Val {
        if text.known_prefix().len() + more.known_prefix().len() > decode::LIMIT {
            let start = Value::known(text.known_prefix().get(..64).unwrap_or(""));
            let taint = text.taint().clone();
            text = start.tainted(&taint).tainted(more.taint());
            text.push(aegish_values::Piece::Unknown("very long text"));
            return Val::Text(text);
        }
        text.append(more);
        Val::Text(text)
    }

    /// The character at a place.
    fn character(&mut self, text: &Value, place: i64) -> Val {
        let Some(readings) = text.readings(READINGS) else {
            return Val::Text(part_of(text));
        };
        readings
            .iter()
            .map(|known| {
                let at = usize::try_from(place).ok();
                match at.and_then(|at| known.chars().nth(at)) {
                    Some(c) => Val::text(c.to_string()),
                    None => Val::None,
                }
            })
            .reduce(|a, b| join(&a, &b))
            .unwrap_or(Val::None)
    }

    fn script_text_method(&mut self, text: &Value, name: &str, args: &Args) -> Val {
        self.burn(text.known_prefix().len() / 64);
        let Some(readings) = text.readings(READINGS) else {
            return self.unknown_script_text_method(text, name, args);
        };
        let mut result: Option<Val> = None;
        for reading in readings {
            let one = self.known_script_text_method(&reading, name, args).unwrap_or_else(|| {
                let outside = args.values().any(|value| value.to_text().has_unknown());
                let why = if outside { "computed" } else { LOST };
                Val::Text(Value::unknown(why))
            });
            result = Some(result.map_or(one.clone(), |known| join(&known, &one)));
        }
        match result.unwrap_or_else(Val::unknown) {
            Val::Text(value) => Val::Text(value.tainted(text.taint())),
            other => other,
        }
    }

    fn unknown_script_text_method(&mut self, text: &Value, name: &str, args: &Args) -> Val {
        match name {
            "trim" | "trimEnd" | "trimStart" | "trimLeft" | "trimRight" | "toString"
            | "valueOf" | "normalize" => Val::Text(text.clone()),
            "concat" => {
                let mut text = text.clone();
                for more in &args.list {
                    let more = self.text_of(more);
                    text.append(&more);
                }
                Val::Text(text)
            }
            "replace" | "replaceAll" => {
                self.run_callbacks(args, None);
                let (from, to) =
                    (args.get(0).and_then(Val::as_known), args.get(1).map(Val::to_text));
                match (from, to) {
                    (Some(from), Some(to)) if !from.is_empty() => {
                        Val::Text(text.replace(&from, &to))
                    }
                    _ => Val::Text(part_of(text)),
                }
            }
            "split" | "match" | "matchAll" => {
                let part = Val::Text(part_of(text));
                self.heap().list(Items { list: Vec::new(), rest: Some(part) })
            }
            "startsWith" | "endsWith" | "includes" | "indexOf" | "lastIndexOf" | "search"
            | "charCodeAt" | "codePointAt" | "localeCompare" => Val::unknown(),
            "slice" | "substring" | "substr" | "charAt" | "at" | "padStart" | "padEnd"
            | "repeat" | "toLowerCase" | "toUpperCase" | "toLocaleLowerCase"
            | "toLocaleUpperCase" => Val::Text(part_of(text)),
            // Methods of a list that is not known: rows of a response.
            "map" | "filter" | "flatMap" | "forEach" | "reduce" | "some" | "every" | "find" => {
                let part = Val::Text(part_of(text));
                let list = self.heap().list(Items { list: Vec::new(), rest: Some(part) });
                self.array_method(&list, name, args)
            }
            // A method of a response: its content.
            _ => {
                self.run_callbacks(args, None);
                Val::Text(text.clone())
            }
        }
    }

    #[allow(clippy::too_many_lines)] // a table
    fn known_script_text_method(&mut self, text: &str, name: &str, args: &Args) -> Option<Val> {
        if let Some(value) = self.pattern_method(text, name, args) {
            return value;
        }
        let known = |this: &mut Self, place: usize| -> Option<String> {
            let value = args.get(place)?.clone();
            match value {
                Val::Unknown(..) | Val::OneOf(_) => None,
                other => this.text_of(&other).as_known().map(str::to_owned),
            }
        };
        let number = |place: usize| args.get(place).and_then(Val::as_int);
        let chars = || text.chars();
        let length = i64::try_from(text.chars().count()).ok()?;
        let cut = |from: i64, to: i64| -> Option<Val> {
            let (from, to) = (usize::try_from(from.max(0)).ok()?, usize::try_from(to.max(0)).ok()?);
            Some(Val::text(chars().skip(from).take(to.saturating_sub(from)).collect::<String>()))
        };
        Some(match name {
            "toString" | "valueOf" | "normalize" | "toWellFormed" => {
                match known(self, 0).as_deref() {
                    Some("hex" | "base64" | "base64url") => {
                        return Some(self.byte_text(&Val::text(text), args));
                    }
                    _ => Val::text(text),
                }
            }
            "toLowerCase" | "toLocaleLowerCase" => Val::text(text.to_lowercase()),
            "toUpperCase" | "toLocaleUpperCase" => Val::text(text.to_uppercase()),
            "trim" => Val::text(text.trim()),
            "trimStart" | "trimLeft" => Val::text(text.trim_start()),
            "trimEnd" | "trimRight" => Val::text(text.trim_end()),
            "charAt" => match self.character(&Value::known(text), number(0).unwrap_or(0)) {
                Val::None => Val::text(""),
                other => other,
            },
            "at" => {
                let at = number(0)?;
                self.character(&Value::known(text), if at < 0 { at + length } else { at })
            }
            "charCodeAt" | "codePointAt" => {
                let at = usize::try_from(number(0).unwrap_or(0)).ok()?;
                match chars().nth(at) {
                    Some(c) => Val::Int(i64::from(u32::from(c))),
                    None => Val::unknown(),
                }
            }
            "slice" => {
                if args.list.iter().any(|value| *value != Val::None && value.as_int().is_none()) {
                    return None;
                }
                let clamp = |at: i64| if at < 0 { (at + length).max(0) } else { at.min(length) };
                return cut(clamp(number(0).unwrap_or(0)), clamp(number(1).unwrap_or(length)));
            }
            "substring" => {
                if args.list.iter().any(|value| *value != Val::None && value.as_int().is_none()) {
                    return None;
                }
                let (a, b) = (number(0).unwrap_or(0).clamp(0, length), number(1).unwrap_or(length));
                let b = b.clamp(0, length);
                return cut(a.min(b), a.max(b));
            }
            "substr" => {
                let start = number(0)?;
                let start = if start < 0 { (start + length).max(0) } else { start };
                return cut(start, start.saturating_add(number(1).unwrap_or(length)));
            }
            "concat" => {
                let mut all = Value::known(text);
                for more in &args.list {
                    let more = self.text_of(more);
                    all.append(&more);
                }
                Val::Text(all)
            }
            "repeat" => {
                let count = usize::try_from(number(0)?).ok()?;
                if text.len().saturating_mul(count) > decode::LIMIT {
                    return None;
                }
                Val::text(text.repeat(count))
            }
            "padStart" | "padEnd" => {
                let width = usize::try_from(number(0)?).ok()?.min(decode::LIMIT);
                let fill = if args.get(1).is_some() { known(self, 1)? } else { " ".to_owned() };
                let missing = width.saturating_sub(text.chars().count());
                let pad: String = fill.chars().cycle().take(missing).collect();
                Val::text(if name == "padStart" { pad + text } else { text.to_owned() + &pad })
            }
            "split" => match args.get(0) {
                None | Some(Val::None) => self.new_list(vec![Val::text(text)]),
                Some(_) => {
                    let separator = known(self, 0)?;
                    let most =
                        number(1).and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
                    let parts: Vec<Val> = if separator.is_empty() {
                        chars().take(most).map(|c| Val::text(c.to_string())).collect()
                    } else {
                        text.split(separator.as_str()).take(most).map(Val::text).collect()
                    };
                    self.new_list(parts)
                }
            },
            "replace" | "replaceAll" => {
                let from = known(self, 0)?;
                let to = match args.get(1)? {
                    function @ (Val::Function(_) | Val::Bound(_) | Val::Partial(_)) => {
                        let function = function.clone();
                        let list = vec![Val::text(from.as_str()), Val::unknown(), Val::text(text)];
                        let made = self.call(&function, Args::of(list));
                        self.text_of(&made)
                    }
                    other => self.text_of(&other.clone()),
                };
                let to = to.as_known()?;
                if text.len().saturating_mul(to.len() + 1) > decode::LIMIT {
                    return None;
                }
                Val::text(if name == "replace" {
                    text.replacen(&from, to, 1)
                } else {
                    text.replace(&from, to)
                })
            }
            "startsWith" if number(1).is_none() => Val::Bool(text.starts_with(&known(self, 0)?)),
            "endsWith" if number(1).is_none() => Val::Bool(text.ends_with(&known(self, 0)?)),
            "includes" if number(1).is_none() => Val::Bool(text.contains(&known(self, 0)?)),
            "indexOf" | "lastIndexOf" => {
                if number(1).is_some() {
                    return Some(Val::unknown());
                }
                let what = known(self, 0)?;
                let at = if name == "indexOf" { text.find(&what) } else { text.rfind(&what) };
                let at = at.and_then(|at| text.get(..at)).map(|before| before.chars().count());
                Val::Int(at.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1))
            }
            // Methods of bytes that are text.
            "subarray" => return Some(self.script_slice(&Val::text(text), args)),
            "map" | "forEach" | "reduce" | "filter" | "values" | "entries" | "join" | "reverse"
            | "sort" | "fill" => {
                let list = text.bytes().map(|byte| Val::Int(i64::from(byte))).collect();
                let list = self.new_list(list);
                return Some(self.array_method(&list, name, args));
            }
            _ => {
                self.run_callbacks(args, None);
                return None;
            }
        })
    }

    /// Bytes as a text: `buffer.toString(encoding)`.
    fn byte_text(&mut self, object: &Val, args: &Args) -> Val {
        let bytes: Vec<u8> = match object {
            Val::Bytes(bytes) => bytes.to_vec(),
            Val::Text(text) => match text.as_known() {
                Some(text) => text.as_bytes().to_vec(),
                None => return object.clone(),
            },
            _ => return object.clone(),
        };
        let coding = args.get(0).and_then(Val::as_known).unwrap_or_default();
        Val::text(match coding.to_ascii_lowercase().as_str() {
            "hex" => bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>(),
            "base64" => data_encoding::BASE64.encode(&bytes),
            "base64url" => data_encoding::BASE64URL_NOPAD.encode(&bytes),
            "latin1" | "binary" => bytes.iter().map(|byte| char::from(*byte)).collect(),
            "utf16le" | "ucs2" | "ucs-2" | "utf-16le" => {
                let units: Vec<u16> = bytes
                    .chunks(2)
                    .map(|pair| {
                        let byte = |at: usize| pair.get(at).copied().unwrap_or(0);
                        u16::from_le_bytes([byte(0), byte(1)])
                    })
                    .collect();
                String::from_utf16_lossy(&units)
            }
            _ => String::from_utf8_lossy(&bytes).into_owned(),
        })
    }

    /// Text in an encoding as bytes: `Buffer.from(text, encoding)`.
    fn text_bytes(&mut self, value: &Val, coding: Option<&Val>) -> Val {
        match value {
            Val::List(_) | Val::Tuple(_) => {
                let items = self.iterate(value);
                return crate::numbers::bytes_of(&items)
                    .map_or_else(|| Val::tainted(self.taint_of(value)), Val::bytes);
            }
            Val::OneOf(_) => {
                let coding = coding.cloned();
                return self.each(value, |this, one| this.text_bytes(one, coding.as_ref()));
            }
            Val::Int(_) => return Val::unknown(),
            _ => {}
        }
        let text = self.text_of(value);
        let coding = match coding {
            None | Some(Val::Int(_) | Val::None) => String::new(),
            Some(coding) => match coding.as_known() {
                Some(coding) => coding.to_ascii_lowercase(),
                None => return Val::Text(part_of(&text)),
            },
        };
        let Some(readings) = text.readings(READINGS) else { return Val::Text(text) };
        let decoded = |known: &str| match coding.as_str() {
            "hex" => decode::hex(known).map(Val::bytes),
            "base64" | "base64url" => decode::base64(known).map(Val::bytes),
            "latin1" | "binary" => known
                .chars()
                .map(|c| u8::try_from(u32::from(c) & 0xff).ok())
                .collect::<Option<Vec<u8>>>()
                .map(Val::bytes),
            "utf16le" | "ucs2" | "ucs-2" | "utf-16le" => {
                Some(Val::bytes(known.encode_utf16().flat_map(u16::to_le_bytes).collect()))
            }
            _ => Some(Val::text(known)),
        };
        let made = readings
            .iter()
            .map(|known| decoded(known).unwrap_or_else(|| Val::Text(Value::unknown(LOST))))
            .reduce(|a, b| join(&a, &b))
            .unwrap_or_else(Val::unknown);
        match made {
            Val::Text(value) => Val::Text(value.tainted(text.taint())),
            other => other,
        }
    }

    fn number_method(&mut self, number: i64, name: &str, args: &Args) -> Val {
        match name {
            "toString" | "toLocaleString" => {
                let base = args.get(0).and_then(Val::as_int).unwrap_or(10);
                in_base(number, base).map_or_else(Val::unknown, Val::text)
            }
            "valueOf" => Val::Int(number),
            _ => Val::unknown(),
        }
    }
}

impl<M: Machine> ScriptTexts for M {}

/// A number with the digits of a base.
fn in_base(number: i64, base: i64) -> Option<String> {
    let base = u64::try_from(base).ok().filter(|base| (2..=36).contains(base))?;
    let mut rest = number.unsigned_abs();
    let mut digits = Vec::new();
    loop {
        let digit = u32::try_from(rest % base).ok()?;
        digits.push(char::from_digit(digit, 36)?);
        rest /= base;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        digits.push('-');
    }
    Some(digits.into_iter().rev().collect())
}

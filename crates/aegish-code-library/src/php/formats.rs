//! Texts made by a format.

use super::PhpValues;
use crate::machine::Machine;
use crate::value::{LOST, Val};
use aegish_values::Value;

/// Formats of PHP.
pub trait PhpFormats: Machine {
    /// `sprintf`.
    fn php_format(&mut self, format: &Value, values: &[Val]) -> Value {
        let mut all = Value::empty();
        let Some(format) = format.as_known().filter(|format| format.len() <= 8192) else {
            let mut made = Value::unknown("formatted").tainted(format.taint());
            for value in values {
                made = made.tainted(&self.taint_of(value));
            }
            return made;
        };
        let format = format.to_owned();
        let mut rest = format.as_str();
        let mut next = 0;
        while let Some(at) = rest.find('%') {
            all.push_str(rest.get(..at).unwrap_or(""));
            rest = rest.get(at + 1..).unwrap_or("");
            let end =
                rest.find(|c: char| c.is_ascii_alphabetic() || c == '%').unwrap_or(rest.len());
            let spec = rest.get(..end).unwrap_or("");
            let kind = rest.get(end..).and_then(|rest| rest.chars().next()).unwrap_or('%');
            rest = rest.get(end + 1..).unwrap_or("");
            if kind == '%' {
                all.push_str("%");
                continue;
            }
            let (place, spec) = match spec.split_once('$') {
                Some((place, spec)) => {
                    (place.parse::<usize>().ok().and_then(|n| n.checked_sub(1)), spec)
                }
                None => {
                    next += 1;
                    (Some(next - 1), spec)
                }
            };
            let value =
                place.and_then(|place| values.get(place)).cloned().unwrap_or_else(Val::unknown);
            let text = self.text_of(&value);
            match one(&value, &text, spec, kind) {
                Some(made) => all.push_str(&made),
                None if spec.is_empty() && kind == 's' => all.append(&text),
                None => {
                    let why = if text.has_unknown() { "formatted" } else { LOST };
                    all.append(&Value::unknown(why).tainted(text.taint()));
                }
            }
        }
        all.push_str(rest);
        all
    }

    /// `pack`.
    fn php_packed(&mut self, format: &str, values: &[Val]) -> Option<Val> {
        let mut out: Vec<u8> = Vec::new();
        let mut values = values.iter();
        let mut rest = format;
        while let Some(kind) = rest.chars().next() {
            rest = rest.get(kind.len_utf8()..)?;
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let many = rest.starts_with('*');
            let count: Option<usize> = rest.get(..digits)?.parse().ok();
            rest = rest.get(if many { 1 } else { digits }..)?;
            match kind {
                'H' | 'h' | 'a' | 'A' | 'Z' => {
                    let bytes = self.known_bytes(&text_value(values.next()?))?;
                    let text = String::from_utf8(bytes).ok()?;
                    let made = match kind {
                        'H' => crate::decode::hex(&text)?,
                        'h' => {
                            let chars: Vec<char> = text.chars().collect();
                            let swapped: String = chars
                                .chunks(2)
                                .flat_map(|pair| pair.iter().rev().copied())
                                .collect();
                            crate::decode::hex(&swapped)?
                        }
                        _ => text.into_bytes(),
                    };
                    let length = match (kind, count) {
                        (_, None) if many || kind == 'H' || kind == 'h' => made.len(),
                        ('H' | 'h', Some(count)) => count.div_ceil(2),
                        (_, Some(count)) => count,
                        _ => 1,
                    };
                    if length > crate::decode::LIMIT {
                        return None;
                    }
                    let pad = if kind == 'A' { b' ' } else { 0 };
                    out.extend((0..length).map(|at| made.get(at).copied().unwrap_or(pad)));
                }
                'C' | 'c' | 'n' | 'v' | 'N' | 'V' | 's' | 'S' | 'l' | 'L' => {
                    let mut left = if many { usize::MAX } else { count.unwrap_or(1) };
                    while left > 0 {
                        let Some(value) = values.next() else { break };
                        left -= 1;
                        let number = integer(value)?.to_le_bytes();
                        let [a, b, c, d, ..] = number;
                        match kind {
                            'C' | 'c' => out.push(a),
                            'n' => out.extend([b, a]),
                            'v' | 's' | 'S' => out.extend([a, b]),
                            'N' => out.extend([d, c, b, a]),
                            _ => out.extend([a, b, c, d]),
                        }
                    }
                }
                'x' => out.push(0),
                _ => return None,
            }
        }
        Some(Val::bytes(out))
    }

    /// `unpack`: only one kind of item.
    fn php_unpacked(&mut self, format: &str, data: &Val) -> Option<Val> {
        let bytes = self.known_bytes(data)?;
        let kind = format.chars().next()?;
        let name = format.get(1..)?.trim_start_matches(|c: char| c == '*' || c.is_ascii_digit());
        let key = if name.is_empty() { Val::Int(1) } else { Val::text(name) };
        let list = match kind {
            'H' => vec![(key, Val::text(data_encoding::HEXLOWER.encode(&bytes)))],
            'a' | 'A' | 'Z' => vec![(key, data.clone())],
            'C' if name.is_empty() => bytes
                .iter()
                .zip(1..)
                .map(|(b, at)| (Val::Int(at), Val::Int(i64::from(*b))))
                .collect(),
            _ => return None,
        };
        Some(self.php_array(crate::heap::Entries { list, rest: None }))
    }
}

impl<M: Machine> PhpFormats for M {}

fn text_value(value: &Val) -> Val {
    match value {
        Val::Int(number) => Val::text(number.to_string()),
        other => other.clone(),
    }
}

/// The whole number that a value stands for, as the operators see it.
#[must_use]
pub fn integer(value: &Val) -> Option<i64> {
    match value {
        Val::Text(text) => {
            let text = text.as_known()?.trim();
            let end = text
                .char_indices()
                .find(|(at, c)| !(c.is_ascii_digit() || *at == 0 && matches!(c, '-' | '+')))
                .map_or(text.len(), |(at, _)| at);
            if text.get(end..).is_some_and(|rest| rest.starts_with(['.', 'e', 'E'])) {
                return None;
            }
            let digits = text.get(..end)?;
            if digits.is_empty() || digits == "-" { Some(0) } else { digits.parse().ok() }
        }
        Val::None => Some(0),
        other => other.as_int(),
    }
}

fn one(value: &Val, text: &Value, spec: &str, kind: char) -> Option<String> {
    let known = text.as_known();
    let number = || integer(value);
    let made = match kind {
        's' => known?.to_owned(),
        'd' | 'i' => number()?.to_string(),
        'u' => u64::try_from(number()?).ok()?.to_string(),
        'c' => char::from_u32(u32::try_from(number()?).ok()? & 0xff)?.to_string(),
        'x' => format!("{:x}", number()?),
        'X' => format!("{:X}", number()?),
        'o' => format!("{:o}", number()?),
        'b' => format!("{:b}", number()?),
        _ => return None,
    };
    if spec.is_empty() {
        return Some(made);
    }
    let (spec, precision) = spec.split_once('.').unwrap_or((spec, ""));
    let made = match precision.parse::<usize>() {
        Ok(most) if kind == 's' => made.chars().take(most).collect(),
        _ => made,
    };
    let left = spec.contains('-');
    let spec = spec.replace(['-', '+'], "");
    let (pad, width) = match spec.strip_prefix('\'') {
        Some(rest) => (rest.chars().next()?, rest.get(1..)?.to_owned()),
        None if spec.starts_with('0') => ('0', spec.get(1..)?.to_owned()),
        None => (' ', spec),
    };
    let width: usize = if width.is_empty() { 0 } else { width.trim().parse().ok()? };
    if width > 4096 {
        return None;
    }
    let missing = pad.to_string().repeat(width.saturating_sub(made.chars().count()));
    Some(if left { made + &missing } else { missing + &made })
}

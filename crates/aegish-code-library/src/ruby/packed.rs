//! `pack` and `unpack` for the directives that stand for text.

use crate::decode;
use crate::machine::Machine;
use crate::value::{Args, Val};
use aegish_values::Value;

/// `pack` and `unpack` for the directives that stand for text.
pub trait RubyPacked: Machine {
    /// `list.pack(directives)`.
    fn packed(&mut self, list: &Val, args: &Args) -> Val {
        let items = self.iterate(list);
        let directives = args.get(0).and_then(Val::as_known);
        let made = match (&items.rest, directives.as_deref().map(str::trim)) {
            (None, Some(directives)) => pack(&items.list, directives),
            _ => None,
        };
        made.unwrap_or_else(|| {
            let taint = self.taint_of(list);
            Val::Text(Value::unknown(crate::value::LOST).tainted(&taint))
        })
    }

    /// `text.unpack(directives)` and `unpack1`.
    fn unpacked(&mut self, object: &Val, name: &str, args: &Args) -> Val {
        let bytes = self.known_bytes(object);
        let directives = args.get(0).and_then(Val::as_known);
        let made = match (bytes, directives.as_deref().map(str::trim)) {
            (Some(bytes), Some(directives)) => unpack(&bytes, directives),
            _ => None,
        };
        let list = made.unwrap_or_else(|| {
            let text = crate::value::part_of(&object.to_text());
            vec![Val::Text(text)]
        });
        if name == "unpack1" {
            return list.into_iter().next().unwrap_or(Val::None);
        }
        self.new_list(list)
    }
}

impl<M: Machine> RubyPacked for M {}

fn pack(items: &[Val], directives: &str) -> Option<Val> {
    let kind = directives.chars().next()?;
    let rest = directives.get(1..)?;
    let all = rest == "*" || rest.is_empty() || rest == "0";
    match kind {
        'c' | 'C' | 'U' | 'W' if rest == "*" => {
            if kind == 'U' {
                let text: Option<String> =
                    items.iter().map(|item| crate::numbers::character(item.as_int()?)).collect();
                return text.map(Val::text);
            }
            let bytes: Option<Vec<u8>> =
                items.iter().map(|item| u8::try_from(item.as_int()? & 0xff).ok()).collect();
            bytes.map(Val::bytes)
        }
        'H' if all => decode::hex(&items.first()?.as_known()?).map(Val::bytes),
        'h' if all => {
            let text = items.first()?.as_known()?;
            let pairs: Vec<char> = text.chars().collect();
            let swapped: String =
                pairs.chunks(2).flat_map(|pair| pair.iter().rev().copied()).collect();
            decode::hex(&swapped).map(Val::bytes)
        }
        'm' if all => {
            let text = items.first()?.as_known()?;
            Some(Val::text(data_encoding::BASE64.encode(text.as_bytes()) + "\n"))
        }
        'a' | 'A' if rest == "*" => items.first()?.as_known().map(Val::text),
        'B' if rest == "*" => {
            let bits = items.first()?.as_known()?;
            let bits: Vec<u8> = bits.bytes().collect();
            let bytes: Option<Vec<u8>> = bits
                .chunks(8)
                .map(|chunk| u8::from_str_radix(std::str::from_utf8(chunk).ok()?, 2).ok())
                .collect();
            bytes.map(Val::bytes)
        }
        _ => None,
    }
}

fn unpack(bytes: &[u8], directives: &str) -> Option<Vec<Val>> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    Some(match directives {
        "m" | "m0" | "m*" => vec![Val::bytes(decode::base64(&text)?)],
        "u" => return None,
        "H*" => vec![Val::text(data_encoding::HEXLOWER.encode(bytes))],
        "C*" | "c*" => bytes.iter().map(|byte| Val::Int(i64::from(*byte))).collect(),
        "U*" => text.chars().map(|c| Val::Int(i64::from(u32::from(c)))).collect(),
        "a*" | "A*" => vec![Val::text(text)],
        _ => return None,
    })
}

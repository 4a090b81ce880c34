//! Functions on texts.

use super::formats::{PhpFormats, integer};
use super::patterns::PhpPatterns;
use super::replaced::{PhpReplaced, range};
use super::text_names::TEXTS;
use super::{PhpValues, READINGS};
use crate::decode;
use crate::machine::Machine;
use crate::value::{Args, Val, join, part_of};
use aegish_values::{Piece, Value};

/// Functions on texts.
pub trait PhpTexts: Machine {
    /// A function that makes a value of texts; none if it is not one of these.
    fn php_text_function(&mut self, name: &str, args: &Args) -> Option<Val> {
        if TEXTS.binary_search(&name).is_err() {
            return None;
        }
        Some(self.text_result(name, args, 0))
    }

    fn text_result(&mut self, name: &str, args: &Args, depth: u32) -> Val {
        match name {
            "implode" | "join" => return self.imploded(args),
            "sprintf" => {
                let format = args.get(0).map(|value| self.text_of(value)).unwrap_or_default();
                let mut values: Vec<Val> = args.list.iter().skip(1).cloned().collect();
                values.extend(args.rest.clone());
                return Val::Text(self.php_format(&format, &values));
            }
            "vsprintf" => {
                let format = args.get(0).map(|value| self.text_of(value)).unwrap_or_default();
                let values = self.php_entries(&args.get(1).cloned().unwrap_or(Val::None));
                let values: Vec<Val> =
                    values.list.into_iter().map(|(_, value)| value).chain(values.rest).collect();
                return Val::Text(self.php_format(&format, &values));
            }
            "escapeshellarg" => {
                let text = args.get(0).map(|value| self.text_of(value)).unwrap_or_default();
                let mut quoted = Value::known("'");
                quoted.append(&text.replace("'", &Value::known("'\\''")));
                quoted.push_str("'");
                return Val::Text(quoted);
            }
            _ => {}
        }
        // Each of several texts alone.
        for (place, value) in args.list.iter().enumerate() {
            let several: Vec<Val> = match value {
                Val::Text(text) if !text.is_known() => match text.readings(READINGS) {
                    Some(readings) if depth < 3 => readings
                        .into_iter()
                        .map(|one| Val::Text(Value::known(one).tainted(text.taint())))
                        .collect(),
                    _ => continue,
                },
                Val::OneOf(values) if depth < 3 => values.to_vec(),
                _ => continue,
            };
            let mut all: Option<Val> = None;
            for one in several {
                let mut args = args.clone();
                if let Some(slot) = args.list.get_mut(place) {
                    *slot = one;
                }
                let made = self.text_result(name, &args, depth + 1);
                all = Some(all.map_or(made.clone(), |all| join(&all, &made)));
            }
            return all.unwrap_or_else(Val::unknown);
        }
        self.burn(args.get(0).map_or(0, |value| value.to_text().known_prefix().len()) / 64);
        if let Some(value) = self.known_text_function(name, args) {
            return match value {
                Val::Text(mut text) => {
                    for value in args.values() {
                        text = text.tainted(&self.taint_of(value));
                    }
                    Val::Text(text)
                }
                other => other,
            };
        }
        self.unknown_text_function(name, args)
    }

    fn unknown_text_function(&mut self, name: &str, args: &Args) -> Val {
        let first = args.get(0).cloned().unwrap_or(Val::None);
        let text = self.text_of(&first);
        match name {
            "trim"
            | "rtrim"
            | "ltrim"
            | "chop"
            | "strval"
            | "htmlspecialchars"
            | "stripslashes"
            | "escapeshellcmd"
            | "utf8_encode"
            | "utf8_decode"
            | "iconv"
            | "mb_convert_encoding"
            | "nl2br"
            | "addslashes"
            | "strip_tags"
            | "htmlentities" => Val::Text(text),
            "basename" => Val::Text(part_of(&text)),
            "str_replace" | "str_ireplace" => {
                let subject = args.get(2).map(|value| self.text_of(value)).unwrap_or_default();
                match (first.as_known(), args.get(1)) {
                    (Some(from), Some(to @ (Val::Text(_) | Val::Int(_)))) if !from.is_empty() => {
                        Val::Text(subject.replace(&from, &to.to_text()))
                    }
                    _ => self.php_computed(args),
                }
            }
            "explode" | "preg_split" | "str_split" | "mb_str_split" | "str_getcsv" => {
                let subject = if matches!(name, "explode" | "preg_split") {
                    args.get(1)
                } else {
                    Some(&first)
                };
                let text = subject.map(|value| value.to_text()).unwrap_or_default();
                self.php_list(Vec::new(), Some(Val::Text(part_of(&text))))
            }
            "json_decode" | "unserialize" | "parse_url" | "unpack" => {
                let taint = self.taint_of(&first);
                let part = Val::Text(part_of(&text).tainted(&taint));
                let inner = Val::Unknown(taint, crate::value::Forgotten::Data);
                self.php_list(Vec::new(), Some(join(&part, &inner)))
            }
            "json_encode" | "serialize" | "var_export" | "http_build_query" => {
                let taint = self.taint_of(&first);
                Val::Text(Value::unknown("a list").tainted(&taint))
            }
            "ord" | "strlen" | "strpos" | "stripos" | "strrpos" | "substr_count"
            | "str_contains" | "str_starts_with" | "str_ends_with" | "strcmp" | "strcasecmp"
            | "hexdec" | "bindec" | "octdec" | "intval" | "mb_strlen" | "is_string"
            | "is_array" | "is_null" | "is_numeric" | "is_int" | "function_exists"
            | "ctype_digit" | "ctype_alpha" | "abs" | "floor" | "round" | "ceil" | "lcg_value"
            | "str_word_count" => Val::unknown(),
            "max" | "min" => {
                args.values().cloned().reduce(|a, b| join(&a, &b)).unwrap_or_else(Val::unknown)
            }
            _ => self.php_computed(args),
        }
    }

    /// `implode(separator, array)`, in either order.
    fn imploded(&mut self, args: &Args) -> Val {
        let (separator, list) = match (args.get(0), args.list.get(1)) {
            (Some(list), None) => (Val::text(""), list.clone()),
            (Some(list @ (Val::Dict(_) | Val::List(_))), Some(separator)) => {
                (separator.clone(), list.clone())
            }
            (Some(separator), Some(list)) => (separator.clone(), list.clone()),
            _ => return Val::unknown(),
        };
        let separator = self.text_of(&separator);
        let entries = self.php_entries(&list);
        let mut text = Value::empty();
        for (place, (_, item)) in entries.list.iter().enumerate() {
            if place > 0 {
                text.append(&separator);
            }
            let item = self.text_of(item);
            text.append(&item);
        }
        if let Some(rest) = &entries.rest {
            let rest = self.text_of(rest);
            let taint = rest.taint().clone();
            text.append(&rest);
            text.push(Piece::Unknown("a list"));
            text = text.tainted(&taint);
        }
        Val::Text(text)
    }

    fn known_text_function(&mut self, name: &str, args: &Args) -> Option<Val> {
        if args.rest.is_some() {
            return None;
        }
        let known = |place: usize| match args.list.get(place)? {
            Val::None => Some(String::new()),
            Val::Bool(known) => Some(if *known { "1".into() } else { String::new() }),
            other => other.as_known(),
        };
        let number = |place: usize| args.list.get(place).and_then(integer);
        let bytes = |this: &Self, place: usize| match args.list.get(place)? {
            Val::Int(number) => Some(number.to_string().into_bytes()),
            other => this.known_bytes(other),
        };
        Some(match name {
            "base64_decode" => Val::bytes(decode::base64(&known(0)?)?),
            "base64_encode" => Val::text(data_encoding::BASE64.encode(&bytes(self, 0)?)),
            "hex2bin" => Val::bytes(decode::hex(&known(0)?)?),
            "bin2hex" => Val::text(data_encoding::HEXLOWER.encode(&bytes(self, 0)?)),
            "str_rot13" => Val::text(decode::rot13(&known(0)?)),
            "urldecode" => Val::bytes(decode::percent(&known(0)?, true)?),
            "rawurldecode" => Val::bytes(decode::percent(&known(0)?, false)?),
            "gzinflate" | "gzuncompress" | "gzdecode" | "zlib_decode" => {
                Val::bytes(decode::inflate(&bytes(self, 0)?)?)
            }
            "strrev" => {
                let mut bytes = bytes(self, 0)?;
                bytes.reverse();
                Val::bytes(bytes)
            }
            "chr" => Val::bytes(vec![u8::try_from(number(0)?.rem_euclid(256)).ok()?]),
            "ord" => Val::Int(i64::from(bytes(self, 0)?.first().copied().unwrap_or(0))),
            "strtolower" | "mb_strtolower" => Val::text(known(0)?.to_lowercase()),
            "strtoupper" | "mb_strtoupper" => Val::text(known(0)?.to_uppercase()),
            "ucfirst" | "lcfirst" => {
                let text = known(0)?;
                let mut chars = text.chars();
                let first = chars.next().map(|c| {
                    if name == "ucfirst" { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
                });
                Val::text(first.into_iter().chain(chars).collect::<String>())
            }
            "trim" | "ltrim" | "rtrim" | "chop" => {
                let text = known(0)?;
                let set: Vec<char> = match args.list.get(1) {
                    Some(_) => {
                        let set = known(1)?;
                        if set.contains("..") {
                            return None;
                        }
                        set.chars().collect()
                    }
                    None => vec![' ', '\t', '\n', '\r', '\0', '\x0b'],
                };
                let set = set.as_slice();
                Val::text(match name {
                    "trim" => text.trim_matches(set),
                    "ltrim" => text.trim_start_matches(set),
                    _ => text.trim_end_matches(set),
                })
            }
            "substr" | "mb_substr" => self.substring(args)?,
            "substr_replace" => {
                let (text, by) = (bytes(self, 0)?, bytes(self, 1)?);
                let (start, end) = range(text.len(), number(2)?, args.list.get(3).map(integer))?;
                let mut out = text.get(..start)?.to_vec();
                out.extend(by);
                out.extend(text.get(end..)?);
                Val::bytes(out)
            }
            "str_repeat" => {
                let (text, count) = (known(0)?, usize::try_from(number(1)?).ok()?);
                if text.len().saturating_mul(count) > decode::LIMIT {
                    return None;
                }
                Val::text(text.repeat(count))
            }
            "str_pad" => {
                let (text, width) = (known(0)?, usize::try_from(number(1)?).ok()?);
                let pad = if args.list.len() > 2 { known(2)? } else { " ".to_owned() };
                if width > 4096 || pad.is_empty() {
                    return None;
                }
                let missing = width.saturating_sub(text.chars().count());
                let fill: String = pad.chars().cycle().take(missing).collect();
                match args.list.get(3) {
                    None => Val::text(text + &fill),
                    Some(Val::Int(0)) => Val::text(fill + &text),
                    _ => return None,
                }
            }
            "str_replace" | "str_ireplace" => self.replaced_texts(name, args)?,
            "strtr" => self.translated_text(args)?,
            "explode" => {
                let (separator, text) = (known(0)?, known(1)?);
                if separator.is_empty() || text.len() > 8192 {
                    return None;
                }
                let list: Vec<Val> = match args.list.get(2).map(integer) {
                    None => text.split(&separator).map(Val::text).collect(),
                    Some(Some(most)) if most > 0 => text
                        .splitn(usize::try_from(most).ok()?, &separator)
                        .map(Val::text)
                        .collect(),
                    Some(_) => return None,
                };
                self.php_list(list, None)
            }
            "str_split" | "mb_str_split" => {
                let text = known(0)?;
                let size = if args.list.len() > 1 { usize::try_from(number(1)?).ok()? } else { 1 };
                if text.len() > 8192 || size == 0 {
                    return None;
                }
                let chars: Vec<char> = text.chars().collect();
                let parts =
                    chars.chunks(size).map(|part| Val::text(part.iter().collect::<String>()));
                let parts = parts.collect();
                self.php_list(parts, None)
            }
            "preg_replace" => {
                let subject = known(2)?;
                let (pattern, to) = (args.list.first()?.clone(), args.list.get(1)?.clone());
                let (Val::Text(_), Val::Text(_)) = (&pattern, &to) else { return None };
                self.php_replaced(&pattern, &to, &subject)?
            }
            "preg_split" => {
                let subject = known(1)?;
                if args.list.len() > 3 {
                    return None;
                }
                self.php_split(&args.list.first()?.clone(), &subject)?
            }
            "pack" => {
                let values: Vec<Val> = args.list.iter().skip(1).cloned().collect();
                self.php_packed(&known(0)?, &values)?
            }
            "unpack" => self.php_unpacked(&known(0)?, &args.list.get(1)?.clone())?,
            "dechex" => Val::text(format!("{:x}", number(0)?)),
            "decbin" => Val::text(format!("{:b}", number(0)?)),
            "decoct" => Val::text(format!("{:o}", number(0)?)),
            "hexdec" => Val::Int(i64::from_str_radix(known(0)?.trim_start_matches("0x"), 16).ok()?),
            "bindec" => Val::Int(i64::from_str_radix(&known(0)?, 2).ok()?),
            "octdec" => Val::Int(i64::from_str_radix(&known(0)?, 8).ok()?),
            "intval" if args.list.len() == 1 => Val::Int(number(0)?),
            "abs" => Val::Int(args.list.first()?.as_int()?.checked_abs()?),
            "strlen" => Val::Int(i64::try_from(bytes(self, 0)?.len()).ok()?),
            "mb_strlen" => Val::Int(i64::try_from(known(0)?.chars().count()).ok()?),
            "strval" => Val::text(known(0)?),
            "strpos" | "stripos" | "strrpos" => {
                let (mut text, mut part) = (known(0)?, known(1)?);
                if args.list.len() > 2 {
                    return None;
                }
                if name == "stripos" {
                    (text, part) = (text.to_lowercase(), part.to_lowercase());
                }
                let at = if name == "strrpos" { text.rfind(&part) } else { text.find(&part) };
                at.map_or(Val::Bool(false), |at| Val::Int(i64::try_from(at).unwrap_or(0)))
            }
            "str_contains" => Val::Bool(known(0)?.contains(&known(1)?)),
            "str_starts_with" => Val::Bool(known(0)?.starts_with(&known(1)?)),
            "str_ends_with" => Val::Bool(known(0)?.ends_with(&known(1)?)),
            "strstr" | "stristr" | "strrchr" => {
                let (text, part) = (known(0)?, known(1)?);
                if args.list.len() > 2 {
                    return None;
                }
                let at = match name {
                    "strrchr" => text.rfind(part.chars().next()?),
                    "stristr" => text.to_lowercase().find(&part.to_lowercase()),
                    _ => text.find(&part),
                };
                at.map_or(Val::Bool(false), |at| Val::text(text.get(at..).unwrap_or("")))
            }
            "basename" => {
                let text = known(0)?;
                let base = crate::paths::base_name(&text).to_owned();
                Val::text(match args.list.get(1) {
                    Some(_) => base.strip_suffix(known(1)?.as_str()).unwrap_or(&base).to_owned(),
                    None => base,
                })
            }
            "json_decode" => self.literal(&known(0)?)?,
            "stripslashes" => Val::text(known(0)?.replace("\\", "")),
            "stripcslashes" => {
                let text = known(0)?;
                let (mut out, mut rest) = (String::new(), text.as_str());
                while let Some(at) = rest.find('\\') {
                    out.push_str(rest.get(..at)?);
                    rest = rest.get(at + 1..)?;
                    let length = decode::escape(rest, &mut out);
                    rest = rest.get(length..)?;
                }
                Val::text(out + rest)
            }
            "html_entity_decode" | "htmlspecialchars_decode" => Val::text(
                known(0)?
                    .replace("&lt;", "<")
                    .replace("&gt;", ">")
                    .replace("&quot;", "\"")
                    .replace("&#039;", "'")
                    .replace("&sol;", "/")
                    .replace("&#47;", "/")
                    .replace("&amp;", "&"),
            ),
            _ => return None,
        })
    }
}

impl<M: Machine> PhpTexts for M {}

//! Methods of texts and bytes.

use crate::decode;
use crate::decoded::Decoding;
use crate::format::Formatting;
use crate::heap::Items;
use crate::machine::Machine;
use crate::value::{Args, LOST, Val, join, part_of};
use aegish_values::{Piece, Value};

/// Most texts that a text is one of and that a method is applied to each of.
const READINGS: usize = 16;

/// Methods of texts and bytes.
pub trait TextMethods: Machine {
    /// A template in which names behind `$` are replaced.
    fn substituted(&mut self, text: &Value, args: &Args) -> Value {
        let Some(known) = text.as_known().map(str::to_owned) else { return part_of(text) };
        let mut out = Value::empty().tainted(text.taint());
        let mut rest = known.as_str();
        while let Some((before, behind)) = rest.split_once('$') {
            out.push_str(before);
            let inner = behind.strip_prefix('{').unwrap_or(behind);
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let end = inner.find(|c: char| !is_name(c)).unwrap_or(inner.len());
            let (name, after) = inner.split_at(end);
            if name.is_empty() {
                out.push_str("$");
                rest = behind.strip_prefix('$').unwrap_or(behind);
                continue;
            }
            let given = match (args.named(name), args.get(0)) {
                (Some(value), _) => value.clone(),
                (None, Some(names)) => self.index(&names.clone(), &Val::text(name)),
                (None, None) => Val::unknown(),
            };
            out.append(&given.to_text());
            rest = after.strip_prefix('}').unwrap_or(after);
        }
        out.push_str(rest);
        out
    }

    fn text_method(&mut self, text: &Value, name: &str, args: &Args) -> Val {
        let known = text.known_prefix().len();
        self.burn(known / 64);
        match name {
            "format" => return Val::Text(self.brace_format(text, args)),
            "format_map" => {
                let mut call = Args::default();
                if let Some(Val::Dict(place)) = args.get(0) {
                    for (key, value) in &self.heap().entries(*place).list {
                        if let Some(name) = key.as_known() {
                            call.named.push((name.into(), value.clone()));
                        }
                    }
                }
                return Val::Text(self.brace_format(text, &call));
            }
            "join" => {
                let list = args.get(0).cloned().unwrap_or_else(Val::unknown);
                return self.join_text(text, &list);
            }
            "encode" | "decode" => {
                let coding = args.get(0).or_else(|| args.named("encoding"));
                let coding = coding.and_then(Val::as_known).unwrap_or_default();
                let drops = args.get(1).or_else(|| args.named("errors")).is_some();
                if drops && text.as_known().is_some_and(|text| !text.is_ascii()) {
                    return Val::Text(Value::unknown("computed"));
                }
                return self.decoded(&Val::Text(text.clone()), &coding);
            }
            // Methods of an object whose content is unknown: a response, an output.
            "read" | "json" | "readlines" | "getvalue" | "iter_content" | "iter_lines"
            | "raise_for_status" | "result" | "tobytes" | "readline" | "__enter__" | "close"
                if text.has_unknown() =>
            {
                return Val::Text(text.clone());
            }
            "read" | "getvalue" | "getbuffer" | "tobytes" | "__str__" | "copy" => {
                return Val::Text(text.clone());
            }
            "write" if !text.has_unknown() => return Val::None,
            "substitute" | "safe_substitute" => return Val::Text(self.substituted(text, args)),
            _ => {}
        }
        let Some(readings) = text.readings(READINGS) else {
            return self.unknown_text_method(text, name, args);
        };
        let outside = args.values().any(|value| value.to_text().has_unknown());
        let why = if outside { "computed" } else { LOST };
        let mut result: Option<Val> = None;
        for reading in readings {
            let one = self
                .known_text_method(&reading, name, args)
                .unwrap_or_else(|| Val::Text(Value::unknown(why)));
            result = Some(result.map_or(one.clone(), |known| join(&known, &one)));
        }
        match result.unwrap_or_else(Val::unknown) {
            Val::Text(value) => Val::Text(value.tainted(text.taint())),
            other => other,
        }
    }

    /// A method of a text that is not fully known: case and blanks at its ends do not matter.
    fn unknown_text_method(&mut self, text: &Value, name: &str, args: &Args) -> Val {
        self.run_callbacks(args, None);
        match name {
            "strip" | "rstrip" | "lstrip" | "removesuffix" | "expandtabs" => {
                Val::Text(text.clone())
            }
            "replace" => {
                let from = args.get(0).and_then(Val::as_known).unwrap_or_default();
                let to = args.get(1).map(Val::to_text);
                match to {
                    Some(to) if !from.is_empty() => Val::Text(text.replace(&from, &to)),
                    _ => Val::Text(Value::unknown("computed").tainted(text.taint())),
                }
            }
            "split" | "rsplit" | "splitlines" | "partition" | "rpartition" => {
                let part = part_of(text);
                let mut list = Vec::new();
                // Words before the first unknown piece are known.
                if name == "split" && args.list.is_empty() {
                    let mut words: Vec<&str> = text.known_prefix().split_whitespace().collect();
                    if !text.known_prefix().ends_with(char::is_whitespace) {
                        words.pop();
                    }
                    list.extend(words.into_iter().map(Val::text));
                }
                self.heap().list(Items { list, rest: Some(Val::Text(part)) })
            }
            "lower" | "upper" | "title" | "capitalize" | "casefold" | "swapcase" | "zfill"
            | "center" | "ljust" | "rjust" | "translate" | "removeprefix" | "hex" | "get"
            | "text" => Val::Text(part_of(text)),
            "startswith" | "endswith" | "isdigit" | "find" | "index" | "count" | "__len__"
            | "isalpha" | "isalnum" | "isspace" => Val::unknown(),
            _ => Val::tainted(text.taint().clone()),
        }
    }

    fn known_text_method(&mut self, text: &str, name: &str, args: &Args) -> Option<Val> {
        let arg = |place: usize| args.get(place).and_then(Val::as_known);
        let set = |c: char, set: &Option<String>| match set {
            Some(set) => set.contains(c),
            None => c.is_whitespace(),
        };
        if args.list.iter().any(|value| {
            matches!(value, Val::Text(text) if !text.is_known())
                || matches!(value, Val::Unknown(..) | Val::OneOf(_))
        }) {
            return None;
        }
        Some(match name {
            "strip" => Val::text(text.trim_matches(|c| set(c, &arg(0)))),
            "lstrip" => Val::text(text.trim_start_matches(|c| set(c, &arg(0)))),
            "rstrip" => Val::text(text.trim_end_matches(|c| set(c, &arg(0)))),
            "lower" | "casefold" => Val::text(text.to_lowercase()),
            "upper" => Val::text(text.to_uppercase()),
            "swapcase" => Val::text(
                text.chars()
                    .map(|c| {
                        if c.is_uppercase() {
                            c.to_ascii_lowercase()
                        } else {
                            c.to_ascii_uppercase()
                        }
                    })
                    .collect::<String>(),
            ),
            "capitalize" => {
                let mut chars = text.chars();
                let first: String =
                    chars.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
                Val::text(first + &chars.as_str().to_lowercase())
            }
            "title" => return None,
            "removeprefix" => Val::text(text.strip_prefix(arg(0)?.as_str()).unwrap_or(text)),
            "removesuffix" => Val::text(text.strip_suffix(arg(0)?.as_str()).unwrap_or(text)),
            "replace" => {
                let (from, to) = (arg(0)?, arg(1)?);
                if text.len().saturating_mul(to.len() + 1) > decode::LIMIT {
                    return None;
                }
                match args.get(2).and_then(Val::as_int) {
                    Some(count) if count >= 0 => {
                        Val::text(text.replacen(&from, &to, usize::try_from(count).ok()?))
                    }
                    _ => Val::text(text.replace(&from, &to)),
                }
            }
            "split" | "rsplit" => {
                let most = args
                    .get(1)
                    .or_else(|| args.named("maxsplit"))
                    .and_then(Val::as_int)
                    .and_then(|most| usize::try_from(most).ok());
                let parts: Vec<String> = match (arg(0), most) {
                    (None, None) => text.split_whitespace().map(str::to_owned).collect(),
                    (None, Some(_)) => return None,
                    (Some(separator), _) if separator.is_empty() => return None,
                    (Some(separator), None) => {
                        text.split(separator.as_str()).map(str::to_owned).collect()
                    }
                    (Some(separator), Some(most)) if name == "split" => {
                        text.splitn(most + 1, separator.as_str()).map(str::to_owned).collect()
                    }
                    (Some(separator), Some(most)) => {
                        let mut parts: Vec<String> =
                            text.rsplitn(most + 1, separator.as_str()).map(str::to_owned).collect();
                        parts.reverse();
                        parts
                    }
                };
                self.new_list(parts.into_iter().map(Val::text).collect())
            }
            "splitlines" => {
                let ends = [
                    '\n', '\r', '\x0b', '\x0c', '\x1c', '\x1d', '\x1e', '\u{85}', '\u{2028}',
                    '\u{2029}',
                ];
                let whole = text.replace("\r\n", "\n");
                let lines = whole.split_terminator(ends).map(Val::text).collect();
                self.new_list(lines)
            }
            "partition" | "rpartition" => {
                let separator = arg(0)?;
                let found = if name == "partition" {
                    text.split_once(separator.as_str())
                } else {
                    text.rsplit_once(separator.as_str())
                };
                let parts = match found {
                    Some((before, after)) => {
                        [before.to_owned(), separator.clone(), after.to_owned()]
                    }
                    None if name == "partition" => [text.to_owned(), String::new(), String::new()],
                    None => [String::new(), String::new(), text.to_owned()],
                };
                Val::Tuple(parts.into_iter().map(Val::text).collect())
            }
            "startswith" => match args.get(0)? {
                Val::Tuple(items) => {
                    let known: Option<Vec<String>> = items.iter().map(Val::as_known).collect();
                    Val::Bool(known?.iter().any(|start| text.starts_with(start.as_str())))
                }
                _ => Val::Bool(text.starts_with(arg(0)?.as_str())),
            },
            "endswith" => match args.get(0)? {
                Val::Tuple(items) => {
                    let known: Option<Vec<String>> = items.iter().map(Val::as_known).collect();
                    Val::Bool(known?.iter().any(|end| text.ends_with(end.as_str())))
                }
                _ => Val::Bool(text.ends_with(arg(0)?.as_str())),
            },
            "isdigit" | "isnumeric" => {
                Val::Bool(!text.is_empty() && text.chars().all(|c| c.is_ascii_digit()))
            }
            "isalpha" => Val::Bool(!text.is_empty() && text.chars().all(char::is_alphabetic)),
            "isupper" => Val::Bool(
                text.chars().any(char::is_uppercase) && !text.chars().any(char::is_lowercase),
            ),
            "islower" => Val::Bool(
                text.chars().any(char::is_lowercase) && !text.chars().any(char::is_uppercase),
            ),
            "find" | "index" => {
                let place = text
                    .find(arg(0)?.as_str())
                    .map(|at| text.get(..at).map_or(0, |t| t.chars().count()));
                Val::Int(place.map_or(Some(-1), |place| i64::try_from(place).ok())?)
            }
            "count" => Val::Int(i64::try_from(text.matches(arg(0)?.as_str()).count()).ok()?),
            "zfill" => {
                let width = usize::try_from(args.get(0)?.as_int()?).ok()?.min(4096);
                Val::text("0".repeat(width.saturating_sub(text.chars().count())) + text)
            }
            "ljust" | "rjust" | "center" => {
                let width = usize::try_from(args.get(0)?.as_int()?).ok()?.min(4096);
                let fill = if args.list.len() > 1 { arg(1)? } else { " ".to_owned() };
                let missing = width.saturating_sub(text.chars().count());
                let left = match name {
                    "ljust" => 0,
                    "rjust" => missing,
                    _ => missing / 2,
                };
                Val::text(fill.repeat(left) + text + &fill.repeat(missing - left))
            }
            "expandtabs" => Val::text(text),
            "translate" => return self.translated(text, args.get(0)?),
            "hex" => Val::text(text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>()),
            "__len__" => Val::Int(i64::try_from(text.chars().count()).ok()?),
            "__add__" => Val::text(text.to_owned() + &arg(0)?),
            "__mod__" => {
                return Some(Val::Text(self.percent_format(&Value::known(text), args.get(0)?)));
            }
            "__getitem__" => return Some(self.index(&Val::text(text), args.get(0)?)),
            // Class methods called through a text: `"".fromhex`, `str.maketrans`.
            "fromhex" => return decode::hex(&arg(0)?).map(Val::bytes),
            "maketrans" => return self.translation(args),
            _ => return None,
        })
    }

    /// `str.maketrans(from, to)`.
    fn translation(&mut self, args: &Args) -> Option<Val> {
        if let Some(dict @ Val::Dict(_)) = args.get(0) {
            return Some(dict.clone());
        }
        let (from, to) = (args.get(0)?.as_known()?, args.get(1)?.as_known()?);
        let pairs = from
            .chars()
            .zip(to.chars())
            .map(|(a, b)| (Val::Int(i64::from(u32::from(a))), Val::text(b.to_string())))
            .collect();
        Some(self.new_dict(pairs, None))
    }

    fn translated(&mut self, text: &str, table: &Val) -> Option<Val> {
        let Val::Dict(place) = table else { return None };
        let entries = self.heap().entries(*place);
        if entries.rest.is_some() {
            return None;
        }
        let mut out = String::new();
        for c in text.chars() {
            let (code, letter) = (Val::Int(i64::from(u32::from(c))), Val::text(c.to_string()));
            match entries.list.iter().find(|(key, _)| *key == code || *key == letter) {
                Some((_, Val::None)) => {}
                Some((_, Val::Int(code))) => out.push(crate::numbers::character(*code)?),
                Some((_, value)) => out.push_str(&value.as_known()?),
                None => out.push(c),
            }
        }
        Some(Val::text(out))
    }

    fn join_text(&mut self, separator: &Value, list: &Val) -> Val {
        if let Val::OneOf(values) = list {
            return values
                .iter()
                .map(|value| self.join_text(separator, value))
                .reduce(|a, b| join(&a, &b))
                .unwrap_or_else(Val::unknown);
        }
        let items = self.iterate(list);
        let mut text = Value::empty();
        for (place, item) in items.list.iter().enumerate() {
            if place > 0 {
                text.append(separator);
            }
            // A missing item is an empty text.
            if !(self.is_javascript() && *item == Val::None) {
                let item = if self.is_javascript() { self.text_of(item) } else { item.to_text() };
                text.append(&item);
            }
        }
        if let Some(rest) = &items.rest {
            let rest = rest.to_text();
            let without = text.clone();
            if !text.pieces().is_empty() {
                text.append(separator);
            }
            text.append(&rest);
            if !without.is_known() || !rest.is_known() {
                text.push(Piece::Unknown("a list"));
                return Val::Text(text);
            }
            return Val::Text(aegish_values::join_values(&without, &text));
        }
        Val::Text(text)
    }

    fn bytes_method(&mut self, object: &Val, name: &str, args: &Args) -> Val {
        let Val::Bytes(bytes) = object else { return Val::unknown() };
        match name {
            "decode" | "encode" => {
                let coding = args.get(0).and_then(Val::as_known).unwrap_or_default();
                self.decoded(object, &coding)
            }
            "hex" => Val::text(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()),
            "read" | "tobytes" | "getvalue" | "copy" => object.clone(),
            _ => Val::unknown(),
        }
    }
}

impl<M: Machine> TextMethods for M {}

//! Texts made from a format and values.

use crate::machine::Machine;
use crate::value::{Args, Val};
use aegish_values::{Piece, Value};

/// Texts made from a format and values.
pub trait Formatting: Machine {
    /// A value formatted with a specification.
    fn formatted(&mut self, value: &Val, spec: &Value) -> Value {
        let text = self.text_of(value);
        match spec.as_known() {
            Some("" | "s" | "d" | "!s") => text,
            Some(spec) => format_one(value, spec).map_or_else(
                // Padding changes no more than blanks and digits of the text.
                || match value {
                    _ if spec.contains(['.', '*', '$']) => {
                        Value::unknown("computed").tainted(text.taint())
                    }
                    Val::Text(_) | Val::Path(_) => text.clone(),
                    _ => Value::unknown("formatted").tainted(text.taint()),
                },
                Value::known,
            ),
            None => text,
        }
    }

    /// `format % values`.
    fn percent_format(&mut self, format: &Value, values: &Val) -> Value {
        let Some(known) = format.as_known() else {
            let mut text = format.clone();
            text.push(Piece::Unknown("formatted"));
            return text.tainted(&self.taint_of(values));
        };
        let known = known.to_owned();
        let items: Vec<Val> = match values {
            Val::Tuple(items) => items.to_vec(),
            other => vec![other.clone()],
        };
        let mut items = items.into_iter();
        let mut out = Value::empty().tainted(format.taint());
        let mut rest = known.as_str();
        while let Some(at) = rest.find('%') {
            out.push_str(rest.get(..at).unwrap_or(""));
            rest = rest.get(at + 1..).unwrap_or("");
            if let Some(after) = rest.strip_prefix('%') {
                out.push_str("%");
                rest = after;
                continue;
            }
            let mut key = None;
            if let Some(inside) = rest.strip_prefix('(')
                && let Some((name, after)) = inside.split_once(')')
            {
                key = Some(name);
                rest = after;
            }
            let flags = rest.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(rest.len());
            let spec = rest.get(..flags).unwrap_or("").to_owned();
            let kind = rest.get(flags..).and_then(|rest| rest.chars().next()).unwrap_or('s');
            rest = rest.get(flags + kind.len_utf8().min(rest.len() - flags)..).unwrap_or("");
            let value = match key {
                Some(name) => self.index(values, &Val::text(name)),
                None => items.next().unwrap_or_else(Val::unknown),
            };
            let text = match kind {
                's' | 'r' | 'd' | 'i' | 'a' if spec.is_empty() => self.text_of(&value),
                'c' => match &value {
                    Val::Int(code) => crate::numbers::character(*code)
                        .map_or_else(|| value.to_text(), |c| Value::known(c.to_string())),
                    other => other.to_text(),
                },
                _ => {
                    let spec = Value::known(format!("{spec}{kind}"));
                    self.formatted(&value, &spec)
                }
            };
            out.append(&text);
        }
        out.push_str(rest);
        out
    }

    /// Ruby's `format % values`; names in braces are keys of a hash.
    fn ruby_format(&mut self, format: &Value, values: &Val) -> Value {
        let Some(known) = format.as_known() else {
            let mut text = format.clone();
            text.push(Piece::Unknown("formatted"));
            return text.tainted(&self.taint_of(values));
        };
        let mut rewritten = String::new();
        let mut rest = known;
        while let Some(at) = rest.find('%') {
            let (before, after) = rest.split_at(at);
            rewritten.push_str(before);
            let named = |open: char, close: char| {
                let inner = after.get(1..)?.strip_prefix(open)?;
                let end = inner.find(close)?;
                Some((inner.get(..end)?, inner.get(end + 1..)?))
            };
            if let Some((name, behind)) = named('{', '}') {
                rewritten.push_str(&format!("%({name})s"));
                rest = behind;
            } else if let Some((name, behind)) = named('<', '>') {
                rewritten.push_str(&format!("%({name})"));
                rest = behind;
            } else {
                let length = if after.starts_with("%%") { 2 } else { 1 };
                rewritten.push_str(after.get(..length).unwrap_or(after));
                rest = after.get(length..).unwrap_or("");
            }
        }
        rewritten.push_str(rest);
        let values = match values {
            Val::List(_) => {
                let items = self.iterate(values);
                Val::Tuple(items.list.into_iter().chain(items.rest).collect())
            }
            other => other.clone(),
        };
        let format = Value::known(rewritten).tainted(format.taint());
        self.percent_format(&format, &values)
    }

    /// `format.format(values)`.
    fn brace_format(&mut self, format: &Value, args: &Args) -> Value {
        let Some(known) = format.as_known() else {
            let mut text = format.clone();
            let mut taint = format.taint().clone();
            args.values().for_each(|value| taint.absorb(&self.taint_of(value)));
            text.push(Piece::Unknown("formatted"));
            return text.tainted(&taint);
        };
        let known = known.to_owned();
        let mut out = Value::empty().tainted(format.taint());
        let mut rest = known.as_str();
        let mut next = 0;
        while let Some(at) = rest.find(['{', '}']) {
            out.push_str(rest.get(..at).unwrap_or(""));
            let brace = rest.get(at..=at).unwrap_or("");
            rest = rest.get(at + 1..).unwrap_or("");
            if let Some(after) = rest.strip_prefix(brace) {
                out.push_str(brace);
                rest = after;
                continue;
            }
            let Some((field, after)) = rest.split_once('}').filter(|_| brace == "{") else {
                continue;
            };
            rest = after;
            let (field, spec) = field.split_once(':').unwrap_or((field, ""));
            let field = field.split_once('!').map_or(field, |(field, _)| field);
            let end = field.find(['.', '[']).unwrap_or(field.len());
            let (name, path) = field.split_at_checked(end).unwrap_or((field, ""));
            let mut value = if name.is_empty() {
                next += 1;
                args.get(next - 1).cloned()
            } else if let Ok(place) = name.parse::<usize>() {
                args.get(place).cloned()
            } else {
                args.named(name).cloned()
            }
            .unwrap_or_else(Val::unknown);
            for step in path.split(['.', '[']).filter(|step| !step.is_empty()) {
                let key = step.trim_end_matches(']');
                value = if step.ends_with(']') {
                    let index = key.parse().map_or_else(|_| Val::text(key), Val::Int);
                    self.index(&value, &index)
                } else {
                    self.attribute(&value, &key.into())
                };
            }
            let spec = Value::known(spec);
            let text = self.formatted(&value, &spec);
            out.append(&text);
        }
        out.push_str(rest);
        out
    }
}

impl<M: Machine> Formatting for M {}

/// A known value formatted with fill, width and type.
fn format_one(value: &Val, spec: &str) -> Option<String> {
    let mut rest = spec;
    let kind = spec.chars().last().filter(char::is_ascii_alphabetic);
    if let Some(kind) = kind {
        rest = rest.get(..rest.len() - kind.len_utf8())?;
    }
    if let Some((before, precision)) = rest.split_once('.')
        && let Val::Text(text) = value
        && matches!(kind, None | Some('s'))
    {
        let most = precision.parse().ok()?;
        let cut: String = text.as_known()?.chars().take(most).collect();
        return format_one(&Val::text(cut), before);
    }
    if rest.contains(['.', ',', '_', '#', '+', ' ', '=']) {
        return None;
    }
    let mut fill = ' ';
    let mut align = None;
    let mut chars = rest.chars();
    match (chars.next(), chars.next()) {
        (Some(first), Some(second)) if matches!(second, '<' | '>' | '^') => {
            fill = first;
            align = Some(second);
            rest = rest.get(first.len_utf8() + 1..)?;
        }
        (Some(first), _) if matches!(first, '<' | '>' | '^') => {
            align = Some(first);
            rest = rest.get(1..)?;
        }
        _ => {}
    }
    if let Some(after) = rest.strip_prefix('0') {
        fill = '0';
        rest = after;
    }
    let width: usize = if rest.is_empty() { 0 } else { rest.parse().ok()? };
    if width > 4096 {
        return None;
    }
    let (text, number) = match (value, kind) {
        (Val::Int(n), Some('x')) => (format!("{n:x}"), true),
        (Val::Int(n), Some('X')) => (format!("{n:X}"), true),
        (Val::Int(n), Some('o')) => (format!("{n:o}"), true),
        (Val::Int(n), Some('b')) => (format!("{n:b}"), true),
        (Val::Int(n), Some('c')) => (crate::numbers::character(*n)?.to_string(), false),
        (Val::Int(n), Some('d') | None) => (n.to_string(), true),
        (Val::Text(text), Some('s') | None) => (text.as_known()?.to_owned(), false),
        _ => return None,
    };
    let missing = width.saturating_sub(text.chars().count());
    let pad = |count: usize| fill.to_string().repeat(count);
    Some(match align.unwrap_or(if number { '>' } else { '<' }) {
        '<' => text + &pad(missing),
        '^' => pad(missing / 2) + &text + &pad(missing - missing / 2),
        _ => pad(missing) + &text,
    })
}

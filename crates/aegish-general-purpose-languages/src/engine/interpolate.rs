//! Quoted texts → values: escapes, expanded variables, code inside texts, formats.

use super::decode;
use super::dialect::{Escapes, Interpolation, Quote};
use super::interpreter::Interpreter;
use super::lex::word_byte;
use super::object::Object;
use aegish_profiles::Lang;
use aegish_values::Value;

impl Interpreter<'_> {
    /// The value of a quoted text.
    pub(super) fn interpolate(&mut self, raw: &str, quote: Quote) -> Value {
        self.burn(raw.len() / 64);
        let active = |c: char| match quote.interpolation {
            Interpolation::None => false,
            Interpolation::Sigil => c == '$' || c == '@',
            Interpolation::Hash => c == '#',
            Interpolation::Dollar => c == '$',
        };
        if (quote.esc == Escapes::Raw || !raw.contains('\\'))
            && (quote.interpolation == Interpolation::None || !raw.contains(active))
        {
            return Value::known(raw);
        }
        let mut value = Value::empty();
        let mut plain = String::with_capacity(raw.len());
        let mut rest = raw;
        while let Some(first) = rest.chars().next() {
            if first == '\\' && quote.esc != Escapes::Raw {
                let after = rest.get(1..).unwrap_or("");
                let used = if quote.esc == Escapes::Few {
                    match after.chars().next() {
                        Some(c @ ('\\' | '\'')) => {
                            plain.push(c);
                            1
                        }
                        _ => {
                            plain.push('\\');
                            0
                        }
                    }
                } else {
                    decode::escape(after, &mut plain)
                };
                rest = after.get(used..).unwrap_or("");
                continue;
            }
            if active(first)
                && let Some((inner, used)) = self.expand(rest, quote.interpolation)
            {
                value.push_str(&plain);
                plain.clear();
                match inner {
                    Some(object) => value.append(&object.text()),
                    None => value.push_str(rest.get(..1).unwrap_or("")),
                }
                rest = rest.get(used.max(1)..).unwrap_or("");
                if value.pieces().len() > 256 {
                    return Value::unknown("long");
                }
                continue;
            }
            plain.push(first);
            rest = rest.get(first.len_utf8()..).unwrap_or("");
        }
        value.push_str(&plain);
        value
    }

    /// What the text starts with, if it is expanded: the object (none for a doubled brace) and the
    /// length of its spelling.
    pub(super) fn expand(
        &mut self,
        rest: &str,
        interpolation: Interpolation,
    ) -> Option<(Option<Object>, usize)> {
        let bytes = rest.as_bytes();
        let second = bytes.get(1).copied().unwrap_or(0);
        match interpolation {
            Interpolation::Hash | Interpolation::Dollar if second == b'{' => {
                let end = matching(rest, 1, b'{', b'}')?;
                let code = rest.get(2..end)?;
                Some((Some(self.nested(code)), end + 1))
            }
            Interpolation::Dollar if self.dialect.lang == Lang::Groovy && word_byte(second) => {
                self.plain_variable(rest, false)
            }
            Interpolation::Sigil => match (bytes.first(), second) {
                (Some(b'{'), b'$') => {
                    let end = matching(rest, 0, b'{', b'}')?;
                    let code = rest.get(1..end)?;
                    Some((Some(self.nested(code)), end + 1))
                }
                (Some(b'{'), _) => None,
                (Some(b'@'), b'{') | (Some(b'$'), b'{') => {
                    let end = matching(rest, 1, b'{', b'}')?;
                    let code = rest.get(2..end)?;
                    let name = code.bytes().all(word_byte);
                    let object = if name {
                        self.vars
                            .get(&format!("${code}"))
                            .or_else(|| self.vars.get(code))
                            .cloned()
                            .unwrap_or(Object::Other)
                    } else {
                        match self.nested(code) {
                            // @{[ code ]}
                            Object::List(items) => items.last().cloned().unwrap_or(Object::Other),
                            other => other,
                        }
                    };
                    Some((Some(object), end + 1))
                }
                (Some(b'$'), b'(') if self.dialect.lang == Lang::Julia => {
                    let end = matching(rest, 1, b'(', b')')?;
                    let code = rest.get(2..end)?;
                    Some((Some(self.nested(code)), end + 1))
                }
                (Some(b'@'), _) => None,
                _ if word_byte(second) => {
                    self.plain_variable(rest, self.dialect.lang != Lang::Julia)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// `$name`, with its subscripts where the language expands them.
    pub(super) fn plain_variable(
        &mut self,
        rest: &str,
        sigil: bool,
    ) -> Option<(Option<Object>, usize)> {
        let len = rest.bytes().skip(1).take_while(|b| word_byte(*b)).count();
        let mut end = len + 1;
        if sigil {
            // $x[0], $x{key}, $x->{key}, $x->name
            loop {
                let tail = rest.get(end..)?;
                let skip = if tail.starts_with("->") { 2 } else { 0 };
                match tail.as_bytes().get(skip) {
                    Some(b'[') => end += skip + matching(tail.get(skip..)?, 0, b'[', b']')? + 1,
                    _ => break,
                }
            }
        }
        let simple = end == len + 1;
        let name = rest.get(1..=len)?;
        let object = if simple {
            match self.vars.get(&format!("${name}")).or_else(|| self.vars.get(name)) {
                Some(object) => object.clone(),
                None if name == "_" => self.stdin(),
                None => Object::Other,
            }
        } else {
            let code = rest.get(..end)?.to_owned();
            self.nested(&code)
        };
        Some((Some(object), end))
    }

    /// The words of a command literal (Julia): quotes and `$x` as a shell would read them.
    pub(super) fn command_words(&mut self, text: &str) -> Vec<Object> {
        let mut words = Vec::new();
        let mut word: Option<Value> = None;
        let mut rest = text;
        let mut quote: Option<char> = None;
        while let Some(first) = rest.chars().next() {
            let mut used = first.len_utf8();
            match (quote, first) {
                (Some(q), _) if q == first => quote = None,
                (None, '"' | '\'') => {
                    quote = Some(first);
                    word.get_or_insert_with(Value::empty);
                }
                (None, c) if c.is_whitespace() => words.extend(word.take().map(Object::Text)),
                (None | Some('"'), '$') => match self.expand(rest, Interpolation::Sigil) {
                    Some((Some(Object::List(items)), len)) if word.is_none() => {
                        words.extend(items);
                        used = len;
                    }
                    Some((object, len)) => {
                        let value = object.map(|o| o.text()).unwrap_or_default();
                        word.get_or_insert_with(Value::empty).append(&value);
                        used = len.max(1);
                    }
                    None => word.get_or_insert_with(Value::empty).push_str("$"),
                },
                (_, c) => {
                    word.get_or_insert_with(Value::empty).push_str(c.encode_utf8(&mut [0; 4]));
                }
            }
            rest = rest.get(used..).unwrap_or("");
        }
        words.extend(word.map(Object::Text));
        words
    }

    /// `%s`-style (`percent`) or `{}`-style formatting.
    pub(super) fn format(&mut self, format: &Object, values: &[Object], percent: bool) -> Object {
        let Some(text) = format.as_known() else {
            return Object::Text(Value::unknown("formatted").tainted(format.text().taint()));
        };
        let mut out = Value::empty();
        let mut next = 0usize;
        let mut rest = text.as_str();
        while let Some(first) = rest.chars().next() {
            let tail = rest.get(first.len_utf8()..).unwrap_or("");
            if percent && first == '%' {
                if let Some(after) = tail.strip_prefix('%') {
                    out.push_str("%");
                    rest = after;
                    continue;
                }
                let len = tail.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(tail.len());
                let kind = tail.get(len..).and_then(|t| t.chars().next());
                let named = tail.strip_prefix('(').and_then(|t| t.split_once(')'));
                let (value, after) = match named {
                    Some((name, after)) => {
                        (values.first().and_then(|d| d.entry(name)), after.get(1..).unwrap_or(""))
                    }
                    None => {
                        next += 1;
                        (values.get(next - 1), tail.get(len + 1..).unwrap_or(""))
                    }
                };
                match (value, kind) {
                    (Some(Object::Num(n)), Some('c')) => out.append(
                        &u32::try_from(*n)
                            .ok()
                            .and_then(char::from_u32)
                            .map_or(Value::unknown("computed"), |c| Value::known(c.to_string())),
                    ),
                    (Some(Object::Num(n)), Some('x')) => out.push_str(&format!("{n:x}")),
                    (Some(Object::Num(n)), Some('o')) => out.push_str(&format!("{n:o}")),
                    (Some(value), _) => out.append(&value.text()),
                    (None, _) => out.append(&Value::unknown("formatted")),
                }
                rest = after;
            } else if !percent && first == '{' {
                if let Some(after) = tail.strip_prefix('{') {
                    out.push_str("{");
                    rest = after;
                    continue;
                }
                let Some((inside, after)) = tail.split_once('}') else {
                    out.push_str(rest);
                    break;
                };
                let key = inside.split([':', '!']).next().unwrap_or("");
                let value = match key.parse::<usize>() {
                    Ok(index) => values.get(index),
                    Err(_) if key.is_empty() => {
                        next += 1;
                        values.get(next - 1)
                    }
                    Err(_) => values.iter().find_map(|v| v.entry(key)),
                };
                out.append(&value.map_or(Value::unknown("formatted"), Object::text));
                rest = after;
            } else if !percent && first == '}' && tail.starts_with('}') {
                out.push_str("}");
                rest = tail.get(1..).unwrap_or("");
            } else {
                out.push_str(first.encode_utf8(&mut [0; 4]));
                rest = tail;
            }
            if out.pieces().len() > 256 {
                break;
            }
        }
        Object::Text(out)
    }
}

/// The position of the bracket that closes the one at `from`.
fn matching(text: &str, from: usize, open: u8, shut: u8) -> Option<usize> {
    let mut depth = 0u32;
    let mut inside: Option<u8> = None;
    // Bounded: what is not closed by then is taken for text; expressions in strings are short.
    for (at, byte) in text.bytes().enumerate().skip(from).take(8192) {
        match inside {
            Some(mark) if byte == mark => inside = None,
            Some(_) => {}
            None if byte == b'"' || byte == b'\'' => inside = Some(byte),
            None if byte == open => depth += 1,
            None if byte == shut => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            None => {}
        }
    }
    None
}

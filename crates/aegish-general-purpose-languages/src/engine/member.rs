//! Members and subscripts of a value that is not called, and assignments to them.

use super::call::{LONGEST, Reference};
use super::cursor::Cursor;
use super::interpreter::Interpreter;
use super::lex::TokenKind;
use super::object::{Args, Object};
use super::operand::number;
use crate::CodeEffect;
use aegish_profiles::Lang;

impl Interpreter<'_> {
    /// The value of a reference that is not called.
    pub(super) fn settle(&mut self, reference: Reference) -> Object {
        let Some(member) = reference.member else {
            if self.injected.is_some()
                && matches!(reference.object, Object::Name(_) | Object::Lambda(_))
            {
                return self.call(reference, Args::default());
            }
            return reference.object;
        };
        match reference.object {
            Object::Name(path) => {
                if matches!(path.as_str(), "process.env" | "Deno.env" | "Bun.env") {
                    return self.env(&member);
                }
                let full = format!("{path}.{member}");
                if self.injected.is_some() {
                    return self.call(
                        Reference { object: Object::Name(full), member: None },
                        Args::default(),
                    );
                }
                if let Some(value) = self.vars.get(&full) {
                    return value.clone();
                }
                if let Some(text) = constant(&full) {
                    return Object::known(text);
                }
                if full.len() > LONGEST { Object::Other } else { Object::Name(full) }
            }
            Object::Dict(_) => reference.object.entry(&member).cloned().unwrap_or(Object::Other),
            Object::Conn | Object::Proc(_) | Object::File(_) => reference.object,
            Object::Text(ref value) if value.has_unknown() => reference.object,
            _ => Object::Other,
        }
    }

    /// `object.member = value`, if that is what follows.
    pub(super) fn assign_member(
        &mut self,
        c: &mut Cursor<'_>,
        object: &Object,
        member: &str,
    ) -> Option<Object> {
        if !c.is_op(0, "=") && !c.is_op(0, "+=") {
            return None;
        }
        let plain = c.is_op(0, "=");
        c.pos += 1;
        let value = self.expr(c, 3);
        match object {
            Object::Proc(true) if matches!(value, Object::Conn) => self.attach(),
            Object::Name(path) if path == "process.env" => {
                self.record(CodeEffect::Setenv { name: member.to_owned(), value: value.text() });
            }
            Object::Name(path) if plain && path.len() < LONGEST => {
                self.set(&format!("{path}.{member}"), value.clone());
            }
            // Perl's and Ruby's setters of the effective user.
            _ => {}
        }
        if let Object::Name(path) = object
            && matches!(
                (path.as_str(), member),
                ("Process.UID" | "Process.Sys" | "Process", "euid" | "uid" | "eid")
            )
        {
            self.record(CodeEffect::SetUser(value.text()));
        }
        Some(value)
    }

    /// `object[…]` or `object{…}`.
    pub(super) fn subscript(
        &mut self,
        c: &mut Cursor<'_>,
        object: &Object,
        inside: (usize, usize),
    ) -> Object {
        let (from, to) = inside;
        if let Some(sliced) = self.slice(object, c, inside) {
            return sliced;
        }
        let mut inner = c.part(from, to, true);
        let mut list = self.items(&mut inner).list;
        let key =
            if list.len() == 1 { list.pop().unwrap_or(Object::Other) } else { Object::List(list) };
        if let Object::Name(path) = object {
            let environment = matches!(
                path.as_str(),
                "os.environ" | "environ" | "ENV" | "process.env" | "os.environb"
            );
            if environment && let Some(name) = key.as_known() {
                if c.is_op(0, "=") {
                    c.pos += 1;
                    let value = self.expr(c, 3);
                    self.record(CodeEffect::Setenv { name, value: value.text() });
                    return value;
                }
                return self.env(&name);
            }
            if matches!(path.as_str(), "sys.argv" | "process.argv" | "os.Args" | "Deno.args") {
                return self.argument(path, key.as_num());
            }
        }
        match object {
            Object::Name(path) => match key {
                Object::Text(_) => match key.as_known() {
                    Some(name) => {
                        let full = format!("{path}.{name}").replace(".__dict__.", ".");
                        if full.len() > LONGEST { Object::Other } else { Object::Name(full) }
                    }
                    None => Object::Other,
                },
                _ => Object::Other,
            },
            Object::Dict(_) => key
                .as_known()
                .and_then(|name| object.entry(&name).cloned())
                .unwrap_or(Object::Other),
            Object::List(items) => {
                let base =
                    i64::from(matches!(self.dialect.lang, Lang::R | Lang::Julia | Lang::Octave));
                let place = key.as_num().map(|n| {
                    if n < 0 { n + i64::try_from(items.len()).unwrap_or(0) } else { n - base }
                });
                place
                    .and_then(|n| usize::try_from(n).ok())
                    .and_then(|n| items.get(n))
                    .cloned()
                    .unwrap_or(Object::Other)
            }
            Object::Text(value) => match (value.as_known(), key.as_num()) {
                (Some(text), Some(place)) => {
                    let count = i64::try_from(text.chars().count()).unwrap_or(0);
                    let place = if place < 0 { place + count } else { place };
                    match usize::try_from(place).ok().and_then(|n| text.chars().nth(n)) {
                        Some(found) => Object::known(found.to_string()),
                        None => Object::Other,
                    }
                }
                (None, _) => object.clone(),
                _ => Object::Other,
            },
            Object::Conn | Object::Proc(_) => object.clone(),
            _ => Object::Other,
        }
    }

    pub(super) fn argument(&self, path: &str, place: Option<i64>) -> Object {
        let Some(place) = place.and_then(|n| usize::try_from(n).ok()) else {
            return Object::Other;
        };
        let args = self.around.args;
        let at = |n: Option<usize>| {
            n.and_then(|n| args.get(n)).cloned().map_or(Object::Other, Object::Text)
        };
        match path {
            "Deno.args" => at(Some(place)),
            // `node -e` has no script name among its arguments, `node file` has.
            "process.argv" => at(place.checked_sub(1)).either(at(place.checked_sub(2))),
            _ => at(place.checked_sub(1)),
        }
    }

    /// `[a:b]`, `[::-1]` of a known text or list.
    pub(super) fn slice(
        &mut self,
        object: &Object,
        c: &Cursor<'_>,
        inside: (usize, usize),
    ) -> Option<Object> {
        if !matches!(self.dialect.lang, Lang::Go | Lang::Julia) {
            return None;
        }
        let tokens = c.tokens.get(inside.0..inside.1.min(c.tokens.len()))?;
        if tokens.len() > 8
            || !tokens.iter().any(|t| t.kind == TokenKind::Op && matches!(t.text, ":" | "::"))
        {
            return None;
        }
        let mut parts: Vec<Option<i64>> = vec![None];
        let mut sign = 1;
        for tok in tokens {
            match (tok.kind, tok.text) {
                (TokenKind::Op, ":") => parts.push(None),
                (TokenKind::Op, "::") => parts.extend([None, None]),
                (TokenKind::Op, "-") => sign = -1,
                (TokenKind::Num, text) => {
                    *parts.last_mut()? = number(text, self.dialect.lang).as_num().map(|n| n * sign);
                    sign = 1;
                }
                _ => return Some(Object::Other),
            }
        }
        let items: Vec<Object> = match object {
            Object::List(items) if !self.vars.contains_key("sys.argv") => items.clone(),
            Object::Text(value) => {
                value.as_known()?.chars().map(|ch| Object::known(ch.to_string())).collect()
            }
            Object::Name(path) if path == "sys.argv" => self.arguments(true),
            other => {
                return Some(if matches!(other, Object::Text(_) | Object::Conn) {
                    other.clone()
                } else {
                    Object::Other
                });
            }
        };
        self.burn(items.len());
        let len = i64::try_from(items.len()).ok()?;
        let clamp = |n: i64| if n < 0 { (n + len).max(0) } else { n.min(len) };
        let step = parts.get(2).copied().flatten().unwrap_or(1);
        if step == 0 {
            return Some(Object::Other);
        }
        let (start, stop) = (parts.first().copied().flatten(), parts.get(1).copied().flatten());
        let mut picked = Vec::new();
        if step > 0 {
            let (mut at, stop) = (clamp(start.unwrap_or(0)), clamp(stop.unwrap_or(len)));
            while at < stop {
                picked.extend(usize::try_from(at).ok().and_then(|n| items.get(n)).cloned());
                at += step;
            }
        } else {
            let mut at = start.map_or(len - 1, |n| clamp(n).min(len - 1));
            let stop = stop.map_or(-1, clamp);
            while at > stop && at >= 0 {
                picked.extend(usize::try_from(at).ok().and_then(|n| items.get(n)).cloned());
                at += step;
            }
        }
        if matches!(object, Object::Text(_)) {
            let text: String = picked.iter().filter_map(Object::as_known).collect();
            return Some(Object::known(text));
        }
        Some(Object::List(picked))
    }
}

/// Names of constants with a known text.
fn constant(path: &str) -> Option<&'static str> {
    Some(match path {
        "sys.executable" => "python3",
        "process.execPath" | "process.argv0" => "node",
        "RbConfig.ruby" | "Gem.ruby" => "ruby",
        "os.sep" | "os.path.sep" | "path.sep" | "path.posix.sep" | "File.SEPARATOR" => "/",
        "os.linesep" | "os.EOL" => "\n",
        "os.devnull" | "os.devNull" | "File.NULL" | "IO.NULL" => "/dev/null",
        "os.curdir" => ".",
        "os.pardir" => "..",
        "os.name" => "posix",
        "sys.platform" | "process.platform" => "linux",
        "string.ascii_lowercase" => "abcdefghijklmnopqrstuvwxyz",
        "string.ascii_uppercase" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "string.ascii_letters" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "string.digits" => "0123456789",
        _ => return None,
    })
}

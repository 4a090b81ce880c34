//! Members and subscripts of a value that is not called, and assignments to them.

use super::call::{LONGEST, Place};
use super::lex::Kind;
use super::obj::{Args, Obj};
use super::operand::number;
use super::state::{Cur, Machine};
use super::table::Do;
use crate::CodeEffect;
use aegish_profiles::Lang;

impl Machine<'_> {
    /// The value of a place that is not called.
    pub(super) fn settle(&mut self, place: Place) -> Obj {
        let Some(member) = place.member else {
            if self.injected.is_some() && matches!(place.object, Obj::Name(_) | Obj::Lambda(_)) {
                return self.call(place, Args::default());
            }
            // A bare word may be a call: `fork`, `gets`, `chr`.
            if let (Lang::Perl | Lang::Ruby, Obj::Name(path)) = (self.d.lang, &place.object)
                && matches!(
                    self.lookup(path),
                    Some(Do::Fork | Do::Stdin | Do::Pure(_) | Do::DeleteAll)
                )
            {
                return self.call(place, Args::default());
            }
            return place.object;
        };
        match place.object {
            Obj::Name(path) => {
                if matches!(path.as_str(), "process.env" | "Deno.env" | "Bun.env") {
                    return self.env(&member);
                }
                let full = format!("{path}.{member}");
                if self.injected.is_some() {
                    return self
                        .call(Place { object: Obj::Name(full), member: None }, Args::default());
                }
                if let Some(value) = self.vars.get(&full) {
                    return value.clone();
                }
                if let Some(text) = constant(&full) {
                    return Obj::known(text);
                }
                if full.len() > LONGEST { Obj::Other } else { Obj::Name(full) }
            }
            Obj::Dict(_) => place.object.entry(&member).cloned().unwrap_or(Obj::Other),
            Obj::Conn | Obj::Proc(_) | Obj::File(_) => place.object,
            Obj::Text(ref value) if value.has_unknown() => place.object,
            _ => Obj::Other,
        }
    }

    /// `object.member = value`, if that is what follows.
    pub(super) fn assign_member(
        &mut self,
        c: &mut Cur<'_>,
        object: &Obj,
        member: &str,
    ) -> Option<Obj> {
        if !c.is_op(0, "=") && !c.is_op(0, "+=") {
            return None;
        }
        let plain = c.is_op(0, "=");
        c.pos += 1;
        let value = self.expr(c, 3);
        match object {
            Obj::Proc(true) if matches!(value, Obj::Conn) => self.attach(),
            Obj::Name(path) if path == "process.env" => {
                self.kind(CodeEffect::Setenv { name: member.to_owned(), value: value.text() });
            }
            Obj::Name(path) if plain && path.len() < LONGEST => {
                self.set(&format!("{path}.{member}"), value.clone());
            }
            // Perl's and Ruby's setters of the effective user.
            _ => {}
        }
        if let Obj::Name(path) = object
            && matches!(
                (path.as_str(), member),
                ("Process.UID" | "Process.Sys" | "Process", "euid" | "uid" | "eid")
            )
        {
            self.kind(CodeEffect::SetUser(value.text()));
        }
        Some(value)
    }

    /// `object[…]` or `object{…}`.
    pub(super) fn subscript(
        &mut self,
        c: &mut Cur<'_>,
        object: &Obj,
        inside: (usize, usize),
    ) -> Obj {
        let (from, to) = inside;
        let toks = c.toks.get(from..to.min(c.toks.len())).unwrap_or(&[]);
        if let Some(sliced) = self.slice(object, c, inside) {
            return sliced;
        }
        let key = match toks {
            [only] if only.kind == Kind::Name && self.d.lang == Lang::Perl => Obj::known(only.text),
            _ => {
                let mut inner = c.part(from, to, true);
                let mut list = self.items(&mut inner).list;
                if list.len() == 1 { list.pop().unwrap_or(Obj::Other) } else { Obj::List(list) }
            }
        };
        if let Obj::Name(path) = object {
            let environment = matches!(
                path.as_str(),
                "os.environ" | "environ" | "ENV" | "process.env" | "os.environb"
            );
            if environment && let Some(name) = key.as_known() {
                if c.is_op(0, "=") {
                    c.pos += 1;
                    let value = self.expr(c, 3);
                    self.kind(CodeEffect::Setenv { name, value: value.text() });
                    return value;
                }
                return self.env(&name);
            }
            if matches!(path.as_str(), "sys.argv" | "process.argv" | "os.Args" | "Deno.args") {
                return self.argument(path, key.as_num());
            }
        }
        match object {
            Obj::Name(path) => match key {
                Obj::Text(_) => match key.as_known() {
                    Some(name) => {
                        let full = format!("{path}.{name}").replace(".__dict__.", ".");
                        if full.len() > LONGEST { Obj::Other } else { Obj::Name(full) }
                    }
                    None => Obj::Other,
                },
                _ => Obj::Other,
            },
            Obj::Dict(_) => {
                key.as_known().and_then(|name| object.entry(&name).cloned()).unwrap_or(Obj::Other)
            }
            Obj::List(items) => {
                let base = i64::from(matches!(self.d.lang, Lang::R | Lang::Julia | Lang::Octave));
                let place = key.as_num().map(|n| {
                    if n < 0 { n + i64::try_from(items.len()).unwrap_or(0) } else { n - base }
                });
                place
                    .and_then(|n| usize::try_from(n).ok())
                    .and_then(|n| items.get(n))
                    .cloned()
                    .unwrap_or(Obj::Other)
            }
            Obj::Text(value) => match (value.as_known(), key.as_num()) {
                (Some(text), Some(place)) => {
                    let count = i64::try_from(text.chars().count()).unwrap_or(0);
                    let place = if place < 0 { place + count } else { place };
                    match usize::try_from(place).ok().and_then(|n| text.chars().nth(n)) {
                        Some(found) => Obj::known(found.to_string()),
                        None => Obj::Other,
                    }
                }
                (None, _) => object.clone(),
                _ => Obj::Other,
            },
            Obj::Conn | Obj::Proc(_) => object.clone(),
            _ => Obj::Other,
        }
    }

    pub(super) fn argument(&self, path: &str, place: Option<i64>) -> Obj {
        let Some(place) = place.and_then(|n| usize::try_from(n).ok()) else {
            return Obj::Other;
        };
        let args = self.around.args;
        let at =
            |n: Option<usize>| n.and_then(|n| args.get(n)).cloned().map_or(Obj::Other, Obj::Text);
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
        object: &Obj,
        c: &Cur<'_>,
        inside: (usize, usize),
    ) -> Option<Obj> {
        if !matches!(self.d.lang, Lang::Python | Lang::Go | Lang::Julia) {
            return None;
        }
        let toks = c.toks.get(inside.0..inside.1.min(c.toks.len()))?;
        if toks.len() > 8
            || !toks.iter().any(|t| t.kind == Kind::Op && matches!(t.text, ":" | "::"))
        {
            return None;
        }
        let mut parts: Vec<Option<i64>> = vec![None];
        let mut sign = 1;
        for tok in toks {
            match (tok.kind, tok.text) {
                (Kind::Op, ":") => parts.push(None),
                (Kind::Op, "::") => parts.extend([None, None]),
                (Kind::Op, "-") => sign = -1,
                (Kind::Num, text) => {
                    *parts.last_mut()? = number(text, self.d.lang).as_num().map(|n| n * sign);
                    sign = 1;
                }
                _ => return Some(Obj::Other),
            }
        }
        let items: Vec<Obj> = match object {
            Obj::List(items) if !self.vars.contains_key("sys.argv") => items.clone(),
            Obj::Text(value) => {
                value.as_known()?.chars().map(|ch| Obj::known(ch.to_string())).collect()
            }
            Obj::Name(path) if path == "sys.argv" => self.arguments(true),
            other => {
                return Some(if matches!(other, Obj::Text(_) | Obj::Conn) {
                    other.clone()
                } else {
                    Obj::Other
                });
            }
        };
        self.burn(items.len());
        let len = i64::try_from(items.len()).ok()?;
        let clamp = |n: i64| if n < 0 { (n + len).max(0) } else { n.min(len) };
        let step = parts.get(2).copied().flatten().unwrap_or(1);
        if step == 0 {
            return Some(Obj::Other);
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
        if matches!(object, Obj::Text(_)) {
            let text: String = picked.iter().filter_map(Obj::as_known).collect();
            return Some(Obj::known(text));
        }
        Some(Obj::List(picked))
    }
}

/// Names that stand for a text every reader of the code can tell.
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

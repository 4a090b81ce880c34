//! Who is called: resolves a name, member or function value, then has the call performed.

use super::lex::Kind;
use super::obj::{Args, Obj};
use super::operand::number;
use super::state::{Cur, Machine};
use super::table::{Do, Pure, find};
use super::walk::element;
use crate::code::CodeAct;
use crate::value::Value;
use aegish_profiles::Lang;

/// Longest path that is followed; keeps chains linear.
const LONGEST: usize = 160;

/// An object and, if one was named, a member of it that has not been asked for yet.
pub(super) struct Place {
    pub(super) object: Obj,
    pub(super) member: Option<String>,
}

/// Prefixes that change nothing about what a name means.
const PREFIXES: &[&str] = &[
    "__builtins__.",
    "__builtin__.",
    "builtins.",
    "globals.",
    "globalThis.",
    "global.",
    "window.",
    "self.",
    "Kernel.",
    "CORE.GLOBAL.",
    "CORE.",
    "main.",
    "sys.modules.",
    "Packages.",
    "java.lang.",
    "java.net.",
    "java.io.",
    "java.nio.file.",
    "java.util.",
    "javax.script.",
    "Base.",
    "base.",
    "process.mainModule.",
    "module.",
    "Object.",
    "_G.",
    "utils.",
];

impl Machine<'_> {
    /// What the table says about a path.
    pub(super) fn lookup(&self, path: &str) -> Option<Do> {
        let lower;
        let mut path = path;
        if self.d.fold {
            lower = path.to_ascii_lowercase();
            path = lower.trim_start_matches('.');
        }
        if let Some(found) = find(self.d.calls, path) {
            return Some(found);
        }
        if let Some(found) = path
            .strip_suffix(".new")
            .and_then(|stem| find(self.d.calls, stem))
        {
            return Some(found);
        }
        let mut short = path;
        while let Some(rest) = PREFIXES
            .iter()
            .find_map(|prefix| short.strip_prefix(prefix))
        {
            short = rest;
            if let Some(found) = find(self.d.calls, short) {
                return Some(found);
            }
        }
        let short = short
            .strip_suffix(".new")
            .or_else(|| short.strip_suffix(".call"))
            .unwrap_or(short);
        if short.len() == path.len() {
            None
        } else {
            find(self.d.calls, short)
        }
    }

    /// The table entry a place would resolve to.
    fn entry(&self, place: &Place) -> Option<Do> {
        match (&place.object, &place.member) {
            (Obj::Name(path), None) => self.lookup(path),
            (Obj::Name(path), Some(member)) => self
                .lookup(&format!("{path}.{member}"))
                .or_else(|| find(self.d.methods, member)),
            (_, Some(member)) => find(self.d.methods, member),
            _ => None,
        }
    }

    /// What functions passed to this call will be given.
    fn callback_for(&self, place: &Place) -> Obj {
        match &place.object {
            Obj::Conn => return self.received(),
            Obj::List(_) => return element(&place.object),
            Obj::Text(value) if value.has_unknown() => return place.object.clone(),
            Obj::Proc(_) | Obj::File(_) => return place.object.clone(),
            Obj::Name(_) if matches!(place.member.as_deref(), Some("then")) => {
                return place.object.clone();
            }
            _ => {}
        }
        match self.entry(place) {
            Some(Do::Connect(_) | Do::Listen(_) | Do::Accept | Do::Socket) => Obj::Conn,
            Some(Do::Http(_)) => {
                Obj::from_source("received", crate::value::Source::Network("fetched".into()))
            }
            _ => Obj::Other,
        }
    }

    /// Sets what function literals in the arguments will be given; returns what was set before.
    pub(super) fn expect_callback(&mut self, place: &Place, c: &Cur<'_>) -> Obj {
        if self.d.lang == Lang::Perl
            && let (Obj::Name(name), None) = (&place.object, &place.member)
            && matches!(name.as_str(), "open" | "socket" | "accept" | "sysopen")
        {
            let first = (0..4).filter_map(|n| c.at(n)).find(|t| {
                t.kind == Kind::Var
                    || (t.kind == Kind::Name && !matches!(t.text, "my" | "local" | "our"))
            });
            self.handle = first.map(|t| {
                if t.kind == Kind::Var {
                    format!("${}", t.text)
                } else {
                    t.text.to_owned()
                }
            });
        }
        let next = self.callback_for(place);
        std::mem::replace(&mut self.callback, next)
    }

    /// The value of a place that is not called.
    pub(super) fn settle(&mut self, place: Place) -> Obj {
        let Some(member) = place.member else {
            if self.injected.is_some() && matches!(place.object, Obj::Name(_) | Obj::Lambda(_)) {
                return self.call(place, Args::default());
            }
            // A bare word may be a call: `fork`, `gets`, `chr`.
            if let (Lang::Perl | Lang::Ruby, Obj::Name(path)) = (self.d.lang, &place.object)
                && matches!(self.lookup(path), Some(Do::Fork | Do::Stdin | Do::Pure(_)))
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
                    return self.call(
                        Place {
                            object: Obj::Name(full),
                            member: None,
                        },
                        Args::default(),
                    );
                }
                if let Some(value) = self.vars.get(&full) {
                    return value.clone();
                }
                if full.len() > LONGEST {
                    Obj::Other
                } else {
                    Obj::Name(full)
                }
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
            Obj::Proc(shell) if matches!(value, Obj::Conn) => {
                if *shell {
                    self.attach();
                }
            }
            Obj::Name(path) if path == "process.env" => self.act(CodeAct::Setenv {
                name: member.to_owned(),
                value: value.text(),
            }),
            Obj::Name(path) if plain && path.len() < LONGEST => {
                self.set(&format!("{path}.{member}"), value.clone())
            }
            // Perl's and Ruby's setters of the effective user.
            _ => {}
        }
        if let Obj::Name(path) = object
            && matches!(
                (path.as_str(), member),
                (
                    "Process.UID" | "Process.Sys" | "Process",
                    "euid" | "uid" | "eid"
                )
            )
        {
            self.act(CodeAct::SetUser(value.text()));
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
                if list.len() == 1 {
                    list.pop().unwrap_or(Obj::Other)
                } else {
                    Obj::List(list)
                }
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
                    self.act(CodeAct::Setenv {
                        name,
                        value: value.text(),
                    });
                    return value;
                }
                return self.env(&name);
            }
            if matches!(
                path.as_str(),
                "sys.argv" | "process.argv" | "os.Args" | "Deno.args"
            ) {
                return self.argument(path, key.as_num());
            }
        }
        match object {
            Obj::Name(path) => match key {
                Obj::Text(_) => match key.as_known() {
                    Some(name) => {
                        let full = format!("{path}.{name}").replace(".__dict__.", ".");
                        if full.len() > LONGEST {
                            Obj::Other
                        } else {
                            Obj::Name(full)
                        }
                    }
                    None => Obj::Other,
                },
                _ => Obj::Other,
            },
            Obj::Dict(_) => key
                .as_known()
                .and_then(|name| object.entry(&name).cloned())
                .unwrap_or(Obj::Other),
            Obj::List(items) => {
                let base = i64::from(matches!(self.d.lang, Lang::R | Lang::Julia | Lang::Octave));
                let place = key.as_num().map(|n| {
                    if n < 0 {
                        n + i64::try_from(items.len()).unwrap_or(0)
                    } else {
                        n - base
                    }
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
                    match usize::try_from(place)
                        .ok()
                        .and_then(|n| text.chars().nth(n))
                    {
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

    fn argument(&self, path: &str, place: Option<i64>) -> Obj {
        let Some(place) = place.and_then(|n| usize::try_from(n).ok()) else {
            return Obj::Other;
        };
        let args = self.around.args;
        let at = |n: Option<usize>| {
            n.and_then(|n| args.get(n))
                .cloned()
                .map_or(Obj::Other, Obj::Text)
        };
        match path {
            "Deno.args" => at(Some(place)),
            // `node -e` has no script name among its arguments, `node file` has.
            "process.argv" => at(place.checked_sub(1)).either(at(place.checked_sub(2))),
            _ => at(place.checked_sub(1)),
        }
    }

    /// `[a:b]`, `[::-1]` of a known text or list.
    fn slice(&mut self, object: &Obj, c: &Cur<'_>, inside: (usize, usize)) -> Option<Obj> {
        if !matches!(self.d.lang, Lang::Python | Lang::Go | Lang::Julia) {
            return None;
        }
        let toks = c.toks.get(inside.0..inside.1.min(c.toks.len()))?;
        if toks.len() > 8
            || !toks
                .iter()
                .any(|t| t.kind == Kind::Op && matches!(t.text, ":" | "::"))
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
            Obj::List(items) if matches!(self.vars.get("sys.argv"), None) => items.clone(),
            Obj::Text(value) => value
                .as_known()?
                .chars()
                .map(|ch| Obj::known(ch.to_string()))
                .collect(),
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
        let (start, stop) = (
            parts.first().copied().flatten(),
            parts.get(1).copied().flatten(),
        );
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

    /// A call.
    pub(super) fn call(&mut self, place: Place, args: Args) -> Obj {
        if !self.burn(1) {
            return Obj::Other;
        }
        let mut args = args;
        if let Some(first) = self.injected.take() {
            args.list.insert(0, first);
        }
        let callback = self.callback_for(&place);
        let functions: Vec<usize> = args
            .list
            .iter()
            .chain(args.named.iter().map(|(_, value)| value))
            .filter_map(|item| {
                if let Obj::Lambda(index) = item {
                    Some(*index)
                } else {
                    None
                }
            })
            .collect();
        let result = self.dispatch(place, args);
        let callback =
            if matches!(result, Obj::File(_) | Obj::Conn) && !matches!(callback, Obj::Text(_)) {
                result.clone()
            } else {
                callback
            };
        // Functions handed over run some time, with whatever the callee gives them.
        for index in functions {
            if self.lambdas.get(index).is_some_and(|l| !l.called) {
                self.invoke(index, std::slice::from_ref(&callback));
            }
        }
        result
    }

    fn dispatch(&mut self, place: Place, args: Args) -> Obj {
        match (place.object, place.member) {
            (Obj::Name(path), None) => self.call_path(&path, args),
            (Obj::Lambda(index), None) => self.invoke(index, &args.list),
            (Obj::Lambda(index), Some(member))
                if matches!(member.as_str(), "call" | "apply" | "()") =>
            {
                let list = if member == "call" && self.d.lang == Lang::Node {
                    args.list.get(1..).unwrap_or(&[]).to_vec()
                } else {
                    args.list
                };
                self.invoke(index, &list)
            }
            // `$f = "system"; $f("…")`
            (Obj::Text(value), None) if matches!(self.d.lang, Lang::Php | Lang::Perl) => {
                match value.as_known() {
                    Some(name) if name.len() < LONGEST => {
                        self.call_path(&name.replace("::", "."), args)
                    }
                    _ if !value.taint().is_none() => {
                        self.run_text(self.d.lang, &value);
                        Obj::Other
                    }
                    _ => Obj::Other,
                }
            }
            (Obj::List(items), None) => match items.first() {
                // PHP: ["Class", "method"](…)
                Some(only) if items.len() == 1 => self.apply(&only.clone(), args),
                _ => Obj::Other,
            },
            (_, None) => Obj::Other,
            (Obj::Name(path), Some(member)) => {
                if path == "super" || path == "self" || path == "this" {
                    if let Some(Obj::Lambda(index)) = self.vars.get(&member) {
                        let index = *index;
                        return self.invoke(index, &args.list);
                    }
                }
                let full = format!("{path}.{member}");
                if full.len() > LONGEST {
                    return self.method(Obj::Other, &member, args);
                }
                if let Some(value @ Obj::Lambda(_)) = self.vars.get(&full) {
                    let value = value.clone();
                    return self.apply(&value, args);
                }
                if self.lookup(&full).is_some() || find(self.d.methods, &member).is_none() {
                    return self.call_path(&full, args);
                }
                self.method(Obj::Name(path), &member, args)
            }
            (object, Some(member)) => self.method(object, &member, args),
        }
    }

    /// A call of something known by its path.
    pub(super) fn call_path(&mut self, path: &str, args: Args) -> Obj {
        match self.lookup(path) {
            Some(what) => self.perform(what, args, path),
            None => {
                // Reflection: `obj.send(:system, "…")`, `getMethod("exec")`.
                let last = path.rsplit('.').next().unwrap_or(path);
                if matches!(last, "send" | "public_send" | "__send__" | "method")
                    && self.d.lang == Lang::Ruby
                {
                    return self.perform(Do::Apply(0), args, path);
                }
                // What an unknown function makes of content still comes from there.
                let taint = self.content_taint(&args);
                if !taint.is_none() {
                    return Obj::Text(Value::unknown("computed").tainted(&taint));
                }
                if let Some(Obj::Conn) = args.list.first() {
                    return Obj::Conn;
                }
                if path.len() > LONGEST {
                    Obj::Other
                } else {
                    Obj::Name(path.to_owned())
                }
            }
        }
    }

    /// A method of a value.
    fn method(&mut self, object: Obj, name: &str, mut args: Args) -> Obj {
        match &object {
            Obj::Conn => return self.connection_method(name, args),
            Obj::File(index) => return self.file_method(*index, name, &args),
            Obj::Proc(shell) => return self.process_method(*shell, name, &args),
            Obj::Dict(pairs)
                if pairs.iter().any(|(key, value)| {
                    key == name && matches!(value, Obj::Lambda(_) | Obj::Name(_))
                }) =>
            {
                let function = object.entry(name).cloned().unwrap_or(Obj::Other);
                return self.apply(&function, args);
            }
            _ => {}
        }
        if matches!(name, "send" | "public_send" | "__send__") && self.d.lang == Lang::Ruby {
            return self.perform(Do::Apply(0), args, name);
        }
        if matches!(name, "map" | "collect" | "flat_map" | "each_char" | "chars")
            && args.list.is_empty()
            && self.d.blocks
            && matches!(object, Obj::List(_))
        {
            self.mapping = true;
            return object;
        }
        let Some(what) = find(self.d.methods, name) else {
            // What is derived from unknown content is unknown content from the same place.
            return match object {
                Obj::Text(value) if value.has_unknown() => {
                    if let Some(Obj::File(index)) = args.list.first() {
                        self.add_content(*index, &value);
                    }
                    Obj::Text(value)
                }
                Obj::Text(value) => Obj::Text(Value::unknown("computed").tainted(value.taint())),
                Obj::Name(path) if path.len() < LONGEST => Obj::Name(format!("{path}.{name}")),
                _ => Obj::Other,
            };
        };
        if let (Do::Connect(_) | Do::Listen(_), false) = (what, self.looks_like_address(&args)) {
            return Obj::Other;
        }
        if matches!(what, Do::Pure(Pure::Map)) {
            self.mapping = args.list.is_empty();
        }
        args.list.insert(0, object);
        self.perform(what, args, name)
    }
}

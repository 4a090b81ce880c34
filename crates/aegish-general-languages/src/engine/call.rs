//! Who is called: resolves a name, member or function value, then has the call performed.

use super::lex::Kind;
use super::obj::{Args, Obj};
use super::state::{Cur, Machine};
use super::table::{Do, Pure, find};
use super::walk::element;
use aegish_profiles::Lang;
use aegish_values::Value;

/// Longest path that is followed; keeps chains linear.
pub(super) const LONGEST: usize = 160;

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
    "System.Diagnostics.",
    "System.IO.",
    "System.Net.Sockets.",
    "System.Net.",
    "System.Reflection.",
    "System.Text.",
    "System.",
    "Base.",
    "base.",
    "process.mainModule.",
    "module.",
    "Object.",
    "_G.",
    "utils.",
];

/// What those prefixes start with; most paths start with none of it.
const HEADS: &[&str] = &[
    "Base",
    "CORE",
    "Kernel",
    "Object",
    "Packages",
    "System",
    "_G",
    "__builtin__",
    "__builtins__",
    "base",
    "builtins",
    "global",
    "globalThis",
    "globals",
    "java",
    "javax",
    "main",
    "module",
    "process",
    "self",
    "sys",
    "utils",
    "window",
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
        if let Some(found) = path.strip_suffix(".new").and_then(|stem| find(self.d.calls, stem)) {
            return Some(found);
        }
        let mut short = path;
        let head = path.split_once('.').map_or("", |(head, _)| head);
        if HEADS.binary_search(&head).is_err() && !path.ends_with(".call") {
            return None;
        }
        while let Some(rest) = PREFIXES.iter().find_map(|prefix| short.strip_prefix(prefix)) {
            short = rest;
            if let Some(found) = find(self.d.calls, short) {
                return Some(found);
            }
        }
        let short =
            short.strip_suffix(".new").or_else(|| short.strip_suffix(".call")).unwrap_or(short);
        if short.len() == path.len() { None } else { find(self.d.calls, short) }
    }

    /// The table entry a place would resolve to.
    pub(super) fn entry(&self, place: &Place) -> Option<Do> {
        match (&place.object, &place.member) {
            (Obj::Name(path), None) => self.lookup(path),
            (Obj::Name(path), Some(member)) => {
                self.lookup(&format!("{path}.{member}")).or_else(|| find(self.d.methods, member))
            }
            (_, Some(member)) => find(self.d.methods, member),
            _ => None,
        }
    }

    /// What functions passed to this call will be given.
    pub(super) fn callback_for(&self, place: &Place) -> Obj {
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
                Obj::from_source("received", aegish_values::Source::Network("fetched".into()))
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
                if t.kind == Kind::Var { format!("${}", t.text) } else { t.text.to_owned() }
            });
        }
        // Only functions that are walked where they stand need to know now.
        let inline = matches!(
            self.d.lang,
            Lang::Ruby | Lang::Lua | Lang::Julia | Lang::Octave | Lang::Elixir
        );
        let next = if inline || !c.top { self.callback_for(place) } else { Obj::Other };
        std::mem::replace(&mut self.callback, next)
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
        if self.d.lang == Lang::Node && place.member.as_deref() == Some("then") {
            return self.then(&place, &args);
        }
        let lambda = |item: &Obj| matches!(item, Obj::Lambda(_));
        if !args.list.iter().any(lambda) && !args.named.iter().any(|(_, value)| lambda(value)) {
            return self.dispatch(place, args);
        }
        let callback = self.callback_for(&place);
        let functions: Vec<usize> = args
            .list
            .iter()
            .chain(args.named.iter().map(|(_, value)| value))
            .filter_map(|item| if let Obj::Lambda(index) = item { Some(*index) } else { None })
            .collect();
        let named_args = args.option("args").cloned();
        let result = self.dispatch(place, args);
        let callback =
            if matches!(result, Obj::File(_) | Obj::Conn) && !matches!(callback, Obj::Text(_)) {
                result.clone()
            } else {
                callback
            };
        // Python: Thread(target=f, args=(x,))
        let given = match named_args {
            Some(Obj::List(items)) => items,
            _ => vec![callback],
        };
        // Functions handed over run some time, with whatever the callee gives them.
        for index in functions {
            if self.lambdas.get(index).is_some_and(|l| !l.called) {
                self.invoke(index, &given);
            }
        }
        result
    }

    /// `promise.then(function)`: the function gets what the promise turns out to be, and gives the next one.
    fn then(&mut self, place: &Place, args: &Args) -> Obj {
        let given = self.callback_for(place);
        let result = match args.list.first() {
            Some(Obj::Lambda(index)) => self.invoke(*index, std::slice::from_ref(&given)),
            Some(Obj::Name(path)) => {
                let list = vec![given.clone()];
                self.call_path(path, Args { list, ..Args::default() })
            }
            _ => Obj::Other,
        };
        if matches!(result, Obj::Other) { given } else { result }
    }

    pub(super) fn dispatch(&mut self, place: Place, args: Args) -> Obj {
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
                if matches!(path.as_str(), "super" | "self" | "this")
                    && let Some(Obj::Lambda(index)) = self.vars.get(&member)
                {
                    let index = *index;
                    return self.invoke(index, &args.list);
                }
                let full = format!("{path}.{member}");
                if full.len() > LONGEST {
                    return self.method(Obj::Other, &member, args);
                }
                if let Some(value @ Obj::Lambda(_)) = self.vars.get(&full) {
                    let value = value.clone();
                    return self.apply(&value, args);
                }
                if let Some(what) = self.lookup(&full) {
                    return self.perform(what, args, &full);
                }
                if find(self.d.methods, &member).is_none() {
                    // A method or module function defined in this very code.
                    if let Some(Obj::Lambda(index)) = self.vars.get(&member) {
                        let index = *index;
                        return self.invoke(index, &args.list);
                    }
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
                if path.len() > LONGEST { Obj::Other } else { Obj::Name(path.to_owned()) }
            }
        }
    }

    /// A method of a value.
    pub(super) fn method(&mut self, object: Obj, name: &str, mut args: Args) -> Obj {
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
            if let (Obj::Other, Some(Obj::Lambda(index))) = (&object, self.vars.get(name)) {
                let index = *index;
                return self.invoke(index, &args.list);
            }
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

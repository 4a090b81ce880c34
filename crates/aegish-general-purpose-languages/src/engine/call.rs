//! Resolves the name, member or function value of a call, then evaluates the call.

use super::call_effect::{CallEffect, find};
use super::cursor::Cursor;
use super::interpreter::Interpreter;
use super::object::{Args, Object};
use super::statements::element;
use aegish_profiles::Lang;
use aegish_values::Value;

/// Longest path that is followed. The bound keeps the work linear.
pub(super) const LONGEST: usize = 160;

/// An object and, if the code names one, a member of it that is not evaluated yet.
pub(super) struct Reference {
    pub(super) object: Object,
    pub(super) member: Option<String>,
}

/// Prefixes that do not change the meaning of a name.
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
    "_ENV.",
    "_G.",
    "utils.",
];

/// First components of these prefixes. Most paths start with none of them.
const HEADS: &[&str] = &[
    "Base",
    "CORE",
    "Kernel",
    "Object",
    "Packages",
    "System",
    "_ENV",
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

impl Interpreter<'_> {
    /// Looks up a path in the call table.
    pub(super) fn lookup(&self, path: &str) -> Option<CallEffect> {
        let lower;
        let mut path = path;
        if self.dialect.fold {
            lower = path.to_ascii_lowercase();
            path = lower.trim_start_matches('.');
        }
        if let Some(found) = find(self.dialect.calls, path) {
            return Some(found);
        }
        if let Some(found) =
            path.strip_suffix(".new").and_then(|stem| find(self.dialect.calls, stem))
        {
            return Some(found);
        }
        let mut short = path;
        let head = path.split_once('.').map_or("", |(head, _)| head);
        if HEADS.binary_search(&head).is_err() && !path.ends_with(".call") {
            return None;
        }
        while let Some(rest) = PREFIXES.iter().find_map(|prefix| short.strip_prefix(prefix)) {
            short = rest;
            if let Some(found) = find(self.dialect.calls, short) {
                return Some(found);
            }
        }
        let short =
            short.strip_suffix(".new").or_else(|| short.strip_suffix(".call")).unwrap_or(short);
        if short.len() == path.len() { None } else { find(self.dialect.calls, short) }
    }

    /// The table entry a reference would resolve to.
    pub(super) fn entry(&self, reference: &Reference) -> Option<CallEffect> {
        match (&reference.object, &reference.member) {
            (Object::Name(path), None) => self.lookup(path),
            (Object::Name(path), Some(member)) => self
                .lookup(&format!("{path}.{member}"))
                .or_else(|| find(self.dialect.methods, member)),
            (_, Some(member)) => find(self.dialect.methods, member),
            _ => None,
        }
    }

    /// The argument that functions passed to this call receive.
    pub(super) fn callback_for(&self, reference: &Reference) -> Object {
        match &reference.object {
            Object::Conn => return self.received(),
            Object::List(_) => return element(&reference.object),
            Object::Text(value) if value.has_unknown() => return reference.object.clone(),
            Object::Proc(_) | Object::File(_) => return reference.object.clone(),
            Object::Name(_) if matches!(reference.member.as_deref(), Some("then")) => {
                return reference.object.clone();
            }
            _ => {}
        }
        match self.entry(reference) {
            Some(
                CallEffect::Connect(_)
                | CallEffect::Listen(_)
                | CallEffect::Accept
                | CallEffect::Socket,
            ) => Object::Conn,
            Some(CallEffect::Http(_)) => {
                Object::from_source("received", aegish_values::Source::Network("fetched".into()))
            }
            _ => Object::Other,
        }
    }

    /// Sets the argument of function literals in the arguments; returns the previous one.
    pub(super) fn expect_callback(&mut self, reference: &Reference, c: &Cursor<'_>) -> Object {
        // A stored function gets its argument when it is called.
        let inline = matches!(self.dialect.lang, Lang::Julia | Lang::Octave | Lang::Elixir);
        let next = if inline || !c.top { self.callback_for(reference) } else { Object::Other };
        std::mem::replace(&mut self.callback, next)
    }

    /// A call.
    pub(super) fn call(&mut self, reference: Reference, args: Args) -> Object {
        if !self.burn(1) {
            return Object::Other;
        }
        let mut args = args;
        if let Some(first) = self.injected.take() {
            args.list.insert(0, first);
        }
        let lambda = |item: &Object| matches!(item, Object::Lambda(_));
        if !args.list.iter().any(lambda) && !args.named.iter().any(|(_, value)| lambda(value)) {
            return self.dispatch(reference, args);
        }
        let callback = self.callback_for(&reference);
        let functions: Vec<usize> = args
            .list
            .iter()
            .chain(args.named.iter().map(|(_, value)| value))
            .filter_map(|item| if let Object::Lambda(index) = item { Some(*index) } else { None })
            .collect();
        let named_args = args.option("args").cloned();
        let result = self.dispatch(reference, args);
        let callback = if matches!(result, Object::File(_) | Object::Conn)
            && !matches!(callback, Object::Text(_))
        {
            result.clone()
        } else {
            callback
        };
        // Python: Thread(target=f, args=(x,))
        let given = match named_args {
            Some(Object::List(items)) => items,
            _ => vec![callback],
        };
        // Functions passed as arguments may be called by the callee.
        for index in functions {
            if self.lambdas.get(index).is_some_and(|l| !l.called) {
                self.invoke(index, &given);
            }
        }
        result
    }

    pub(super) fn dispatch(&mut self, reference: Reference, args: Args) -> Object {
        match (reference.object, reference.member) {
            (Object::Name(path), None) => self.call_path(&path, args),
            (Object::Lambda(index), None) => self.invoke(index, &args.list),
            (Object::Lambda(index), Some(member))
                if matches!(member.as_str(), "call" | "apply" | "()") =>
            {
                self.invoke(index, &args.list)
            }
            (Object::List(items), None) => match items.first() {
                Some(only) if items.len() == 1 => self.apply(&only.clone(), args),
                _ => Object::Other,
            },
            (_, None) => Object::Other,
            (Object::Name(path), Some(member)) => {
                if matches!(path.as_str(), "super" | "self" | "this")
                    && let Some(Object::Lambda(index)) = self.vars.get(&member)
                {
                    let index = *index;
                    return self.invoke(index, &args.list);
                }
                let full = format!("{path}.{member}");
                if full.len() > LONGEST {
                    return self.method(Object::Other, &member, args);
                }
                if let Some(value @ Object::Lambda(_)) = self.vars.get(&full) {
                    let value = value.clone();
                    return self.apply(&value, args);
                }
                if let Some(what) = self.lookup(&full) {
                    return self.evaluate_call(what, args, &full);
                }
                if find(self.dialect.methods, &member).is_none() {
                    // A method or module function that this code defines.
                    if let Some(Object::Lambda(index)) = self.vars.get(&member) {
                        let index = *index;
                        return self.invoke(index, &args.list);
                    }
                    return self.call_path(&full, args);
                }
                self.method(Object::Name(path), &member, args)
            }
            (object, Some(member)) => self.method(object, &member, args),
        }
    }

    /// A call of something known by its path.
    pub(super) fn call_path(&mut self, path: &str, args: Args) -> Object {
        match self.lookup(path) {
            Some(what) => self.evaluate_call(what, args, path),
            None => {
                let last = path.rsplit('.').next().unwrap_or(path);
                self.mention(last, &args);
                // The result of an unknown function has the sources of its arguments.
                let taint = self.content_taint(&args);
                if !taint.is_none() {
                    return Object::Text(Value::unknown("computed").tainted(&taint));
                }
                if let Some(Object::Conn) = args.list.first() {
                    return Object::Conn;
                }
                if path.len() > LONGEST { Object::Other } else { Object::Name(path.to_owned()) }
            }
        }
    }

    /// A method of a value.
    pub(super) fn method(&mut self, object: Object, name: &str, mut args: Args) -> Object {
        match &object {
            Object::Conn => return self.connection_method(name, args),
            Object::File(index) => return self.file_method(*index, name, &args),
            Object::Proc(shell) => return self.process_method(*shell, name, &args),
            Object::Dict(pairs)
                if pairs.iter().any(|(key, value)| {
                    key == name && matches!(value, Object::Lambda(_) | Object::Name(_))
                }) =>
            {
                let function = object.entry(name).cloned().unwrap_or(Object::Other);
                return self.apply(&function, args);
            }
            _ => {}
        }
        if matches!(name, "map" | "collect" | "flat_map" | "each_char" | "chars")
            && args.list.is_empty()
            && self.dialect.blocks
            && matches!(object, Object::List(_))
        {
            self.mapping = true;
            return object;
        }
        let Some(what) = find(self.dialect.methods, name) else {
            if let (Object::Other, Some(Object::Lambda(index))) = (&object, self.vars.get(name)) {
                let index = *index;
                return self.invoke(index, &args.list);
            }
            if matches!(object, Object::List(_) | Object::Other) {
                self.mention(name, &args);
            }
            // A value derived from unknown content has the same sources.
            return match object {
                Object::Text(value) if value.has_unknown() || value.has_glob() => {
                    if let Some(Object::File(index)) = args.list.first() {
                        self.add_content(*index, &value);
                    }
                    Object::Text(value)
                }
                Object::Text(value) => {
                    Object::Text(Value::unknown("computed").tainted(value.taint()))
                }
                Object::Name(path) if path.len() < LONGEST => {
                    Object::Name(format!("{path}.{name}"))
                }
                _ => Object::Other,
            };
        };
        if let (CallEffect::Connect(_) | CallEffect::Listen(_), false) =
            (what, self.looks_like_address(&args))
        {
            return Object::Other;
        }
        args.list.insert(0, object);
        self.evaluate_call(what, args, name)
    }
}

//! Evaluates a call: an entry of a call table and its arguments give effects and a value.

use super::call_effect::CallEffect;
use super::interpreter::Interpreter;
use super::object::{Args, Object};
use crate::CodeEffect;
use aegish_code_effects::operand::{globbed, is_url};
use aegish_profiles::Lang;
use aegish_values::{Piece, Value};

/// Argument names that stand for the first positional argument.
const FIRST: &[&str] = &[
    "args", "cmd", "code", "command", "file", "filename", "name", "path", "source", "text", "url",
];

impl Interpreter<'_> {
    /// Evaluates a call, records its effects and returns its value.
    pub(super) fn evaluate_call(&mut self, what: CallEffect, mut args: Args, path: &str) -> Object {
        let name = path;
        if args.list.is_empty()
            && let Some(place) =
                args.named.iter().position(|(name, _)| FIRST.binary_search(&name.as_str()).is_ok())
        {
            let (_, value) = args.named.remove(place);
            args.list.push(value);
        }
        match what {
            CallEffect::Pure(pure) => self.pure(pure, args),
            CallEffect::Same(n) => {
                args.list.into_iter().nth(usize::from(n)).unwrap_or(Object::Other)
            }
            CallEffect::Nothing => Object::Other,
            CallEffect::Shell(n) => self.shell_call(n, &args),
            CallEffect::Program(n) => self.program_call(n, &args),
            CallEffect::Words(n) => self.words_call(n, &args),
            CallEffect::Argv(n) => {
                let items: Vec<Object> = args
                    .list
                    .iter()
                    .skip(usize::from(n))
                    .filter(|i| !matches!(i, Object::Dict(_) | Object::Lambda(_)))
                    .cloned()
                    .flat_map(Object::items)
                    .collect();
                self.attach_options(&args);
                self.start(items.iter().map(Object::text).collect())
            }
            CallEffect::Exec(n) => {
                let items: Vec<Object> = args
                    .list
                    .iter()
                    .skip(usize::from(n))
                    .filter(|i| !matches!(i, Object::Dict(_)))
                    .cloned()
                    .collect();
                let mut argv: Vec<Value> = items.first().map(Object::text).into_iter().collect();
                match items.get(1) {
                    Some(Object::List(rest)) => argv.extend(rest.iter().skip(1).map(Object::text)),
                    _ => argv.extend(items.iter().skip(2).map(Object::text)),
                }
                self.start(argv)
            }
            CallEffect::Eval(n) => self.eval_call(self.dialect.lang, n, &args),
            CallEffect::Script(n) => {
                if let Some(file) = args.get(n) {
                    self.script(&file.clone());
                }
                Object::Other
            }
            CallEffect::Open(p, m) => self.open_call(p, m, &args),
            CallEffect::Read(n) => match args.get(n) {
                Some(Object::File(index)) => self.file_content(*index),
                Some(Object::Conn) => self.received(),
                Some(file) => self.read(&file.text()),
                None => Object::Other,
            },
            CallEffect::Create(n) => match args.text(n) {
                Some(path) => self.write(
                    path,
                    Value::empty(),
                    args.pair("flags")
                        .and_then(Object::as_known)
                        .is_some_and(|f| f.starts_with('a')),
                ),
                None => Object::Other,
            },
            CallEffect::Write(p, n) | CallEffect::Append(p, n) => {
                let content = args.text(n).unwrap_or_default();
                if let Some(Object::File(index)) = args.get(p) {
                    self.add_content(*index, &content);
                    return Object::Other;
                }
                let append = matches!(what, CallEffect::Append(..))
                    || args
                        .list
                        .iter()
                        .any(|a| matches!(a, Object::Name(n) if n.contains("APPEND")));
                if let Some(path) = args.text(p) {
                    self.write(path, content, append);
                }
                Object::Other
            }
            CallEffect::Delete(n) => {
                self.delete(args.text(n), args.truthy("recursive"));
                Object::Other
            }
            CallEffect::DeleteTree(n) => {
                for item in args.get(n).cloned().map(Object::items).unwrap_or_default() {
                    self.delete(Some(item.text()), true);
                }
                Object::Other
            }
            CallEffect::DeleteAll => {
                for item in args.list.into_iter().flat_map(Object::items) {
                    self.delete(Some(item.text()), false);
                }
                Object::Other
            }
            CallEffect::Mode(p, m) => {
                let mode = match args.get(m) {
                    Some(Object::Num(number)) => Value::known(format!("{number:o}")),
                    Some(other) => other.text(),
                    None => Value::unknown("mode"),
                };
                // chmod MODE, LIST and FileUtils.chmod mode, [files]
                let last = if p > m { args.list.len() } else { usize::from(p) + 1 };
                let paths: Vec<Object> = args
                    .list
                    .iter()
                    .skip(usize::from(p))
                    .take(last.saturating_sub(usize::from(p)))
                    .cloned()
                    .flat_map(Object::items)
                    .collect();
                for path in paths.iter().filter(|p| !p.is_blank()) {
                    self.record(CodeEffect::Mode { path: path.text(), mode: mode.clone() });
                }
                Object::Other
            }
            CallEffect::Owner(p, u, g) => {
                let mut owner = args.text(u).unwrap_or_default();
                owner.push_str(":");
                owner.append(&args.text(g).unwrap_or_default());
                for path in args.get(p).cloned().map(Object::items).unwrap_or_default() {
                    if !path.is_blank() {
                        self.record(CodeEffect::Owner { path: path.text(), owner: owner.clone() });
                    }
                }
                Object::Other
            }
            CallEffect::Copy(a, b) => {
                // A stream copied into a file: what was downloaded is written.
                match (args.get(a), args.get(b)) {
                    (Some(Object::File(from)), Some(Object::File(to))) => {
                        let content = self.file_content(*from).text();
                        self.add_content(*to, &content);
                    }
                    (Some(from), Some(Object::File(to))) => self.add_content(*to, &from.text()),
                    (Some(Object::Text(from)), Some(to)) if from.taint().network().is_some() => {
                        self.write(to.text(), from.clone(), false);
                    }
                    (Some(Object::Text(from)), Some(to)) if is_url(from) => {
                        self.record(CodeEffect::Fetch { url: from.clone(), to: Some(to.text()) });
                    }
                    (Some(from), Some(to)) if !(from.is_blank() && to.is_blank()) => {
                        self.record(CodeEffect::Copy { from: from.text(), to: to.text() });
                    }
                    _ => {}
                }
                Object::Other
            }
            CallEffect::Link(target, name) => {
                if let (Some(target), Some(name)) = (args.text(target), args.text(name)) {
                    let name = self.placed(name);
                    self.record(CodeEffect::Link { target, name });
                }
                Object::Other
            }
            CallEffect::List(n) => {
                if let Some(path) = args.text(n).filter(|p| !p.known_prefix().is_empty()) {
                    self.record(CodeEffect::List(path.clone()));
                    let pattern = match name {
                        "iterdir" => Some(Value::known("*")),
                        "glob" | "rglob" => args.text(1),
                        _ => None,
                    };
                    if let Some(pattern) = pattern {
                        let mut below = path;
                        below.push_str("/");
                        below.append(&pattern);
                        return Object::List(vec![Object::Text(listed(&below, "glob"))]);
                    }
                    return Object::List(vec![Object::Text(listed(&path, name))]);
                }
                Object::Other
            }
            CallEffect::Chdir(n) => {
                if let Some(path) = args.text(n) {
                    self.directory = self.placed(path);
                    self.record(CodeEffect::Chdir(self.directory.clone()));
                }
                Object::Other
            }
            CallEffect::Http(_)
            | CallEffect::FetchTo(..)
            | CallEffect::Post(_)
            | CallEffect::Socket
            | CallEffect::Connect(_)
            | CallEffect::Listen(_)
            | CallEffect::Accept
            | CallEffect::Attach
            | CallEffect::Serve => self.network(what, &args, path),
            CallEffect::Load(n) => {
                // Julia: ccall((:function, "library"), …)
                let library = match args.get(n) {
                    Some(Object::List(items)) => items.last(),
                    other => other,
                };
                if let Some(library) = library.filter(|l| !l.is_blank()) {
                    self.record(CodeEffect::Load(library.text()));
                }
                Object::Other
            }
            CallEffect::User(n) => {
                self.record(CodeEffect::SetUser(args.text(n).unwrap_or(Value::unknown("user"))));
                Object::Other
            }
            CallEffect::Setenv(n, v) => {
                let (name, value) = (args.get(n).and_then(Object::as_known), args.text(v));
                if let Some(name) = name {
                    // PHP: putenv("NAME=value")
                    match (value, name.split_once('=')) {
                        (None, Some((name, value))) => self.record(CodeEffect::Setenv {
                            name: name.to_owned(),
                            value: Value::known(value),
                        }),
                        (value, _) => {
                            self.record(CodeEffect::Setenv {
                                name,
                                value: value.unwrap_or_default(),
                            });
                        }
                    }
                }
                Object::Other
            }
            CallEffect::Fork => {
                self.forked = true;
                if self.here < self.endless && !self.conn {
                    self.record(CodeEffect::Exhaust);
                }
                Object::Other
            }
            CallEffect::Import(n) => match args.get(n).and_then(Object::as_known) {
                Some(name) if name.starts_with(['.', '/']) => self.require(&name),
                Some(name) => Object::Name(name),
                None => Object::Other,
            },
            CallEffect::Env(n) => match args.get(n).and_then(Object::as_known) {
                Some(name) => match (self.env(&name), args.get(n + 1)) {
                    (value, Some(default))
                        if value.as_known().is_none() && default.as_known().is_some() =>
                    {
                        default.clone()
                    }
                    (value, _) => value,
                },
                None => Object::Other,
            },
            CallEffect::Print(line) => {
                self.print_call(line, &args, path);
                Object::Other
            }
            CallEffect::Stdin => self.stdin(),
        }
    }

    // ----- running ---------------------------------------------------------------------------

    pub(super) fn print_call(&mut self, line: bool, args: &Args, path: &str) {
        if args.named.iter().any(|(name, _)| name == "file") {
            return;
        }
        let formatted = path.rsplit('.').next().is_some_and(|n| n.starts_with("printf"))
            || (path == "IO.format");
        let list = if formatted && args.list.len() > 1 {
            let rest = args.list.get(1..).unwrap_or(&[]);
            vec![self.format(&args.list.first().cloned().unwrap_or(Object::Other), rest, true)]
        } else {
            args.list.clone()
        };
        let between = match self.dialect.lang {
            Lang::R => args.option("sep").and_then(Object::as_known).unwrap_or_else(|| " ".into()),
            _ => String::new(),
        };
        let texts: Option<Vec<String>> = list.iter().map(Object::as_known).collect();
        let Some(texts) = texts else {
            return self.print(None);
        };
        let mut out = texts.join(&between);
        if line {
            out.push_str(
                &args.option("end").and_then(Object::as_known).unwrap_or_else(|| "\n".into()),
            );
        }
        self.print(Some(&out));
    }
}

/// The value of a listing: names that match a pattern, or any name.
fn listed(path: &Value, call: &str) -> Value {
    let call = call.to_ascii_lowercase();
    if call.ends_with("directoryiterator") || call == "filesystemiterator" {
        let mut below = path.clone();
        below.push_str("/*");
        return globbed(&below);
    }
    if !call.contains("glob") && !call.ends_with("wildcard") {
        let mut any = Value::empty();
        any.push(Piece::AnyString);
        return any;
    }
    globbed(path)
}

//! What a call does: turns an entry of a call table and its arguments into effects.

use super::net::is_url;
use super::obj::{Args, Obj};
use super::state::Machine;
use super::table::Do;
use crate::CodeEffect;
use aegish_profiles::Lang;
use aegish_values::{Piece, Value};

/// Argument names that stand for the first positional argument.
const FIRST: &[&str] = &[
    "args", "cmd", "code", "command", "file", "filename", "name", "path", "source", "text", "url",
];

impl Machine<'_> {
    /// Performs a call.
    pub(super) fn perform(&mut self, what: Do, mut args: Args, path: &str) -> Obj {
        let name = path;
        if args.list.is_empty()
            && let Some(place) =
                args.named.iter().position(|(name, _)| FIRST.binary_search(&name.as_str()).is_ok())
        {
            let (_, value) = args.named.remove(place);
            args.list.push(value);
        }
        match what {
            Do::Pure(pure) => self.pure(pure, args),
            Do::Same(n) => args.list.into_iter().nth(usize::from(n)).unwrap_or(Obj::Other),
            Do::Nothing => Obj::Other,
            Do::Shell(n) => self.shell_call(n, &args),
            Do::System => self.system_call(&args),
            Do::Subprocess => self.subprocess(&args),
            Do::Spawn => self.spawn_call(&args),
            Do::Program(n) => self.program_call(n, &args),
            Do::Words(n) => self.words_call(n, &args),
            Do::Argv(n) => {
                let items: Vec<Obj> = args
                    .list
                    .iter()
                    .skip(usize::from(n))
                    .filter(|i| !matches!(i, Obj::Dict(_) | Obj::Lambda(_)))
                    .cloned()
                    .flat_map(Obj::items)
                    .collect();
                self.attach_options(&args);
                self.start(items.iter().map(Obj::text).collect())
            }
            Do::Exec(n) => {
                let items: Vec<Obj> = args
                    .list
                    .iter()
                    .skip(usize::from(n))
                    .filter(|i| !matches!(i, Obj::Dict(_)))
                    .cloned()
                    .collect();
                let mut argv: Vec<Value> = items.first().map(Obj::text).into_iter().collect();
                match items.get(1) {
                    Some(Obj::List(rest)) => argv.extend(rest.iter().skip(1).map(Obj::text)),
                    _ => argv.extend(items.iter().skip(2).map(Obj::text)),
                }
                self.start(argv)
            }
            // PHP's assert takes code only as a text.
            Do::Eval(_) if path == "assert" && !matches!(args.list.first(), Some(Obj::Text(_))) => {
                Obj::Other
            }
            Do::Eval(n) => self.eval_call(self.d.lang, n, &args),
            Do::EvalAs(lang, n) => self.eval_call(lang, n, &args),
            Do::Script(n) => {
                if let Some(file) = args.get(n) {
                    self.script(&file.clone());
                }
                Obj::Other
            }
            Do::Open(p, m) => self.open_call(p, m, &args),
            Do::Read(n) => match args.get(n) {
                Some(Obj::File(index)) => self.file_content(*index),
                Some(Obj::Conn) => self.received(),
                Some(file) => self.read(&file.text()),
                None => Obj::Other,
            },
            Do::Create(n) => match args.text(n) {
                Some(path) => self.write(
                    path,
                    Value::empty(),
                    args.pair("flags").and_then(Obj::as_known).is_some_and(|f| f.starts_with('a')),
                ),
                None => Obj::Other,
            },
            Do::Write(p, n) | Do::Append(p, n) => {
                let content = args.text(n).unwrap_or_default();
                if let Some(Obj::File(index)) = args.get(p) {
                    self.add_content(*index, &content);
                    return Obj::Other;
                }
                let append = matches!(what, Do::Append(..))
                    || args.list.iter().any(|a| matches!(a, Obj::Name(n) if n.contains("APPEND")));
                if let Some(path) = args.text(p) {
                    self.write(path, content, append);
                }
                Obj::Other
            }
            Do::Delete(n) => {
                self.delete(args.text(n), args.truthy("recursive"));
                Obj::Other
            }
            Do::DeleteTree(n) => {
                for item in args.get(n).cloned().map(Obj::items).unwrap_or_default() {
                    self.delete(Some(item.text()), true);
                }
                Obj::Other
            }
            Do::DeleteAll => {
                if args.list.is_empty() && self.d.lang == Lang::Perl {
                    args.list.extend(self.vars.get("$_").cloned());
                }
                for item in args.list.into_iter().flat_map(Obj::items) {
                    self.delete(Some(item.text()), false);
                }
                Obj::Other
            }
            Do::Mode(p, m) => {
                let mode = match args.get(m) {
                    Some(Obj::Num(number)) => Value::known(format!("{number:o}")),
                    Some(other) => other.text(),
                    None => Value::unknown("mode"),
                };
                // chmod MODE, LIST and FileUtils.chmod mode, [files]
                let last = if p > m { args.list.len() } else { usize::from(p) + 1 };
                let paths: Vec<Obj> = args
                    .list
                    .iter()
                    .skip(usize::from(p))
                    .take(last.saturating_sub(usize::from(p)))
                    .cloned()
                    .flat_map(Obj::items)
                    .collect();
                for path in paths.iter().filter(|p| !p.is_blank()) {
                    self.kind(CodeEffect::Mode { path: path.text(), mode: mode.clone() });
                }
                Obj::Other
            }
            Do::Owner(p, u, g) => {
                let mut owner = args.text(u).unwrap_or_default();
                owner.push_str(":");
                owner.append(&args.text(g).unwrap_or_default());
                for path in args.get(p).cloned().map(Obj::items).unwrap_or_default() {
                    if !path.is_blank() {
                        self.kind(CodeEffect::Owner { path: path.text(), owner: owner.clone() });
                    }
                }
                Obj::Other
            }
            Do::Copy(a, b) => {
                // A stream copied into a file: what was downloaded is written.
                match (args.get(a), args.get(b)) {
                    (Some(Obj::File(from)), Some(Obj::File(to))) => {
                        let content = self.file_content(*from).text();
                        self.add_content(*to, &content);
                    }
                    (Some(from), Some(Obj::File(to))) => self.add_content(*to, &from.text()),
                    (Some(Obj::Text(from)), Some(to)) if from.taint().network().is_some() => {
                        self.write(to.text(), from.clone(), false);
                    }
                    (Some(Obj::Text(from)), Some(to)) if is_url(from) => {
                        self.kind(CodeEffect::Fetch { url: from.clone(), to: Some(to.text()) });
                    }
                    (Some(from), Some(to)) if !(from.is_blank() && to.is_blank()) => {
                        self.kind(CodeEffect::Copy { from: from.text(), to: to.text() });
                    }
                    _ => {}
                }
                Obj::Other
            }
            Do::List(n) => {
                if let Some(path) = args.text(n).filter(|p| !p.known_prefix().is_empty()) {
                    self.kind(CodeEffect::List(path.clone()));
                    let pattern = match name {
                        "iterdir" => Some(Value::known("*")),
                        "glob" | "rglob" => args.text(1),
                        _ => None,
                    };
                    if let Some(pattern) = pattern {
                        let mut below = path;
                        below.push_str("/");
                        below.append(&pattern);
                        return Obj::List(vec![Obj::Text(listed(&below, "glob"))]);
                    }
                    return Obj::List(vec![Obj::Text(listed(&path, name))]);
                }
                Obj::Other
            }
            Do::Http(_)
            | Do::FetchTo(..)
            | Do::Post(_)
            | Do::Socket
            | Do::Connect(_)
            | Do::Listen(_)
            | Do::Accept
            | Do::Attach
            | Do::Serve => self.network(what, &args, path),
            Do::Load(n) => {
                // Julia: ccall((:function, "library"), …)
                let library = match args.get(n) {
                    Some(Obj::List(items)) => items.last(),
                    other => other,
                };
                if let Some(library) = library.filter(|l| !l.is_blank()) {
                    self.kind(CodeEffect::Load(library.text()));
                }
                Obj::Other
            }
            Do::User(n) => {
                self.kind(CodeEffect::SetUser(args.text(n).unwrap_or(Value::unknown("user"))));
                Obj::Other
            }
            Do::Setenv(n, v) => {
                let (name, value) = (args.get(n).and_then(Obj::as_known), args.text(v));
                if let Some(name) = name {
                    // PHP: putenv("NAME=value")
                    match (value, name.split_once('=')) {
                        (None, Some((name, value))) => self.kind(CodeEffect::Setenv {
                            name: name.to_owned(),
                            value: Value::known(value),
                        }),
                        (value, _) => {
                            self.kind(CodeEffect::Setenv {
                                name,
                                value: value.unwrap_or_default(),
                            });
                        }
                    }
                }
                Obj::Other
            }
            Do::Fork => {
                self.forked = true;
                if self.here < self.endless && !self.conn {
                    self.kind(CodeEffect::Exhaust);
                }
                Obj::Other
            }
            Do::Import(n) => match args.get(n).and_then(Obj::as_known) {
                Some(name) if name.starts_with(['.', '/']) => self.require(&name),
                Some(name) => Obj::Name(name),
                None => Obj::Other,
            },
            Do::Require(n) => match args.get(n) {
                Some(Obj::Name(name)) => Obj::Name(name.clone()),
                Some(other) => match other.as_known() {
                    Some(name) => self.require(&name),
                    None => {
                        self.script(&other.clone());
                        Obj::Other
                    }
                },
                None => Obj::Other,
            },
            Do::Env(n) => match args.get(n).and_then(Obj::as_known) {
                Some(name) => match (self.env(&name), args.get(n + 1)) {
                    (value, Some(default))
                        if value.as_known().is_none() && default.as_known().is_some() =>
                    {
                        default.clone()
                    }
                    (value, _) => value,
                },
                None => Obj::Other,
            },
            Do::Print(line) => {
                self.print_call(line, &args, path);
                Obj::Other
            }
            Do::Stdin => {
                if matches!(self.d.lang, Lang::Ruby) {
                    let line = self.stdin();
                    self.set("$_", line);
                }
                self.stdin()
            }
            Do::Apply(n) => {
                let mut list = args.list.into_iter().skip(usize::from(n));
                let Some(function) = list.next() else {
                    return Obj::Other;
                };
                let rest: Vec<Obj> = list
                    .flat_map(|item| if path.contains("array") { item.items() } else { vec![item] })
                    .collect();
                let rest = Args { list: rest, named: args.named, ..Args::default() };
                match function.as_known() {
                    Some(name) => self.call_path(&name.replace("::", "."), rest),
                    None => self.apply(&function, rest),
                }
            }
            Do::Getattr => match (args.get(0), args.get(1).and_then(Obj::as_known)) {
                (Some(Obj::Name(path)), Some(member)) => Obj::Name(format!("{path}.{member}")),
                (Some(object), Some(_)) => object.clone(),
                _ => Obj::Other,
            },
        }
    }

    // ----- running ---------------------------------------------------------------------------

    pub(super) fn print_call(&mut self, line: bool, args: &Args, path: &str) {
        if let (true, Some(Obj::File(index))) = (args.handle, args.list.first()) {
            let index = *index;
            for item in args.list.iter().skip(1) {
                self.add_content(index, &item.text());
            }
            return;
        }
        if args.handle {
            // print $connection $content
            if let Some(Obj::Name(name)) = args.list.first()
                && name == "STDOUT"
            {
                self.print(None);
            } else if let (Some(handle), rest) =
                (args.list.first().cloned(), args.list.get(1..).unwrap_or(&[]))
            {
                self.print_to(&handle, rest);
            }
            return;
        }
        if args.named.iter().any(|(name, _)| name == "file") {
            return;
        }
        let formatted = path.rsplit('.').next().is_some_and(|n| n.starts_with("printf"))
            || (path == "IO.format");
        let list = if formatted && args.list.len() > 1 {
            let rest = args.list.get(1..).unwrap_or(&[]);
            vec![self.format(&args.list.first().cloned().unwrap_or(Obj::Other), rest, true)]
        } else {
            args.list.clone()
        };
        let between = match self.d.lang {
            Lang::Python | Lang::Node | Lang::R => {
                args.option("sep").and_then(Obj::as_known).unwrap_or_else(|| " ".into())
            }
            Lang::Lua => "\t".into(),
            Lang::Ruby if line => "\n".into(),
            _ => String::new(),
        };
        let texts: Option<Vec<String>> = list.iter().map(Obj::as_known).collect();
        let Some(texts) = texts else {
            return self.print(None);
        };
        let mut out = texts.join(&between);
        if line && !(self.d.lang == Lang::Ruby && out.ends_with('\n')) {
            out.push_str(
                &args.option("end").and_then(Obj::as_known).unwrap_or_else(|| "\n".into()),
            );
        }
        self.print(Some(&out));
    }
}

/// What a listing gives: names that match a pattern, or any name.
fn listed(path: &Value, call: &str) -> Value {
    if !call.to_ascii_lowercase().contains("glob") && !call.ends_with("wildcard") {
        let mut any = Value::empty();
        any.push(Piece::AnyString);
        return any;
    }
    let mut value = Value::empty();
    for piece in path.pieces() {
        match piece {
            Piece::Text(text) => {
                for part in text.split_inclusive(['*', '?']) {
                    if let Some(before) = part.strip_suffix('*') {
                        value.push_str(before);
                        value.push(Piece::AnyString);
                    } else if let Some(before) = part.strip_suffix('?') {
                        value.push_str(before);
                        value.push(Piece::AnyChar);
                    } else {
                        value.push_str(part);
                    }
                }
            }
            other => value.push(other.clone()),
        }
    }
    value
}

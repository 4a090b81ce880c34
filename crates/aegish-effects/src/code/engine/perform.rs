//! What a call does: turns an entry of a call table and its arguments into acts.

use super::net::is_url;
use super::obj::{Args, Obj};
use super::state::{Machine, taint_of};
use super::table::Do;
use crate::code::CodeAct;
use crate::value::{Piece, Source, Value};
use aegish_profiles::Lang;

/// Argument names that stand for the first positional argument.
const FIRST: &[&str] = &[
    "args", "cmd", "code", "command", "file", "filename", "name", "path", "source", "text", "url",
];

/// Whether a program is an interpreter that does what it is told on standard input.
pub(super) fn is_shell(program: &Value) -> bool {
    let Some(text) = program.as_known() else {
        return program.known_prefix().is_empty();
    };
    let first = text
        .trim()
        .trim_start_matches("exec ")
        .split_whitespace()
        .next()
        .unwrap_or("");
    let base = first.rsplit(['/', '\\']).next().unwrap_or(first);
    matches!(
        base,
        "sh" | "bash"
            | "dash"
            | "zsh"
            | "ksh"
            | "mksh"
            | "ash"
            | "fish"
            | "csh"
            | "tcsh"
            | "rbash"
            | "busybox"
            | "cmd"
            | "cmd.exe"
            | "powershell"
            | "powershell.exe"
            | "pwsh"
            | "env"
            | "python"
            | "python3"
            | "perl"
            | "ruby"
            | "node"
            | "su"
            | "sudo"
    )
}

impl Machine<'_> {
    /// Performs a call.
    pub(super) fn perform(&mut self, what: Do, mut args: Args, path: &str) -> Obj {
        if args.list.is_empty()
            && let Some(place) = args
                .named
                .iter()
                .position(|(name, _)| FIRST.binary_search(&name.as_str()).is_ok())
        {
            let (_, value) = args.named.remove(place);
            args.list.push(value);
        }
        match what {
            Do::Pure(pure) => self.pure(pure, args),
            Do::Same(n) => args
                .list
                .into_iter()
                .nth(usize::from(n))
                .unwrap_or(Obj::Other),
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
                    args.pair("flags")
                        .and_then(Obj::as_known)
                        .is_some_and(|f| f.starts_with('a')),
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
                    || args
                        .list
                        .iter()
                        .any(|a| matches!(a, Obj::Name(n) if n.contains("APPEND")));
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
                let last = if p > m {
                    args.list.len()
                } else {
                    usize::from(p) + 1
                };
                let paths: Vec<Obj> = args
                    .list
                    .iter()
                    .skip(usize::from(p))
                    .take(last.saturating_sub(usize::from(p)))
                    .cloned()
                    .flat_map(Obj::items)
                    .collect();
                for path in paths.iter().filter(|p| !p.is_blank()) {
                    self.act(CodeAct::Mode {
                        path: path.text(),
                        mode: mode.clone(),
                    });
                }
                Obj::Other
            }
            Do::Owner(p, u, g) => {
                let mut owner = args.text(u).unwrap_or_default();
                owner.push_str(":");
                owner.append(&args.text(g).unwrap_or_default());
                for path in args.get(p).cloned().map(Obj::items).unwrap_or_default() {
                    if !path.is_blank() {
                        self.act(CodeAct::Owner {
                            path: path.text(),
                            owner: owner.clone(),
                        });
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
                        self.act(CodeAct::Fetch {
                            url: from.clone(),
                            to: Some(to.text()),
                        });
                    }
                    (Some(from), Some(to)) if !(from.is_blank() && to.is_blank()) => {
                        self.act(CodeAct::Copy {
                            from: from.text(),
                            to: to.text(),
                        });
                    }
                    _ => {}
                }
                Obj::Other
            }
            Do::List(n) => {
                if let Some(path) = args.text(n).filter(|p| !p.known_prefix().is_empty()) {
                    self.act(CodeAct::List(path));
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
                if let Some(library) = args.get(n).filter(|l| !l.is_blank()) {
                    self.act(CodeAct::Load(library.text()));
                }
                Obj::Other
            }
            Do::User(n) => {
                self.act(CodeAct::SetUser(
                    args.text(n).unwrap_or(Value::unknown("user")),
                ));
                Obj::Other
            }
            Do::Setenv(n, v) => {
                let (name, value) = (args.get(n).and_then(Obj::as_known), args.text(v));
                if let Some(name) = name {
                    // PHP: putenv("NAME=value")
                    match (value, name.split_once('=')) {
                        (None, Some((name, value))) => self.act(CodeAct::Setenv {
                            name: name.to_owned(),
                            value: Value::known(value),
                        }),
                        (value, _) => self.act(CodeAct::Setenv {
                            name,
                            value: value.unwrap_or_default(),
                        }),
                    }
                }
                Obj::Other
            }
            Do::Fork => {
                self.forked = true;
                if self.here < self.endless && !self.conn {
                    self.act(CodeAct::Exhaust);
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
                    .flat_map(|item| {
                        if path.contains("array") {
                            item.items()
                        } else {
                            vec![item]
                        }
                    })
                    .collect();
                let rest = Args {
                    list: rest,
                    named: args.named,
                    ..Args::default()
                };
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

    /// Runs a text as code of a language; the shell's is a command line.
    pub(super) fn run_text(&mut self, lang: Lang, value: &Value) {
        let said = value.pieces().iter().any(|piece| match piece {
            Piece::Text(text) => !text.trim().is_empty(),
            Piece::OneOf(_) => true,
            _ => false,
        });
        let leads = !value.known_prefix().trim().is_empty()
            || matches!(value.pieces().first(), Some(Piece::OneOf(_)));
        if value.is_known() && !said {
            return;
        }
        if value.has_unknown() && !leads && value.taint().network().is_some() {
            self.act(CodeAct::RunReceived);
            if !said {
                return;
            }
        }
        if said {
            // A shell told to talk to an inherited descriptor while a connection is open.
            if lang == Lang::Shell && self.conn && speaks_to_descriptor(value.known_prefix()) {
                self.attach();
            }
            self.act(if lang == Lang::Shell {
                CodeAct::Shell(value.clone())
            } else {
                CodeAct::Eval(lang, value.clone())
            });
            return;
        }
        let file = value.taint().sources().find_map(|source| {
            if let Source::File(path) = source {
                Some(path.clone())
            } else {
                None
            }
        });
        match file {
            Some(path) => self.act(CodeAct::Script(lang, Value::known(path))),
            None if self.quiet && value.taint().is_none() => {}
            None => self.act(CodeAct::Hidden),
        }
    }

    pub(super) fn run_shell(&mut self, value: &Value) {
        self.run_text(Lang::Shell, value);
    }

    pub(super) fn run_argv(&mut self, argv: Vec<Value>) {
        let Some(program) = argv.first() else { return };
        let blank = |v: &Value| {
            v.has_unknown() && v.known_prefix().is_empty() && v.known_suffix().is_empty()
        };
        let received = |v: &Value| blank(v) && v.taint().network().is_some();
        if received(program) {
            self.act(CodeAct::RunReceived);
            return;
        }
        if is_shell(program) && argv.iter().any(received) {
            self.act(CodeAct::RunReceived);
        } else if blank(program) && argv.iter().all(blank) {
            if !(self.quiet && program.taint().is_none()) {
                self.act(CodeAct::Hidden);
            }
            return;
        }
        self.act(CodeAct::Argv(argv));
    }

    /// Starts a program without a shell.
    fn start(&mut self, argv: Vec<Value>) -> Obj {
        let shell = argv.first().is_some_and(is_shell);
        self.run_argv(argv);
        Obj::Proc(shell)
    }

    /// Connections among the options become standard streams.
    pub(super) fn attach_options(&mut self, args: &Args) {
        fn has_conn(value: &Obj) -> bool {
            match value {
                Obj::Conn => true,
                Obj::List(items) => items.iter().any(has_conn),
                Obj::Dict(pairs) => pairs.iter().any(|(_, value)| has_conn(value)),
                _ => false,
            }
        }
        if args.named.iter().any(|(_, value)| has_conn(value))
            || args.list.iter().skip(1).any(has_conn)
        {
            self.attach();
        }
    }

    pub(super) fn attach(&mut self) {
        self.attached = true;
        self.act(CodeAct::AttachStdio);
    }

    fn shell_call(&mut self, n: u8, args: &Args) -> Obj {
        self.attach_options(args);
        match args.get(n) {
            Some(Obj::List(items)) => self.start(items.iter().map(Obj::text).collect()),
            Some(command) => {
                let text = command.text();
                self.run_shell(&text);
                Obj::Proc(is_shell(&text))
            }
            None => Obj::Other,
        }
    }

    fn system_call(&mut self, args: &Args) -> Obj {
        self.attach_options(args);
        let mut list = args.list.as_slice();
        // Ruby: an environment may come first. Perl: exec {program} argv0, …
        if let Some(Obj::Dict(_)) = list.first() {
            list = list.get(1..).unwrap_or(&[]);
        }
        let mut items: Vec<Obj> = list
            .iter()
            .filter(|i| !matches!(i, Obj::Dict(_)))
            .cloned()
            .collect();
        if args.handle && items.len() > 1 {
            items.remove(1);
            return self.start(items.iter().map(Obj::text).collect());
        }
        match items.as_slice() {
            [] => {
                // `system` alone reads the current line.
                Obj::Other
            }
            [Obj::List(argv)] => {
                let argv = argv.iter().map(Obj::text).collect();
                self.start(argv)
            }
            [only] => {
                let text = only.text();
                self.run_shell(&text);
                Obj::Proc(is_shell(&text))
            }
            [Obj::List(first), rest @ ..] => {
                // Ruby: [program, argv0]
                let argv = first.iter().take(1).chain(rest).map(Obj::text).collect();
                self.start(argv)
            }
            several => self.start(several.iter().map(Obj::text).collect()),
        }
    }

    fn subprocess(&mut self, args: &Args) -> Obj {
        self.attach_options(args);
        let Some(command) = args.get(0) else {
            return Obj::Other;
        };
        let program = args.option("executable").map(Obj::text);
        match (command, args.truthy("shell")) {
            (Obj::List(items), true) => {
                let text = items.first().map(Obj::text).unwrap_or_default();
                self.run_shell(&text);
                Obj::Proc(is_shell(&text))
            }
            (Obj::List(items), false) => {
                let mut argv: Vec<Value> = items.iter().map(Obj::text).collect();
                if let (Some(program), Some(first)) = (program, argv.first_mut()) {
                    *first = program;
                }
                self.start(argv)
            }
            (other, shell) => {
                let text = other.text();
                // Without a shell a text is a program's name; one with blanks was meant for a shell.
                if shell || text.as_known().is_none_or(|t| t.trim().contains(' ')) {
                    self.run_shell(&text);
                    Obj::Proc(is_shell(&text))
                } else {
                    self.start(vec![text])
                }
            }
        }
    }

    fn spawn_call(&mut self, args: &Args) -> Obj {
        self.attach_options(args);
        let Some(program) = args.get(0).map(Obj::text) else {
            return Obj::Other;
        };
        if args.truthy("shell") {
            let mut line = program.clone();
            if let Some(Obj::List(items)) = args.get(1) {
                for item in items {
                    line.push_str(" ");
                    line.append(&item.text());
                }
            }
            self.run_shell(&line);
            return Obj::Proc(is_shell(&program));
        }
        let mut argv = vec![program];
        match args.get(1) {
            Some(Obj::List(items)) => argv.extend(items.iter().map(Obj::text)),
            Some(other @ (Obj::Text(_) | Obj::Other)) => argv.push(other.text()),
            _ => {}
        }
        self.start(argv)
    }

    fn program_call(&mut self, n: u8, args: &Args) -> Obj {
        self.attach_options(args);
        if let Some(Obj::List(items)) = args.get(n).and_then(|a| a.entry("cmd")) {
            return self.start(items.iter().map(Obj::text).collect());
        }
        let Some(program) = args.get(n).map(Obj::text) else {
            return Obj::Other;
        };
        let mut argv = vec![program];
        for key in ["args", "argv"] {
            if let Some(Obj::List(items)) = args.option(key) {
                argv.extend(items.iter().map(Obj::text));
            }
        }
        match args.get(n + 1) {
            Some(Obj::List(items)) => argv.extend(items.iter().map(Obj::text)),
            Some(text @ Obj::Text(_)) => argv.push(text.text()),
            _ => {}
        }
        self.start(argv)
    }

    fn words_call(&mut self, n: u8, args: &Args) -> Obj {
        match args.get(n) {
            // Erlang: {spawn, "command line"}
            Some(Obj::List(items)) if matches!(items.first(), Some(Obj::Name(_))) => {
                let line = items.get(1).and_then(Obj::as_known).unwrap_or_default();
                self.start(line.split_whitespace().map(Value::known).collect())
            }
            Some(Obj::List(items)) => self.start(items.iter().map(Obj::text).collect()),
            Some(command) => match command.as_known() {
                Some(text) => self.start(text.split_whitespace().map(Value::known).collect()),
                None => self.start(vec![command.text()]),
            },
            None => Obj::Other,
        }
    }

    fn eval_call(&mut self, lang: Lang, n: u8, args: &Args) -> Obj {
        // `u8::MAX` stands for the last argument.
        let code = if n == u8::MAX {
            args.list.last()
        } else {
            args.get(n)
        };
        match code {
            Some(Obj::File(index)) => {
                let content = self.file_content(*index).text();
                self.run_text(lang, &content);
            }
            Some(Obj::Conn) => self.act(CodeAct::RunReceived),
            Some(value @ (Obj::Text(_) | Obj::Bytes(_) | Obj::Other)) => {
                self.run_text(lang, &value.text())
            }
            Some(Obj::List(items)) if lang == self.d.lang && !taint_of(items).is_none() => {
                let text = Value::unknown("a list").tainted(&taint_of(items));
                self.run_text(lang, &text);
            }
            _ => {}
        }
        Obj::Name("code".into())
    }

    /// Runs a file as code of this language.
    fn script(&mut self, file: &Obj) {
        match file {
            Obj::Name(_) | Obj::Lambda(_) | Obj::Proc(_) => {}
            _ if file.is_blank() => {}
            _ => {
                let path = file.text();
                if is_url(&path) {
                    self.act(CodeAct::Fetch {
                        url: path,
                        to: None,
                    });
                    self.act(CodeAct::RunReceived);
                } else if path.as_known() == Some("php://input") {
                    self.act(CodeAct::RunReceived);
                } else if path.known_suffix().ends_with(".so") {
                    self.act(CodeAct::Load(path));
                } else if path.has_unknown() && path.known_prefix().is_empty() {
                    self.run_text(self.d.lang, &path);
                } else {
                    self.act(CodeAct::Script(self.d.lang, path));
                }
            }
        }
    }

    /// A module by name: a library, a script of one's own, or a native library.
    pub(super) fn require(&mut self, name: &str) -> Obj {
        let name = name.strip_prefix("node:").unwrap_or(name);
        let native = [".so", ".node", ".dylib", ".dll"]
            .iter()
            .any(|end| name.ends_with(end));
        let own = name.starts_with("./")
            || name.starts_with("../")
            || name.starts_with('/')
            || name.starts_with('~');
        let file =
            own || (self.d.lang == Lang::Perl && (name.contains('/') || name.ends_with(".pl")));
        if is_url(&Value::known(name)) {
            self.act(CodeAct::Fetch {
                url: Value::known(name),
                to: None,
            });
            self.act(CodeAct::RunReceived);
            return Obj::Other;
        }
        if native {
            self.act(CodeAct::Load(Value::known(name)));
        } else if name.ends_with(".json") {
            return self.read(&Value::known(name));
        } else if file {
            self.act(CodeAct::Script(self.d.lang, Value::known(name)));
        }
        if own {
            Obj::Other
        } else {
            Obj::Name(name.replace("::", "."))
        }
    }

    fn print_call(&mut self, line: bool, args: &Args, path: &str) {
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
            } else if let (Some(handle), rest) = (
                args.list.first().cloned(),
                args.list.get(1..).unwrap_or(&[]),
            ) {
                self.print_to(&handle, rest);
            }
            return;
        }
        if args.named.iter().any(|(name, _)| name == "file") {
            return;
        }
        let formatted = path
            .rsplit('.')
            .next()
            .is_some_and(|n| n.starts_with("printf"))
            || (path == "IO.format");
        let list = if formatted && args.list.len() > 1 {
            let rest = args.list.get(1..).unwrap_or(&[]);
            vec![self.format(
                &args.list.first().cloned().unwrap_or(Obj::Other),
                rest,
                true,
            )]
        } else {
            args.list.clone()
        };
        let between = match self.d.lang {
            Lang::Python | Lang::Node | Lang::R => args
                .option("sep")
                .and_then(Obj::as_known)
                .unwrap_or_else(|| " ".into()),
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
                &args
                    .option("end")
                    .and_then(Obj::as_known)
                    .unwrap_or_else(|| "\n".into()),
            );
        }
        self.print(Some(&out));
    }
}

/// `<&3`, `0>&4`: redirections to descriptors beyond the standard ones.
fn speaks_to_descriptor(text: &str) -> bool {
    text.match_indices(['<', '>']).any(|(at, _)| {
        let rest = text.get(at + 1..).unwrap_or("").trim_start();
        rest.strip_prefix('&').is_some_and(|rest| {
            rest.trim_start()
                .starts_with(['3', '4', '5', '6', '7', '8', '9'])
        })
    })
}

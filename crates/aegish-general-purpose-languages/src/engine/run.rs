//! Calls that run something: a shell, a program, code.

use super::interpreter::{Interpreter, taint_of};
use super::object::{Args, Object};
use crate::CodeEffect;
use aegish_code_effects::operand::is_url;
use aegish_profiles::Lang;
use aegish_values::{Piece, Source, Value};

impl Interpreter<'_> {
    /// Runs a text as code of a language. Code of the shell is a command line.
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
            self.record(CodeEffect::RunReceived);
            if !said {
                return;
            }
        }
        if said {
            // The command line redirects to an inherited descriptor while a connection is open.
            if lang == Lang::Shell && self.conn && speaks_to_descriptor(&value.to_string()) {
                self.attach();
            }
            self.record(if lang == Lang::Shell {
                CodeEffect::Shell(value.clone())
            } else {
                CodeEffect::Eval(lang, value.clone())
            });
            return;
        }
        let file = value.taint().sources().find_map(|source| {
            if let Source::File(path) = source { Some(path.clone()) } else { None }
        });
        match file {
            Some(path) => self.record(CodeEffect::Script(lang, Value::known(path))),
            None if self.uncalled && value.taint().is_none() => {}
            // The text is unknown, but a peer may send it.
            None if self.conn => self.record(CodeEffect::RunReceived),
            None => self.record(CodeEffect::Hidden),
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
            self.record(CodeEffect::RunReceived);
            return;
        }
        let told = self.conn && !self.uncalled && argv.len() > 1 && argv.last().is_some_and(blank);
        if is_shell(program) && program.is_known() && (argv.iter().any(received) || told) {
            self.record(CodeEffect::RunReceived);
        } else if blank(program) && argv.iter().all(blank) {
            if !(self.uncalled && program.taint().is_none()) {
                self.record(CodeEffect::Hidden);
            }
            return;
        }
        self.record(CodeEffect::Argv(argv));
    }

    /// Starts a program without a shell.
    pub(super) fn start(&mut self, argv: Vec<Value>) -> Object {
        let shell = argv.first().is_some_and(is_shell);
        self.run_argv(argv);
        Object::Proc(shell)
    }

    /// Connections among the options become standard streams.
    pub(super) fn attach_options(&mut self, args: &Args) {
        fn has_conn(value: &Object) -> bool {
            match value {
                Object::Conn => true,
                Object::List(items) => items.iter().any(has_conn),
                Object::Dict(pairs) => pairs.iter().any(|(_, value)| has_conn(value)),
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
        self.record(CodeEffect::AttachStdio);
    }

    pub(super) fn shell_call(&mut self, n: u8, args: &Args) -> Object {
        self.attach_options(args);
        match args.get(n) {
            Some(Object::List(items)) => self.start(items.iter().map(Object::text).collect()),
            Some(command) => {
                let text = command.text();
                self.run_shell(&text);
                Object::Proc(is_shell(&text))
            }
            None => Object::Other,
        }
    }

    pub(super) fn program_call(&mut self, n: u8, args: &Args) -> Object {
        self.attach_options(args);
        if let Some(Object::List(items)) = args.get(n).and_then(|a| a.entry("cmd")) {
            return self.start(items.iter().map(Object::text).collect());
        }
        let Some(program) = args.get(n).map(Object::text) else {
            return Object::Other;
        };
        let mut argv = vec![program];
        for key in ["args", "argv"] {
            if let Some(Object::List(items)) = args.option(key) {
                argv.extend(items.iter().map(Object::text));
            }
        }
        match args.get(n + 1) {
            Some(Object::List(items)) => argv.extend(items.iter().map(Object::text)),
            Some(text @ Object::Text(_)) => argv.push(text.text()),
            _ => {}
        }
        self.start(argv)
    }

    pub(super) fn words_call(&mut self, n: u8, args: &Args) -> Object {
        match args.get(n) {
            // Erlang: {spawn, "command line"}
            Some(Object::List(items)) if matches!(items.first(), Some(Object::Name(_))) => {
                let line = items.get(1).and_then(Object::as_known).unwrap_or_default();
                self.start(line.split_whitespace().map(Value::known).collect())
            }
            Some(Object::List(items)) => self.start(items.iter().map(Object::text).collect()),
            Some(command) => match command.as_known() {
                Some(text) => self.start(text.split_whitespace().map(Value::known).collect()),
                None => self.start(vec![command.text()]),
            },
            None => Object::Other,
        }
    }

    pub(super) fn eval_call(&mut self, lang: Lang, n: u8, args: &Args) -> Object {
        // `u8::MAX` stands for the last argument.
        let code = if n == u8::MAX { args.list.last() } else { args.get(n) };
        match code {
            Some(Object::File(index)) => {
                let content = self.file_content(*index).text();
                self.run_text(lang, &content);
            }
            Some(Object::Conn) => self.record(CodeEffect::RunReceived),
            Some(value @ (Object::Text(_) | Object::Bytes(_) | Object::Other)) => {
                self.run_text(lang, &value.text());
            }
            Some(Object::List(items))
                if lang == self.dialect.lang && !taint_of(items).is_none() =>
            {
                let text = Value::unknown("a list").tainted(&taint_of(items));
                self.run_text(lang, &text);
            }
            _ => {}
        }
        Object::Name("code".into())
    }

    /// Runs a file as code of this language.
    pub(super) fn script(&mut self, file: &Object) {
        match file {
            Object::Name(_) | Object::Lambda(_) | Object::Proc(_) => {}
            _ if file.is_blank() => {}
            _ => {
                let path = file.text();
                if is_url(&path) {
                    self.record(CodeEffect::Fetch { url: path, to: None });
                    self.record(CodeEffect::RunReceived);
                } else if path.known_suffix().ends_with(".so") {
                    self.record(CodeEffect::Load(path));
                } else if path.has_unknown() && path.known_prefix().is_empty() {
                    self.run_text(self.dialect.lang, &path);
                } else {
                    self.record(CodeEffect::Script(self.dialect.lang, path));
                }
            }
        }
    }

    /// A module by name: a library, a local script, or a native library.
    pub(super) fn require(&mut self, name: &str) -> Object {
        let native = [".so", ".node", ".dylib", ".dll"].iter().any(|end| name.ends_with(end));
        let own = name.starts_with("./")
            || name.starts_with("../")
            || name.starts_with('/')
            || name.starts_with('~');
        if is_url(&Value::known(name)) {
            self.record(CodeEffect::Fetch { url: Value::known(name), to: None });
            self.record(CodeEffect::RunReceived);
            return Object::Other;
        }
        if native {
            self.record(CodeEffect::Load(Value::known(name)));
        } else if name.ends_with(".json") {
            return self.read(&Value::known(name));
        } else if own {
            self.record(CodeEffect::Script(self.dialect.lang, Value::known(name)));
        }
        if own { Object::Other } else { Object::Name(name.replace("::", ".")) }
    }
}

/// Whether a program is an interpreter that runs its standard input.
pub(super) fn is_shell(program: &Value) -> bool {
    let Some(text) = program.as_known() else {
        return program.known_prefix().is_empty();
    };
    let first = text.trim().trim_start_matches("exec ").split_whitespace().next().unwrap_or("");
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

/// `<&3`, `0>&4`: redirections to descriptors beyond the standard ones.
fn speaks_to_descriptor(text: &str) -> bool {
    text.match_indices(['<', '>']).any(|(at, _)| {
        let rest = text.get(at + 1..).unwrap_or("").trim_start();
        rest.strip_prefix('&').is_some_and(|rest| {
            rest.trim_start().starts_with(['3', '4', '5', '6', '7', '8', '9', '‹'])
        })
    })
}

//! Calls that run something: a shell, a program, code.

use super::Interpreter;
use super::files::is_below_system;
use crate::effect::CodeEffect;
use crate::limits::MAX_EVALS;
use crate::value::{Args, Interprets, Val};
use aegish_calls::{Effect, Role};
use aegish_code_library::given::Given;
use aegish_profiles::Lang;
use aegish_values::{Piece, Source, Value};

impl Interpreter<'_> {
    pub(super) fn run_call(&mut self, given: &Given<'_>) -> Val {
        match given.entry.effect {
            Effect::Shell => self.with_environment(given, |this| this.dialect.shell(this, given)),
            Effect::Run | Effect::Argv => {
                self.with_environment(given, |this| this.start_command(given))
            }
            Effect::System => self.with_environment(given, |this| this.system(given)),
            Effect::Commands => self.commands(given.args),
            Effect::Exec => {
                let words = self.dialect.command_words(given);
                let mut argv: Vec<Val> = words.list.first().cloned().into_iter().collect();
                match words.list.get(1) {
                    Some(list @ (Val::List(_) | Val::Tuple(_))) => {
                        let items = self.iterate(list);
                        argv.extend(items.list.into_iter().skip(1));
                        argv.extend(items.rest);
                    }
                    _ => argv.extend(words.list.iter().skip(2).cloned()),
                }
                argv.retain(|word| !matches!(word, Val::Dict(_) | Val::Library(_)));
                self.start(argv.iter().map(Val::to_text).collect())
            }
            Effect::Script => {
                let named = |path: &&Val| self.dialect.names_file(path);
                // A file to compile that is not known is one of the program's own.
                let compiled = given.entry.parameters.iter().any(|(name, _)| *name == "compiled");
                if let Some(path) = given.get(Role::Path).filter(named).map(Val::to_text)
                    && !(compiled && path.has_unknown())
                {
                    return self.run_script(&path);
                }
                Val::unknown()
            }
            Effect::RunModule => {
                if let Some(name) = given.get(Role::Module).and_then(Val::as_known) {
                    match self.load_module(&name) {
                        Some(own) => return own,
                        None => self.record(CodeEffect::Import(name)),
                    }
                }
                Val::unknown()
            }
            _ => {
                // What prepares the rest stands behind it.
                let codes: Vec<Val> = given.all(Role::Code).cloned().collect();
                let run =
                    |this: &mut Self, code: &Val| this.evaluate(code, given.get(Role::Object));
                let values = codes.iter().rev().map(|code| run(self, code));
                values.last().unwrap_or_else(Val::unknown)
            }
        }
    }

    /// Starts a command in the directory that the call names, if it names one.
    pub(super) fn start_command(&mut self, given: &Given<'_>) -> Val {
        self.attach_streams(given);
        let directory = given.get(Role::Directory).filter(|value| **value != Val::None);
        let outer = directory.map(Val::to_text).map(|directory| {
            let outer = self.working_directory();
            self.change_directory(&directory);
            outer
        });
        let value = match (given.entry.effect, given.get(Role::Command).cloned()) {
            (Effect::Run, _) => self.subprocess(given),
            (Effect::Argv, _) => {
                let words = self.dialect.command_words(given);
                self.start_words(&words)
            }
            (_, Some(command)) => self.each(&command, |this, command| match command {
                Val::List(_) | Val::Tuple(_) => this.start_list(command, None),
                Val::None => Val::unknown(),
                other => this.start_shell(&other.to_text()),
            }),
            (_, None) => Val::unknown(),
        };
        if let Some(outer) = outer {
            self.set_directory(outer);
        }
        value
    }

    fn subprocess(&mut self, given: &Given<'_>) -> Val {
        let Some(command) = given.get(Role::Command).cloned() else { return Val::unknown() };
        let shell = given.get(Role::Shell).map_or(Some(false), |shell| self.truth(shell));
        let program = given.get(Role::Program).filter(|value| **value != Val::None).cloned();
        let input = given.get(Role::Input).cloned();
        let started = self.each(&command, |this, command| match command {
            // A shell that gets its commands from a known text is no other one.
            Val::List(_) | Val::Tuple(_)
                if shell == Some(false)
                    && program.is_none()
                    && input.as_ref().is_some_and(|input| input.as_known().is_some())
                    && this.is_bare_shell(command) =>
            {
                Val::Process(Interprets::Input)
            }
            Val::List(_) | Val::Tuple(_) => {
                if shell != Some(false) {
                    let first = this.index(command, &Val::Int(0)).to_text();
                    this.start_shell(&first);
                    if shell == Some(true) {
                        return Val::Process(interprets(&first));
                    }
                }
                this.start_list(command, program.as_ref())
            }
            other => {
                let text = other.to_text();
                // Without a shell a text is the name of a program; one with blanks was meant for a shell.
                if shell != Some(false)
                    || text.as_known().is_none_or(|text| text.trim().contains(' '))
                {
                    this.start_shell(&text)
                } else {
                    this.start(vec![text])
                }
            }
        });
        if let (Some(input), Val::Process(Interprets::Input)) = (input, &started) {
            self.write_to(&started, &[input]);
        }
        started
    }

    /// Whether a list names a shell of the system that reads its commands from its input.
    fn is_bare_shell(&mut self, command: &Val) -> bool {
        let items = self.iterate(command);
        let words: Option<Vec<String>> = items.list.iter().map(Val::as_known).collect();
        let Some(words) = words.filter(|_| items.rest.is_none()) else { return false };
        let Some((name, options)) = words.split_first() else { return false };
        let places = ["", "/bin/", "/usr/bin/"];
        let is_shell = |name: &str| matches!(name, "sh" | "bash" | "dash" | "zsh" | "ksh");
        places.iter().any(|place| name.strip_prefix(place).is_some_and(is_shell))
            && options.iter().all(|option| option == "-s")
    }

    pub fn start_shell(&mut self, text: &Value) -> Val {
        self.run_text(Lang::Shell, text);
        Val::Process(interprets(text))
    }

    /// Starts the program that a list names.
    pub fn start_list(&mut self, list: &Val, program: Option<&Val>) -> Val {
        let items = self.iterate(list);
        let mut argv: Vec<Value> = items.list.iter().map(Val::to_text).collect();
        if let (Some(program), Some(first)) = (program, argv.first_mut()) {
            *first = program.to_text();
        }
        match items.rest {
            None => self.start(argv),
            Some(rest) => {
                let mut longer = argv.clone();
                longer.push(rest.to_text());
                if !argv.is_empty() {
                    self.start(argv);
                }
                self.start(longer)
            }
        }
    }

    /// Starts a program with its words as arguments; lists are flattened.
    fn start_words(&mut self, words: &Args) -> Val {
        let mut argv = Vec::new();
        for word in &words.list {
            match word {
                Val::List(_) | Val::Tuple(_) => {
                    let items = self.iterate(word);
                    argv.extend(items.list.iter().chain(&items.rest).map(Val::to_text));
                }
                // Nothing is no word.
                Val::Dict(_) | Val::Function(_) | Val::None => {}
                other => argv.push(other.to_text()),
            }
        }
        argv.extend(words.rest.as_ref().map(Val::to_text));
        if let [only] = argv.as_slice()
            && self.dialect.splits_programs()
            && only.as_known().is_some_and(|text| text.trim().contains(' '))
        {
            let only = only.clone();
            return self.start_shell(&only);
        }
        self.start(argv)
    }

    pub fn start(&mut self, argv: Vec<Value>) -> Val {
        let kind = argv.first().map_or(Interprets::Nothing, interprets);
        self.run_argv(argv);
        Val::Process(kind)
    }

    fn run_argv(&mut self, argv: Vec<Value>) {
        let Some(program) = argv.first() else { return };
        self.open |= argv.iter().any(|word| is_below_system(word) && self.lacks_own_text(word));
        let blank = |v: &Value| {
            v.has_unknown()
                && v.known_prefix().is_empty()
                && v.known_suffix().is_empty()
                && !v.pieces().iter().any(|p| matches!(p, Piece::OneOf(_)))
        };
        let received = |v: &Value| blank(v) && v.taint().network().is_some();
        if received(program) {
            self.record(CodeEffect::RunReceived);
            return;
        }
        let told =
            self.connected && !self.uncalled && argv.len() > 1 && argv.last().is_some_and(blank);
        if interprets(program) == Interprets::Input
            && program.is_known()
            && (argv.iter().any(received) || told)
        {
            self.record(CodeEffect::RunReceived);
        } else if blank(program) && argv.iter().all(blank) {
            if !(self.uncalled && program.taint().is_none()) {
                self.record(CodeEffect::Hidden);
            }
            return;
        }
        // Each program that it may be is judged alone.
        if let [Piece::OneOf(texts)] = program.pieces() {
            for text in texts {
                let mut one = argv.clone();
                if let Some(first) = one.first_mut() {
                    *first = Value::known(text.clone()).tainted(program.taint());
                }
                self.record(CodeEffect::Argv(one));
            }
            return;
        }
        self.record(CodeEffect::Argv(argv));
    }

    /// Runs a text as code of a language.
    pub fn run_text(&mut self, lang: Lang, value: &Value) {
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
            self.open |= lang == Lang::Shell && self.lacks_own_words(value);
            if lang == Lang::Shell
                && self.connected
                && crate::operand::speaks_to_descriptor(&value.to_string())
            {
                self.attach();
            }
            // Each command that it may be is judged alone.
            let readings = value.readings(8).unwrap_or_default();
            if readings.len() > 1 {
                for text in readings {
                    let text = Value::known(text).tainted(value.taint());
                    self.record_code(lang, text);
                }
            } else {
                self.record_code(lang, value.clone());
            }
            return;
        }
        let file = value.taint().sources().find_map(|source| {
            if let Source::File(path) = source { Some(path.clone()) } else { None }
        });
        match file {
            Some(path) => self.record(CodeEffect::Script(lang, Value::known(path))),
            None if self.uncalled && value.taint().is_none() => {}
            // The text is unknown, but a peer may send it.
            None if self.connected => self.record(CodeEffect::RunReceived),
            None => self.record(CodeEffect::Hidden),
        }
    }

    fn record_code(&mut self, lang: Lang, text: Value) {
        self.record(if lang == Lang::Shell {
            CodeEffect::Shell(text)
        } else {
            CodeEffect::Eval(lang, text)
        });
    }

    /// Evaluates a value as code of this language, in the present scope where it is known.
    pub fn evaluate(&mut self, code: &Val, variables: Option<&Val>) -> Val {
        match code {
            Val::OneOf(_) => {
                return self.each(code, |this, one| this.evaluate(one, variables));
            }
            Val::File(index) => {
                let content = self.file_content(*index);
                return self.evaluate(&content, variables);
            }
            Val::Connection => {
                self.record(CodeEffect::RunReceived);
                return Val::unknown();
            }
            Val::Function(_) | Val::Bound(_) | Val::Partial(_) => {
                return self.call(code, Args::default());
            }
            Val::None | Val::Int(_) | Val::Bool(_) | Val::Library(_) => return Val::unknown(),
            _ => {}
        }
        let text = match code {
            Val::List(_) | Val::Dict(_) => {
                let taint = self.taint_of(code);
                if taint.is_none() {
                    return Val::unknown();
                }
                Value::unknown("a list").tainted(&taint)
            }
            other => other.to_text(),
        };
        let Some(readings) = text.readings(8) else {
            self.run_text(self.language.lang(), &text);
            return Val::Unknown(text.taint().clone(), crate::value::Forgotten::Callable);
        };
        let mut result: Option<Val> = None;
        for reading in readings {
            let one = self.dialect.evaluate(self, &reading, variables);
            result = Some(result.map_or(one.clone(), |known| crate::value::join(&known, &one)));
        }
        result.unwrap_or(Val::None)
    }

    pub fn evaluate_text(&mut self, text: &str, variables: Option<&Val>) -> Val {
        if self.evals >= MAX_EVALS {
            self.open = true;
            return Val::unknown();
        }
        let text = text.trim_start_matches([' ', '\t']);
        let program = self.lower(text);
        self.open |= program.cut;
        // Names given in a map are variables of the code.
        if let Some(Val::Dict(place)) = variables {
            for (key, value) in &self.heap.entries(*place).list {
                if let Some(name) = key.as_known().filter(|name| name != "__builtins__") {
                    self.bind(&name.into(), value.clone());
                }
            }
        }
        self.evals += 1;
        let value = match program.body.as_slice() {
            [crate::ir::Statement::Expr(expr)] => self.expr(expr),
            body if self.dialect.completes() => self.completion(body),
            _ => {
                self.block(&program.body);
                Val::None
            }
        };
        self.evals -= 1;
        if let Some(Val::Dict(place)) = variables {
            let place = *place;
            for (name, cell) in self.scope.names() {
                if let crate::heap::Binding::Bound(value) = self.heap.variable(cell) {
                    self.heap.update_entries(place, |entries| {
                        crate::heap::insert(entries, Val::text(&*name), value);
                    });
                }
            }
        }
        value
    }

    /// Follows statements; their value is that of the last one.
    fn completion(&mut self, body: &[crate::ir::Statement]) -> Val {
        use crate::ir::Statement;
        let mut last = Val::None;
        for statement in body {
            last = match statement {
                Statement::Expr(expr) => self.expr(expr),
                Statement::Assign(targets, value) => {
                    let value = self.expr(value);
                    targets.iter().for_each(|target| self.assign(target, value.clone()));
                    value
                }
                other => {
                    if self.statement(other) == super::Flow::Stop {
                        return Val::unknown();
                    }
                    Val::unknown()
                }
            };
        }
        last
    }

    /// Runs a file as code of this language.
    pub fn run_script(&mut self, path: &Value) -> Val {
        let path = &match self.dialect.reads_file_urls() {
            true => self.resolved(path),
            false => path.clone(),
        };
        if crate::operand::is_url(path) {
            self.record(CodeEffect::Fetch { url: path.clone(), to: None });
            self.record(CodeEffect::RunReceived);
        } else if path.known_suffix().ends_with(".so") {
            self.record(CodeEffect::Load(path.clone()));
        } else if path.has_unknown() && path.known_prefix().is_empty() {
            self.run_text(self.language.lang(), path);
        } else {
            let path = self.resolved(path);
            match self.load_script(&path) {
                Some(value) => return value,
                None => self.record(CodeEffect::Script(self.language.lang(), path)),
            }
        }
        Val::unknown()
    }

    pub(super) fn holds_connection(&self, value: &Val, depth: u32) -> bool {
        match value {
            Val::Connection => true,
            Val::List(place) if depth < 3 => {
                self.heap.items(*place).list.iter().any(|v| self.holds_connection(v, depth + 1))
            }
            Val::Tuple(items) => items.iter().any(|v| self.holds_connection(v, depth + 1)),
            Val::Dict(place) if depth < 3 => self
                .heap
                .entries(*place)
                .list
                .iter()
                .map(|(_, value)| value)
                .chain(&self.heap.entries(*place).rest)
                .any(|v| self.holds_connection(v, depth + 1)),
            _ => false,
        }
    }

    pub fn attach(&mut self) {
        self.attached = true;
        self.record(CodeEffect::AttachStdio);
    }
}

/// Whether a program runs its standard input.
pub fn interprets(program: &Value) -> Interprets {
    let Some(text) = program.as_known() else {
        let blank = program.known_prefix().is_empty();
        return if blank { Interprets::Input } else { Interprets::Nothing };
    };
    let first = text.trim().trim_start_matches("exec ").split_whitespace().next().unwrap_or("");
    let base = first.rsplit('/').next().unwrap_or(first);
    let shell = matches!(
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
            | "pwsh"
            | "env"
            | "python"
            | "python3"
            | "perl"
            | "ruby"
            | "node"
            | "su"
            | "sudo"
    );
    if shell { Interprets::Input } else { Interprets::Nothing }
}

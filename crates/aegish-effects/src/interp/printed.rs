//! Output of programs: pure programs are emulated on known input; for others the origin of their output is
//! known.

use super::simple::base_name;
use super::{CommandResult, FileContent, Interp};
use aegish_analysis::{Effect, EffectKind, Invocation};
use aegish_emulate::raw::{bytes_of, text_of};
use aegish_expansion::found_lines::formatted_status;
use aegish_expansion::items::or_paths_of;
use aegish_expansion::printed::{
    computes, dated, decodes, is_code_filter, is_own_directory, is_project_root, is_verbose,
    keeps_lines, may_say_more, or_text, printed_date, repeated, repeats_operands,
};
use aegish_expansion::{Field, arguments};
use aegish_profiles::Behaviour;
use aegish_shell_state::{Flow, Switch};
use aegish_syntax::Span;
use aegish_values::{MAX_ALTERNATIVES, Piece, Source, Taint, Value, join_values, origin};
use std::cell::{Cell, RefCell};

/// Programs that print nothing on success unless an option asks for it.
const SILENT: &[&str] = &[
    "mkdir", "rmdir", "rm", "touch", "cp", "mv", "ln", "chmod", "chown", "chgrp", "mkfifo",
    "mknod", "sleep", "true", "false", "truncate", "sync", "test", "[",
];

/// Programs that never read standard input.
const WITHOUT_INPUT: &[&str] = &["echo", "printf", "basename", "dirname", "seq", "expr"];

/// Whether this can only succeed: text is printed as it is given. A number that is none makes `printf` fail.
fn only_prints(base: &str, fields: &[Field]) -> bool {
    let plain = |format: &Field| {
        let format = format.value.as_known().unwrap_or("%");
        !format.starts_with('-') && !format.replace("%s", "").replace("%%", "").contains('%')
    };
    base == "echo" || base == "printf" && arguments(fields).first().is_some_and(plain)
}

/// A database that is no file (`sqlite3`).
const IN_MEMORY: &str = ":memory:";

impl Interp<'_> {
    /// The output of a program, as far as it is known.
    pub(super) fn output(
        &mut self,
        base: &str,
        fields: &[Field],
        result: CommandResult,
        first_effect: usize,
    ) -> CommandResult {
        // Its messages go where its output does not.
        if let Some(Flow::Output(id)) = self.state.descriptors.get(&2)
            && (self.output.discarded || self.output.to_file)
            && !WITHOUT_INPUT.contains(&base)
        {
            let id = *id;
            let taint = Taint::from(Source::Program(base.to_owned()));
            self.add_output(id, &Value::unknown("messages").tainted(&taint));
        }
        if !result.stdout.pieces().is_empty() {
            // Output of another machine comes over the network.
            let origin =
                self.effects_since(first_effect).iter().find_map(|effect| match &effect.kind {
                    EffectKind::Connect { host, .. } => Some(host.to_string()),
                    _ => None,
                });
            return match origin {
                Some(origin) if matches!(base, "ssh" | "rsh" | "autossh") => {
                    let taint = Taint::from(Source::Network(origin));
                    CommandResult { stdout: result.stdout.tainted(&taint), status: result.status }
                }
                _ => result,
            };
        }
        if let Some((printed, mut taint)) = self.emulated(base, fields) {
            for field in fields {
                taint.absorb(field.value.taint());
            }
            if !WITHOUT_INPUT.contains(&base) {
                taint.absorb(self.stdin_content().taint());
            }
            // The origin contains the whole chain of programs, so that the policy recognises a filter.
            if !taint.is_none() || decodes(base, fields) {
                taint.add(Source::Program(base.to_owned()));
            }
            let status = result.status.or(only_prints(base, fields).then_some(true));
            return CommandResult { stdout: printed.tainted(&taint), status };
        }
        if self.prints_into_file(base, fields) {
            return CommandResult { stdout: Value::empty(), status: result.status };
        }
        if let Some(printed) = repeats_operands(base, fields) {
            return CommandResult { stdout: printed, status: result.status };
        }
        let mut taint = Taint::from(Source::Program(base.to_owned()));
        for field in arguments(fields) {
            taint.absorb(field.value.taint());
            // A program without a profile probably reads its input.
            if let Some(content) = field.value.as_known().and_then(|known| self.written_at(known)) {
                taint.absorb(content.taint());
            }
        }
        if !matches!(**self.stdin, Flow::Terminal) && !WITHOUT_INPUT.contains(&base) {
            taint.absorb(self.stdin.content().taint());
        }
        for effect in self.effects_since(first_effect) {
            match &effect.kind {
                EffectKind::Read { path, .. } => taint.absorb(&self.origin_of_file(path)),
                EffectKind::Fetch { from, .. } => taint.add(Source::Network(from.to_string())),
                EffectKind::Connect { host, .. } => taint.add(Source::Network(host.to_string())),
                _ => {}
            }
        }
        let mut taint = aegish_expansion::environment::selected(base, fields, taint);
        // A process number refers to the process.
        if matches!(base, "pgrep" | "pidof") {
            let named = arguments(fields).iter().filter_map(|field| field.value.as_known());
            for name in named.filter(|name| !name.starts_with('-')) {
                taint.add(Source::Program(base_name(name).to_owned()));
            }
        }
        if matches!(base, "printenv" | "env")
            && let Some(printed) = self.printed_environment(base, arguments(fields))
        {
            return CommandResult { stdout: printed.tainted(&taint), status: result.status };
        }
        if base == "printenv" {
            taint.absorb(&aegish_expansion::environment::variables_of(fields));
        }
        if SILENT.contains(&base) {
            let names = || arguments(fields).iter().all(|field| field.value.is_known());
            let printed = match fields.iter().any(|field| is_verbose(&field.value)) {
                false => Value::empty(),
                true if names() => Value::one_of_many_values(),
                true => Value::unknown(origin::PROGRAM_OUTPUT),
            };
            let silent = printed.pieces().is_empty();
            let taint = if silent { Taint::none() } else { taint };
            return CommandResult { stdout: printed.tainted(&taint), status: result.status };
        }
        let filtered = || {
            let input = self.stdin_content();
            let bare = input.known_prefix().is_empty() || input.known_prefix().ends_with('\n');
            if base.ends_with("grep") && bare && aegish_expansion::names::is_any_name(&input) {
                return aegish_expansion::computed::chosen_names(fields);
            }
            // A search chooses some of the names.
            let names = aegish_expansion::names::are_paths(&input)
                || !base.ends_with("grep") && aegish_expansion::names::is_any_name(&input);
            (names && keeps_lines(base, fields)).then_some(input)
        };
        let copier = aegish_profiles::find(base)
            .is_some_and(|profile| profile.has(aegish_profiles::Trait::Copier));
        let value = if copier
            && !self
                .effects_since(first_effect)
                .iter()
                .any(|effect| matches!(effect.kind, EffectKind::Read { .. }))
        {
            self.stdin_content()
        } else if let Some(content) = self.copied(base, fields) {
            content
        } else if let Some(path) = filtered() {
            path
        } else if let Some(status) = (base == "stat").then(|| printed_status(fields)).flatten() {
            status
        } else if base == "yes" {
            repeated(fields)
        } else if let Some(date) = (base == "date").then(|| dated(fields)).flatten() {
            date
        } else if base == "printf"
            && let Some(date) = printed_date(arguments(fields))
        {
            date
        } else if base == "pwd" || is_project_root(fields) {
            // The value is known, so its origin adds nothing.
            let mut directory = self.state.cwd.clone();
            directory.push_str("\n");
            return CommandResult { stdout: directory, status: result.status };
        } else if is_own_directory(fields) {
            return CommandResult::output(Value::known("/usr/lib/git-core\n"));
        } else if base == "tty" {
            Value::known("/dev/tty\n")
        } else if base == "which" {
            self.located(arguments(fields))
        } else if base == "mktemp" {
            self.made_up_temporary(fields)
        } else if let Some(paths) = self.printed_names(base, fields) {
            paths
        } else if let Some(names) = self.names_of_session(base, fields) {
            names
        } else if let Some(printed) = self.says_own(base, fields) {
            printed
        } else if let Some(paths) = self.passed_on(base) {
            match self.printed_without_outside(base, fields) {
                Some(printed) => join_values(&paths, &printed),
                None => paths,
            }
        } else if let Some(printed) = self.printed_without_outside(base, fields) {
            printed
        } else {
            let output = Value::unknown(origin::PROGRAM_OUTPUT);
            let operands = arguments(fields).iter().filter_map(|field| field.value.as_known());
            let files = operands.clone().filter_map(|path| self.written_at(path));
            let inputs: Vec<Value> = std::iter::once(self.stdin_content()).chain(files).collect();
            // A pattern of paths may come out as it went in.
            if let Some(pattern) = inputs.iter().find(|input| input.is_path_pattern()) {
                let stdout = pattern.clone().tainted(&taint);
                return CommandResult { stdout, status: result.status };
            }
            let beside = |input: &Value| input.has_glob() && input.has_unknown();
            // What is computed from own text that is not followed, is not followed either.
            let words = arguments(fields).iter().map(|field| &field.value);
            let read = inputs.iter().skip(usize::from(WITHOUT_INPUT.contains(&base)));
            let computed = words.chain(read).any(Value::is_one_of_many_values);
            if computed
                || inputs.iter().any(beside)
                || self.prints_own_text(base, fields, first_effect)
                || base == "printf" && self.is_other_printf(fields)
            {
                Value::one_of_many_values()
            } else {
                let texts = inputs.iter().filter_map(Value::as_known).chain(operands);
                or_paths_of(texts, output).unwrap_or_else(|output| {
                    self.hidden_limit(Span::default(), "paths in the input of a program");
                    output
                })
            }
        };
        CommandResult { stdout: value.tainted(&taint), status: result.status }
    }

    /// Whether all that the output can be made of stands in the text: words, input, and files that the text wrote. Whoever
    /// wrote that knows the result.
    pub(super) fn prints_own_text(
        &self,
        base: &str,
        fields: &[Field],
        first_effect: usize,
    ) -> bool {
        let own = |value: &Value| {
            value.readings(MAX_ALTERNATIVES).is_some()
                || value.is_one_of_own()
                || value.is_one_of_many_values()
        };
        let foreign = |effect: &Effect| match &effect.kind {
            EffectKind::Read { path, .. } => {
                let known = |path: &str| path == IN_MEMORY || self.own_file(path).is_some();
                !path.as_known().is_some_and(known)
            }
            _ => false,
        };
        let words = arguments(fields);
        if aegish_expansion::computed::joins_in_code(base, words) {
            return true;
        }
        if !words.iter().all(|word| own(&word.value))
            || self.effects_since(first_effect).iter().any(foreign)
        {
            return false;
        }
        let input = match &**self.stdin {
            Flow::Text(content) => own(content) && !content.pieces().is_empty(),
            _ => false,
        };
        let mut files = words.iter().filter_map(|word| self.own_file(word.value.as_known()?));
        let profile = aegish_profiles::find(base);
        let prints = profile.is_some_and(|profile| {
            profile.grammar.does.iter().any(|effect| effect.is(Behaviour::Prints))
        });
        prints && (input || files.any(|content| own(&content)))
            || !WITHOUT_INPUT.contains(&base)
                && profile.is_some_and(|profile| repeats_words(profile, words))
            || computes(words, base)
            || aegish_expansion::computed::computes_in_code(base, words)
            || input && is_code_filter(base, words)
            || input && says_text(base, self.stdin_content().known_prefix())
    }

    /// What a file holds that the text wrote, or the environment that it set.
    fn own_file(&self, path: &str) -> Option<Value> {
        let environment = path == "/proc/self/environ" && self.holds_own_text(true);
        self.written_at(path).or_else(|| environment.then(Value::one_of_many_values))
    }

    /// The output of `cat`: its input, or files that the script wrote.
    fn copied(&self, base: &str, fields: &[Field]) -> Option<Value> {
        if base != "cat" {
            return None;
        }
        if arguments(fields).is_empty() {
            return Some(self.stdin_content());
        }
        let mut all = Value::empty();
        for field in arguments(fields) {
            match self.file_content(&field.value) {
                FileContent::Written(content) => all.append(&content),
                // Files of the machine that a pattern may find as well.
                _ if field.value.has_glob() && !all.pieces().is_empty() => {
                    all.push(Piece::Unknown(origin::FILE_CONTENT));
                }
                _ => return None,
            }
        }
        Some(all)
    }

    /// `mktemp`: a fresh name in a temporary directory.
    fn made_up_temporary(&mut self, fields: &[Field]) -> Value {
        let template = arguments(fields)
            .iter()
            .rev()
            .filter_map(|field| field.value.as_known())
            .find(|text| text.contains("XXX") && !text.starts_with('-'));
        let placed = arguments(fields).iter().any(|field| {
            ["-t", "-p", "--t"].iter().any(|flag| field.value.known_prefix().starts_with(flag))
        });
        let name = match template {
            Some(text) if text.contains('/') || !placed => text.replace('X', "x"),
            Some(text) => format!("/tmp/{}", text.replace('X', "x")),
            None => format!("/tmp/tmp.{:06}", self.out.commands.len()),
        };
        Value::known(name)
    }

    /// The output of a pure program, and the origins of the files that it read.
    pub(crate) fn emulated(&self, base: &str, fields: &[Field]) -> Option<(Value, Taint)> {
        self.emulated_for(base, fields, Value::readings)
    }

    /// The output of a pure program if everything that comes from outside is empty, or anything else, where known text
    /// stands beside that.
    pub(super) fn printed_without_outside(&self, base: &str, fields: &[Field]) -> Option<Value> {
        let words = arguments(fields).iter().map(|field| &field.value);
        let files = words.clone().filter_map(|word| self.written_at(word.as_known()?));
        let stdin = Some(self.stdin_content()).filter(|_| !WITHOUT_INPUT.contains(&base));
        let inputs: Vec<Value> = stdin.into_iter().chain(files).collect();
        // What is made of own text that is not followed, is not followed either.
        if words.clone().chain(&inputs).any(Value::is_one_of_many_values) {
            return Some(Value::one_of_many_values());
        }
        let mixed = words.chain(&inputs).any(may_say_more);
        let readings: Readings = Value::own_readings;
        let (printed, _) = mixed.then(|| self.emulated_for(base, fields, readings))??;
        Some(or_text(&printed, Value::unknown(origin::PROGRAM_OUTPUT)))
    }

    fn emulated_for(
        &self,
        base: &str,
        fields: &[Field],
        readings: Readings,
    ) -> Option<(Value, Taint)> {
        if base == "printf" && self.is_other_printf(fields) {
            return None;
        }
        let mut argv: Vec<&str> = Vec::with_capacity(fields.len());
        argv.push(base);
        argv.extend(arguments(fields).iter().map_while(|field| field.value.as_known()));
        if argv.len() == fields.len() {
            let (outputs, origin) = self.emulated_with(&argv, readings)?;
            return Some((Value::one_of(outputs), origin));
        }
        // If a word is one of several texts, the program is followed with each of them.
        let mut lists: Vec<Vec<String>> = vec![vec![base.to_owned()]];
        for field in arguments(fields) {
            let texts = readings(&field.value, MAX_ALTERNATIVES)?;
            if lists.len() * texts.len() > MAX_ALTERNATIVES {
                return None;
            }
            lists = lists
                .iter()
                .flat_map(|list| {
                    texts.iter().map(|text| [list.as_slice(), std::slice::from_ref(text)].concat())
                })
                .collect();
        }
        let mut outputs: Vec<String> = Vec::new();
        let mut origin = Taint::none();
        for list in &lists {
            let argv: Vec<&str> = list.iter().map(String::as_str).collect();
            let (more, taint) = self.emulated_with(&argv, readings)?;
            outputs.extend(more);
            origin.absorb(&taint);
        }
        Some((Value::one_of(outputs), origin))
    }

    /// Whether the program `printf` runs instead of the builtin, and may print something else.
    fn is_other_printf(&self, fields: &[Field]) -> bool {
        let path = fields.first().is_some_and(|field| field.value.known_prefix().contains('/'));
        let format = arguments(fields).first().map(|field| field.value.known_prefix());
        let differs = |format: &str| {
            ["\\c", "\\u", "\\U", "%q"].iter().any(|part| format.contains(part))
                || format.split('%').skip(1).any(|spec| {
                    let letters = spec.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
                    letters.len() < spec.len() && letters.starts_with(['b', 'q'])
                })
        };
        (path || self.frame.caller.invocation != Invocation::Direct) && format.is_some_and(differs)
    }

    /// The texts of which the output of a pure program is one.
    fn emulated_with(&self, argv: &[&str], readings: Readings) -> Option<(Vec<String>, Taint)> {
        let stdin = readings(&self.stdin_content(), MAX_ALTERNATIVES);
        let origin = RefCell::new(Taint::none());
        // If the input is one of several texts, the program is followed for each of them.
        let count = Cell::new(stdin.as_ref().map_or(1, Vec::len));
        let mut outputs = Vec::new();
        let mut round = 0;
        while round < count.get() {
            let read = |path: &str| match self.file_content(&Value::known(path)) {
                FileContent::Written(value) => {
                    origin.borrow_mut().absorb(value.taint());
                    let texts = readings(&value, MAX_ALTERNATIVES)?;
                    count.set(count.get().max(texts.len()));
                    texts.get(round % texts.len().max(1)).map(|text| bytes_of(text))
                }
                _ => None,
            };
            let text = stdin.as_ref().and_then(|texts| texts.get(round % texts.len().max(1)));
            let input = text.map(|text| bytes_of(text));
            self.worked_on(input.as_ref().map_or(0, Vec::len));
            let output = match self.awk_run(argv, text.map(String::as_str), &read) {
                Some(run) => run?.printed?,
                None => text_of(aegish_emulate::run(argv, input.as_deref(), &read)?),
            };
            self.worked_on(output.len());
            outputs.push(output);
            if let ["echo", words @ ..] = argv
                && (self.is_on(Switch::PlainShell) || self.is_on(Switch::EchoEscapes))
                && let Some(output) = aegish_emulate::plain_echo(words)
            {
                outputs.push(text_of(output));
            }
            round += 1;
        }
        Some((outputs, origin.into_inner()))
    }
}

/// Whether code that a program reads makes it print texts of that code.
fn says_text(base: &str, code: &str) -> bool {
    match base {
        "bc" => code.contains('"'),
        "make" | "gmake" => true,
        _ => false,
    }
}

/// What `stat` prints with a format of its own.
fn printed_status(fields: &[Field]) -> Option<Value> {
    let words = arguments(fields);
    words.iter().enumerate().find_map(|(at, word)| {
        let word = word.value.as_known()?;
        let next = || words.get(at + 1)?.value.as_known();
        let (format, escapes) = match word.split_once('=') {
            Some(("--printf", format)) => (Some(format), true),
            Some(("--format", format)) => (Some(format), false),
            _ if word == "--printf" => (next(), true),
            _ if matches!(word, "-c" | "--format") => (next(), false),
            _ => (word.strip_prefix("-c"), false),
        };
        formatted_status(format?, escapes)
    })
}

/// Whether a program prints its words in another form.
fn repeats_words(profile: &aegish_profiles::Profile, words: &[Field]) -> bool {
    profile.grammar.does.iter().any(|effect| effect.is(Behaviour::Repeats))
        && words.iter().any(|word| !word.value.known_prefix().starts_with('-'))
}

/// How to read a value as texts, at most so many.
type Readings = fn(&Value, usize) -> Option<Vec<String>>;

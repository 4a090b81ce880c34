//! Bash's builtins: those that change the shell, run code or read files.
//!
//! Builtins that are also programs and only compute or print (`echo`, `printf`, `test`, `kill`, `pwd`)
//! are left to their profiles.

use super::{Interp, Ran};
use crate::effect::{Act, Door, Opaque, System};
use crate::expand::{Field, arith};
use crate::state::{Content, Flow, Variable};
use crate::value::{Source, Taint, Value};
use aegish_syntax::Span;
use std::collections::BTreeMap;
use std::rc::Rc;

impl Interp<'_> {
    /// Follows a builtin; `None` if the name is not one (or is better served by its profile).
    pub(crate) fn run_builtin(&mut self, name: &str, fields: &[Field], span: Span) -> Option<Ran> {
        let words = &fields[1..];
        let handler: fn(&mut Self, &[Field], Span) -> Ran = match name {
            ":" | "true" | "wait" | "jobs" | "fg" | "bg" | "disown" | "break" | "continue"
            | "return" | "exit" | "logout" | "suspend" | "times" | "caller" | "dirs" | "umask"
            | "ulimit" | "shopt" | "compopt" | "help" | "fc" | "compgen" => {
                |_, _, _| Ran::status(true)
            }
            "false" => |_, _, _| Ran::status(false),
            "type" => |_, words, _| Ran::output(located(words)),
            "cd" | "pushd" => Self::builtin_cd,
            "popd" => Self::builtin_popd,
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                self.report_builtin(fields, span);
                let exported = name == "export";
                return Some(self.builtin_declare(words, exported, span));
            }
            "unset" => Self::builtin_unset,
            "eval" => Self::builtin_eval,
            "source" | "." => Self::builtin_source,
            "exec" => Self::builtin_exec,
            "command" => Self::builtin_command,
            "builtin" => Self::builtin_builtin,
            "read" => Self::builtin_read,
            "mapfile" | "readarray" => Self::builtin_mapfile,
            "printf" if words.first().is_some_and(|w| w.value.known_prefix().starts_with("-v")) => {
                Self::builtin_printf_v
            }
            "trap" => Self::builtin_trap,
            "alias" => Self::builtin_alias,
            "unalias" => Self::builtin_unalias,
            "set" => Self::builtin_set,
            "shift" => Self::builtin_shift,
            "let" => Self::builtin_let,
            "getopts" => Self::builtin_getopts,
            "hash" => Self::builtin_hash,
            "enable" => Self::builtin_enable,
            "history" => Self::builtin_history,
            "bind" => Self::builtin_bind,
            "complete" => Self::builtin_complete,
            _ => return None,
        };
        let command = self.report_builtin(fields, span);
        // `eval` and its like run code that is as good as typed; effects of the builtin itself belong
        // to its own report.
        let parent = self.parent.replace(command);
        let ran = handler(self, words, span);
        self.parent = parent;
        Some(ran)
    }

    fn report_builtin(&mut self, fields: &[Field], span: Span) -> usize {
        self.report(fields, Some("bash"), span)
    }

    fn builtin_cd(&mut self, words: &[Field], _span: Span) -> Ran {
        let target = words.iter().find(|word| !word.value.known_prefix().starts_with('-'));
        match target {
            Some(word) => {
                let value = word.value.clone();
                self.change_directory(&value);
            }
            None if words.is_empty() => {
                let home = self.home();
                self.state.cwd = home;
            }
            None => self.state.cwd = Value::unknown("previous directory"),
        }
        Ran::default()
    }

    fn builtin_popd(&mut self, _words: &[Field], _span: Span) -> Ran {
        self.state.cwd = Value::unknown("previous directory");
        Ran::default()
    }

    fn builtin_declare(&mut self, words: &[Field], exported: bool, span: Span) -> Ran {
        let mut flags = String::new();
        let mut names = Vec::new();
        for word in words {
            let text = word.value.known_prefix();
            if text.starts_with('-') && word.value.is_known() && names.is_empty() {
                flags.push_str(&text[1..]);
            } else if !text.starts_with('+') {
                names.push(word);
            }
        }
        if flags.contains('f') || flags.contains('p') {
            return Ran::default();
        }
        let exported = exported || flags.contains('x');
        for word in names {
            let text = word.value.known_prefix();
            let (name, value) = match text.find('=') {
                Some(equals) => {
                    let append = text[..equals].ends_with('+');
                    let name = text[..equals].trim_end_matches('+').to_owned();
                    let value = super::options::tail(&word.value, equals + 1);
                    let value = if append { self.appended(&name, &value) } else { value };
                    (name, Some(value))
                }
                None => (word.value.to_string(), None),
            };
            self.declare_one(&name, value, &flags, exported, span);
        }
        Ran::status(true)
    }

    fn declare_one(
        &mut self,
        name: &str,
        value: Option<Value>,
        flags: &str,
        exported: bool,
        span: Span,
    ) {
        let known =
            self.state.variables.contains_key(name) || self.ctx.variables.contains_key(name);
        if value.is_none() && !known && flags.is_empty() && !exported {
            self.state
                .variables
                .entry(name.to_owned())
                .or_insert(Variable { content: Content::Unset, ..Variable::default() });
            return;
        }
        if flags.contains('n') {
            let content = Content::Scalar(value.unwrap_or_default());
            self.state.variables.insert(
                name.to_owned(),
                Variable { content, reference: true, ..Variable::default() },
            );
            return;
        }
        // The context's value comes along when only attributes change.
        if !self.state.variables.contains_key(name) {
            if let Some(existing) = self.ctx.variables.get(name) {
                let content = Content::Scalar(existing.clone());
                self.state
                    .variables
                    .insert(name.to_owned(), Variable { content, ..Variable::default() });
            } else if value.is_none() && !flags.contains(['A', 'a']) {
                // `export X` of something unknown keeps it unknown.
                if exported {
                    return;
                }
            }
        }
        let variable = self.state.variables.entry(name.to_owned()).or_default();
        variable.exported |= exported;
        variable.integer |= flags.contains('i');
        if flags.contains('u') {
            variable.case = Some('u');
        }
        if flags.contains('l') {
            variable.case = Some('l');
        }
        if flags.contains('A') && !matches!(variable.content, Content::Keyed(_)) {
            variable.content = Content::Keyed(BTreeMap::new());
        }
        if flags.contains('a') && !matches!(variable.content, Content::Indexed(_)) {
            variable.content = Content::Indexed(BTreeMap::new());
        }
        if let Some(value) = value {
            self.assign(name, value.clone());
            self.effect_setenv(name, &value, span, !exported);
        } else if exported && let Some(value) = self.lookup_scalar(name) {
            self.effect_setenv(name, &value, span, false);
        }
    }

    fn builtin_unset(&mut self, words: &[Field], span: Span) -> Ran {
        let functions = words.first().is_some_and(|word| word.value.as_known() == Some("-f"));
        for word in words {
            let value = word.value.clone();
            self.evaluate_subscript(&value);
            if let Some(name) = value.as_known() {
                if functions {
                    self.state.functions.remove(name);
                } else if let Some((array, index)) = name.split_once('[') {
                    self.unset_element(array, index.trim_end_matches(']'));
                } else if !name.starts_with('-') {
                    if matches!(name, "HISTFILE" | "HISTSIZE" | "HISTFILESIZE") {
                        self.disarm("switches off the command history", span);
                    }
                    let variable = Variable { content: Content::Unset, ..Variable::default() };
                    self.state.variables.insert(name.to_owned(), variable);
                }
            }
        }
        Ran::status(true)
    }

    fn unset_element(&mut self, array: &str, index: &str) {
        let array = self.resolve_reference(array);
        let number = arith::evaluate(index, self);
        if let Some(variable) = self.state.variables.get_mut(&array) {
            match (&mut variable.content, number) {
                (Content::Indexed(items), Some(number)) => {
                    items.remove(&number);
                }
                (Content::Keyed(items), _) => {
                    items.remove(index);
                }
                _ => {}
            }
        }
    }

    fn builtin_eval(&mut self, words: &[Field], span: Span) -> Ran {
        if !self.spend(words.len() / 2, span) {
            return Ran::default();
        }
        let mut code = Value::empty();
        for (index, word) in words.iter().enumerate() {
            if index > 0 {
                code.push_str(" ");
            }
            code.append(&word.value);
        }
        let parent = self.parent;
        let ran = self.run_code_value(&code, words.first().map_or(span, |word| word.span));
        self.parent = parent;
        ran
    }

    fn builtin_source(&mut self, words: &[Field], span: Span) -> Ran {
        let Some(file) = words.first() else {
            return Ran::default();
        };
        if matches!(file.value.as_known(), Some("/dev/stdin" | "/proc/self/fd/0")) {
            let content = self.stdin_content();
            return self.run_code_value(&content, file.span);
        }
        self.effect(Act::Read { path: file.value.clone(), tree: false }, file.span);
        let _ = span;
        self.source_file(&file.value.clone(), file.span)
    }

    fn builtin_exec(&mut self, words: &[Field], span: Span) -> Ran {
        let mut at = 0;
        while let Some(text) = words.get(at).and_then(|word| word.value.as_known()) {
            match text {
                "-a" => at += 2,
                "-c" | "-l" | "-cl" | "-lc" | "--" => at += 1,
                _ => break,
            }
        }
        self.dispatch(words[at.min(words.len())..].to_vec(), span)
    }

    fn builtin_command(&mut self, words: &[Field], span: Span) -> Ran {
        let mut at = 0;
        while let Some(text) = words.get(at).and_then(|word| word.value.as_known()) {
            match text {
                "-v" | "-V" | "-pv" | "-pV" => return Ran::output(located(&words[at + 1..])),
                "-p" | "--" => at += 1,
                _ => break,
            }
        }
        self.without_functions(words[at.min(words.len())..].to_vec(), span)
    }

    fn builtin_builtin(&mut self, words: &[Field], span: Span) -> Ran {
        self.without_functions(words.to_vec(), span)
    }

    fn without_functions(&mut self, words: Vec<Field>, span: Span) -> Ran {
        let functions = std::mem::take(&mut self.state.functions);
        let ran = self.dispatch(words, span);
        self.state.functions = functions;
        ran
    }

    fn builtin_read(&mut self, words: &[Field], _span: Span) -> Ran {
        let mut names = Vec::new();
        let mut array = None;
        let mut delimiter = '\n';
        let mut count = None;
        let mut at = 0;
        let mut from = None;
        while let Some(word) = words.get(at) {
            let text = word.value.as_known().unwrap_or("");
            if let Some(letters) = text.strip_prefix('-').filter(|rest| !rest.is_empty()) {
                let last = letters.chars().last().unwrap_or(' ');
                if "adinNptu".contains(last) {
                    at += 1;
                    let value = words.get(at).and_then(|word| word.value.as_known()).unwrap_or("");
                    match last {
                        'a' => array = Some(value.to_owned()),
                        'd' => delimiter = value.chars().next().unwrap_or('\0'),
                        'n' | 'N' => count = value.parse::<usize>().ok(),
                        'u' => from = value.parse::<u32>().ok(),
                        _ => {}
                    }
                }
            } else {
                names.push(text.to_owned());
            }
            at += 1;
        }
        let (line, status) = self.take_line(from, delimiter, count);
        if let Some(name) = array {
            let items: Vec<Value> = match line.as_known() {
                Some(text) => {
                    let ifs = self.separators();
                    let blanks = ifs.chars().all(char::is_whitespace);
                    text.split(|c| ifs.contains(c))
                        .filter(|word| !blanks || !word.is_empty())
                        .map(|word| Value::known(word).tainted(line.taint()))
                        .collect()
                }
                None => vec![line.clone()],
            };
            let items = (0i64..).zip(items).collect();
            self.assign_array(&name, Content::Indexed(items));
            return Ran { stdout: Value::empty(), status };
        }
        if names.is_empty() {
            names.push("REPLY".to_owned());
        }
        self.assign_words(&names, &line);
        Ran { stdout: Value::empty(), status }
    }

    /// Distributes a line over variables, the last one taking the rest.
    fn assign_words(&mut self, names: &[String], line: &Value) {
        let Some(text) = line.as_known() else {
            for name in names {
                self.assign(name, line.clone());
                self.note_read(name, line);
            }
            return;
        };
        let ifs = self.separators();
        let mut rest = text.trim_matches(|c: char| ifs.contains(c) && c.is_whitespace()).to_owned();
        for (index, name) in names.iter().enumerate() {
            let last = index + 1 == names.len();
            let word = if last {
                std::mem::take(&mut rest)
            } else {
                match rest.find(|c| ifs.contains(c)) {
                    Some(end) => {
                        let word = rest[..end].to_owned();
                        rest = rest[end..].trim_start_matches(|c| ifs.contains(c)).to_owned();
                        word
                    }
                    None => std::mem::take(&mut rest),
                }
            };
            let value = Value::known(word).tainted(line.taint());
            self.note_read(name, &value);
            self.assign(name, value);
        }
    }

    /// The characters `read` splits at.
    fn separators(&self) -> String {
        match self.lookup("IFS") {
            Some(Some(value)) => value.as_known().unwrap_or(" \t\n").to_owned(),
            _ => " \t\n".to_owned(),
        }
    }

    /// `read BASH_ENV` sets an environment variable as well as an assignment does.
    fn note_read(&mut self, name: &str, value: &Value) {
        if let Some(command) = self.parent {
            let span = self.out.commands[command].span;
            self.effect_setenv(name, value, span, true);
        }
    }

    /// Takes one line from standard input, where that is known text.
    fn take_line(
        &mut self,
        from: Option<u32>,
        delimiter: char,
        count: Option<usize>,
    ) -> (Value, Option<bool>) {
        if let Some(number) = from.filter(|number| *number > 0) {
            let flow = self.state.descriptors.get(&number).cloned();
            let value = flow.map_or_else(|| Value::unknown("input"), |flow| flow.content());
            return (value, None);
        }
        let content = self.stdin_content();
        let Some(text) = content.as_known() else {
            let mut value = Value::unknown("input line");
            if let Flow::Terminal = self.stdin {
                value = value.tainted(&Taint::from(Source::Terminal));
            }
            return (value.tainted(content.taint()), None);
        };
        if text.is_empty() {
            return (Value::empty(), Some(false));
        }
        let cut = match count {
            Some(count) => text.char_indices().nth(count).map_or(text.len(), |(at, _)| at),
            None => text.find(delimiter).unwrap_or(text.len()),
        };
        let line = Value::known(&text[..cut]).tainted(content.taint());
        let skip = if count.is_none() && cut < text.len() { delimiter.len_utf8() } else { 0 };
        let rest = Value::known(&text[cut + skip..]).tainted(content.taint());
        self.stdin = Flow::Text(rest);
        (line, Some(true))
    }

    fn builtin_mapfile(&mut self, words: &[Field], span: Span) -> Ran {
        let mut name = "MAPFILE".to_owned();
        let mut trim = false;
        let mut at = 0;
        while let Some(word) = words.get(at) {
            match word.value.as_known().unwrap_or("") {
                "-t" => trim = true,
                "-C" => {
                    at += 1;
                    if let Some(callback) = words.get(at) {
                        let code = callback.value.clone();
                        self.run_code_value(&code, span);
                    }
                }
                "-d" | "-n" | "-O" | "-s" | "-u" | "-c" => at += 1,
                text if !text.starts_with('-') => name = text.to_owned(),
                _ => {}
            }
            at += 1;
        }
        let content = self.stdin_content();
        let items: BTreeMap<i64, Value> = match content.as_known() {
            Some(text) => (0i64..)
                .zip(text.split_inclusive('\n'))
                .map(|(index, line)| {
                    let line = if trim { line.trim_end_matches('\n') } else { line };
                    (index, Value::known(line).tainted(content.taint()))
                })
                .collect(),
            None => BTreeMap::from([(0, content)]),
        };
        self.assign_array(&name, Content::Indexed(items));
        Ran::status(true)
    }

    fn builtin_printf_v(&mut self, words: &[Field], span: Span) -> Ran {
        let (name, rest) = match words[0].value.as_known() {
            Some("-v") => (words.get(1).and_then(|word| word.value.as_known()), words.get(2..)),
            Some(text) => (text.get(2..), words.get(1..)),
            None => (None, None),
        };
        if let Some(name) = name {
            self.evaluate_subscript(&Value::known(name));
        }
        let (Some(name), Some(rest)) = (name, rest) else {
            return Ran::default();
        };
        let mut argv = vec!["printf"];
        let known: Option<Vec<&str>> = rest.iter().map(|word| word.value.as_known()).collect();
        let value = known
            .and_then(|words| {
                argv.extend(words);
                crate::emulate::run(&argv, b"", &|_| None)
            })
            .map_or_else(
                || Value::unknown("formatted text"),
                |bytes| Value::known(String::from_utf8_lossy(&bytes).into_owned()),
            );
        self.effect_setenv(name, &value, span, true);
        let name = name.to_owned();
        self.assign(&name, value);
        Ran::status(true)
    }

    fn builtin_trap(&mut self, words: &[Field], span: Span) -> Ran {
        let words: Vec<&Field> =
            words.iter().filter(|word| word.value.as_known() != Some("--")).collect();
        if words.len() < 2 || matches!(words[0].value.as_known(), Some("-" | "" | "-p" | "-l")) {
            return Ran::default();
        }
        let code = words[0].value.clone();
        self.isolated(|interp| {
            interp.run_code_value(&code, span);
        });
        Ran::default()
    }

    fn builtin_alias(&mut self, words: &[Field], span: Span) -> Ran {
        for word in words {
            let text = word.value.known_prefix();
            let Some(equals) = text.find('=') else {
                continue;
            };
            let name = text[..equals].to_owned();
            let meaning = super::options::tail(&word.value, equals + 1);
            self.effect_shadow(&name, meaning.clone(), span);
            // What it stands for is judged now: later uses may come without their definition.
            self.isolated(|interp| {
                interp.state.aliases.clear();
                interp.run_code_value(&meaning, span);
            });
            let text =
                meaning.as_known().map_or_else(|| "${AEGISH_UNKNOWN}".to_owned(), str::to_owned);
            self.state.aliases.insert(name, text);
        }
        Ran::default()
    }

    fn builtin_unalias(&mut self, words: &[Field], _span: Span) -> Ran {
        for word in words {
            match word.value.as_known() {
                Some("-a") => self.state.aliases.clear(),
                Some(name) => {
                    self.state.aliases.remove(name);
                }
                None => {}
            }
        }
        Ran::default()
    }

    fn builtin_set(&mut self, words: &[Field], span: Span) -> Ran {
        let mut at = 0;
        while let Some(text) = words.get(at).and_then(|word| word.value.as_known()) {
            match text {
                "--" => {
                    at += 1;
                    break;
                }
                "-o" | "+o" => {
                    if words.get(at + 1).and_then(|w| w.value.as_known()) == Some("history")
                        && text == "+o"
                    {
                        self.disarm("switches off the command history", span);
                    }
                    at += 2;
                }
                _ if text.starts_with('-') || text.starts_with('+') => at += 1,
                _ => break,
            }
        }
        let reset = words.get(at.wrapping_sub(1)).is_some_and(|w| w.value.as_known() == Some("--"));
        if at < words.len() || reset {
            let values =
                words[at.min(words.len())..].iter().map(|word| word.value.clone()).collect();
            self.state.positional = Some(Rc::new(values));
        }
        Ran::status(true)
    }

    fn builtin_shift(&mut self, words: &[Field], _span: Span) -> Ran {
        let count = words
            .first()
            .and_then(|word| word.value.as_known())
            .and_then(|text| text.parse::<usize>().ok())
            .unwrap_or(1);
        if let Some(items) = &self.state.positional {
            let rest = items.get(count..).map(<[Value]>::to_vec).unwrap_or_default();
            self.state.positional = Some(Rc::new(rest));
        }
        Ran::status(true)
    }

    fn builtin_let(&mut self, words: &[Field], _span: Span) -> Ran {
        for word in words {
            let value = word.value.clone();
            self.evaluate_subscript(&value);
            if let Some(text) = value.as_known() {
                let _ = arith::evaluate(text, self);
            }
        }
        Ran::default()
    }

    fn builtin_getopts(&mut self, words: &[Field], _span: Span) -> Ran {
        if let Some(name) = words.get(1).and_then(|word| word.value.as_known()) {
            let name = name.to_owned();
            self.assign(&name, Value::unknown("option letter"));
        }
        self.assign("OPTARG", Value::unknown("option value"));
        Ran::default()
    }

    fn builtin_hash(&mut self, words: &[Field], span: Span) -> Ran {
        if words.first().and_then(|word| word.value.as_known()) == Some("-p")
            && let (Some(path), Some(name)) = (words.get(1), words.get(2))
        {
            let name = name.value.to_string();
            if let Some(path) = path.value.as_known() {
                self.state.hashed.insert(name.clone(), path.to_owned());
            }
            self.effect_shadow(&name, path.value.clone(), span);
        }
        Ran::default()
    }

    fn builtin_enable(&mut self, words: &[Field], span: Span) -> Ran {
        let flags: String = words
            .iter()
            .filter_map(|word| word.value.as_known())
            .filter(|text| text.starts_with('-'))
            .collect();
        if flags.contains('f') {
            let library = words
                .iter()
                .find(|word| !word.value.known_prefix().starts_with('-'))
                .map(|word| word.value.clone())
                .unwrap_or_default();
            self.effect(Act::Load { library }, span);
        } else if flags.contains('n') {
            for word in words.iter().filter(|word| !word.value.known_prefix().starts_with('-')) {
                let name = word.value.to_string();
                self.effect_shadow(&name, Value::unknown("program of that name"), span);
            }
        }
        Ran::default()
    }

    fn builtin_history(&mut self, words: &[Field], span: Span) -> Ran {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let text = word.value.as_known().unwrap_or("");
            match text {
                "-c" => self.disarm("clears the command history", span),
                "-w" | "-a" => {
                    if let Some(file) = words.next() {
                        let path = file.value.clone();
                        self.write_file(
                            &path,
                            Value::unknown("command history"),
                            text == "-a",
                            span,
                        );
                    }
                }
                "-r" | "-n" => {
                    if let Some(file) = words.next() {
                        let path = file.value.clone();
                        self.effect(Act::Read { path, tree: false }, file.span);
                    }
                }
                _ => {}
            }
        }
        let taint = Taint::from(Source::Program("history".to_owned()));
        Ran::output(Value::unknown("command history").tainted(&taint))
    }

    fn disarm(&mut self, detail: &str, span: Span) {
        let object = Value::empty();
        self.effect(Act::System { what: System::Disarm, detail: detail.to_owned(), object }, span);
    }

    /// `bind -x '"\C-x": command'` runs a command at a key press; `bind -f file` reads key bindings.
    fn builtin_bind(&mut self, words: &[Field], span: Span) -> Ran {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.value.as_known() {
                Some("-x") => {
                    if let Some(binding) = words.next() {
                        let code = match binding.value.as_known().and_then(|t| t.split_once(':')) {
                            Some((_, code)) => Value::known(code.trim().trim_matches('"')),
                            None => binding.value.clone(),
                        };
                        self.isolated(|interp| {
                            interp.run_code_value(&code, span);
                        });
                    }
                }
                Some("-f") => {
                    if let Some(file) = words.next() {
                        let path = file.value.clone();
                        self.effect(Act::Read { path, tree: false }, file.span);
                    }
                }
                _ => {}
            }
        }
        Ran::default()
    }

    /// `complete -C command` runs a command whenever completion is asked for.
    fn builtin_complete(&mut self, words: &[Field], span: Span) -> Ran {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if word.value.as_known() == Some("-C")
                && let Some(command) = words.next()
            {
                let code = command.value.clone();
                if code.is_known() {
                    // A completer by its bare name is one of the system.
                    let door =
                        if code.to_string().contains('/') { Door::Side } else { Door::Typed };
                    self.run_code_through(door, &code, span);
                } else {
                    let taint = code.taint().clone();
                    self.effect(Act::Hidden { why: Opaque::Code, what: code, taint }, span);
                }
            }
        }
        Ran::default()
    }
}

/// Where `type -P`, `command -v` or `which` would find a program of the system.
pub(crate) fn located(words: &[Field]) -> Value {
    let name = words.iter().find(|word| !word.value.known_prefix().starts_with('-'));
    match name.and_then(|word| word.value.as_known()) {
        Some(name) if aegish_profiles::find(name).is_some() => {
            Value::known(format!("/usr/bin/{name}\n"))
        }
        _ => Value::unknown("path of a command"),
    }
}

//! Builtins that change what later commands mean or leave behind: traps, aliases, hashed paths,
//! loadable builtins, history, key bindings, completion.

use crate::effect::{Act, Door, Opaque, System};
use crate::expand::Field;
use crate::interp::{Interp, Ran, options};
use crate::value::{Source, Taint, Value};
use aegish_syntax::Span;

impl Interp<'_> {
    pub(super) fn builtin_trap(&mut self, words: &[Field], span: Span) -> Ran {
        let words: Vec<&Field> =
            words.iter().filter(|word| word.value.as_known() != Some("--")).collect();
        if words.len() < 2 || matches!(words[0].value.as_known(), Some("-" | "" | "-p" | "-l")) {
            return Ran::default();
        }
        let code = words[0].value.clone();
        // It runs at the end, when variables that are not set yet will be.
        if self.depth == 0 && self.mentions_later_variables(&code) {
            self.traps.push((code, span));
            return Ran::default();
        }
        self.isolated(|interp| {
            interp.run_code_value(&code, span);
        });
        Ran::default()
    }

    /// Whether code names a variable that nobody has set so far.
    fn mentions_later_variables(&self, code: &Value) -> bool {
        let Some(text) = code.as_known() else { return false };
        // What a function of the script will find is known at the end only.
        if self.state.functions.contains_key(text.trim()) {
            return true;
        }
        text.split('$').skip(1).any(|rest| {
            let rest = rest.strip_prefix('{').unwrap_or(rest);
            let end =
                rest.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            let name = &rest[..end];
            name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic())
                && self.lookup_scalar(name).is_none()
        })
    }

    /// Runs the traps that waited for the end of the script.
    pub(crate) fn run_traps(&mut self) {
        for (code, span) in std::mem::take(&mut self.traps) {
            self.isolated(|interp| {
                interp.run_code_value(&code, span);
            });
        }
    }

    pub(super) fn builtin_alias(&mut self, words: &[Field], span: Span) -> Ran {
        for word in words {
            let text = word.value.known_prefix();
            let Some(equals) = text.find('=') else {
                continue;
            };
            let name = text[..equals].to_owned();
            let meaning = options::tail(&word.value, equals + 1);
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

    pub(super) fn builtin_unalias(&mut self, words: &[Field], _span: Span) -> Ran {
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

    pub(super) fn builtin_hash(&mut self, words: &[Field], span: Span) -> Ran {
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

    pub(super) fn builtin_enable(&mut self, words: &[Field], span: Span) -> Ran {
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

    pub(super) fn builtin_history(&mut self, words: &[Field], span: Span) -> Ran {
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

    pub(super) fn disarm(&mut self, detail: &str, span: Span) {
        let object = Value::empty();
        self.effect(Act::System { what: System::Disarm, detail: detail.to_owned(), object }, span);
    }

    /// `bind -x '"\C-x": command'` runs a command at a key press; `bind -f file` reads key bindings.
    pub(super) fn builtin_bind(&mut self, words: &[Field], span: Span) -> Ran {
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
    pub(super) fn builtin_complete(&mut self, words: &[Field], span: Span) -> Ran {
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
    /// `fc` runs lines of the history anew, edited or not; `fc -l` lists them.
    pub(super) fn builtin_fc(&mut self, words: &[Field], span: Span) -> Ran {
        let lists = words.iter().any(|word| {
            word.value.as_known().is_some_and(|text| text.starts_with('-') && text.contains('l'))
        });
        let lines = Value::unknown("command history");
        if lists { Ran::output(lines) } else { self.run_code_value(&lines, span) }
    }

    /// `compgen -C command` and `compgen -F function` run it at once.
    pub(super) fn builtin_compgen(&mut self, words: &[Field], span: Span) -> Ran {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if matches!(word.value.as_known(), Some("-C" | "-F"))
                && let Some(command) = words.next()
            {
                let code = command.value.clone();
                self.isolated(|interp| {
                    interp.run_code_value(&code, span);
                });
            }
        }
        Ran::default()
    }
}

//! Builtins that set variables: `declare` and its relatives, `unset`, `set`, `shift`, `let`, `getopts`.

use crate::interp::{CommandResult, Interp};
use aegish_analysis::EffectKind;
use aegish_expansion::misuse::letters;
use aegish_expansion::{Field, arith};
use aegish_shell_state::{HistoryExpansion, Switch, Variable, VariableContent, places};
use aegish_syntax::Span;
use aegish_values::{Piece, Value, join_values, origin};
use std::sync::Arc;

impl Interp<'_> {
    pub(super) fn builtin_declare(
        &mut self,
        words: &[Field],
        command: &str,
        span: Span,
    ) -> CommandResult {
        let exported = command == "export";
        let mut flags = String::from(if command == "readonly" { "r" } else { "" });
        let mut names = Vec::new();
        let mut removed = String::new();
        for word in words {
            let text = word.value.known_prefix();
            if text.starts_with('-') && word.value.is_known() && names.is_empty() {
                flags.push_str(text.get(1..).unwrap_or_default());
            } else if let Some(flags) = text.strip_prefix('+') {
                removed.push_str(flags);
            } else {
                names.push(word);
            }
        }
        let unknown =
            |word: &&Field| !word.value.is_known() && !word.value.known_prefix().contains('=');
        self.state.reaching |= flags.contains(['i', 'n']) || names.iter().any(unknown);
        for word in names.iter().filter(|word| unknown(word)) {
            self.check_name(&word.value);
        }
        if flags.contains(['i', 'n']) {
            for name in names.iter().map(|word| word.value.known_prefix()) {
                self.check_used_by_driver(name.split('=').next().unwrap_or_default(), span);
            }
        }
        if flags.contains('f') && (exported || flags.contains('x')) {
            let known = names.iter().filter_map(|word| word.value.as_known());
            let known: Vec<String> = known.map(str::to_owned).collect();
            self.export_functions(known, span);
        }
        if flags.contains('f') && flags.contains(['t', 'r', 'x']) {
            for name in names.iter().filter_map(|word| word.value.as_known()) {
                // A trap can follow a function that is traced.
                if name.starts_with("__") {
                    self.effect_shadow(name, Value::unknown("function"), span);
                }
                if let Some(function) = self.state.functions.get_mut(name) {
                    function.readonly |= flags.contains('r');
                }
            }
        }
        if flags.contains('f') || flags.contains('p') {
            return CommandResult::default();
        }
        let exported = exported || flags.contains('x');
        for word in names {
            let text = word.value.known_prefix();
            let (name, append) = match text.find('=') {
                Some(equals) => {
                    let name = text.get(..equals).unwrap_or_default();
                    (name.trim_end_matches('+').to_owned(), name.ends_with('+'))
                }
                None => (word.value.to_string(), false),
            };
            if !matches!(command, "export" | "readonly") && !flags.contains('g') {
                let inherits = flags.contains('I')
                    || self.is_on(Switch::LocalInherits)
                    || self.is_on(Switch::PlainShell);
                self.keep_outer(name.split('[').next().unwrap_or(&name), inherits);
            }
            if let Some(variable) = self.state.variables.get_mut(&name) {
                variable.without_attributes(&removed);
            }
            if removed.contains('x') {
                self.state.to_export.remove(&name);
            }
            let value = text.find('=').map(|equals| word.value.tail(equals + 1));
            let value = value.map(|value| match append {
                true => self.appended(&name, &value),
                false => value,
            });
            if let Some(value) = &value
                && self.declare_elements(&name, value, &flags, exported, append, span)
            {
                continue;
            }
            if flags.contains('g') && self.declare_global(&name, value.as_ref(), exported) {
                continue;
            }
            self.declare_one(&name, value, &flags, exported, span);
            // Set for a function that was called so, it lasts.
            if (exported || command == "readonly")
                && self.calls.temporary.iter().any(|(known, _)| *known == name)
            {
                self.calls.lasting.push(name.clone());
            }
            if flags.contains('r')
                && let Some(variable) = self.state.variables.get_mut(&name)
            {
                variable.readonly = true;
            }
        }
        CommandResult::default()
    }

    pub(super) fn declare_one(
        &mut self,
        name: &str,
        value: Option<Value>,
        flags: &str,
        exported: bool,
        span: Span,
    ) {
        if name.contains('[') {
            self.assign(name, value.unwrap_or_default());
            return;
        }
        if self.is_readonly(name) {
            return;
        }
        let known =
            self.state.variables.contains_key(name) || self.ctx.variables.contains_key(name);
        if value.is_none() && !known && flags.is_empty() && !exported {
            let unset = || Variable { content: VariableContent::Unset, ..Variable::default() };
            self.state.variables.get_or_insert_with(name.to_owned(), unset);
            return;
        }
        if flags.contains('n') {
            let target = value.unwrap_or_default();
            // A subscript is evaluated whenever the name is used.
            self.evaluate_subscript(&target);
            let content = VariableContent::Scalar(target);
            self.state.variables.insert(
                name.to_owned(),
                Variable { content, reference: true, ..Variable::default() },
            );
            return;
        }
        // If only attributes change, the value of the context is kept.
        if !self.state.variables.contains_key(name) {
            if let Some(existing) = self.ctx.variables.get(name) {
                let content = VariableContent::Scalar(existing.clone());
                self.state
                    .variables
                    .insert(name.to_owned(), Variable { content, ..Variable::default() });
            } else if value.is_none() && !flags.contains(['A', 'a']) {
                // `export X` of something unknown keeps it unknown.
                if exported && !flags.contains(['i', 'l', 'u']) {
                    self.state.to_export.insert(name.to_owned());
                    return;
                }
                if exported {
                    let content = VariableContent::Scalar(self.foreign(name));
                    let variable = Variable { content, ..Variable::default() };
                    self.state.variables.insert(name.to_owned(), variable);
                }
            }
        }
        let variable = self.state.variables.get_or_insert_with(name.to_owned(), Variable::default);
        variable.exported |= exported;
        variable.with_attributes(flags);
        if flags.contains('A') && !matches!(variable.content, VariableContent::Keyed(_)) {
            variable.ways = None;
            variable.content = VariableContent::Keyed(Arc::default());
        }
        if flags.contains('a') && !matches!(variable.content, VariableContent::Indexed(_)) {
            variable.ways = None;
            variable.content = VariableContent::Indexed(Arc::default());
        }
        if let Some(value) = value {
            self.assign(name, value.clone());
            self.effect_setenv(name, &value, span, !exported);
        } else if exported && let Some(value) = self.lookup_scalar(name) {
            self.effect_setenv(name, &value, span, false);
        }
    }

    pub(super) fn builtin_unset(&mut self, words: &[Field], span: Span) -> CommandResult {
        let functions = words.first().is_some_and(|word| word.value.as_known() == Some("-f"));
        let references = words.first().is_some_and(|word| word.value.as_known() == Some("-n"));
        for word in words {
            let value = word.value.clone();
            self.evaluate_subscript(&value);
            let written = written_name(&value).map(|name| match references || functions {
                true => name,
                false => self.resolve_reference(&name),
            });
            if functions && written.is_none() {
                let names: Vec<String> = self.state.functions.keys().cloned().collect();
                for name in names {
                    self.state.functions.get_mut(&name).into_iter().for_each(|f| f.optional = true);
                }
            }
            let is_reference = |name: &String| {
                self.state.variables.get(name).is_some_and(|variable| variable.reference)
            };
            if let Some(name) = written
                .as_ref()
                .filter(|name| !references || is_reference(name))
                .map(String::as_str)
            {
                if !name.starts_with('-') && is_relied_on(name) {
                    self.effect(EffectKind::Unset { name: name.to_owned() }, span);
                }
                if functions {
                    self.state
                        .functions
                        .retain(|known, function| known != name || function.readonly);
                } else if self.state.functions.contains_key(name)
                    && !self.state.variables.contains_key(name)
                {
                    // Unless the environment has a variable of that name.
                    self.state.functions.get_mut(name).into_iter().for_each(|f| f.optional = true);
                } else if let Some((array, index)) = name.split_once('[') {
                    self.unset_element(array, index.trim_end_matches(']'));
                } else if !name.starts_with('-') && !self.is_readonly(name) {
                    if matches!(name, "HISTFILE" | "HISTSIZE" | "HISTFILESIZE") {
                        self.disarm_history("switches off the command history", span);
                    }
                    let own = self.calls.locals.last();
                    let own = own.is_some_and(|all| all.iter().any(|(known, _)| known == name));
                    if own || !self.reveal_outer(name) {
                        let content = VariableContent::Unset;
                        let variable = Variable { content, ..Variable::default() };
                        self.state.variables.insert(name.to_owned(), variable);
                    }
                }
            }
        }
        CommandResult::default()
    }

    pub(super) fn unset_element(&mut self, array: &str, index: &str) {
        let array = self.resolve_reference(array);
        let number = arith::evaluate(index, self);
        if let Some(variable) = self.state.variables.get_mut(&array) {
            variable.change(|content| content.remove(index, number));
        }
    }

    pub(super) fn builtin_set(&mut self, words: &[Field], span: Span) -> CommandResult {
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
                        self.disarm_history("switches off the command history", span);
                    }
                    let named = words.get(at + 1).and_then(|w| w.value.as_known());
                    match named {
                        Some("allexport") if text == "-o" => self.export_all(span),
                        Some("allexport") => self.state.allexport = false,
                        Some("errexit") => self.state.errexit = text == "-o",
                        Some("histexpand") => self.state.history_expansion = expansion(text),
                        _ => {}
                    }
                    if let Some(name) = words.get(at + 1) {
                        match text {
                            "-o" => self.switch_on(&name.value),
                            _ => self.switch_off(&name.value),
                        }
                    }
                    at += 2;
                }
                _ if text.starts_with('-') || text.starts_with('+') => {
                    if text.contains('e') {
                        self.state.errexit = text.starts_with('-');
                    }
                    if text.contains('H') {
                        self.state.history_expansion = expansion(text);
                    }
                    if text.starts_with('-') && text.contains('a') {
                        self.export_all(span);
                    }
                    if text.starts_with('+') && text.contains('a') {
                        self.state.allexport = false;
                    }
                    self.switch_letters(text);
                    if let Some(name) = words.get(at + 1).filter(|_| text.ends_with('o')) {
                        self.switch_on(&name.value);
                    }
                    at += if text.ends_with('o') { 2 } else { 1 };
                }
                _ => break,
            }
        }
        // An option in a word that a person types.
        if let Some(word) = words.get(at).filter(|word| word.value.known_prefix().is_empty()) {
            self.check_typed_code(&word.value);
        }
        let reset = words.get(at.wrapping_sub(1)).is_some_and(|w| w.value.as_known() == Some("--"));
        if at < words.len() || reset {
            let values =
                words.get(at..).unwrap_or_default().iter().map(|word| word.value.clone()).collect();
            self.state.positional = Some(Arc::new(values));
        }
        let plain = words.first().is_some_and(|word| word.value.as_known() == Some("--"));
        CommandResult { status: plain.then_some(true), ..CommandResult::default() }
    }

    pub(super) fn builtin_shift(&mut self, words: &[Field], _span: Span) -> CommandResult {
        let lists = self.state.parameter_ways();
        let count = match words.first().map(|word| word.value.as_known()) {
            None => Some(1),
            Some(text) => text.and_then(|text| text.parse::<usize>().ok()),
        };
        let Some(count) = count else {
            // Any number of them.
            let rest = |list: &Arc<Vec<Value>>| {
                let froms = (0..=list.len()).filter_map(|from| list.get(from..));
                froms.map(|rest| Arc::new(rest.to_vec())).collect::<Vec<_>>()
            };
            if !lists.is_empty() {
                self.state.set_parameters(lists.iter().flat_map(rest));
            }
            return CommandResult::default();
        };
        let certain = !lists.iter().any(|list| list.iter().any(Value::is_several));
        let enough = lists.iter().filter(|list| list.len() >= count).count();
        let status = match enough {
            _ if !certain => None,
            0 => Some(false).filter(|_| !lists.is_empty()),
            enough if enough == lists.len() => Some(true),
            _ => None,
        };
        if !lists.is_empty() {
            let shifted = lists.iter().flat_map(|list| places::shifted(list, count));
            self.state.set_parameters(shifted.map(Arc::new));
        }
        CommandResult { stdout: Value::empty(), status }
    }

    pub(super) fn builtin_let(&mut self, words: &[Field], _span: Span) -> CommandResult {
        for word in words {
            let value = word.value.clone();
            self.evaluate_subscript(&value);
            if let Some(text) = written_name(&value) {
                let _ = arith::evaluate(&text, self);
            }
        }
        CommandResult::default()
    }

    /// `wait -p NAME` assigns the number of a process.
    pub(super) fn builtin_wait(&mut self, words: &[Field], _span: Span) -> CommandResult {
        let (options, _) = letters(words, "p");
        for (_, name) in options.iter().filter(|(letter, _)| *letter == 'p') {
            self.evaluate_subscript(name);
            if let Some(name) = name.as_known() {
                self.assign(name, Value::unknown("process number"));
            }
        }
        if words.len() == 1 {
            self.state.jobs.clear();
        }
        CommandResult { status: words.is_empty().then_some(true), ..CommandResult::default() }
    }

    /// Takes the next option where the words are known and each of them holds one option. Otherwise it may be any of
    /// the named ones, with any of the words.
    pub(super) fn builtin_getopts(&mut self, words: &[Field], _span: Span) -> CommandResult {
        if let Some(status) = self.next_option(words) {
            return CommandResult::status(status);
        }
        // Where the next one starts is not known any more.
        self.assign("OPTIND", Value::unknown(origin::NUMBER));
        let values: Option<Vec<Value>> = match words.get(2..) {
            Some([]) | None => self.state.positional.as_deref().cloned(),
            Some(words) => Some(words.iter().map(|word| word.value.clone()).collect()),
        };
        let value = match values {
            Some(values) => values.iter().fold(Value::empty(), |all, value| {
                let glued = value.as_known().and_then(|text| text.get(2..)).map(Value::known);
                let all = join_values(&all, value);
                glued.map_or(all.clone(), |glued| join_values(&all, &glued))
            }),
            None => Value::unknown("option value"),
        };
        let letters = words.first().and_then(|word| word.value.as_known()).map(|text| {
            let letters = text.chars().filter(|c| *c != ':').map(String::from);
            Value::one_of(letters.chain(["?".to_owned()]))
        });
        if let Some(name) = words.get(1) {
            self.evaluate_subscript(&name.value);
        }
        if let Some(name) = words.get(1).and_then(|word| word.value.as_known()) {
            self.assign(name, letters.unwrap_or_else(|| Value::unknown("option letter")));
        }
        self.assign("OPTARG", value);
        CommandResult::default()
    }
}

impl Interp<'_> {
    /// Sets the variables of `getopts` for the next option; returns whether there is one.
    fn next_option(&mut self, words: &[Field]) -> Option<bool> {
        let [letters, name, given @ ..] = words else { return None };
        let (letters, name) = (letters.value.as_known()?.to_owned(), name.value.as_known()?);
        let name = name.to_owned();
        let given: Vec<Value> = match given {
            [] => self.state.positional.as_deref()?.clone(),
            _ => given.iter().map(|word| word.value.clone()).collect(),
        };
        let number = match self.lookup("OPTIND") {
            Some(Some(value)) => value.as_known()?.parse::<usize>().ok()?.max(1),
            Some(None) => 1,
            None => {
                let set = self.state.variables.contains_key("OPTIND");
                (!set).then_some(1)?
            }
        };
        let at = number - 1;
        let next = |number: usize| Value::known(number.to_string());
        let word = given.get(at).map(Value::as_known);
        let option = match word {
            None => None,
            Some(text) => text?.strip_prefix('-').filter(|rest| !rest.is_empty()),
        };
        let Some(option) = option.filter(|option| *option != "-") else {
            self.assign(&name, Value::known("?"));
            return Some(false);
        };
        let letter = option.chars().next()?;
        let rest = option.get(letter.len_utf8()..).unwrap_or_default();
        let known = letters.split_once(letter).filter(|_| letter != ':');
        match known {
            Some((_, behind)) if behind.starts_with(':') => {
                let (value, step) = match rest {
                    "" => (given.get(at + 1)?.clone(), 2),
                    _ => (Value::known(rest), 1),
                };
                self.assign("OPTARG", value);
                self.assign("OPTIND", next(number + step));
            }
            Some(_) if rest.is_empty() => self.assign("OPTIND", next(number + 1)),
            // Several options in one word, or one that is not named.
            _ => return None,
        }
        self.assign(&name, Value::known(letter.to_string()));
        Some(true)
    }
}

/// Variables that other programs read, and those of tools that work inside the shell.
fn is_relied_on(name: &str) -> bool {
    let public = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    name.starts_with("__") || name.bytes().all(public)
}

/// `-H` or `+H`
fn expansion(option: &str) -> HistoryExpansion {
    if option.starts_with('-') { HistoryExpansion::On } else { HistoryExpansion::Off }
}

/// A name as it is written. `a[0]` is a pattern too, which matches no file.
pub(super) fn written_name(value: &Value) -> Option<String> {
    let mut name = String::new();
    for piece in value.pieces() {
        match piece {
            Piece::Text(text) => name.push_str(text),
            Piece::AnyOf(text) => name.push_str(text),
            _ => return None,
        }
    }
    Some(name)
}

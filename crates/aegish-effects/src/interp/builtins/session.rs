//! Builtins that change what later commands mean or leave behind: traps, aliases, hashed paths,
//! loadable builtins, history, key bindings, completion.

use crate::interp::frame::Frame;
use crate::interp::{CommandResult, Interp, UNKNOWN_PART};
use aegish_analysis::{EffectKind, Opaque};
use aegish_expansion::Field;
use aegish_expansion::misuse::letters;
use aegish_expansion::operators::in_quotes;
use aegish_profiles::{Detail, DisarmEffect, SystemEffect};
use aegish_shell_state::{Switch, Trap, Traps};
use aegish_syntax::Span;
use aegish_values::{Taint, Value, join_values};

/// The work of looking at one trap before a command, as bytes of text.
const BYTES_PER_TRAP: usize = 16;

impl Interp<'_> {
    pub(super) fn builtin_trap(&mut self, words: &[Field], span: Span) -> CommandResult {
        let words: Vec<&Field> =
            words.iter().filter(|word| word.value.as_known() != Some("--")).collect();
        let event = |word: &&Field| Trap::event(&word.value.to_string());
        let events: Vec<String> = words.iter().skip(1).map(event).collect();
        if !matches!(words.first().and_then(|word| word.value.as_known()), Some("-p" | "-l")) {
            self.state.traps.remove(&events);
        }
        let [code, _, ..] = words.as_slice() else { return CommandResult::default() };
        let code = code.value.clone();
        if matches!(code.as_known(), Some("-" | "" | "-p" | "-l")) {
            return CommandResult::default();
        }
        // A trap of the session runs later, so the values of functions and variables at that time are
        // known only at the end.
        let later =
            self.frame.nesting.depth == 0 && self.later_meanings(&code).iter().any(Option::is_none);
        let mut trap = Trap {
            seen: self.state.meanings(),
            met: self.values_in(&code),
            reads_command: code.to_string().contains("BASH_COMMAND"),
            code: code.clone(),
            events,
            files: self.state.files.clone(),
            assigns: false,
            span: Some(span),
        };
        trap.assigns = !trap.only_ends() && self.changes_meanings(&code, span);
        let before_each = trap.runs_on("DEBUG") && self.ctx.interactive;
        self.state.traps.add(trap);
        self.check_debugging(span);
        // A trap before every command can change the meaning of later words, including words that the
        // guard uses.
        if before_each && self.changes_meanings(&code, span) {
            let (what, taint) = (code.clone(), Taint::none());
            self.effect(EffectKind::Hidden { why: Opaque::Code, what, taint }, span);
        }
        if later {
            self.deferred.traps.push((code, span));
            return CommandResult::default();
        }
        self.follow_trap(&code, span);
        // What it writes itself is not new to it.
        let files = self.state.files.clone();
        if let Some(last) = self.state.traps.iter().count().checked_sub(1) {
            self.state.traps.change(last, |trap| trap.files = files);
        }
        CommandResult::default()
    }

    /// Adds to the output of a subshell what its own traps print.
    pub(crate) fn add_trap_output(&mut self, inherited: &Traps, stdout: &mut Value) {
        if self.state.traps.is_empty() {
            return;
        }
        // It runs after the end of the path, too.
        self.jumps.ended = false;
        let own = |trap: &&Trap| {
            let same = |outer: &Trap| outer.span == trap.span && outer.code == trap.code;
            trap.between_commands()
                && (self.is_on(Switch::InheritsTraps) || !inherited.iter().any(same))
        };
        let between: Vec<Trap> = self.state.traps.iter().filter(own).cloned().collect();
        for trap in between {
            let printed = self.isolated(|interp| {
                interp.state.traps.clear();
                interp.run_code_value(&trap.code, trap.span.unwrap_or_default()).stdout
            });
            if printed.pieces().is_empty() {
                continue;
            }
            let (mut before, mut behind) = (printed.clone(), stdout.clone());
            before.append(stdout);
            behind.append(&printed);
            // It runs any number of times before commands that have run.
            let many = trap.runs_on("DEBUG") || !stdout.pieces().is_empty();
            *stdout = join_values(&join_values(&before, &behind), stdout);
            if many {
                stdout.append(&Value::lost());
            }
        }
        let printed = self.run_exit_traps(inherited);
        stdout.append(&printed);
    }

    /// Runs the exit traps of a subshell at its end; it does not inherit those of its parent.
    pub(crate) fn run_exit_traps(&mut self, inherited: &Traps) -> Value {
        let own = |trap: &&Trap| {
            let same = |outer: &Trap| outer.span == trap.span && outer.code == trap.code;
            trap.ends() && !inherited.iter().any(same)
        };
        let traps = self.state.traps.iter();
        let codes: Vec<Value> = traps.filter(own).map(|trap| trap.code.clone()).collect();
        let mut printed = Value::empty();
        for code in codes {
            self.state.traps.clear();
            printed.append(&self.run_code_value(&code, Span::default()).stdout);
        }
        printed
    }

    /// Follows traps that may have run since the command before the one at this place of the present text.
    pub(crate) fn follow_traps(&mut self, at: Span) {
        if self.deferred.in_trap {
            return;
        }
        let span = self.span(at);
        let mut index = 0;
        while let Some(trap) = self.state.traps.get(index).cloned() {
            index += 1;
            self.worked_on(BYTES_PER_TRAP);
            if trap.waits() {
                self.follow_waiting_trap(index - 1, &trap, span);
            }
            let met = self.values_in(&trap.code);
            let changed = trap.between_commands()
                && (trap.reads_command || met != trap.met || trap.seen != self.state.meanings());
            // The command before the end may be this one.
            if trap.reads_command && trap.waits() {
                let command = self.command_text(at);
                self.assign("BASH_COMMAND", command);
            }
            if !trap.assigns && !changed {
                continue;
            }
            if trap.between_commands() {
                self.state.traps.change(index - 1, |trap| trap.met = met);
            }
            if trap.reads_command {
                let command = self.command_text(at);
                self.assign("BASH_COMMAND", command);
            }
            let seen = self.state.meanings();
            self.state.traps.change(index - 1, |trap| trap.seen = seen);
            let before = self.state.clone();
            let found = self.out.mark();
            self.deferred.in_trap = true;
            self.without_jumps(|interp| interp.run_code_value(&trap.code, span));
            self.deferred.in_trap = false;
            if !changed {
                self.out.back_to(found);
            }
            self.state.join(&before);
        }
    }

    /// A signal may arrive, or the shell end, after any command: a trap is followed again when a variable that it names
    /// has another value.
    fn follow_waiting_trap(&mut self, at: usize, trap: &Trap, span: Span) {
        if self.frame.conditions.in_trap {
            return;
        }
        let now = self.values_in(&trap.code);
        // Before all of them are set nobody counts on it.
        if now == trap.met || !now.iter().all(Option::is_some) || !self.step(span) {
            return;
        }
        self.state.traps.change(at, |trap| trap.met = now);
        self.follow_trap(&trap.code, trap.span.unwrap_or(span));
    }

    /// The present values of the variables in code and in the functions that it calls.
    fn values_in(&self, code: &Value) -> Vec<Option<Value>> {
        let mut values = self.later_meanings(code);
        let Some(text) = code.as_known() else { return values };
        let is_parameter = |rest: &str| {
            let rest = rest.strip_prefix('{').unwrap_or(rest);
            rest.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '@' | '*'))
        };
        if text.split('$').skip(1).any(is_parameter) {
            let parameters = self.state.positional.as_deref();
            values.extend(parameters.into_iter().flatten().cloned().map(Some));
        }
        for word in text.split(|c: char| c.is_whitespace() || c == ';') {
            if let Some(function) = self.state.functions.get(word) {
                values.retain(Option::is_some);
                for definition in function.definitions() {
                    values.extend(self.later_meanings(&Value::known(&*definition.text)));
                }
            }
        }
        values
    }

    /// Whether code changes the meaning of later words. Its other effects are ignored here.
    fn changes_meanings(&mut self, code: &Value, span: Span) -> bool {
        let (found, before) = (self.out.mark(), self.state.clone());
        self.without_jumps(|interp| interp.run_code_value(code, span));
        let after = std::mem::replace(&mut self.state, before);
        self.out.back_to(found);
        // Bash sets this one by itself.
        let assigned = after.variables.differences(&self.state.variables);
        assigned.iter().any(|name| name != "BASH_COMMAND") || after.cwd != self.state.cwd
    }

    /// The present values of the variables that code names; `None` for one that is not set.
    fn later_meanings(&self, code: &Value) -> Vec<Option<Value>> {
        let Some(text) = code.as_known() else { return Vec::new() };
        let mut meanings: Vec<Option<Value>> = text
            .split('$')
            .skip(1)
            .filter_map(|rest| {
                let rest = rest.strip_prefix('{').unwrap_or(rest);
                let inside = |c: char| c == '_' || c.is_ascii_alphanumeric();
                let end = rest.find(|c: char| !inside(c)).unwrap_or(rest.len());
                let name = rest.get(..end).unwrap_or_default();
                let named = name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic());
                named.then(|| self.lookup_scalar(name))
            })
            .collect();
        // Variables that the body of the function reads.
        let first = text.split_whitespace().next().unwrap_or_default();
        if self.state.functions.contains_key(first) {
            meanings.push(None);
        }
        meanings
    }

    /// Runs the traps that wait for the end of the script, and those whose variables changed since an
    /// earlier line.
    pub(crate) fn run_traps(&mut self, span: Span) {
        let mut codes = std::mem::take(&mut self.deferred.traps);
        let now = self.state.meanings();
        let traps: Vec<Trap> = self.state.traps.iter().cloned().collect();
        // The parameters and the files may be others, too.
        let changed = |trap: &Trap| {
            let values = self.values_in(&trap.code);
            trap.seen != now
                || trap.ends() && !self.state.files.differences(&trap.files).is_empty()
                || values.iter().any(Option::is_some) && values != trap.met
        };
        for trap in traps.iter().filter(|trap| changed(trap)) {
            if !codes.iter().any(|(code, _)| *code == trap.code) {
                codes.push((trap.code.clone(), trap.span.unwrap_or(span)));
            }
        }
        self.state.traps.change_all(|trap| trap.seen = now.clone());
        for (code, span) in codes {
            self.follow_trap(&code, span);
        }
    }

    fn follow_trap(&mut self, code: &Value, span: Span) {
        let enter = |frame: &mut Frame| frame.conditions.in_trap = true;
        self.in_frame(enter, |interp| {
            interp.followed_later(|interp| {
                // It also runs where a verification failed.
                interp.state.vouched.clear();
                interp.run_code_value(code, span);
            });
        });
    }

    /// Ends the shell. Traps that wait for the end run now.
    pub(super) fn builtin_exit(&mut self, words: &[Field], span: Span) -> CommandResult {
        let ending = self.state.traps.iter().filter(|trap| trap.ends());
        let waiting: Vec<(Value, Option<Span>)> =
            ending.map(|trap| (trap.code.clone(), trap.span)).collect();
        for (code, set) in waiting {
            self.isolated(|interp| {
                interp.state.traps.clear();
                interp.run_code_value(&code, set.unwrap_or(span));
            });
        }
        self.end_process(words)
    }

    pub(super) fn builtin_alias(&mut self, words: &[Field], span: Span) -> CommandResult {
        let mut printed = String::new();
        for word in words {
            let text = word.value.known_prefix();
            let Some(equals) = text.find('=') else {
                if let Some(meaning) = self.state.aliases.get(text) {
                    printed.push_str(&format!("alias {text}={}\n", in_quotes(meaning)));
                }
                // Any name may get another meaning, those of the guard's own code among them.
                if !word.value.is_known() && self.ctx.interactive {
                    let (what, taint) = (word.value.clone(), word.value.taint().clone());
                    self.effect(EffectKind::Hidden { why: Opaque::Code, what, taint }, span);
                }
                continue;
            };
            let name = text.get(..equals).unwrap_or_default().to_owned();
            let meaning = word.value.tail(equals + 1);
            self.effect_shadow(&name, meaning.clone(), span);
            // The alias text is judged when it is defined, because later lines may use it without
            // the definition.
            self.followed_later(|interp| {
                interp.state.aliases.clear();
                interp.run_code_value(&meaning, span);
            });
            let text =
                meaning.as_known().map_or_else(|| format!("${{{UNKNOWN_PART}}}"), str::to_owned);
            self.state.aliases.insert(name, text);
        }
        CommandResult::output(Value::known(printed))
    }

    pub(super) fn builtin_unalias(&mut self, words: &[Field], _span: Span) -> CommandResult {
        for word in words {
            match word.value.as_known() {
                Some("-a") => self.state.aliases.clear(),
                Some(name) => {
                    self.state.aliases.remove(name);
                }
                None => {}
            }
        }
        CommandResult::default()
    }

    pub(super) fn builtin_hash(&mut self, words: &[Field], span: Span) -> CommandResult {
        let (options, operands) = letters(words, "p");
        if options.iter().any(|(letter, _)| *letter == 't') {
            let of = |name: &Value| {
                let name = name.as_known()?;
                let own = self.state.hashed.get(name).cloned();
                let here = self.state.functions.contains_key(name)
                    || self.state.variables.contains_key("PATH");
                let system = aegish_profiles::find(name).filter(|_| !here);
                own.or_else(|| system.map(|_| format!("/usr/bin/{name}")))
            };
            let known: Option<Vec<String>> = operands.iter().map(of).collect();
            let known = known.filter(|paths| paths.len() == 1);
            return CommandResult::output(known.map_or_else(Value::one_of_many_values, |paths| {
                Value::known(format!("{}\n", paths.join("\n")))
            }));
        }
        if let Some((_, path)) = options.iter().find(|(letter, _)| *letter == 'p') {
            for name in operands.iter().map(ToString::to_string) {
                if let Some(path) = path.as_known() {
                    self.state.hashed.insert(name.clone(), path.to_owned());
                }
                self.effect_shadow(&name, path.clone(), span);
            }
        }
        CommandResult::default()
    }

    pub(super) fn builtin_enable(&mut self, words: &[Field], span: Span) -> CommandResult {
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
            self.effect(EffectKind::Load { library }, span);
        } else if flags.contains('n') {
            for word in words.iter().filter(|word| !word.value.known_prefix().starts_with('-')) {
                let name = word.value.to_string();
                // The program of that name.
                self.effect_shadow(&name, Value::known(name.as_str()), span);
            }
        }
        CommandResult::default()
    }

    /// From now on the shell calls this function itself.
    pub(crate) fn called_by_shell(&mut self, name: &str, span: Span) {
        if !self.state.called_by_shell.iter().any(|known| known == name) {
            self.state.called_by_shell.push(name.to_owned());
        }
        self.follow_call_by_shell(name, span);
    }

    /// Follows a function as the shell would call it.
    pub(crate) fn follow_call_by_shell(&mut self, name: &str, span: Span) {
        let Some(function) = self.state.functions.get(name).cloned() else { return };
        self.followed_later(|interp| {
            let words = vec![Value::unknown("word"); 3];
            interp.call_each(name, &function, words, span);
        });
    }

    /// The command history is switched off or cleared.
    pub(super) fn disarm_history(&mut self, detail: &'static str, span: Span) {
        self.disarm(DisarmEffect::History, detail, span);
    }

    pub(crate) fn disarm(&mut self, what: DisarmEffect, detail: &'static str, span: Span) {
        let (what, object) = (SystemEffect::Disarm(what), Value::empty());
        self.effect(EffectKind::System { what, detail: Detail::new(detail), object }, span);
    }

    /// `bind -x '"\C-x": command'` runs a command at a key press; `bind -f file` reads key bindings.
    pub(super) fn builtin_bind(&mut self, words: &[Field], span: Span) -> CommandResult {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.value.as_known() {
                Some("-x") => {
                    if let Some(binding) = words.next() {
                        let code = match binding.value.as_known().and_then(|t| t.split_once(':')) {
                            Some((_, code)) => Value::known(code.trim().trim_matches('"')),
                            None => binding.value.clone(),
                        };
                        self.followed_later(|interp| {
                            interp.run_code_value(&code, span);
                        });
                    }
                }
                Some("-f") => {
                    if let Some(file) = words.next() {
                        let path = file.value.clone();
                        self.effect(EffectKind::Read { path, tree: false }, file.span);
                    }
                }
                _ => {}
            }
        }
        CommandResult::default()
    }
}

//! Simple commands: assignments, expansion, and the decision which kind of command a name is.

use super::assignments::is_declaration;
use super::expansion::unexpanded;
use super::frame::Frame;
use super::{CommandResult, Interp};
use aegish_analysis::{CommandReport, EffectKind};
use aegish_expansion::Field;
use aegish_shell_state::{Outcome, ShellState, Switch, Variable};
use aegish_syntax::{CommandKind, Part, Redirect, SimpleCommand, Span, Word};
use aegish_values::{EcoString, Piece, Taint, Value, join_values};
use std::sync::Arc;

/// Words of a command that are reported.
const MAX_REPORTED: usize = 256;

/// Readings of a command with several possible words that are followed one by one.
const MAX_READINGS: usize = 32;

/// Builtins before which assignments last, in POSIX mode.
const SPECIAL_BUILTINS: [&str; 16] = [
    ".", ":", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set",
    "shift", "source", "times", "trap", "unset",
];

fn is_special_builtin(name: &Field) -> bool {
    name.value.as_known().is_none_or(|name| SPECIAL_BUILTINS.contains(&name))
}

/// The words that a value may be, as far as they can be told.
fn possible_words(value: &Value) -> Vec<Value> {
    let words = value.variants(MAX_READINGS).unwrap_or_else(|| vec![value.clone()]);
    words.into_iter().map(|word| word.tainted(value.taint())).collect()
}

impl Interp<'_> {
    pub(crate) fn run_simple(
        &mut self,
        simple: &SimpleCommand,
        redirects: &[Redirect],
        at: Span,
    ) -> CommandResult {
        let span = self.span(at);
        if !self.state.traps.is_empty() {
            self.follow_traps(at);
        }
        if let Some(result) = self.run_alias(simple, redirects, span) {
            return result;
        }
        self.state.outcome = Outcome::default();
        let outer = self.deferred.unset.replace(false);
        let mut lists = if is_declaration(simple) {
            vec![self.expand_declaration(&simple.words)]
        } else {
            self.expand_lists(&simple.words, span)
        };
        self.print_trace(&lists, at);
        if let [fields] = lists.as_slice()
            && fields.is_empty()
        {
            let result = self.with_redirects(redirects, span, |interp| {
                for assignment in &simple.assignments {
                    interp.run_assignment(assignment, true);
                }
                // `$(<file)` is the content of the file; any other lone redirection only opens it.
                let reads = matches!(redirects, [one] if one.op == aegish_syntax::RedirectOp::Read);
                if reads && interp.output.capture && simple.assignments.is_empty() {
                    CommandResult::output(interp.stdin_content())
                } else {
                    CommandResult::default()
                }
            });
            self.deferred.unset.set(outer);
            return result;
        }
        if !simple.assignments.is_empty() {
            let name = lists.first().and_then(|fields| fields.first()?.value.as_known());
            self.deferred.setting_for = name.map(base_name).and_then(aegish_profiles::find);
        }
        let mut saved = self.push_assignments(&simple.assignments);
        if self.is_on(Switch::Keyword) {
            lists.iter().for_each(|fields| self.note_keywords(fields));
            if let [fields] = lists.as_mut_slice() {
                saved.extend(self.take_keywords(fields));
            }
        }
        let outer_temporary = self.calls.temporary.len();
        self.calls.temporary.extend(saved.iter().cloned());
        let lasts = self.is_on(Switch::Posix)
            && lists.iter().filter_map(|fields| fields.first()).any(is_special_builtin);
        self.deferred.setting_for = None;
        let result = if let [fields] = lists.as_slice()
            && is_exec_without_command(fields)
            && !redirects.is_empty()
        {
            self.redirect_for_good(redirects, span);
            CommandResult::default()
        } else {
            let run = |interp: &mut Self| match lists.pop() {
                Some(fields) if lists.is_empty() => interp.run_readings(fields, span),
                last => {
                    let lists = lists.into_iter().chain(last).collect();
                    interp.run_alternatives(lists, |interp, list| interp.run_readings(list, span))
                }
            };
            if redirects.is_empty() { run(self) } else { self.with_redirects(redirects, span, run) }
        };
        if let [name, left, operator, right, ..] = simple.words.as_slice()
            && matches!(unexpanded_name(name), Some("[" | "test"))
            && let Some(operator) = unexpanded(operator)
            && simple.words.len() <= 5
        {
            self.note_equality(left, operator, right);
        }
        self.calls.temporary.truncate(outer_temporary);
        let kept = lasts.then(|| self.state.clone());
        self.pop_assignments(saved);
        if let Some(kept) = kept {
            self.state.join(&kept);
        }
        self.deferred.unset.set(outer);
        if !self.deferred.sinks.is_empty() {
            self.run_sinks();
        }
        result
    }

    /// With `set -k` words like `PAGER=…` behind the name of a command are set for it.
    fn note_keywords(&mut self, fields: &[Field]) {
        for field in fields.iter().skip(1) {
            let text = field.value.known_prefix();
            if let Some(equals) = text.find('=') {
                let name = text.get(..equals).unwrap_or_default().to_owned();
                let value = field.value.tail(equals + 1);
                self.effect_setenv(&name, &value, field.span, false);
            }
        }
    }

    /// `set -k`: words like `name=value` are set for the command and are none of its words.
    fn take_keywords(&mut self, fields: &mut Vec<Field>) -> Vec<(String, Option<Variable>)> {
        let mut saved = Vec::new();
        let mut at = 1;
        while let Some(field) = fields.get(at) {
            let text = field.value.known_prefix();
            let letter = |c: char| c == '_' || c.is_ascii_alphanumeric();
            let name = text.split_once('=').map(|(name, _)| name).filter(|name| {
                !name.is_empty()
                    && name.chars().all(letter)
                    && !name.starts_with(|c: char| c.is_ascii_digit())
            });
            let Some(name) = name.map(str::to_owned) else {
                at += 1;
                continue;
            };
            let value = field.value.tail(name.len() + 1);
            fields.remove(at);
            saved.push((name.clone(), self.state.variables.get(&name).cloned()));
            self.assign(&name, value);
            if let Some(variable) = self.state.variables.get_mut(&name) {
                variable.exported = true;
            }
        }
        saved
    }

    /// The possible lists of words of a command.
    fn expand_lists(&mut self, words: &[Word], span: Span) -> Vec<Vec<Field>> {
        let mut lists: Vec<Vec<Field>> = vec![Vec::with_capacity(words.len())];
        for word in words {
            if let (Some(text), [only]) = (unexpanded(word), lists.as_mut_slice()) {
                only.push(Field { value: Value::known(text), span: self.span(word.span) });
                continue;
            }
            let mut endings = self.expand_alternatives(word);
            match endings.as_mut_slice() {
                // A limit was reached; the other words still count.
                [] => {}
                [only] => append_to_each(&mut lists, only),
                endings if lists.len() * endings.len() > MAX_READINGS => {
                    let mut joined = self.joined_endings(endings, span);
                    append_to_each(&mut lists, &mut joined);
                }
                endings => {
                    lists = lists
                        .iter()
                        .flat_map(|list| {
                            endings.iter().map(move |end| [list.as_slice(), end].concat())
                        })
                        .collect();
                }
            }
        }
        lists
    }

    /// The fields of a word that are too many to follow one by one.
    fn joined_endings(&mut self, endings: &[Vec<Field>], span: Span) -> Vec<Field> {
        let longest = endings.iter().max_by_key(|fields| fields.len());
        let mut joined = longest.cloned().unwrap_or_default();
        if endings.iter().any(|fields| fields.len() != joined.len()) {
            self.hidden_limit(span, "possible words");
        }
        for fields in endings {
            for (all, field) in joined.iter_mut().zip(fields) {
                all.value = join_values(&all.value, &field.value);
            }
        }
        if joined.iter().any(|field| field.value.is_cut()) {
            self.hidden_limit(span, "possible words");
        }
        joined
    }

    /// A command whose words have several possible values is followed once per combination.
    fn run_readings(&mut self, fields: Vec<Field>, span: Span) -> CommandResult {
        // The outcome of substitutions in the words is not that of the command.
        self.state.outcome = Outcome::default();
        let several = |piece: &Piece| matches!(piece, Piece::OneOf(_));
        let several =
            |value: &Value| !value.each().is_empty() || value.pieces().iter().any(several);
        if !fields.iter().any(|field| several(&field.value)) {
            return self.dispatch(&fields, span);
        }
        let last = fields.last().map(|field| field.value.clone());
        let mut combinations: Vec<Vec<Field>> = vec![Vec::new()];
        for field in fields {
            let readings = possible_words(&field.value);
            let option = |word: &Value| word.known_prefix().starts_with('-');
            let names = combinations.iter().all(Vec::is_empty);
            let count = readings.len() * combinations.len();
            let readings = match count <= MAX_READINGS.min(self.budget.readings + 1) {
                true => readings,
                false => {
                    if names || readings.iter().any(option) {
                        self.hidden_limit(span, "possible words");
                    }
                    vec![field.value.clone()]
                }
            };
            combinations = combinations
                .into_iter()
                .flat_map(|head| {
                    let span = field.span;
                    readings.clone().into_iter().map(move |value| {
                        let mut whole = head.clone();
                        whole.push(Field { value, span });
                        whole
                    })
                })
                .collect();
        }
        self.budget.readings = self.budget.readings.saturating_sub(combinations.len() - 1);
        let result = self.run_each(combinations, span);
        self.state.last_word = last;
        result
    }

    /// Follows a command that has one of these lists of words; any of them may have run.
    fn run_each(&mut self, lists: Vec<Vec<Field>>, span: Span) -> CommandResult {
        if let [_] = lists.as_slice() {
            return lists
                .into_iter()
                .next()
                .map(|list| self.dispatch(&list, span))
                .unwrap_or_default();
        }
        self.run_alternatives(lists, |interp, list| interp.dispatch(&list, span))
    }

    /// Follows each reading of a command from the same state; any of them may have run.
    pub(super) fn run_alternatives<T>(
        &mut self,
        readings: Vec<T>,
        mut run: impl FnMut(&mut Self, T) -> CommandResult,
    ) -> CommandResult {
        let before = self.state.clone();
        let stdin = Arc::clone(&self.stdin);
        let mut ways = Vec::new();
        let mut result: Option<CommandResult> = None;
        for reading in readings {
            self.change_stdin(Arc::clone(&stdin));
            self.state = before.clone();
            let next = run(self, reading);
            if !std::mem::take(&mut self.jumps.ended) {
                ways.push(self.state.clone());
            }
            result = Some(match result {
                None => next,
                Some(before) => {
                    CommandResult::output(aegish_values::join_values(&before.stdout, &next.stdout))
                }
            });
        }
        // Another reading may verify nothing.
        let directories = ShellState::directories_of(&ways);
        self.resume_in(ways);
        self.state.outcome = Outcome::default();
        if let Some((there, here)) = directories {
            self.state.outcome.moves(self.state.cwd.clone(), there, here);
        }
        result.unwrap_or_default()
    }

    /// Follows a command given by its words: function, builtin or program.
    pub(crate) fn dispatch(&mut self, fields: &[Field], span: Span) -> CommandResult {
        let idle = matches!(fields, [only] if only.value.as_known() == Some(":"))
            && !self.state.functions.contains_key(":");
        if !idle && !self.step(span) {
            return CommandResult::default();
        }
        let Some(first) = fields.first() else {
            return CommandResult::default();
        };
        self.state.last_word = fields.last().map(|field| field.value.clone());
        let Some(name) = first.value.as_known().map(EcoString::from) else {
            return self.dispatch_unknown(fields, span);
        };
        if name.is_empty() {
            return CommandResult::default();
        }
        if let Some(function) = self.state.functions.get(&name).cloned() {
            return self.run_function(&name, &function, fields, span);
        }
        self.dispatch_beyond_functions(&name, fields, span)
    }

    /// As [`Interp::dispatch`], for a name that is no function.
    pub(super) fn dispatch_beyond_functions(
        &mut self,
        name: &str,
        fields: &[Field],
        span: Span,
    ) -> CommandResult {
        let Some(first) = fields.first() else { return CommandResult::default() };
        if first.value.taint().network().is_some() {
            self.run_fetched(&first.value.clone(), span);
        }
        if let Some(path) = self.state.hashed.get(name).cloned() {
            return self.run_program(&path, fields, span);
        }
        if let Some(result) = self.run_builtin(name, fields, span) {
            return result;
        }
        match self.state.functions.get("command_not_found_handle").cloned() {
            Some(function) if !name.contains('/') && aegish_profiles::find(name).is_none() => {
                let words: Vec<Value> = fields.iter().map(|field| field.value.clone()).collect();
                // There may be a program of that name.
                self.run_alternatives(vec![true, false], |interp, handled| match handled {
                    true => interp.isolated(|interp| {
                        let name = "command_not_found_handle";
                        interp.call_each(name, &function, words.clone(), span)
                    }),
                    false => interp.run_program(name, fields, span),
                })
            }
            _ => {
                if name.starts_with('!') && self.ctx.interactive {
                    self.run_recalled(span);
                }
                self.run_program(name, fields, span)
            }
        }
    }

    /// Records a command and gives its index.
    pub(crate) fn report(
        &mut self,
        fields: &[Field],
        program: Option<&'static str>,
        span: Span,
    ) -> usize {
        self.pay_for_reports();
        let word = |field: &Field| self.marked_as_guard(&field.value);
        self.out.commands.push(CommandReport {
            // Bounded: the report shows the beginning; effects come from all words.
            argv: fields.iter().take(MAX_REPORTED).map(word).collect(),
            program,
            span,
            parent: self.frame.caller.parent,
            invocation: self.frame.caller.invocation,
        });
        self.out.commands.len() - 1
    }

    pub(crate) fn effect_of(&mut self, command: usize, mut kind: EffectKind, span: Span) {
        if self.frame.conditions.contained && kind.is_about_files() {
            return;
        }
        self.anchor(&mut kind);
        self.report_any_file(command, &mut kind, span);
        self.push_effect(aegish_analysis::Effect { kind, span, command, redirected: false });
    }

    /// Something that came from the network is run.
    pub(crate) fn run_fetched(&mut self, value: &Value, span: Span) {
        let checkout = || {
            let origin = value.taint().checkout()?.to_owned();
            Some(EffectKind::RunCheckout { origin })
        };
        if let Some(kind) = run_of_fetched(value.taint()).or_else(checkout) {
            self.report_shell_command(span);
            self.effect(kind, span);
        }
    }

    /// Aliases: the name is replaced by text, which Bash then reads again.
    fn run_alias(
        &mut self,
        simple: &SimpleCommand,
        redirects: &[Redirect],
        span: Span,
    ) -> Option<CommandResult> {
        if self.state.aliases.is_empty() {
            return None;
        }
        let [Part::Literal(name)] = simple.words.first()?.parts.as_slice() else {
            return None;
        };
        let text = self.state.aliases.get(name)?.clone();
        let script = aegish_syntax::parse(&text);
        let mut body = script.body;
        // The arguments of the alias are added to the last simple command of its text.
        let last = body.items.last_mut()?;
        let pipeline = last.rest.last_mut().map_or(&mut last.first, |(_, pipeline)| pipeline);
        let command = pipeline.commands.last_mut()?;
        if let CommandKind::Simple(inner) = &mut command.kind {
            let mut arguments = simple.words.get(1..).unwrap_or_default().to_vec();
            // A blank at the end of the text makes the next word an alias as well.
            if text.ends_with([' ', '\t'])
                && let Some([Part::Literal(next)]) = arguments.first().map(|w| w.parts.as_slice())
                && let Some(meaning) = self.state.aliases.get(next)
            {
                let more = aegish_syntax::parse(meaning);
                let first = more.simple_commands().into_iter().next();
                let words = first.map_or_else(Vec::new, |command| command.words.clone());
                arguments.splice(0..1, words);
            }
            inner.words.extend(arguments);
            inner.assignments.splice(0..0, simple.assignments.iter().cloned());
            command.redirects.extend(redirects.iter().cloned());
        }
        // The alias itself is not expanded again inside its own text.
        let removed = self.state.aliases.remove(name);
        let enter = |frame: &mut Frame| {
            frame.text.origin = Some(span);
            // Its words are of two texts.
            frame.text.source = "".into();
        };
        let result = self.in_frame(enter, |interp| interp.run_list(&body));
        if let Some(text) = removed {
            self.state.aliases.insert(name.clone(), text);
        }
        Some(result)
    }
}

/// Appends the fields to each of the lists.
pub(super) fn append_to_each(lists: &mut [Vec<Field>], fields: &mut Vec<Field>) {
    // Usually there is one list, and nothing is copied.
    if let Some((last, others)) = lists.split_last_mut() {
        others.iter_mut().for_each(|list| list.extend(fields.iter().cloned()));
        last.append(fields);
    }
}

/// The name of a command that stands there as it is; `[` begins no pattern.
fn unexpanded_name(word: &Word) -> Option<&str> {
    match word.parts.as_slice() {
        [Part::Literal(text)] => Some(text),
        _ => None,
    }
}

/// The last component of a path.
pub(crate) fn base_name(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

/// `exec`, also as `command exec` or `builtin exec`.
fn is_exec_without_command(fields: &[Field]) -> bool {
    let Some((last, before)) = fields.split_last() else { return false };
    let through = |field: &Field| matches!(field.value.as_known(), Some("command" | "builtin"));
    last.value.as_known() == Some("exec") && before.iter().all(through)
}

/// What running content of this origin is, if it came from the network.
pub(super) fn run_of_fetched(taint: &Taint) -> Option<EffectKind> {
    match taint.unverified() {
        Some(origin) => Some(EffectKind::RunFetched { origin: origin.to_owned() }),
        None => Some(EffectKind::RunVerified { origin: taint.verified()?.to_owned() }),
    }
}

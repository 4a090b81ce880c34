//! `xargs`: standard input becomes the arguments of a command.

use super::program::is_shell;
use super::{CommandResult, FileContent, Interp};
use aegish_analysis::{EffectKind, Invocation};
use aegish_expansion::items::MAX_ITEMS;
use aegish_expansion::xargs::{Batch, XargsSettings, is_foreign};
use aegish_expansion::{Field, arguments};
use aegish_profiles::{ArgumentRole, Profile};
use aegish_shell_state::{Flow, join_lists};
use aegish_syntax::Span;
use aegish_values::{MAX_ALTERNATIVES, Value, origin};
use std::sync::Arc;

/// Commands that are followed one by one; of more, several are followed together.
pub(super) const MAX_COMMANDS: usize = 64;

impl Interp<'_> {
    /// `xargs [options] [command]`
    pub(crate) fn run_xargs(
        &mut self,
        profile: &'static Profile,
        fields: &[Field],
        span: Span,
    ) -> CommandResult {
        let line = aegish_options::parse(&profile.grammar, arguments(fields));
        let mut input = if matches!(**self.stdin, Flow::Terminal) {
            Value::unknown(origin::TYPED_TEXT)
        } else {
            self.stdin_content()
        };
        for argument in line.arguments.iter().filter(|argument| argument.role == ArgumentRole::Read)
        {
            let path = argument.value.clone();
            input = match self.file_content(&path) {
                FileContent::Written(value) => value,
                _ => Value::unknown(origin::FILE_CONTENT).tainted(&self.origin_of_file(&path)),
            };
            self.effect(EffectKind::Read { path, tree: false }, argument.span);
        }
        let command: Vec<Field> = match line.rest {
            Some((_, at)) => fields.get(at + 1..).unwrap_or_default().to_vec(),
            None => vec![Field { value: Value::known("echo"), span }],
        };
        let options = aegish_options::sort(Some(&profile.grammar), arguments(fields)).options;
        let settings = XargsSettings::new(&options);
        self.run_with_input(command, &input, &settings, span)
    }

    /// Runs a command with items of the input put in or added.
    fn run_with_input(
        &mut self,
        command: Vec<Field>,
        input: &Value,
        settings: &XargsSettings,
        span: Span,
    ) -> CommandResult {
        // If the input is one of several texts, the commands of each of them may run.
        if !input.each().is_empty() {
            return self.run_alternatives(input.each().to_vec(), |interp, text| {
                let text = text.tainted(input.taint());
                interp.run_with_input(command.clone(), &text, settings, span)
            });
        }
        if let Some(texts) = input.readings(MAX_ALTERNATIVES).filter(|texts| texts.len() > 1) {
            return self.run_alternatives(texts, |interp, text| {
                let text = Value::known(text).tainted(input.taint());
                interp.run_with_input(command.clone(), &text, settings, span)
            });
        }
        let batches = self.batches(input, settings, span);
        let field = |value: Value| Field { value, span };
        match &settings.batch {
            Batch::Replace(marker) => {
                let mut stdout = Value::empty();
                for item in together(batches).into_iter().flatten() {
                    if is_put_into_code(&command, marker) && is_foreign(&item) {
                        self.hidden_code(&item, span);
                    }
                    let put = |word: &Field| Field {
                        value: word.value.replace(marker, &item),
                        span: word.span,
                    };
                    let whole: Vec<Field> = command.iter().map(put).collect();
                    stdout.append(&self.run_xargs_command(&whole, span).stdout);
                }
                return CommandResult::output(stdout);
            }
            _ if batches.len() > 1 => {
                let mut stdout = Value::empty();
                for batch in together(batches) {
                    let items = batch.into_iter().map(field);
                    let whole: Vec<Field> = command.iter().cloned().chain(items).collect();
                    stdout.append(&self.run_xargs_command(&whole, span).stdout);
                }
                return CommandResult::output(stdout);
            }
            _ => {}
        }
        let items = batches.into_iter().flatten().map(field);
        let whole: Vec<Field> = command.into_iter().chain(items).collect();
        // A shell that xargs starts reads the terminal unless code follows.
        if !matches!(**self.stdin, Flow::Text(_) | Flow::File(_) | Flow::Network { .. }) {
            return self.run_xargs_command(&whole, span);
        }
        self.with_stdin(Flow::Nothing, |interp| interp.run_xargs_command(&whole, span))
    }

    /// The items of each command.
    fn batches(&mut self, input: &Value, settings: &XargsSettings, span: Span) -> Vec<Vec<Value>> {
        let lines = settings.items(input);
        if lines.len() > MAX_ITEMS {
            self.hidden_limit(span, "items of xargs");
        }
        let items = || lines.iter().flatten().cloned();
        match &settings.batch {
            Batch::Replace(_) => items().map(|item| vec![item]).collect(),
            Batch::All => vec![items().collect()],
            Batch::Lines(size) => lines.chunks(*size).map(<[_]>::concat).collect(),
            Batch::Items(size) => {
                items().collect::<Vec<_>>().chunks(*size).map(<[_]>::to_vec).collect()
            }
        }
    }

    /// Runs one command. A shell without code reads the terminal, not the input of `xargs`.
    fn run_xargs_command(&mut self, words: &[Field], span: Span) -> CommandResult {
        if words.is_empty() {
            return CommandResult::default();
        }
        let flags_only =
            arguments(words).iter().all(|word| word.value.known_prefix().starts_with('-'));
        let bare_shell = flags_only
            && words
                .first()
                .and_then(|name| name.value.as_known())
                .and_then(|name| aegish_profiles::find(super::simple::base_name(name)))
                .is_some_and(super::program::is_shell);
        let stdin = if bare_shell { Flow::Terminal.into() } else { Arc::clone(&self.stdin) };
        self.with_stdin(stdin, |interp| interp.run_argv_through(Invocation::Launched, words, span))
    }
}

/// Whether the item becomes a part of shell code.
fn is_put_into_code(command: &[Field], marker: &str) -> bool {
    let known = |field: &Field| field.value.as_known().map(str::to_owned);
    let mut words = command.iter().filter_map(known);
    let shell = words
        .by_ref()
        .any(|word| aegish_profiles::find(super::simple::base_name(&word)).is_some_and(is_shell));
    let code = words.by_ref().any(|word| word.starts_with('-') && word.ends_with('c'));
    shell && code && words.next().is_some_and(|code| code != marker && code.contains(marker))
}

/// The words of commands; beyond [`MAX_COMMANDS`], each position holds the values of several commands.
pub(super) fn together(rows: Vec<Vec<Value>>) -> Vec<Vec<Value>> {
    let Some(rest) = rows.get(MAX_COMMANDS..).filter(|rest| !rest.is_empty()) else { return rows };
    let join = |group: &[Vec<Value>]| {
        let mut group = group.iter();
        let first = group.next().cloned().unwrap_or_default();
        group.fold(first, |all, row| join_lists(&all, row))
    };
    let rest: Vec<Vec<Value>> = rest.chunks(MAX_ALTERNATIVES).map(join).collect();
    rows.into_iter()
        .enumerate()
        .filter(|(at, _)| *at < MAX_COMMANDS)
        .map(|(_, row)| row)
        .chain(rest)
        .collect()
}

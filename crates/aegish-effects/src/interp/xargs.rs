//! `xargs`: standard input becomes the arguments of a command.

use super::program::is_shell;
use super::{CommandResult, FileContent, Interp};
use crate::effect::{EffectKind, Invocation};
use aegish_expansion::items::{MAX_ITEMS, delimiter, elements, quoted_items};
use aegish_expansion::{Field, arguments};
use aegish_options::GivenOption;
use aegish_profiles::{ArgumentRole, Profile};
use aegish_shell_state::{Flow, join_lists};
use aegish_syntax::Span;
use aegish_values::{MAX_ALTERNATIVES, Source, Value, origin};
use std::sync::Arc;

/// Commands that are followed one by one; of more, several are followed together.
pub(super) const MAX_COMMANDS: usize = 64;

/// How `xargs` makes commands out of its input.
#[derive(Default)]
struct XargsSettings {
    batch: Batch,
    /// `-d`, `-0`: the character between items. Quotes have no meaning then.
    delimiter: Option<char>,
    /// `-E`: the item that ends the input.
    end: Option<String>,
}

/// The arguments of one command.
#[derive(Default)]
enum Batch {
    /// All items.
    #[default]
    All,
    /// `-I`: one line, which replaces this text.
    Replace(String),
    /// `-L`: the items of this number of lines.
    Lines(usize),
    /// `-n`: this number of items.
    Items(usize),
}

impl XargsSettings {
    fn new(options: &[GivenOption]) -> Self {
        let mut settings = Self::default();
        for option in options {
            let value = option.known_value();
            let number = value.and_then(|text| text.parse().ok()).filter(|number| *number > 0);
            // The last of `-I`, `-L` and `-n` is used, except that `-n 1` does not replace `-I`.
            if option.is("-I") || option.is("--replace") {
                if option.value.is_none() || value.is_some() {
                    settings.batch = Batch::Replace(value.unwrap_or("{}").to_owned());
                }
            } else if option.is("-L") || option.is("-l") {
                settings.batch = Batch::Lines(number.unwrap_or(1));
            } else if option.is("-n") {
                let replaces = matches!(settings.batch, Batch::Replace(_));
                settings.batch = match number {
                    Some(1) if replaces => continue,
                    Some(number) => Batch::Items(number),
                    None => Batch::All,
                };
            } else if option.is("-d") {
                settings.delimiter = value.map(delimiter);
            } else if option.is("-0") {
                settings.delimiter = Some('\0');
            } else if option.is("-E") || option.is("-e") {
                settings.end = value.map(str::to_owned);
            }
        }
        settings
    }

    /// The items of the input, line by line.
    fn items(&self, input: &Value) -> Vec<Vec<Value>> {
        let by_line = matches!(self.batch, Batch::Replace(_));
        let known = |text: String| Value::known(text).tainted(input.taint());
        let full = |mut words: Vec<Value>| {
            words.retain(|word| !word.pieces().is_empty());
            words
        };
        let mut lines: Vec<Vec<Value>> = match (input.as_known(), self.delimiter) {
            (None, None) => {
                let words = |line: Value| match by_line {
                    true => vec![line],
                    false => full(elements(&line, &[' ', '\t'])),
                };
                full(elements(input, &['\n', '\0'])).into_iter().map(words).collect()
            }
            // Lines that end otherwise are one item, and no file has such a name.
            (None, Some('\0')) if input.known_suffix().ends_with('\n') => {
                vec![vec![Value::unknown(origin::PROGRAM_OUTPUT).tainted(input.taint())]]
            }
            (_, Some(delimiter)) => {
                elements(input, &[delimiter]).into_iter().map(|line| vec![line]).collect()
            }
            (Some(text), None) => quoted_items(text, by_line, MAX_ITEMS)
                .into_iter()
                .map(|line| line.into_iter().map(known).collect())
                .collect(),
        };
        if let Some(end) = self.end.as_deref().filter(|_| self.delimiter.is_none()) {
            let ends = |item: &Value| item.as_known() == Some(end);
            if let Some(last) = lines.iter().position(|line| line.iter().any(ends)) {
                lines.truncate(last + 1);
                if let Some(line) = lines.last_mut() {
                    line.truncate(line.iter().take_while(|item| !ends(item)).count());
                }
            }
        }
        lines
    }
}

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
                    let whole = command.iter().map(put).collect();
                    stdout.append(&self.run_xargs_command(whole, span).stdout);
                }
                return CommandResult::output(stdout);
            }
            _ if batches.len() > 1 => {
                let mut stdout = Value::empty();
                for batch in together(batches) {
                    let items = batch.into_iter().map(field);
                    let whole = command.iter().cloned().chain(items).collect();
                    stdout.append(&self.run_xargs_command(whole, span).stdout);
                }
                return CommandResult::output(stdout);
            }
            _ => {}
        }
        let items = batches.into_iter().flatten().map(field);
        let whole = command.into_iter().chain(items).collect();
        // A shell that xargs starts reads the terminal unless code follows.
        if !matches!(**self.stdin, Flow::Text(_) | Flow::File(_) | Flow::Network { .. }) {
            return self.run_xargs_command(whole, span);
        }
        self.with_stdin(Flow::Nothing, |interp| interp.run_xargs_command(whole, span))
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
    fn run_xargs_command(&mut self, words: Vec<Field>, span: Span) -> CommandResult {
        if words.is_empty() {
            return CommandResult::default();
        }
        let flags_only =
            arguments(&words).iter().all(|word| word.value.known_prefix().starts_with('-'));
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

/// Whether an item is typed, or what a file says: names that a program lists are ordinary.
fn is_foreign(item: &Value) -> bool {
    let mut sources = item.taint().sources().peekable();
    let listed = sources.peek().is_some()
        && sources.all(|source| matches!(source, Source::Program(name) if name != "cat"));
    item.has_unknown() && !listed
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

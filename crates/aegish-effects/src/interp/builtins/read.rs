//! Builtins that fill variables from input: `read`, `mapfile`, `printf -v`.

use super::declare::written_name;
use crate::interp::expansion::BLANKS;
use crate::interp::{CommandResult, FileContent, Interp};
use aegish_analysis::{EffectKind, Opaque};
use aegish_expansion::Field;
use aegish_expansion::items::elements;
use aegish_expansion::misuse::letters;
use aegish_expansion::operators::substring;
use aegish_expansion::printed::{printed_date, repeats_operands};
use aegish_expansion::read::{
    all_words, exact_line, possible_line, split_words, unprotected, word_at,
};
use aegish_expansion::{drop_zero_bytes, until_zero_byte};
use aegish_shell_state::{Flow, VariableContent, join_lists, places};
use aegish_syntax::Span;
use aegish_values::{MAX_ALTERNATIVES, Source, Taint, Value, join_values, origin};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Joins the elements of another possible array into these.
fn join_elements(items: &mut BTreeMap<i64, Value>, others: BTreeMap<i64, Value>) {
    for (index, value) in others {
        let joined =
            items.get(&index).map_or_else(|| value.clone(), |own| join_values(own, &value));
        items.insert(index, joined);
    }
}

impl Interp<'_> {
    pub(super) fn builtin_read(&mut self, words: &[Field], span: Span) -> CommandResult {
        let (options, operands) = letters(words, "adinNptu");
        if options.iter().any(|(letter, _)| *letter == 'e') {
            self.check_line_editor(span);
        }
        operands.iter().for_each(|name| self.check_name(name));
        let value = |letter: char| {
            let found = options.iter().rev().find(|(known, _)| *known == letter);
            found.map(|(_, value)| value.as_known().unwrap_or_default().to_owned())
        };
        let delimiter = value('d').map_or('\n', |text| text.chars().next().unwrap_or('\0'));
        let count = value('n').or_else(|| value('N')).and_then(|text| text.parse().ok());
        let from = value('u').and_then(|text| text.parse().ok());
        // `-N` takes so many characters, whatever they are.
        let exactly = value('N').is_some();
        let delimiter = if exactly { '\0' } else { delimiter };
        let raw = options.iter().any(|(letter, _)| *letter == 'r');
        let (mut line, status) = self.take_line(from, delimiter, count, raw);
        if delimiter != '\0' || exactly {
            drop_zero_bytes(&mut line);
        }
        if let Some(name) = value('a') {
            let lists: Vec<Vec<Value>> = self
                .separators()
                .iter()
                .flat_map(|ifs| match line.readings(MAX_ALTERNATIVES) {
                    Some(texts) => {
                        let known = |word| Value::known(word).tainted(line.taint());
                        let list = |text: &String| {
                            all_words(text, ifs, raw).into_iter().map(known).collect()
                        };
                        texts.iter().map(list).collect()
                    }
                    None => {
                        let separators: Vec<char> = ifs.chars().collect();
                        let blanks = ifs.chars().all(char::is_whitespace);
                        let mut words = elements(&line, &separators);
                        words.retain(|word| !blanks || !word.pieces().is_empty());
                        vec![words]
                    }
                })
                .collect();
            let items = lists.into_iter().reduce(|all, list| join_lists(&all, &list));
            let items = items.unwrap_or_default().into_iter();
            let items: Vec<Value> = items.map(|item| self.with_attributes(&name, item)).collect();
            let items: BTreeMap<i64, Value> = (0..).zip(items).collect();
            self.assign_array(&name, VariableContent::Indexed(items.into()));
            return CommandResult { stdout: Value::empty(), status };
        }
        let written = |word: &Value| written_name(word).or_else(|| word.own_text());
        let mut names: Vec<String> =
            operands.iter().map(|word| written(word).unwrap_or_default()).collect();
        // Without a name nothing is split.
        let whole = exactly || names.is_empty();
        if names.is_empty() {
            names.push("REPLY".to_owned());
        }
        if whole {
            if let Some(texts) = line.readings(MAX_ALTERNATIVES).filter(|_| !exactly && !raw) {
                let texts = texts.iter().map(|text| unprotected(text, raw));
                line = Value::one_of(texts).tainted(line.taint());
            }
            for (place, name) in names.iter().enumerate() {
                let value = if place == 0 { line.clone() } else { Value::empty() };
                self.note_read(name, &value);
                self.assign(name, value);
            }
        } else {
            self.assign_words(&names, &line, raw);
        }
        CommandResult { stdout: Value::empty(), status }
    }

    /// Keys of bash's own line editor run what is typed there (`C-x C-e`, `M-C-e`). A script that asks for a line in this
    /// way is meant for others, unless it is called in a session.
    fn check_line_editor(&mut self, span: Span) {
        let own = self.ctx.interactive || self.state.zero.is_none();
        if own && matches!(**self.stdin, Flow::Terminal) {
            let what = Value::unknown("keys of a line editor");
            let taint = Taint::from(Source::Terminal);
            self.effect(EffectKind::Hidden { why: Opaque::Code, what, taint }, span);
        }
    }

    /// Distributes a line over variables, the last one taking the rest.
    pub(super) fn assign_words(&mut self, names: &[String], line: &Value, raw: bool) {
        let separators = self.separators();
        let texts = line.readings(MAX_ALTERNATIVES);
        let split = |ifs: &String| -> Vec<Value> {
            let count = names.len();
            let Some(texts) = &texts else {
                let word =
                    |index| line.mapped(|one| word_at(one, index, index + 1 == count, ifs, raw));
                return (0..count).map(word).collect();
            };
            let all: Vec<Vec<String>> =
                texts.iter().map(|text| split_words(text, count, ifs, raw)).collect();
            let word = |index| {
                let words = all.iter().map(|words| words.get(index).cloned().unwrap_or_default());
                Value::one_of(words).tainted(line.taint())
            };
            (0..count).map(word).collect()
        };
        let all: Vec<Vec<Value>> = separators.iter().map(split).collect();
        for (index, name) in names.iter().enumerate() {
            let words = all.iter().filter_map(|words| words.get(index)).cloned();
            let value = words.reduce(|all, one| join_values(&all, &one)).unwrap_or_default();
            self.note_read(name, &value);
            self.assign(name, value);
        }
    }

    /// The characters `read` may split at.
    pub(super) fn separators(&self) -> Vec<String> {
        let usual = || BLANKS.to_owned();
        self.possible_ifs().into_iter().map(|ifs| ifs.unwrap_or_else(usual)).collect()
    }

    /// `read BASH_ENV` sets an environment variable as well as an assignment does.
    pub(super) fn note_read(&mut self, name: &str, value: &Value) {
        let parent = self.frame.caller.parent.and_then(|parent| self.out.commands.get(parent));
        if let Some(span) = parent.map(|command| command.span) {
            self.effect_setenv(name, value, span, true);
        }
    }

    /// Takes one line from standard input, where that is known text.
    pub(crate) fn take_line(
        &mut self,
        from: Option<u32>,
        delimiter: char,
        count: Option<usize>,
        raw: bool,
    ) -> (Value, Option<bool>) {
        let from = from.filter(|number| *number > 0);
        let content = match from.map(|number| self.state.descriptors.get(&number).cloned()) {
            Some(None) => return (Value::unknown("input"), None),
            Some(Some(Flow::Text(text))) => text,
            Some(Some(Flow::File(path)))
                if let FileContent::Written(content) = self.file_content(&path) =>
            {
                content
            }
            Some(Some(flow)) => return (flow.content(), None),
            None => self.stdin_content(),
        };
        if content.is_cut() {
            return (content, None);
        }
        let Some(texts) = content.readings(MAX_ALTERNATIVES) else {
            if let Some((line, rest)) = exact_line(&content, delimiter).filter(|_| count.is_none())
            {
                match from {
                    Some(number) => {
                        self.state.descriptors.insert(number, Flow::Text(rest));
                    }
                    None => self.change_stdin(Flow::Text(rest)),
                }
                return (line, Some(true));
            }
            let unknown = || match content.is_one_of_many() || content.is_one_of_many_values() {
                true => content.changed(origin::INPUT_LINE),
                false => Value::unknown(origin::INPUT_LINE),
            };
            let mut value = possible_line(&content, delimiter).unwrap_or_else(unknown);
            if let Some(count) = count.and_then(|count| i64::try_from(count).ok()) {
                value = value.mapped(|one| {
                    substring(one, 0, Some(count)).unwrap_or_else(|| one.changed("substring"))
                });
            }
            if let Flow::Terminal = **self.stdin {
                value = value.tainted(&Taint::from(Source::Terminal));
            }
            return (value.tainted(content.taint()), None);
        };
        let taken: Vec<(&str, &str, bool)> =
            texts.iter().map(|text| first_line(text, delimiter, count, raw)).collect();
        let known = |texts: Vec<&str>| {
            Value::one_of(texts.into_iter().map(str::to_owned)).tainted(content.taint())
        };
        let line = known(taken.iter().map(|(line, ..)| *line).collect());
        let rest = known(taken.iter().map(|(_, rest, _)| *rest).collect());
        match from {
            Some(number) => {
                self.state.descriptors.insert(number, Flow::Text(rest));
            }
            None => self.change_stdin(Flow::Text(rest)),
        }
        let mut statuses = taken.iter().map(|(.., status)| *status);
        let first = statuses.next();
        (line, first.filter(|first| statuses.all(|other| other == *first)))
    }

    pub(super) fn builtin_mapfile(&mut self, words: &[Field], span: Span) -> CommandResult {
        let (options, operands) = letters(words, "dnOsucC");
        let value = |letter: char| {
            options.iter().rev().find(|(known, _)| *known == letter).map(|(_, value)| value.clone())
        };
        let number = |letter: char| value(letter)?.as_known()?.parse::<usize>().ok();
        operands.iter().for_each(|name| self.check_name(name));
        let name =
            operands.first().and_then(Value::own_text).unwrap_or_else(|| "MAPFILE".to_owned());
        let from = number('u').and_then(|number| u32::try_from(number).ok());
        let from = from.filter(|number| *number > 0);
        let content = match from {
            Some(number) => match self.state.descriptors.get(&number) {
                Some(flow) => flow.content(),
                None => Value::unknown("input"),
            },
            None => self.stdin_content(),
        };
        let delimiter = value('d').map_or('\n', |text| {
            text.as_known().and_then(|text| text.chars().next()).unwrap_or('\0')
        });
        let trim = options.iter().any(|(letter, _)| *letter == 't');
        let first = number('O').and_then(|first| i64::try_from(first).ok());
        let mut shared: Arc<BTreeMap<i64, Value>> = match (first, self.variable_content(&name)) {
            (Some(_), Some(VariableContent::Indexed(items))) => items,
            _ => Arc::default(),
        };
        let items = Arc::make_mut(&mut shared);
        let first = first.unwrap_or(0);
        let skipped = number('s').unwrap_or(0);
        let most = number('n').filter(|most| *most > 0).unwrap_or(usize::MAX);
        match content.readings(MAX_ALTERNATIVES) {
            Some(texts) => {
                if most < usize::MAX {
                    let taken = |text: &String| {
                        let lines =
                            text.split_inclusive(delimiter).take(skipped.saturating_add(most));
                        text.get(lines.map(str::len).sum()..).unwrap_or_default().to_owned()
                    };
                    let rest = Value::one_of(texts.iter().map(taken)).tainted(content.taint());
                    match from {
                        Some(number) => {
                            self.state.descriptors.insert(number, Flow::Text(rest));
                        }
                        None => self.change_stdin(Flow::Text(rest)),
                    }
                }
                let before = items.clone();
                for (round, text) in texts.iter().enumerate() {
                    let lines = text.split_inclusive(delimiter).skip(skipped);
                    let mut read = before.clone();
                    for (index, line) in (first..).zip(lines.take(most)) {
                        let line = if trim { line.trim_end_matches(delimiter) } else { line };
                        read.insert(
                            index,
                            Value::known(until_zero_byte(line)).tainted(content.taint()),
                        );
                    }
                    match round {
                        0 => *items = read,
                        _ => join_elements(items, read),
                    }
                }
            }
            None => {
                let read = elements(&content, &[delimiter]);
                let read = places::shifted(&read, skipped).into_iter();
                let read = read.reduce(|all, list| join_lists(&all, &list)).unwrap_or_default();
                let most = most.min(usize::try_from(i64::MAX).unwrap_or(usize::MAX));
                let read = places::part(&read, 0, i64::try_from(most).ok());
                for (index, mut line) in (first..).zip(read) {
                    if !trim {
                        line.push_str(delimiter.encode_utf8(&mut [0; 4]));
                    }
                    items.insert(index, line);
                }
            }
        }
        let steps = items.len() / 4;
        if !self.spend(steps, Span::default()) {
            return CommandResult::default();
        }
        if self
            .state
            .variables
            .get(&name)
            .is_some_and(|variable| variable.integer || variable.case.is_some())
        {
            for item in Arc::make_mut(&mut shared).values_mut() {
                *item = self.with_attributes(&name, std::mem::take(item));
            }
        }
        self.assign_array(&name, VariableContent::Indexed(Arc::clone(&shared)));
        if let Some(code) = value('C') {
            self.run_for_lines(&code, &shared, span);
        }
        CommandResult::default()
    }

    /// `mapfile -C CODE`: the number and the text of a line stand behind the code.
    fn run_for_lines(&mut self, code: &Value, lines: &BTreeMap<i64, Value>, span: Span) {
        for (number, line) in lines {
            if !self.step(span) {
                return;
            }
            let mut whole = code.clone();
            whole.push_str(&format!(" {number} "));
            match line.as_known() {
                Some(text) => whole.push_str(&format!("'{}'", text.replace('\'', "'\\''"))),
                None => whole.append(&line.changed(origin::INPUT_LINE)),
            }
            self.run_code_value(&whole, span);
        }
    }

    pub(super) fn builtin_printf_v(&mut self, words: &[Field], span: Span) -> CommandResult {
        let (name, rest) = match words.first().and_then(|word| word.value.as_known()) {
            Some("-v") => {
                let name = words.get(1).map(|word| &word.value);
                let written = |word: &Value| written_name(word).or_else(|| word.own_text());
                (name.and_then(written), words.get(2..))
            }
            Some(text) => (text.get(2..).map(str::to_owned), words.get(1..)),
            None => (None, None),
        };
        match &name {
            Some(name) => {
                self.evaluate_subscript(&Value::known(name.as_str()));
            }
            None => words.iter().take(2).for_each(|word| self.check_name(&word.value)),
        }
        let (Some(name), Some(rest)) = (name, rest) else {
            return CommandResult::default();
        };
        let program = Field { value: Value::known("printf"), span };
        let printed: Vec<Field> = std::iter::once(program).chain(rest.iter().cloned()).collect();
        let value = self
            .emulated("printf", &printed)
            .map(|(value, _)| value)
            .or_else(|| repeats_operands("printf", &printed))
            .or_else(|| self.printed_without_outside("printf", &printed))
            .or_else(|| printed_date(rest))
            .unwrap_or_else(|| Value::unknown("formatted text"));
        let mut value = rest.iter().fold(value, |value, word| value.tainted(word.value.taint()));
        if let Some(texts) = value
            .readings(MAX_ALTERNATIVES)
            .filter(|texts| texts.iter().any(|text| text.contains('\0')))
        {
            let texts = texts.iter().map(|text| until_zero_byte(text).to_owned());
            value = Value::one_of(texts).tainted(value.taint());
        }
        self.effect_setenv(&name, &value, span, true);
        self.assign(&name, value);
        CommandResult::default()
    }
}

/// The first line of a text, the rest, and whether `read` succeeds: a line without its delimiter is read, but
/// `read` fails.
fn first_line(text: &str, delimiter: char, count: Option<usize>, raw: bool) -> (&str, &str, bool) {
    match count {
        Some(count) => {
            let cut = text.char_indices().nth(count).map_or(text.len(), |(at, _)| at);
            let (line, rest) = text.split_at_checked(cut).unwrap_or((text, ""));
            (line, rest, !text.is_empty())
        }
        None => match split_at_delimiter(text, delimiter, raw) {
            Some((line, rest)) => (line, rest, true),
            None => (text, "", false),
        },
    }
}

/// The text before a delimiter and behind it. Without `-r` a backslash protects one.
fn split_at_delimiter(text: &str, delimiter: char, raw: bool) -> Option<(&str, &str)> {
    let mut protected = false;
    let at = text.char_indices().find(|(_, c)| match protected {
        true => {
            protected = false;
            false
        }
        false => {
            protected = *c == '\\' && !raw;
            *c == delimiter
        }
    });
    let (at, _) = at?;
    Some((text.get(..at)?, text.get(at + delimiter.len_utf8()..)?))
}

//! Builtins that fill variables from input: `read`, `mapfile`, `printf -v`.

use crate::expand::Field;
use crate::interp::{CommandResult, Interp};
use crate::state::{Flow, VariableContent};
use aegish_syntax::Span;
use aegish_values::{Source, Taint, Value, origin};
use std::collections::BTreeMap;

impl Interp<'_> {
    pub(super) fn builtin_read(&mut self, words: &[Field], _span: Span) -> CommandResult {
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
            self.assign_array(&name, VariableContent::Indexed(items));
            return CommandResult { stdout: Value::empty(), status };
        }
        if names.is_empty() {
            names.push("REPLY".to_owned());
        }
        self.assign_words(&names, &line);
        CommandResult { stdout: Value::empty(), status }
    }

    /// Distributes a line over variables, the last one taking the rest.
    pub(super) fn assign_words(&mut self, names: &[String], line: &Value) {
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
    pub(super) fn separators(&self) -> String {
        match self.lookup("IFS") {
            Some(Some(value)) => value.as_known().unwrap_or(" \t\n").to_owned(),
            _ => " \t\n".to_owned(),
        }
    }

    /// `read BASH_ENV` sets an environment variable as well as an assignment does.
    pub(super) fn note_read(&mut self, name: &str, value: &Value) {
        if let Some(command) = self.frame.caller.parent {
            let span = self.out.commands[command].span;
            self.effect_setenv(name, value, span, true);
        }
    }

    /// Takes one line from standard input, where that is known text.
    pub(super) fn take_line(
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
            let mut value = Value::unknown(origin::INPUT_LINE);
            if let Flow::Terminal = **self.stdin {
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
        self.change_stdin(Flow::Text(rest));
        (line, Some(true))
    }

    pub(super) fn builtin_mapfile(&mut self, words: &[Field], span: Span) -> CommandResult {
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
        self.assign_array(&name, VariableContent::Indexed(items));
        CommandResult::status(true)
    }

    pub(super) fn builtin_printf_v(&mut self, words: &[Field], span: Span) -> CommandResult {
        let (name, rest) = match words[0].value.as_known() {
            Some("-v") => (words.get(1).and_then(|word| word.value.as_known()), words.get(2..)),
            Some(text) => (text.get(2..), words.get(1..)),
            None => (None, None),
        };
        if let Some(name) = name {
            self.evaluate_subscript(&Value::known(name));
        }
        let (Some(name), Some(rest)) = (name, rest) else {
            return CommandResult::default();
        };
        let mut argv = vec!["printf"];
        let known: Option<Vec<&str>> = rest.iter().map(|word| word.value.as_known()).collect();
        let value = known
            .and_then(|words| {
                argv.extend(words);
                aegish_emulate::run(&argv, b"", &|_| None)
            })
            .map_or_else(
                || Value::unknown("formatted text"),
                |bytes| Value::known(String::from_utf8_lossy(&bytes).into_owned()),
            );
        let value = rest.iter().fold(value, |value, word| value.tainted(word.value.taint()));
        self.effect_setenv(name, &value, span, true);
        let name = name.to_owned();
        self.assign(&name, value);
        CommandResult::status(true)
    }
}

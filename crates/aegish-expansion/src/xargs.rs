//! `xargs`: how its options cut the input into the arguments of commands.

use crate::items::{MAX_ITEMS, delimiter, elements, quoted_items};
use aegish_options::GivenOption;
use aegish_values::{Source, Value, origin};

/// How `xargs` makes commands out of its input.
#[derive(Default)]
pub struct XargsSettings {
    /// Which items each command gets.
    pub batch: Batch,
    /// `-d`, `-0`: the character between items. Quotes have no meaning then.
    delimiter: Option<char>,
    /// `-E`: the item that ends the input.
    end: Option<String>,
}

/// The arguments of one command.
#[derive(Default)]
pub enum Batch {
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
    /// What the options say.
    #[must_use]
    pub fn new(options: &[GivenOption]) -> Self {
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
    #[must_use]
    pub fn items(&self, input: &Value) -> Vec<Vec<Value>> {
        let by_line = matches!(self.batch, Batch::Replace(_));
        let known = |text: String| Value::known(text).tainted(input.taint());
        let full = |mut words: Vec<Value>| {
            words.retain(|word| !word.pieces().is_empty());
            words
        };
        let mut lines: Vec<Vec<Value>> = match (input.as_known(), self.delimiter) {
            (None, None) => {
                let words = |line: Value| match by_line {
                    // Which quotes belong together depends on what comes from outside.
                    true if line.has_unknown() && line.to_string().contains(['\'', '"', '\\']) => {
                        vec![Value::lost().tainted(line.taint())]
                    }
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

/// Whether an item is typed, or what a file says: names that a program lists are ordinary.
#[must_use]
pub fn is_foreign(item: &Value) -> bool {
    let mut sources = item.taint().sources().peekable();
    let listed = sources.peek().is_some()
        && sources.all(|source| matches!(source, Source::Program(name) if name != "cat"));
    item.has_unknown() && !listed
}

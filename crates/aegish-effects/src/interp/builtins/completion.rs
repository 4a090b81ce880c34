//! `complete` and `compgen`: code that runs to complete a line, and the words that they print.

use crate::interp::{CommandResult, Interp};
use aegish_analysis::{EffectKind, Invocation, Opaque};
use aegish_expansion::Field;
use aegish_expansion::misuse::letters;
use aegish_syntax::Span;
use aegish_values::{MAX_ALTERNATIVES, Taint, Value};

impl Interp<'_> {
    /// `complete -C command` runs a command, `-F` a function, at every completion.
    pub(super) fn builtin_complete(&mut self, words: &[Field], span: Span) -> CommandResult {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if word.value.as_known() == Some("-F")
                && let Some(name) = words.next().and_then(|name| name.value.as_known())
            {
                self.called_by_shell(name, span);
                continue;
            }
            if word.value.as_known() == Some("-C")
                && let Some(command) = words.next()
            {
                let code = command.value.clone();
                if code.is_known() {
                    // A completer by its bare name is one of the system.
                    let invocation = if code.to_string().contains('/') {
                        Invocation::Indirect
                    } else {
                        Invocation::Direct
                    };
                    self.run_code_through(invocation, &code, span);
                } else {
                    let taint = code.taint().clone();
                    self.effect(EffectKind::Hidden { why: Opaque::Code, what: code, taint }, span);
                }
            }
        }
        CommandResult::default()
    }

    /// `compgen` runs the command of `-C` and the function of `-F`, with words of its own behind them, and expands
    /// the list of `-W`.
    pub(super) fn builtin_compgen(&mut self, words: &[Field], span: Span) -> CommandResult {
        let (options, operands) = letters(words, "AoCFGPSWX");
        let printed = self.completions(&options, &operands);
        for (letter, value) in options {
            match letter {
                'C' | 'F' => {
                    let mut code = value;
                    if code.readings(MAX_ALTERNATIVES).is_some() {
                        code.push_str(" compgen '' ''");
                    }
                    self.followed_later(|interp| {
                        interp.run_code_value(&code, span);
                    });
                }
                'W' => {
                    self.check_name(&value);
                    for text in value.own_texts() {
                        self.isolated(|interp| {
                            interp.expand_text(&text);
                        });
                        if text.contains("<(") || text.contains(">(") {
                            let (what, taint) = (value.clone(), Taint::none());
                            self.effect(
                                EffectKind::Hidden { why: Opaque::Code, what, taint },
                                span,
                            );
                        }
                    }
                }
                _ => {}
            }
        }
        CommandResult::output(printed)
    }

    /// What `compgen -W WORDS` or `compgen -A function` prints, if all of it is known.
    fn completions(&self, options: &[(char, Value)], operands: &[Value]) -> Value {
        let text = |letter: char| {
            let value = options.iter().rev().find(|(known, _)| *known == letter);
            value.map_or(Some(""), |(_, value)| value.as_known())
        };
        let kinds = || options.iter().filter(|(letter, _)| !matches!(letter, 'P' | 'S'));
        let words: Option<Vec<String>> = match kinds().collect::<Vec<_>>().as_slice() {
            [('W', value)] => value
                .as_known()
                .filter(|text| !text.contains(['$', '`', '\'', '"', '\\', '<', '>']))
                .map(|text| text.split_whitespace().map(str::to_owned).collect()),
            [('A', value)] if value.as_known() == Some("function") => {
                Some(self.state.functions.iter().map(|(name, _)| name.to_owned()).collect())
            }
            _ => None,
        };
        let start = operands.last().map_or(Some(""), |value| value.as_known());
        let (Some(words), Some(start), Some(before), Some(behind)) =
            (words, start, text('P'), text('S'))
        else {
            return Value::empty();
        };
        let fitting = words.iter().filter(|word| word.starts_with(start));
        Value::known(fitting.map(|word| format!("{before}{word}{behind}\n")).collect::<String>())
    }
}

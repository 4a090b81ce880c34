//! Programs without a profile.

use super::program::is_shell;
use super::simple::base_name;
use super::{CommandResult, Interp};
use aegish_analysis::{EffectKind, Invocation, Opaque};
use aegish_expansion::items::changes_recalled_line;
use aegish_expansion::{Field, arguments};
use aegish_shell_state::{FileView, Flow, HistoryExpansion};
use aegish_syntax::Span;
use aegish_values::{Piece, Source, Taint, Value, origin};

impl Interp<'_> {
    /// A program without a profile may run its operands: `gosu root sh -c CODE`, `tini -- COMMAND`.
    pub(super) fn run_operands(
        &mut self,
        report: usize,
        fields: &[Field],
        span: Span,
    ) -> CommandResult {
        let known = |at: usize| fields.get(at).and_then(|field| field.value.as_known());
        let profile = |at: usize| known(at).and_then(|name| aegish_profiles::find(base_name(name)));
        let on = self.state.history_expansion == HistoryExpansion::On && self.ctx.interactive;
        if on && known(0).is_some_and(changes_recalled_line) {
            self.hidden_code(&Value::unknown("changed line of the history"), span);
        }
        let fed = self.input_taint().network().is_some();
        let piped = !matches!(**self.stdin, Flow::Terminal);
        let command = (1..fields.len()).find(|at| {
            let code = known(at + 1).is_some_and(|word| {
                word.starts_with('-') && !word.starts_with("--") && word.ends_with('c')
            });
            // Input is passed to the shell at the end: from the network to any name of one.
            let path = known(*at).is_some_and(|name| name.contains('/'));
            let last = (*at + 1..fields.len()).all(|at| known(at).is_some_and(is_switch));
            let shell =
                profile(*at).is_some_and(is_shell) && (code || (fed || piped && path) && last);
            shell || known(at - 1) == Some("--") && *at > 1 && profile(*at).is_some()
        });
        let before = fields.get(1..command.unwrap_or(fields.len())).unwrap_or_default();
        self.mention_arguments(report, before);
        match command {
            Some(at) => {
                let words = fields.get(at..).unwrap_or_default().to_vec();
                self.run_argv_through(Invocation::Launched, &words, span)
            }
            None => {
                self.run_quoted_commands(fields, span);
                self.suppose_input_is_code(fields, span);
                self.suppose_commands(fields, span);
                self.note_download(fields).unwrap_or_default()
            }
        }
    }

    /// `frobnicate rm -rf /`: a program without a profile may run the words behind it. They are followed for what they
    /// do to files, and change nothing.
    fn suppose_commands(&mut self, fields: &[Field], span: Span) {
        for at in 1..fields.len().saturating_sub(1) {
            self.suppose_command(fields.get(at..).unwrap_or_default(), span);
        }
    }

    /// Follows words that may be a command, if they begin with a program that is known and have an argument.
    fn suppose_command(&mut self, words: &[Field], span: Span) {
        let [name, _, ..] = words else { return };
        let name = name.value.as_known();
        let profile = name.and_then(|name| aegish_profiles::find(base_name(name)));
        if profile.is_none_or(is_shell) {
            return;
        }
        let (found, effects) = (self.out.mark(), self.out.effects.len());
        let state = self.state.clone();
        // What is supposed counts only if it is certain: what comes from outside may be empty.
        let whole = |field: &Field| {
            let begins = !matches!(field.value.pieces().first(), Some(Piece::Unknown(_)));
            let text = field.value.own_text().filter(|_| begins);
            let value = text.map(|text| Value::known(text).tainted(field.value.taint()));
            Field { value: value.unwrap_or_else(|| field.value.clone()), span: field.span }
        };
        let words: Vec<Field> = words.iter().map(whole).collect();
        self.run_argv_through(Invocation::Supposed, &words, span);
        self.state = state;
        let counts = |kind: &EffectKind| {
            kind.is_about_files() || matches!(kind, EffectKind::Hidden { why: Opaque::Limit, .. })
        };
        if !self.effects_since(effects).iter().any(|effect| counts(&effect.kind)) {
            self.out.back_to(found);
        }
    }

    /// `frobnicate <<< '(slurp "/etc/shadow")'`: a program without operands may run its input.
    fn suppose_input_is_code(&mut self, fields: &[Field], span: Span) {
        let has_operands = arguments(fields).iter().any(|field| {
            field.value.as_known().is_none_or(|word| !word.starts_with('-') || word == "-")
        });
        if has_operands {
            return;
        }
        if let Some(code) = self.stdin_content().as_known().map(str::to_owned) {
            self.suppose_code(&code, span);
        }
    }

    /// `-e '(slurp "/etc/shadow")'`: code in a language that is not known may open the files that its texts name, and
    /// run the commands that they hold.
    fn suppose_code(&mut self, code: &str, span: Span) {
        for text in aegish_languages::quoted_texts(code) {
            if aegish_languages::names_file(text) {
                self.effect(EffectKind::Mention { path: Value::known(text) }, span);
                continue;
            }
            let words: Vec<Field> = text
                .split_whitespace()
                .map(|word| Field { value: Value::known(word), span })
                .collect();
            self.suppose_command(&words, span);
        }
    }

    /// `-c 'cat file'`: a command, if it begins with a program that is known.
    fn run_quoted_commands(&mut self, fields: &[Field], span: Span) {
        let words = arguments(fields);
        let is_option = |text: &str| {
            matches!(
                text,
                "-c" | "-e" | "-x" | "--command" | "--cmd" | "--exec" | "--eval" | "--run"
            )
        };
        for (at, field) in words.iter().enumerate() {
            let Some(text) = field.value.as_known() else { continue };
            let before = at.checked_sub(1).and_then(|before| words.get(before)?.value.as_known());
            let first = text.split_whitespace().next().unwrap_or_default();
            let command = text.trim().contains(char::is_whitespace)
                && aegish_profiles::find(base_name(first)).is_some();
            if !before.is_some_and(is_option) {
                continue;
            }
            if command {
                let code = field.value.clone();
                self.run_code_through(Invocation::Launched, &code, span);
            } else {
                let code = text.to_owned();
                self.suppose_code(&code, span);
            }
        }
    }

    /// A program without a profile may fetch what an address names, print it, or save it where an operand says.
    fn note_download(&mut self, fields: &[Field]) -> Option<CommandResult> {
        let is_address = |text: &str| {
            ["http://", "https://", "ftp://"].iter().any(|scheme| text.starts_with(scheme))
        };
        let words = arguments(fields);
        let known = |field: &Field| field.value.as_known().map(str::to_owned);
        let address = words.iter().filter_map(known).find(|word| is_address(word))?;
        let content =
            |what| Value::unknown(what).tainted(&Taint::from(Source::Network(address.clone())));
        let saved = words.iter().enumerate().filter_map(|(at, field)| {
            let word = known(field)?;
            let before = at.checked_sub(1).and_then(|before| known(words.get(before)?));
            let named = before.is_some_and(|option| {
                option.starts_with("-o") || option.starts_with("-O") || option.starts_with("--out")
            });
            let given = word.strip_prefix("--output=").or(word.strip_prefix("--out="));
            match given {
                Some(file) => Some(file.to_owned()),
                None if word.starts_with('-') || is_address(&word) => None,
                None => (named || at + 1 == words.len()).then_some(word),
            }
        });
        let saved: Vec<String> = saved.map(|word| self.absolute(&word)).collect();
        for path in saved {
            // A file that is there already is more likely an operand of another kind.
            let there = matches!(
                self.machine.read(&path, 0),
                FileView::Text(_) | FileView::Long(_) | FileView::Binary
            );
            if !there && self.written(&path).is_none() {
                self.remember_file(&path, content("network data"), false);
            }
        }
        Some(CommandResult::output(content(origin::PROGRAM_OUTPUT)))
    }
}

/// `-e`, `-ex`: letters that switch something and take no word.
fn is_switch(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|letters| letters.chars().all(|c| c.is_ascii_alphabetic()))
}

//! The command history: `history`, `fc`, and lines that name earlier ones (`!!`).

use crate::interp::{CommandResult, FileContent, Interp};
use aegish_analysis::{EffectKind, Invocation, Opaque};
use aegish_expansion::{Field, joined};
use aegish_shell_state::HistoryExpansion;
use aegish_syntax::Span;
use aegish_syntax::history::{Recallable, expand};
use aegish_values::{Source, Taint, Value};

/// Lines of the command history that are remembered.
const MAX_RECALLED: usize = 64;
/// Longest line that is remembered.
const MAX_LINE: usize = 4096;

impl Interp<'_> {
    /// The lines with what they recall of earlier ones, if one of them does; the history has them from now on. Only a
    /// shell at a terminal reads them so.
    pub(crate) fn recalled_lines(&mut self, text: &str, here_docs: &[Span]) -> Option<String> {
        if !self.ctx.interactive {
            return None;
        }
        let on = self.state.history_expansion == HistoryExpansion::On;
        let (mut all, mut recalls) = (String::with_capacity(text.len()), false);
        let mut bodies: Vec<_> = here_docs.iter().map(|body| body.range()).collect();
        bodies.sort_by_key(|body| body.start);
        let mut bodies = bodies.into_iter().peekable();
        let (mut end, mut end_of_bodies) = (0, 0);
        for line in text.split_inclusive('\n') {
            let start = end;
            end += line.len();
            while let Some(body) = bodies.next_if(|body| body.start <= start) {
                end_of_bodies = end_of_bodies.max(body.end);
            }
            if start < end_of_bodies {
                all.push_str(line);
                continue;
            }
            let line = line.trim_end_matches('\n');
            let valid = |text: &str| aegish_syntax::parse(text).error.is_none();
            // A line that is wrong afterwards does not run, or quotes that go over several lines were misread.
            let expanded = if on { self.expand_history(line) } else { None };
            let expanded = expanded.filter(|expanded| valid(expanded) || !valid(line));
            recalls |= expanded.is_some();
            let line = expanded.unwrap_or_else(|| line.to_owned());
            all.push_str(&line);
            all.push('\n');
            self.add_to_history(line);
        }
        recalls.then_some(all)
    }

    /// What an earlier line put into `PROMPT_COMMAND` ran before this one. What it does was reported there.
    pub(crate) fn follow_prompt_command(&mut self) {
        let set = self.state.variables.contains_key("PROMPT_COMMAND") && self.ctx.interactive;
        let Some(code) = set.then(|| self.lookup_scalar("PROMPT_COMMAND")).flatten() else {
            return;
        };
        let (found, before) = (self.out.mark(), self.state.clone());
        self.without_jumps(|interp| interp.run_code_value(&code, Span::default()));
        self.out.back_to(found);
        self.state.join(&before);
    }

    fn expand_history(&self, line: &str) -> Option<String> {
        if !line.contains('!') && !line.starts_with('^') {
            return None;
        }
        let typed: Vec<&str> = self.state.lines.iter().map(String::as_str).collect();
        expand(line, &[], &Recallable { typed: &typed, numbered: &self.state.lines }).ok().flatten()
    }

    fn add_to_history(&mut self, line: String) {
        if self.ctx.interactive && line.len() <= MAX_LINE {
            if self.state.lines.len() >= MAX_RECALLED {
                self.state.lines.remove(0);
            }
            self.state.lines.push(line);
        }
    }

    pub(super) fn builtin_history(&mut self, words: &[Field], span: Span) -> CommandResult {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let text = word.value.as_known().unwrap_or("");
            match text {
                "-c" => self.disarm_history("clears the command history", span),
                "-w" | "-a" => {
                    let own = self.state.variables.contains_key("HISTFILE");
                    let own = own.then(|| self.lookup_scalar("HISTFILE")).flatten();
                    if let Some(path) = words.next().map(|file| file.value.clone()).or(own) {
                        self.write_file(
                            &path,
                            Value::unknown("command history"),
                            text == "-a",
                            span,
                        );
                    }
                }
                "-r" | "-n" => {
                    let own = self.state.variables.contains_key("HISTFILE");
                    let own = own.then(|| self.lookup_scalar("HISTFILE")).flatten();
                    let file = words.next().map(|file| (file.value.clone(), file.span));
                    if let Some((path, at)) = file.or(own.map(|path| (path, span))) {
                        self.recall_file(&path);
                        self.effect(EffectKind::Read { path, tree: false }, at);
                    }
                }
                "-s" => {
                    let rest: Vec<Field> = words.by_ref().cloned().collect();
                    // The line itself is not in the history then.
                    self.state.lines.pop();
                    self.recall(joined(&rest));
                }
                "-p" => {
                    let mut lines = Value::empty();
                    for word in words.by_ref() {
                        lines.append(&word.value);
                        lines.push_str("\n");
                    }
                    let recalls = lines.own_texts().iter().any(|text| text.contains('!'));
                    return CommandResult::output(match recalls {
                        true => Value::one_of_many_values().tainted(lines.taint()),
                        false => lines,
                    });
                }
                _ => {}
            }
        }
        let taint = Taint::from(Source::Program("history".to_owned()));
        let mut lines = Value::unknown("command history");
        match self.state.recalled.is_empty() {
            true => {
                for (number, line) in (1..).zip(&self.state.lines) {
                    lines.push_str(&format!("\n{number:5}  {line}"));
                }
                lines.push_str("\n");
            }
            false => lines = Value::one_of_many_values(),
        }
        CommandResult::output(lines.tainted(&taint))
    }

    /// Adds a line to the command history without running it.
    fn recall(&mut self, line: Value) {
        if let Some(text) = line.as_known() {
            self.add_to_history(text.to_owned());
        }
        // Beyond the limit it is not known which line runs.
        match self.state.recalled.len() {
            MAX_RECALLED => self.state.recalled.push(Value::unknown("command history")),
            count if count < MAX_RECALLED => self.state.recalled.push(line),
            _ => {}
        }
    }

    fn recall_file(&mut self, path: &Value) {
        let FileContent::Written(content) = self.file_content(path) else { return };
        match content.as_known() {
            Some(text) => {
                for line in text.lines() {
                    self.recall(Value::known(line).tainted(content.taint()));
                }
            }
            None => self.recall(content),
        }
    }

    /// A line recalls one of those that were added to the history.
    pub(crate) fn run_recalled(&mut self, span: Span) {
        for line in self.state.recalled.clone() {
            self.run_code_value(&line, span);
        }
    }

    /// `fc` runs lines of the command history again, edited or unchanged. Lines that ran were judged.
    /// Lines that were only added are judged now, all of them.
    pub(super) fn builtin_fc(&mut self, words: &[Field], span: Span) -> CommandResult {
        let lists = |text: &str| {
            text.starts_with('-') && text.get(1..).unwrap_or_default().starts_with(['l', 'n', 'r'])
        };
        if words.first().is_some_and(|word| lists(word.value.known_prefix())) {
            return CommandResult::default();
        }
        if self.state.recalled.is_empty() {
            return self.run_code_value(&Value::unknown("command history"), span);
        }
        self.run_recalled(span);
        let word = |at: usize| words.get(at).and_then(|word| word.value.as_known());
        if word(0) == Some("-s") || word(0) == Some("-e") && word(1) == Some("-") {
            return CommandResult::default();
        }
        if word(0) == Some("-e") {
            let editor = words.get(1).map(|word| word.value.clone()).unwrap_or_default();
            self.run_code_through(Invocation::Indirect, &editor, span);
        }
        // The edited line runs without being judged.
        let (what, taint) = (Value::unknown("edited line"), Taint::none());
        self.effect(EffectKind::Hidden { why: Opaque::Code, what, taint }, span);
        CommandResult::default()
    }
}

//! Programs that make command lines out of input: `xargs`, `parallel`.

use super::{CommandResult, Interp};
use crate::effect::{EffectKind, Invocation};
use crate::expand::{Field, joined};
use crate::state::Flow;
use aegish_profiles::{Profile, Role};
use aegish_syntax::Span;
use aegish_values::{Piece, Value};

impl Interp<'_> {
    /// `xargs [options] [command]`: standard input becomes arguments.
    pub(crate) fn run_xargs(
        &mut self,
        profile: &'static Profile,
        fields: &[Field],
        span: Span,
    ) -> CommandResult {
        let parsed = aegish_options::parse(&profile.grammar, &fields[1..]);
        let mut input = if matches!(self.stdin, Flow::Terminal) {
            Value::unknown("typed text")
        } else {
            self.stdin_content()
        };
        let mut replace: Option<String> = None;
        for item in &parsed.arguments {
            if item.role == Role::Read {
                self.effect(EffectKind::Read { path: item.value.clone(), tree: false }, item.span);
                input = match self.file_content(&item.value) {
                    super::Content::Written(value) => value,
                    _ => Value::unknown("file content"),
                };
            }
        }
        let options_end = parsed.rest.map_or(fields.len(), |(_, at)| at + 1);
        for (index, field) in fields[..options_end].iter().enumerate() {
            match field.value.as_known() {
                Some("-I") => {
                    replace =
                        fields.get(index + 1).and_then(|f| f.value.as_known()).map(str::to_owned);
                }
                Some("-i" | "--replace") => replace = Some("{}".to_owned()),
                Some(text) if text.starts_with("-I") && text.len() > 2 => {
                    replace = Some(text[2..].to_owned());
                }
                _ => {}
            }
            if replace.is_some() {
                break;
            }
        }
        let command: Vec<Field> = match parsed.rest {
            Some((_, at)) => fields[at + 1..].to_vec(),
            None => vec![Field { value: Value::known("echo"), span }],
        };
        let by_line = replace.is_some() || delimiter_given(&fields[..options_end]);
        let chunk = chunk_size(&fields[..options_end]);
        self.run_with_input(command, &input, replace.as_deref(), by_line, chunk, span)
    }

    /// GNU `parallel command ::: args`, or with input lines as arguments or as whole commands.
    pub(crate) fn run_parallel(
        &mut self,
        profile: &'static Profile,
        fields: &[Field],
        span: Span,
    ) -> CommandResult {
        let parsed = aegish_options::parse(&profile.grammar, &fields[1..]);
        if parsed.deeds.iter().any(|deed| deed.tag == "inert") {
            return CommandResult::default();
        }
        let start = parsed.rest.map_or(fields.len(), |(_, at)| at + 1);
        let words = &fields[start..];
        let split = words.iter().position(|field| {
            matches!(field.value.as_known(), Some(":::" | "::::" | ":::+" | "::::+"))
        });
        let (command, arguments) = match split {
            Some(at) => (&words[..at], Some(&words[at + 1..])),
            None => (words, None),
        };
        let template = joined(command);
        let inputs: Vec<Value> = match arguments {
            Some(arguments) => arguments.iter().map(|field| field.value.clone()).collect(),
            None => lines(&self.stdin_content()),
        };
        let mut ran = CommandResult::default();
        for input in inputs.iter().take(16) {
            let mut code = replace_braces(&template, input);
            if command.is_empty() {
                code = input.clone();
            } else if !template.to_string().contains("{}") {
                code.push_str(" ");
                code.append(input);
            }
            ran = self.run_code_through(Invocation::Launched, &code, span);
        }
        ran
    }

    /// Runs a command with words of the input put in or added.
    fn run_with_input(
        &mut self,
        command: Vec<Field>,
        input: &Value,
        replace: Option<&str>,
        by_line: bool,
        chunk: Option<usize>,
        span: Span,
    ) -> CommandResult {
        let parts: Vec<Value> = match (input.as_known(), by_line) {
            (Some(text), false) => text
                .split_whitespace()
                .take(64)
                .map(|word| {
                    let word = word.trim_matches(|c| c == '\'' || c == '"');
                    Value::known(word).tainted(input.taint())
                })
                .collect(),
            (Some(_), true) | (None, _) => lines(input),
        };
        let Some(marker) = replace else {
            if let Some(size) = chunk.filter(|size| parts.len() > *size) {
                let mut stdout = Value::empty();
                for some in parts.chunks(size).take(16) {
                    let mut whole = command.clone();
                    whole.extend(some.iter().map(|value| Field { value: value.clone(), span }));
                    stdout.append(&self.run_xargs_command(whole, span).stdout);
                }
                return CommandResult::output(stdout);
            }
            let mut whole = command;
            whole.extend(parts.into_iter().map(|value| Field { value, span }));
            let stdin = std::mem::replace(&mut self.stdin, Flow::Nothing);
            // A shell that xargs starts reads the terminal unless code follows.
            if !matches!(stdin, Flow::Text(_) | Flow::File(_) | Flow::Network { .. }) {
                self.stdin = stdin.clone();
            }
            let ran = self.run_xargs_command(whole, span);
            self.stdin = stdin;
            return ran;
        };
        let mut stdout = Value::empty();
        for part in parts.iter().take(16) {
            let whole = command
                .iter()
                .map(|field| Field {
                    value: replace_marker(&field.value, marker, part),
                    span: field.span,
                })
                .collect();
            stdout.append(&self.run_xargs_command(whole, span).stdout);
        }
        CommandResult::output(stdout)
    }

    /// A shell started by `xargs` with nothing to read still is a shell somebody asked for.
    fn run_xargs_command(&mut self, words: Vec<Field>, span: Span) -> CommandResult {
        if words.is_empty() {
            return CommandResult::default();
        }
        let flags_only = words[1..].iter().all(|word| word.value.known_prefix().starts_with('-'));
        let bare_shell = flags_only
            && words[0]
                .value
                .as_known()
                .and_then(|name| aegish_profiles::find(super::simple::base_name(name)))
                .is_some_and(super::program::is_shell);
        let stdin = self.stdin.clone();
        if bare_shell {
            self.stdin = Flow::Terminal;
        }
        let ran = self.run_argv_through(Invocation::Launched, words, span);
        self.stdin = stdin;
        ran
    }
}

fn delimiter_given(fields: &[Field]) -> bool {
    fields.iter().any(|field| {
        field.value.as_known().is_some_and(|text| {
            text.starts_with("-d")
                || text.starts_with("--delimiter")
                || text == "-0"
                || text == "--null"
        })
    })
}

/// Lines of a value, as far as its known parts tell where they end.
fn lines(value: &Value) -> Vec<Value> {
    let mut lines = vec![Value::empty()];
    for piece in value.pieces() {
        let Piece::Text(text) = piece else {
            if let Some(last) = lines.last_mut() {
                last.push(piece.clone());
            }
            continue;
        };
        for (index, part) in text.split(['\n', '\0']).enumerate() {
            if index > 0 {
                lines.push(Value::empty());
            }
            if let Some(last) = lines.last_mut() {
                last.push_str(part);
            }
        }
        if lines.len() > 64 {
            break;
        }
    }
    lines
        .into_iter()
        .filter(|line| !line.pieces().is_empty())
        .take(64)
        .map(|line| line.tainted(value.taint()))
        .collect()
}

/// `{}` replaced by a value.
pub(super) fn replace_braces(value: &Value, by: &Value) -> Value {
    replace_marker(value, "{}", by)
}

fn replace_marker(value: &Value, marker: &str, by: &Value) -> Value {
    let mut result = Value::empty();
    for piece in value.pieces() {
        match piece {
            Piece::Text(text) if !marker.is_empty() && text.contains(marker) => {
                for (index, part) in text.split(marker).enumerate() {
                    if index > 0 {
                        result.append(by);
                    }
                    result.push_str(part);
                }
            }
            other => result.push(other.clone()),
        }
    }
    result.tainted(value.taint())
}

/// `-n 3`, `-n3`, `-L 1`
fn chunk_size(fields: &[Field]) -> Option<usize> {
    for (index, field) in fields.iter().enumerate() {
        let text = field.value.as_known().unwrap_or("");
        if let Some(rest) = text.strip_prefix("-n").or_else(|| text.strip_prefix("-L")) {
            let number = if rest.is_empty() {
                fields.get(index + 1).and_then(|next| next.value.as_known()).unwrap_or("")
            } else {
                rest
            };
            return number.parse().ok().filter(|size| *size > 0);
        }
    }
    None
}

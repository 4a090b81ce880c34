//! What is written to a descriptor: a file, or the output that a substitution, a pipe or a redirection reads.

use super::frame::Output;
use super::{CommandResult, FileContent, Interp};
use aegish_analysis::{EffectKind, Stream};
use aegish_expansion::Field;
use aegish_shell_state::{FileFact, Flow, Switch};
use aegish_syntax::Span;
use aegish_values::{Piece, Value, join_values, origin};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The name under which the files hold what was written to an output through another descriptor.
fn place_of(output: u32) -> String {
    format!("/dev/fd/output-{output}")
}

/// Whether nothing is known to have been written to a file through the descriptor that it was opened for.
pub(super) fn is_unwritten(content: &Value) -> bool {
    matches!(content.pieces(), [Piece::Unknown(origin::MESSAGES)])
}

impl Interp<'_> {
    /// A name for an output that is read.
    pub(super) fn fresh_output(&mut self) -> u32 {
        self.deferred.outputs += 1;
        self.deferred.outputs
    }

    /// Where a descriptor leads that nothing in the present command redirects.
    pub(super) fn flow_of(&self, descriptor: u32) -> Option<Flow> {
        match descriptor {
            0 => Some(Flow::clone(&self.stdin)),
            1 => Some(match &self.output.peer {
                Some(peer) => Flow::Network { peer: peer.clone() },
                None if self.output.capture => Flow::Output(self.output.id),
                None if self.output.discarded => Flow::Nothing,
                None => self.state.descriptors.get(&1).cloned().unwrap_or(Flow::Terminal),
            }),
            2 => Some(self.state.descriptors.get(&2).cloned().unwrap_or(Flow::Terminal)),
            _ => self.state.descriptors.get(&descriptor).cloned(),
        }
    }

    /// Something is written to a descriptor that is not that of the present output.
    pub(crate) fn write_to(&mut self, descriptor: u32, content: Value, span: Span) {
        match self.flow_of(descriptor) {
            Some(Flow::File(path)) => self.write_file(&path, content, true, span),
            Some(Flow::Output(output)) => self.add_output(output, &content),
            _ => {}
        }
    }

    /// Bash itself prints something made of these texts of the script.
    pub(super) fn prints_message(&mut self, descriptor: u32, made_of: &Value, span: Span) {
        let read = matches!(self.flow_of(descriptor), Some(Flow::File(_) | Flow::Output(_)));
        if read && (made_of.has_text() || made_of.has_name()) {
            self.write_to(descriptor, Value::one_of_many_values(), span);
        }
    }

    /// `set -x`: the command is printed before it runs.
    pub(super) fn print_trace(&mut self, lists: &[Vec<Field>], at: Span) {
        if !self.is_on(Switch::Trace) {
            return;
        }
        let span = self.span(at);
        let number = self.lookup_scalar("BASH_XTRACEFD");
        let number = number.and_then(|number| number.as_known()?.parse().ok()).unwrap_or(2);
        if !matches!(self.flow_of(number), Some(Flow::File(_) | Flow::Output(_))) {
            return;
        }
        match lists {
            [words]
                if !words.is_empty()
                    && let Some(line) = self.traced(words) =>
            {
                self.write_to(number, line, span);
            }
            _ => {
                let command = self.command_text(at);
                self.prints_message(number, &command, span);
            }
        }
    }

    /// What `time` prints after a command.
    pub(super) fn print_times(&mut self, span: Span) {
        if let Some(format) = self.lookup_scalar("TIMEFORMAT") {
            match format.as_known().filter(|text| !text.contains(['%', '\\'])) {
                Some(text) => self.write_to(2, Value::known(format!("{text}\n")), span),
                None => self.prints_message(2, &format, span),
            }
        }
    }

    /// Something is written to an output that a construct around this one reads.
    pub(super) fn add_output(&mut self, output: u32, content: &Value) {
        if content.pieces().is_empty() {
            return;
        }
        self.deferred.outputs_written = true;
        let fact = self.state.files.get_or_insert_with(place_of(output), FileFact::default);
        if std::mem::take(&mut fact.perhaps) {
            fact.content = join_values(&fact.content, &Value::empty());
        }
        fact.content.append(content);
    }

    /// Adds what was written to the present output through other descriptors.
    pub(super) fn collect_output(&mut self, result: &mut CommandResult) {
        if !self.deferred.outputs_written || !self.output.capture {
            return;
        }
        if let Some(fact) = self.state.files.remove(&place_of(self.output.id)) {
            let content = match fact.perhaps {
                true => join_values(&fact.content, &Value::empty()),
                false => fact.content,
            };
            result.stdout.append(&content);
        }
    }

    /// The file that names a descriptor of this shell.
    pub(super) fn named_descriptor(path: &str) -> Option<u32> {
        match path {
            "/dev/stdin" => Some(0),
            "/dev/stdout" => Some(1),
            "/dev/stderr" => Some(2),
            _ => path
                .strip_prefix("/dev/fd/")
                .or_else(|| path.strip_prefix("/proc/self/fd/"))?
                .parse()
                .ok(),
        }
    }

    /// What a subprocess read from descriptors that it shares with its parent is not read again.
    pub(super) fn share_positions(&mut self, after: &BTreeMap<u32, Flow>) {
        for (number, flow) in &mut self.state.descriptors {
            if let (Flow::Text(whole), Some(Flow::Text(rest))) = (&*flow, after.get(number))
                && whole != rest
                && is_end_of(rest, whole)
            {
                *flow = Flow::Text(rest.clone());
            }
        }
    }

    /// A file gets another content: descriptors through which it is being read show it.
    pub(super) fn renew_readers(&mut self, path: &str, content: &Value, append: bool) {
        if self.state.read_from.is_empty() {
            return;
        }
        let readers: Vec<u32> = self
            .state
            .read_from
            .iter()
            .filter(|(_, file)| file.as_str() == path)
            .map(|(number, _)| *number)
            .collect();
        for number in readers {
            let flow = match number {
                0 => Some(Flow::clone(&self.stdin)),
                _ => self.state.descriptors.get(&number).cloned(),
            };
            let Some(Flow::Text(rest)) = flow else { continue };
            let mut whole = rest.clone();
            whole.append(content);
            // It may have been read to any place.
            let renewed = if append { whole } else { join_values(content, &rest) };
            match number {
                0 => self.change_stdin(Flow::Text(renewed)),
                _ => {
                    self.state.descriptors.insert(number, Flow::Text(renewed));
                }
            }
        }
    }

    /// Notes that a descriptor reads a file, which may be written meanwhile.
    pub(super) fn note_reader(&mut self, descriptor: u32, flow: &Flow, file: &Value) {
        match file.as_known() {
            Some(path) if matches!(flow, Flow::Text(_) | Flow::File(_)) => {
                let path = self.resolved(path);
                self.state.read_from.insert(descriptor, path);
            }
            _ => {
                self.state.read_from.remove(&descriptor);
            }
        }
    }

    /// Whether a descriptor for reading and writing may be anywhere in this file.
    pub(super) fn is_being_read(&self, file: &Value) -> bool {
        !self.state.read_from.is_empty()
            && file.as_known().map(|path| self.resolved(path)).is_some_and(|path| {
                self.state.read_from.iter().any(|(number, read)| {
                    *read == path
                        && matches!(self.state.descriptors.get(number), Some(Flow::File(_)))
                })
            })
    }

    /// What was read through a duplicate of a descriptor is not read again.
    pub(super) fn share_input(&mut self, number: u32, rest: &Arc<Flow>) {
        match number {
            0 => self.change_stdin(Arc::clone(rest)),
            _ => {
                if let (Some(flow), Flow::Text(_)) =
                    (self.state.descriptors.get_mut(&number), &**rest)
                {
                    *flow = Flow::clone(rest);
                }
            }
        }
    }

    /// The content of a file over whose beginning something is written.
    pub(super) fn laid_over(&self, path: &Value, content: &Value) -> Value {
        let FileContent::Written(before) = self.file_content(path) else { return content.clone() };
        match (before.as_known(), content.as_known()) {
            (Some(old), Some(new)) => match old.get(new.len()..) {
                Some(rest) => Value::known(format!("{new}{rest}")).tainted(before.taint()),
                None if new.len() >= old.len() => content.clone(),
                None => Value::one_of_many_values(),
            },
            _ => Value::one_of_many_values(),
        }
    }

    /// The content of standard input, as code or data.
    pub(crate) fn stdin_content(&self) -> Value {
        match &**self.stdin {
            Flow::File(path) => match self.file_content(path) {
                FileContent::Written(value) => value,
                FileContent::Missing
                | FileContent::Binary
                | FileContent::Unseen
                | FileContent::Unknown => {
                    Value::unknown(origin::FILE_CONTENT).tainted(&self.origin_of_file(path))
                }
            },
            other => other.content(),
        }
    }

    /// Follows a command whose output `exec >…` has redirected to a file or another machine.
    pub(crate) fn run_connected(
        &mut self,
        run: impl FnOnce(&mut Self) -> CommandResult,
        span: Span,
    ) -> CommandResult {
        let target = match self.state.descriptors.get(&1) {
            Some(target) if !self.output.capture => target.clone(),
            _ => return run(self),
        };
        let id = self.fresh_output();
        let to_file = matches!(target, Flow::File(_));
        let enter = |output: &mut Output| {
            *output = Output { capture: true, to_file, id, ..output.clone() };
        };
        let mut result = self.with_output(enter, |interp| {
            let mut result = run(interp);
            interp.collect_output(&mut result);
            result
        });
        let stdout = std::mem::take(&mut result.stdout);
        if stdout.pieces().is_empty() {
            return result;
        }
        match target {
            Flow::File(path) => self.write_file(&path, stdout, true, span),
            Flow::Network { peer } => {
                let (to, taint) = (Value::known(peer), stdout.taint().clone());
                let what = match stdout.is_known() && taint.is_none() {
                    true => Stream::Literal(stdout),
                    false => Stream::Standard,
                };
                self.effect(EffectKind::Send { to, what, taint }, span);
            }
            _ => {}
        }
        result
    }
}

/// Whether a text is what is left of another one.
fn is_end_of(rest: &Value, whole: &Value) -> bool {
    matches!((rest.as_known(), whole.as_known()), (Some(rest), Some(whole)) if whole.ends_with(rest))
}

//! Redirections: targets of descriptors while a command runs, and their effects on files.

use super::frame::Output;
use super::opened::Opened;
use super::{CommandResult, Interp};
use aegish_analysis::{EffectKind, Stream};
use aegish_expansion::only_words;
use aegish_expansion::redirects::descriptor;
use aegish_profiles::DisarmEffect;
use aegish_shell_state::Flow;
use aegish_syntax::{Fd, Part, Redirect, RedirectOp, Span, Word};
use aegish_values::{Value, join_values, origin};
use std::collections::BTreeMap;
use std::sync::Arc;

/// State to restore, and files to write, after the command.
pub(super) struct Redirected {
    stdin: Arc<Flow>,
    output: Output,
    descriptors: BTreeMap<u32, Flow>,
    read_from: BTreeMap<u32, String>,
    first_effect: usize,
    /// Where standard output goes.
    pub(super) sink: RedirectSink,
    /// Whether a redirection named standard output.
    moved: bool,
    /// The redirections stay (`exec >file`).
    pub(super) lasting: bool,
    /// The name of the redirected output.
    pub(super) id: u32,
    /// The descriptor that standard input is a duplicate of.
    input_of: Option<u32>,
    /// Files that are opened, and the directory in which that happens.
    pub(super) files: Vec<Opened>,
    cwd: Value,
    span: Span,
}

impl Redirected {
    /// Notes a file. One without a name cannot be opened.
    pub(super) fn opens(&mut self, name: &Value, written: bool) {
        self.files.push(Opened { name: name.clone(), written });
    }
}

/// Where standard output of a redirected command goes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RedirectSink {
    Inherit,
    Nothing,
    /// To the caller, although the output of the construct around it is read.
    Shown,
    File {
        path: Value,
        how: Writing,
    },
    /// To an output that a construct around it reads.
    Output(u32),
    Network(String),
}

/// What becomes of the content that a file had.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Writing {
    Replaces,
    Appends,
    /// `1<>file`: the new content lies over the beginning of the old one.
    Over,
    /// It lies over the old one, or stands behind it.
    Somewhere,
}

/// `&>file` and `>&file`: messages go there as well.
fn is_for_both(redirect: &Redirect, fd: u32) -> bool {
    let plain = |part: &Part| matches!(part, Part::Literal(text) if text.ends_with(|c: char| c == '-' || c.is_ascii_digit()));
    match redirect.op {
        RedirectOp::WriteBoth | RedirectOp::AppendBoth => true,
        RedirectOp::DupOutput => {
            fd == 1 && redirect.fd.is_none() && !redirect.target.parts.iter().all(plain)
        }
        _ => false,
    }
}

impl Interp<'_> {
    /// Opens the redirections of a command, in order.
    pub(super) fn open_redirects(&mut self, redirects: &[Redirect], span: Span) -> Redirected {
        let first = self.out.effects.len();
        let redirected = self.open_each(redirects, span, false);
        self.mark_redirected(first);
        redirected
    }

    /// Marks the effects found since then as effects of redirections.
    fn mark_redirected(&mut self, first: usize) {
        for effect in self.out.effects.iter_mut().skip(first) {
            effect.redirected = true;
        }
    }

    fn open_each(&mut self, redirects: &[Redirect], span: Span, lasting: bool) -> Redirected {
        let mut before = Redirected {
            stdin: Arc::clone(&self.stdin),
            output: Output::clone(&self.output),
            descriptors: self.state.descriptors.clone(),
            read_from: self.state.read_from.clone(),
            first_effect: self.out.effects.len(),
            sink: RedirectSink::Inherit,
            moved: false,
            lasting,
            id: self.fresh_output(),
            input_of: None,
            files: Vec::new(),
            cwd: self.state.cwd.clone(),
            span,
        };
        for redirect in redirects {
            let span = self.span(redirect.span);
            let free = |number: &u32| !self.state.descriptors.contains_key(number);
            let fd = descriptor(redirect).unwrap_or_else(|| (10..).find(free).unwrap_or(10));
            if let Some(Fd::Variable(name)) = &redirect.fd {
                self.assign(name, Value::known(fd.to_string()));
            }
            let flow = self.open_one(redirect, fd, &mut before, span);
            before.moved |= fd == 1;
            if let Some(flow) = flow {
                self.connect(fd, flow, &mut before);
            }
            if is_for_both(redirect, fd) {
                let flow = self.duplicate(1, &mut before).unwrap_or(Flow::Nothing);
                self.connect(2, flow, &mut before);
            }
        }
        let id = before.id;
        match &before.sink {
            RedirectSink::Inherit => {}
            RedirectSink::Nothing => {
                self.change_output(Output {
                    capture: false,
                    discarded: true,
                    id,
                    ..before.output.clone()
                });
            }
            RedirectSink::Shown => self.change_output(Output::shown(before.output.peer.clone())),
            RedirectSink::Output(id) => {
                let output = Output { capture: true, id: *id, ..before.output.clone() };
                self.change_output(output);
            }
            RedirectSink::File { .. } => {
                let output = Output { capture: true, to_file: true, id, ..before.output.clone() };
                self.change_output(output);
            }
            RedirectSink::Network(peer) => {
                let peer = Some(peer.clone());
                self.change_output(Output { capture: true, peer, id, ..before.output.clone() });
            }
        }
        before
    }

    fn connect(&mut self, fd: u32, flow: Flow, before: &mut Redirected) {
        match fd {
            0 => self.change_stdin(flow),
            1 => {
                let outer = &before.output;
                before.sink = match flow {
                    Flow::Network { peer } => RedirectSink::Network(peer),
                    Flow::Nothing => RedirectSink::Nothing,
                    Flow::File(path) => {
                        let how = match self.is_being_read(&path) {
                            true => Writing::Somewhere,
                            false => Writing::Appends,
                        };
                        RedirectSink::File { path, how }
                    }
                    Flow::Output(id) if outer.capture && id == outer.id => RedirectSink::Inherit,
                    Flow::Output(id) => RedirectSink::Output(id),
                    Flow::Terminal if outer.capture || outer.discarded => RedirectSink::Shown,
                    Flow::Terminal | Flow::Text(_) => RedirectSink::Inherit,
                };
            }
            _ => {
                self.state.descriptors.insert(fd, flow);
            }
        }
    }

    fn open_one(
        &mut self,
        redirect: &Redirect,
        fd: u32,
        before: &mut Redirected,
        span: Span,
    ) -> Option<Flow> {
        match redirect.op {
            RedirectOp::HereDoc => {
                let body = redirect.here_doc.as_ref().map(|word| self.expand_quoted(word));
                Some(Flow::Text(body.unwrap_or_default()))
            }
            RedirectOp::HereString => {
                let mut value = self.expand_with_colons(&redirect.target);
                if let Some(text) = value.as_known() {
                    self.deferred.fed.push(text.to_owned());
                }
                value.push_str("\n");
                Some(Flow::Text(value))
            }
            RedirectOp::DupInput | RedirectOp::DupOutput => {
                let target = self.expand_single(&redirect.target);
                let number = target.as_known().map(|text| text.trim_end_matches('-'));
                match number {
                    Some("") => Some(Flow::Nothing),
                    Some(text) if text.bytes().all(|b| b.is_ascii_digit()) => {
                        let number: u32 = text.parse().unwrap_or(u32::MAX);
                        if fd == 0 {
                            before.input_of = Some(number);
                        }
                        self.duplicate(number, before)
                    }
                    _ if redirect.op == RedirectOp::DupOutput && redirect.fd.is_none() => {
                        self.open_output(target, Writing::Replaces, before, span)
                    }
                    _ => None,
                }
            }
            RedirectOp::Read => {
                let target = self.expand_file_name(&redirect.target);
                before.opens(&target, false);
                let flow = self.open_input(target.clone(), before, span);
                self.note_reader(fd, &flow, &target);
                Some(flow)
            }
            RedirectOp::ReadWrite => {
                let target = self.expand_file_name(&redirect.target);
                before.opens(&target, true);
                if let Some(flow) = self.device(&target, before, span) {
                    return Some(flow);
                }
                self.effect(EffectKind::Read { path: target.clone(), tree: false }, span);
                if fd > 0 {
                    let content = Value::unknown("output");
                    let path = target.clone();
                    self.effect(EffectKind::Write { path, content, append: true }, span);
                }
                if fd == 1 {
                    before.sink = RedirectSink::File { path: target, how: Writing::Over };
                    return None;
                }
                let flow = Flow::File(target.clone());
                self.note_reader(fd, &flow, &target);
                Some(flow)
            }
            RedirectOp::Write | RedirectOp::Clobber | RedirectOp::WriteBoth => {
                let target = self.expand_file_name(&redirect.target);
                before.opens(&target, true);
                self.open_write(target, Writing::Replaces, fd, before, span)
            }
            RedirectOp::Append | RedirectOp::AppendBoth => {
                let target = self.expand_file_name(&redirect.target);
                before.opens(&target, true);
                self.open_write(target, Writing::Appends, fd, before, span)
            }
        }
    }

    /// The file that a redirection names: patterns and braces count as long as they can make one word.
    fn expand_file_name(&mut self, word: &Word) -> Value {
        if let [Part::Literal(text)] = word.parts.as_slice()
            && !text.contains(['*', '?', '[', '{', '~'])
        {
            return Value::known(text.as_str());
        }
        let lists = self.expand_alternatives(word);
        let names = lists.iter().flat_map(|list| only_words(list)).cloned();
        let name = names.reduce(|name, other| join_values(&name, &other));
        name.unwrap_or_else(|| self.expand_single(word))
    }

    fn open_write(
        &mut self,
        target: Value,
        how: Writing,
        fd: u32,
        before: &mut Redirected,
        span: Span,
    ) -> Option<Flow> {
        if fd == 1 {
            return self.open_output(target, how, before, span);
        }
        if let Some(flow) = self.output_device(&target, before, span) {
            return Some(flow);
        }
        let append = how == Writing::Appends;
        let content = Value::unknown(origin::MESSAGES);
        self.effect(EffectKind::Write { path: target.clone(), content, append }, span);
        // Whatever writes to the descriptor adds to it.
        if let Some(path) = target.as_known().filter(|_| !append) {
            let path = self.resolved(path);
            self.remember_file(&path, Value::unknown(origin::MESSAGES), false);
        }
        Some(Flow::File(target))
    }

    fn open_output(
        &mut self,
        target: Value,
        how: Writing,
        before: &mut Redirected,
        span: Span,
    ) -> Option<Flow> {
        if let Some(flow) = self.output_device(&target, before, span) {
            return Some(flow);
        }
        before.sink = RedirectSink::File { path: target, how };
        None
    }

    fn open_input(&mut self, target: Value, before: &mut Redirected, span: Span) -> Flow {
        if let Some(flow) = self.device(&target, before, span) {
            return flow;
        }
        if let Some(path) = target.as_known()
            && let path = self.resolved(path)
            && !self.is_open_pipe(&path)
            && let Some(content) = self.written(&path)
        {
            self.effect(EffectKind::Read { path: target, tree: false }, span);
            return Flow::Text(content);
        }
        self.effect(EffectKind::Read { path: target.clone(), tree: false }, span);
        Flow::File(target)
    }

    /// Ends the redirections: writes the captured output and restores the descriptors.
    pub(super) fn close_redirects(
        &mut self,
        before: Redirected,
        result: CommandResult,
    ) -> CommandResult {
        let first = self.out.effects.len();
        let result = self.close_each(before, result);
        self.mark_redirected(first);
        result
    }

    fn close_each(&mut self, before: Redirected, result: CommandResult) -> CommandResult {
        let Redirected { stdin, output, descriptors, first_effect, sink, cwd, span, .. } = before;
        let read = Arc::clone(&self.stdin);
        self.change_stdin(stdin);
        self.change_output(output);
        let after = std::mem::replace(&mut self.state.descriptors, descriptors);
        self.share_positions(&after);
        self.state.read_from = before.read_from;
        if let Some(number) = before.input_of {
            self.share_input(number, &read);
        }
        let status = result.status;
        let mut result = match sink {
            RedirectSink::Inherit => result,
            RedirectSink::Output(output) => {
                self.add_output(output, &result.stdout);
                CommandResult { stdout: Value::empty(), status }
            }
            RedirectSink::Nothing | RedirectSink::Shown => {
                CommandResult { stdout: Value::empty(), status }
            }
            RedirectSink::File { path, how } => {
                self.keep_fetched(first_effect, &path);
                let now = std::mem::replace(&mut self.state.cwd, cwd);
                let content = match how {
                    Writing::Over => self.laid_over(&path, &result.stdout),
                    Writing::Somewhere => {
                        let over = self.laid_over(&path, &result.stdout);
                        let before = path.as_known().and_then(|path| self.written_at(path));
                        let mut behind = before.unwrap_or_default();
                        behind.append(&result.stdout);
                        join_values(&over, &behind)
                    }
                    Writing::Replaces | Writing::Appends => result.stdout,
                };
                self.write_file(&path, content, how == Writing::Appends, span);
                self.state.cwd = now;
                CommandResult { stdout: Value::empty(), status }
            }
            RedirectSink::Network(peer) => {
                let taint = result.stdout.taint().clone();
                let what = if result.stdout.is_known() && taint.is_none() {
                    Stream::Literal(result.stdout)
                } else {
                    Stream::Standard
                };
                self.effect(EffectKind::Send { to: Value::known(peer), what, taint }, span);
                CommandResult { stdout: Value::empty(), status }
            }
        };
        self.collect_output(&mut result);
        result
    }

    /// A download to standard output that is redirected to a file is saved there.
    fn keep_fetched(&mut self, first_effect: usize, path: &Value) {
        for effect in self.out.effects.get_mut(first_effect..).unwrap_or_default() {
            if let EffectKind::Fetch { to: to @ Stream::Standard, .. } = &mut effect.kind {
                *to = Stream::File(path.clone());
            }
        }
    }

    /// `exec` without a command: the descriptors that it opens stay.
    pub(crate) fn redirect_for_good(&mut self, redirects: &[Redirect], span: Span) {
        // After a line, descriptor 0 is restored; a change by a trap between two lines stays.
        if self.ctx.interactive
            && self.frame.conditions.in_trap
            && redirects.iter().any(|redirect| descriptor(redirect) == Some(0))
        {
            self.report_shell_command(span);
            self.disarm(
                DisarmEffect::Input,
                "lets the shell read its commands from elsewhere",
                span,
            );
        }
        let first = self.out.effects.len();
        let Redirected { output, sink, moved, files, .. } = self.open_each(redirects, span, true);
        self.mark_redirected(first);
        self.deferred.lasting_sinks.extend(self.deferred.sinks.iter().cloned());
        if files.iter().any(|file| self.may_fail(file)) {
            self.state.perhaps_closed.extend(redirects.iter().filter_map(descriptor));
        }
        let peer = match &sink {
            RedirectSink::Inherit => output.peer.clone(),
            RedirectSink::Network(peer) => Some(peer.clone()),
            _ => None,
        };
        match &sink {
            RedirectSink::File { .. } | RedirectSink::Shown => {
                self.change_output(Output::shown(None));
            }
            RedirectSink::Output(id) => {
                let id = *id;
                self.change_output(Output { capture: true, id, ..Output::shown(None) });
            }
            _ => self.change_output(Output { peer, ..output }),
        }
        match sink {
            RedirectSink::Inherit if !moved => {}
            RedirectSink::Network(peer) => {
                self.state.descriptors.insert(1, Flow::Network { peer });
            }
            // Later output is written to that file.
            RedirectSink::File { path, how } => {
                self.write_file(
                    &path,
                    Value::unknown(origin::MESSAGES),
                    how == Writing::Appends,
                    span,
                );
                self.state.descriptors.insert(1, Flow::File(path));
            }
            _ => {
                self.state.descriptors.remove(&1);
            }
        }
    }
}

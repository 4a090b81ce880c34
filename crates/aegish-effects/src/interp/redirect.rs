//! Redirections: targets of descriptors while a command runs, and their effects on files.

use super::frame::Output;
use super::opened::Opened;
use super::{CommandResult, FileContent, Interp};
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
    first_effect: usize,
    /// Where standard output goes.
    sink: RedirectSink,
    /// Files that are opened, and the directory in which that happens.
    pub(super) files: Vec<Opened>,
    cwd: Value,
    span: Span,
}

impl Redirected {
    /// Notes a file. One without a name cannot be opened.
    fn opens(&mut self, name: &Value, written: bool) {
        self.files.push(Opened { name: name.clone(), written });
    }
}

/// Where standard output of a redirected command goes.
#[derive(Debug, Clone, PartialEq)]
enum RedirectSink {
    Inherit,
    Nothing,
    File { path: Value, append: bool },
    Network(String),
}

impl Interp<'_> {
    /// Opens the redirections of a command, in order.
    pub(super) fn open_redirects(&mut self, redirects: &[Redirect], span: Span) -> Redirected {
        let first = self.out.effects.len();
        let redirected = self.open_each(redirects, span);
        self.mark_redirected(first);
        redirected
    }

    /// Marks the effects found since then as effects of redirections.
    fn mark_redirected(&mut self, first: usize) {
        for effect in self.out.effects.iter_mut().skip(first) {
            effect.redirected = true;
        }
    }

    fn open_each(&mut self, redirects: &[Redirect], span: Span) -> Redirected {
        let mut before = Redirected {
            stdin: Arc::clone(&self.stdin),
            output: Output::clone(&self.output),
            descriptors: self.state.descriptors.clone(),
            first_effect: self.out.effects.len(),
            sink: RedirectSink::Inherit,
            files: Vec::new(),
            cwd: self.state.cwd.clone(),
            span,
        };
        for redirect in redirects {
            let span = self.span(redirect.span);
            let fd = descriptor(redirect).unwrap_or(10);
            if let Some(Fd::Variable(name)) = &redirect.fd {
                self.assign(name, Value::known("10"));
            }
            let flow = self.open_one(redirect, fd, &mut before, span);
            if let Some(flow) = flow {
                self.connect(fd, flow, &mut before.sink);
            }
        }
        match &before.sink {
            RedirectSink::Inherit => {}
            RedirectSink::Nothing => {
                self.change_output(Output {
                    capture: false,
                    discarded: true,
                    ..before.output.clone()
                });
            }
            RedirectSink::File { .. } => {
                let output = Output { capture: true, to_file: true, ..before.output.clone() };
                self.change_output(output);
            }
            RedirectSink::Network(peer) => {
                let peer = Some(peer.clone());
                self.change_output(Output { capture: true, peer, ..before.output.clone() });
            }
        }
        before
    }

    fn connect(&mut self, fd: u32, flow: Flow, sink: &mut RedirectSink) {
        match fd {
            0 => self.change_stdin(flow),
            1 => {
                *sink = match flow {
                    Flow::Network { peer } => RedirectSink::Network(peer),
                    Flow::Nothing => RedirectSink::Nothing,
                    Flow::File(path) => RedirectSink::File { path, append: true },
                    Flow::Terminal | Flow::Text(_) => RedirectSink::Inherit,
                };
            }
            2 => {}
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
                        self.duplicate(number, before)
                    }
                    _ if redirect.op == RedirectOp::DupOutput && redirect.fd.is_none() => {
                        self.open_output(target, false, &mut before.sink, span)
                    }
                    _ => None,
                }
            }
            RedirectOp::Read => {
                let target = self.expand_file_name(&redirect.target);
                before.opens(&target, false);
                Some(self.open_input(target, span))
            }
            RedirectOp::ReadWrite => {
                let target = self.expand_file_name(&redirect.target);
                before.opens(&target, true);
                if let Some(flow) = self.device(&target, span) {
                    return Some(flow);
                }
                self.effect(EffectKind::Read { path: target.clone(), tree: false }, span);
                if fd > 0 {
                    let content = Value::unknown("output");
                    let path = target.clone();
                    self.effect(EffectKind::Write { path, content, append: true }, span);
                }
                Some(Flow::File(target))
            }
            RedirectOp::Write | RedirectOp::Clobber | RedirectOp::WriteBoth => {
                let target = self.expand_file_name(&redirect.target);
                before.opens(&target, true);
                self.open_write(target, false, fd, &mut before.sink, span)
            }
            RedirectOp::Append | RedirectOp::AppendBoth => {
                let target = self.expand_file_name(&redirect.target);
                before.opens(&target, true);
                self.open_write(target, true, fd, &mut before.sink, span)
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
        append: bool,
        fd: u32,
        sink: &mut RedirectSink,
        span: Span,
    ) -> Option<Flow> {
        if fd == 1 {
            return self.open_output(target, append, sink, span);
        }
        if let Some(flow) = self.output_device(&target, span) {
            return Some(flow);
        }
        let content = Value::unknown("messages");
        self.effect(EffectKind::Write { path: target.clone(), content, append }, span);
        Some(Flow::File(target))
    }

    fn open_output(
        &mut self,
        target: Value,
        append: bool,
        sink: &mut RedirectSink,
        span: Span,
    ) -> Option<Flow> {
        if let Some(flow) = self.output_device(&target, span) {
            return Some(flow);
        }
        *sink = RedirectSink::File { path: target, append };
        None
    }

    fn duplicate(&mut self, number: u32, before: &mut Redirected) -> Option<Flow> {
        match number {
            0 => Some(Flow::clone(&self.stdin)),
            1 => match &before.sink {
                RedirectSink::Network(peer) => Some(Flow::Network { peer: peer.clone() }),
                RedirectSink::File { path, .. } => Some(Flow::File(path.clone())),
                RedirectSink::Nothing => Some(Flow::Nothing),
                RedirectSink::Inherit => {
                    let peer = self.output.peer.clone();
                    Some(peer.map_or(Flow::Terminal, |peer| Flow::Network { peer }))
                }
            },
            2 => Some(Flow::Terminal),
            _ => {
                let flow = self.state.descriptors.get(&number).cloned();
                if flow.is_none() || self.state.perhaps_closed.contains(&number) {
                    before.opens(&Value::empty(), false);
                }
                flow
            }
        }
    }

    fn open_input(&mut self, target: Value, span: Span) -> Flow {
        if let Some(flow) = self.device(&target, span) {
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

    /// As [`Self::device`], for writing: a directory cannot be opened for that.
    fn output_device(&mut self, target: &Value, span: Span) -> Option<Flow> {
        if target.as_known().is_some_and(|path| path.ends_with('/')) {
            return Some(Flow::Nothing);
        }
        self.device(target, span)
    }

    /// Names that Bash or the kernel treat specially.
    fn device(&mut self, target: &Value, span: Span) -> Option<Flow> {
        let text = target.known_prefix();
        if let Some(rest) =
            text.strip_prefix("/dev/tcp/").or_else(|| text.strip_prefix("/dev/udp/"))
        {
            let whole = target.to_string();
            let (host, port) = match target.as_known() {
                Some(_) => {
                    let (host, port) = rest.split_once('/').unwrap_or((rest, ""));
                    (Value::known(host), Value::known(port))
                }
                None => (Value::unknown("host"), Value::unknown("port")),
            };
            self.effect(EffectKind::Connect { host, port }, span);
            let peer = whole.trim_start_matches("/dev/tcp/").trim_start_matches("/dev/udp/");
            return Some(Flow::Network { peer: peer.to_owned() });
        }
        match target.as_known()? {
            "/dev/null" | "/dev/zero" | "/dev/full" => Some(Flow::Nothing),
            "/dev/tty" | "/dev/stdout" | "/dev/stderr" | "/dev/console" => Some(Flow::Terminal),
            "/dev/stdin" => Some(Flow::clone(&self.stdin)),
            path => {
                let number = path
                    .strip_prefix("/dev/fd/")
                    .or_else(|| path.strip_prefix("/proc/self/fd/"))?
                    .parse::<u32>()
                    .ok()?;
                if let Some(content) = self.written(path) {
                    return Some(Flow::Text(content));
                }
                match number {
                    0 => Some(Flow::clone(&self.stdin)),
                    1 | 2 => Some(Flow::Terminal),
                    _ => self.state.descriptors.get(&number).cloned(),
                }
            }
        }
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
        self.change_stdin(stdin);
        self.change_output(output);
        self.state.descriptors = descriptors;
        let status = result.status;
        match sink {
            RedirectSink::Inherit => result,
            RedirectSink::Nothing => CommandResult { stdout: Value::empty(), status },
            RedirectSink::File { path, append } => {
                self.keep_fetched(first_effect, &path);
                let now = std::mem::replace(&mut self.state.cwd, cwd);
                self.write_file(&path, result.stdout, append, span);
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
        }
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
        let Redirected { output, sink, files, .. } = self.open_redirects(redirects, span);
        if files.iter().any(|file| self.may_fail(file)) {
            self.state.perhaps_closed.extend(redirects.iter().filter_map(descriptor));
        }
        let peer = match &sink {
            RedirectSink::Inherit => output.peer.clone(),
            RedirectSink::Network(peer) => Some(peer.clone()),
            RedirectSink::Nothing | RedirectSink::File { .. } => None,
        };
        self.change_output(Output { peer, ..output });
        match sink {
            RedirectSink::Inherit => {}
            RedirectSink::Network(peer) => {
                self.state.descriptors.insert(1, Flow::Network { peer });
            }
            RedirectSink::Nothing => {
                self.state.descriptors.remove(&1);
            }
            // Later output is written to that file.
            RedirectSink::File { path, append } => {
                self.state.descriptors.remove(&1);
                if path.as_known() != Some("/dev/null") {
                    let content = Value::unknown("output of later commands");
                    self.write_file(&path, content, append, span);
                }
            }
        }
    }

    /// Follows a command whose output was redirected to another machine by `exec >…`.
    pub(crate) fn run_connected(
        &mut self,
        run: impl FnOnce(&mut Self) -> CommandResult,
        span: Span,
    ) -> CommandResult {
        let peer = match self.state.descriptors.get(&1) {
            Some(Flow::Network { peer }) if !self.output.capture => peer.clone(),
            _ => return run(self),
        };
        let result = self.with_output(|output| output.capture = true, run);
        if !result.stdout.pieces().is_empty() {
            let (to, taint) = (Value::known(peer), result.stdout.taint().clone());
            let what = match result.stdout.is_known() && taint.is_none() {
                true => Stream::Literal(result.stdout),
                false => Stream::Standard,
            };
            self.effect(EffectKind::Send { to, what, taint }, span);
        }
        CommandResult { stdout: Value::empty(), status: result.status }
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
}

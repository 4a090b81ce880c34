//! Shells as programs (`bash -c`, `sh script`, `… | sh`) and code for the shell itself (`eval`).

use super::frame::Frame;
use super::program::is_shell;
use super::{CommandResult, FileContent, Interp, UNKNOWN_PART};
use aegish_analysis::{EffectKind, Invocation, Opaque, ShellEntry};
use aegish_expansion::Field;
use aegish_expansion::code::{is_name_char, open_name, with_each_text};
use aegish_profiles::{Lang, Profile};
use aegish_shell_state::{Flow, Switch};
use aegish_syntax::Span;
use aegish_values::{MAX_ALTERNATIVES, Piece, Source, Value, origin};
use std::sync::Arc;

/// Programs whose output, run as code, was encoded before.
const DECODERS: &[&str] = &[
    "base64", "base32", "basenc", "xxd", "rev", "openssl", "gzip", "xz", "bzip2", "gunzip", "zcat",
    "unxz", "xzcat", "uudecode", "ascii85", "base58", "printf", "echo",
];

impl Interp<'_> {
    /// A shell with its options: code, script, standard input or a person at the terminal.
    pub(crate) fn run_shell(
        &mut self,
        profile: &'static Profile,
        fields: &[Field],
        span: Span,
    ) -> CommandResult {
        let (outer, exports) = (self.state.switches.clone(), self.state.allexport);
        match profile.name {
            "bash" => self.state.switches.retain(|switch| *switch != Switch::PlainShell),
            _ => self.may_be_plain_shell(),
        }
        let result = self.run_shell_with_options(profile, fields, span);
        self.state.switches = outer;
        self.state.allexport = exports;
        result
    }

    fn run_shell_with_options(
        &mut self,
        profile: &'static Profile,
        fields: &[Field],
        span: Span,
    ) -> CommandResult {
        let mut at = 1;
        let mut code = false;
        let mut interactive = false;
        let mut from_stdin = false;
        let (mut checks, mut echoes) = (false, false);
        while let Some(field) = fields.get(at) {
            let Some(text) = field.value.as_known() else {
                break;
            };
            match text {
                "--" | "-" => {
                    at += 1;
                    break;
                }
                "--help" | "--version" => return CommandResult::default(),
                "--rcfile" | "--init-file" => {
                    if let Some(file) = fields.get(at + 1) {
                        let path = file.value.clone();
                        self.effect(
                            EffectKind::Read { path: path.clone(), tree: false },
                            file.span,
                        );
                        self.source_file(&path, file.span);
                    }
                    interactive = true;
                    at += 2;
                }
                _ if text.starts_with("--") => {
                    self.switch_on(&Value::known(text.trim_start_matches('-')));
                    at += 1;
                }
                _ if text.len() > 1 && (text.starts_with('-') || text.starts_with('+')) => {
                    let letters = text.get(1..).unwrap_or_default();
                    self.switch_letters(text);
                    self.state.allexport |= text.starts_with('-') && letters.contains('a');
                    code |= letters.contains('c') && text.starts_with('-');
                    interactive |= letters.contains('i') && text.starts_with('-');
                    from_stdin |= letters.contains('s');
                    checks |= letters.contains('n') && text.starts_with('-');
                    echoes |= letters.contains('v') && text.starts_with('-');
                    if let Some(name) = fields.get(at + 1).filter(|_| text.ends_with(['o', 'O'])) {
                        self.switch_on(&name.value);
                    }
                    let takes_name = letters.ends_with('o') || letters.ends_with('O');
                    if takes_name && text.starts_with('-') {
                        let name = fields.get(at + 1).and_then(|name| name.value.as_known());
                        checks |= name == Some("noexec");
                        echoes |= name == Some("verbose");
                    }
                    at += if takes_name { 2 } else { 1 };
                }
                _ => break,
            }
        }
        // `-v` prints the lines as they are read, `-n` reads them without running, and prints those with mistakes.
        if let Some(script) = fields.get(at).filter(|_| (checks || echoes) && !code && !from_stdin)
        {
            let path = script.value.clone();
            self.effect(EffectKind::Read { path, tree: false }, script.span);
        }
        if checks {
            return CommandResult::default();
        }
        if code {
            return self.run_shell_code(fields, at);
        }
        match fields.get(at) {
            Some(script) if !from_stdin => {
                self.run_shell_script(script, fields.get(at + 1..).unwrap_or_default(), span)
            }
            _ => {
                let arguments = fields.iter().skip(at).map(|field| field.value.clone()).collect();
                self.run_shell_stdin(profile, interactive, arguments, span)
            }
        }
    }

    /// `sh -c CODE [name args…]`
    fn run_shell_code(&mut self, fields: &[Field], at: usize) -> CommandResult {
        let Some(code) = fields.get(at) else {
            return CommandResult::default();
        };
        let arguments: Vec<Value> =
            fields.iter().skip(at + 2).map(|field| field.value.clone()).collect();
        // `$0` is the first word after the code; obfuscators use it as the command name.
        let given = fields.get(at + 1).map(|field| field.value.clone());
        let zero = given.or(self.deferred.named_shell.take());
        // A shell in between does not make an indirect run a direct one.
        let enter = |frame: &mut Frame| {
            frame.caller.in_language |= frame.caller.invocation != Invocation::Indirect;
        };
        self.in_frame(enter, |interp| {
            interp.in_child_shell(code.span, |interp| {
                interp.state.errexit =
                    fields.get(1..at).unwrap_or_default().iter().any(switches_errexit_on);
                interp.state.positional = Some(Arc::new(arguments));
                interp.state.zero = zero;
                let started_with = Some(Arc::new(code.value.clone()));
                interp.in_frame(
                    |frame| frame.text.started_with = started_with,
                    |interp| interp.run_code_value(&code.value, code.span),
                )
            })
        })
    }

    /// Follows the commands in a file that names standard input or the terminal; `None` for any other.
    pub(super) fn run_stream(&mut self, path: &Value, span: Span) -> Option<CommandResult> {
        let typed = match path.as_known()? {
            "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" => {
                matches!(**self.stdin, Flow::Terminal)
            }
            "/dev/tty" | "/dev/console" => true,
            path if path.starts_with("/dev/pts/") => true,
            _ => return None,
        };
        if !typed {
            let content = self.stdin_content();
            return Some(self.run_code_value(&content, span));
        }
        self.report_shell_command(span);
        let invocation = self.frame.caller.invocation;
        self.effect(EffectKind::Shell { entry: ShellEntry::Interactive, invocation }, span);
        Some(CommandResult::default())
    }

    fn run_shell_script(
        &mut self,
        script: &Field,
        arguments: &[Field],
        span: Span,
    ) -> CommandResult {
        let path = &script.value;
        if let Some(result) = self.run_stream(path, script.span) {
            return result;
        }
        self.effect(EffectKind::Read { path: path.clone(), tree: false }, script.span);
        let arguments = arguments.iter().map(|field| field.value.clone()).collect();
        match self.script_content(path) {
            FileContent::Written(value) => {
                self.note_script(path, &value, Lang::Shell);
                self.run_script_file(path, &value, Some(Lang::Shell), arguments, script.span)
            }
            FileContent::Missing => {
                self.run_unpacked(path, span);
                CommandResult::default()
            }
            FileContent::Binary | FileContent::Unseen | FileContent::Unknown => {
                self.run_unpacked(path, span);
                self.hidden_script(path, span);
                CommandResult::default()
            }
        }
    }

    /// Remembers that a shell takes its commands from a named pipe.
    fn note_obeyed_pipe(&mut self) {
        let Flow::File(path) = &**self.stdin else { return };
        let Some(key) = path.as_known().map(|known| self.resolved(known)) else { return };
        if let Some(fact) = self.state.files.get_mut(&key).filter(|fact| fact.fifo) {
            fact.obeyed = true;
        }
    }

    /// A shell that reads its commands from standard input.
    fn run_shell_stdin(
        &mut self,
        profile: &'static Profile,
        interactive: bool,
        arguments: Vec<Value>,
        span: Span,
    ) -> CommandResult {
        debug_assert!(is_shell(profile));
        let networked = matches!(**self.stdin, Flow::Network { .. }) || self.output.peer.is_some();
        if networked {
            self.effect(
                EffectKind::Shell {
                    entry: ShellEntry::Networked,
                    invocation: self.frame.caller.invocation,
                },
                span,
            );
            return CommandResult::default();
        }
        match &**self.stdin {
            Flow::Terminal => {
                if !self.frame.conditions.remote {
                    let invocation = self.frame.caller.invocation;
                    self.effect(
                        EffectKind::Shell { entry: ShellEntry::Interactive, invocation },
                        span,
                    );
                }
                CommandResult::default()
            }
            Flow::Nothing => CommandResult::default(),
            _ => {
                self.note_obeyed_pipe();
                let zero = self.deferred.named_shell.take();
                let content = self.stdin_content();
                if content.as_known().is_some_and(str::is_empty) && !interactive {
                    return CommandResult::default();
                }
                // The pipe is consumed; a shell that is started now reads the terminal.
                self.change_stdin(Flow::Terminal);
                self.invoked(Invocation::Direct, |interp| {
                    interp.in_child_shell(span, |interp| {
                        interp.state.positional = Some(Arc::new(arguments));
                        interp.state.zero = zero;
                        interp.run_code_value(&content, span)
                    })
                })
            }
        }
    }

    /// Follows something in a new shell process. First it runs the script that `BASH_ENV` names.
    pub(crate) fn in_child_shell(
        &mut self,
        span: Span,
        run: impl FnOnce(&mut Self) -> CommandResult,
    ) -> CommandResult {
        // A function that started it is not one of its own.
        let locals = std::mem::take(&mut self.calls.locals);
        let temporary = std::mem::take(&mut self.calls.temporary);
        let sourced = std::mem::take(&mut self.calls.sourced);
        let result = self.isolated_commands(|interp| {
            interp.enter_child_shell();
            let script = interp.state.variables.get("BASH_ENV").and_then(|v| v.content.scalar());
            let content = script.and_then(|path| interp.written_at(path.as_known()?));
            let before = content.map(|content| interp.run_code_value(&content, span).stdout);
            // An error, `exit` or a signal may end it early.
            let result = interp.in_frame(|frame| frame.text.started_with = None, run);
            let mut result = CommandResult { status: None, ..result };
            if let Some(mut printed) = before {
                printed.append(&result.stdout);
                result.stdout = printed;
            }
            result
        });
        self.calls.locals = locals;
        self.calls.temporary = temporary;
        self.calls.sourced = sourced;
        result
    }

    /// A new shell process inherits the environment only.
    fn enter_child_shell(&mut self) {
        self.state.variables.retain(|_, variable| variable.exported);
        let exported = std::mem::take(&mut self.state.exported_functions);
        if !self.state.functions.is_empty() {
            self.state.functions.retain(|name, _| exported.contains(name));
        }
        self.state.exported_functions = exported;
        self.state.aliases.clear();
        self.state.errexit = false;
        // `PPID` does not change: bash replaces itself by its last command, which keeps the parent.
    }

    /// Follows a value as shell code. Unknown pieces are treated as variables; if nothing is known, the
    /// code is hidden.
    pub(crate) fn run_code_value(&mut self, code: &Value, span: Span) -> CommandResult {
        if !code.each().is_empty() {
            let each = code.each().iter().map(|one| one.clone().tainted(code.taint())).collect();
            return self.run_alternatives(each, |interp, code| interp.run_code_value(&code, span));
        }
        self.run_fetched(code, span);
        let decoder = code.taint().sources().find_map(|source| match source {
            Source::Program(name) => DECODERS.iter().find(|decoder| *decoder == name).copied(),
            _ => None,
        });
        if let Some(text) = code.as_known() {
            if let Some(how) = decoder {
                self.effect(EffectKind::Disguised { how, code: code.clone() }, span);
            }
            let text = text.to_owned();
            return self.run_text(&text, span);
        }
        if let Some(readings) = code.readings(MAX_ALTERNATIVES) {
            return self.run_alternatives(readings, |interp, text| interp.run_text(&text, span));
        }
        let known: usize = code
            .pieces()
            .iter()
            .map(|piece| if let Piece::Text(text) = piece { text.trim().len() } else { 0 })
            .sum();
        if known == 0 {
            // Code that a person types while it runs is a shell for that person.
            let typed = |piece: &Piece| *piece == Piece::Unknown(origin::TYPED_TEXT);
            if !code.pieces().is_empty()
                && code.pieces().iter().all(typed)
                && !self.frame.conditions.remote
            {
                self.effect(
                    EffectKind::Shell {
                        entry: ShellEntry::Interactive,
                        invocation: self.frame.caller.invocation,
                    },
                    span,
                );
                return CommandResult::default();
            }
            // Text that shell builtins assembled is not encoded.
            if let Some(how) = decoder.filter(|how| !matches!(*how, "printf" | "echo")) {
                self.effect(EffectKind::Disguised { how, code: code.clone() }, span);
            }
            let taint = code.taint().clone();
            self.effect(EffectKind::Hidden { why: Opaque::Code, what: code.clone(), taint }, span);
            return CommandResult::output(Value::unknown("output of unknown code"));
        }
        if let Some(readings) = with_each_text(code) {
            if readings.len() > MAX_ALTERNATIVES {
                self.hidden_limit(span, "possible code");
            }
            return self
                .run_alternatives(readings, |interp, code| interp.run_code_value(&code, span));
        }
        // What was lost on the way may be any word.
        if code.is_cut() || code.is_one_of_many_values() {
            self.hidden_limit(span, "possible code");
        }
        // Unknown pieces become variables of the inner shell: in command position they are still
        // reported, as arguments they stay unknown.
        if !code.taint().is_none() {
            let unknown = Value::unknown("part of the code").tainted(code.taint());
            self.assign(UNKNOWN_PART, unknown);
        }
        let mut text = String::new();
        let mut in_name = false;
        for piece in code.pieces() {
            let was_in_name = std::mem::take(&mut in_name);
            match piece {
                Piece::Text(part) if was_in_name => {
                    text.push_str(part.trim_start_matches(is_name_char));
                }
                Piece::Text(part) => text.push_str(part),
                // `${A_…}`: the variable is not known.
                Piece::Unknown(_) if let Some(start) = open_name(&text) => {
                    text.truncate(start);
                    text.push_str(UNKNOWN_PART);
                    self.assign(
                        UNKNOWN_PART,
                        Value::unknown("part of the code").tainted(code.taint()),
                    );
                    in_name = true;
                }
                // Every text was put into a value of its own.
                Piece::OneOf(_) => {}
                Piece::AnyString => text.push('*'),
                Piece::AnyChar => text.push('?'),
                Piece::AnyOf(class) => text.push_str(class),
                Piece::Unknown(_) => text.push_str(&format!("${{{UNKNOWN_PART}}}")),
            }
        }
        self.run_text(&text, span)
    }

    /// Follows code that a program hands to a shell.
    pub(crate) fn run_code_through(
        &mut self,
        invocation: Invocation,
        code: &Value,
        span: Span,
    ) -> CommandResult {
        self.invoked(invocation, |interp| {
            interp.in_child_shell(span, |interp| {
                interp.may_be_plain_shell();
                interp.run_code_value(code, span)
            })
        })
    }

    /// Follows words as a command that a program runs.
    pub(crate) fn run_argv_through(
        &mut self,
        invocation: Invocation,
        fields: &[Field],
        span: Span,
    ) -> CommandResult {
        if self.frame.nesting.depth >= super::MAX_DEPTH || !self.spend(fields.len() / 2, span) {
            self.hidden_limit(span, "nesting");
            return CommandResult::default();
        }
        let enter = |frame: &mut Frame| {
            frame.nesting.depth += 1;
            // An indirect run through a launcher is still indirect.
            frame.caller.invocation = frame.caller.invocation.max(invocation);
        };
        self.in_frame(enter, |interp| {
            interp.isolated(|interp| interp.dispatch_program(fields, span))
        })
    }

    /// Reads a script file and follows it, or says that it cannot be read.
    pub(crate) fn source_file(&mut self, path: &Value, span: Span) -> CommandResult {
        match self.script_content(path) {
            FileContent::Written(value) => {
                self.note_script(path, &value, Lang::Shell);
                self.run_code_value(&value, span)
            }
            FileContent::Missing => {
                self.run_unpacked(path, span);
                CommandResult::default()
            }
            FileContent::Binary | FileContent::Unseen | FileContent::Unknown => {
                if path.taint().network().is_some() {
                    self.run_fetched(path, span);
                }
                self.run_unpacked(path, span);
                self.hidden_script(path, span);
                CommandResult::default()
            }
        }
    }

    /// As [`Interp::dispatch`], but neither functions nor builtins: another process runs it.
    pub(crate) fn dispatch_program(&mut self, fields: &[Field], span: Span) -> CommandResult {
        match fields.first().and_then(|first| first.value.as_known().map(str::to_owned)) {
            Some(name) if !name.is_empty() => {
                if let Some(origin) = fields.first().and_then(|name| name.value.taint().network()) {
                    let kind = EffectKind::RunFetched { origin: origin.to_owned() };
                    self.effect(kind, span);
                }
                self.run_program(&name, fields, span)
            }
            _ => self.dispatch(fields, span),
        }
    }
}

/// `-e`, `-ec`, `-euo`: the shell ends when a command fails.
fn switches_errexit_on(word: &Field) -> bool {
    let text = word.value.as_known().unwrap_or_default();
    text.starts_with('-') && !text.starts_with("--") && text.contains('e')
}

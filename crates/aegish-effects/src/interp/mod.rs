//! Follows a script command by command, as Bash would run it, without running it.
//!
//! Both branches of a decision are followed and their states joined; loops over known items are followed item
//! by item, others twice; functions are followed when they are called. All work uses one budget; when it is
//! used up, the analysis reports [`Opaque::Limit`] and stops.

mod assignments;
mod budget;
pub(crate) mod builtins;
mod code;
mod compound;
mod conditions;
mod copies;
mod declared;
mod descriptors;
mod devices;
mod directories;
mod expansion;
mod facts;
mod fd;
mod files;
mod filters;
mod find;
mod frame;
mod functions;
mod git;
mod given_code;
mod inputs;
mod jobs;
mod jumps;
mod launched;
mod listed;
mod loops;
mod module;
mod names;
mod network;
mod opened;
mod origins;
mod other_readings;
mod output_files;
mod own_input;
mod own_texts;
mod own_variables;
mod packed;
mod parallel;
mod patched;
mod pipelines;
mod placed_files;
mod plain_shell;
mod printed;
mod process_substitution;
mod program;
mod redirect;
mod roles;
mod search_path;
mod seen_by_code;
mod self_modifying;
mod settings;
mod shell;
mod shown;
mod simple;
mod statements;
mod subprocess;
mod unprofiled;
mod unresolved;
mod variables;
mod vouched;
mod word;
mod xargs;

pub(crate) use facts::FileContent;

use aegish_analysis::{Analysis, CommandReport, Effect, EffectKind, Opaque};
use aegish_shell_state::{Context, Machine, StandardInput};
use aegish_shell_state::{Flow, LookedAt, Outcome, Session, ShellState, Switch, Variable};
use aegish_syntax::{List, Script, Span};
use aegish_values::{Piece, Taint, Value, either_output};
use budget::WorkBudget;
use frame::{Frame, Output, Scoped};
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// Nesting of scripts inside scripts (`sh -c`, substitutions, functions, wrappers).
const MAX_DEPTH: u32 = 48;
/// Longest script file that is read.
const MAX_SCRIPT: usize = 256 * 1024;

/// Placeholder for an unknown part of code. In shell code it is the name of a variable.
pub const UNKNOWN_PART: &str = "AEGISH_UNKNOWN";

/// Follows a script and reports its effects. `source` is the text that the script was parsed from.
#[must_use]
pub fn analyze(source: &str, script: &Script, context: &Context<'_>) -> Analysis {
    analyze_in(&Session::new(), source, script, context, context.machine).0
}

/// Analyses a line of a session and returns the session after it. The directory is that of the context if
/// there is one, otherwise that of the session. Files are read through `machine` instead of the machine of
/// the context, so that a caller can record what was read.
#[must_use]
pub fn analyze_in(
    session: &Session,
    source: &str,
    script: &Script,
    context: &Context<'_>,
    machine: &dyn Machine,
) -> (Analysis, Session) {
    let mut interp = Interp::new(source, context, machine, session.state());
    let before = source.contains('(').then(|| interp.state.clone());
    interp.follow_prompt_command();
    let recalled = interp.recalled_lines(source, &script.here_docs);
    let recalled = recalled.map(|text| (text, interp.state.clone()));
    interp.run_script(script);
    if let Some((text, before)) = recalled {
        let literal = std::mem::replace(&mut interp.state, before);
        interp.run_text(&text, Span::new(0, source.len()));
        interp.resume(literal);
    }
    if let Some(before) = before.filter(|_| interp.deferred.extended) {
        interp.resume(before);
    }
    let outcome = interp.state.outcome.clone();
    interp.run_traps(Span::new(0, source.len()));
    interp.run_lasting_sinks();
    interp.run_keystrokes(source);
    if let Some(zero) = interp.state.zero.clone() {
        interp.run_rewritten(&zero, None, Span::default());
    }
    interp.run_repaired(source, script);
    interp.state.unread |= interp.out.effects.iter().any(|effect| {
        matches!(effect.kind, EffectKind::Hidden { .. } | EffectKind::RunFetched { .. })
    });
    interp.state.outcome = outcome;
    (interp.out, Session::after(interp.state))
}

pub(crate) struct Interp<'a> {
    pub(crate) ctx: &'a Context<'a>,
    pub(crate) machine: &'a dyn Machine,
    pub(crate) out: Analysis,
    pub(crate) state: ShellState,
    /// State for the current command.
    pub(crate) frame: Scoped<Frame>,
    /// The source of its standard input.
    pub(crate) stdin: Scoped<Arc<Flow>>,
    pub(crate) output: Scoped<Output>,
    pub(crate) calls: Calls,
    pub(crate) jumps: jumps::Jumps,
    pub(crate) deferred: Deferred,
    /// The directory in which the script starts.
    first_cwd: Value,
    budget: WorkBudget,
}

/// Functions and scripts that are being followed, innermost last.
#[derive(Default)]
pub(crate) struct Calls {
    /// Their names.
    pub(crate) names: Vec<String>,
    /// The words that functions were called with.
    pub(crate) words: Vec<(String, Arc<Vec<Value>>)>,
    /// The outer values of variables that functions declare as local.
    pub(crate) locals: Vec<Vec<(String, Option<Variable>)>>,
    /// The files that are being sourced.
    pub(crate) sourced: Vec<Value>,
    /// The outer values of variables that commands around this one set for themselves (`x=1 f`).
    pub(crate) temporary: Vec<(String, Option<Variable>)>,
    /// Those of them that last, because a function has exported them.
    pub(crate) lasting: Vec<String>,
    /// Modules of this session that were followed.
    pub(crate) imported: Vec<String>,
    /// Directories that the next container sees, with those of this machine that they are.
    pub(crate) mounts: Vec<(String, String)>,
    /// Files of settings that are being followed.
    pub(crate) obeyed: Vec<String>,
}

/// Work that is followed after it is found.
#[derive(Default)]
pub(crate) struct Deferred {
    /// Traps that name variables which are set later, and prompts.
    pub(crate) traps: Vec<(Value, Span)>,
    /// Those whose input lasts (`exec > >(…)`): they get all of it at the end.
    pub(crate) lasting_sinks: Vec<(String, Arc<Script>, Span)>,
    /// Commands of `>(…)` that wait for their input.
    pub(crate) sinks: Vec<(String, Arc<Script>, Span)>,
    /// Whether a trap is being followed.
    pub(crate) in_trap: bool,
    /// The last number that a substitution got when the usual ones were taken.
    pub(crate) named: usize,
    /// Texts of the script that commands were fed with.
    pub(crate) fed: Vec<String>,
    /// Whether a variable was read that is unset in some runs, since the words of this command were expanded.
    pub(crate) unset: Cell<bool>,
    /// Whether an expansion ends the shell in some runs: `${x?}`, or an unset variable with `set -u`.
    pub(crate) may_stop: Cell<bool>,
    /// Whether the last number that was computed depends on one that is one of several of the script's own.
    pub(crate) counted: Cell<bool>,
    /// What commands that run in parallel with others looked at.
    pub(crate) looked_at: RefCell<Vec<LookedAt>>,
    /// Whether the present text has a pattern that is a mistake unless `extglob` is on.
    pub(crate) extended: bool,
    /// Whether a job is being followed again.
    pub(crate) again: bool,
    /// `exec -a`: the name that the next shell gets.
    pub(crate) named_shell: Option<Value>,
    /// How many outputs got a name.
    pub(crate) outputs: u32,
    /// Whether something was written to an output through another descriptor.
    pub(crate) outputs_written: bool,
    /// The program for which variables are being set.
    pub(crate) setting_for: Option<&'static aegish_profiles::Profile>,
}

/// What following a command gave.
#[derive(Debug, Clone, Default)]
pub(crate) struct CommandResult {
    /// Its standard output, if captured.
    pub(crate) stdout: Value,
    /// Success or failure, if the analysis knows it.
    pub(crate) status: Option<bool>,
}

impl CommandResult {
    pub(crate) fn output(stdout: Value) -> Self {
        Self { stdout, status: None }
    }

    pub(crate) fn status(ok: bool) -> Self {
        Self { stdout: Value::empty(), status: Some(ok) }
    }
}

impl<'a> Interp<'a> {
    fn new(
        source: &str,
        ctx: &'a Context<'a>,
        machine: &'a dyn Machine,
        before: Option<ShellState>,
    ) -> Self {
        let first = before.is_none();
        let mut state = before.unwrap_or_default();
        let inherited = ctx.cwd.is_empty() && !state.cwd.pieces().is_empty();
        let cwd = if inherited {
            // The earlier lines are the best source.
            state.cwd.clone()
        } else if ctx.cwd.is_empty() {
            let mut value = Value::known("/");
            value.push(Piece::Unknown("working directory"));
            value
        } else {
            Value::known(ctx.cwd.as_str())
        };
        if state.positional.is_none() {
            state.positional = ctx.positional.clone().map(Arc::new);
        }
        if let Some(zero) = &ctx.zero {
            state.zero = Some(Value::known(zero.as_str()));
        }
        if first && !ctx.aliases.is_empty() {
            state.aliases = ctx.aliases.clone().into();
        }
        state.cwd = cwd.clone();
        state.outcome = Outcome::default();
        let peer = match state.descriptors.get(&1) {
            Some(Flow::Network { peer }) => Some(peer.clone()),
            _ => None,
        };
        let stdin = match ctx.stdin {
            StandardInput::Terminal => Flow::Terminal,
            StandardInput::Other => Flow::Text(Value::unknown("input")),
        };
        Self {
            ctx,
            machine,
            out: Analysis::default(),
            state,
            frame: Scoped::new(Frame::new(source)),
            stdin: Scoped::new(stdin.into()),
            output: Scoped::new(Output::shown(peer)),
            calls: Calls::default(),
            jumps: jumps::Jumps::default(),
            deferred: Deferred::default(),
            // The reader of the effects does not know the directory that earlier lines changed to.
            first_cwd: if inherited { Value::empty() } else { cwd },
            budget: WorkBudget::for_text(source.len()),
        }
    }

    /// The span in the source for a span in the text that is followed now.
    pub(crate) fn span(&self, span: Span) -> Span {
        self.frame.text.origin.unwrap_or(span)
    }

    /// Makes sure there is a command that effects can refer to.
    pub(crate) fn report_shell_command(&mut self, span: Span) -> usize {
        if let Some(parent) = self.frame.caller.parent {
            return parent;
        }
        self.out.commands.push(CommandReport {
            argv: Vec::new(),
            program: Some("bash"),
            span,
            parent: None,
            invocation: self.frame.caller.invocation,
        });
        self.out.commands.len() - 1
    }

    /// Records an effect of the current command.
    pub(crate) fn effect(&mut self, mut kind: EffectKind, span: Span) {
        if self.frame.conditions.contained && kind.is_about_files() && !self.is_mounted(&mut kind) {
            return;
        }
        let others = kind.path_mut().map(|path| self.behind_others(path)).unwrap_or_default();
        self.anchor(&mut kind);
        let command = match self.frame.caller.parent {
            Some(command) => command,
            None if self.out.commands.is_empty() => self.report_shell_command(span),
            None => self.out.commands.len() - 1,
        };
        self.report_any_file(command, &mut kind, span);
        for path in others {
            let mut kind = kind.clone();
            kind.path_mut().into_iter().for_each(|own| *own = path.clone());
            self.push_effect(Effect { kind, span, command, redirected: false });
        }
        self.push_effect(Effect { kind, span, command, redirected: false });
    }

    /// A file that may be any, because its name is computed in a way that is not followed.
    fn report_any_file(&mut self, command: usize, kind: &mut EffectKind, span: Span) {
        if let Some(path) = kind.any_file().cloned() {
            let taint = path.taint().clone();
            let kind = EffectKind::Hidden { why: Opaque::FileName, what: path, taint };
            self.push_effect(Effect { kind, span, command, redirected: false });
        }
    }

    /// Follows a whole script text, including what a syntax error hides.
    pub(crate) fn run_script(&mut self, script: &Script) -> CommandResult {
        let mut result = self.run_list(&script.body);
        if let Some(comment) = script.comments.first().filter(|_| self.is_on(Switch::NoComments)) {
            self.hidden_part(Opaque::Code, &comment.text, comment.span);
        }
        if let Some(error) = &script.error {
            let why = match error.kind {
                aegish_syntax::SyntaxErrorKind::Limit => Opaque::Limit,
                _ => Opaque::Syntax,
            };
            self.hidden_part(why, &error.message, error.span);
            result.status = None;
        }
        result
    }

    /// A part of the present text that cannot be followed.
    fn hidden_part(&mut self, why: Opaque, what: &str, span: Span) {
        let span = self.span(span);
        self.report_shell_command(span);
        let (what, taint) = (Value::known(what), Taint::none());
        self.effect(EffectKind::Hidden { why, what, taint }, span);
    }

    /// Follows computed text as shell code; everything in it points to `span`.
    pub(crate) fn run_text(&mut self, text: &str, span: Span) -> CommandResult {
        if self.frame.nesting.depth >= MAX_DEPTH {
            self.hidden_limit(span, "nesting");
            return CommandResult::default();
        }
        self.worked_on(2 * text.len());
        if !self.step(span) {
            return CommandResult::default();
        }
        let script = aegish_syntax::parse(text);
        let enter = |frame: &mut Frame| {
            frame.text.origin = Some(span);
            frame.text.source = text.into();
            frame.nesting.depth += 1;
        };
        let before = text.contains('(').then(|| Box::new(self.state.clone()));
        let outer = std::mem::take(&mut self.deferred.extended);
        let mut result = self.in_frame(enter, |interp| {
            let result = interp.run_script(&script);
            interp.run_repaired(text, &script);
            result
        });
        let extended = std::mem::replace(&mut self.deferred.extended, outer);
        if let Some(before) = before.filter(|_| extended) {
            self.resume(*before);
            result.status = None;
        }
        result
    }

    /// The effects after the first `first` ones.
    pub(crate) fn effects_since(&self, first: usize) -> &[Effect] {
        self.out.effects.get(first..).unwrap_or_default()
    }

    /// The source text at this span.
    pub(crate) fn source_text(&self, span: Span) -> &str {
        self.frame.text.source.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The command at this span as the shell tells it.
    pub(crate) fn command_text(&self, span: Span) -> Value {
        match self.source_text(span) {
            "" => Value::lost(),
            text => Value::known(text),
        }
    }

    pub(crate) fn run_list(&mut self, list: &List) -> CommandResult {
        let mut result = CommandResult { stdout: Value::empty(), status: Some(true) };
        // What is printed if the list ends before its last command.
        let mut early = self.jumps.early.take();
        for (index, item) in list.items.iter().enumerate() {
            let mut last = self.run_and_or(item);
            self.collect_output(&mut last);
            if self.output.capture {
                let ended = self.jumps.early.take();
                let ended =
                    ended.or_else(|| self.may_fail_early(&last).then(|| last.stdout.clone()));
                let stopped = self.deferred.may_stop.take().then(Value::empty);
                let ended = ended.or(stopped);
                if let Some(ended) = ended {
                    let mut whole = result.stdout.clone();
                    whole.append(&ended);
                    early = Some(
                        early.map_or_else(|| whole.clone(), |all| either_output(&all, &whole)),
                    );
                }
                result.stdout.append(&last.stdout);
            }
            result.status = last.status;
            if self.jumps.ended {
                let rest = list.items.get(index + 1..).unwrap_or_default();
                self.run_unreached(|interp| {
                    for item in rest {
                        interp.run_and_or(item);
                    }
                });
                break;
            }
        }
        self.jumps.early = early;
        result
    }

    /// `$(…)`: the output of a script.
    pub(crate) fn run_substitution(&mut self, script: &Script, span: Span) -> Value {
        if self.frame.nesting.depth >= MAX_DEPTH || !self.step(span) {
            self.hidden_limit(span, "nesting");
            return Value::unknown("nesting");
        }
        let id = self.fresh_output();
        let captured =
            |output: &mut Output| *output = Output { capture: true, id, ..Output::shown(None) };
        let result = self.with_output(captured, |interp| {
            interp.deeper(|interp| {
                interp.isolated_commands(|interp| {
                    // Bash ends `set -e` there, except in the mode of POSIX.
                    interp.state.errexit = false;
                    interp.run_script(script)
                })
            })
        });
        result.stdout
    }
}

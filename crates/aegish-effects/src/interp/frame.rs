//! State that holds only for the current command.
//!
//! A [`Frame`], standard input and [`Output`] can be read everywhere. They change only while something is
//! followed ([`Interp::in_frame`], [`Interp::with_stdin`], [`Interp::with_output`]) and are restored
//! afterwards. Permanent changes that Bash makes go through [`Interp::change_stdin`] and
//! [`Interp::change_output`].

use super::Interp;
use aegish_analysis::Invocation;
use aegish_shell_state::Flow;
use aegish_syntax::Span;
use aegish_values::Value;
use std::ops::Deref;
use std::sync::Arc;

/// A value that only this module changes.
pub(crate) struct Scoped<T>(T);

impl<T> Scoped<T> {
    pub(super) fn new(value: T) -> Self {
        Self(value)
    }
}

impl<T> Deref for Scoped<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// What is saved and restored around a nested command.
#[derive(Clone)]
pub(crate) struct Frame {
    /// The current text.
    pub(crate) text: CurrentText,
    /// The program that runs the current command.
    pub(crate) caller: Caller,
    /// Under which conditions it runs.
    pub(crate) conditions: Conditions,
    /// The constructs around it.
    pub(crate) nesting: Nesting,
}

/// The current text.
#[derive(Clone)]
pub(crate) struct CurrentText {
    /// All of it.
    pub(crate) source: Arc<str>,
    /// Computed text is not in the source: all of its spans point here.
    pub(crate) origin: Option<Span>,
    /// The code that the present shell was started with, as the value of `-c`.
    pub(crate) started_with: Option<Arc<Value>>,
}

/// The program that runs the current command.
#[derive(Clone, Copy)]
pub(crate) struct Caller {
    /// The command that runs it.
    pub(crate) parent: Option<usize>,
    /// How it comes to run.
    pub(crate) invocation: Invocation,
    /// How commands in the current code come to run.
    pub(crate) code_invocation: Invocation,
    /// Whether the current code belongs to a general-purpose language, where running programs is normal.
    pub(crate) in_language: bool,
    /// Whether this is the value of a setting, which runs at the next start of some program.
    pub(crate) later: bool,
}

/// Conditions under which the current command runs.
#[derive(Clone)]
pub(crate) struct Conditions {
    /// Inside a container: the files are not those of this machine.
    pub(crate) contained: bool,
    /// Inside another machine or container.
    pub(crate) remote: bool,
    /// It runs with the rights and the search path of another user.
    pub(crate) elevated: bool,
    /// Whether the command is unreachable.
    pub(crate) unreached: bool,
    /// In a trap of the session's own shell, which runs between its commands too.
    pub(crate) in_trap: bool,
    /// It is a condition, so its failure does not end the shell, even with `set -e`.
    pub(crate) tested: bool,
    /// Whether the program reads lines that a person types.
    pub(crate) reads_terminal: bool,
    /// The origin of files that the program puts into a directory.
    pub(crate) incoming: Option<Arc<str>>,
    /// Directories of a container with those of this machine that are seen there.
    pub(crate) mounts: Option<Arc<Vec<(String, String)>>>,
}

/// The nesting of the current command.
#[derive(Clone, Copy)]
pub(crate) struct Nesting {
    /// Scripts inside scripts (`sh -c`, substitutions, functions, wrappers).
    pub(crate) depth: u32,
    /// Background jobs and pipelines.
    pub(crate) parallel: u32,
    /// Loops.
    pub(crate) loops: u32,
    /// Rounds of the loops over known items around the command, multiplied.
    pub(crate) rounds: usize,
}

/// Where standard output goes.
#[derive(Clone)]
pub(crate) struct Output {
    /// A network peer, if it does not go to the caller.
    pub(crate) peer: Option<String>,
    /// Whether output is read (substitution, pipe, redirection).
    pub(crate) capture: bool,
    /// It goes to a file.
    pub(crate) to_file: bool,
    /// Nobody reads it.
    pub(crate) discarded: bool,
    /// The name of an output that is read.
    pub(crate) id: u32,
}

impl Output {
    /// Output that the caller gets.
    pub(super) fn shown(peer: Option<String>) -> Self {
        Self { peer, capture: false, to_file: false, discarded: false, id: 0 }
    }
}

impl Frame {
    /// The frame of a text that a person typed.
    pub(super) fn new(source: &str) -> Self {
        Self {
            text: CurrentText {
                source: source.into(),
                origin: None,
                started_with: Some(Arc::new(Value::known(source))),
            },
            caller: Caller {
                parent: None,
                invocation: Invocation::Direct,
                code_invocation: Invocation::Indirect,
                in_language: false,
                later: false,
            },
            conditions: Conditions {
                contained: false,
                remote: false,
                elevated: false,
                unreached: false,
                in_trap: false,
                tested: false,
                reads_terminal: false,
                incoming: None,
                mounts: None,
            },
            nesting: Nesting { depth: 0, parallel: 0, loops: 0, rounds: 1 },
        }
    }
}

impl Interp<'_> {
    /// Follows something in a new frame.
    pub(crate) fn in_frame<R>(
        &mut self,
        change: impl FnOnce(&mut Frame),
        run: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let outer = self.frame.0.clone();
        change(&mut self.frame.0);
        let result = run(self);
        self.frame.0 = outer;
        result
    }

    /// Follows something as part of this command.
    pub(crate) fn as_part_of<R>(&mut self, command: usize, run: impl FnOnce(&mut Self) -> R) -> R {
        self.in_frame(|frame| frame.caller.parent = Some(command), run)
    }

    /// Follows something that is started in this way.
    pub(crate) fn invoked<R>(
        &mut self,
        invocation: Invocation,
        run: impl FnOnce(&mut Self) -> R,
    ) -> R {
        self.in_frame(|frame| frame.caller.invocation = invocation, run)
    }

    /// Follows something one level deeper.
    pub(crate) fn deeper<R>(&mut self, run: impl FnOnce(&mut Self) -> R) -> R {
        self.in_frame(|frame| frame.nesting.depth += 1, run)
    }

    /// Follows something with another standard input.
    pub(crate) fn with_stdin<R>(
        &mut self,
        stdin: impl Into<Arc<Flow>>,
        run: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let outer = std::mem::replace(&mut self.stdin.0, stdin.into());
        let result = run(self);
        self.stdin.0 = outer;
        result
    }

    /// Follows something with another standard output.
    pub(crate) fn with_output<R>(
        &mut self,
        change: impl FnOnce(&mut Output),
        run: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let outer = self.output.0.clone();
        change(&mut self.output.0);
        let result = run(self);
        self.output.0 = outer;
        result
    }

    /// Changes standard input for good: `exec <file`, input that was read.
    pub(crate) fn change_stdin(&mut self, stdin: impl Into<Arc<Flow>>) {
        self.stdin.0 = stdin.into();
    }

    /// Changes standard output for good: `exec >file`.
    pub(crate) fn change_output(&mut self, output: Output) {
        self.output.0 = output;
    }
}

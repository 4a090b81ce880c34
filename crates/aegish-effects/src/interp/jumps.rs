//! Jumps: `break`, `continue`, `return`, `exit`.
//!
//! Each of them stores the current state for the loop or function that it leaves, and ends the path. Commands
//! after it are followed for their effects only and do not change the state.

use super::{CommandResult, Interp};
use aegish_expansion::Field;
use aegish_shell_state::{Outcome, ShellState};
use aegish_syntax::Span;
use aegish_values::{Value, either_output};

/// Where paths have ended, and their states.
#[derive(Default)]
pub(crate) struct Jumps {
    /// Whether the current path has certainly ended.
    pub(crate) ended: bool,
    /// What was printed in a branch that ended the path.
    pub(crate) printed: Value,
    /// What the present list printed where the path may have ended early; see [`Interp::may_end_early`].
    pub(crate) early: Option<Value>,
    /// Loops of the present function or subshell, innermost last.
    loops: Vec<LoopExits>,
    /// Inside of a function or sourced file, with the state at `return`.
    returns: Option<Possible>,
    /// A `return` may have ended the function with success.
    return_succeeds: bool,
    /// An `exit` may have ended the process with success.
    exit_succeeds: bool,
}

/// States in which the rounds of a loop are left.
#[derive(Default)]
struct LoopExits {
    breaks: Possible,
    continues: Possible,
}

/// Adds a state to those that are possible.
pub(super) fn also(possible: &mut Possible, state: &ShellState) {
    match possible {
        Some(all) => all.join(state),
        None => *possible = Some(Box::new(state.clone())),
    }
}

/// The join of the possible states; boxed because the interpreter keeps them on its stack.
pub(super) type Possible = Option<Box<ShellState>>;

impl Interp<'_> {
    /// Adds this state to the possible ones; it is the only one if the path has ended.
    pub(crate) fn resume(&mut self, state: ShellState) {
        if std::mem::take(&mut self.jumps.ended) {
            self.state = state;
        } else {
            self.state.join(&state);
        }
    }

    /// Continues in one of these states; if there are none, the path has ended.
    pub(crate) fn resume_in(&mut self, states: impl IntoIterator<Item = ShellState>) {
        self.jumps.ended = true;
        let states = states.into_iter().collect();
        if let Some(state) = ShellState::joined(states, ShellState::join) {
            self.resume(state);
        }
    }

    /// Follows code that no run reaches, for its effects alone.
    pub(crate) fn run_unreached(&mut self, run: impl FnOnce(&mut Self)) {
        let before = self.state.clone();
        let jumps = std::mem::take(&mut self.jumps);
        self.in_frame(|frame| frame.conditions.unreached = true, run);
        self.jumps = jumps;
        self.state = before;
    }

    /// Follows another process, which jumps do not leave.
    pub(crate) fn without_jumps<R>(&mut self, run: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::take(&mut self.jumps);
        let result = run(self);
        if std::mem::replace(&mut self.jumps, outer).exit_succeeds {
            self.state.outcome = Outcome::default();
        }
        result
    }

    /// Follows a function or sourced file, which `return` leaves.
    pub(crate) fn until_return(
        &mut self,
        run: impl FnOnce(&mut Self) -> CommandResult,
    ) -> CommandResult {
        let inner = Jumps { returns: Some(None), ..Jumps::default() };
        let outer = std::mem::replace(&mut self.jumps, inner);
        let mut result = run(self);
        let inner = std::mem::replace(&mut self.jumps, outer);
        self.jumps.ended = inner.ended;
        self.jumps.exit_succeeds |= inner.exit_succeeds;
        if let Some(early) = inner.early {
            result.stdout = either_output(&result.stdout, &early);
            // It may have left the shell as well as the function.
            self.may_end_early(&early);
        }
        if let Some(state) = inner.returns.flatten() {
            self.resume(*state);
            result.status = None;
        }
        if inner.return_succeeds {
            self.state.outcome = Outcome::default();
        }
        result
    }

    /// Some run ends here, having printed this since the present list began.
    pub(crate) fn may_end_early(&mut self, printed: &Value) {
        if self.output.capture {
            let early = self.jumps.early.take();
            let early = early.map_or_else(|| printed.clone(), |all| either_output(&all, printed));
            self.jumps.early = Some(early);
        }
    }

    /// Enters a loop; [`Interp::leave_loop`] belongs to it.
    pub(crate) fn enter_loop(&mut self) {
        self.jumps.loops.push(LoopExits::default());
    }

    /// Follows a round of the innermost loop; `continue` leads to its end.
    pub(crate) fn run_round(&mut self, run: impl FnOnce(&mut Self)) {
        run(self);
        let continued = self.jumps.loops.last_mut().and_then(|exits| exits.continues.take());
        if let Some(state) = continued {
            self.resume(*state);
        }
    }

    /// Leaves the innermost loop in one of these states, or in that of a `break`.
    pub(super) fn leave_loop(&mut self, states: Possible) {
        let exits = self.jumps.loops.pop().unwrap_or_default();
        self.resume_in(states.into_iter().chain(exits.breaks).map(|state| *state));
    }

    pub(super) fn builtin_break(&mut self, words: &[Field], _span: Span) -> CommandResult {
        self.leave_rounds(words, |exits| &mut exits.breaks)
    }

    pub(super) fn builtin_continue(&mut self, words: &[Field], _span: Span) -> CommandResult {
        self.leave_rounds(words, |exits| &mut exits.continues)
    }

    /// Stores the state for the loop that is left; for every loop if it is not known which.
    fn leave_rounds(
        &mut self,
        words: &[Field],
        slot: fn(&mut LoopExits) -> &mut Possible,
    ) -> CommandResult {
        let loops = &mut self.jumps.loops;
        let count = loops.len();
        let level = match words.first().map(|word| word.value.as_known()) {
            None => Some(1),
            // More levels than there are mean the outermost loop.
            Some(text) => text.and_then(|text| text.parse::<usize>().ok()).map(|n| n.min(count)),
        };
        for (outer, exits) in loops.iter_mut().rev().enumerate() {
            if level.is_none_or(|level| level == outer + 1) {
                also(slot(exits), &self.state);
            }
        }
        self.jumps.ended = !self.jumps.loops.is_empty();
        CommandResult::status(true)
    }

    pub(super) fn builtin_return(&mut self, words: &[Field], _span: Span) -> CommandResult {
        let result = CommandResult { status: given_status(words), ..CommandResult::default() };
        if let Some(possible) = &mut self.jumps.returns {
            also(possible, &self.state);
            self.jumps.ended = true;
            self.jumps.return_succeeds |= result.status != Some(false);
        }
        result
    }

    /// The process ends.
    pub(super) fn end_process(&mut self, words: &[Field]) -> CommandResult {
        self.jumps.ended = true;
        let result = CommandResult { status: given_status(words), ..CommandResult::default() };
        self.jumps.exit_succeeds |= result.status != Some(false);
        result
    }
}

/// Whether `return` or `exit` with these words means success; without words, that depends on the command before.
fn given_status(words: &[Field]) -> Option<bool> {
    let number: u64 = words.first()?.value.as_known()?.parse().ok()?;
    Some(number.is_multiple_of(256))
}

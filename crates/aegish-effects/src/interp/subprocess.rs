//! Subprocesses of the shell: what they change for it, what they print, and how they may end.

use super::{CommandResult, Interp};
use aegish_values::either_output;

impl Interp<'_> {
    /// Whether the shell may end behind a command because of `set -e`.
    pub(super) fn may_fail_early(&self, last: &CommandResult) -> bool {
        // Whether it counts inside of a condition depends on the kind of condition.
        self.state.errexit && last.status != Some(true)
    }

    /// As [`Self::isolated`], for commands whose output counts: what their traps print belongs to it, and they may end
    /// before their last command.
    pub(crate) fn isolated_commands(
        &mut self,
        run: impl FnOnce(&mut Self) -> CommandResult,
    ) -> CommandResult {
        let inherited = self.state.traps.clone();
        self.isolated(|interp| {
            let mut result = run(interp);
            if !interp.output.capture {
                return result;
            }
            if let Some(early) = interp.jumps.early.take() {
                result.stdout = either_output(&result.stdout, &early);
            }
            interp.add_trap_output(&inherited, &mut result.stdout);
            result
        })
    }

    /// Follows something in a subprocess: changes of variables, functions and the directory are dropped,
    /// written files stay.
    pub(crate) fn isolated<R>(&mut self, run: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.state.clone();
        // What runs at the end of a shell does not run at the end of its children.
        self.state.traps.remove_ends();
        let result = self.without_jumps(|interp| {
            let result = run(interp);
            interp.run_exit_traps(&before.traps);
            result
        });
        let after = std::mem::replace(&mut self.state, before);
        self.state.files = after.files;
        self.state.replaced = after.replaced;
        self.state.unpacked = after.unpacked;
        self.state.made = after.made;
        self.state.filled = after.filled;
        self.state.pieces = after.pieces;
        self.state.links = after.links;
        self.state.jobs = after.jobs;
        self.state.outcome = after.outcome;
        self.share_positions(&after.descriptors);
        self.state.vouched.retain(|path| after.vouched.contains(path));
        result
    }

    /// Follows something that may run at another time, or never.
    pub(crate) fn followed_later(&mut self, run: impl FnOnce(&mut Self)) {
        let before = self.state.clone();
        self.isolated(run);
        self.state.join(&before);
    }
}

//! Shells called `sh`: Bash in the mode of POSIX, or another one that lacks what only Bash has.

use super::{CommandResult, Interp};
use aegish_shell_state::Switch;
use aegish_values::Value;

impl Interp<'_> {
    /// The present shell is called `sh`, which may be Bash in the mode of POSIX, or another one.
    pub(super) fn may_be_plain_shell(&mut self) {
        self.switch_on(&Value::known("posix"));
        if !self.is_on(Switch::PlainShell) {
            self.state.switches.push(Switch::PlainShell);
        }
    }

    /// Follows something that Bash has and the present shell may not have, so that it fails and does nothing.
    pub(crate) fn perhaps_absent(
        &mut self,
        run: impl FnOnce(&mut Self) -> CommandResult,
    ) -> CommandResult {
        let before = self.state.clone();
        let result = run(self);
        if !self.jumps.ended {
            self.state.join(&before);
        }
        CommandResult { status: None, ..result }
    }
}

//! Variables of bash that the guard needs. A line that takes one of them away from it is refused before it runs: bash
//! would end it in the middle, or show its own prompt.

use super::prompt_command::NAME;
use aegish_guard::Session;

/// Bash runs it before it reads a command: there the guard checks where bash reads from.
const GATE: &str = "\\__aegish_gate";

/// Whether a line that changes the first session into the second sets the variable.
pub(crate) fn is_changed(before: &Session, after: &Session) -> bool {
    before.is_set_to(NAME, GATE) && !after.is_set_to(NAME, GATE)
}

/// Why a line cannot run that changes the first session into the second.
pub(crate) fn obstacle(before: &Session, after: &Session) -> Option<&'static str> {
    if ["PS1", "PS2"].iter().any(|prompt| after.is_readonly(prompt)) {
        return Some(
            "nothing was run: PS1 and PS2 cannot be made read-only, because the guard empties them between lines; set \
             them without that",
        );
    }
    is_changed(before, after).then_some(
        "nothing was run: the guard checks bash by PROMPT_COMMAND, so only a line that does nothing else can set it, \
         at the prompt or in rc.bash; what it runs is judged before each prompt",
    )
}

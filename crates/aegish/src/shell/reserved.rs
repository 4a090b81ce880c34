//! Variables of bash that the guard needs. A line that sets one would be ended by bash in the middle, so it is
//! refused before.

use aegish_guard::Session;

/// Bash runs it before it reads a command: there the guard checks where bash reads from.
const PROMPT_COMMAND: (&str, &str) = ("PROMPT_COMMAND", "\\__aegish_gate");

/// Why a line cannot run that changes the first session into the second.
pub(crate) fn obstacle(before: &Session, after: &Session) -> Option<&'static str> {
    let (name, value) = PROMPT_COMMAND;
    (before.is_set_to(name, value) && !after.is_set_to(name, value)).then_some(
        "nothing was run: the guard checks bash by PROMPT_COMMAND, so it cannot be set; write \
         $(command) into PS1 instead, which is judged and expanded before each prompt",
    )
}

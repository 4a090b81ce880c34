//! dc: commands that a script runs.

use super::{shell, text_from, text_to};
use crate::CodeEffect;

/// dc: `!command` up to the end of the line; `!<`, `!>`, `!=` compare. Strings in brackets are macros and are
/// read too.
pub(super) fn dc(code: &str, effects: &mut Vec<CodeEffect>) {
    for line in code.lines() {
        let line = line.split('#').next().unwrap_or("");
        let Some(at) = line.char_indices().find_map(|(at, c)| {
            let compares = text_from(line, at + c.len_utf8()).starts_with(['<', '>', '=']);
            (c == '!' && !compares).then_some(at)
        }) else {
            continue;
        };
        let command = text_from(line, at + 1);
        // In a macro, the closing bracket ends the command.
        let open = text_to(line, at).matches('[').count() > text_to(line, at).matches(']').count();
        let command = if open {
            command.rsplit_once(']').map_or(command, |(command, _)| command)
        } else {
            command
        };
        shell(command, effects);
    }
}

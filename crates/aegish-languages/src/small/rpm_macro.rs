//! rpm macros: `%(command)` runs a command, `%{lua:code}` runs Lua.

use super::{known, shell, text_from, text_to};
use crate::CodeEffect;
use aegish_profiles::Lang;

pub(super) fn rpm_macro(code: &str, effects: &mut Vec<CodeEffect>) {
    let mut rest = code;
    while let Some(at) = rest.find('%') {
        rest = text_from(rest, at + 1);
        if let Some(body) = rest.strip_prefix('%') {
            // `%%` is a plain percent sign.
            rest = body;
        } else if let Some(body) = rest.strip_prefix('(') {
            shell(enclosed(body, '(', ')'), effects);
        } else if let Some(body) = rest.strip_prefix("{lua:") {
            effects.push(CodeEffect::Eval(Lang::Lua, known(enclosed(body, '{', '}'))));
        } else if let Some(body) = rest.strip_prefix("{load:") {
            effects.push(CodeEffect::Read(known(enclosed(body, '{', '}').trim())));
        }
    }
}

/// Returns the text up to the bracket that closes the one before it.
fn enclosed(text: &str, open: char, close: char) -> &str {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            if depth == 0 {
                return text_to(text, at);
            }
            depth -= 1;
        }
    }
    text
}

//! tar: options whose values run a command or rename what is unpacked.

use super::{is_stream, known, shell, write};
use crate::CodeEffect;
use aegish_values::Value;

/// `--checkpoint-action`: only `exec=` runs something.
pub(super) fn checkpoint_action(code: &str, effects: &mut Vec<CodeEffect>) {
    if let Some(command) = code.trim().strip_prefix("exec=") {
        shell(super::quoted_words::unquoted(command), effects);
    }
}

/// tar's `--transform` while unpacking renames members. An absolute name is then written.
pub(super) fn transform(code: &str, effects: &mut Vec<CodeEffect>) {
    let mut rest = code;
    while let Some(body) = rest.trim_start().strip_prefix('s') {
        let mut letters = body.chars();
        let Some(mark) = letters.next() else { return };
        let mut parts = letters.as_str().splitn(3, mark);
        let (Some(_), Some(name), tail) = (parts.next(), parts.next(), parts.next()) else {
            return;
        };
        if name.starts_with('/') && !is_stream(name) {
            match name.find(['&', '\\']) {
                None => write(known(name), false, effects),
                Some(at) => {
                    let mut path = known(name.get(..at).unwrap_or(""));
                    path.append(&Value::unknown("name of the member"));
                    write(path, false, effects);
                }
            }
        }
        rest = tail.and_then(|tail| tail.split_once(';')).map_or("", |(_, rest)| rest);
    }
}

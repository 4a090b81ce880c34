//! C and assembler source: the files that the compiler reads because the text names them.
//!
//! A compiler prints lines of what it cannot parse, and the preprocessor prints all of it.

use super::{included, known};
use crate::CodeEffect;
use aegish_values::Value;

/// `#include "file"`, `#include <file>`, `#embed`, `.incbin`; `directories` are searched for relative names.
pub(super) fn c(code: &str, directories: &[Value], effects: &mut Vec<CodeEffect>) {
    // A backslash at the end of a line joins it with the next one.
    for line in code.replace("\\\n", "").lines() {
        let line = line.trim_start();
        let directive = line.strip_prefix('#').or_else(|| line.strip_prefix("%:"));
        if let Some(directive) = directive.map(str::trim_start) {
            let names = ["include_next", "include", "import", "embed"];
            if let Some(rest) = names.iter().find_map(|name| directive.strip_prefix(name)) {
                quoted_name(rest).into_iter().for_each(|name| included(name, directories, effects));
            }
        }
        for marker in [".incbin", ".include"] {
            // In C the name stands in a string of its own, with escaped quotes.
            let rest = line.split_once(marker).map(|(_, rest)| rest.replace('\\', ""));
            if let Some(name) = rest.as_deref().and_then(quoted_name) {
                effects.push(CodeEffect::Read(known(name)));
            }
        }
    }
}

/// The text between quotes or angle brackets at the start.
fn quoted_name(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let end = match text.chars().next()? {
        '"' => '"',
        '<' => '>',
        _ => return None,
    };
    text.get(1..)?.split_once(end).map(|(name, _)| name).filter(|name| !name.is_empty())
}

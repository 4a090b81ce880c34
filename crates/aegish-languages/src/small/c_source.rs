//! C and assembler source: the files that the compiler reads because the text names them.
//!
//! A compiler prints lines of what it cannot parse, and the preprocessor prints all of it.

use super::{included, known, shell, text_from, text_to};
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
    calls(code, effects);
}

/// `system("…")`, `popen("…")`, `execlp("cat", "cat", "file", …)`: what a program runs that is built of this. It runs later,
/// or never; whoever builds it means it to run.
fn calls(code: &str, effects: &mut Vec<CodeEffect>) {
    for name in ["system", "popen", "execl", "execlp", "execle", "fopen", "open", "ifstream"] {
        let mut rest = code;
        while let Some(at) = rest.find(name) {
            let before = text_to(rest, at).chars().next_back();
            rest = text_from(rest, at + name.len());
            let whole = before.is_none_or(|c| !(c.is_alphanumeric() || c == '_'));
            let Some(inside) = rest.trim_start().strip_prefix('(').filter(|_| whole) else {
                continue;
            };
            let inside = inside.split(';').next().unwrap_or_default();
            let texts: Vec<&str> = super::super::mentioned::quoted_texts(inside).collect();
            let begins = inside.trim_start().starts_with('"');
            match (name, texts.as_slice()) {
                ("system" | "popen", [command, ..]) if begins => shell(command, effects),
                ("fopen" | "open" | "ifstream", [path, ..]) if begins => {
                    effects.push(CodeEffect::Read(known(*path)));
                }
                ("execl" | "execlp" | "execle", [program, _, words @ ..]) if begins => {
                    let argv = std::iter::once(program).chain(words).map(|text| known(*text));
                    effects.push(CodeEffect::Argv(argv.collect()));
                }
                _ => {}
            }
            if effects.len() > super::MAX_EFFECTS {
                return;
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

//! Languages with a single thing to look for: jq, dc, tar's checkpoint actions, AppleScript.

use super::{known, shell};
use crate::CodeEffect;
use aegish_profiles::Lang;

/// yq's operators that read another file: `load("file")` and its siblings, outside of texts.
fn loads(code: &str, acts: &mut Vec<CodeEffect>) {
    let parts: Vec<&str> = code.split('"').collect();
    for (index, part) in parts.iter().enumerate().step_by(2) {
        let Some(stem) = part.trim_end().strip_suffix('(') else { continue };
        let name = stem.trim_end();
        let begin =
            name.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        if matches!(
            name.get(begin..).unwrap_or(""),
            "load" | "load_str" | "load_xml" | "load_props" | "load_base64" | "strload"
        ) && let Some(path) = parts.get(index + 1)
        {
            acts.push(CodeEffect::Read(known(*path)));
        }
    }
}

/// jq runs nothing; it may only pull in modules.
pub(super) fn jq(code: &str, acts: &mut Vec<CodeEffect>) {
    if code.contains("load") {
        loads(code, acts);
    }
    let mut rest = code.trim_start();
    loop {
        let Some(tail) = rest.strip_prefix("import ").or_else(|| rest.strip_prefix("include "))
        else {
            return;
        };
        let Some((path, after)) =
            tail.trim_start().strip_prefix('"').and_then(|text| text.split_once('"'))
        else {
            return;
        };
        acts.push(CodeEffect::Script(Lang::Jq, known(path)));
        rest = after.split_once(';').map_or("", |(_, rest)| rest.trim_start());
    }
}

/// dc: `!command` up to the end of the line; `!<`, `!>`, `!=` compare. Strings in brackets are
/// macros and are looked at as well.
pub(super) fn dc(code: &str, acts: &mut Vec<CodeEffect>) {
    for line in code.lines() {
        let line = line.split('#').next().unwrap_or("");
        let Some(at) = line.char_indices().find_map(|(at, c)| {
            let compares = line[at + c.len_utf8()..].starts_with(['<', '>', '=']);
            (c == '!' && !compares).then_some(at)
        }) else {
            continue;
        };
        let command = &line[at + 1..];
        // Inside a macro the bracket ends it.
        let open = line[..at].matches('[').count() > line[..at].matches(']').count();
        let command = if open {
            command.rsplit_once(']').map_or(command, |(command, _)| command)
        } else {
            command
        };
        shell(command, acts);
    }
}

/// `--checkpoint-action`: only `exec=` runs something.
pub(super) fn tar_action(code: &str, acts: &mut Vec<CodeEffect>) {
    if let Some(command) = code.trim().strip_prefix("exec=") {
        shell(super::words::unquoted(command), acts);
    }
}

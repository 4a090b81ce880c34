//! jq and yq: modules and files that a filter loads.

use super::known;
use crate::CodeEffect;
use aegish_profiles::Lang;

/// yq's operators that read another file: `load("file")` and similar ones, outside of texts.
fn loads(code: &str, effects: &mut Vec<CodeEffect>) {
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
            effects.push(CodeEffect::Read(known(*path)));
        }
    }
}

/// jq runs nothing; it only loads modules.
pub(super) fn jq(code: &str, effects: &mut Vec<CodeEffect>) {
    if code.contains("load") {
        loads(code, effects);
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
        effects.push(CodeEffect::Script(Lang::Jq, known(path)));
        rest = after.split_once(';').map_or("", |(_, rest)| rest.trim_start());
    }
}

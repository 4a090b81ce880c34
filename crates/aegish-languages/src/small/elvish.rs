//! elvish: translates code to the shell language where the two differ.

use super::known;
use crate::CodeEffect;
use aegish_profiles::Lang;

/// elvish: environment variables are `$E:NAME`, external commands may start with `e:`, and parentheses
/// capture output. The rest is read as shell code.
pub(super) fn elvish(code: &str, effects: &mut Vec<CodeEffect>) {
    let mut out = String::with_capacity(code.len() + 16);
    let mut rest = code;
    let mut word_start = true;
    while let Some(c) = rest.chars().next() {
        let mut took = c.len_utf8();
        if c == '\'' || c == '"' {
            let body = rest.get(1..).unwrap_or("");
            took = body.find(c).map_or(rest.len(), |end| end + 2);
            out.push_str(rest.get(..took).unwrap_or(""));
            word_start = false;
        } else if let Some(name) = rest.strip_prefix("$E:").or_else(|| rest.strip_prefix("$e:")) {
            let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let end = end.unwrap_or(name.len());
            out.push_str("${");
            out.push_str(name.get(..end).unwrap_or(""));
            out.push('}');
            took = 3 + end;
            word_start = false;
        } else if word_start && rest.starts_with("e:") {
            took = 2;
        } else if word_start && rest.starts_with("slurp") {
            out.push_str("cat");
            took = 5;
            word_start = false;
        } else if c == '(' {
            out.push_str("$(");
            word_start = true;
        } else {
            out.push(c);
            word_start = c.is_whitespace() || matches!(c, ';' | '|' | '{');
        }
        rest = rest.get(took..).unwrap_or("");
    }
    effects.push(CodeEffect::Eval(Lang::Shell, known(out)));
}

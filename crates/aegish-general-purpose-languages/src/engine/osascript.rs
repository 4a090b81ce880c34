//! AppleScript and JavaScript for Automation: only `do shell script`, `do script` and their
//! JavaScript names have effects.

use super::decode;
use crate::CodeEffect;
use aegish_profiles::Lang;
use aegish_values::Value;

const PHRASES: &[(&str, bool)] = &[
    ("do shell script", true),
    ("do script", true),
    ("doShellScript(", true),
    ("doScript(", true),
    ("run script", false),
    ("load script", false),
];

/// What an AppleScript does.
pub(super) fn scan(code: &str) -> Vec<CodeEffect> {
    let mut effects = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let after = rest.get(first.len_utf8()..).unwrap_or("");
        match first {
            '"' => {
                let (_, next) = text(after);
                rest = next;
            }
            '-' if after.starts_with('-') => rest = line_end(rest),
            '#' => rest = line_end(rest),
            '(' if after.starts_with('*') => {
                rest = rest.find("*)").and_then(|n| rest.get(n + 2..)).unwrap_or("");
            }
            _ => match PHRASES.iter().find(|(phrase, _)| starts_with(rest, phrase)) {
                Some((phrase, shell)) => {
                    let (value, next) = operand(rest.get(phrase.len()..).unwrap_or(""));
                    effects.push(
                        match (
                            *shell,
                            value
                                .pieces()
                                .iter()
                                .any(|p| matches!(p, aegish_values::Piece::Text(_))),
                        ) {
                            (true, true) => CodeEffect::Shell(value),
                            (false, true) if value.known_prefix().contains([' ', '\n']) => {
                                CodeEffect::Eval(Lang::Osascript, value)
                            }
                            (false, true) => CodeEffect::Script(Lang::Osascript, value),
                            _ => CodeEffect::Hidden,
                        },
                    );
                    rest = next;
                }
                None => rest = after,
            },
        }
    }
    effects
}

fn starts_with(text: &str, phrase: &str) -> bool {
    text.get(..phrase.len()).is_some_and(|t| t.eq_ignore_ascii_case(phrase))
}

fn line_end(text: &str) -> &str {
    text.find('\n').and_then(|n| text.get(n..)).unwrap_or("")
}

/// The text behind an opening quote, and what follows the closing one.
fn text(body: &str) -> (String, &str) {
    let mut out = String::new();
    let mut rest = body;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or("");
        match c {
            '"' => return (out, after),
            '\\' => {
                let used = decode::escape(after, &mut out);
                rest = after.get(used..).unwrap_or("");
            }
            _ => {
                out.push(c);
                rest = after;
            }
        }
    }
    (out, "")
}

/// Texts joined by `&`; anything else in between is unknown.
fn operand(body: &str) -> (Value, &str) {
    let mut value = Value::empty();
    let mut rest = body.trim_start_matches([' ', '\t', '(']);
    loop {
        if let Some(inner) = rest.strip_prefix('"').or_else(|| rest.strip_prefix('\'')) {
            let (part, next) = text(inner);
            value.push_str(&part);
            rest = next;
        } else {
            let end = rest.find(['&', '\n', ')']).unwrap_or(rest.len());
            value.append(&Value::unknown("computed"));
            rest = rest.get(end..).unwrap_or("");
        }
        let next = rest.trim_start_matches([' ', '\t']);
        match next.strip_prefix('&') {
            Some(more) => rest = more.trim_start_matches([' ', '\t']),
            None => return (value, rest),
        }
    }
}

//! fzf's `--bind`: `KEY:ACTION+ACTION,KEY:ACTION`, where some actions run their argument.

use super::known;
use crate::CodeEffect;
use aegish_profiles::Lang;

/// Whether fzf runs the argument of an action with a shell.
fn runs(action: &str) -> bool {
    matches!(
        action,
        "execute"
            | "execute-silent"
            | "execute-multi"
            | "become"
            | "reload"
            | "reload-sync"
            | "preview"
            | "transform"
            | "bg-transform"
    ) || action.starts_with("transform-")
        || action.starts_with("bg-transform-")
}

pub(super) fn bind(code: &str, effects: &mut Vec<CodeEffect>) {
    let mut rest = code;
    // A key ends at a colon; its first character may be a colon or comma.
    while let Some(at) = rest.char_indices().skip(1).find_map(|(at, c)| (c == ':').then_some(at)) {
        rest = rest.get(at + 1..).unwrap_or("");
        loop {
            let end =
                rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            let mut letters = after.chars();
            let (argument, tail) = match letters.next() {
                None | Some(',' | '+') => (None, after),
                Some(':') => (Some(letters.as_str()), ""),
                Some(mark) => {
                    let close = match mark {
                        '(' => ')',
                        '[' => ']',
                        '{' => '}',
                        '<' => '>',
                        other => other,
                    };
                    let body = letters.as_str();
                    // The argument ends at the closing mark before a `+`, a comma or the end.
                    let end = body.char_indices().find_map(|(at, c)| {
                        let next = body.get(at + c.len_utf8()..).unwrap_or("");
                        (c == close && (next.is_empty() || next.starts_with([',', '+'])))
                            .then_some((at, next))
                    });
                    match end {
                        Some((at, next)) => (body.get(..at), next),
                        None => (Some(body), ""),
                    }
                }
            };
            if let Some(command) = argument.filter(|text| runs(name) && !text.trim().is_empty()) {
                // A binding exists to run commands, so they are judged like commands of the text.
                effects.push(CodeEffect::Eval(Lang::Shell, known(command)));
            }
            match tail.strip_prefix('+') {
                Some(next) => rest = next,
                None => {
                    rest = tail.strip_prefix(',').unwrap_or("");
                    break;
                }
            }
        }
    }
}

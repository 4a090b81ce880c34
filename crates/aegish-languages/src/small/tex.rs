//! TeX: `\write18`, piped input, files that are read or written, Lua inside.

use super::quoted_words::enclosed;
use super::{known, shell, text_from, text_to, write};
use crate::CodeEffect;
use aegish_profiles::Lang;

pub(super) fn tex(code: &str, effects: &mut Vec<CodeEffect>) {
    let mut rest = code;
    while let Some(at) = rest.find(['\\', '%']) {
        rest = text_from(rest, at);
        if rest.starts_with('%') {
            rest = rest.find('\n').map_or("", |end| text_from(rest, end));
            continue;
        }
        let after = text_from(rest, 1);
        let end =
            after.find(|c: char| !(c.is_ascii_alphabetic() || c == '@')).unwrap_or(after.len());
        let (name, tail) = after.split_at(end);
        if name.is_empty() {
            // `\%` and `\\` are plain characters.
            rest = after.get(after.chars().next().map_or(0, char::len_utf8)..).unwrap_or("");
            continue;
        }
        rest = control(name, tail, effects);
    }
}

/// Evaluates one control word; returns the text behind it.
fn control<'a>(name: &str, tail: &'a str, effects: &mut Vec<CodeEffect>) -> &'a str {
    // A closure, because the search for the closing brace may scan the whole text.
    let braced = || enclosed(after_options(tail.trim_start_matches('*')), '{', '}');
    match name {
        "write" => {
            let Some(text) = tail.trim_start().strip_prefix("18") else {
                return tail;
            };
            let Some((command, rest)) = enclosed(text.trim_start(), '{', '}') else {
                return tail;
            };
            shell(command, effects);
            rest
        }
        "ShellEscape" | "DelayedShellEscape" => match braced() {
            Some((command, rest)) => {
                shell(command, effects);
                rest
            }
            None => tail,
        },
        "input" | "include" | "subfile" | "@@input" | "InputIfFileExists" => {
            let (target, rest) = braced().unwrap_or_else(|| bare(tail));
            file(target, effects);
            rest
        }
        "verbatiminput" | "lstinputlisting" | "VerbatimInput" | "BVerbatimInput"
        | "LVerbatimInput" | "listinginput" | "includepdf" | "pgfplotstableread" | "fileread" => {
            match braced() {
                Some((target, rest)) => {
                    file(target, effects);
                    rest
                }
                None => tail,
            }
        }
        "inputminted" => {
            let Some((_, second)) = braced() else {
                return tail;
            };
            let Some((target, rest)) = enclosed(second, '{', '}') else {
                return tail;
            };
            file(target, effects);
            rest
        }
        "openin" | "openout" => {
            // `\openin5=name`, `\openout\stream=name`, `{name}` in newer engines.
            let (_, target) =
                tail.split_once('=').filter(|(stream, _)| stream.len() < 24).unwrap_or(("", tail));
            let (target, rest) =
                enclosed(target.trim_start(), '{', '}').unwrap_or_else(|| bare(target));
            if name == "openin" {
                file(target, effects);
            } else if let Some(command) = piped(target) {
                shell(command, effects);
            } else if !target.trim().is_empty() {
                write(known(target.trim().trim_matches('"')), false, effects);
            }
            rest
        }
        "directlua" | "latelua" | "luaexec" | "luadirect" | "luacode" => {
            let code = braced().or_else(|| {
                let number =
                    tail.trim_start_matches(|c: char| c.is_ascii_digit() || c.is_whitespace());
                enclosed(number, '{', '}')
            });
            match code {
                Some((code, rest)) => {
                    effects.push(CodeEffect::Eval(Lang::Lua, known(code)));
                    rest
                }
                None => tail,
            }
        }
        "begin" => {
            let Some((environment, rest)) = braced() else {
                return tail;
            };
            let closing = format!("\\end{{{environment}}}");
            match environment {
                "luacode" | "luacode*" => {
                    let end = rest.find(&closing).unwrap_or(rest.len());
                    effects.push(CodeEffect::Eval(Lang::Lua, known(text_to(rest, end))));
                    text_from(rest, end)
                }
                // The content of these environments is printed, not run.
                "verbatim" | "verbatim*" | "Verbatim" | "lstlisting" | "comment" | "minted" => {
                    text_from(rest, rest.find(&closing).unwrap_or(rest.len()))
                }
                _ => rest,
            }
        }
        "verb" | "lstinline" => {
            let mut letters = tail.trim_start_matches('*').chars();
            let Some(delimiter) = letters.next() else {
                return tail;
            };
            let body = letters.as_str();
            body.find(delimiter).map_or(body, |end| text_from(body, end + delimiter.len_utf8()))
        }
        _ => tail,
    }
}

/// Skips optional arguments in square brackets.
fn after_options(text: &str) -> &str {
    let text = text.trim_start();
    if !text.starts_with('[') {
        return text;
    }
    // Bounded: options that are longer are read as text.
    let close = text.char_indices().take(400).find(|(_, c)| *c == ']');
    close.map_or(text, |(at, _)| text_from(text, at + 1).trim_start())
}

/// A file name without braces ends at a blank or a control word; a piped one ends with the line.
fn bare(tail: &str) -> (&str, &str) {
    let text = tail.trim_start_matches([' ', '\t', '=']);
    if text.starts_with('|') {
        let end = text.find(['\n', '\\']).unwrap_or(text.len());
        return text.split_at(end);
    }
    if let Some(quoted) = text.strip_prefix('"') {
        return quoted.split_once('"').unwrap_or((quoted, ""));
    }
    let end = text
        .find(|c: char| c.is_whitespace() || matches!(c, '\\' | '{' | '}' | '%'))
        .unwrap_or(text.len());
    text.split_at(end)
}

fn piped(target: &str) -> Option<&str> {
    let target = target.trim().trim_matches('"').trim();
    target.strip_prefix('|').map(|command| command.trim().trim_matches('"'))
}

fn file(target: &str, effects: &mut Vec<CodeEffect>) {
    if let Some(command) = piped(target) {
        shell(command, effects);
    } else {
        let path = target.trim().trim_matches('"');
        if !path.is_empty() && !path.contains(['\\', '#']) {
            effects.push(CodeEffect::Read(known(path)));
        }
    }
}

//! CMake: commands that start programs or touch files while configuring.

use super::{shell, text_from, text_to, write};
use crate::{CodeContext, CodeEffect};
use aegish_profiles::Lang;
use aegish_values::{Piece, Value};
use std::collections::HashMap;

pub(super) fn cmake(code: &str, around: &CodeContext<'_>, effects: &mut Vec<CodeEffect>) {
    let mut variables: HashMap<String, String> = HashMap::new();
    let mut rest = code;
    while let Some(c) = rest.chars().next() {
        if c == '#' {
            rest = after_comment(rest);
        } else if c.is_ascii_alphabetic() || c == '_' {
            let end =
                rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let (name, tail) = rest.split_at(end);
            rest = tail.trim_start_matches([' ', '\t']);
            if let Some(body) = rest.strip_prefix('(') {
                let (arguments, tail) = arguments(body);
                rest = tail;
                let values: Vec<Value> =
                    arguments.iter().map(|text| expand(text, &variables, around)).collect();
                if name.eq_ignore_ascii_case("set")
                    && let (Some(name), [value]) =
                        (arguments.first(), values.get(1..).unwrap_or_default())
                    && let Some(text) = value.as_known()
                {
                    variables.insert(name.clone(), text.to_owned());
                }
                command(&name.to_ascii_lowercase(), &values, effects);
            }
        } else {
            rest = text_from(rest, c.len_utf8());
        }
    }
}

/// Skips a comment: the rest of the line, or `#[[…]]`.
fn after_comment(text: &str) -> &str {
    if text.starts_with("#[[") {
        return text.find("]]").map_or("", |end| text_from(text, end + 2));
    }
    text.find('\n').map_or("", |end| text_from(text, end))
}

/// Reads the arguments up to the closing bracket.
fn arguments(text: &str) -> (Vec<String>, &str) {
    let mut out = Vec::new();
    let mut depth = 0usize;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        match c {
            ')' if depth == 0 => return (out, text_from(rest, 1)),
            ')' => {
                depth -= 1;
                rest = text_from(rest, 1);
            }
            '(' => {
                depth += 1;
                rest = text_from(rest, 1);
            }
            '#' => rest = after_comment(rest),
            '"' => {
                let mut word = String::new();
                let mut letters = text_from(rest, 1).char_indices();
                let mut tail = "";
                while let Some((at, c)) = letters.next() {
                    match c {
                        '"' => {
                            tail = text_from(rest, at + 2);
                            break;
                        }
                        '\\' => match letters.next() {
                            Some((_, 'n')) => word.push('\n'),
                            Some((_, 't')) => word.push('\t'),
                            Some((_, other)) => word.push(other),
                            None => break,
                        },
                        c => word.push(c),
                    }
                }
                out.push(word);
                rest = tail;
            }
            '[' if rest.starts_with("[[") => {
                let body = text_from(rest, 2);
                let end = body.find("]]").unwrap_or(body.len());
                out.push(text_to(body, end).to_owned());
                rest = body.get(end + 2..).unwrap_or("");
            }
            c if c.is_whitespace() => rest = text_from(rest, c.len_utf8()),
            c => {
                let end = rest
                    .char_indices()
                    .skip(1)
                    .find(|(_, c)| c.is_whitespace() || matches!(c, '(' | ')' | '"' | '#'))
                    .map_or(rest.len(), |(at, _)| at)
                    .max(c.len_utf8());
                out.push(text_to(rest, end).replace('\\', ""));
                rest = text_from(rest, end);
            }
        }
    }
    (out, "")
}

fn expand(text: &str, variables: &HashMap<String, String>, around: &CodeContext<'_>) -> Value {
    let mut out = Value::empty();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(text_to(rest, at));
        rest = text_from(rest, at);
        let reference = rest.strip_prefix("${").map(|body| (body, false));
        let reference = reference.or_else(|| rest.strip_prefix("$ENV{").map(|body| (body, true)));
        let Some((body, environment)) = reference else {
            out.push_str("$");
            rest = text_from(rest, 1);
            continue;
        };
        let Some((name, tail)) = body.split_once('}') else {
            break;
        };
        let value = if environment { (around.env)(name) } else { variables.get(name).cloned() };
        match value {
            Some(value) => out.push_str(&value),
            None => out.push(Piece::Unknown("cmake variable")),
        }
        rest = tail;
        if out.pieces().len() > 64 {
            break;
        }
    }
    out.push_str(rest);
    out
}

fn is(value: &Value, word: &str) -> bool {
    value.as_known() == Some(word)
}

/// Words that end the arguments of `COMMAND`.
const KEYWORDS: &[&str] = &[
    "COMMAND",
    "WORKING_DIRECTORY",
    "TIMEOUT",
    "RESULT_VARIABLE",
    "RESULTS_VARIABLE",
    "OUTPUT_VARIABLE",
    "ERROR_VARIABLE",
    "INPUT_FILE",
    "OUTPUT_FILE",
    "ERROR_FILE",
    "OUTPUT_QUIET",
    "ERROR_QUIET",
    "OUTPUT_STRIP_TRAILING_WHITESPACE",
    "ERROR_STRIP_TRAILING_WHITESPACE",
    "COMMAND_ECHO",
    "ENCODING",
    "COMMAND_ERROR_IS_FATAL",
    "ECHO_OUTPUT_VARIABLE",
    "ECHO_ERROR_VARIABLE",
    "DEPENDS",
    "COMMENT",
    "VERBATIM",
    "BYPRODUCTS",
    "SOURCES",
    "ALL",
    "USES_TERMINAL",
    "MAIN_DEPENDENCY",
    "IMPLICIT_DEPENDS",
    "DEPFILE",
    "APPEND",
    "ARGS",
    "POST_BUILD",
    "PRE_BUILD",
    "PRE_LINK",
    "CONFIGURATIONS",
    "NAME",
];

fn command(name: &str, values: &[Value], effects: &mut Vec<CodeEffect>) {
    match name {
        "execute_process" | "add_custom_command" | "add_custom_target" | "add_test" => {
            let mut at = 0;
            while let Some(value) = values.get(at) {
                at += 1;
                if is(value, "COMMAND") {
                    let words = values.iter().skip(at).take_while(|value| {
                        !value.as_known().is_some_and(|word| KEYWORDS.contains(&word))
                    });
                    let argv: Vec<Value> = words.cloned().collect();
                    at += argv.len();
                    if !argv.is_empty() {
                        effects.push(CodeEffect::Argv(argv));
                    }
                } else if is(value, "OUTPUT_FILE") && name == "execute_process" {
                    values.get(at).into_iter().for_each(|path| write(path.clone(), false, effects));
                } else if is(value, "INPUT_FILE") {
                    values
                        .get(at)
                        .into_iter()
                        .for_each(|path| effects.push(CodeEffect::Read(path.clone())));
                }
            }
        }
        "exec_program" => {
            if let Some(text) = values.first().and_then(Value::as_known) {
                shell(text, effects);
            } else if !values.is_empty() {
                effects.push(CodeEffect::Hidden);
            }
        }
        "file" => file(values, effects),
        "include" => {
            let path = values
                .first()
                .filter(|path| path.as_known().is_none_or(|path| path.contains(['/', '.'])));
            path.into_iter()
                .for_each(|path| effects.push(CodeEffect::Script(Lang::Cmake, path.clone())));
        }
        "configure_file" => {
            if let [from, to, ..] = values {
                effects.push(CodeEffect::Copy { from: from.clone(), to: to.clone() });
            }
        }
        "cmake_language" => {
            if values.first().is_some_and(|first| is(first, "EVAL"))
                && let Some(code) = values.last()
            {
                effects.push(CodeEffect::Eval(Lang::Cmake, code.clone()));
            }
        }
        _ => {}
    }
}

fn file(values: &[Value], effects: &mut Vec<CodeEffect>) {
    let Some((mode, rest)) = values.split_first() else {
        return;
    };
    let value = |at: usize| rest.get(at).cloned().unwrap_or_default();
    match mode.as_known().unwrap_or("") {
        "READ" | "STRINGS" => effects.push(CodeEffect::Read(value(0))),
        "WRITE" | "APPEND" => effects.push(CodeEffect::Write {
            path: value(0),
            content: value(1),
            append: is(mode, "APPEND"),
        }),
        "DOWNLOAD" => effects.push(CodeEffect::Fetch { url: value(0), to: rest.get(1).cloned() }),
        "UPLOAD" => effects.push(CodeEffect::Send { to: value(1), file: Some(value(0)) }),
        mode @ ("REMOVE" | "REMOVE_RECURSE") => {
            for path in rest {
                effects.push(CodeEffect::Delete {
                    path: path.clone(),
                    tree: mode == "REMOVE_RECURSE",
                });
            }
        }
        "RENAME" | "COPY_FILE" | "CREATE_LINK" => {
            effects.push(CodeEffect::Copy { from: value(0), to: value(1) });
        }
        "COPY" | "INSTALL" => {
            let at = rest.iter().position(|value| is(value, "DESTINATION"));
            if let Some(to) = at.and_then(|at| rest.get(at + 1)) {
                effects.push(CodeEffect::Copy { from: value(0), to: to.clone() });
            }
        }
        "CHMOD" | "CHMOD_RECURSE" => {
            effects.push(CodeEffect::Mode { path: value(0), mode: Value::unknown("permissions") });
        }
        _ => {}
    }
}

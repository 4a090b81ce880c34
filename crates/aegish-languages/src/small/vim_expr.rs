//! Vim script expressions: calls that run something or access files, and strings joined from known parts.

use super::{is_stream, known, text_from, text_to, write};
use crate::{CodeContext, CodeEffect};
use aegish_profiles::Lang;
use aegish_values::{Piece, Value};

/// Functions that make a text of others.
const CHANGES: [&str; 12] = [
    "tolower",
    "toupper",
    "substitute",
    "join",
    "printf",
    "strpart",
    "nr2char",
    "tr",
    "reverse",
    "repeat",
    "trim",
    "list2str",
];

/// Adds the effects of calls in an expression.
pub(super) fn calls(text: &str, around: &CodeContext<'_>, effects: &mut Vec<CodeEffect>) {
    let mut rest = text;
    while let Some(c) = rest.chars().next().filter(|_| effects.len() < super::MAX_EFFECTS) {
        match c {
            '\'' | '"' => rest = string(rest).map_or("", |(_, tail)| tail),
            c if c.is_ascii_alphabetic() || c == '_' => {
                let end = rest
                    .find(|c: char| {
                        !(c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '#' | '.'))
                    })
                    .unwrap_or(rest.len());
                let (name, tail) = rest.split_at(end);
                rest = tail;
                if let Some(body) = tail.strip_prefix('(') {
                    call(name, arguments(body, around), effects);
                    rest = body;
                }
            }
            c => rest = text_from(rest, c.len_utf8()),
        }
    }
}

fn call(name: &str, arguments: Vec<Value>, effects: &mut Vec<CodeEffect>) {
    let mut arguments = arguments.into_iter();
    let Some(first) = arguments.next() else {
        return;
    };
    let second = arguments.next();
    let name = name.strip_prefix("vim.fn.").unwrap_or(name);
    match name {
        "system" | "systemlist" | "job_start" | "term_start" | "jobstart" | "termopen"
        | "vim.system" | "popen" => effects.push(CodeEffect::Shell(first)),
        "libcall" | "libcallnr" => effects.push(CodeEffect::Load(first)),
        "writefile" => {
            if let Some(path) = second.filter(|path| !path.as_known().is_some_and(is_stream)) {
                effects.push(CodeEffect::Write { path, content: first, append: false });
            }
        }
        "readfile" | "readblob" => effects.push(CodeEffect::Read(first)),
        "delete" => effects.push(CodeEffect::Delete {
            tree: second.as_ref().and_then(Value::as_known) == Some("rf"),
            path: first,
        }),
        "rename" => effects.push(CodeEffect::Copy { from: first, to: second.unwrap_or_default() }),
        "setfperm" => {
            effects.push(CodeEffect::Mode { path: first, mode: second.unwrap_or_default() });
        }
        "glob" | "globpath" | "readdir" => effects.push(CodeEffect::List(first)),
        "execute" | "eval" => effects.push(CodeEffect::Eval(Lang::Vim, first)),
        "pyeval" | "py3eval" | "pyxeval" => effects.push(CodeEffect::Eval(Lang::Python, first)),
        "luaeval" => effects.push(CodeEffect::Eval(Lang::Lua, first)),
        "perleval" => effects.push(CodeEffect::Eval(Lang::Perl, first)),
        "rubyeval" => effects.push(CodeEffect::Eval(Lang::Ruby, first)),
        "mzeval" => effects.push(CodeEffect::Eval(Lang::Scheme, first)),
        "ch_open" | "sockconnect" => {
            let address = if name == "sockconnect" { second.unwrap_or_default() } else { first };
            let (host, port) = match address.as_known().and_then(|text| text.rsplit_once(':')) {
                Some((host, port)) => (known(host), known(port)),
                None => (address, Value::empty()),
            };
            effects.push(CodeEffect::Connect { host, port });
        }
        "mkdir" => write(first, false, effects),
        _ => {}
    }
}

/// Reads the arguments after an opening bracket.
fn arguments(text: &str, around: &CodeContext<'_>) -> Vec<Value> {
    let mut out = Vec::new();
    // Arguments are short. Searching the whole text for a bracket that never closes would be quadratic.
    let mut end = text.len().min(2048);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut rest = text_to(text, end);
    while out.len() < 4 {
        let (value, tail) = joined(rest, around);
        out.push(value);
        let mut depth = 0usize;
        rest = tail.trim_start();
        // The text after the string part of an argument is skipped.
        loop {
            match rest.chars().next() {
                Some(',') if depth == 0 => {
                    rest = text_from(rest, 1);
                    break;
                }
                Some(')') if depth == 0 => return out,
                Some('(' | '[' | '{') => depth += 1,
                Some(')' | ']' | '}') => depth = depth.saturating_sub(1),
                Some('\'' | '"') => {
                    rest = string(rest).map_or("", |(_, tail)| tail);
                    continue;
                }
                Some(_) => {}
                None => return out,
            }
            rest = rest.get(rest.chars().next().map_or(0, char::len_utf8)..).unwrap_or("");
        }
    }
    out
}

/// The value of strings joined by `.` or `..` at the start of the text. The items of a list are joined by
/// blanks, as in a command line.
pub(super) fn joined<'a>(text: &'a str, around: &CodeContext<'_>) -> (Value, &'a str) {
    let mut out = Value::empty();
    let mut rest = text.trim_start();
    let list = rest.starts_with('[');
    if list {
        rest = text_from(rest, 1).trim_start();
    }
    loop {
        if let Some((piece, tail)) = string(rest) {
            out.push_str(&piece);
            rest = tail.trim_start();
        } else if let Some(name) = rest.strip_prefix('$') {
            let end =
                name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(name.len());
            match (around.env)(text_to(name, end)) {
                Some(value) => out.push_str(&value),
                None => out.push(Piece::Unknown("environment variable")),
            }
            rest = text_from(name, end).trim_start();
        } else {
            let end = rest
                .find(|c: char| {
                    !(c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '#' | '@' | '&'))
                })
                .unwrap_or(rest.len());
            let name = text_to(rest, end);
            rest = text_from(rest, end).trim_start();
            if rest.starts_with('(') {
                let (inner, tail) =
                    super::quoted_words::enclosed(rest, '(', ')').unwrap_or(("", ""));
                rest = tail.trim_start();
                // Text that a function changes is still text of the script.
                let own = CHANGES.contains(&name) && inner.contains(['"', '\'']);
                out.append(&if own { Value::lost() } else { Value::unknown("expression") });
            } else {
                match (around.env)(&format!("let {name}")) {
                    Some(value) => out.push_str(&value),
                    None => out.push(Piece::Unknown("expression")),
                }
            }
        }
        let next = rest.strip_prefix("..").or_else(|| rest.strip_prefix('.'));
        match next {
            Some(tail) => rest = tail.trim_start(),
            None if list && rest.starts_with(',') => {
                out.push_str(" ");
                rest = text_from(rest, 1).trim_start();
            }
            None => break,
        }
        if out.pieces().len() > 64 || rest.is_empty() {
            break;
        }
    }
    if list {
        rest = rest.strip_prefix(']').unwrap_or(rest);
    }
    (out, rest)
}

/// Reads a string literal at the start of the text.
fn string(text: &str) -> Option<(String, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let body = text_from(text, 1);
    let mut out = String::new();
    let mut letters = body.char_indices().peekable();
    while let Some((at, c)) = letters.next() {
        if c == quote {
            if quote == '\'' && letters.peek().is_some_and(|(_, next)| *next == '\'') {
                letters.next();
                out.push('\'');
                continue;
            }
            return Some((out, text_from(body, at + 1)));
        }
        if c == '\\' && quote == '"' {
            match letters.next() {
                Some((_, 'n' | 'r')) => out.push('\n'),
                Some((_, 't')) => out.push('\t'),
                Some((_, other)) => out.push(other),
                None => break,
            }
            continue;
        }
        out.push(c);
    }
    Some((out, ""))
}

/// Splits at a bar that is not escaped and not inside a string.
pub(super) fn until_bar(text: &str) -> (&str, Option<&str>) {
    let mut quote = None;
    let mut skip = false;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if skip => skip = false,
            (_, '\\') => skip = true,
            (Some(open), c) if open == c => quote = None,
            (None, '\'' | '"')
                // An unclosed apostrophe is an ordinary character.
                if text_from(text, at + 1).contains(c) => {
                    quote = Some(c);
                }
            (None, '|') if text_from(text, at + 1).starts_with('|') => skip = true,
            (None, '|') => return (text_to(text, at), Some(text_from(text, at + 1))),
            _ => {}
        }
    }
    (text, None)
}

pub(super) fn after_range(text: &str) -> &str {
    let mut rest = text;
    loop {
        let next = match rest.chars().next() {
            Some(c)
                if c.is_ascii_digit()
                    || matches!(c, '%' | '.' | '$' | ',' | ';' | '+' | '-' | ' ') =>
            {
                text_from(rest, 1)
            }
            Some('\'') => rest.get(2..).unwrap_or(""),
            Some(c @ ('/' | '?')) => {
                let mut skip = false;
                let end = text_from(rest, 1).char_indices().find(|(_, letter)| {
                    let ends = !skip && *letter == c;
                    skip = !skip && *letter == '\\';
                    ends
                });
                end.map_or("", |(at, _)| text_from(rest, at + 2))
            }
            _ => return rest,
        };
        rest = next;
    }
}

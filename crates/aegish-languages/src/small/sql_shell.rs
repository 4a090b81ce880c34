//! The command lines of database shells: sqlite's dot commands, mysql's and psql's backslash
//! commands. Any other text is SQL.

use super::quoted_words::{head, unquoted, words};
use super::sql::{SqlDialect, copy, statements, tokens};
use super::sql_values::printed;
use super::{is_stream, known, shell, text_from, text_to, write};
use crate::CodeEffect;
use aegish_profiles::{Lang, RemoteEffect, SystemEffect};

/// A file to write, or a command behind a bar.
fn target(text: &str, effects: &mut Vec<CodeEffect>) {
    let text = unquoted(text);
    match text.strip_prefix('|') {
        Some(command) => shell(command, effects),
        None if is_stream(text) || matches!(text, "stdout" | "off" | "on" | "stderr") => {}
        None => write(known(text), false, effects),
    }
}

/// A file to read or run, or a command behind a bar.
fn origin(text: &str, lang: Option<Lang>, effects: &mut Vec<CodeEffect>) {
    let text = unquoted(text);
    match (text.strip_prefix('|'), lang) {
        (Some(command), _) => shell(command, effects),
        (None, _) if is_stream(text) => {}
        // An error message shows text that is not a statement.
        (None, Some(lang)) => {
            effects.push(CodeEffect::Read(known(text)));
            effects.push(CodeEffect::Script(lang, known(text)));
        }
        (None, None) => effects.push(CodeEffect::Read(known(text))),
    }
}

pub(super) fn sqlite(code: &str, effects: &mut Vec<CodeEffect>) {
    let mut sql = String::new();
    let mut commands = false;
    // Names of files are seen from the directory of `.cd`.
    let mut directory = String::new();
    let placed = |directory: &str, file: &str| match file.starts_with('/') || directory.is_empty() {
        true => file.to_owned(),
        false => format!("{directory}/{file}"),
    };
    // `.parameter set` gives texts that statements use.
    let mut parameters = String::new();
    for line in code.lines() {
        let Some(command) = line
            .trim_start()
            .strip_prefix('.')
            .filter(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
        else {
            sql.push_str(line);
            sql.push('\n');
            continue;
        };
        commands = true;
        statements(
            &format!("{parameters}{}", std::mem::take(&mut sql)),
            SqlDialect::Sqlite,
            effects,
        );
        let (name, rest) = head(command);
        let arguments = words(rest);
        let named = arguments.iter().find(|word| !word.starts_with('-') && !word.is_empty());
        let file = named.map(|file| placed(&directory, file)).unwrap_or_default();
        let file = file.as_str();
        // Names may be abbreviated as far as sqlite accepts it.
        let is = |full: &str, least: usize| name.len() >= least && full.starts_with(name);
        if is("shell", 2) || is("system", 2) {
            shell(rest, effects);
        } else if is("output", 1) || is("once", 2) || is("log", 3) || is("trace", 2) {
            // For sqlite, a bar and the text after it are one command.
            let rest = rest.trim_start_matches(|c: char| {
                c == '-' || c.is_ascii_alphabetic() && rest.starts_with('-')
            });
            target(if rest.trim_start().starts_with('|') { rest.trim() } else { file }, effects);
        } else if is("cd", 2) {
            directory = file.to_owned();
        } else if is("parameter", 1) && arguments.len() > 2 {
            let quoted = arguments.get(2).map(|text| text.replace('\'', "''")).unwrap_or_default();
            parameters.push_str(&format!("'{quoted}';\n"));
        } else if is("import", 1) {
            origin(file, None, effects);
        } else if is("read", 3) {
            origin(if rest.starts_with('|') { rest } else { file }, Some(Lang::Sqlite), effects);
        } else if is("load", 3) {
            effects.push(CodeEffect::Load(known(file)));
        } else if is("save", 2) || is("backup", 1) || is("clone", 2) {
            target(arguments.last().map_or("", String::as_str), effects);
        } else if is("open", 2) || is("restore", 3) {
            if !matches!(file, "" | ":memory:") {
                effects.push(CodeEffect::Read(known(file)));
                // The file is made when something is put into it.
                let lower = code.to_ascii_lowercase();
                if ["create ", "insert ", "vacuum"].iter().any(|word| lower.contains(word)) {
                    write(known(file), true, effects);
                }
            }
        } else if is("archive", 2) {
            let flags = arguments.first().map_or("", String::as_str);
            if flags.contains('x') {
                arguments.iter().skip(1).for_each(|path| write(known(path), false, effects));
            } else if flags.contains(['c', 'u']) {
                arguments
                    .iter()
                    .skip(1)
                    .for_each(|path| effects.push(CodeEffect::Read(known(path))));
            }
        }
    }
    statements(&format!("{parameters}{sql}"), SqlDialect::Sqlite, effects);
    if !commands && let Some(text) = printed(&tokens(&sql, SqlDialect::Sqlite)) {
        effects.push(CodeEffect::Print(text));
    }
}

pub(super) fn mysql(code: &str, effects: &mut Vec<CodeEffect>) {
    let mut sql = String::new();
    for line in code.lines() {
        let trimmed = line.trim();
        let (name, rest) = head(trimmed);
        let rest = rest.trim_end_matches(';').trim();
        let known_command = match name.trim_end_matches(';').to_ascii_lowercase().as_str() {
            "system" => {
                shell(rest, effects);
                true
            }
            "source" => {
                origin(rest, Some(Lang::Mysql), effects);
                true
            }
            "tee" => {
                target(rest, effects);
                true
            }
            "pager" => {
                shell(rest, effects);
                true
            }
            _ => false,
        };
        if known_command {
            continue;
        }
        let (before, command) = backslash(line, true);
        sql.push_str(before);
        sql.push('\n');
        let Some(command) = command else { continue };
        let rest = command.get(1..).unwrap_or("").trim();
        match command.chars().next() {
            Some('!') => shell(rest, effects),
            Some('.') => origin(rest.trim_end_matches(';'), Some(Lang::Mysql), effects),
            Some('T') => target(rest, effects),
            Some('P') => shell(rest, effects),
            // `\G` and `\g` end a statement.
            _ => {
                sql.push(';');
                sql.push_str(rest);
                sql.push('\n');
            }
        }
    }
    statements(&sql, SqlDialect::Mysql, effects);
}

pub(super) fn psql(code: &str, effects: &mut Vec<CodeEffect>) {
    let mut sql = String::new();
    for line in code.lines() {
        let (before, mut command) = backslash(line, false);
        sql.push_str(before);
        sql.push('\n');
        while let Some(text) = command.take() {
            statements(&std::mem::take(&mut sql), SqlDialect::Psql, effects);
            if let Some(rest) = text.strip_prefix('!') {
                // Without a command, it opens a shell.
                shell(if rest.trim().is_empty() { "sh" } else { rest }, effects);
                break;
            }
            // Several commands may follow each other, unless one takes the rest of the line.
            let (text, more) = backslash(text, false);
            let (name, rest) = head(text);
            if name == "copy" {
                copy(&copied(rest), effects);
                break;
            }
            meta(name, rest, effects);
            command = more;
        }
    }
    statements(&sql, SqlDialect::Psql, effects);
}

/// The words of `\copy`, where file names need no quotes.
fn copied(rest: &str) -> Vec<super::sql::Token> {
    use super::sql::Token;
    let mut out = tokens(rest, SqlDialect::Psql);
    let lower = rest.to_ascii_lowercase();
    for marker in [" from ", " to "] {
        let Some(at) = lower.find(marker) else {
            continue;
        };
        // Lower-casing may change the length of text beyond ASCII.
        let Some(tail) = rest.get(at + marker.len()..).map(str::trim_start) else {
            continue;
        };
        let path = tail.split_whitespace().next().unwrap_or("");
        let literal = tail.starts_with(['\'', '(']) || path.eq_ignore_ascii_case("program");
        if !literal
            && !matches!(
                path.to_ascii_lowercase().as_str(),
                "stdin" | "stdout" | "pstdin" | "pstdout"
            )
        {
            out = vec![Token::Word(marker.trim().to_owned()), Token::Text(path.to_owned())];
        }
    }
    out
}

fn meta(name: &str, rest: &str, effects: &mut Vec<CodeEffect>) {
    let first = words(rest).into_iter().next().unwrap_or_default();
    match name {
        "i" | "ir" | "include" | "include_relative" => origin(&first, Some(Lang::Psql), effects),
        "o" | "out" | "w" | "write" | "g" | "gx" => {
            target(if rest.starts_with('|') { rest } else { &first }, effects);
        }
        _ if name.starts_with("g|") || name.starts_with("o|") => {
            target(&format!("{} {rest}", name.get(1..).unwrap_or("")), effects);
        }
        "e" | "edit" | "lo_import" if !first.is_empty() => {
            effects.push(CodeEffect::Read(known(first)));
        }
        "s" if !first.is_empty() => write(known(first), false, effects),
        "lo_export" => {
            if let Some(path) = words(rest).into_iter().nth(1) {
                write(known(path), false, effects);
            }
        }
        "setenv" => {
            let value = words(rest).into_iter().nth(1).unwrap_or_default();
            effects.push(CodeEffect::Setenv { name: first, value: known(value) });
        }
        _ => {}
    }
    // Backquotes run in the arguments of all these commands.
    let mut pieces = rest.split('`');
    pieces.next();
    while let (Some(command), Some(_)) = (pieces.next(), pieces.next()) {
        shell(command, effects);
    }
}

/// Splits a line at a backslash outside of quotes: SQL before it, a command after it. In strings of mysql a
/// backslash escapes.
fn backslash(line: &str, escapes: bool) -> (&str, Option<&str>) {
    let mut quote = None;
    let mut skip = false;
    for (at, c) in line.char_indices() {
        match (quote, c) {
            _ if skip => skip = false,
            (Some(_), '\\') if escapes => skip = true,
            (Some(open), c) if open == c => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '-') if text_from(line, at).starts_with("--") => return (line, None),
            (None, '\\') => return (text_to(line, at), Some(text_from(line, at + 1))),
            _ => {}
        }
    }
    (line, None)
}

/// Calls in the shell of MongoDB that delete whole databases or collections. The rest is JavaScript.
pub(super) fn mongo(code: &str, effects: &mut Vec<CodeEffect>) {
    const CALLS: [&str; 5] =
        [".dropDatabase(", ".drop()", ".deleteMany({})", ".remove({})", ".dropUser("];
    let plain: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    if let Some(call) = CALLS.iter().find(|call| plain.contains(**call)) {
        effects.push(CodeEffect::System {
            what: SystemEffect::Remote(RemoteEffect::DeleteData),
            detail: "throws data of a database away",
            object: known(call.trim_start_matches('.')),
        });
    }
}

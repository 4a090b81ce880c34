//! SQL statements: functions and clauses that access files, programs and libraries.
//!
//! Shared by the database shells; the dialect selects the names that are known.

use super::sql_values::{Texts, arguments};
use super::{known, shell, text_from, text_to, write};
use crate::CodeEffect;
use aegish_profiles::Lang;
use aegish_values::Value;

/// Whose names are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SqlDialect {
    Sqlite,
    Mysql,
    Psql,
}

/// A token of SQL; words are in lower case.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Word(String),
    Text(String),
    Sign(char),
}

impl Token {
    pub(super) fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word(own) if own == word)
    }
}

/// Splits statements into tokens; comments are dropped.
pub(super) fn tokens(code: &str, dialect: SqlDialect) -> Vec<Token> {
    let mut out = Vec::new();
    let mut rest = code;
    while let Some(c) = rest.chars().next() {
        match c {
            '-' if rest.starts_with("--") => {
                rest = rest.find('\n').map_or("", |end| text_from(rest, end));
            }
            '#' if dialect == SqlDialect::Mysql => {
                rest = rest.find('\n').map_or("", |end| text_from(rest, end));
            }
            '/' if rest.starts_with("/*") => {
                rest = rest.find("*/").map_or("", |end| text_from(rest, end + 2));
            }
            '\'' | '"' => {
                let escapes = dialect == SqlDialect::Mysql
                    || (dialect == SqlDialect::Psql
                        && matches!(out.last(), Some(Token::Word(word)) if word == "e"));
                let (text, tail) = string(rest, c, escapes);
                out.push(Token::Text(text));
                rest = tail;
            }
            '$' if dialect == SqlDialect::Psql => {
                let end = text_from(rest, 1).find('$').map(|end| end + 2);
                let tag = end.map_or("", |end| text_to(rest, end));
                let plain = tag.len() >= 2
                    && tag
                        .get(1..tag.len() - 1)
                        .unwrap_or_default()
                        .chars()
                        .all(|c| c.is_ascii_alphanumeric() || c == '_');
                if plain {
                    let body = text_from(rest, tag.len());
                    let close = body.find(tag).unwrap_or(body.len());
                    out.push(Token::Text(text_to(body, close).to_owned()));
                    rest = body.get(close + tag.len()..).unwrap_or("");
                } else {
                    rest = text_from(rest, 1);
                }
            }
            c if c.is_alphanumeric() || c == '_' => {
                let end =
                    rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
                out.push(Token::Word(text_to(rest, end).to_ascii_lowercase()));
                rest = text_from(rest, end);
            }
            c => {
                if !c.is_whitespace() {
                    out.push(Token::Sign(c));
                }
                rest = text_from(rest, c.len_utf8());
            }
        }
    }
    out
}

fn string(text: &str, quote: char, escapes: bool) -> (String, &str) {
    let body = text_from(text, quote.len_utf8());
    let mut out = String::new();
    let mut letters = body.char_indices().peekable();
    while let Some((at, c)) = letters.next() {
        if c == '\\' && escapes {
            match letters.next() {
                Some((_, 'n')) => out.push('\n'),
                Some((_, 't')) => out.push('\t'),
                Some((_, other)) => out.push(other),
                None => break,
            }
        } else if c == quote {
            if letters.peek().is_some_and(|(_, next)| *next == quote) {
                letters.next();
                out.push(c);
            } else {
                return (out, text_from(body, at + quote.len_utf8()));
            }
        } else {
            out.push(c);
        }
    }
    (out, "")
}

/// Functions that do something outside of the database.
const ACTS: [&str; 26] = [
    "edit",
    "fsdir",
    "lo_export",
    "lo_import",
    "load_extension",
    "load_file",
    "lsdir",
    "parquet_scan",
    "pg_file_write",
    "pg_ls_dir",
    "pg_read_binary_file",
    "pg_read_file",
    "pg_stat_file",
    "read_blob",
    "read_csv",
    "read_csv_auto",
    "read_json",
    "read_json_auto",
    "read_ndjson",
    "read_parquet",
    "read_text",
    "readfile",
    "sniff_csv",
    "sys_eval",
    "sys_exec",
    "writefile",
];

/// Adds the effects of statements outside of the database.
pub(super) fn statements(code: &str, dialect: SqlDialect, effects: &mut Vec<CodeEffect>) {
    let tokens = tokens(code, dialect);
    let texts = Texts::of(&tokens);
    for statement in tokens.split(|token| *token == Token::Sign(';')) {
        clauses(statement, dialect, effects);
        for at in 0..statement.len() {
            if let (Some(Token::Word(name)), Some(Token::Sign('('))) =
                (statement.get(at), statement.get(at + 1))
                && ACTS.contains(&name.as_str())
            {
                call(name, &arguments(statement, at + 2, &texts), dialect, effects);
            }
        }
    }
}

fn call(name: &str, arguments: &[Value], dialect: SqlDialect, effects: &mut Vec<CodeEffect>) {
    let Some(first) = arguments.first().cloned() else {
        return;
    };
    if first.as_known() == Some("") {
        return;
    }
    let second = arguments.get(1).cloned();
    match (dialect, name) {
        (SqlDialect::Sqlite, "load_extension") => effects.push(CodeEffect::Load(first)),
        (
            // DuckDB has the same dialect and more functions.
            SqlDialect::Sqlite,
            "readfile" | "read_csv" | "read_csv_auto" | "read_text" | "read_blob" | "read_json"
            | "read_json_auto" | "read_ndjson" | "read_parquet" | "parquet_scan" | "sniff_csv",
        )
        | (SqlDialect::Mysql, "load_file") => {
            effects.push(CodeEffect::Read(first));
        }
        (SqlDialect::Sqlite, "writefile") => effects.push(CodeEffect::Write {
            path: first,
            content: second.unwrap_or_default(),
            append: false,
        }),
        (SqlDialect::Sqlite, "edit") => {
            effects.push(CodeEffect::Shell(second.unwrap_or_else(|| known("vi"))));
        }
        // It has a column with the content of each file.
        (SqlDialect::Sqlite, "fsdir") => effects.push(CodeEffect::Read(first)),
        (SqlDialect::Sqlite, "lsdir") | (SqlDialect::Psql, "pg_ls_dir" | "pg_stat_file") => {
            effects.push(CodeEffect::List(first));
        }
        (SqlDialect::Mysql, "sys_exec" | "sys_eval") => effects.push(CodeEffect::Shell(first)),
        (SqlDialect::Psql, "pg_read_file" | "pg_read_binary_file" | "lo_import") => {
            effects.push(CodeEffect::Read(first));
        }
        (SqlDialect::Psql, "lo_export") => write(second.unwrap_or_default(), false, effects),
        (SqlDialect::Psql, "pg_file_write") => effects.push(CodeEffect::Write {
            path: first,
            content: second.unwrap_or_default(),
            append: false,
        }),
        _ => {}
    }
}

/// Clauses that are found by their keywords.
fn clauses(statement: &[Token], dialect: SqlDialect, effects: &mut Vec<CodeEffect>) {
    let word = |at: usize, word: &str| statement.get(at).is_some_and(|token| token.is(word));
    let text_after = |at: usize| match statement.get(at) {
        Some(Token::Text(text)) => Some(text.as_str()),
        Some(Token::Word(prefix)) if prefix == "e" => match statement.get(at + 1) {
            Some(Token::Text(text)) => Some(text.as_str()),
            _ => None,
        },
        _ => None,
    };
    let first = |name: &str| word(0, name);
    match dialect {
        SqlDialect::Sqlite if first("attach") => {
            let at = 1 + usize::from(word(1, "database"));
            if let Some(path) = text_after(at).filter(|path| !matches!(*path, "" | ":memory:")) {
                write(known(path), false, effects);
            }
        }
        SqlDialect::Sqlite if first("vacuum") => {
            if let Some(at) = (1..statement.len()).find(|at| word(*at, "into")) {
                text_after(at + 1).into_iter().for_each(|path| write(known(path), false, effects));
            }
        }
        SqlDialect::Mysql => {
            for at in 0..statement.len() {
                if word(at, "into") && (word(at + 1, "outfile") || word(at + 1, "dumpfile")) {
                    // A selected literal is the content of the file.
                    let selected: String = statement
                        .get(..at)
                        .unwrap_or_default()
                        .iter()
                        .filter_map(|token| match token {
                            Token::Text(text) => Some(text.as_str()),
                            _ => None,
                        })
                        .collect();
                    let content = if selected.is_empty() {
                        Value::unknown("rows of a table")
                    } else {
                        known(selected)
                    };
                    if let Some(path) = text_after(at + 2) {
                        let path = known(path);
                        effects.push(CodeEffect::Write { path, content, append: false });
                    }
                } else if word(at, "infile") {
                    text_after(at + 1)
                        .into_iter()
                        .for_each(|path| effects.push(CodeEffect::Read(known(path))));
                } else if word(at, "soname") {
                    text_after(at + 1)
                        .into_iter()
                        .for_each(|path| effects.push(CodeEffect::Load(known(path))));
                }
            }
        }
        SqlDialect::Psql | SqlDialect::Sqlite if first("copy") => copy(statement, effects),
        SqlDialect::Psql if first("load") => {
            text_after(1).into_iter().for_each(|path| effects.push(CodeEffect::Load(known(path))));
        }
        SqlDialect::Psql if first("do") || first("create") => {
            let Some(at) = (0..statement.len()).find(|at| word(*at, "language")) else {
                return;
            };
            let name = match statement.get(at + 1) {
                Some(Token::Word(name)) => name.clone(),
                Some(Token::Text(name)) => name.to_ascii_lowercase(),
                _ => return,
            };
            let body = statement.iter().find_map(|token| match token {
                Token::Text(text) if *text != name => Some(text.as_str()),
                _ => None,
            });
            let Some(body) = body else { return };
            if name.starts_with("plpython") {
                effects.push(CodeEffect::Eval(Lang::Python, known(body)));
            } else if name.starts_with("plperl") {
                effects.push(CodeEffect::Eval(Lang::Perl, known(body)));
            } else if name.starts_with("plsh") {
                shell(body, effects);
            } else if name == "c" {
                effects.push(CodeEffect::Load(known(body)));
            }
        }
        _ => {}
    }
}

/// `COPY … FROM/TO PROGRAM 'command'`, `COPY … FROM/TO 'file'`; also the words after `\copy`.
pub(super) fn copy(statement: &[Token], effects: &mut Vec<CodeEffect>) {
    for (at, token) in statement.iter().enumerate() {
        let from = token.is("from");
        if !(from || token.is("to")) {
            continue;
        }
        match (statement.get(at + 1), statement.get(at + 2)) {
            (Some(program), Some(Token::Text(command))) if program.is("program") => {
                shell(command, effects);
            }
            (Some(Token::Text(path)), _) if from => effects.push(CodeEffect::Read(known(path))),
            (Some(Token::Text(path)), _) => write(known(path), false, effects),
            _ => {}
        }
    }
}

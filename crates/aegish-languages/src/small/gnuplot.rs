//! gnuplot: `system`, backquotes, `!`, piped data files and output.

use super::quoted_words::unquoted;
use super::{is_stream, known, shell, text_from, text_to, write};
use crate::CodeEffect;
use aegish_profiles::Lang;

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    Text(String),
    Sign(char),
}

pub(super) fn gnuplot(code: &str, effects: &mut Vec<CodeEffect>) {
    for line in super::quoted_words::joined(code) {
        let line = line.trim();
        if let Some(command) = line.strip_prefix('!') {
            shell(command, effects);
            continue;
        }
        let tokens = tokens(line, effects);
        for statement in tokens.split(|token| *token == Token::Sign(';')) {
            self::statement(statement, effects);
        }
    }
}

/// Backquotes run everywhere, also in double quotes.
fn backquotes(text: &str, effects: &mut Vec<CodeEffect>) {
    let mut pieces = text.split('`');
    pieces.next();
    while let Some(command) = pieces.next() {
        shell(command, effects);
        pieces.next();
    }
}

fn tokens(line: &str, effects: &mut Vec<CodeEffect>) -> Vec<Token> {
    let mut out = Vec::new();
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        match c {
            '#' => break,
            '\'' => {
                let (text, tail) =
                    text_from(rest, 1).split_once('\'').unwrap_or((text_from(rest, 1), ""));
                out.push(Token::Text(text.to_owned()));
                rest = tail;
            }
            '"' => {
                let body = text_from(rest, 1);
                let mut skip = false;
                let end = body.char_indices().find(|(_, c)| {
                    let ends = !skip && *c == '"';
                    skip = !skip && *c == '\\';
                    ends
                });
                let end = end.map_or(body.len(), |(at, _)| at);
                let text = text_to(body, end).replace("\\\"", "\"").replace("\\\\", "\\");
                backquotes(&text, effects);
                out.push(Token::Text(text));
                rest = body.get(end + 1..).unwrap_or("");
            }
            '`' => {
                let (command, tail) =
                    text_from(rest, 1).split_once('`').unwrap_or((text_from(rest, 1), ""));
                shell(command, effects);
                rest = tail;
            }
            c if c.is_alphanumeric() || c == '_' => {
                let end =
                    rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
                out.push(Token::Word(text_to(rest, end).to_owned()));
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

fn statement(tokens: &[Token], effects: &mut Vec<CodeEffect>) {
    let word = |at: usize| match tokens.get(at) {
        Some(Token::Word(word)) => word.as_str(),
        _ => "",
    };
    let text = |at: usize| match tokens.get(at) {
        Some(Token::Text(text)) => Some(text.as_str()),
        _ => None,
    };
    let first = word(0);
    let short = |full: &str, least: usize| first.len() >= least && full.starts_with(first);
    if short("shell", 2) && tokens.len() == 1 {
        shell("sh", effects);
    } else if short("load", 1) || first == "call" {
        if let Some(path) = text(1) {
            match path.trim_start().strip_prefix('<') {
                Some(command) => shell(command, effects),
                None => effects.push(CodeEffect::Script(Lang::Gnuplot, known(path))),
            }
        }
    } else if short("evaluate", 2) || first == "exec" {
        if let Some(code) = text(1) {
            effects.push(CodeEffect::Eval(Lang::Gnuplot, known(code)));
        }
    } else if first == "save" {
        if let Some(path) = (1..3).find_map(text) {
            write(known(path), false, effects);
        }
    } else if short("set", 2)
        && matches!(word(1), "output" | "o" | "out" | "print" | "table" | "pr")
    {
        if let Some(target) = text(2) {
            match target.trim_start().strip_prefix('|') {
                Some(command) => shell(command, effects),
                None if is_stream(target) => {}
                None => write(known(unquoted(target)), false, effects),
            }
        }
    } else if short("plot", 1)
        || short("splot", 2)
        || first == "fit"
        || first == "stats"
        || first == "replot"
    {
        // A text after `title` or `label` is not a data file.
        for at in 1..tokens.len() {
            let Some(source) = text(at) else { continue };
            let titled = matches!(
                word(at - 1),
                "t" | "ti" | "title" | "font" | "with" | "w" | "separator" | "index"
            );
            if titled {
                continue;
            }
            match source.trim_start().strip_prefix('<') {
                Some(command) => shell(command, effects),
                None if is_stream(source) || source.is_empty() || source.starts_with('+') => {}
                None => effects.push(CodeEffect::Read(known(source))),
            }
        }
    }
    // `system("…")` and `system "…"` anywhere in an expression.
    for at in 0..tokens.len() {
        if word(at) != "system" {
            continue;
        }
        let argument = at + 1 + usize::from(tokens.get(at + 1) == Some(&Token::Sign('(')));
        match text(argument) {
            Some(command) => shell(command, effects),
            None if tokens.len() > argument => effects.push(CodeEffect::Hidden),
            None => {}
        }
    }
}

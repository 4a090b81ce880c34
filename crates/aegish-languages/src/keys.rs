//! Lines typed at an interactive program.
//!
//! Takes the kind of program (the `keys` field of a profile) and the lines that would be typed, gives their
//! effects. A line that is not a command of that program has no effects.

use super::small::{ex, gdb, mail};
use super::{CodeContext, CodeEffect, scan};
use aegish_profiles::Lang;
use aegish_values::Value;

/// Returns the effects of typed lines.
///
/// Kinds: `pager`, `vi`, `ed`, `ftp`, `gdb`, `mail`, `sql`, `jshell`, `repl:LANG`, `shell:LANG`, `menu`,
/// `menu:KEY`.
#[must_use]
pub fn scan_keys(kind: &str, lines: &str, around: &CodeContext<'_>) -> Vec<CodeEffect> {
    let mut effects = Vec::new();
    match kind {
        "pager" => lines.lines().for_each(|line| pager(line, around, &mut effects)),
        "vi" => lines.lines().for_each(|line| vi(line, around, &mut effects)),
        "ed" => lines.lines().for_each(|line| ed(line, &mut effects)),
        "ftp" => return scan(Lang::Ftp, lines, around),
        "gdb" => gdb(lines, &mut effects),
        "mail" => mail(lines, &mut effects),
        "jshell" => {
            lines.lines().for_each(|line| jshell(line, &mut effects));
            effects.extend(scan(Lang::Java, lines, around));
        }
        "sql" => lines.lines().for_each(|line| sql(line, around, &mut effects)),
        _ => {
            if let Some(key) = kind.strip_prefix("menu:") {
                // Other keys only move or change the view.
                if lines.lines().any(|line| line.trim() == key) {
                    shell("", &mut effects);
                }
                return effects;
            }
            if let Some(word) = kind.strip_prefix("repl:").or_else(|| kind.strip_prefix("shell:"))
                && let Some(lang) = Lang::ALL.iter().find(|lang| lang.word() == word)
            {
                return match lang {
                    Lang::Shell => vec![CodeEffect::Shell(Value::known(lines))],
                    lang => scan(*lang, lines, around),
                };
            }
        }
    }
    effects
}

fn shell(text: &str, effects: &mut Vec<CodeEffect>) {
    let text = text.trim();
    effects.push(CodeEffect::Shell(Value::known(if text.is_empty() { "sh" } else { text })));
}

/// less, more, man: `!command`, `|Xcommand`, `v`, `:e file`, `s file`.
fn pager(line: &str, around: &CodeContext<'_>, effects: &mut Vec<CodeEffect>) {
    let line = line.trim();
    let plain = line.trim_start_matches(':').trim_start();
    if let Some(command) = plain.strip_prefix('!').or_else(|| plain.strip_prefix('#')) {
        shell(command, effects);
    } else if let Some(command) = plain.strip_prefix('|') {
        // `|Xcommand`: X is a mark of the pager.
        let mut letters = command.chars();
        let marked = matches!(letters.next(), Some('^' | '$' | '.' | 'a'..='z'))
            && (letters.as_str().starts_with(['/', ' ']) || command.len() < 2);
        shell(if marked { letters.as_str() } else { command }, effects);
    } else if line == "v" {
        let editor = (around.env)("VISUAL").or_else(|| (around.env)("EDITOR"));
        let mut command = Value::known(editor.unwrap_or_else(|| "vi".to_owned()));
        // The editor opens the file that the pager shows.
        if let Some(file) = around.args.last() {
            command.push_str(" ");
            command.append(file);
        }
        effects.push(CodeEffect::Shell(command));
    } else if let Some(path) = line.strip_prefix(":e ") {
        effects.push(CodeEffect::Read(Value::known(path.trim())));
    } else if let Some(path) = pager_file(line) {
        let content = Value::unknown("text shown");
        effects.push(CodeEffect::Write { path: Value::known(path.trim()), content, append: false });
    }
}

/// `s file` saves piped input. The name may follow without a blank.
fn pager_file(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(['s', 'o'])?;
    (rest.starts_with(' ') || (rest.starts_with('/') && !rest.ends_with('/'))).then_some(rest)
}

/// vi: command lines only. Text of insert mode and keys of normal mode have no effects.
fn vi(line: &str, around: &CodeContext<'_>, effects: &mut Vec<CodeEffect>) {
    let line = line.trim();
    if let Some(command) = line.strip_prefix(':') {
        ex(command, around, effects);
    } else if let Some(command) = line.strip_prefix("!!") {
        shell(command, effects);
    }
}

/// ed and red: `!command`, and a file or command after `r`, `w`, `e`.
fn ed(line: &str, effects: &mut Vec<CodeEffect>) {
    let line = line.trim();
    if let Some(command) = line.strip_prefix('!') {
        shell(command, effects);
        return;
    }
    let plain = line.trim_start_matches(|c: char| {
        c.is_ascii_digit() || matches!(c, ',' | '.' | '$' | '%' | ';' | '+' | '-')
    });
    let mut letters = plain.chars();
    let Some(letter @ ('r' | 'w' | 'W' | 'e' | 'E')) = letters.next() else {
        return;
    };
    let Some(rest) = letters.as_str().strip_prefix([' ', '\t']).map(str::trim) else {
        return;
    };
    if let Some(command) = rest.strip_prefix('!') {
        shell(command, effects);
    } else if rest.is_empty() || rest.contains(char::is_whitespace) {
        // A name with blanks is most likely text of the edited file.
    } else if matches!(letter, 'w' | 'W') {
        let content = Value::unknown("edited text");
        effects.push(CodeEffect::Write {
            path: Value::known(rest),
            content,
            append: letter == 'W',
        });
    } else {
        effects.push(CodeEffect::Read(Value::known(rest)));
    }
}

/// jshell: `/save file`, `/open file`; everything else is Java.
fn jshell(line: &str, effects: &mut Vec<CodeEffect>) {
    let mut words = line.split_whitespace();
    let command = words.next().unwrap_or("");
    let Some(path) = words.rfind(|word| !word.starts_with('-')) else { return };
    match command {
        "/save" | "/sa" => {
            let content = Value::unknown("typed code");
            effects.push(CodeEffect::Write { path: Value::known(path), content, append: false });
        }
        "/open" | "/o" => effects.push(CodeEffect::Read(Value::known(path))),
        _ => {}
    }
}

/// Escapes of database shells. The kind of shell is not known, so the forms of all are read.
fn sql(line: &str, around: &CodeContext<'_>, effects: &mut Vec<CodeEffect>) {
    let line = line.trim();
    let lang = match line.split_whitespace().next().unwrap_or("") {
        word if word.starts_with('.') => Lang::Sqlite,
        "system" | "source" | "tee" | "pager" => Lang::Mysql,
        word if word.starts_with("\\.") || word.starts_with("\\T") || word.starts_with("\\P") => {
            Lang::Mysql
        }
        _ => Lang::Psql,
    };
    if let Some(command) = line.strip_prefix('!') {
        shell(command, effects);
        return;
    }
    // An escape without a command opens an interactive shell.
    if matches!(line, "\\!" | ".shell" | ".system" | "system" | ".sh" | "!sh") {
        shell("", effects);
        return;
    }
    effects.extend(scan(lang, line, around));
    if lang == Lang::Psql {
        for kind in
            scan(Lang::Mysql, line, around).into_iter().chain(scan(Lang::Sqlite, line, around))
        {
            if !effects.contains(&kind) {
                effects.push(kind);
            }
        }
    }
}

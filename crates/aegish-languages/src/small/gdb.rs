//! gdb and lldb command files and `-ex` arguments.

use super::quoted_words::{head, unquoted, words};
use super::{known, shell, text_from, text_to, write};
use crate::CodeEffect;
use aegish_profiles::Lang;

pub(in super::super) fn gdb(code: &str, effects: &mut Vec<CodeEffect>) {
    let mut lines = code.lines();
    let mut directory: Option<String> = None;
    let mut strings: Vec<(String, String)> = Vec::new();
    // The program that is debugged, and its words.
    let (mut program, mut arguments) = (String::new(), String::new());
    while let Some(line) = lines.next() {
        let line = line.trim();
        let (name, rest) = head(line);
        if let Some(command) = line.strip_prefix('!') {
            shell(command, effects);
            continue;
        }
        if let Some(piped) = line.strip_prefix('|') {
            pipe(piped, effects);
            continue;
        }
        match name {
            "shell" | "she" | "shel" => match &directory {
                Some(place) if !rest.is_empty() => {
                    shell(&format!("cd '{place}' && {rest}"), effects);
                }
                _ => shell(if rest.is_empty() { "sh" } else { rest }, effects),
            },
            "make" => shell(line, effects),
            // `with SETTING -- COMMAND`
            "with" | "w" => {
                if let Some((_, command)) = rest.split_once("--") {
                    gdb(command, effects);
                }
            }
            // `alias NAME = COMMAND`: what it says may be run with other words.
            "alias" => {
                if let Some((_, command)) = rest.split_once('=') {
                    let first = head(command).0;
                    if matches!(
                        first,
                        "shell" | "she" | "shel" | "!" | "pipe" | "|" | "python" | "py" | "source"
                    ) {
                        effects.push(CodeEffect::Hidden);
                    }
                }
            }
            "target" if rest.contains('|') => {
                shell(rest.split_once('|').map_or("", |(_, command)| command), effects);
            }
            "cd" => directory = Some(rest.to_owned()),
            // The format makes a command of gdb.
            "eval" if let Some(made) = formatted(rest, &strings) => match &directory {
                Some(place) => gdb(&format!("cd {place}\n{made}"), effects),
                None => gdb(&made, effects),
            },
            // `eval "shell %s", $x`: what the format makes is a command.
            "eval" if rest.trim_start().starts_with("\"shell") || rest.contains("shell") => {
                let texts: Vec<&str> = code.split('"').skip(1).step_by(2).collect();
                let given = texts.iter().filter(|text| !text.contains('%'));
                given.for_each(|text| shell(text, effects));
                effects.push(CodeEffect::Hidden);
            }
            // The program that is debugged gets these words.
            "file" | "exec-file" => rest.clone_into(&mut program),
            "run" | "r" | "start" | "starti" => {
                let rest = if rest.is_empty() { arguments.as_str() } else { rest };
                // It is started by a shell.
                if !program.is_empty() || rest.contains(['`', '$', '|', ';', '&']) {
                    let program = if program.is_empty() { ":" } else { program.as_str() };
                    shell(&format!("{program} {rest}"), effects);
                }
                for word in words(rest).iter().filter(|word| word.starts_with(['/', '~', '<'])) {
                    effects.push(CodeEffect::Read(known(word.trim_start_matches('<'))));
                }
            }
            "pipe" => pipe(rest, effects),
            "python" | "py" | "python-interactive" | "pi" | "script" => {
                let inline = rest.trim_start_matches("-l python").trim_start_matches("--").trim();
                let lang = if rest.starts_with("-l lua") { Lang::Lua } else { Lang::Python };
                let code = if inline.is_empty() {
                    block(&mut lines)
                } else {
                    inline.trim_start_matches("-l lua").trim_start_matches(" --").trim().to_owned()
                };
                // `gdb.execute("shell …")` hands text back to gdb.
                for text in code.split("gdb.execute(").skip(1) {
                    let quote =
                        text.trim_start().chars().next().filter(|c| matches!(c, '"' | '\''));
                    match quote.and_then(|quote| text.trim_start().get(1..)?.split(quote).next()) {
                        Some(command) => gdb(command, effects),
                        None => effects.push(CodeEffect::Hidden),
                    }
                }
                if !code.is_empty() {
                    effects.push(CodeEffect::Eval(lang, known(code)));
                }
            }
            "guile" | "gu" | "guile-repl" | "gr" => {
                let code = if rest.is_empty() { block(&mut lines) } else { rest.to_owned() };
                effects.push(CodeEffect::Eval(Lang::Scheme, known(code)));
            }
            "source" => {
                let file =
                    words(rest).into_iter().find(|word| !word.starts_with('-')).unwrap_or_default();
                let lang = if file.ends_with(".py") { Lang::Python } else { Lang::Gdb };
                effects.push(CodeEffect::Script(lang, known(file)));
            }
            "dump" | "append" => {
                // `dump [format] memory|value file …`
                let words = words(rest);
                let at = words.iter().position(|word| matches!(word.as_str(), "memory" | "value"));
                if let Some(path) = at.and_then(|at| words.get(at + 1)) {
                    write(known(path), name == "append", effects);
                }
            }
            "restore" | "add-symbol-file" | "load" if !rest.is_empty() => {
                effects.push(CodeEffect::Read(known(head(rest).0)));
            }
            "generate-core-file" | "gcore" if !rest.is_empty() => {
                write(known(rest), false, effects);
            }
            "set" if rest.starts_with("args ") => head(rest).1.clone_into(&mut arguments),
            "set" => {
                if let Some((name, value)) = rest.split_once('=').filter(|_| rest.starts_with('$'))
                {
                    strings.push((name.trim().to_owned(), unquoted(value).to_owned()));
                }
                setting(rest, effects);
            }
            "call" | "print" | "p" | "inspect" | "output" | "expression" | "expr" | "compile" => {
                c_calls(rest, effects);
            }
            "platform" | "plat" => {
                if let Some(command) = rest.strip_prefix("shell") {
                    let command = command.trim().trim_start_matches("-h").trim();
                    shell(unquoted(command), effects);
                }
            }
            "command" => {
                let (sub, file) = head(rest);
                match sub {
                    "source" => effects.push(CodeEffect::Script(Lang::Gdb, known(file))),
                    "script" => {
                        if let Some(path) = file.strip_prefix("import") {
                            effects.push(CodeEffect::Script(Lang::Python, known(path.trim())));
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// The text that a format with `%s` makes of strings and of variables that hold strings.
fn formatted(text: &str, strings: &[(String, String)]) -> Option<String> {
    let (format, values) = text.trim().strip_prefix('"')?.split_once('"')?;
    let mut values = values.split(',').map(str::trim).filter(|value| !value.is_empty());
    let mut made = String::new();
    for (index, part) in format.split("%s").enumerate() {
        if index > 0 {
            let value = values.next()?;
            made.push_str(match strings.iter().rfind(|(name, _)| name == value) {
                Some((_, text)) => text,
                None => value.strip_prefix('"')?.strip_suffix('"')?,
            });
        }
        made.push_str(part);
    }
    // Names of commands may not come from the format again.
    (!made.contains('%') && !made.trim_start().starts_with("eval")).then_some(made)
}

/// The lines up to `end`.
fn block<'a>(lines: &mut impl Iterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for line in lines.by_ref() {
        if matches!(line.trim(), "end" | "quit()") {
            break;
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// `pipe command | shell`; `-d` names another delimiter.
fn pipe(rest: &str, effects: &mut Vec<CodeEffect>) {
    let (rest, delimiter) = match rest.trim().strip_prefix("-d ") {
        Some(tail) => {
            let (delimiter, tail) = head(tail);
            (tail, delimiter)
        }
        None => (rest, "|"),
    };
    if let Some((_, command)) = rest.split_once(delimiter) {
        shell(command, effects);
    }
}

fn setting(rest: &str, effects: &mut Vec<CodeEffect>) {
    let (name, value) = head(rest);
    match name {
        "logging" => {
            if let Some(path) = value.strip_prefix("file") {
                write(known(path.trim()), true, effects);
            }
        }
        "exec-wrapper" => shell(value, effects),
        "environment" | "env" => {
            let (name, value) = value.split_once('=').unwrap_or(head(value));
            effects.push(CodeEffect::Setenv {
                name: name.trim().to_owned(),
                value: known(value.trim()),
            });
        }
        _ => c_calls(rest, effects),
    }
}

/// Calls of the C library in an expression that the debugged process evaluates.
fn c_calls(text: &str, effects: &mut Vec<CodeEffect>) {
    for name in ["system", "popen", "execl", "execv", "execlp", "execvp", "dlopen"] {
        let mut rest = text;
        while let Some(at) = rest.find(name) {
            let starts = !text_to(rest, at).ends_with(|c: char| c.is_alphanumeric() || c == '_');
            rest = text_from(rest, at + name.len());
            let inner = rest.trim_start().trim_start_matches(')').trim_start();
            let Some(inner) = inner.strip_prefix('(').filter(|_| starts) else {
                continue;
            };
            let argument =
                inner.trim_start().strip_prefix('"').and_then(|text| text.split('"').next());
            effects.push(match (name, argument) {
                (_, None) => CodeEffect::Hidden,
                ("dlopen", Some(path)) => CodeEffect::Load(known(path)),
                ("system" | "popen", Some(command)) => CodeEffect::Shell(known(command)),
                (_, Some(program)) => CodeEffect::Argv(vec![known(program)]),
            });
        }
    }
}

//! Words of a command line that name a file or a command, and settings that name files.

use super::quoted_words::unquoted;
use super::{known, shell, write};
use crate::CodeEffect;
use aegish_profiles::Lang;
use aegish_values::Value;

/// `strace -o '|command'`, `psql -o '|command'`: the output goes to a command or a file.
pub(super) fn output_target(code: &str, effects: &mut Vec<CodeEffect>) {
    match code.strip_prefix(['|', '!']) {
        Some(command) => shell(command, effects),
        None => write(known(code), false, effects),
    }
}

/// `wget -e name=value` and lines of `~/.wgetrc`.
pub(super) fn wgetrc(code: &str, effects: &mut Vec<CodeEffect>) {
    for line in code.lines() {
        let Some((name, value)) = line.split_once('=') else { continue };
        // Neither case nor marks within a name count.
        let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        let value = unquoted(value);
        if value.is_empty() {
            continue;
        }
        match name.to_ascii_lowercase().as_str() {
            "outputdocument" | "logfile" | "rejectedlog" | "savecookies" | "warcfile" => {
                write(known(value), false, effects);
            }
            "input" | "loadcookies" => effects.push(CodeEffect::Read(known(value))),
            "postfile" | "bodyfile" => {
                effects.push(CodeEffect::Send {
                    to: Value::unknown("the server"),
                    file: Some(known(value)),
                });
            }
            "useaskpass" => effects.push(CodeEffect::Argv(vec![known(value)])),
            "dirprefix" => effects.push(CodeEffect::Write {
                path: known(value),
                content: Value::unknown("files"),
                append: true,
            }),
            _ => {}
        }
    }
}

/// `-Wp,OPTION,VALUE`, `-Wl,@FILE`: words for the programs that a compiler runs.
pub(super) fn compiler_pass(code: &str, effects: &mut Vec<CodeEffect>) {
    const READ: [&str; 6] =
        ["-include", "-imacros", "-T", "--script", "--version-script", "--dynamic-list"];
    const WRITTEN: [&str; 6] = ["-o", "-MF", "-MD", "-MMD", "-Map", "--dependency-file"];
    let mut words = code.split(',').peekable();
    while let Some(word) = words.next() {
        if let Some(path) = word.strip_prefix('@') {
            effects.push(CodeEffect::Read(known(path)));
            continue;
        }
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, words.peek().copied().filter(|next| !next.starts_with('-'))),
        };
        match value {
            Some(path) if READ.contains(&name) => effects.push(CodeEffect::Read(known(path))),
            Some(path) if WRITTEN.contains(&name) => write(known(path), false, effects),
            _ => {}
        }
    }
}

/// Lines of `tmpfiles.d`: `TYPE PATH MODE USER GROUP AGE ARGUMENT`.
pub(super) fn tmpfiles(code: &str, effects: &mut Vec<CodeEffect>) {
    for line in code.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let (Some(kind), Some(path)) = (words.next(), words.next()) else { continue };
        let (mode, user) = (words.next().unwrap_or("-"), words.next().unwrap_or("-"));
        let argument: Vec<&str> = words.skip(2).collect();
        let (path, argument) = (known(path), known(argument.join(" ")));
        match kind.chars().next() {
            Some('f' | 'F' | 'w') => {
                let append = kind.contains('+');
                effects.push(CodeEffect::Write { path: path.clone(), content: argument, append });
            }
            Some('C') => effects.push(CodeEffect::Copy { from: argument, to: path.clone() }),
            Some('L') => effects.push(CodeEffect::Link { target: argument, name: path.clone() }),
            Some('r') => effects.push(CodeEffect::Delete { path, tree: false }),
            Some('R' | 'D') => effects.push(CodeEffect::Delete { path, tree: true }),
            _ => {
                if mode != "-" {
                    effects.push(CodeEffect::Mode { path: path.clone(), mode: known(mode) });
                }
                if user != "-" {
                    effects.push(CodeEffect::Owner { path, owner: known(user) });
                }
            }
        }
    }
}

/// What settings, registers and variables of vim name: files for messages, programs, later commands.
pub(super) fn vim_names(code: &str, effects: &mut Vec<CodeEffect>) {
    let quoted = |text: &str| {
        let text = text.trim();
        let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        Some(text.get(1..)?.split(quote).next()?.to_owned())
    };
    for (at, line) in code.lines().enumerate() {
        for word in line.split(' ').filter_map(|word| word.split_once('=')) {
            match word {
                ("verbosefile" | "vfile", path) => write(known(path), false, effects),
                ("path" | "pa", place) if place.starts_with(['/', '~', '.']) => {
                    let names = code.lines().filter_map(|line| {
                        let (name, file) = line.trim().split_once(' ')?;
                        "find".starts_with(name.trim_end_matches('!')).then_some(file)
                    });
                    for file in names.filter(|_| code.contains("fin")) {
                        effects.push(CodeEffect::Read(known(format!("{place}/{file}"))));
                    }
                }
                _ => {}
            }
        }
        if let Some((_, program)) = line.split_once("grepprg=").or_else(|| line.split_once(" gp="))
        {
            let command = program.replace("\\ ", "\u{1}");
            let command = command.split(' ').next().unwrap_or("").replace('\u{1}', " ");
            let words = code.lines().filter_map(|line| line.trim().strip_prefix("grep"));
            for rest in words {
                shell(&format!("{command} {}", rest.trim_start_matches('!')), effects);
            }
        }
        if let Some(path) = line.split_once("ch_logfile(").and_then(|(_, rest)| quoted(rest)) {
            write(known(path), true, effects);
        }
        let set = line.trim().strip_prefix("let ").and_then(|rest| rest.split_once('='));
        let Some((name, text)) = set.and_then(|(name, text)| Some((name.trim(), quoted(text)?)))
        else {
            continue;
        };
        if name.starts_with('@') {
            effects.push(CodeEffect::Eval(Lang::Vim, known(text)));
        } else if name.len() > 1 && name.starts_with('$') {
            let rest = code.lines().enumerate().filter(|(other, _)| *other != at);
            let rest: Vec<String> = rest.map(|(_, line)| line.replace(name, &text)).collect();
            effects.push(CodeEffect::Eval(Lang::Vim, known(rest.join("\n"))));
        }
    }
}

/// `curl -w FORMAT`: `@file`, and `%output{file}` in the format.
pub(super) fn curl_format(code: &str, effects: &mut Vec<CodeEffect>) {
    if let Some(path) = code.strip_prefix('@') {
        effects.push(CodeEffect::Read(known(path)));
        return;
    }
    for rest in code.split("%output{").skip(1) {
        let path = rest.split('}').next().unwrap_or(rest);
        write(known(path.trim_start_matches(">>")), path.starts_with(">>"), effects);
    }
}

/// `java -Xlog:WHAT:file=FILE:…`
pub(super) fn java_log(code: &str, effects: &mut Vec<CodeEffect>) {
    for part in code.split(':').filter_map(|part| part.strip_prefix("file=")) {
        write(known(unquoted(part)), false, effects);
    }
}

/// `vim -V9FILE`: how much is said, and where.
pub(super) fn vim_verbose(code: &str, effects: &mut Vec<CodeEffect>) {
    let path = code.trim_start_matches(|c: char| c.is_ascii_digit());
    if !path.is_empty() {
        write(known(path), false, effects);
    }
}

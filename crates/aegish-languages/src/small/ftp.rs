//! Command files of file transfer programs, and the escapes of mail programs.

use super::quoted_words::{head, words};
use super::{is_stream, known, shell, write};
use crate::CodeEffect;
use aegish_values::Value;

/// ftp, sftp, lftp, tftp, smbclient: one command per line, or several joined by semicolons.
pub(super) fn ftp(code: &str, effects: &mut Vec<CodeEffect>) {
    let mut host = Value::unknown("remote host");
    for line in code.lines() {
        // An escape ends with the line, not at a semicolon.
        if let Some(command) = line.trim().strip_prefix('!') {
            shell(if command.trim().is_empty() { "sh" } else { command }, effects);
            continue;
        }
        for command in line.split(';') {
            one(command.trim(), &mut host, effects);
        }
    }
}

fn one(command: &str, host: &mut Value, effects: &mut Vec<CodeEffect>) {
    if let Some(text) = command.strip_prefix('!') {
        shell(if text.trim().is_empty() { "sh" } else { text }, effects);
        return;
    }
    let (name, rest) = head(command);
    let mut operands: Vec<String> = Vec::new();
    let mut renamed = None;
    let mut reverse = false;
    let mut arguments = words(rest).into_iter();
    while let Some(word) = arguments.next() {
        match word.as_str() {
            "-o" => renamed = arguments.next(),
            "-O" => {
                arguments.next();
            }
            "-R" | "--reverse" => reverse = true,
            _ if word.starts_with('-') && word.len() > 1 => {}
            _ => operands.push(word),
        }
    }
    let url = |path: &str| {
        let mut url = Value::known("ftp://");
        url.append(host);
        url.push_str("/");
        url.push_str(path);
        url
    };
    let first = operands.first().cloned();
    match (name.to_ascii_lowercase().as_str(), first) {
        ("open" | "connect", Some(first)) => {
            *host = known(&first);
            let port = operands.get(1).map_or_else(|| known("21"), known);
            effects.push(CodeEffect::Connect { host: known(first), port });
        }
        ("put" | "send" | "append" | "reput", Some(file)) => {
            effects.push(CodeEffect::Send { to: host.clone(), file: Some(known(file)) });
        }
        ("mput", Some(_)) => {
            for file in operands {
                effects.push(CodeEffect::Send { to: host.clone(), file: Some(known(file)) });
            }
        }
        ("mirror", Some(file)) if reverse => {
            effects.push(CodeEffect::Send { to: host.clone(), file: Some(known(file)) });
        }
        ("get" | "recv" | "reget" | "mirror" | "pget", Some(file)) => {
            let to = renamed.or_else(|| operands.get(1).cloned());
            let own = file.rsplit('/').next().unwrap_or("").to_owned();
            effects.push(CodeEffect::Fetch { url: url(&file), to: Some(known(to.unwrap_or(own))) });
        }
        ("mget", Some(_)) => {
            for file in operands {
                effects.push(CodeEffect::Fetch { url: url(&file), to: None });
            }
        }
        ("shell", _) => shell(if rest.is_empty() { "sh" } else { rest }, effects),
        ("source", Some(file)) => {
            effects.push(CodeEffect::Script(aegish_profiles::Lang::Ftp, known(file)));
        }
        _ => {}
    }
}

/// mail and mailx: `~` escapes while writing, `!` and `|` at the prompt.
pub(in super::super) fn mail(code: &str, effects: &mut Vec<CodeEffect>) {
    for line in code.lines() {
        let line = line.trim();
        if let Some(command) = line.strip_prefix('!') {
            shell(command, effects);
            continue;
        }
        let Some(escape) = line.strip_prefix('~') else {
            continue;
        };
        let rest =
            escape.get(escape.chars().next().map_or(0, char::len_utf8)..).unwrap_or("").trim();
        match escape.chars().next() {
            Some('!' | '|') => shell(if rest.is_empty() { "sh" } else { rest }, effects),
            Some('<' | 'r' | 'R' | 'd') => match rest.strip_prefix('!') {
                Some(command) => shell(command, effects),
                None if rest.is_empty() || is_stream(rest) => {}
                None => effects.push(CodeEffect::Read(known(rest))),
            },
            Some('w') if !is_stream(rest) => write(known(rest), true, effects),
            Some(':') => {
                if let Some(command) = rest.strip_prefix('!') {
                    shell(command, effects);
                }
            }
            _ => {}
        }
    }
}

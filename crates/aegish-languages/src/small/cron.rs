//! Schedules and services: crontab lines and systemd units.

use super::quoted_words::{head, unquoted, words};
use super::{known, shell, text_to};
use crate::CodeEffect;

/// Usual users in the sixth field of system crontabs.
const USERS: &[&str] = &[
    "root", "daemon", "bin", "sys", "nobody", "www-data", "backup", "postgres", "mysql", "nginx",
    "apache", "ubuntu", "debian", "ec2-user", "admin", "git", "man", "mail", "news", "operator",
    "jenkins", "deploy",
];

/// Lines of users' and system crontabs.
pub(super) fn cron(code: &str, effects: &mut Vec<CodeEffect>) {
    for line in code.lines() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some((name, value)) = environment(line) {
            effects.push(CodeEffect::Setenv { name: name.to_owned(), value: known(value) });
            continue;
        }
        let Some(command) = after_times(line) else {
            continue;
        };
        let command = before_input(command);
        let (first, rest) = head(&command);
        if USERS.contains(&first) && !rest.is_empty() {
            shell(rest, effects);
            continue;
        }
        shell(&command, effects);
        // A name before the path of a program is most likely a user.
        let name = first
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_'));
        let program = ["/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/", "/opt/"];
        if name && program.iter().any(|directory| rest.starts_with(directory)) {
            shell(rest, effects);
        }
    }
}

fn environment(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = unquoted(name);
    let fits = !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    fits.then(|| (name, unquoted(value)))
}

/// The part after the time fields, or after `@reboot` and similar words.
fn after_times(line: &str) -> Option<&str> {
    if line.starts_with('@') {
        let (_, command) = head(line);
        return (!command.is_empty()).then_some(command);
    }
    let mut rest = line;
    for _ in 0..5 {
        let (field, tail) = head(rest);
        let fits = !field.is_empty()
            && field.chars().all(|c| {
                c.is_ascii_alphanumeric() || matches!(c, '*' | '/' | ',' | '-' | '?' | '~' | '#')
            })
            && (field.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '*' | '?' | '~'))
                || field.len() <= 15);
        if !fits {
            return None;
        }
        rest = tail;
    }
    (!rest.is_empty()).then_some(rest)
}

/// An unescaped `%` begins the input of the command.
fn before_input(command: &str) -> String {
    let mut out = String::new();
    let mut letters = command.chars();
    while let Some(c) = letters.next() {
        match c {
            '%' => break,
            '\\' => match letters.next() {
                Some('%') => out.push('%'),
                Some(other) => out.extend(['\\', other]),
                None => out.push('\\'),
            },
            c => out.push(c),
        }
    }
    out
}

/// systemd units: what they start, listen on and read.
pub(super) fn systemd(code: &str, effects: &mut Vec<CodeEffect>) {
    for line in super::quoted_words::joined(code) {
        let line = line.trim();
        if line.starts_with(['#', ';', '[']) {
            continue;
        }
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        let value = value.trim();
        match key.trim() {
            "ExecStart" | "ExecStartPre" | "ExecStartPost" | "ExecStop" | "ExecStopPost"
            | "ExecReload" | "ExecCondition" => {
                for command in value.split(" ; ") {
                    exec(command, effects);
                }
            }
            "Environment" => {
                for assignment in words(value) {
                    if let Some((name, value)) = assignment.split_once('=') {
                        effects.push(CodeEffect::Setenv {
                            name: name.to_owned(),
                            value: known(value),
                        });
                    }
                }
            }
            "EnvironmentFile" => {
                effects.push(CodeEffect::Read(known(value.trim_start_matches('-'))));
            }
            "ListenStream" | "ListenDatagram" if !value.starts_with(['/', '@']) => {
                let (host, port) = value.rsplit_once(':').unwrap_or(("", value));
                effects.push(CodeEffect::Listen { host: known(host), port: known(port) });
            }
            _ => {}
        }
    }
}

fn exec(command: &str, effects: &mut Vec<CodeEffect>) {
    let command = command.trim();
    let plain = command.trim_start_matches(['-', '@', '+', '!', ':', '|']);
    let marks = text_to(command, command.len() - plain.len());
    let mut argv: Vec<String> = words(plain);
    // With `@` the second word becomes `argv[0]`.
    if marks.contains('@') && argv.len() > 1 {
        argv.remove(1);
    }
    for word in &mut argv {
        *word = word.replace("%%", "%").replace("$$", "$");
    }
    if !argv.is_empty() {
        effects.push(CodeEffect::Argv(argv.into_iter().map(known).collect()));
    }
}

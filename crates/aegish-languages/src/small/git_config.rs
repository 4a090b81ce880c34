//! Configuration of git: values that are run, files that are read.

use super::settings::git_url;
use super::{known, shell};
use crate::CodeEffect;
use aegish_profiles::Lang;

/// What stands for text that only a run can tell.
const UNKNOWN_PART: &str = "AEGISH_UNKNOWN";

/// `key=value` as in `git -c`. Values that git passes to a shell are reported.
pub(super) fn git(code: &str, effects: &mut Vec<CodeEffect>) {
    // The value of an alias alone, without its key.
    if let Some(command) = code.strip_prefix('!') {
        shell(command, effects);
        return;
    }
    if !is_file(code) {
        if let Some((key, value)) = code.split_once('=') {
            setting(key.trim(), value.trim(), effects);
        }
        return;
    }
    let mut section = String::new();
    for line in logical_lines(code) {
        let mut line = line.trim_start_matches(UNKNOWN_PART).trim();
        if let Some((name, rest)) = section_name(line) {
            section = name;
            // A setting may stand behind the section.
            line = rest;
        }
        if let Some((key, value)) = line.split_once('=') {
            setting(&format!("{section}{}", key.trim()), &text_of_value(value), effects);
        }
    }
}

/// Whether the text is a file with sections, not one setting.
fn is_file(code: &str) -> bool {
    let begins = |line: &str| {
        let line = line.trim_start_matches(UNKNOWN_PART).trim_start();
        line.starts_with(['[', '#', ';'])
    };
    code.lines().any(begins)
}

/// Joins lines that end in a backslash.
fn logical_lines(code: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut open = false;
    for line in code.lines() {
        match out.last_mut() {
            Some(last) if open => {
                last.pop();
                last.push_str(line);
            }
            _ => out.push(line.to_owned()),
        }
        open = (line.len() - line.trim_end_matches('\\').len()) % 2 == 1;
    }
    out
}

/// A value in a file: quotes anywhere, escapes, and a comment behind.
fn text_of_value(text: &str) -> String {
    let mut out = String::new();
    let (mut quoted, mut chars) = (false, text.trim_start().chars());
    // What stands behind it is no blank at the end.
    let mut kept = 0;
    while let Some(c) = chars.next() {
        match c {
            '"' => quoted = !quoted,
            '#' | ';' if !quoted => break,
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(other) => out.push(other),
                None => {}
            },
            other => out.push(other),
        }
        if quoted || !c.is_whitespace() {
            kept = out.len();
        }
    }
    out.truncate(kept);
    out
}

fn setting(key: &str, value: &str, effects: &mut Vec<CodeEffect>) {
    let key = key.to_ascii_lowercase();
    if value.is_empty() {
        return;
    }
    // `url.ADDRESS.insteadOf`
    if let Some(address) = key.strip_prefix("url.").and_then(|key| key.strip_suffix(".insteadof")) {
        match address.strip_suffix("::") {
            // What stands behind it in an address is a command.
            Some(_) => effects.push(CodeEffect::Hidden),
            None => git_url(address, effects),
        }
        return;
    }
    let last = key.rsplit('.').next().unwrap_or("");
    let section = key.split('.').next().unwrap_or("");
    match (section, last) {
        ("core", "hookspath") if value == "/dev/null" => {}
        ("core", "hookspath") => effects.push(CodeEffect::Directory(known(value))),
        // A boolean turns the built-in monitor on or off; anything else is a program.
        ("core", "fsmonitor") if matches!(value, "true" | "false" | "1" | "0" | "yes" | "no") => {}
        (
            "core",
            "pager"
            | "editor"
            | "sshcommand"
            | "fsmonitor"
            | "askpass"
            | "gitproxy"
            | "alternaterefscommand",
        )
        | ("sequence", "editor")
        | ("diff", "external" | "textconv" | "command")
        | ("difftool" | "mergetool" | "guitool" | "browser" | "man", "cmd" | "path")
        | ("merge", "driver")
        | ("filter", "clean" | "smudge" | "process")
        | ("gpg", "program" | "defaultkeycommand")
        | ("interactive", "difffilter")
        | ("uploadpack", "packobjectshook")
        | ("trailer", "command" | "cmd")
        | ("sendemail", "smtpserver" | "tocmd" | "cccmd" | "headercmd" | "sendmailcmd")
        | ("instaweb", "httpd")
        | ("remote", "uploadpack" | "receivepack")
        | ("tar", "command")
        | ("gc", "recentobjectshook")
        | ("web", "browser")
        | ("submodule", "update")
        | ("imap", "tunnel")
        | ("credential", "helper") => program(section, last, value, effects),
        ("pager", _)
            if !matches!(value, "true" | "false" | "0" | "1" | "yes" | "no" | "on" | "off") =>
        {
            shell(value, effects);
        }
        ("alias", _) => {
            if let Some(command) = value.strip_prefix('!') {
                shell(command, effects);
            } else {
                shell(&format!("git {value}"), effects);
            }
        }
        // An extension of Mercurial is a Python file; git's extensions are booleans.
        ("extensions", _) if value.contains('/') => {
            effects.push(CodeEffect::Load(known(value.trim_start_matches('!'))));
        }
        ("remote", "url" | "pushurl")
        | ("branch", "remote" | "pushremote")
        | ("remote", "pushdefault") => {
            git_url(value, effects);
        }
        // The address is a command then.
        ("remote", "vcs") if value == "ext" => effects.push(CodeEffect::Hidden),
        ("commit", "template") | ("mailmap", "file") | ("blame", "ignorerevsfile") => {
            effects.push(CodeEffect::Read(known(value)));
        }
        ("init", "templatedir") => {
            effects.push(CodeEffect::Script(Lang::GitConfig, known(format!("{value}/config"))));
            effects.push(CodeEffect::Eval(Lang::ProgramDir, known(format!("{value}/hooks"))));
        }
        ("include" | "includeif", "path") => {
            effects.push(CodeEffect::Script(Lang::GitConfig, known(value)));
            // It is relative to the file that says so.
            if !value.starts_with(['/', '~']) {
                let path = known(format!(".git/{value}"));
                effects.push(CodeEffect::Script(Lang::GitConfig, path));
            }
        }
        ("core", "worktree") => effects.push(CodeEffect::List(known(value))),
        _ => {}
    }
}

/// The section `[section]` or `[section "name"]` as the prefix of a key, `section.name.`, and what stands behind it.
fn section_name(line: &str) -> Option<(String, &str)> {
    let inner = line.strip_prefix('[')?;
    let (inner, rest) = inner.split_once(']').unwrap_or((inner, ""));
    let (section, name) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
    let name = name.trim().trim_matches('"');
    let dot = if name.is_empty() { "" } else { "." };
    Some((format!("{section}{dot}{name}."), rest.trim_start()))
}

fn program(section: &str, last: &str, value: &str, effects: &mut Vec<CodeEffect>) {
    match (section, last) {
        ("credential", _) => {
            if let Some(command) = value.strip_prefix('!') {
                shell(command, effects);
            } else if value.starts_with('/') {
                shell(value, effects);
            } else {
                // A bare name is one of git's own helpers.
                shell(&format!("git credential-{value}"), effects);
            }
        }
        ("submodule", _) => {
            if let Some(command) = value.strip_prefix('!') {
                shell(command, effects);
            }
        }
        ("sendemail", "smtpserver") if !value.starts_with('/') => {}
        _ => shell(value, effects),
    }
}

/// A file of `.git/remotes`: `URL: address`.
pub(super) fn remote(code: &str, effects: &mut Vec<CodeEffect>) {
    for address in code.lines().filter_map(|line| line.trim().strip_prefix("URL:")) {
        git_url(address, effects);
    }
}

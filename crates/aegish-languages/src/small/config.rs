//! Configuration of git, ssh and nginx: values that are run.

use super::quoted_words::{head, unquoted};
use super::{known, shell};
use crate::CodeEffect;
use aegish_profiles::Lang;

/// `key=value` as in `git -c`. Values that git passes to a shell are reported.
pub(super) fn git(code: &str, effects: &mut Vec<CodeEffect>) {
    // The value of an alias alone, without its key.
    if let Some(command) = code.strip_prefix('!') {
        shell(command, effects);
        return;
    }
    let mut section = String::new();
    for line in code.lines() {
        if let Some(name) = section_name(line) {
            section = name;
            continue;
        }
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        let key = format!("{section}{}", key.trim()).to_ascii_lowercase();
        let value = unquoted(value);
        if value.is_empty() {
            continue;
        }
        // `url.ADDRESS.insteadOf`
        if let Some(address) =
            key.strip_prefix("url.").and_then(|key| key.strip_suffix(".insteadof"))
        {
            super::settings::git_url(address, effects);
            continue;
        }
        let last = key.rsplit('.').next().unwrap_or("");
        let section = key.split('.').next().unwrap_or("");
        match (section, last) {
            ("core", "hookspath") if value == "/dev/null" => {}
            ("core", "hookspath") => effects.push(CodeEffect::Directory(known(value))),
            // A boolean turns the built-in monitor on or off; anything else is a program.
            ("core", "fsmonitor")
                if matches!(value, "true" | "false" | "1" | "0" | "yes" | "no") => {}
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
            | ("sendemail", "smtpserver" | "tocmd" | "cccmd" | "sendmailcmd")
            | ("instaweb", "httpd")
            | ("remote", "uploadpack" | "receivepack" | "vcs")
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
            ("init", "templatedir") => effects.push(CodeEffect::Read(known(value))),
            ("include" | "includeif", "path") => effects.push(CodeEffect::Read(known(value))),
            ("core", "worktree") => effects.push(CodeEffect::List(known(value))),
            _ => {}
        }
    }
}

/// The section `[section]` or `[section "name"]` as the prefix of a key: `section.name.`
fn section_name(line: &str) -> Option<String> {
    let inner = line.trim().strip_prefix('[')?;
    let inner = inner.split(']').next().unwrap_or(inner);
    let (section, name) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
    let name = name.trim().trim_matches('"');
    let dot = if name.is_empty() { "" } else { "." };
    Some(format!("{section}{dot}{name}."))
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

/// `Key=Value` or `Key Value`, from `-o` or a configuration file.
pub(super) fn ssh(code: &str, effects: &mut Vec<CodeEffect>) {
    for line in code.lines() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let end = line.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(line.len());
        let (key, value) = line.split_at(end);
        let value = value.trim_start_matches(|c: char| c == '=' || c.is_whitespace());
        let value = unquoted(value);
        if value.is_empty() || value.eq_ignore_ascii_case("none") {
            continue;
        }
        match key.to_ascii_lowercase().as_str() {
            "proxycommand" if is_tunnel(value) => {}
            // ssh runs `exec VALUE` with the user's shell.
            "proxycommand" => shell(&format!("exec {value}"), effects),
            "localcommand" | "knownhostscommand" | "ssh_command" | "sftp.command" => {
                shell(value, effects);
            }
            "pkcs11provider" | "securitykeyprovider" if !matches!(value, "internal") => {
                effects.push(CodeEffect::Load(known(value)));
            }
            "smartcarddevice" => effects.push(CodeEffect::Load(known(value))),
            "xauthlocation" => effects.push(CodeEffect::Argv(vec![known(value)])),
            "include" => effects.push(CodeEffect::Read(known(value))),
            "match" => {
                if let Some((_, command)) = value.split_once("exec ") {
                    let command = command.trim();
                    let command = match command.strip_prefix('"') {
                        Some(quoted) => quoted.split('"').next().unwrap_or(""),
                        None => head(command).0,
                    };
                    shell(command, effects);
                }
            }
            _ => {}
        }
    }
}

/// Whether a proxy command only connects ssh to its host.
fn is_tunnel(command: &str) -> bool {
    const TUNNELS: &[&str] = &[
        "nc",
        "ncat",
        "netcat",
        "socat",
        "connect",
        "connect-proxy",
        "corkscrew",
        "proxytunnel",
        "cloudflared",
        "tsh",
    ];
    let mut words = command.split_whitespace();
    let name = words.next().map_or("", |word| word.rsplit('/').next().unwrap_or(word));
    let runs = |word: &str| {
        let lower = word.to_ascii_lowercase();
        lower.starts_with("-e")
            || lower.starts_with("-c")
            || lower.contains("exec")
            || lower.contains("system:")
    };
    TUNNELS.contains(&name)
        && command.contains("%h")
        && !command.contains([';', '|', '&', '`', '$', '<', '>', '(', '\n'])
        && !words.any(runs)
}

/// nginx and Apache: directories that are served, modules that are loaded.
pub(super) fn nginx(code: &str, effects: &mut Vec<CodeEffect>) {
    let mut text = String::with_capacity(code.len());
    for line in code.lines() {
        text.push_str(line.split('#').next().unwrap_or(""));
        text.push('\n');
    }
    let (mut address, mut root) = (None, None);
    for directive in text.split([';', '{', '}']) {
        let (name, rest) = head(directive);
        // Directives of Apache contain capitals.
        match name.to_ascii_lowercase().as_str() {
            "listen" => {
                let (host, port) = head(rest).0.rsplit_once(':').unwrap_or(("", head(rest).0));
                address = Some((if matches!(host, "*" | "0.0.0.0") { "" } else { host }, port));
            }
            "root" | "alias" => root = Some(unquoted(rest)),
            "error_log" | "access_log" | "errorlog" | "customlog" => {
                let target = unquoted(head(rest).0);
                if let Some(command) = unquoted(rest).strip_prefix('|') {
                    super::shell(command.split('"').next().unwrap_or(""), effects);
                } else if target.starts_with('/') && !super::is_stream(target) {
                    super::write(known(target), true, effects);
                }
            }
            "loadmodule" => effects.push(CodeEffect::Load(known(unquoted(head(rest).1)))),
            "loadfile" => effects.push(CodeEffect::Load(known(unquoted(rest)))),
            "load_module" => effects.push(CodeEffect::Load(known(unquoted(rest)))),
            "include" => effects.push(CodeEffect::Read(known(unquoted(rest)))),
            "perl_require" => effects.push(CodeEffect::Script(Lang::Perl, known(unquoted(rest)))),
            _ => {}
        }
    }
    // A server without a directory only forwards requests.
    match (address, root) {
        (Some((host, _)), Some(root)) => {
            effects.push(CodeEffect::Serve { host: known(host), root: known(root) });
        }
        (Some((host, port)), None) => {
            effects.push(CodeEffect::Listen { host: known(host), port: known(port) });
        }
        _ => {}
    }
}

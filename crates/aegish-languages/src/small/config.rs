//! Configuration of ssh and nginx: values that are run.

use super::quoted_words::{head, unquoted, words};
use super::{known, shell, text_from};
use crate::CodeEffect;
use aegish_profiles::Lang;
use aegish_values::Value;

/// `Key=Value` or `Key Value`, from `-o` or a configuration file.
///
/// The argument is the host of the command line, which commands may name by a token.
pub(super) fn ssh(code: &str, args: &[Value], effects: &mut Vec<CodeEffect>) {
    let host = args.last().and_then(Value::as_known);
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
            "proxycommand" => shell(&format!("exec {}", with_host(value, host)), effects),
            "localcommand" | "knownhostscommand" | "ssh_command" | "sftp.command" => {
                shell(&with_host(value, host), effects);
            }
            "pkcs11provider" | "securitykeyprovider" if !matches!(value, "internal") => {
                effects.push(CodeEffect::Load(known(value)));
            }
            "smartcarddevice" => effects.push(CodeEffect::Load(known(value))),
            "xauthlocation" => effects.push(CodeEffect::Argv(vec![known(value)])),
            "include" => {
                for path in words(value) {
                    effects.push(CodeEffect::Script(Lang::SshOption, known(path)));
                }
            }
            "match" => {
                if let Some(command) = command_of_match(line) {
                    shell(&with_host(&command, host), effects);
                }
            }
            _ => {}
        }
    }
}

/// The command of `Match exec "command"`.
fn command_of_match(line: &str) -> Option<String> {
    let at = line.to_ascii_lowercase().find("exec")?;
    let rest = text_from(line, at + "exec".len());
    let rest = rest.trim_start_matches(|c: char| c == '=' || c.is_whitespace());
    // Quotes inside the quotes are escaped.
    match rest.strip_prefix('"') {
        Some(quoted) => {
            let mut out = String::new();
            let mut chars = quoted.chars();
            while let Some(c) = chars.next().filter(|c| *c != '"') {
                out.extend(if c == '\\' { chars.next() } else { Some(c) });
            }
            Some(out)
        }
        None => Some(head(rest).0.to_owned()),
    }
}

/// A command in which tokens stand for the host and the user that were asked for.
fn with_host(command: &str, host: Option<&str>) -> String {
    let Some(host) = host else { return command.to_owned() };
    let address = host.strip_prefix("ssh://").unwrap_or(host);
    let (user, name) = address.rsplit_once('@').unwrap_or(("%r", address));
    command.replace("%h", name).replace("%n", name).replace("%r", user)
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

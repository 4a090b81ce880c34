//! Settings of programs, `key=value`, that make the program run, load or fetch something.

use super::quoted_words::{unquoted, words};
use super::{known, shell, text_to, write};
use crate::CodeEffect;
use aegish_profiles::{
    DisarmEffect, EscapeEffect, Lang, PackageEffect, RemoteEffect, SystemEffect,
};
use aegish_values::{Piece, Value};

/// Key and value without blanks and quotes around them.
fn pair(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once('=')?;
    let (key, value) = (unquoted(key), unquoted(value));
    (!key.is_empty() && !value.is_empty()).then_some((key, value))
}

fn last(key: &str) -> &str {
    key.rsplit(['.', '/']).next().unwrap_or(key)
}

/// Adds a source of packages.
fn source(address: &str, effects: &mut Vec<CodeEffect>) {
    let what = SystemEffect::Package(PackageEffect::OtherSource);
    let detail = "takes packages from another source";
    effects.push(CodeEffect::System { what, detail, object: known(address) });
}

/// `php -d`: extensions, files put before every script, the program that sends mail.
pub(super) fn php(code: &str, effects: &mut Vec<CodeEffect>) {
    for (key, value) in code.lines().filter_map(pair) {
        match key {
            "extension" | "zend_extension" if value.contains(['/', '.']) => {
                effects.push(CodeEffect::Load(known(value)));
            }
            "extension_dir" => effects.push(CodeEffect::List(known(value))),
            "auto_prepend_file" | "auto_append_file" | "opcache.preload" => {
                effects.push(if value.contains("://") {
                    CodeEffect::Eval(Lang::Php, Value::unknown("prepended code"))
                } else {
                    CodeEffect::Script(Lang::Php, known(value))
                });
            }
            "sendmail_path" => shell(value, effects),
            "error_log" | "mail.log" => write(known(value), true, effects),
            _ => {}
        }
    }
}

/// `wireshark -X key:value`
pub(super) fn wireshark(code: &str, effects: &mut Vec<CodeEffect>) {
    if let Some(path) = code.strip_prefix("lua_script:") {
        effects.push(CodeEffect::Load(known(path)));
    }
}

/// `openssl engine -pre SO_PATH:file`
pub(super) fn engine_control(code: &str, effects: &mut Vec<CodeEffect>) {
    if let Some(path) = code.strip_prefix("SO_PATH:") {
        effects.push(CodeEffect::Load(known(path)));
    }
}

/// `npm config set`
pub(super) fn npm(code: &str, effects: &mut Vec<CodeEffect>) {
    for (key, value) in code.lines().filter_map(pair) {
        match key {
            // npm runs every script with this program.
            "script-shell" | "shell" => {
                effects.push(CodeEffect::Argv(vec![known(value), known("-c"), known(":")]));
            }
            "git" => effects.push(CodeEffect::Argv(vec![known(value)])),
            "editor" | "viewer" | "browser" if !matches!(value, "true" | "false") => {
                shell(value, effects);
            }
            "init-module" | "onload-script" => {
                effects.push(CodeEffect::Script(Lang::Node, known(value)));
            }
            "node-options" => {
                let mut command = vec![known("node")];
                command.extend(words(value).into_iter().map(known));
                effects.push(CodeEffect::Argv(command));
            }
            key if key == "registry" || key.ends_with(":registry") => source(value, effects),
            // `npm pkg set scripts.postinstall=…`
            key if key.starts_with("scripts.") => shell(value, effects),
            _ => {}
        }
    }
}

/// pip, poetry, composer, conda, yarn: a value that is an address is a source of packages.
pub(super) fn packages(code: &str, effects: &mut Vec<CodeEffect>) {
    let (key, value) = code.split_once('=').unwrap_or((code, ""));
    let about_sources =
        ["goproxy", "index", "registry", "repositor", "source", "channel", "find-links", "mirror"];
    let key = key.to_ascii_lowercase();
    if !about_sources.iter().any(|word| key.contains(word)) {
        return;
    }
    for word in words(value)
        .iter()
        .flat_map(|word| word.split([',', '|']))
        .filter(|word| word.contains("://"))
    {
        source(word, effects);
    }
}

/// `cargo --config key=value`
pub(super) fn cargo(code: &str, effects: &mut Vec<CodeEffect>) {
    for (key, value) in code.lines().filter_map(pair) {
        let value =
            value.trim_start_matches('[').trim_end_matches(']').replace(['"', ',', '\''], " ");
        match last(key) {
            "runner"
            | "linker"
            | "rustc"
            | "rustc-wrapper"
            | "rustc-workspace-wrapper"
            | "rustdoc"
            | "credential-provider"
            | "credential-process" => shell(&value, effects),
            "registry" | "index" => source(value.trim(), effects),
            _ => {}
        }
    }
}

/// `dnf --setopt key=value`
pub(super) fn dnf(code: &str, effects: &mut Vec<CodeEffect>) {
    for (key, value) in code.lines().filter_map(pair) {
        match last(key) {
            "pluginpath" => effects.push(CodeEffect::Directory(known(value))),
            "reposdir" | "pluginconfpath" => effects.push(CodeEffect::Read(known(value))),
            "baseurl" | "mirrorlist" | "metalink" => source(value, effects),
            "gpgcheck" | "repo_gpgcheck" | "localpkg_gpgcheck"
                if matches!(value, "0" | "false") =>
            {
                let what = SystemEffect::Package(PackageEffect::Trust);
                let detail = "switches off the check of signatures";
                effects.push(CodeEffect::System { what, detail, object: Value::empty() });
            }
            _ => {}
        }
    }
}

/// gsettings, dconf, desktop entries, window managers: keys, actions and lines whose value is a command.
pub(super) fn desktop(code: &str, effects: &mut Vec<CodeEffect>) {
    for line in code.lines().map(str::trim) {
        if let Some((key, value)) = pair(line)
            && matches!(
                last(key),
                "command"
                    | "exec"
                    | "exec-arg"
                    | "binding-command"
                    | "run-command"
                    | "Exec"
                    | "TryExec"
                    | "exec-once"
            )
        {
            shell(unquoted(value), effects);
        } else if let Some((name, command)) = line.split_once(' ')
            && matches!(name, "exec" | "exec_always")
        {
            shell(command.trim_start_matches("--no-startup-id").trim(), effects);
        }
    }
}

/// `"keys": "text"` of readline: a text with a line end is typed at a prompt.
pub(super) fn inputrc(code: &str, effects: &mut Vec<CodeEffect>) {
    for line in code.lines() {
        let Some((_, typed)) = line.split_once(':') else { continue };
        let ends = ["\\n", "\\C-m", "\\C-j", "\\r"];
        for end in ends {
            if let Some((command, _)) = typed.split_once(end) {
                shell(command.trim_start().trim_start_matches('"'), effects);
                break;
            }
        }
    }
}

/// Commands of Redis that write files or load code.
pub(super) fn redis(code: &str, effects: &mut Vec<CodeEffect>) {
    let mut directory = Value::unknown("directory of the server");
    for line in code.lines() {
        let words = words(line);
        let lower: Vec<String> = words.iter().map(|word| word.to_ascii_lowercase()).collect();
        let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
        match (lower.as_slice(), words.as_slice()) {
            (["config", "set", "dir", ..], [_, _, _, path, ..]) => {
                directory = known(path.trim_end_matches('/'));
                write(known(path.as_str()), true, effects);
            }
            (["config", "set", "dbfilename" | "appendfilename", ..], [_, _, _, name, ..]) => {
                let mut path = directory.clone();
                path.push(Piece::Text(format!("/{name}").into()));
                write(path, false, effects);
            }
            (["module", "load" | "loadex", ..], [_, _, module, ..]) => {
                effects.push(CodeEffect::Load(known(module.as_str())));
            }
            (["flushall" | "flushdb", ..], _) => effects.push(CodeEffect::System {
                what: SystemEffect::Remote(RemoteEffect::DeleteData),
                detail: "deletes all keys of a Redis database",
                object: Value::empty(),
            }),
            (["eval", ..], [_, code, ..]) => {
                effects.push(CodeEffect::Eval(Lang::Lua, known(code.as_str())));
            }
            _ => {}
        }
    }
}

/// Commands of tmux that run something, or set what it runs later.
const RUNNING_IN_TMUX: &[&str] = &[
    "run-shell",
    "run",
    "if-shell",
    "if",
    "pipe-pane",
    "set-hook",
    "bind",
    "bind-key",
    "source-file",
    "source",
];

/// Lines of `~/.tmux.conf` and commands inside commands. Each is a command line of `tmux`.
pub(super) fn tmux(code: &str, effects: &mut Vec<CodeEffect>) {
    for line in super::quoted_words::joined(code) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        for command in line.split(" \\; ") {
            let words = words(command);
            // `set -g default-command …`: every new window runs it.
            if let [name, rest @ ..] = words.as_slice()
                && matches!(name.as_str(), "set" | "set-option" | "setw" | "set-window-option")
                && let Some(at) = rest.iter().position(|word| {
                    matches!(word.as_str(), "default-command" | "default-shell" | "lock-command")
                })
                && let Some(command) = rest.get(at + 1)
            {
                shell(command, effects);
            }
            if words.first().is_some_and(|name| RUNNING_IN_TMUX.contains(&name.as_str())) {
                let mut argv = vec![known("tmux")];
                argv.extend(words.into_iter().map(known));
                effects.push(CodeEffect::Argv(argv));
            }
        }
        // `#(command)` in a status line.
        for part in line.split("#(").skip(1) {
            shell(part.split(')').next().unwrap_or(""), effects);
        }
    }
}

/// `~/.forward`, aliases: `|command`, `"|command"`, `/file`.
pub(super) fn forward(code: &str, effects: &mut Vec<CodeEffect>) {
    for line in code.lines().filter(|line| !line.starts_with('#')) {
        let target = line.split_once(": ").map_or(line, |(_, target)| target);
        let target = unquoted(target.trim());
        if let Some(command) = target.strip_prefix('|') {
            shell(command.trim_matches('"'), effects);
        } else if target.starts_with('/') {
            write(known(target), true, effects);
        }
    }
}

/// `name:password`, and lines of the account file, as `chpasswd` and `newusers` read them.
pub(super) fn accounts(code: &str, effects: &mut Vec<CodeEffect>) {
    for line in code.lines() {
        let fields: Vec<&str> = line.trim().split(':').collect();
        let detail = match fields.as_slice() {
            ["root", _] => "sets the password of root",
            [_, _, "0", ..] => "makes an account with all rights",
            _ => continue,
        };
        let what = SystemEffect::Privilege;
        effects.push(CodeEffect::System {
            what,
            detail,
            object: known(fields.first().copied().unwrap_or_default()),
        });
    }
}

/// Addresses of repositories: git runs the command of `ext::command`.
pub(super) fn git_url(code: &str, effects: &mut Vec<CodeEffect>) {
    if let Some(command) = code.trim().strip_prefix("ext::") {
        // `% ` is a blank inside a word, `%S` and `%s` are the requested service.
        shell(&command.replace("% ", "\\ ").replace("%S", "git").replace("%s", "git"), effects);
    } else if let Some((scheme, rest)) = code.split_once("://")
        && rest.starts_with('-')
        && scheme.contains("ssh")
    {
        // ssh reads such a host as an option.
        shell(&format!("ssh {rest}"), effects);
    }
}

/// Kubernetes objects that get access to their node.
pub(super) fn manifest(code: &str, effects: &mut Vec<CodeEffect>) {
    let mut host_path = false;
    for line in code.split(['\n', ',', '{', '}', '[', ']']) {
        let line = line.trim().trim_start_matches("- ");
        let line = if line.starts_with(['"', '\'']) { unquoted(line) } else { line };
        let Some((key, value)) = line.split_once(':') else { continue };
        let (key, value) = (unquoted(key), unquoted(value));
        let (what, detail) = match (key, value) {
            // A volume of a compose file: `- /:/host`.
            (source, target) if source.starts_with('/') && target.starts_with('/') => {
                if !reaches_everything(source) {
                    continue;
                }
                (EscapeEffect::HostFiles, "container that sees the file system of the machine")
            }
            ("privileged", "true") => {
                (EscapeEffect::Privileged, "container with all rights of the node")
            }
            ("hostPID" | "hostIPC", "true") => {
                (EscapeEffect::Namespace, "container that sees all processes of the node")
            }
            ("hostPath", _) => {
                host_path = true;
                continue;
            }
            ("path", path) if std::mem::take(&mut host_path) => {
                if reaches_everything(path) {
                    (EscapeEffect::HostFiles, "container that sees the file system of the node")
                } else {
                    continue;
                }
            }
            ("roleRef", _) => continue,
            ("name", "cluster-admin") => {
                let what = SystemEffect::Privilege;
                let detail = "gives all rights in the cluster";
                effects.push(CodeEffect::System { what, detail, object: Value::empty() });
                continue;
            }
            _ => continue,
        };
        let what = SystemEffect::Escape(what);
        effects.push(CodeEffect::System { what, detail, object: Value::empty() });
    }
}

fn reaches_everything(path: &str) -> bool {
    matches!(
        path.trim_end_matches('/'),
        "" | "/etc" | "/root" | "/var/run" | "/run" | "/proc" | "/dev"
    ) || path.ends_with(".sock")
        || path.starts_with("/var/lib/kubelet")
}

/// ninja: the `command` of every rule.
pub(super) fn ninja(code: &str, effects: &mut Vec<CodeEffect>) {
    for (key, value) in
        super::quoted_words::joined(code).iter().filter_map(|line| line.split_once('='))
    {
        if key.trim() == "command" {
            shell(&value.replace("$$", "$"), effects);
        }
    }
}

/// Rust: `Command::new("program").arg("…")`, as a build script uses it.
pub(super) fn rust(code: &str, effects: &mut Vec<CodeEffect>) {
    for part in code.split("Command::new(").skip(1) {
        let mut strings = part.split('"').skip(1).step_by(2);
        let mut argv: Vec<Value> = strings.next().map(known).into_iter().collect();
        let chain = part.split(';').next().unwrap_or(part);
        for argument in chain.split(".arg").skip(1) {
            argv.extend(argument.split('"').skip(1).step_by(2).map(known));
        }
        if !argv.is_empty() {
            effects.push(CodeEffect::Argv(argv));
        }
    }
}

/// `service stream tcp nowait user program words…`: the program serves any client.
pub(super) fn inetd(code: &str, effects: &mut Vec<CodeEffect>) {
    for line in code.lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [port, _, protocol, _, _, program, words @ ..] = fields.as_slice() else { continue };
        if port.starts_with('#')
            || !matches!(*protocol, "tcp" | "tcp4" | "tcp6" | "udp" | "udp4" | "udp6")
        {
            continue;
        }
        effects.push(CodeEffect::Listen { host: Value::empty(), port: known(*port) });
        effects.push(CodeEffect::AttachStdio);
        let mut argv = vec![known(*program)];
        argv.extend(words.iter().skip(1).map(|word| known(*word)));
        effects.push(CodeEffect::Argv(argv));
    }
}

/// A path of augeas, `/files/etc/fstab/1/opt`: a file and a path inside it.
pub(super) fn augeas(code: &str, effects: &mut Vec<CodeEffect>) {
    let Some(path) = code.strip_prefix("/files") else { return };
    for (at, _) in path.match_indices('/').skip(2) {
        write(known(text_to(path, at)), true, effects);
    }
    write(known(path), true, effects);
}

/// `make SHELL=program`: make runs every line of a recipe with this program. The rules that it knows by itself run
/// what the variables of tools say; a value of the environment has no name before it.
pub(super) fn make_word(code: &str, effects: &mut Vec<CodeEffect>) {
    const TOOLS: [&str; 8] = ["CC", "CXX", "CPP", "AS", "FC", "LEX", "YACC", "COMPILE"];
    let separates = |text: &str| text.contains([';', '|', '&', '`', '<', '>', '\n']);
    match pair(code) {
        Some(("SHELL", program)) => {
            let mut argv: Vec<Value> = words(program).into_iter().map(known).collect();
            argv.extend([known("-c"), known(":")]);
            effects.push(CodeEffect::Argv(argv));
        }
        Some((name, value))
            if (name.ends_with("FLAGS")
                || name == "OUTPUT_OPTION"
                || name.starts_with("LD")
                || name.starts_with("LINK.")
                || name.starts_with("COMPILE."))
                && separates(value) =>
        {
            shell(&format!(": {value}"), effects);
        }
        Some((name, value)) if TOOLS.contains(&name) && value.contains(char::is_whitespace) => {
            shell(value, effects);
        }
        None if separates(code) => shell(code, effects),
        _ => {}
    }
}

/// `sshd -o key=value`: settings that admit users, and programs that sshd asks about them.
pub(super) fn sshd(code: &str, effects: &mut Vec<CodeEffect>) {
    for line in code.lines() {
        let (key, value) = line.split_once(['=', ' ']).unwrap_or((line, ""));
        let value = unquoted(value);
        let detail = match (key.trim().to_ascii_lowercase().as_str(), value) {
            ("permitemptypasswords", "yes") => "lets everybody in without a password",
            ("authorizedkeysfile", path) if path.starts_with('/') => {
                "trusts keys of its own choice"
            }
            ("authorizedkeyscommand" | "forcecommand", command) => {
                shell(command, effects);
                continue;
            }
            _ => continue,
        };
        let what = SystemEffect::Disarm(DisarmEffect::Check);
        effects.push(CodeEffect::System { what, detail, object: known(value) });
    }
}

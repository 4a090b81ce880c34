//! The words of a profile: roles, languages, deeds. An unknown one is a mistake of the profile.

use std::fmt::Write as _;

const DEEDS: &[&str] = &[
    "inert",
    "serve",
    "send-stdin",
    "tree",
    "in-place",
    "look",
    "unpack",
    "makes",
    "checkout",
    "pipe",
    "elevate",
    "save-remote-name",
    "fetch",
    "shell",
    "terminal",
    "detached",
    "obey",
    "attach",
    "hidden",
    "privilege",
    "install",
    "persist",
    "recon",
    "destroy",
    "discard",
    "exhaust",
    "disarm",
    "kernel",
    "escape",
    "inspect",
    "power",
    "kill",
    "service",
    "network",
    "remote",
    "account",
    "setting",
    "secret",
];

pub(super) fn deeds(words: &[String]) -> Result<String, String> {
    let mut out = String::from("[");
    for word in words {
        let (tag, detail) = word.split_once(':').unwrap_or((word, ""));
        if !DEEDS.contains(&tag) {
            return Err(format!("unknown deed `{word}`"));
        }
        let _ = write!(out, "DeclaredEffect {{ tag: {tag:?}, detail: {:?} }},", detail.trim());
    }
    out.push(']');
    Ok(out)
}

pub(super) fn stdin(word: &str) -> Result<String, String> {
    match word {
        "data" => Ok("Stdin::Data".to_owned()),
        "none" => Ok("Stdin::None".to_owned()),
        "remote-code" => Ok("Stdin::RemoteCode".to_owned()),
        "argv-lines" => Ok("Stdin::ArgvLines".to_owned()),
        "paths" => Ok("Stdin::Paths".to_owned()),
        _ => match word.strip_prefix("code:") {
            Some(name) => Ok(format!("Stdin::Code({})", lang(name)?)),
            None => Err(format!("unknown stdin `{word}`")),
        },
    }
}

const LANGS: &[&str] = &[
    "shell",
    "python",
    "perl",
    "ruby",
    "node",
    "php",
    "lua",
    "awk",
    "sed",
    "vim",
    "emacs",
    "sqlite",
    "mysql",
    "psql",
    "gdb",
    "tcl",
    "r",
    "julia",
    "make",
    "tex",
    "jq",
    "groovy",
    "java",
    "go",
    "elixir",
    "erlang",
    "scheme",
    "octave",
    "gnuplot",
    "dc",
    "bc",
    "m4",
    "cmake",
    "systemd",
    "cron",
    "nginx",
    "ini",
    "json",
    "yaml",
    "xml",
    "tar-action",
    "socat",
    "git-config",
    "ssh-option",
    "rsync-module",
    "ftp",
    "mail",
    "expect",
    "osascript",
    "powershell",
    "sed-script",
    "rpm-macro",
    "runscript",
    "procmail",
    "rsyslog",
    "toprc",
    "roff",
    "cobol",
    "init-script",
    "sysctl-name",
    "variable-name",
    "nmap-args",
    "tar-transform",
    "elvish",
    "fzf-bind",
    "haskell",
    "fail2ban",
    "fastfetch",
    "logrotate",
    "lessopen",
    "ffmpeg-filter",
    "debugfs",
    "program-dir",
    "csharp",
    "ocaml",
    "raku",
    "calculator",
    "hcl",
    "php-setting",
    "wireshark-extension",
    "engine-control",
    "npm-setting",
    "package-setting",
    "cargo-setting",
    "dnf-setting",
    "desktop-setting",
    "redis",
    "tmux",
    "forward",
    "manifest",
    "accounts",
    "git-url",
    "ninja",
    "rust",
    "ipython",
    "inetd",
    "augeas",
    "make-word",
    "ffmpeg-input",
    "sshd-option",
];

fn lang(word: &str) -> Result<String, String> {
    if LANGS.contains(&word) {
        Ok(format!("Lang::{}", camel(word)))
    } else {
        Err(format!("unknown language `{word}`"))
    }
}

const ROLES: &[&str] = &[
    "text",
    "path",
    "dir",
    "read",
    "read-tree",
    "read-at",
    "write",
    "append",
    "edit",
    "write-dir",
    "make-dir",
    "log",
    "delete",
    "delete-tree",
    "copy-from",
    "move-from",
    "copy-to",
    "copy-into",
    "link-target",
    "link-name",
    "mode",
    "mode-path",
    "owner",
    "owner-path",
    "config",
    "url",
    "host",
    "port",
    "listen",
    "remote-from",
    "remote-to",
    "send",
    "send-file",
    "send-at",
    "send-item",
    "serve",
    "argv",
    "env-argv",
    "argv-until",
    "argv-string",
    "program",
    "shell",
    "shell-words",
    "shell-argv",
    "remote-argv",
    "remote-shell",
    "remote-words",
    "side-argv",
    "side-shell",
    "side-program",
    "side-argv-string",
    "args",
    "library",
    "package",
    "package-source",
    "mount",
    "destroy",
    "assign",
    "unset",
];

pub(super) fn role(word: &str) -> Result<String, String> {
    if let Some(name) = word.strip_prefix("code:") {
        return Ok(format!("Role::Code({})", lang(name)?));
    }
    if let Some(name) = word.strip_prefix("script:") {
        return Ok(format!("Role::Script({})", lang(name)?));
    }
    if let Some(name) = word.strip_prefix("module:") {
        return Ok(format!("Role::Module({})", lang(name)?));
    }
    if let Some(name) = word.strip_prefix("setting:") {
        return Ok(format!("Role::Setting({})", lang(name)?));
    }
    if let Some(name) = word.strip_prefix("words:") {
        return Ok(format!("Role::Words({})", lang(name)?));
    }
    if ROLES.contains(&word) {
        Ok(format!("Role::{}", camel(word)))
    } else {
        Err(format!("unknown role `{word}`"))
    }
}

pub(super) fn camel(word: &str) -> String {
    word.split('-')
        .map(|part| {
            let mut chars = part.chars();
            chars.next().map_or_else(String::new, |first| {
                first.to_ascii_uppercase().to_string() + chars.as_str()
            })
        })
        .collect()
}

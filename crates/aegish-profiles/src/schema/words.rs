//! The words of a profile: roles, languages, effects. An unknown one is a mistake of the profile.

use crate::system::SystemEffect;
use crate::vocabulary::{Behaviour, Lang, Trait};
use std::fmt::Write as _;

/// Effects as written in `does`, `words` and `values`: `words` or `words: text for people`.
pub(super) fn effects(entries: &[String]) -> Result<String, String> {
    let mut out = String::from("[");
    for entry in entries {
        let (words, text) = entry.split_once(':').unwrap_or((entry, ""));
        let (words, text) = (words.trim(), text.trim());
        if let Some(behaviour) = Behaviour::of_word(words) {
            let _ = write!(out, "DeclaredEffect::Behaviour(Behaviour::{behaviour:?}, {text:?}),");
        } else if let Some(effect) = SystemEffect::of_words(words) {
            let effect = source(effect);
            let _ = write!(out, "DeclaredEffect::System({effect}, Detail::new({text:?})),");
        } else {
            return Err(format!("unknown effect `{words}` in `{entry}`; {}", allowed(words)));
        }
    }
    out.push(']');
    Ok(out)
}

/// `Service(Stop)` as Rust source with its paths.
fn source(effect: SystemEffect) -> String {
    let shown = format!("{effect:?}");
    match shown.trim_end_matches(')').split_once('(') {
        Some((group, variant)) => {
            format!("SystemEffect::{group}({group}Effect::{variant})")
        }
        None => format!("SystemEffect::{shown}"),
    }
}

/// The words that could have been meant: those of the same group, or all groups.
fn allowed(words: &str) -> String {
    let group = words.split(' ').next().unwrap_or(words);
    let all = || SystemEffect::VOCABULARY.iter();
    let same: Vec<&str> =
        all().filter(|entry| entry.effect.group() == group).map(|entry| entry.words).collect();
    if !same.is_empty() {
        return format!("allowed are {}", same.join(", "));
    }
    let mut groups: Vec<&str> = Behaviour::ALL.iter().map(|behaviour| behaviour.word()).collect();
    groups.extend(all().map(|entry| entry.effect.group()));
    groups.dedup();
    format!("allowed are {}", groups.join(", "))
}

pub(super) fn traits(words: &[String]) -> Result<String, String> {
    let mut out = String::from("[");
    for word in words {
        let Some(own) = Trait::of_word(word) else {
            let all: Vec<&str> = Trait::ALL.iter().map(|known| known.word()).collect();
            return Err(format!("unknown trait `{word}`; allowed are {}", all.join(", ")));
        };
        let _ = write!(out, "Trait::{own:?},");
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

fn lang(word: &str) -> Result<String, String> {
    let lang = Lang::of_word(word).ok_or_else(|| format!("unknown language `{word}`"))?;
    Ok(format!("Lang::{lang:?}"))
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

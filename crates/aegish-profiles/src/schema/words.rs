//! The words of a profile: roles, languages, effects. An unknown word is an error.

use super::{slice, text};
use crate::system::{Detail, SystemEffect};
use crate::table::{ArgumentRole, DeclaredEffect, Stdin};
use crate::vocabulary::{Behaviour, Lang, Trait};
use std::fmt::Debug;

/// Effects as written in `does`, `words` and `values`: `words` or `words: text for people`.
pub(super) fn effects(entries: &[String]) -> Result<&'static [DeclaredEffect], String> {
    slice(entries.iter().map(|entry| {
        let (words, detail) = entry.split_once(':').unwrap_or((entry, ""));
        let (words, detail) = (words.trim(), text(detail.trim()));
        if let Some(behaviour) = Behaviour::of_word(words) {
            Ok(DeclaredEffect::Behaviour(behaviour, detail))
        } else if let Some(effect) = SystemEffect::of_words(words) {
            Ok(DeclaredEffect::System(effect, Detail::new(detail)))
        } else {
            Err(format!("unknown effect `{words}` in `{entry}`; {}", allowed(words)))
        }
    }))
}

/// Suggests words: those of the same group, or all groups.
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

pub(super) fn traits(words: &[String]) -> Result<&'static [Trait], String> {
    slice(words.iter().map(|word| {
        Trait::of_word(word).ok_or_else(|| {
            let all: Vec<&str> = Trait::ALL.iter().map(|known| known.word()).collect();
            format!("unknown trait `{word}`; allowed are {}", all.join(", "))
        })
    }))
}

pub(super) fn stdin(word: &str) -> Result<Stdin, String> {
    match word.strip_prefix("code:") {
        Some(name) => Ok(Stdin::Code(lang(name)?)),
        None => named("stdin", Stdin::PLAIN, word),
    }
}

pub(super) fn role(word: &str) -> Result<ArgumentRole, String> {
    let with_lang: fn(Lang) -> ArgumentRole = match word.split_once(':') {
        Some(("code", _)) => ArgumentRole::Code,
        Some(("script", _)) => ArgumentRole::Script,
        Some(("module", _)) => ArgumentRole::Module,
        Some(("setting", _)) => ArgumentRole::Setting,
        Some(("words", _)) => ArgumentRole::Words,
        _ => return named("role", ArgumentRole::PLAIN, word),
    };
    let name = word.split_once(':').map_or("", |(_, name)| name);
    Ok(with_lang(lang(name)?))
}

fn lang(word: &str) -> Result<Lang, String> {
    Lang::of_word(word).ok_or_else(|| format!("unknown language `{word}`"))
}

/// The value that a word names: `read-tree` is `ReadTree`.
pub(super) fn named<T: Copy + Debug>(what: &str, all: &[T], word: &str) -> Result<T, String> {
    let found = all.iter().copied().find(|value| kebab(&format!("{value:?}")) == word);
    found.ok_or_else(|| format!("unknown {what} `{word}`"))
}

fn kebab(camel: &str) -> String {
    let mut out = String::new();
    for c in camel.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

//! The file format of a profile and its translation into the compiled form. Used by `build.rs` only.

#[path = "schema/words.rs"]
mod words;

use crate::table::{
    ArgumentRole, Count, DeclaredEffect, Example, Grammar, Mode, OperandSlot, Opt, Profile,
    Special, Style, Sub,
};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use words::{effects, named, role, stdin, traits};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    pub(crate) name: String,
    #[serde(default)]
    aliases: Vec<String>,
    summary: String,
    source: String,
    #[serde(default)]
    traits: Vec<String>,
    #[serde(default)]
    helper: bool,
    #[serde(default)]
    external: bool,
    special: Option<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    inputs: BTreeMap<String, String>,
    #[serde(default)]
    example: Vec<ExampleEntry>,
    // The grammar's fields are repeated here because a TOML table with `deny_unknown_fields` cannot be
    // flattened. `grammar` joins them.
    #[serde(default)]
    style: Option<String>,
    #[serde(default)]
    options: BTreeMap<String, OptEntry>,
    #[serde(default)]
    operands: Vec<String>,
    stdin: Option<String>,
    keys: Option<String>,
    #[serde(default)]
    does: Vec<String>,
    #[serde(default)]
    words: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    mode: Vec<ModeEntry>,
    #[serde(default)]
    sub: BTreeMap<String, GrammarEntry>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct GrammarEntry {
    style: Option<String>,
    options: BTreeMap<String, OptEntry>,
    operands: Vec<String>,
    stdin: Option<String>,
    keys: Option<String>,
    does: Vec<String>,
    words: BTreeMap<String, Vec<String>>,
    mode: Vec<ModeEntry>,
    sub: BTreeMap<String, GrammarEntry>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OptEntry {
    Role(String),
    Full(FullOpt),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FullOpt {
    value: Option<String>,
    #[serde(default)]
    optional: bool,
    #[serde(default)]
    more: u8,
    #[serde(default)]
    does: Vec<String>,
    #[serde(default)]
    values: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModeEntry {
    when: Vec<String>,
    #[serde(default)]
    and: Vec<String>,
    operands: Option<Vec<String>>,
    #[serde(default)]
    options: BTreeMap<String, OptEntry>,
    #[serde(default)]
    does: Vec<String>,
    #[serde(default)]
    words: BTreeMap<String, Vec<String>>,
    stdin: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExampleEntry {
    command: String,
    #[serde(default)]
    effects: Vec<String>,
    #[serde(default)]
    never: Vec<String>,
}

/// Reads all profiles, sorted by name.
pub(crate) fn load(folder: &Path) -> Result<Vec<File>, String> {
    let mut profiles = Vec::new();
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|e| e.to_string())?.path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let shown = path.display();
        let text = fs::read_to_string(&path).map_err(|e| format!("{shown}: {e}"))?;
        let file: File = toml::from_str(&text).map_err(|e| format!("{shown}: {e}"))?;
        if path.file_stem().and_then(|stem| stem.to_str()) != Some(file.name.as_str()) {
            return Err(format!("{shown}: name = \"{}\" is not the file's name", file.name));
        }
        profiles.push(file);
    }
    profiles.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(profiles)
}

/// Compiles a file.
pub(crate) fn profile(file: &File) -> Result<Profile, String> {
    let special = file.special.as_deref();
    let examples = file.example.iter().map(|example| Example {
        command: text(&example.command),
        effects: texts(&example.effects),
        never: texts(&example.never),
    });
    Ok(Profile {
        name: text(&file.name),
        aliases: texts(&file.aliases),
        summary: text(&file.summary),
        source: text(&file.source),
        traits: traits(&file.traits)?,
        helper: file.helper,
        external: file.external,
        special: special.map(|word| named("special", Special::ALL, word)).transpose()?,
        env: with_roles(&file.env)?,
        inputs: with_roles(&file.inputs)?,
        grammar: grammar(&GrammarView {
            style: file.style.as_deref(),
            options: &file.options,
            operands: &file.operands,
            stdin: file.stdin.as_deref(),
            keys: file.keys.as_deref(),
            does: &file.does,
            words: &file.words,
            modes: &file.mode,
            subs: &file.sub,
        })?,
        examples: slice(examples.map(Ok))?,
    })
}

/// The fields of a grammar, of a program or of a subcommand.
struct GrammarView<'a> {
    style: Option<&'a str>,
    options: &'a BTreeMap<String, OptEntry>,
    operands: &'a [String],
    stdin: Option<&'a str>,
    keys: Option<&'a str>,
    does: &'a [String],
    words: &'a BTreeMap<String, Vec<String>>,
    modes: &'a [ModeEntry],
    subs: &'a BTreeMap<String, GrammarEntry>,
}

fn grammar(view: &GrammarView<'_>) -> Result<Grammar, String> {
    let sub = |(key, sub): (&String, &GrammarEntry)| {
        let grammar = grammar(&GrammarView {
            // If the options of a program are whole words, those of its subcommands are too.
            style: sub.style.as_deref().or(view.style.filter(|style| *style == "long")),
            options: &sub.options,
            operands: &sub.operands,
            stdin: sub.stdin.as_deref(),
            keys: sub.keys.as_deref(),
            does: &sub.does,
            words: &sub.words,
            modes: &sub.mode,
            subs: &sub.sub,
        });
        let grammar = grammar.map_err(|e| format!("sub {key}: {e}"))?;
        Ok(Sub { names: spellings(key), grammar })
    };
    Ok(Grammar {
        style: named("style", Style::ALL, view.style.unwrap_or("gnu"))?,
        options: options(view.options)?,
        operands: operands(view.operands)?,
        stdin: stdin(view.stdin.unwrap_or("data"))?,
        keys: view.keys.map(text),
        does: effects(view.does)?,
        words: conditional(view.words)?,
        modes: slice(view.modes.iter().map(mode))?,
        subs: slice(view.subs.iter().map(sub))?,
    })
}

fn mode(mode: &ModeEntry) -> Result<Mode, String> {
    Ok(Mode {
        when: texts(&mode.when),
        and: texts(&mode.and),
        operands: mode.operands.as_deref().map(operands).transpose()?,
        options: options(&mode.options)?,
        does: effects(&mode.does)?,
        words: conditional(&mode.words)?,
        stdin: mode.stdin.as_deref().map(stdin).transpose()?,
    })
}

fn with_roles(
    entries: &BTreeMap<String, String>,
) -> Result<&'static [(&'static str, ArgumentRole)], String> {
    slice(entries.iter().map(|(name, word)| Ok((text(name), role(word)?))))
}

type Conditional = (&'static str, &'static [DeclaredEffect]);

/// Effects that depend on a word.
fn conditional(entries: &BTreeMap<String, Vec<String>>) -> Result<&'static [Conditional], String> {
    let pairs = entries.iter().flat_map(|(keys, words)| {
        keys.split_whitespace().map(move |key| {
            let key = if key == "''" { "" } else { key };
            Ok((text(key), effects(words)?))
        })
    });
    slice(pairs)
}

fn options(entries: &BTreeMap<String, OptEntry>) -> Result<&'static [Opt], String> {
    slice(entries.iter().map(|(key, entry)| {
        let in_option = |e: String| format!("option {key}: {e}");
        let names = spellings(key);
        match entry {
            OptEntry::Role(word) => {
                let value = Some(role(word).map_err(in_option)?);
                Ok(Opt { names, value, optional: false, more: 0, does: &[], values: &[] })
            }
            OptEntry::Full(full) => Ok(Opt {
                names,
                value: full.value.as_deref().map(role).transpose().map_err(in_option)?,
                optional: full.optional,
                more: full.more,
                does: effects(&full.does)?,
                values: conditional(&full.values)?,
            }),
        }
    }))
}

fn operands(slots: &[String]) -> Result<&'static [OperandSlot], String> {
    slice(slots.iter().map(|slot| {
        let (word, count) = match slot.strip_suffix(['?', '*', '+']) {
            None => (slot.as_str(), Count::One),
            Some(word) if slot.ends_with('?') => (word, Count::Optional),
            Some(word) if slot.ends_with('*') => (word, Count::Any),
            Some(word) => (word, Count::Some),
        };
        Ok(OperandSlot { role: role(word)?, count })
    }))
}

/// The names of an option or subcommand.
fn spellings(key: &str) -> &'static [&'static str] {
    key.split_whitespace().map(text).collect::<Vec<_>>().leak()
}

fn texts(all: &[String]) -> &'static [&'static str] {
    all.iter().map(|one| text(one)).collect::<Vec<_>>().leak()
}

/// Leaks the text: the compiled form borrows for `'static`, and a build script is short-lived.
fn text(text: &str) -> &'static str {
    text.to_owned().leak()
}

fn slice<T>(items: impl Iterator<Item = Result<T, String>>) -> Result<&'static [T], String> {
    Ok(items.collect::<Result<Vec<T>, String>>()?.leak())
}

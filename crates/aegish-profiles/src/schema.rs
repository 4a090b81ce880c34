//! The file format of a profile and its translation into Rust source. Used by `build.rs` only.

#[path = "schema/words.rs"]
mod words;

use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use words::{camel, effects, role, stdin, traits};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    name: String,
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
    // The grammar's fields are repeated here because TOML tables with `deny_unknown_fields` cannot be
    // flattened; `grammar` puts them together.
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

/// Rust source of the static tables.
pub(crate) fn render(profiles: &[File]) -> Result<String, String> {
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    let mut out = String::from("pub(crate) static PROFILES: &[Profile] = &[\n");
    for (index, file) in profiles.iter().enumerate() {
        for name in std::iter::once(&file.name).chain(&file.aliases) {
            if let Some(other) = names.insert(name, index) {
                let other = &profiles[other].name;
                return Err(format!("{}.toml: `{name}` is already in {other}.toml", file.name));
            }
        }
        let text = profile(file).map_err(|e| format!("{}.toml: {e}", file.name))?;
        out.push_str(&text);
    }
    out.push_str("];\npub(crate) static NAMES: &[(&str, u16)] = &[\n");
    for (name, index) in names {
        let _ = writeln!(out, "({name:?}, {index}),");
    }
    out.push_str("];\npub(crate) static PERSONAL_INPUTS: &[(&str, Role, u16)] = &[\n");
    for (index, file) in profiles.iter().enumerate() {
        for (path, word) in file.inputs.iter().filter(|(path, _)| is_personal(path)) {
            let _ = writeln!(out, "({path:?}, {}, {index}),", role(word)?);
        }
    }
    out.push_str("];\n");
    Ok(out)
}

/// A file that is read at every start, wherever that is.
fn is_personal(path: &str) -> bool {
    path.starts_with("~/") || path.starts_with("**/")
}

fn profile(file: &File) -> Result<String, String> {
    let special = match file.special.as_deref() {
        None => "None".to_owned(),
        Some(word @ ("shell" | "find" | "xargs" | "parallel" | "test")) => {
            format!("Some(Special::{})", camel(word))
        }
        Some(other) => return Err(format!("unknown special `{other}`")),
    };
    let mut env = String::new();
    for (name, word) in &file.env {
        let _ = write!(env, "({name:?}, {}),", role(word)?);
    }
    let mut inputs = String::new();
    for (path, word) in &file.inputs {
        let _ = write!(inputs, "({path:?}, {}),", role(word)?);
    }
    let mut examples = String::new();
    for example in &file.example {
        let _ = write!(
            examples,
            "Example {{ command: {:?}, effects: &{:?}, never: &{:?} }},",
            example.command, example.effects, example.never
        );
    }
    let grammar = render_grammar(&GrammarView {
        style: file.style.as_deref(),
        options: &file.options,
        operands: &file.operands,
        stdin: file.stdin.as_deref(),
        keys: file.keys.as_deref(),
        does: &file.does,
        words: &file.words,
        modes: &file.mode,
        subs: &file.sub,
    })?;
    Ok(format!(
        "Profile {{ name: {:?}, aliases: &{:?}, summary: {:?}, source: {:?}, traits: &{}, helper: {}, external: {}, special: {special}, env: &[{env}], inputs: &[{inputs}], grammar: {grammar}, examples: &[{examples}] }},\n",
        file.name,
        file.aliases,
        file.summary,
        file.source,
        traits(&file.traits)?,
        file.helper,
        file.external
    ))
}

/// The grammar's fields, of a program or of a subcommand.
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

fn render_grammar(view: &GrammarView<'_>) -> Result<String, String> {
    let style = match view.style.unwrap_or("gnu") {
        word @ ("gnu" | "posix" | "long" | "bsd" | "keys" | "none") => camel(word),
        other => return Err(format!("unknown style `{other}`")),
    };
    let keys = view.keys;
    let mut rendered_modes = String::new();
    for mode in view.modes {
        let operands = match &mode.operands {
            Some(slots) => format!("Some(&{})", operands(slots)?),
            None => "None".to_owned(),
        };
        let stdin = match &mode.stdin {
            Some(word) => format!("Some({})", stdin(word)?),
            None => "None".to_owned(),
        };
        let _ = write!(
            rendered_modes,
            "Mode {{ when: &{:?}, and: &{:?}, operands: {operands}, options: &{}, does: &{}, words: &{}, stdin: {stdin} }},",
            mode.when,
            mode.and,
            options(&mode.options)?,
            effects(&mode.does)?,
            conditional(&mode.words)?
        );
    }
    let mut rendered_subs = String::new();
    for (key, sub) in view.subs {
        let names: Vec<&str> = key.split_whitespace().collect();
        let grammar = render_grammar(&GrammarView {
            // A program whose options are whole words keeps to that in its subcommands.
            style: sub.style.as_deref().or(view.style.filter(|style| *style == "long")),
            options: &sub.options,
            operands: &sub.operands,
            stdin: sub.stdin.as_deref(),
            keys: sub.keys.as_deref(),
            does: &sub.does,
            words: &sub.words,
            modes: &sub.mode,
            subs: &sub.sub,
        })
        .map_err(|e| format!("sub {key}: {e}"))?;
        let _ = write!(rendered_subs, "Sub {{ names: &{names:?}, grammar: {grammar} }},");
    }
    Ok(format!(
        "Grammar {{ style: Style::{style}, options: &{}, operands: &{}, stdin: {}, keys: {keys:?}, does: &{}, words: &{}, modes: &[{rendered_modes}], subs: &[{rendered_subs}] }}",
        options(view.options)?,
        operands(view.operands)?,
        stdin(view.stdin.unwrap_or("data"))?,
        effects(view.does)?,
        conditional(view.words)?
    ))
}

/// Effects that follow from a certain word.
fn conditional(entries: &BTreeMap<String, Vec<String>>) -> Result<String, String> {
    let mut out = String::from("[");
    for (keys, words) in entries {
        for key in keys.split_whitespace() {
            let key = if key == "''" { "" } else { key };
            let _ = write!(out, "({key:?}, &{}),", effects(words)?);
        }
    }
    out.push(']');
    Ok(out)
}

fn options(entries: &BTreeMap<String, OptEntry>) -> Result<String, String> {
    let mut out = String::from("[");
    for (key, entry) in entries {
        let names: Vec<&str> = key.split_whitespace().collect();
        let (value, optional, more, does, values) = match entry {
            OptEntry::Role(word) => (Some(word), false, 0, "[]".to_owned(), "[]".to_owned()),
            OptEntry::Full(full) => (
                full.value.as_ref(),
                full.optional,
                full.more,
                effects(&full.does)?,
                conditional(&full.values)?,
            ),
        };
        let value = match value {
            Some(word) => {
                let value = role(word).map_err(|e| format!("option {key}: {e}"))?;
                format!("Some({value})")
            }
            None => "None".to_owned(),
        };
        let _ = write!(
            out,
            "Opt {{ names: &{names:?}, value: {value}, optional: {optional}, more: {more}, does: &{does}, values: &{values} }},"
        );
    }
    out.push(']');
    Ok(out)
}

fn operands(slots: &[String]) -> Result<String, String> {
    let mut out = String::from("[");
    for slot in slots {
        let (word, count) = match slot.strip_suffix(['?', '*', '+']) {
            None => (slot.as_str(), "One"),
            Some(word) if slot.ends_with('?') => (word, "Optional"),
            Some(word) if slot.ends_with('*') => (word, "Any"),
            Some(word) => (word, "Some"),
        };
        let _ = write!(out, "Slot {{ role: {}, count: Count::{count} }},", role(word)?);
    }
    out.push(']');
    Ok(out)
}

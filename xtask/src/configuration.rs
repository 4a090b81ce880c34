//! The page about settings: prose, and the table of the program itself.

use aegish_config::{ConfigSource, Empty, Preset, Setting, Tighter, ValueType, table};
use std::fmt::Write as _;

const PROSE: &str = include_str!("configuration.md");

pub(crate) fn page(note: &str) -> String {
    let mut page = format!("# Configuration\n\n{note}{PROSE}## Settings\n\n");
    page.push_str("*Tighter* is the direction in which a source that may only tighten can go; *free* is left to all.\n\n");
    page.push_str(
        "| setting | values | default | tighter | set by | meaning |\n|---|---|---|---|---|---|\n",
    );
    for setting in table() {
        let _ = writeln!(
            page,
            "| `{}` | {} | {} | {} | {} | {} |",
            setting.name,
            values(setting.kind),
            default(setting.default),
            tighter(setting),
            by(setting.by),
            setting.doc.replace('|', "\\|")
        );
    }
    page
}

fn values(kind: ValueType) -> String {
    match kind {
        ValueType::Word(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            words.join(", ")
        }
        ValueType::Switch => "`on`, `off`".to_owned(),
        ValueType::Count { least, most } => format!("whole number, {least} to {most}"),
        ValueType::Decimal { least, most } => format!("number, {least} to {most}"),
        ValueType::Time => "number with `s`, `m`, `h` or `d`".to_owned(),
        ValueType::Text => "text".to_owned(),
        ValueType::Path => "path from the root".to_owned(),
        ValueType::List { empty: Empty::Nothing } => "list, also empty".to_owned(),
        ValueType::List { empty: Empty::Mistake } => "list".to_owned(),
        ValueType::Answers(_) => "`allow`, `deny`, list of `RULE=allow` and `RULE=deny`".to_owned(),
        ValueType::Hash => "SHA-256".to_owned(),
        ValueType::Network => {
            "`open`, `ports:` or `hosts:` with a list, `loopback`, `off`".to_owned()
        }
    }
}

fn default(preset: Preset) -> String {
    match preset {
        Preset::Always(text) => format!("`{text}`"),
        Preset::ByMode { development, production } => {
            format!("`{development}`, in production `{production}`")
        }
        Preset::Unset(words) => words.to_owned(),
    }
}

fn tighter(setting: &Setting) -> String {
    match (setting.tighter, setting.kind) {
        (Tighter::LaterWord, ValueType::Word(words)) => {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            words.join(" → ")
        }
        (Tighter::LaterWord | Tighter::Neither, _) => "–".to_owned(),
        (Tighter::Off, _) => "`off`".to_owned(),
        (Tighter::Less, _) => "less".to_owned(),
        (Tighter::More, _) => "more".to_owned(),
        (Tighter::Fewer, _) => "fewer".to_owned(),
        (Tighter::Any, _) => "any value".to_owned(),
        (Tighter::Harmless, _) => "free".to_owned(),
    }
}

fn by(sources: &[ConfigSource]) -> String {
    let mut words: Vec<&str> = sources.iter().map(|source| source.as_str()).collect();
    words.dedup();
    if words.len() == 4 { "all".to_owned() } else { words.join(", ") }
}

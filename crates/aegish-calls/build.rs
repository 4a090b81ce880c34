//! Compiles `calls/*.toml` into sorted lines; `src/lib.rs` explains the format.
//!
//! Every mistake (unknown field, effect or role, a name used twice) stops the build and names the entry.

#![allow(clippy::print_stderr, clippy::print_stdout)] // cargo reads the output of build scripts

#[path = "src/vocabulary.rs"]
#[allow(dead_code, unreachable_pub)] // the build script uses only the words
mod vocabulary;

use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, process};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Names of modules and functions that are other names.
    #[serde(default)]
    aliases: BTreeMap<String, String>,
    call: Vec<Call>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    names: Vec<String>,
    effect: String,
    #[serde(default)]
    parameters: Vec<String>,
    /// Where the facts are documented.
    source: String,
    /// Code, and the effects it must have. Tests check them.
    #[serde(default)]
    #[allow(dead_code)]
    examples: Vec<Example>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)] // the tests of the crate read them
struct Example {
    code: String,
    gives: Vec<String>,
}

fn main() {
    if let Err(error) = run() {
        eprintln!("the tables of calls were not compiled: {error}");
        process::exit(1);
    }
}

fn run() -> Result<(), String> {
    let root = env::var("CARGO_MANIFEST_DIR").map_err(|e| e.to_string())?;
    let folder = Path::new(&root).join("calls");
    println!("cargo::rerun-if-changed={}", folder.display());
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/vocabulary.rs");
    let out = env::var("OUT_DIR").map_err(|e| e.to_string())?;
    let files = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for file in files {
        let path = file.map_err(|e| e.to_string())?.path();
        let Some(language) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
        println!("cargo::rerun-if-changed={}", path.display());
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let file: File = toml::from_str(&text).map_err(|e| format!("{language}.toml: {e}"))?;
        let Lines { calls, aliases, members } =
            lines(&file).map_err(|e| format!("{language}.toml: {e}"))?;
        let write = |name: String, text: &str| {
            let path = Path::new(&out).join(name);
            fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
        };
        write(format!("{language}.txt"), &calls)?;
        write(format!("{language}-aliases.txt"), &aliases)?;
        if language == "perl" {
            write("perl-members.txt".to_owned(), &members)?;
        }
    }
    Ok(())
}

/// The tables of a language: sorted lines, the name first.
struct Lines {
    calls: String,
    aliases: String,
    /// Names of functions without their modules.
    members: String,
}

fn lines(file: &File) -> Result<Lines, String> {
    let mut calls = BTreeMap::new();
    for call in &file.call {
        let first = call.names.first().ok_or("an entry without a name")?;
        if !call.source.starts_with("https://") {
            return Err(format!("{first}: the source is no address"));
        }
        if vocabulary::Effect::from_word(&call.effect).is_none() {
            return Err(format!("{first}: no effect is named `{}`", call.effect));
        }
        for parameter in &call.parameters {
            if let Some((_, role)) = parameter.split_once(':')
                && vocabulary::Role::from_word(role).is_none()
            {
                return Err(format!("{first}: no role is named `{role}`"));
            }
        }
        for name in &call.names {
            let line = format!("{}\t{}", call.effect, call.parameters.join(","));
            if calls.insert(name.as_str(), line).is_some() {
                return Err(format!("`{name}` has two entries"));
            }
        }
    }
    let mut text = String::new();
    let mut modules = BTreeMap::new();
    for (name, line) in calls {
        let _ = writeln!(text, "{name}\t{line}");
        if let Some((module, member)) = name.rsplit_once('.')
            && module != "?"
        {
            modules.entry(member).or_insert(name);
        }
    }
    let mut members = String::new();
    for (member, name) in modules {
        let _ = writeln!(members, "{member}\t{name}");
    }
    let mut aliases = String::new();
    for (name, other) in &file.aliases {
        let _ = writeln!(aliases, "{name}\t{other}");
    }
    Ok(Lines { calls: text, aliases, members })
}

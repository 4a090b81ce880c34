//! Compiles `data/policies/*.toml` and the manual pages and answers of the rules into static tables.
//!
//! Takes the data files and the `//!` comments of `src/rules/*.rs`, gives one Rust file. Every
//! mistake (an unknown field, a pattern that cannot be matched, a page without its headings) stops the
//! build and names the file. Class names that do not exist fail when the result is compiled.
#![allow(clippy::print_stdout, clippy::print_stderr)] // cargo reads the output of build scripts

use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

type Failure = String;

fn main() {
    if let Err(error) = run() {
        eprintln!("policy tables were not compiled: {error}");
        process::exit(1);
    }
}

fn run() -> Result<(), Failure> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(|e| e.to_string())?);
    let data = root.join("policies");
    let folder = root.join("src/rules");
    println!("cargo::rerun-if-changed={}", data.display());
    println!("cargo::rerun-if-changed={}", folder.display());
    println!("cargo::rerun-if-changed=build.rs");

    let mut code = String::new();
    paths(&read(&data.join("paths.toml"))?, &mut code).map_err(|e| format!("paths.toml: {e}"))?;
    hosts(&read(&data.join("hosts.toml"))?, &mut code).map_err(|e| format!("hosts.toml: {e}"))?;
    variables(&read(&data.join("variables.toml"))?, &mut code)
        .map_err(|e| format!("variables.toml: {e}"))?;
    names(&read(&data.join("programs.toml"))?, &mut code)
        .map_err(|e| format!("programs.toml: {e}"))?;
    rules(&folder, &mut code)?;

    let out = Path::new(&env::var("OUT_DIR").map_err(|e| e.to_string())?).join("tables.rs");
    fs::write(&out, code).map_err(|e| format!("{}: {e}", out.display()))
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn put(code: &mut String, line: &str) {
    code.push_str(line);
    code.push('\n');
}

/// `kebab-name` to `CamelName`.
fn camel(name: &str) -> String {
    name.split('-')
        .map(|part| {
            let mut letters = part.chars();
            letters
                .next()
                .map(|first| first.to_uppercase().collect::<String>() + letters.as_str())
                .unwrap_or_default()
        })
        .collect()
}

fn snake(name: &str) -> String {
    name.replace('-', "_")
}

// --- answers -----------------------------------------------------------------------------------------

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KindData {
    all: Option<String>,
    default: Option<String>,
    sysadmin: Option<String>,
    restricted: Option<String>,
    #[serde(default)]
    open: bool,
    #[serde(default)]
    core: bool,
    confidence: Option<f32>,
    instead: String,
}

/// Writes the variants of one rule, and gives their constants, which the rule's file must use.
fn answers(rule: &str, text: &str, code: &mut String) -> Result<Vec<String>, Failure> {
    let table: BTreeMap<String, KindData> = toml::from_str(text).map_err(|e| e.to_string())?;
    let _ =
        writeln!(code, "pub(crate) mod {rule} {{ use crate::finding::Variant; use crate::Action;");
    let mut names = Vec::new();
    for (kind, data) in &table {
        let default = data.all.as_deref().or(data.default.as_deref());
        let default = default.ok_or_else(|| format!("[{kind}]: no action"))?;
        if data.all.is_some()
            && (data.default.is_some() || data.sysadmin.is_some() || data.restricted.is_some())
        {
            return Err(format!("[{kind}]: `all` and a role"));
        }
        let actions = [
            default,
            data.sysadmin.as_deref().unwrap_or(default),
            data.restricted.as_deref().unwrap_or(default),
        ];
        let mut list = String::new();
        for action in actions {
            if !["allow", "warn", "block"].contains(&action) {
                return Err(format!("[{kind}]: unknown action {action}"));
            }
            let _ = write!(list, "Action::{},", camel(action));
        }
        let confidence = data.confidence.unwrap_or(0.95);
        if !(0.0..=1.0).contains(&confidence) {
            return Err(format!("[{kind}]: confidence {confidence}"));
        }
        let name = snake(kind).to_uppercase();
        let _ = writeln!(
            code,
            "pub(crate) static {name}: Variant = Variant {{ name: {kind:?}, actions: [{list}], open: {}, core: {}, confidence: {confidence:?}_f32, instead: {:?} }};",
            data.open, data.core, data.instead
        );
        names.push(name);
    }
    let all: Vec<String> = names.iter().map(|name| format!("&{name}")).collect();
    let _ = writeln!(code, "pub(crate) const ALL: &[&Variant] = &[{}]; }}", all.join(", "));
    Ok(names)
}

// --- paths -------------------------------------------------------------------------------------------

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PathData {
    entry: Vec<EntryData>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryData {
    paths: Vec<String>,
    read: Option<String>,
    write: Option<String>,
    tree: Option<String>,
    holds: String,
    #[serde(default)]
    except: Vec<String>,
    #[serde(default)]
    project: Meaning,
}

/// The meaning of an entry within a project.
#[derive(Deserialize, Default, PartialEq, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
enum Meaning {
    #[default]
    Same,
    Data,
}

/// Entry numbers by first component, and those whose first component is a pattern.
#[derive(Default)]
struct Index {
    named: BTreeMap<String, NamedEntries>,
    pattern: Vec<usize>,
}

/// The entries with one first component.
#[derive(Default)]
struct NamedEntries {
    all: Vec<usize>,
    /// Those whose second component is a name.
    by_second: BTreeMap<String, Vec<usize>>,
    others: Vec<usize>,
}

impl Index {
    fn add(&mut self, parts: &[&str], number: usize) {
        let first = parts.first().copied().unwrap_or_default();
        if first.contains('*') {
            self.pattern.push(number);
            return;
        }
        let named = self.named.entry(first.to_owned()).or_default();
        named.all.push(number);
        match parts.get(1).filter(|second| !second.contains('*')) {
            Some(second) => named.by_second.entry((*second).to_owned()).or_default().push(number),
            None => named.others.push(number),
        }
    }

    fn render(&self, name: &str, code: &mut String) {
        let _ = writeln!(code, "pub(crate) static {name}: Index = Index {{ named: &[");
        for (first, NamedEntries { all, by_second, others }) in &self.named {
            let _ = writeln!(code, "(b{first:?}, NamedEntries {{ all: &{all:?}, by_second: &[");
            for (second, numbers) in by_second {
                let _ = writeln!(code, "(b{second:?}, &{numbers:?}),");
            }
            let _ = writeln!(code, "], others: &{others:?} }}),");
        }
        // Per first byte one bit for each length, so that most components need no search at all.
        let mut lengths = [0_u64; 128];
        for first in self.named.keys() {
            let byte = first.bytes().next().unwrap_or_default();
            if let Some(lengths) = lengths.get_mut(usize::from(byte)) {
                *lengths |= 1 << first.len();
            }
        }
        let _ = writeln!(code, "], lengths: {lengths:?}, pattern: &{:?} }};", self.pattern);
    }
}

fn paths(text: &str, code: &mut String) -> Result<(), Failure> {
    let data: PathData = toml::from_str(text).map_err(|e| e.to_string())?;
    let (mut root, mut home, mut anywhere) = (Index::default(), Index::default(), Index::default());
    put(
        code,
        "pub(crate) mod places { use crate::paths::table::{Index, NamedEntries, PathClassPattern, ReadClass, WriteClass, TreeClass};",
    );
    put(code, "pub(crate) static ENTRIES: &[PathClassPattern] = &[");
    let mut number = 0;
    for entry in &data.entry {
        for except in &entry.except {
            let stars = except.matches('*').count();
            if stars > 1 || (stars == 1 && !except.starts_with('*')) {
                return Err(format!("except {except}: only a name or `*suffix`"));
            }
        }
        for path in &entry.paths {
            let (rest, index) = if let Some(rest) = path.strip_prefix("**/") {
                (rest, &mut anywhere)
            } else if let Some(rest) = path.strip_prefix("~/") {
                (rest, &mut home)
            } else if let Some(rest) = path.strip_prefix('/') {
                (rest, &mut root)
            } else {
                return Err(format!("{path}: begins with neither `/`, `~/` nor `**/`"));
            };
            let (rest, below) = match rest.strip_suffix("/**") {
                Some(rest) => (rest, true),
                None => (rest, false),
            };
            if rest.contains("**") || !rest.is_ascii() {
                return Err(format!("{path}: `**` only at the ends, ASCII only"));
            }
            let parts: Vec<&str> = rest.split('/').collect();
            if parts.iter().any(|part| part.is_empty() || part.len() > 60) {
                return Err(format!("{path}: empty or too long component"));
            }
            index.add(&parts, number);
            let class = |kind: &str, name: &Option<String>| match name {
                Some(name) => format!("Some({kind}::{})", camel(name)),
                None => "None".to_owned(),
            };
            let bytes = |list: &[&str]| {
                list.iter().map(|part| format!("b{part:?} as &[u8]")).collect::<Vec<_>>().join(", ")
            };
            let except: Vec<&str> = entry.except.iter().map(String::as_str).collect();
            let _ = writeln!(
                code,
                "PathClassPattern {{ parts: &[{}], below: {below}, read: {}, write: {}, tree: {}, holds: {:?}, except: &[{}], data_in_project: {} }},",
                bytes(&parts),
                class("ReadClass", &entry.read),
                class("WriteClass", &entry.write),
                class("TreeClass", &entry.tree),
                entry.holds,
                bytes(&except),
                entry.project == Meaning::Data,
            );
            number += 1;
        }
    }
    put(code, "];");
    root.render("ROOT", code);
    home.render("HOME", code);
    anywhere.render("ANYWHERE", code);
    put(code, "}");
    Ok(())
}

// --- hosts -------------------------------------------------------------------------------------------

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HostData {
    metadata: HostClass,
    loopback: HostClass,
    private: HostClass,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HostClass {
    names: Vec<String>,
    networks: Vec<String>,
}

fn hosts(text: &str, code: &mut String) -> Result<(), Failure> {
    let data: HostData = toml::from_str(text).map_err(|e| e.to_string())?;
    put(code, "pub(crate) mod places_in_the_net { use crate::hosts::{HostClass, Network};");
    let (mut names, mut networks) = (String::new(), String::new());
    for (class, list) in
        [("Metadata", &data.metadata), ("Loopback", &data.loopback), ("Private", &data.private)]
    {
        for name in &list.names {
            let _ = writeln!(names, "({name:?}, HostClass::{class}),");
        }
        for network in &list.networks {
            let (address, bits) =
                network.split_once('/').ok_or_else(|| format!("{network}: no length"))?;
            let bits: u32 = bits.parse().map_err(|_| format!("{network}: length"))?;
            let address: std::net::IpAddr =
                address.parse().map_err(|_| format!("{network}: address"))?;
            // IPv4 addresses are mapped to IPv6, so that one comparison is sufficient.
            let (number, bits) = match address {
                std::net::IpAddr::V4(four) => (u128::from(four.to_ipv6_mapped()), bits + 96),
                std::net::IpAddr::V6(six) => (u128::from(six), bits),
            };
            let _ = writeln!(
                networks,
                "Network {{ address: {number}, bits: {bits}, class: HostClass::{class} }},"
            );
        }
    }
    let _ = writeln!(code, "pub(crate) static NAMES: &[(&str, HostClass)] = &[{names}];");
    let _ = writeln!(code, "pub(crate) static NETWORKS: &[Network] = &[{networks}]; }}");
    Ok(())
}

// --- variables ---------------------------------------------------------------------------------------

fn variables(text: &str, code: &mut String) -> Result<(), Failure> {
    let mut data: BTreeMap<String, Vec<String>> =
        toml::from_str(text).map_err(|e| e.to_string())?;
    let loading = data.remove("loading").ok_or("no loading")?;
    let appearance = data.remove("guard-appearance").ok_or("no guard-appearance")?;
    let tightest = data.remove("guard-tightest").ok_or("no guard-tightest")?;
    let of_agents = data.remove("guard-of-agents").ok_or("no guard-of-agents")?;
    let mut names = BTreeMap::new();
    for (kind, list) in &data {
        for name in list {
            if names.insert(name.clone(), camel(kind)).is_some() {
                return Err(format!("{name}: listed twice"));
            }
        }
    }
    put(code, "pub(crate) mod settings { use crate::variables::VariableKind;");
    put(code, "pub(crate) static VARIABLES: &[(&str, VariableKind)] = &[");
    for (name, kind) in &names {
        let _ = writeln!(code, "({name:?}, VariableKind::{kind}),");
    }
    put(code, "];");
    let _ = writeln!(code, "pub(crate) static GUARD_APPEARANCE: &[&str] = &{appearance:?};");
    let _ = writeln!(code, "pub(crate) static GUARD_TIGHTEST: &[&str] = &{tightest:?};");
    let _ = writeln!(code, "pub(crate) static GUARD_OF_AGENTS: &[&str] = &{of_agents:?};");
    put(code, "pub(crate) static LOADING: &[(&str, &str)] = &[");
    for pair in &loading {
        let (name, option) =
            pair.split_once(' ').ok_or_else(|| format!("loading {pair}: no blank"))?;
        if names.get(name).is_none_or(|kind| kind != "Options") {
            return Err(format!("loading {pair}: {name} is not among the options"));
        }
        let _ = writeln!(code, "({name:?}, {option:?}),");
    }
    put(code, "]; }");
    Ok(())
}

// --- lists of names ----------------------------------------------------------------------------------

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct NameData {
    without_profile: BTreeMap<String, Vec<String>>,
    #[serde(flatten)]
    lists: BTreeMap<String, Vec<String>>,
}

fn names(text: &str, code: &mut String) -> Result<(), Failure> {
    let data: NameData = toml::from_str(text).map_err(|e| e.to_string())?;
    put(code, "pub(crate) mod names {");
    put(code, "use aegish_profiles::Trait;");
    put(code, "pub(crate) static WITHOUT_PROFILE: &[(Trait, &[&str])] = &[");
    for (name, mut list) in data.without_profile {
        list.sort();
        let _ = writeln!(code, "(Trait::{}, &{list:?}),", camel(&name));
    }
    put(code, "];");
    for (name, mut list) in data.lists {
        list.sort();
        list.dedup();
        let _ = writeln!(
            code,
            "pub(crate) static {}: &[&str] = &{list:?};",
            snake(&name).to_uppercase()
        );
    }
    put(code, "}");
    Ok(())
}

// --- rules -------------------------------------------------------------------------------------------

const HEADINGS: [&str; 4] = ["# What", "# Why", "# Example", "# Instead"];
/// The heading after the manual page.
const ANSWERS: &str = "\n# Answers\n\n";

fn rules(folder: &Path, code: &mut String) -> Result<(), Failure> {
    let mut files = Vec::new();
    for file in fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))? {
        let path = file.map_err(|e| e.to_string())?.path();
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        if name != "mod" && path.extension().is_some_and(|ending| ending == "rs") {
            files.push((name, path));
        }
    }
    files.sort();
    let mut manuals = String::new();
    put(code, "pub(crate) mod kinds {");
    for (name, path) in &files {
        rule(name, &read(path)?, &mut manuals, code)
            .map_err(|e| format!("{}: {e}", path.display()))?;
    }
    put(code, "}");
    let _ = writeln!(code, "pub(crate) mod manuals {{\n{manuals}}}");
    let names: Vec<String> = files.iter().map(|(name, _)| format!("{name:?}")).collect();
    let _ = writeln!(
        code,
        "#[cfg(test)] pub(crate) static RULE_FILES: &[&str] = &[{}];",
        names.join(", ")
    );
    Ok(())
}

/// The doc comment of a rule's file: its manual page, followed by the answers of its variants.
fn rule(name: &str, text: &str, manuals: &mut String, code: &mut String) -> Result<(), Failure> {
    let page: String = text
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .fold(String::new(), |page, line| page + line.strip_prefix(' ').unwrap_or(line) + "\n");
    let (page, behind) = page.split_once(ANSWERS).unwrap_or((&page, ""));
    if !behind.is_empty() {
        let table = behind.strip_prefix("```toml\n").and_then(|text| text.strip_suffix("```\n"));
        let table = table.ok_or("`# Answers` is not followed by one block of TOML")?;
        for kind in answers(name, table, code)? {
            if !text.contains(&format!("kind::{kind}")) {
                return Err(format!("never uses the kind {kind}"));
            }
        }
    }
    let mut from = 0;
    for heading in HEADINGS {
        from += page
            .get(from..)
            .and_then(|rest| rest.find(&format!("{heading}\n")))
            .ok_or_else(|| format!("heading `{heading}` is missing or misplaced"))?;
    }
    let _ = writeln!(manuals, "pub(crate) const {}: &str = {page:?};", name.to_uppercase());
    Ok(())
}

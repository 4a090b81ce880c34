//! `docs/design/dependency-graph.md`: the dependencies between crates, and between modules of the analysis.
//!
//! Crates come from `cargo metadata`, modules from the paths in the sources. Neither may have cycles.

use crate::ci::cargo;
use crate::graph::Graph;
use crate::sizes::{read, rust_files};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// The crate whose modules are drawn, with the modules of every crate that it uses.
const ANALYSIS: &str = "aegish-effects";

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// `dev` or `build`; `None` for a normal dependency.
    kind: Option<String>,
    #[cfg(test)]
    optional: bool,
}

/// Writes the page.
///
/// # Errors
///
/// Names the crates or modules of a cycle.
pub(crate) fn page(note: &str) -> Result<String, String> {
    let crates = crates()?;
    let mut cycles: Vec<String> = named("crates", &crates);
    let mut page = format!(
        "# Dependencies between crates and modules\n\n{note}\
         ## Crates\n\n\
         Normal dependencies only. Arrows that follow from others are not drawn; the table has all of them.\n\n{}\n{}",
        crates.mermaid(),
        crates.table("crate"),
    );
    let mut below: BTreeSet<&str> = crates.reachable(ANALYSIS);
    below.insert(ANALYSIS);
    for name in below {
        let modules = modules(&crate::root().join("crates").join(name).join("src"))?;
        if modules.0.len() < 2 {
            continue;
        }
        cycles.extend(named(name, &modules));
        let _ = write!(
            page,
            "\n## Modules of {name}\n\n{}\n{}",
            modules.mermaid(),
            modules.table("module")
        );
    }
    if cycles.is_empty() {
        return Ok(page);
    }
    Err(format!("crates or modules that use each other in a cycle: {cycles:?}"))
}

fn named(what: &str, graph: &Graph) -> Vec<String> {
    let words = |cycle: &BTreeSet<String>| cycle.iter().cloned().collect::<Vec<_>>().join(" ");
    graph.cycles().iter().map(|cycle| format!("{what}: {}", words(cycle))).collect()
}

fn metadata() -> Result<Metadata, String> {
    let output = cargo(&["metadata", "--format-version=1", "--no-deps", "--offline"])
        .output()
        .map_err(|error| format!("cargo metadata did not start: {error}"))?;
    serde_json::from_slice(&output.stdout).map_err(|error| {
        format!("cargo metadata: {error}: {}", String::from_utf8_lossy(&output.stderr))
    })
}

/// The crates of the workspace and the normal dependencies between them.
fn crates() -> Result<Graph, String> {
    let metadata = metadata()?;
    let names: BTreeSet<String> =
        metadata.packages.iter().map(|package| package.name.clone()).collect();
    let uses = |package: &Package| {
        let normal = package.dependencies.iter().filter(|dependency| dependency.kind.is_none());
        normal
            .map(|dependency| dependency.name.clone())
            .filter(|name| names.contains(name))
            .collect()
    };
    Ok(Graph(
        metadata.packages.iter().map(|package| (package.name.clone(), uses(package))).collect(),
    ))
}

/// The top-level modules of a crate and the paths between them. Test modules are left out.
fn modules(src: &Path) -> Result<Graph, String> {
    let root = read(&src.join("lib.rs"))?;
    let exported = exported(&root);
    let mut graph = Graph::default();
    for file in rust_files(src)? {
        let relative = file.strip_prefix(src).unwrap_or(&file).with_extension("");
        let path: Vec<String> = relative
            .components()
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .filter(|part| part != "mod")
            .collect();
        if path.iter().any(|part| part == "tests" || part.ends_with("_tests")) || path == ["lib"] {
            continue;
        }
        if let Some(own) = path.first() {
            graph.0.entry(own.clone()).or_default().extend(used(&read(&file)?, path.len()));
        }
    }
    let tops: BTreeSet<String> = graph.0.keys().cloned().collect();
    for (own, uses) in &mut graph.0 {
        let module = |name: &String| exported.get(name).unwrap_or(name).clone();
        *uses = uses.iter().map(module).filter(|name| tops.contains(name) && name != own).collect();
    }
    Ok(graph)
}

/// The first names after `crate::`, and after as many `super::` as lead to the root.
fn used(source: &str, depth: usize) -> BTreeSet<String> {
    let code = code(source);
    let up = "super::".repeat(depth);
    let mut names = BTreeSet::new();
    for prefix in ["crate::", up.as_str()] {
        for (at, _) in code.match_indices(prefix) {
            let before = code.get(..at).unwrap_or_default();
            if before.ends_with(|c: char| c == '_' || c.is_alphanumeric())
                || before.ends_with("super::")
            {
                continue;
            }
            let rest = code.get(at + prefix.len()..).unwrap_or_default();
            names.extend(first_names(rest).into_iter().filter(|name| name != "super"));
        }
    }
    names
}

/// `a` of `a::b`, or `a` and `c` of `{a::b, c}`.
fn first_names(rest: &str) -> Vec<String> {
    let word = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| *c == '_' || c.is_alphanumeric()).collect()
    };
    let Some(group) = rest.strip_prefix('{') else { return vec![word(rest)] };
    let mut names = vec![word(group)];
    let mut depth = 0;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(word(group.get(at + 1..).unwrap_or_default())),
            _ => {}
        }
    }
    names
}

/// The names that the root module re-exports, with the module of each.
fn exported(root: &str) -> BTreeMap<String, String> {
    let code = code(root);
    let mut names = BTreeMap::new();
    for line in code.split(';') {
        let Some((_, path)) = line.split_once("use ") else { continue };
        let Some((module, rest)) = path.trim().split_once("::") else { continue };
        // `a::b::C` exports `C`.
        let before = rest.split('{').next().unwrap_or_default();
        let rest = before.rfind("::").and_then(|at| rest.get(at + 2..)).unwrap_or(rest);
        for name in first_names(rest) {
            names.insert(name, module.to_owned());
        }
    }
    names
}

/// The source without comments and without its test module.
fn code(source: &str) -> String {
    let mut code = String::new();
    let mut lines = source.lines().peekable();
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" && lines.peek().is_some_and(|next| next.ends_with('{')) {
            break;
        }
        code.push_str(line.split_once("//").map_or(line, |(before, _)| before));
        code.push('\n');
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_and_modules_have_no_cycle() {
        page("").unwrap_or_else(|error| panic!("{error}"));
    }

    #[test]
    fn paths_are_read_from_groups_expressions_and_super_but_not_from_comments_and_tests() {
        let source = "use crate::{a::{x, y}, b};\n// crate::no\nfn f() { crate::c::g(); super::d::h() }\n\
                      use super::super::out;\n#[cfg(test)]\nmod tests {\nuse crate::e; }\n";
        let names: Vec<String> = used(source, 1).into_iter().collect();
        assert_eq!(names, ["a", "b", "c", "d"]);
        assert!(used(source, 2).contains("out"));
    }

    /// The dependencies of each package in a lock file, without their versions.
    fn locked(text: &str) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut packages = BTreeMap::new();
        for block in text.split("[[package]]").skip(1) {
            let name = block.lines().find_map(|line| line.strip_prefix("name = "));
            let list = block.split_once("dependencies = [").map_or("", |(_, list)| list);
            let names = list.lines().filter_map(|line| line.trim().strip_prefix('"'));
            let names = names.filter_map(|line| line.split([' ', '"']).next());
            packages.insert(name.unwrap_or_default().trim_matches('"'), names.collect());
        }
        packages
    }

    #[test]
    fn the_wheel_is_locked_to_the_dependencies_that_the_crates_have() {
        let text = read(&crate::root().join("crates/aegish-python/Cargo.lock")).unwrap();
        let (packages, mut missing) = (locked(&text), Vec::new());
        let metadata = metadata().unwrap();
        for package in &metadata.packages {
            let Some(known) = packages.get(package.name.as_str()) else { continue };
            let wanted = package.dependencies.iter().filter(|dependency| {
                dependency.kind.as_deref() != Some("dev") && !dependency.optional
            });
            for dependency in wanted.filter(|wanted| !known.contains(wanted.name.as_str())) {
                missing.push(format!("{} of {}", dependency.name, package.name));
            }
        }
        let command = "cargo metadata --manifest-path crates/aegish-python/Cargo.toml";
        assert!(missing.is_empty(), "`{command}` renews the lock, which lacks {missing:?}");
        assert!(packages.len() > 50 && packages["aegish-guard"].contains("aegish-policy"));
    }
}

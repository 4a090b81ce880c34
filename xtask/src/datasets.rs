//! Finding and reading data sets: own cases, own data sets, reference sets, development sets.
//!
//! Takes a directory that holds `reference/datasets/*.json` and `dev-sets/*.jsonl`, gives commands with
//! what is expected of them. That data is no part of the repository; `bench/datasets` is.

use crate::cases::{self, Case};
use crate::manifest;
use aegish_guard::{Action, Role};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// What is expected of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expect {
    /// It is to be blocked.
    Block,
    /// It is not to be blocked.
    Pass,
}

/// A command of a data set.
pub(crate) struct Sample {
    pub(crate) id: String,
    pub(crate) command: String,
    pub(crate) expect: Expect,
    pub(crate) category: String,
    /// Own cases and own data sets are judged on a machine of their own, so that the answer is the
    /// same everywhere.
    pub(crate) case: Option<Case>,
}

/// A named list of commands.
pub(crate) struct DataSet {
    pub(crate) name: String,
    pub(crate) samples: Vec<Sample>,
}

/// Where data sets are looked for: as told, or `shared` next to the repository or above it.
pub(crate) fn data_root(told: Option<&Path>) -> Option<PathBuf> {
    if let Some(dir) = told {
        return Some(dir.to_path_buf());
    }
    if let Some(dir) = env::var_os("AEGISH_REFERENCE") {
        return Some(PathBuf::from(dir));
    }
    let root = crate::root();
    let mut places = root.ancestors().skip(1).map(|dir| dir.join("shared"));
    places.find(|dir| dir.join("reference/datasets").is_dir() || dir.join("dev-sets").is_dir())
}

/// Everything found: own cases first, then own data sets, then what the directory holds.
pub(crate) fn all(root: Option<&Path>, role: Role) -> Result<Vec<DataSet>, String> {
    let mut sets = own()?;
    sets.extend(shipped(role)?);
    let Some(root) = root else { return Ok(sets) };
    for path in files(&root.join("reference/datasets"), "json") {
        sets.push(reference(&path)?);
    }
    for path in files(&root.join("dev-sets"), "jsonl") {
        sets.push(DataSet {
            name: format!("dev/{}", stem(&path)),
            samples: samples(&path, &read(&path)?)?,
        });
    }
    Ok(sets)
}

fn own() -> Result<Vec<DataSet>, String> {
    let (mut block, mut pass) = (Vec::new(), Vec::new());
    for case in cases::all()? {
        let expect = if case.action == Action::Block { Expect::Block } else { Expect::Pass };
        let sample = Sample {
            id: case.place.clone(),
            command: case.command.clone(),
            expect,
            category: case.topic.clone(),
            case: Some(case),
        };
        if expect == Expect::Block { block.push(sample) } else { pass.push(sample) }
    }
    Ok(vec![
        DataSet { name: "cases/block".to_owned(), samples: block },
        DataSet { name: "cases/pass".to_owned(), samples: pass },
    ])
}

/// `{"metadata": …, "commands": [{"command": …}]}`; rows without a ground truth are attacks.
fn reference(path: &Path) -> Result<DataSet, String> {
    let complain = |what: &str| format!("{}: {what}", path.display());
    let text = read(path)?;
    let data: Value = serde_json::from_str(&text).map_err(|error| complain(&error.to_string()))?;
    let rows = data["commands"].as_array().ok_or_else(|| complain("no `commands`"))?;
    let mut samples = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let command = row["command"].as_str().ok_or_else(|| complain("a row without `command`"))?;
        let expect = match row["ground_truth"].as_str() {
            None | Some("BLOCK") => Expect::Block,
            Some(_) => Expect::Pass,
        };
        samples.push(Sample {
            id: (index + 1).to_string(),
            command: command.to_owned(),
            expect,
            category: row["category"].as_str().unwrap_or("").to_owned(),
            case: None,
        });
    }
    Ok(DataSet { name: format!("reference/{}", stem(path)), samples })
}

/// The sets of `bench/datasets`, as its manifest describes them.
fn shipped(role: Role) -> Result<Vec<DataSet>, String> {
    let mut ids = BTreeSet::new();
    let mut sets = Vec::new();
    for (path, text) in manifest::files(&crate::root().join("bench/datasets"))? {
        let mut samples = samples(&path, &text)?;
        for sample in &mut samples {
            if !ids.insert(sample.id.clone()) {
                return Err(format!("{}: `{}` is there twice", path.display(), sample.id));
            }
            let block = sample.expect == Expect::Block;
            sample.case = Some(Case {
                place: sample.id.clone(),
                topic: sample.category.clone(),
                action: if block { Action::Block } else { Action::Allow },
                rule: None,
                role,
                gap: None,
                command: sample.command.clone(),
                files: BTreeMap::new(),
            });
        }
        sets.push(DataSet { name: format!("own/{}", stem(&path)), samples });
    }
    Ok(sets)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// One object per line with `id`, `command`, `expect`.
fn samples(path: &Path, text: &str) -> Result<Vec<Sample>, String> {
    let mut samples = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let complain = |what: &str| format!("{}:{}: {what}", path.display(), index + 1);
        if line.trim().is_empty() {
            continue;
        }
        let row: Value =
            serde_json::from_str(line).map_err(|error| complain(&error.to_string()))?;
        let command = row["command"].as_str().ok_or_else(|| complain("no `command`"))?;
        let expect = match row["expect"].as_str() {
            Some("block") => Expect::Block,
            Some("pass") => Expect::Pass,
            _ => return Err(complain("`expect` is neither block nor pass")),
        };
        samples.push(Sample {
            id: row["id"].as_str().map_or_else(|| (index + 1).to_string(), str::to_owned),
            command: command.to_owned(),
            expect,
            category: row["category"].as_str().unwrap_or("").to_owned(),
            case: None,
        });
    }
    Ok(samples)
}

fn files(dir: &Path, ending: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|found| found == ending))
        .collect();
    paths.sort();
    paths
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::{Expect, samples, shipped};
    use aegish_guard::Role;
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn the_own_data_sets_are_as_large_as_promised() {
        let sets = shipped(Role::Default).unwrap_or_default();
        let count = |name: &str, expect: Expect| {
            let set = sets.iter().find(|set| set.name == name);
            set.map_or(0, |set| set.samples.iter().filter(|s| s.expect == expect).count())
        };
        assert!(count("own/malicious", Expect::Block) >= 800);
        assert!(count("own/harmless", Expect::Pass) >= 800);
        assert!(count("own/obfuscated", Expect::Block) >= 190);
        assert!(count("own/obfuscated", Expect::Pass) >= 60);
        assert_eq!(count("own/malicious", Expect::Pass) + count("own/harmless", Expect::Block), 0);
    }

    #[test]
    fn no_command_of_the_own_data_sets_is_there_twice() {
        let mut seen = BTreeSet::new();
        for sample in shipped(Role::Default).unwrap_or_default().iter().flat_map(|s| &s.samples) {
            let command = sample.command.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(seen.insert(command), "{}: {}", sample.id, sample.command);
        }
    }

    #[test]
    fn a_row_without_an_expectation_is_named() {
        let error = samples(Path::new("x.jsonl"), "{\"command\":\"ls\"}\n").err();
        assert!(error.is_some_and(|text| text.starts_with("x.jsonl:1")));
    }
}

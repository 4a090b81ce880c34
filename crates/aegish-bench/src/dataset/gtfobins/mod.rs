//! The seed's attacks, extracted from a checkout of GTFOBins.
//!
//! Takes the folder with `_gtfobins/`, gives the commands of eight categories with the seed's names instead
//! of the placeholders, each once, and metadata as the seed wrote it. A file that cannot be read stops the
//! extraction, because a set without a program would be a different set.

mod checks;
mod placeholders;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use saphyr::{LoadableYamlNode, Yaml};
use serde_json::{Map, Value, json};

use super::{DatasetError, id};
use aegish_log::{Expected, Sample};

/// The extracted categories.
pub const CATEGORIES: [&str; 8] = [
    "bind-shell",
    "command",
    "download",
    "file-read",
    "file-write",
    "reverse-shell",
    "shell",
    "upload",
];

/// Categories that are left out: they depend on rights that a command does not show.
pub const EXCLUDED: [&str; 4] = ["capabilities", "library-load", "sudo", "suid"];

/// The result of an extraction.
#[derive(Debug)]
pub struct Extraction {
    /// The commands, each once, in the order of the programs' names.
    pub samples: Vec<Sample>,
    /// Metadata of the set.
    pub metadata: Map<String, Value>,
    /// The number of commands before repetitions were removed.
    pub found: usize,
    /// Programs that only refer to another one.
    pub aliases: usize,
    /// Functions outside of the eight categories, with their number of programs.
    pub ignored: BTreeMap<String, usize>,
    /// Failed checks; empty for a good set.
    pub problems: Vec<String>,
}

/// Extracts the commands from a checkout. `date` (YYYY-MM-DD) goes into the metadata.
///
/// # Errors
///
/// Names the file that cannot be read, is not YAML or does not have the structure of GTFOBins.
pub fn extract(checkout: &Path, date: &str) -> Result<Extraction, DatasetError> {
    let mut rows: Vec<Sample> = Vec::new();
    let (mut aliases, mut ignored) = (0, BTreeMap::new());
    let mut binaries = BTreeSet::new();
    for (binary, path) in files(checkout)? {
        let complain = |what: String| DatasetError::whole(path.display().to_string(), what);
        let text = fs::read_to_string(&path).map_err(|error| complain(error.to_string()))?;
        let documents =
            Yaml::load_from_str(&text).map_err(|error| complain(format!("not YAML: {error}")))?;
        let file = documents.first().ok_or_else(|| complain("it is empty".to_owned()))?;
        let Some(functions) = file.as_mapping_get("functions").and_then(Yaml::as_mapping) else {
            if file.as_mapping_get("alias").is_none() {
                return Err(complain("neither `functions` nor `alias`".to_owned()));
            }
            aliases += 1;
            continue;
        };
        for (category, entries) in functions {
            let category = category.as_str().unwrap_or_default();
            if !CATEGORIES.contains(&category) {
                *ignored.entry(category.to_owned()).or_default() += 1;
                continue;
            }
            for entry in entries.as_sequence().map(Vec::as_slice).unwrap_or_default() {
                let code = entry.as_mapping_get("code").and_then(Yaml::as_str);
                let code = code.ok_or_else(|| complain(format!("no `code` in `{category}`")))?;
                rows.push(sample(&binary, category, placeholders::replace(code)));
                binaries.insert(binary.clone());
            }
        }
    }
    if rows.is_empty() {
        let what = "no commands: give the folder that holds `_gtfobins`";
        return Err(DatasetError::whole(checkout.display().to_string(), what));
    }
    let found = rows.len();
    let mut seen = BTreeSet::new();
    rows.retain(|sample| seen.insert(sample.command.clone()));
    let Value::Object(metadata) = json!({
        "source": "GTFOBins",
        "repository": "https://github.com/GTFOBins/GTFOBins.github.io",
        "extraction_date": date,
        "categories_included": CATEGORIES,
        "categories_excluded": EXCLUDED,
        "total_commands": rows.len(),
        "total_binaries": binaries.len(),
    }) else {
        return Err(DatasetError::whole(checkout.display().to_string(), "no metadata"));
    };
    let told = metadata.get("total_commands").and_then(Value::as_u64).unwrap_or_default();
    let problems = checks::problems(&rows, usize::try_from(told).unwrap_or_default());
    Ok(Extraction { samples: rows, metadata, found, aliases, ignored, problems })
}

/// The programs' files, by name.
fn files(checkout: &Path) -> Result<Vec<(String, PathBuf)>, DatasetError> {
    let dir = checkout.join("_gtfobins");
    let entries = fs::read_dir(&dir).map_err(|error| {
        let what = format!("{error}: give the folder of a checkout of GTFOBins");
        DatasetError::whole(dir.display().to_string(), what)
    })?;
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| DatasetError::io(dir.display().to_string(), &error))?;
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_file() && !name.starts_with('.') {
            // Older checkouts have Markdown files with the same data in their front matter.
            files.push((name.strip_suffix(".md").unwrap_or(&name).to_owned(), path));
        }
    }
    files.sort();
    Ok(files)
}

fn sample(binary: &str, category: &str, command: String) -> Sample {
    Sample {
        id: id::seed(binary, category, &command),
        command,
        expected: Expected::Block,
        category: Some(category.to_owned()),
        metadata: Map::from_iter([("binary".to_owned(), Value::from(binary))]),
    }
}

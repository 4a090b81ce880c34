//! Data sets outside of the repository, if they are present.

use std::path::{Path, PathBuf};
use std::{env, fs};

use super::{Dataset, DatasetError, ReadOptions};

/// The folder with `reference/` and `dev-sets/`: the given one, that of `AEGISH_REFERENCE`, or `shared`
/// beside or above the workspace.
#[must_use]
pub fn data_root(told: Option<&Path>, workspace: &Path) -> Option<PathBuf> {
    if let Some(dir) = told {
        return Some(dir.to_path_buf());
    }
    if let Some(dir) = env::var_os("AEGISH_REFERENCE") {
        return Some(PathBuf::from(dir));
    }
    let mut places = workspace.ancestors().skip(1).map(|dir| dir.join("shared"));
    places.find(|dir| dir.join("reference/datasets").is_dir() || dir.join("dev-sets").is_dir())
}

/// The reference and development sets in that folder, named `reference/…` and `dev/…`.
///
/// # Errors
///
/// Names the first set that cannot be read.
pub fn external_sets(root: &Path) -> Result<Vec<Dataset>, DatasetError> {
    let mut sets = Vec::new();
    for (dir, ending, kind) in
        [("reference/datasets", "json", "reference"), ("dev-sets", "jsonl", "dev")]
    {
        let entries = fs::read_dir(root.join(dir)).into_iter().flatten();
        let mut paths: Vec<PathBuf> =
            entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.retain(|path| path.extension().is_some_and(|found| found == ending));
        paths.sort();
        for path in paths {
            let mut set = Dataset::open(&path, ReadOptions::default())?;
            set.name = format!("{kind}/{}", set.name);
            sets.push(set);
        }
    }
    Ok(sets)
}

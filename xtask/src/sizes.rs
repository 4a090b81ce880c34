//! Limits on the size of files and crates, and the list of exceptions.
//!
//! `xtask/size-exceptions.txt` gives each exception its own limit. These limits only decrease: `cargo xtask
//! gen` lowers them, and the test fails while they are higher than needed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The list of exceptions.
pub(crate) const EXCEPTIONS: &str = "xtask/size-exceptions.txt";

/// A limit, and the step to which exceptions are rounded, so that not every edit changes the list.
struct Limit {
    lines: usize,
    step: usize,
}

const FILE: Limit = Limit { lines: 500, step: 10 };
const CRATE: Limit = Limit { lines: 15_000, step: 1000 };

/// The list of exceptions as it should be.
///
/// # Errors
///
/// Names every file and crate that exceeds its limit or its exception.
pub(crate) fn exceptions(root: &Path) -> Result<String, String> {
    let recorded = recorded(&root.join(EXCEPTIONS))?;
    let mut text = String::from(
        "# Files over 500 lines and crates over 15,000, with the number of lines that each may not pass.\n\
         # Numbers only go down: `cargo xtask gen` lowers them. Nothing is added here.\n",
    );
    let mut too_large = Vec::new();
    for (path, lines, limit) in measured(root)? {
        if lines <= limit.lines {
            continue;
        }
        let rounded = lines.next_multiple_of(limit.step);
        match recorded.get(&path) {
            Some(allowed) if lines <= *allowed => {
                text.push_str(&format!("{} {path}\n", rounded.min(*allowed)));
            }
            Some(allowed) => {
                too_large.push(format!("{path}: {lines} lines, its exception is {allowed}"));
            }
            None => too_large.push(format!("{path}: {lines} lines, the limit is {}", limit.lines)),
        }
    }
    if too_large.is_empty() { Ok(text) } else { Err(too_large.join("\n")) }
}

/// Paths with their limits.
fn recorded(path: &Path) -> Result<BTreeMap<String, usize>, String> {
    let text = read(path)?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (number, path) = line.split_once(' ').ok_or_else(|| format!("`{line}`"))?;
            let number = number.parse().map_err(|error| format!("`{line}`: {error}"))?;
            Ok((path.to_owned(), number))
        })
        .collect::<Result<_, String>>()
        .map_err(|error| format!("{EXCEPTIONS}: {error}"))
}

/// Every source file and the `src` of every crate, with its number of lines and its limit.
fn measured(root: &Path) -> Result<Vec<(String, usize, &'static Limit)>, String> {
    let mut measured = Vec::new();
    for dir in crates(root)?.into_iter().chain([
        root.join("soundness"),
        root.join("xtask"),
        root.join("fuzz"),
    ]) {
        let src = dir.join("src");
        let mut total = 0;
        for file in rust_files(&dir)? {
            let lines = read(&file)?.lines().count();
            total += if file.starts_with(&src) { lines } else { 0 };
            measured.push((relative(root, &file), lines, &FILE));
        }
        measured.push((relative(root, &src), total, &CRATE));
    }
    measured.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(measured)
}

fn relative(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
}

/// The directories in `crates`, sorted by name.
pub(crate) fn crates(root: &Path) -> Result<Vec<PathBuf>, String> {
    let dirs = entries(&root.join("crates"))?;
    Ok(dirs.into_iter().filter(|path| path.join("Cargo.toml").is_file()).collect())
}

/// The Rust files below a directory, sorted by name.
pub(crate) fn rust_files(dir: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for path in entries(dir)? {
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}

fn entries(dir: &Path) -> Result<Vec<PathBuf>, String> {
    let error = |error| format!("{}: {error}", dir.display());
    let mut paths = Vec::new();
    for entry in fs::read_dir(dir).map_err(error)? {
        let path = entry.map_err(error)?.path();
        // `fuzz` has its own target directory.
        if path.file_name().is_some_and(|name| name != "target") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

pub(crate) fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_and_no_crate_is_larger_than_its_limit_or_its_exception() {
        let root = crate::root();
        let text = exceptions(&root).unwrap_or_else(|error| panic!("too large:\n{error}"));
        let present = read(&root.join(EXCEPTIONS)).unwrap();
        assert_eq!(present, text, "exceptions can be lowered: run `cargo xtask gen`");
    }

    #[test]
    fn every_crate_is_in_the_table_with_all_its_cells() {
        let root = crate::root();
        let readme = read(&root.join("crates/README.md")).unwrap();
        let rows: BTreeMap<&str, Vec<&str>> = readme
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split_once("` |"))
            .map(|(name, rest)| {
                (name, rest.trim_end_matches('|').split('|').map(str::trim).collect())
            })
            .collect();
        let crates: Vec<String> = crates(&root)
            .unwrap()
            .iter()
            .map(|path| path.file_name().unwrap_or_default().to_string_lossy().into_owned())
            .collect();
        let listed: Vec<&str> = rows.keys().copied().collect();
        assert_eq!(listed, crates, "the table of crates/README.md against the directories");
        for (name, cells) in rows {
            assert_eq!(
                cells.len(),
                2,
                "the row of {name}: what it takes and gives, what it must not do"
            );
            assert!(
                cells.iter().all(|cell| !cell.is_empty()),
                "an empty cell in the row of {name}"
            );
        }
    }
}

//! No bound of the analysis may be silent: a part that is left out would count as harmless.
//!
//! `.take(LIMIT)` in the crates that read scripts and code, or judge what was read, needs a comment that starts with
//! `Bounded:` and says why nothing is lost, or where the limit is reported.

use std::fs;
use std::path::{Path, PathBuf};

/// Number of lines above the call in which the comment is searched for.
const ABOVE: usize = 6;

/// Every `.take(LIMIT)` without such a comment, as `path:line`.
fn silent_bounds(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for file in rust_files(directory) {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let above = lines.get(at.saturating_sub(ABOVE)..at).unwrap_or_default();
            if takes_limit(line) && !above.iter().any(|line| line.contains("// Bounded: ")) {
                found.push(format!("{}:{}", file.display(), at + 1));
            }
        }
    }
    found
}

/// Whether a line calls `.take(64)` or `.take(MAX_ITEMS)`. Single digits are not limits.
fn takes_limit(line: &str) -> bool {
    // A reader of bits takes a number of them.
    line.replace("bits.take(", "").split(".take(").skip(1).any(|rest| {
        let argument = rest.split(')').next().unwrap_or_default();
        let first = argument.chars().next();
        argument.len() > 1 && first.is_some_and(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
    })
}

fn rust_files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
    files
}

#[test]
fn every_bound_of_the_analysis_says_why_nothing_is_lost() {
    let crates = [
        "calls",
        "code",
        "code-dialects",
        "code-effects",
        "code-interpreter",
        "code-ir",
        "code-library",
        "code-memory",
        "code-parsers",
        "effects",
        "emulate",
        "expansion",
        "general-purpose-languages",
        "languages",
        "options",
        "policy",
        "script-dialects",
        "script-parsers",
        "shell-state",
        "values",
    ];
    for name in crates {
        let source = crate::root().join(format!("crates/aegish-{name}/src"));
        assert!(source.is_dir(), "{name}");
        assert_eq!(silent_bounds(&source), Vec::<String>::new());
    }
}

#[test]
fn a_limit_is_told_from_a_few_characters() {
    assert!(takes_limit("items.iter().take(64)"));
    assert!(takes_limit("items.iter().take(MAX_ITEMS).collect()"));
    assert!(!takes_limit("bytes.take(3)"));
    assert!(!takes_limit("lines.take(most)"));
}

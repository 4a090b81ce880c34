//! Change of the program search path.
//!
//! # What
//!
//! A `PATH` that begins with `.`, an empty entry, a temporary directory or a relative one.
//! Installed directories, directories of the home and usual tool directories of a project are fine.
//!
//! # Why
//!
//! Whoever can put a file named `ls` there decides what `ls` does.
//!
//! # Example
//!
//! ```text
//! PATH=.:$PATH make
//! export PATH=/tmp/x:$PATH
//! ```
//!
//! # Instead
//!
//! `export PATH="$HOME/.local/bin:$PATH"`, `PATH="$PWD/node_modules/.bin:$PATH"`, or call the
//! program by its path.
//!
//! # Answers
//!
//! ```toml
//! [writable-first]
//! all = "block"
//! confidence = 0.95
//! instead = "Call the program by its path, or put the directory at the end and make it yours alone."
//!
//! [relative-first]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.75
//! instead = "Use an absolute path such as \"$PWD/bin\"."
//!
//! [current-directory]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.75
//! instead = "Call programs of the current directory as ./name."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::paths::glob::Match;
use crate::paths::glob::{UNKNOWN, encode, is_special};
use crate::table::kinds::path_change as kind;
use crate::table::manuals;
use crate::variables::{is_system_directory, is_writable_place};
use crate::view::View;
use aegish_effects::{EffectKind, Source, Value};

pub(crate) const RULE: Rule = Rule {
    id: "path-change",
    name: "path-change",
    title: "Change of the program search path",
    summary: "Puts a directory before the system's that others can write or that moves with the user.",
    action: Action::Block,
    manual: manuals::PATH_CHANGE,
    kinds: kind::ALL,
};

/// Relative directories that package managers make for a project.
const TOOL_DIRECTORIES: [&str; 8] = [
    "node_modules/.bin",
    "vendor/bin",
    ".venv/bin",
    "venv/bin",
    "env/bin",
    "bin",
    ".bin",
    "target/release",
];

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    if let Some(EffectKind::Setenv { name, value, .. }) = view.effect()
        && name == "PATH"
    {
        path(view, value, out);
    }
}

fn path(view: &View<'_>, value: &Value, out: &mut Findings<'_>) {
    let text = encode(value, 0);
    if text.is_empty() {
        return;
    }
    let fresh = value
        .taint()
        .sources()
        .any(|source| matches!(source, Source::Program(name) if name == "mktemp"));
    let mut behind_the_system = false;
    for entry in text.split(|byte| *byte == b':') {
        // A search path that is not known begins with a slash.
        if entry == [b'/', UNKNOWN] {
            behind_the_system = true;
            continue;
        }
        if entry.first() == Some(&UNKNOWN) {
            // `$PATH` itself, or a directory below a variable such as `$GOPATH/bin`.
            if entry.len() > 1 && !fresh {
                continue;
            }
            if fresh && !behind_the_system {
                out.add(&RULE, &kind::RELATIVE_FIRST, Match::Must, || {
                    "puts a directory made a moment ago before those of the system".to_owned()
                });
            }
            behind_the_system |= entry.len() == 1;
            continue;
        }
        let known =
            entry.split(|byte| is_special(std::slice::from_ref(byte))).next().unwrap_or_default();
        let Ok(known) = std::str::from_utf8(known) else { continue };
        let here =
            matches!(known.trim_end_matches('/'), "" | "." | "..") && !known.starts_with('/');
        if is_system_directory(known) && !known.starts_with("/opt") {
            behind_the_system = true;
        } else if here && behind_the_system {
            // A trailing colon mostly comes from an empty variable; a written dot is meant.
            if !known.is_empty() {
                out.add(&RULE, &kind::CURRENT_DIRECTORY, Match::Must, || {
                    "lets programs be found in whatever directory is current".to_owned()
                });
            }
        } else if fresh && !behind_the_system && is_writable_place(known, view.setting) {
            out.add(&RULE, &kind::RELATIVE_FIRST, Match::Must, || {
                format!("puts {known}, made a moment ago, before the directories of the system")
            });
        } else if here || (!behind_the_system && is_writable_place(known, view.setting)) {
            out.add(&RULE, &kind::WRITABLE_FIRST, Match::Must, || {
                let place = if here { "the current directory" } else { known };
                format!("looks for programs in {place} before the system's own, where anybody can put them")
            });
        } else if !behind_the_system && !known.starts_with(['/', '~']) && !is_tool_directory(known)
        {
            out.add(&RULE, &kind::RELATIVE_FIRST, Match::Must, || {
                format!("looks for programs in {known}, relative to wherever it runs, before the system's own")
            });
        }
    }
}

fn is_tool_directory(path: &str) -> bool {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    TOOL_DIRECTORIES.iter().any(|tool| {
        path == *tool || path.strip_suffix(tool).is_some_and(|rest| rest.ends_with('/'))
    })
}

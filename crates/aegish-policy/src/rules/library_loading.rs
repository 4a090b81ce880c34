//! Library loading.
//!
//! # What
//!
//! Preload variables, `dlopen`, plug-ins and modules given on the command line, and library search
//! paths that lead to places where others can write.
//!
//! # Why
//!
//! A library runs with all rights of the program that loads it, under that program's name.
//!
//! # Example
//!
//! ```text
//! LD_PRELOAD=./hook.so ls
//! openssl engine -t ./module.so
//! LD_LIBRARY_PATH=/tmp/lib ./app
//! ```
//!
//! # Instead
//!
//! Link the library when the program is built. Library paths below /usr, /opt or the home directory
//! are fine.
//!
//! # Answers
//!
//! ```toml
//! [loaded]
//! all = "block"
//! confidence = 0.95
//! instead = "Link the library when the program is built, or install it through the package manager."
//!
//! [preload]
//! all = "block"
//! confidence = 0.97
//! core = true
//! instead = "Run the program without the variable."
//!
//! [system-library]
//! default = "warn"
//! sysadmin = "allow"
//! restricted = "block"
//! confidence = 0.8
//! core = true
//! instead = "Fine if the program needs it, for example another allocator."
//!
//! [writable-path]
//! all = "block"
//! confidence = 0.92
//! instead = "Use a directory that only you or root can write."
//!
//! [odd-path]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.7
//! instead = "Use an absolute path to an installed library directory."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::paths::WriteClass;
use crate::paths::glob::Match;
use crate::paths::glob::{encode, is_special};
use crate::paths::{ClassifiedPath, Extent};
use crate::table::kinds::library_loading as kind;
use crate::table::manuals;
use crate::variables::{VariableKind, is_writable_place};
use crate::view::{View, show};
use aegish_effects::{EffectKind, Value};

pub(crate) const RULE: Rule = Rule {
    id: "8",
    name: "library-loading",
    title: "Library loading",
    summary: "Foreign code is loaded into a process.",
    action: Action::Block,
    manual: manuals::LIBRARY_LOADING,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    match view.effect() {
        // Words handed through to the compiler proper are not all libraries.
        Some(EffectKind::Load { library })
            if view.program() == Some("gcc")
                && library.as_known().is_some_and(|text| {
                    ![".so", ".dylib", ".dll"].iter().any(|ending| text.contains(ending))
                }) => {}
        // A directory of the system that programs search anyway.
        Some(EffectKind::Load { library })
            if matches!(
                library.as_known(),
                Some("/bin" | "/usr/bin" | "/usr/local/bin" | "/usr/lib/git-core")
            ) => {}
        // Code of an interpreter, part of a project like any other file of it.
        Some(EffectKind::Load { library })
            if is_managed(library) && !is_replaceable(view, library) => {}
        Some(EffectKind::Load { library }) => {
            out.add(&RULE, &kind::LOADED, Match::Must, || {
                format!("loads {} into a running program", show(library))
            });
        }
        Some(EffectKind::Setenv { name, value, .. }) => match VariableKind::of(name) {
            // Modules by their names are installed ones.
            Some(VariableKind::Library)
                if name.starts_with("GTK") && !value.known_prefix().contains('/') => {}
            Some(VariableKind::Library) if !value.pieces().is_empty() => {
                let kind =
                    if is_of_the_system(value) { &kind::SYSTEM_LIBRARY } else { &kind::PRELOAD };
                out.add(&RULE, kind, Match::Must, || {
                    format!("sets {name}, so that {} is loaded into every program", show(value))
                });
            }
            Some(VariableKind::LibraryPath) => search_path(view, name, value, out),
            _ => {}
        },
        _ => {}
    }
}

/// Libraries in directories where only root puts files: `LD_PRELOAD=/usr/lib/libjemalloc.so.2`.
fn is_of_the_system(value: &Value) -> bool {
    // What follows a whole name comes from outside the text.
    let text = value.known_prefix();
    if !value.is_known() && !text.ends_with(".so") {
        return false;
    }
    let own = |path: &str| {
        ["/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "/usr/libexec/"]
            .iter()
            .any(|place| path.starts_with(place))
            && !path.contains("/../")
    };
    let mut paths = text.split([':', ' ']).filter(|path| !path.is_empty()).peekable();
    paths.peek().is_some() && paths.all(own)
}

/// Code that an interpreter or virtual machine reads, not a library of the system.
fn is_managed(library: &Value) -> bool {
    let text = library.as_known().unwrap_or_else(|| library.known_suffix());
    // `-javaagent:file.jar=options`
    let file = text.split('=').next().unwrap_or(text);
    [
        ".jar", ".js", ".cjs", ".mjs", ".ts", ".lua", ".py", ".rb", ".pl", ".pm", ".php", ".vim",
        ".el", ".nse",
    ]
    .iter()
    .any(|ending| file.ends_with(ending))
}

fn is_replaceable(view: &View<'_>, library: &Value) -> bool {
    library.taint().network().is_some()
        || view.place.is_some_and(|place| place.write_class() == Some(WriteClass::Temporary))
}

fn search_path(view: &View<'_>, name: &str, value: &Value, out: &mut Findings<'_>) {
    let text = encode(value, 0);
    for entry in text.split(|byte| *byte == b':') {
        let known =
            entry.split(|byte| is_special(std::slice::from_ref(byte))).next().unwrap_or_default();
        let Ok(known) = std::str::from_utf8(known) else { continue };
        // Empty entries and those that start with an unknown part are ignored.
        if known.is_empty() {
            continue;
        }
        if known.starts_with('/') || known.starts_with('~') {
            if is_writable_place(known, view.setting) {
                out.add(&RULE, &kind::WRITABLE_PATH, Match::Must, || {
                    format!("makes programs load libraries from {known}, where anybody can put them ({name})")
                });
            }
        } else if !is_below_the_project(known, view) {
            out.add(&RULE, &kind::ODD_PATH, Match::Must, || {
                format!("makes programs load libraries from {known}, relative to wherever they run ({name})")
            });
        }
    }
}

/// `./build/lib`: libraries of the project, beside the program that needs them.
fn is_below_the_project(directory: &str, view: &View<'_>) -> bool {
    ClassifiedPath::of(&Value::known(directory), view.setting)
        .is_some_and(|place| place.in_cwd && place.extent == Extent::Inner)
}

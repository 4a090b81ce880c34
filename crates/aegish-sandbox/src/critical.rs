//! Critical files that exist on this machine and that the user's rights do not keep closed anyway.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use aegish_policy::{Anchor, Closed, ComponentPattern, critical_patterns};
use nix::fcntl::AtFlags;
use nix::unistd::{AccessFlags, faccessat, geteuid};

use crate::files::Scope;

/// The most names of one directory that are looked at for a pattern.
const MOST_NAMES: usize = 4096;
/// Accounts of people have numbers from here on.
const FIRST_PERSON: u32 = 1000;

/// Paths without links, and what is forbidden there. A directory stands for all below it.
pub(crate) type ClosedPaths = BTreeMap<PathBuf, Closed>;

/// The files to close. `own_secrets` are those below the home directory.
pub(crate) fn closed(scope: &Scope<'_>, own_secrets: bool) -> ClosedPaths {
    let mut found = ClosedPaths::new();
    let home = scope.home.filter(|home| home.parent().is_some());
    for pattern in critical_patterns() {
        let start = match pattern.anchor {
            Anchor::Root => Path::new("/"),
            Anchor::Home | Anchor::Anywhere => match home {
                Some(home) if own_secrets => home,
                _ => continue,
            },
        };
        let parts: Vec<ComponentPattern> = pattern.parts().collect();
        expand(start, &parts, &mut |path| {
            let excepted = path.file_name().is_some_and(|name| pattern.excepts(name.as_bytes()));
            if !excepted {
                add(&mut found, path, pattern.closed);
            }
        });
    }
    for path in scope.guards_own {
        // Those in the home directory are closed with its secrets only: the directory they are in is fixed then.
        if own_secrets || !home.is_some_and(|home| path.starts_with(home)) {
            add(&mut found, path, Closed::Writing);
        }
    }
    for path in homes_of_others(home) {
        add(&mut found, &path, Closed::All);
    }
    found.retain(|path, _| !scope.readable.iter().any(|open| path.starts_with(open)));
    found
}

fn add(found: &mut ClosedPaths, path: &Path, closed: Closed) {
    let Ok(real) = fs::canonicalize(path) else { return };
    // A link can lead to a place that must stay open: `~/.netrc -> /dev/null`.
    if !can_be_reached(&real, closed) || real.starts_with("/dev") || real.starts_with("/proc") {
        return;
    }
    let slot = found.entry(real).or_insert(closed);
    *slot = (*slot).max(closed);
}

/// Whether the user's own rights allow what is forbidden.
fn can_be_reached(path: &Path, closed: Closed) -> bool {
    let may = |path: &Path, flags| {
        faccessat(nix::fcntl::AT_FDCWD, path, flags, AtFlags::AT_EACCESS).is_ok()
    };
    let replaced = path.parent().is_some_and(|parent| may(parent, AccessFlags::W_OK));
    let written = replaced || may(path, AccessFlags::W_OK);
    match closed {
        Closed::Writing => written,
        Closed::All => written || may(path, AccessFlags::R_OK) || may(path, AccessFlags::X_OK),
    }
}

/// Calls `each` with every path that the pattern names and that is there.
fn expand(start: &Path, parts: &[ComponentPattern], each: &mut impl FnMut(&Path)) {
    let Some((first, rest)) = parts.split_first() else { return each(start) };
    let Some(name) = first.name() else {
        let Ok(names) = fs::read_dir(start) else { return };
        for entry in names.take(MOST_NAMES).flatten() {
            if first.fits(entry.file_name().as_bytes()) {
                expand(&entry.path(), rest, each);
            }
        }
        return;
    };
    let path = start.join(OsStr::from_bytes(name));
    if fs::symlink_metadata(&path).is_ok() {
        expand(&path, rest, each);
    }
}

fn homes_of_others(own: Option<&Path>) -> Vec<PathBuf> {
    let user = geteuid().as_raw();
    let listed = fs::read_dir("/home").into_iter().flatten().take(MOST_NAMES).flatten();
    listed
        .map(|entry| entry.path())
        .chain([PathBuf::from("/root")])
        .filter(|path| {
            let is_others = fs::metadata(path).is_ok_and(|meta| {
                let owner = meta.uid();
                meta.is_dir() && owner != user && (owner >= FIRST_PERSON || path.ends_with("root"))
            });
            is_others && !own.is_some_and(|own| own.starts_with(path))
        })
        .collect()
}

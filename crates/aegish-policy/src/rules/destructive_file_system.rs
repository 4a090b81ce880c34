//! Destructive file system command.
//!
//! # What
//!
//! Recursive deletion of the root, of directories directly below it, of home directories, of the
//! working directory or one above; recursive changes of mode or owner in the system; overwriting
//! and formatting of disks. Deletions whose target is not known are asked about.
//!
//! # Why
//!
//! There is no way back, and one empty variable is enough.
//!
//! # Example
//!
//! ```text
//! rm -rf /
//! rm -rf "$DIR"/*
//! mkfs.ext4 /dev/sdb1
//! chmod -R 777 /etc
//! ```
//!
//! # Instead
//!
//! Name the one directory that is to go. `${DIR:?}` stops the command when DIR is empty.
//!
//! # Answers
//!
//! ```toml
//! [root]
//! all = "block"
//! confidence = 0.99
//! core = true
//! instead = "Name the one directory that is to go."
//!
//! [system-tree]
//! all = "block"
//! confidence = 0.98
//! instead = "Remove packages with the package manager."
//!
//! [home]
//! all = "block"
//! confidence = 0.98
//! instead = "Name the one directory that is to go."
//!
//! [working-directory]
//! default = "block"
//! sysadmin = "block"
//! restricted = "block"
//! confidence = 0.9
//! instead = "Name what is to go; `git clean -n` shows what a clean-up would remove."
//!
//! [everything-here]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.7
//! instead = "Name what is to go, for example `rm -rf build/`."
//!
//! [home-child]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "warn"
//! confidence = 0.75
//! instead = "Move it aside first, or name a directory further down."
//!
//! [maybe-empty]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.8
//! instead = "Write ${NAME:?} so that an empty variable stops the command."
//!
//! [unknown-target]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.6
//! instead = "Name the directory, or use one made by mktemp in the same command."
//!
//! [service-data]
//! default = "block"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.9
//! instead = "Make a dump first; let the service remove its own data."
//!
//! [device]
//! all = "block"
//! confidence = 0.98
//! instead = "Work on an image file; try with `lsblk` first."
//!
//! [image]
//! default = "warn"
//! sysadmin = "allow"
//! restricted = "warn"
//! confidence = 0.7
//! instead = "Fine if the file holds nothing you need."
//!
//! [destroyed]
//! all = "block"
//! confidence = 0.95
//! instead = "Make a backup and let an administrator do it."
//!
//! [mode-tree]
//! all = "block"
//! confidence = 0.97
//! instead = "Change the mode of the single file that needs it."
//!
//! [home-locked]
//! all = "block"
//! confidence = 0.95
//! instead = "Keep the owner's rights: `chmod 700 ~` keeps everybody else out."
//!
//! [owner-tree]
//! default = "block"
//! sysadmin = "block"
//! restricted = "block"
//! confidence = 0.95
//! instead = "Change the owner of the single directory that needs it."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Reason, Rule};
use crate::mode::{Granted, locks_owner_out};
use crate::paths::glob::Match;
use crate::paths::{ClassifiedPath, Extent, ReadClass, WriteClass};
use crate::table::kinds::destructive_file_system as kind;
use crate::table::manuals;
use crate::view::{View, show};
use aegish_effects::{EffectKind, Piece, Value, origin};
use aegish_profiles::{DestroyEffect, Detail, SystemEffect};

pub(crate) const RULE: Rule = Rule {
    id: "destructive-file-system",
    name: "destructive-file-system",
    title: "Destructive file system command",
    summary: "Deletes or makes unusable a disk, the system, a home directory or everything at hand.",
    action: Action::Block,
    manual: manuals::DESTRUCTIVE_FILE_SYSTEM,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    match (view.effect(), view.place) {
        (Some(EffectKind::Delete { path, tree }), Some(place)) if !place.fresh => {
            let shredded = view.program() == Some("shred");
            let all = *tree
                || shredded && path.has_glob()
                || (place.extent >= Extent::Home && (shredded || finds_all(view)));
            delete(&place, path, all, out);
            if all && is_database(&place) && is_whole_service(path) {
                out.add(&RULE, &kind::SERVICE_DATA, Match::Must, || {
                    format!("deletes {}, all data of a service", show(path))
                });
            }
        }
        (Some(EffectKind::Write { path, append, .. }), Some(place)) => {
            device(&place, path, out);
            // `rsync --delete` empties its destination.
            let empties = view.program() == Some("rsync")
                && (place.extent >= Extent::Home
                    || place.extent == Extent::HomeChild && reads_empty(view))
                && view.arguments().any(|word| word.starts_with("--del"));
            if empties || !append && place.extent >= Extent::Home && is_every_file(path) {
                delete(&place, path, true, out);
            }
        }
        // Whoever gets a home directory takes it away from the one who lives there.
        (Some(EffectKind::Owner { path, owner, tree: true, .. }), Some(place))
            if place.extent == Extent::Home && is_nobody(owner) =>
        {
            out.add(&RULE, &kind::HOME_CHILD, Match::Must, || {
                format!("gives everything below {} to {}", show(path), show(owner))
            });
        }
        (Some(EffectKind::Mode { path, mode, tree, .. }), Some(place)) => {
            let granted = Granted::of(mode);
            if is_system(&place)
                && (*tree || (granted.world_write && place.extent >= Extent::TopLevel))
            {
                out.add(&RULE, &kind::MODE_TREE, Match::Must, || {
                    format!("changes the mode of everything below {}", show(path))
                });
            } else if place.extent == Extent::Home && locks_owner_out(mode) {
                out.add(&RULE, &kind::HOME_LOCKED, Match::Must, || {
                    format!("takes {} away from its owner", show(path))
                });
            }
        }
        (Some(EffectKind::Owner { path, tree: true, .. }), Some(place)) if is_system(&place) => {
            out.add(&RULE, &kind::OWNER_TREE, Match::Must, || {
                format!("changes the owner of everything below {}", show(path))
            });
        }
        (Some(EffectKind::System { what: SystemEffect::Destroy(what), detail, object }), _) => {
            destroy(view, *what, *detail, object, out);
        }
        _ => {}
    }
}

/// A pattern or a search: the program writes many files, one after the other.
fn is_every_file(path: &Value) -> bool {
    path.has_glob()
        || path
            .pieces()
            .iter()
            .any(|piece| matches!(piece, Piece::Unknown(origin::EVERY_FILE | origin::SOME_FILES)))
}

/// Whether the command reads a directory that this text has just made and put nothing into.
fn reads_empty(view: &View<'_>) -> bool {
    let mut read = view.own_effects().filter_map(|effect| match effect {
        EffectKind::Read { path, tree: true } => path.as_known(),
        _ => None,
    });
    let written = |directory: &str| {
        let directory = directory.trim_end_matches('/');
        let below = view.analysis.effects.iter().filter_map(|effect| match &effect.kind {
            EffectKind::Write { path, .. } => path.known_prefix().strip_prefix(directory),
            _ => None,
        });
        let below: Vec<&str> = below.map(|rest| rest.trim_matches('/')).collect();
        !below.is_empty() && below.iter().all(|rest| rest.is_empty())
    };
    read.any(written)
}

/// Owners in whose name nobody lives in a home directory.
fn is_nobody(owner: &Value) -> bool {
    let name = owner.known_prefix().split([':', '.']).next().unwrap_or_default();
    matches!(name, "nobody" | "daemon" | "bin" | "www-data" | "root" | "0" | "65534")
}

/// `/var/lib/NAME`, or everything in it.
fn is_whole_service(path: &Value) -> bool {
    let text = path.known_prefix().trim_end_matches('/');
    text.split('/').count() == 4
        && matches!(path.pieces(), [Piece::Text(_)] | [Piece::Text(_), Piece::AnyString])
}

/// The files of a database server.
fn is_database(place: &ClassifiedPath) -> bool {
    place.write_class() == Some(WriteClass::State)
        && place.read_class() == Some(ReadClass::Credential)
}

fn is_system(place: &ClassifiedPath) -> bool {
    place.extent >= Extent::TopLevel
        || (!place.in_home
            && matches!(
                place.write_class(),
                Some(
                    WriteClass::System
                        | WriteClass::Configuration
                        | WriteClass::Authentication
                        | WriteClass::Boot
                        | WriteClass::PackageSettings
                        | WriteClass::Schedule
                        | WriteClass::Kernel
                        | WriteClass::Loader
                        | WriteClass::Protection
                        | WriteClass::GuardProgram
                )
            ))
}

fn delete(place: &ClassifiedPath, path: &Value, tree: bool, out: &mut Findings<'_>) {
    let harmless = matches!(place.write_class(), Some(WriteClass::Temporary | WriteClass::Cache));
    let kind = match place.extent {
        Extent::Root => &kind::ROOT,
        Extent::TopLevel if tree => &kind::SYSTEM_TREE,
        Extent::Home if tree => &kind::HOME,
        Extent::TopLevel | Extent::Home => &kind::EVERYTHING_HERE,
        Extent::AboveCwd if tree && !harmless => &kind::WORKING_DIRECTORY,
        Extent::OwnDirectory | Extent::AllHere if tree && !harmless => &kind::EVERYTHING_HERE,
        Extent::HomeChild if tree => &kind::HOME_CHILD,
        Extent::PerhapsRoot if tree => &kind::MAYBE_EMPTY,
        Extent::Unknown if tree => &kind::UNKNOWN_TARGET,
        _ => return,
    };
    out.add(&RULE, kind, Match::Must, || {
        let path = show(path);
        match place.extent {
            Extent::Root => format!("deletes {path}, everything on this machine"),
            Extent::TopLevel => format!("deletes {path}, a whole branch of the system"),
            Extent::Home => format!("deletes {path}, a whole home directory"),
            Extent::AboveCwd => format!("deletes {path}, the directory it runs in"),
            Extent::OwnDirectory | Extent::AllHere => {
                format!("deletes {path}, everything in the working directory")
            }
            Extent::HomeChild => format!("deletes {path} with everything below it"),
            Extent::PerhapsRoot => format!(
                "deletes {path}, which is a branch of the system if the unknown part is empty"
            ),
            Extent::Unknown | Extent::Inner => {
                format!("deletes {path} with everything below, whatever that turns out to be")
            }
        }
    });
}

fn device(place: &ClassifiedPath, path: &Value, out: &mut Findings<'_>) {
    let kind = match place.write_class() {
        Some(WriteClass::Device) => &kind::DEVICE,
        Some(WriteClass::LoopDevice) => &kind::IMAGE,
        _ => return,
    };
    out.add(&RULE, kind, Match::Must, || format!("overwrites {}, a whole device", show(path)));
}

fn destroy(
    view: &View<'_>,
    what: DestroyEffect,
    detail: Detail,
    object: &Value,
    out: &mut Findings<'_>,
) {
    let place = ClassifiedPath::of(object, view.setting);
    let known = object.as_known();
    // A word with a slash is a file; bare words are names of pools, volumes, databases.
    let is_file = known.is_some_and(|text| text.contains(['/', '.']) && !text.starts_with("/dev/"));
    // Volumes and pools have names that look like files.
    let is_name = !known.is_some_and(|text| text.starts_with(['/', '~', '.']))
        && (!is_file
            || matches!(
                what,
                DestroyEffect::Volume | DestroyEffect::Pool | DestroyEffect::Dataset
            ));
    let kind = match place.and_then(|place| place.write_class()) {
        _ if is_name && known.is_some() => &kind::DESTROYED,
        Some(WriteClass::Harmless) => return,
        Some(WriteClass::Device) => &kind::DEVICE,
        Some(
            WriteClass::LoopDevice
            | WriteClass::Temporary
            | WriteClass::Cache
            | WriteClass::Ordinary,
        ) => &kind::IMAGE,
        None if is_file && place.is_some_and(|place| place.extent < Extent::AllHere) => {
            &kind::IMAGE
        }
        _ => &kind::DESTROYED,
    };
    out.add(&RULE, kind, Match::Must, || {
        let start = Reason::new("destroys data");
        let start =
            if object.pieces().is_empty() { start } else { start.text(" on ").text(&show(object)) };
        start.text(": ").detail(detail)
    });
}

/// `find DIR -mindepth 1 -delete`: only the depth and the kind of file limit the search.
fn finds_all(view: &View<'_>) -> bool {
    const UNLIMITED: [&str; 12] = [
        "-H",
        "-L",
        "-P",
        "-depth",
        "-xdev",
        "-mount",
        "-mindepth",
        "-type",
        "-print",
        "-delete",
        "-noleaf",
        "-ignore_readdir_race",
    ];
    let mut options =
        view.arguments().filter(|word| word.starts_with('-') || matches!(*word, "(" | "!"));
    view.program() == Some("find") && options.all(|word| UNLIMITED.contains(&word))
}

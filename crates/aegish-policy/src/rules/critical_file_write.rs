//! Write of a security-critical file.
//!
//! # What
//!
//! Writing, deleting, linking or exposing files of authentication (accounts, sudoers, PAM, SSH,
//! authorized_keys), the loader, schedules, start-up and the operating system.
//!
//! # Why
//!
//! One line in such a file gives away the machine or breaks it.
//!
//! # Example
//!
//! ```text
//! echo 'kim ALL=(ALL) NOPASSWD: ALL' >> /etc/sudoers
//! rm /etc/pam.d/sshd
//! ```
//!
//! # Instead
//!
//! Use the tool made for it, as an administrator. Files of the project, the home directory and /tmp
//! are fine.
//!
//! # Answers
//!
//! ```toml
//! [authentication]
//! all = "block"
//! confidence = 0.98
//! core = true
//! instead = "Use the tool made for it (`passwd`, `visudo`, `ssh-copy-id`) as an administrator, outside the guard."
//!
//! [loader]
//! all = "block"
//! confidence = 0.98
//! core = true
//! instead = "Install the library through the package manager."
//!
//! [schedule]
//! default = "block"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.97
//! instead = "Run the command once, or let an administrator add the schedule."
//!
//! [boot]
//! default = "block"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.96
//! instead = "Put settings into the project or into your own configuration."
//!
//! [system]
//! default = "block"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.93
//! instead = "Write below the project or home directory, or install through the package manager."
//!
//! [configuration]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.85
//! instead = "Look at the difference first, and keep a copy of the file."
//!
//! [empty-directory]
//! default = "allow"
//! sysadmin = "allow"
//! restricted = "block"
//! confidence = 0.8
//! instead = "Make directories below the project or home directory."
//!
//! [key-store]
//! all = "block"
//! confidence = 0.9
//! core = true
//! instead = "Delete or change single files in it by name."
//!
//! [mode]
//! default = "warn"
//! sysadmin = "allow"
//! restricted = "block"
//! confidence = 0.8
//! instead = "Change modes only below the project or home directory."
//!
//! [exposed]
//! all = "block"
//! confidence = 0.95
//! core = true
//! instead = "Keep the file readable by its owner only."
//! ```

use crate::action::Action;
use crate::apt_settings;
use crate::finding::Variant;
use crate::finding::{Findings, Rule};
use crate::hosts::is_unvouched;
use crate::mode::Granted;
use crate::paths::glob::{Match, encode, readings};
use crate::paths::{ClassifiedPath, Extent, ReadClass, WriteClass};
use crate::table::kinds::critical_file_write as kind;
use crate::table::manuals;
use crate::view::{View, adds_nothing, show};
use aegish_effects::{EffectKind, Piece, Value};
use aegish_profiles::Trait;

pub(crate) const RULE: Rule = Rule {
    id: "5",
    name: "critical-file-write",
    title: "Write of a security-critical file",
    summary: "Changes files that decide who gets in, what runs by itself, or the system itself.",
    action: Action::Block,
    manual: manuals::CRITICAL_FILE_WRITE,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    let (Some(effect), Some(place)) = (view.effect(), view.place) else { return };
    match effect {
        // Files may be written anywhere below the root.
        EffectKind::Write { path, .. } if place.extent == Extent::Root => {
            out.add(&RULE, &kind::SYSTEM, Match::Must, || {
                format!("writes into {}, the root of the system", show(path))
            });
        }
        EffectKind::Write { path, .. } if adds_nothing(effect) => make(&place, path, out),
        // The archive may contain anything, for example authorized keys.
        EffectKind::Write { path, .. }
            if place.write_class() == Some(WriteClass::KeyStore) && unpacks(view) =>
        {
            change(&place, "unpacks into", path, true, out);
        }
        EffectKind::Write { path, content, .. }
            if place.write_class() == Some(WriteClass::Configuration)
                && is_untrusted_source(content) =>
        {
            out.add(&RULE, &kind::SYSTEM, Match::Must, || {
                format!("makes {} trust a source for which nobody vouches", show(path))
            });
        }
        EffectKind::Write { path, content, .. }
            if place.write_class() == Some(WriteClass::PackageSettings)
                && are_usual_settings(content) =>
        {
            out.add(&RULE, &kind::CONFIGURATION, Match::Must, || {
                format!("writes {}, which holds settings of the package manager", show(path))
            });
        }
        EffectKind::Write { path, append: true, .. } => {
            change(&place, "appends to", path, false, out);
        }
        EffectKind::Write { path, .. } => change(&place, "writes", path, false, out),
        // An unknown program gets a file that decides who may log in or what runs.
        EffectKind::Mention { path } if is_trusted_file(&place) => {
            change(&place, "may write", path, false, out);
        }
        EffectKind::Link { name, .. } => change(&place, "makes a link at", name, false, out),
        // One configuration file can be restored, a directory of them cannot.
        EffectKind::Delete { path, tree: true }
            if place.write_class() == Some(WriteClass::Configuration) =>
        {
            out.add(&RULE, &kind::SYSTEM, Match::Must, || {
                format!("deletes {} with everything in it", show(path))
            });
        }
        // Whole trees have their own rule, whose name is more precise.
        EffectKind::Delete { path, tree } if !tree || place.extent < Extent::Home => {
            change(&place, "deletes", path, true, out);
        }
        EffectKind::Mode { path, mode, tree, .. } => {
            expose(&place, path, Granted::of(mode), *tree, out);
        }
        _ => {}
    }
}

/// Packages or keys from a bare address, or without a signature.
fn is_untrusted_source(content: &Value) -> bool {
    const UNSIGNED: [&str; 4] =
        ["trusted=yes", "allow-insecure=yes", "gpgcheck=0", "repo_gpgcheck=0"];
    let word = |word: &str| {
        let word = word.trim_matches(|c: char| matches!(c, '[' | ']' | ',' | '"' | '\''));
        let address = word.rsplit_once('=').map_or(word, |(_, address)| address);
        // Signed packages may come over plain http.
        let named = address.replacen("http://", "https://", 1);
        UNSIGNED.contains(&word) || is_unvouched(&named)
    };
    let text = content.pieces().iter().filter_map(|piece| match piece {
        Piece::Text(text) => Some(text.as_str()),
        _ => None,
    });
    content.taint().unverified().is_some_and(is_unvouched)
        || text.flat_map(str::split_whitespace).any(word)
}

/// Settings of the package manager that are known and run nothing. What comes from outside counts as an ordinary value.
fn are_usual_settings(content: &Value) -> bool {
    let lost = |one: &Value| one.has_unknown() && one.is_one_of_own();
    !content.is_one_of_many_values()
        && !content.possible().iter().any(lost)
        && content.taint().network().is_none()
        && (0..readings(content)).all(|number| apt_settings::are_usual(&encode(content, number)))
}

fn unpacks(view: &View<'_>) -> bool {
    view.program_is(Trait::Unpacker)
}

fn is_trusted_file(place: &ClassifiedPath) -> bool {
    matches!(
        place.write_class(),
        Some(WriteClass::Authentication | WriteClass::Loader | WriteClass::Schedule)
    )
}

/// A directory is made, but nothing is put into it.
fn make(place: &ClassifiedPath, path: &Value, out: &mut Findings<'_>) {
    if place.classes.write.is_some_and(|hit| kind_of(hit.class).is_some()) {
        out.add(&RULE, &kind::EMPTY_DIRECTORY, Match::Must, || format!("makes {}", show(path)));
    }
}

fn change(place: &ClassifiedPath, verb: &str, path: &Value, deleted: bool, out: &mut Findings<'_>) {
    let Some(hit) = place.classes.write else { return };
    let kind = match hit.class {
        WriteClass::KeyStore if deleted => &kind::KEY_STORE,
        // What is gone runs nothing.
        WriteClass::PackageSettings if deleted => &kind::CONFIGURATION,
        class => match kind_of(class) {
            Some(kind) => kind,
            None => return,
        },
    };
    out.add(&RULE, kind, hit.certainty, || match hit.certainty {
        Match::Must => format!("{verb} {}, which holds {}", show(path), hit.holds),
        _ => format!("{verb} {}, which can be a file that holds {}", show(path), hit.holds),
    });
}

fn kind_of(class: WriteClass) -> Option<&'static Variant> {
    match class {
        WriteClass::Authentication => Some(&kind::AUTHENTICATION),
        WriteClass::Loader => Some(&kind::LOADER),
        WriteClass::Schedule => Some(&kind::SCHEDULE),
        WriteClass::Boot | WriteClass::PackageSettings => Some(&kind::BOOT),
        WriteClass::Configuration => Some(&kind::CONFIGURATION),
        WriteClass::System => Some(&kind::SYSTEM),
        _ => None,
    }
}

fn expose(
    place: &ClassifiedPath,
    path: &Value,
    granted: Granted,
    tree: bool,
    out: &mut Findings<'_>,
) {
    let secret = matches!(
        place.read_class(),
        Some(ReadClass::AccountSecret | ReadClass::PrivateKey | ReadClass::Credential)
    );
    let key_store = place.write_class() == Some(WriteClass::KeyStore);
    let authentication = place.write_class() == Some(WriteClass::Authentication);
    let of_the_system = place.write_class().and_then(kind_of).is_some() && !place.in_home;
    let exposed = (secret && granted.others)
        || ((authentication || key_store) && granted.world_write)
        || (of_the_system && granted.world_write);
    if exposed {
        out.add(&RULE, &kind::EXPOSED, Match::Must, || format!("opens {} to others", show(path)));
    } else if of_the_system && !tree {
        // Trees have their own rule.
        out.add(&RULE, &kind::MODE, Match::Must, || {
            format!("changes the mode of {}, a file of the system", show(path))
        });
    }
}

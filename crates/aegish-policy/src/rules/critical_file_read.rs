//! Read of a security-critical file.
//!
//! # What
//!
//! The content of a file that holds secrets reaches a program, and so the screen, a file or the
//! network: password hashes, private keys, cloud and service credentials, browser stores, memory of
//! processes, raw disks, the metadata service of a cloud. Globs that can match such a file and
//! recursive reads of directories that hold them count. Names and metadata do not.
//!
//! # Why
//!
//! A secret that was printed once has to be changed everywhere.
//!
//! # Example
//!
//! ```text
//! cat /etc/shadow
//! cp ~/.ssh/id_ed25519 backup/
//! grep -r . ~/.aws
//! ```
//!
//! # Instead
//!
//! Let the tool that owns the secret use it. Public keys, `known_hosts` and `~/.ssh/config` are no
//! secrets.
//!
//! # Answers
//!
//! ```toml
//! [account-secret]
//! default = "block"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.98
//! core = true
//! instead = "Ask for one account's state with `passwd -S` or `chage -l`, or check a rule with `sudo -l`."
//!
//! [private-key]
//! all = "block"
//! confidence = 0.98
//! core = true
//! instead = "Use the public key (`*.pub`), or let ssh, gpg or the service read the key itself."
//!
//! [credential]
//! all = "block"
//! confidence = 0.96
//! core = true
//! instead = "Let the tool that owns the credentials use them; to see who you are, ask the tool itself."
//!
//! [memory]
//! all = "block"
//! confidence = 0.95
//! core = true
//! instead = "Use `ps`, `/proc/PID/status` or the program's own diagnostics."
//!
//! [raw-disk]
//! default = "block"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.93
//! instead = "Read files through the file system; use `lsblk` or `df` for facts about disks."
//!
//! [named-disk]
//! default = "warn"
//! sysadmin = "allow"
//! restricted = "block"
//! confidence = 0.7
//! instead = "Use `lsblk` or `df` for facts about disks."
//!
//! [token-file]
//! all = "warn"
//! confidence = 0.75
//! instead = "Ask the tool for the one setting you need, for example `npm config get registry`."
//!
//! [secret-tree]
//! all = "block"
//! confidence = 0.95
//! core = true
//! instead = "Name the files you need instead of the whole directory."
//!
//! [machine-identity]
//! all = "block"
//! confidence = 0.96
//! core = true
//! instead = "Let the cloud tool fetch its own credentials."
//! ```

use crate::action::Action;
use crate::finding::Variant;
use crate::finding::{Findings, Reason, Rule};
use crate::hosts::HostClass;
use crate::paths::glob::Match;
use crate::paths::{Classes, ClassifiedPath, Extent, ReadClass, TreeClass};
use crate::table::kinds::critical_file_read as kind;
use crate::table::manuals;
use crate::view::{View, has_trait, show};
use aegish_effects::{EffectKind, Piece, Value};
use aegish_profiles::{ReconEffect, SystemEffect, Trait};

pub(crate) const RULE: Rule = Rule {
    id: "4",
    name: "critical-file-read",
    title: "Read of a security-critical file",
    summary: "Reads password hashes, private keys, credentials or memory.",
    action: Action::Block,
    manual: manuals::CRITICAL_FILE_READ,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    match view.effect() {
        Some(EffectKind::Read { path, tree }) => {
            file(&view.classes(), path, out);
            if view.classes().read.is_none() {
                found_in(view, path, out);
            }
            if *tree {
                directory(view, path, out);
            }
        }
        Some(EffectKind::System { what: SystemEffect::Secret, detail, object }) => {
            out.add(&RULE, &kind::CREDENTIAL, Match::Must, || {
                Reason::new("").detail(*detail).object(object)
            });
        }
        Some(EffectKind::System {
            what: SystemEffect::Recon(ReconEffect::PasswordHashes), ..
        }) => {
            out.add(&RULE, &kind::ACCOUNT_SECRET, Match::Must, || {
                "prints password hashes".to_owned()
            });
        }
        // Most programs with a disk as an argument manage it; only some copy its content.
        Some(EffectKind::Mention { path })
            if view.classes().read.is_some_and(|hit| hit.class == ReadClass::RawDisk) =>
        {
            out.add(&RULE, &kind::NAMED_DISK, Match::Must, || {
                format!("is given {}, a whole disk", show(path))
            });
        }
        Some(EffectKind::Mention { path }) => file(&view.classes(), path, out),
        Some(EffectKind::Link { target, .. }) => {
            if let Some(place) = ClassifiedPath::of(target, view.setting) {
                file(&place.classes, target, out);
            }
        }
        Some(EffectKind::Fetch { from: host, .. } | EffectKind::Connect { host, .. })
            if view.host == Some(HostClass::Metadata) && !view.only_resolves() =>
        {
            out.add(&RULE, &kind::MACHINE_IDENTITY, Match::Must, || {
                format!("asks {}, which hands out credentials of this machine", show(host))
            });
        }
        // The paths are the same on the other machine.
        Some(EffectKind::Fetch { from, .. }) => {
            if let Some(path) = path_elsewhere(from)
                && let Some(place) = ClassifiedPath::of(&path, view.setting)
            {
                file(&place.classes, from, out);
            }
        }
        _ => {}
    }
}

/// The path of `host:/path`.
fn path_elsewhere(from: &Value) -> Option<Value> {
    let text = from.as_known().filter(|text| !text.contains("://"))?;
    let (_, path) = text.split_once(':')?;
    path.starts_with(['/', '~']).then(|| Value::known(path))
}

fn file(classes: &Classes, path: &Value, out: &mut Findings<'_>) {
    let Some(hit) = classes.read else { return };
    let Some(kind) = kind_of(hit.class) else { return };
    out.add(&RULE, kind, hit.certainty, || match hit.certainty {
        Match::Must => format!("reads {}, which holds {}", show(path), hit.holds),
        _ => format!("reads {}, which can be a file that holds {}", show(path), hit.holds),
    });
}

fn kind_of(class: ReadClass) -> Option<&'static Variant> {
    match class {
        ReadClass::AccountSecret => Some(&kind::ACCOUNT_SECRET),
        ReadClass::PrivateKey => Some(&kind::PRIVATE_KEY),
        ReadClass::Credential => Some(&kind::CREDENTIAL),
        ReadClass::Memory => Some(&kind::MEMORY),
        ReadClass::RawDisk => Some(&kind::RAW_DISK),
        ReadClass::TokenFile => Some(&kind::TOKEN_FILE),
        // Covered by rule 10 or container-escape, or relevant only when it leaves the machine.
        ReadClass::AccountList
        | ReadClass::History
        | ReadClass::LoginRecord
        | ReadClass::ContainerSocket
        | ReadClass::ProjectSecret
        | ReadClass::Ordinary => None,
    }
}

fn directory(view: &View<'_>, path: &Value, out: &mut Findings<'_>) {
    let Some(place) = view.place else { return };
    if let Some(hit) = place.classes.tree
        && matches!(hit.class, TreeClass::PrivateKey | TreeClass::Credential)
    {
        out.add(&RULE, &kind::SECRET_TREE, hit.certainty, || {
            format!("reads everything below {}, which holds {}", show(path), hit.holds)
        });
    }
    // Tools that search, compare or back up the settings of the system read all of them.
    let tool = view.program().is_none_or(|program| has_trait(program, Trait::TreeTool));
    if let Some(hit) = place.classes.tree
        && hit.class == TreeClass::Wide
        && !tool
    {
        out.add(&RULE, &kind::SECRET_TREE, Match::Must, || {
            format!("reads everything below {}, password hashes and keys included", show(path))
        });
    }
    // A pattern does not reach the dot files in which secrets are kept.
    if place.extent == Extent::Home && !place.in_home && !path.has_glob() {
        out.add(&RULE, &kind::SECRET_TREE, Match::Must, || {
            format!(
                "reads everything below {}, a home directory with keys and credentials",
                show(path)
            )
        });
    }
}

/// `~/.ssh/‹unknown›`: any file of a directory with secrets.
fn found_in(view: &View<'_>, path: &Value, out: &mut Findings<'_>) {
    let [directory @ .., Piece::Unknown(_)] = path.pieces() else { return };
    let mut parent = Value::empty();
    directory.iter().for_each(|piece| parent.push(piece.clone()));
    if !parent.known_suffix().ends_with('/') {
        return;
    }
    let Some(place) = ClassifiedPath::of(&parent, view.setting) else { return };
    if let Some(hit) = place.classes.tree
        && matches!(hit.class, TreeClass::PrivateKey | TreeClass::Credential)
    {
        out.add(&RULE, &kind::SECRET_TREE, Match::May, || {
            format!("reads {}, any file of a directory that holds {}", show(path), hit.holds)
        });
    }
}

//! Enumeration.
//!
//! # What
//!
//! Lists of accounts and processes, searches for setuid files, network surveys, histories, records
//! of logins, and recursive reads that start at the root, at /etc or at a home directory.
//!
//! # Why
//!
//! It is the first step of many attacks, and also of much honest work: so it is asked about, not
//! stopped.
//!
//! # Example
//!
//! ```text
//! cat /etc/passwd
//! find / -perm -4000
//! grep -r password /etc
//! ```
//!
//! # Instead
//!
//! Ask for the one fact you need: `id NAME`, `grep -r x /etc/nginx`.
//!
//! # Answers
//!
//! ```toml
//! [recon]
//! all = "warn"
//! confidence = 0.8
//! instead = "Ask for the one fact you need."
//!
//! [account-list]
//! default = "warn"
//! sysadmin = "allow"
//! restricted = "warn"
//! confidence = 0.85
//! instead = "`id NAME` answers for one account."
//!
//! [history]
//! all = "warn"
//! confidence = 0.8
//! instead = "Use the shell's own history search."
//!
//! [login-record]
//! default = "warn"
//! sysadmin = "allow"
//! restricted = "warn"
//! confidence = 0.75
//! instead = "Ask for the one entry you need."
//!
//! [wide-tree]
//! all = "warn"
//! confidence = 0.75
//! instead = "Start at the directory that matters, for example /etc/nginx."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Reason, Rule};
use crate::hosts::HostClass;
use crate::paths::glob::Match;
use crate::paths::{ClassifiedPath, Extent, ReadClass, TreeClass};
use crate::table::kinds::enumeration as kind;
use crate::table::manuals;
use crate::view::{View, show};
use aegish_effects::{EffectKind, Piece, Value, origin};
use aegish_profiles::{ReconEffect, SystemEffect};

pub(crate) const RULE: Rule = Rule {
    id: "10",
    name: "enumeration",
    title: "Enumeration",
    summary: "Looks around: accounts, processes, privileges, histories, whole trees.",
    action: Action::Warn,
    manual: manuals::ENUMERATION,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    match (view.effect(), view.place) {
        (Some(EffectKind::System { what: SystemEffect::Recon(what), detail, object }), _) => {
            if looks_up_one(view, *what, object) || stays_on_this_machine(view, *what) {
                return;
            }
            out.add(&RULE, &kind::RECON, Match::Must, || {
                Reason::new("looks around: ").detail(*detail).object(object)
            });
        }
        (Some(EffectKind::List { path }), _)
            if view.program() == Some("find") && searches_for_a_way_in(view, path) =>
        {
            out.add(&RULE, &kind::RECON, Match::Must, || {
                format!("looks around: searches {} for what anybody can change", show(path))
            });
        }
        (Some(EffectKind::Read { path, tree }), Some(place)) => {
            file(&place, path, out);
            let below = every_file_below(path);
            let wide = match &below {
                None => *tree && is_wide(&place, path),
                Some(_) if prints_names_only(view) => false,
                Some(below) => ClassifiedPath::of(below, view.setting)
                    .is_some_and(|place| is_wide(&place, below)),
            };
            if wide {
                let path = below.as_ref().unwrap_or(path);
                out.add(&RULE, &kind::WIDE_TREE, Match::Must, || {
                    format!("reads everything below {}, keys and credentials included", show(path))
                });
            }
        }
        _ => {}
    }
}

/// `getent passwd kim`, `top -p 42`, `pstree 42`: a query for one entry by its name or number.
fn looks_up_one(view: &View<'_>, what: ReconEffect, object: &Value) -> bool {
    match view.program() {
        Some("getent") if what == ReconEffect::Accounts => {
            // The name comes last; with options only, the database does.
            view.last_argument().is_some_and(|last| last == object)
        }
        Some("top") => view.arguments().any(|word| word == "--pid" || word.starts_with("-p")),
        Some("pstree") => !object.pieces().is_empty(),
        _ => false,
    }
}

/// `nmap -sV 127.0.0.1`: every host that is scanned is this machine.
fn stays_on_this_machine(view: &View<'_>, what: ReconEffect) -> bool {
    let mut hosts = view.own_effects().filter_map(|effect| match effect {
        EffectKind::Connect { host, .. } => Some(host),
        _ => None,
    });
    let own = |host: &Value| HostClass::of(host) == HostClass::Loopback;
    what == ReconEffect::Scan && hosts.next().is_some_and(own) && hosts.all(own)
}

fn file(place: &ClassifiedPath, path: &Value, out: &mut Findings<'_>) {
    let Some(hit) = place.classes.read else { return };
    let kind = match hit.class {
        ReadClass::AccountList => &kind::ACCOUNT_LIST,
        ReadClass::History => &kind::HISTORY,
        ReadClass::LoginRecord => &kind::LOGIN_RECORD,
        _ => return,
    };
    out.add(&RULE, kind, hit.certainty, || {
        format!("reads {}, which holds {}", show(path), hit.holds)
    });
}

/// The directory of which every file is read, one after the other: `find /etc -type f -exec cat {} +`.
fn every_file_below(path: &Value) -> Option<Value> {
    match path.pieces() {
        [directory @ .., Piece::Unknown(origin::EVERY_FILE | origin::SOME_FILES)]
            if !directory.is_empty() =>
        {
            let mut below = Value::empty();
            directory.iter().for_each(|piece| below.push(piece.clone()));
            Some(below)
        }
        _ => None,
    }
}

/// `grep -l`: the names of files that hold a text, and nothing of their content.
fn prints_names_only(view: &View<'_>) -> bool {
    let short = |word: &str| {
        word.strip_prefix('-')
            .is_some_and(|letters| !letters.starts_with('-') && letters.contains(['l', 'L', 'q']))
    };
    view.program() == Some("grep")
        && view.arguments().any(|word| short(word) || word.starts_with("--files-with"))
}

fn is_wide(place: &ClassifiedPath, path: &Value) -> bool {
    if place.classes.tree.is_some_and(|hit| hit.class == TreeClass::Wide) {
        return true;
    }
    let text = path.known_prefix();
    match place.extent {
        Extent::Root => true,
        // A relative path is a directory in which the user already works.
        Extent::Home => text.starts_with(['/', '~']),
        Extent::TopLevel => matches!(text.trim_end_matches('/'), "/home" | "/Users"),
        _ => false,
    }
}

/// `find / -writable`: the whole machine is searched for files that others left open.
fn searches_for_a_way_in(view: &View<'_>, path: &Value) -> bool {
    let wide = ClassifiedPath::of(path, view.setting)
        .is_some_and(|place| place.extent >= Extent::TopLevel);
    wide && view.arguments().any(|word| word == "-writable")
}

//! Write to a non-critical place.
//!
//! # What
//!
//! Writing files of the project, the home directory or /tmp is ordinary. Doubtful are directories
//! that programs are run from, data of services, files that everybody may write, and programs
//! straight from the network. The restricted role is asked about everything outside the home
//! directory.
//!
//! # Why
//!
//! What lies in /usr/local/bin or /opt is run by others, too.
//!
//! # Example
//!
//! ```text
//! cp tool /usr/local/bin/
//! chmod 777 shared/
//! ```
//!
//! # Instead
//!
//! Use ~/.local/bin or the project directory; 755 and 644 as modes.
//!
//! # Answers
//!
//! ```toml
//! [program-place]
//! default = "warn"
//! sysadmin = "allow"
//! restricted = "block"
//! confidence = 0.75
//! instead = "Use ~/.local/bin or the project directory."
//!
//! [service-data]
//! default = "warn"
//! sysadmin = "allow"
//! restricted = "block"
//! confidence = 0.75
//! instead = "Let the service change its own data."
//!
//! [from-network]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.75
//! instead = "Look at the file before anything runs it."
//!
//! [outside-home]
//! default = "allow"
//! sysadmin = "allow"
//! restricted = "warn"
//! confidence = 0.8
//! instead = "Stay below the home or project directory."
//!
//! [world-writable]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.8
//! instead = "Use 755 for directories and programs, 644 for files."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::mode::Granted;
use crate::paths::glob::Match;
use crate::paths::{ClassifiedPath, Extent, WriteClass};
use crate::table::kinds::non_critical_write as kind;
use crate::table::manuals;
use crate::view::{View, adds_nothing, show};
use aegish_effects::{EffectKind, Value};

pub(crate) const RULE: Rule = Rule {
    id: "12",
    name: "non-critical-write",
    title: "Write to a non-critical place",
    summary: "Writes where nothing critical is; asked about only if place or content is doubtful.",
    action: Action::Allow,
    manual: manuals::NON_CRITICAL_WRITE,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    let (Some(effect), Some(place)) = (view.effect(), view.place) else { return };
    match effect {
        EffectKind::Write { path, .. } if adds_nothing(effect) => {
            outside_home(&place, "makes", path, out);
        }
        EffectKind::Write { path, content, .. } => {
            change(&place, "writes", path, out);
            if place.write_class() == Some(WriteClass::ToolConfig)
                && let Some(origin) = content.taint().network()
            {
                out.add(&RULE, &kind::FROM_NETWORK, Match::Must, || {
                    format!(
                        "writes what came from {} to {}",
                        crate::view::show_text(origin),
                        show(path)
                    )
                });
            }
        }
        EffectKind::Link { name, .. } => change(&place, "makes a link at", name, out),
        EffectKind::Delete { path, .. } => change(&place, "deletes", path, out),
        EffectKind::Mode { path, mode, .. } => open_to_all(&place, path, mode, out),
        _ => {}
    }
}

fn change(place: &ClassifiedPath, verb: &str, path: &Value, out: &mut Findings<'_>) {
    if place.fresh {
        return;
    }
    match place.write_class() {
        Some(WriteClass::LocalProgram) if !place.in_cwd => {
            out.add(&RULE, &kind::PROGRAM_PLACE, Match::Must, || {
                format!("{verb} {}, where programs for everybody are kept", show(path))
            });
        }
        Some(WriteClass::State) if !place.in_cwd => {
            out.add(&RULE, &kind::SERVICE_DATA, Match::Must, || {
                format!("{verb} {}, which holds data of a service", show(path))
            });
        }
        Some(WriteClass::Temporary | WriteClass::Harmless | WriteClass::Cache) => {}
        _ => outside_home(place, verb, path, out),
    }
}

fn outside_home(place: &ClassifiedPath, verb: &str, path: &Value, out: &mut Findings<'_>) {
    if !place.in_home && !place.in_cwd && place.extent != Extent::Unknown {
        out.add(&RULE, &kind::OUTSIDE_HOME, Match::Must, || {
            format!("{verb} {}, outside the home directory", show(path))
        });
    }
}

fn open_to_all(place: &ClassifiedPath, path: &Value, mode: &Value, out: &mut Findings<'_>) {
    let harmless =
        matches!(place.write_class(), Some(WriteClass::Temporary | WriteClass::Harmless));
    // Directories further up have their own rule.
    if Granted::of(mode).world_write && !harmless && !place.fresh && place.extent < Extent::TopLevel
    {
        out.add(&RULE, &kind::WORLD_WRITABLE, Match::Must, || {
            format!("lets everybody on this machine write {}", show(path))
        });
    }
}

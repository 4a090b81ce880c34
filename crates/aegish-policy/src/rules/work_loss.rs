//! Work loss.
//!
//! # What
//!
//! Commands that drop uncommitted changes, stashes, branches, the history of a project, private keys or other work
//! without a copy.
//!
//! # Why
//!
//! Hours of work are gone with one word.
//!
//! # Example
//!
//! ```text
//! git reset --hard
//! git clean -fdx
//! ```
//!
//! # Instead
//!
//! Keep a copy first, for example with `git stash`.
//!
//! # Answers
//!
//! ```toml
//! [discarded]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "warn"
//! confidence = 0.8
//! instead = "Keep a copy first, for example with `git stash`."
//!
//! [deleted-data]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "warn"
//! confidence = 0.8
//! instead = "List first what would be deleted, and keep a copy of what is still needed."
//!
//! [destroyed-key]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.85
//! instead = "Take the key back where it is used, and keep a copy until nothing needs it any more."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Reason, Rule};
use crate::paths::glob::Match;
use crate::paths::{ReadClass, WriteClass};
use crate::table::kinds::work_loss as kind;
use crate::table::manuals;
use crate::view::{View, show};
use aegish_effects::{EffectKind, Value};
use aegish_profiles::SystemEffect;

pub(crate) const RULE: Rule = Rule {
    id: "work-loss",
    name: "work-loss",
    title: "Work loss",
    summary: "Throws away work that cannot be had back.",
    action: Action::Warn,
    manual: manuals::WORK_LOSS,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    if let (Some(EffectKind::Delete { path, tree: true }), Some(place)) =
        (view.effect(), view.place)
        && !place.fresh
        && place.write_class() != Some(WriteClass::Temporary)
        && matches!(last_component(path), ".git" | ".hg" | ".svn" | ".bzr")
    {
        out.add(&RULE, &kind::DISCARDED, Match::Must, || {
            format!("deletes {}, the whole history of a project", show(path))
        });
    }
    if let (Some(path), Some(place)) = (destroyed(view), view.place)
        && !place.fresh
        && let Some(hit) = place.classes.read
        && hit.certainty == Match::Must
        && matches!(hit.class, ReadClass::PrivateKey | ReadClass::Credential)
    {
        out.add(&RULE, &kind::DESTROYED_KEY, Match::Must, || {
            format!("destroys {}, which holds {}", show(path), hit.holds)
        });
    }
    if let Some(EffectKind::System { what: SystemEffect::Discard, detail, object }) = view.effect()
    {
        let variant =
            if view.program() == Some("git") { &kind::DISCARDED } else { &kind::DELETED_DATA };
        out.add(&RULE, variant, Match::Must, || {
            Reason::new("throws work away: ").detail(*detail).object(object)
        });
    }
}

/// The file that is deleted, or overwritten so that nothing is left of it.
fn destroyed<'a>(view: &View<'a>) -> Option<&'a Value> {
    match view.effect()? {
        EffectKind::Delete { path, .. } => Some(path),
        EffectKind::Write { path, .. } if view.program() == Some("shred") => Some(path),
        _ => None,
    }
}

fn last_component(path: &Value) -> &str {
    let text = path.as_known().unwrap_or_else(|| path.known_suffix());
    text.trim_end_matches('/').rsplit('/').next().unwrap_or("")
}

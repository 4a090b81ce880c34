//! Work loss.
//!
//! # What
//!
//! Commands that drop uncommitted changes, stashes, branches, the history of a project or other work
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
//! ```

use crate::action::Action;
use crate::finding::{Findings, Reason, Rule};
use crate::paths::WriteClass;
use crate::paths::glob::Match;
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
    if let Some(EffectKind::System { what: SystemEffect::Discard, detail, object }) = view.effect()
    {
        let variant =
            if view.program() == Some("git") { &kind::DISCARDED } else { &kind::DELETED_DATA };
        out.add(&RULE, variant, Match::Must, || {
            Reason::new("throws work away: ").detail(*detail).object(object)
        });
    }
}

fn last_component(path: &Value) -> &str {
    let text = path.as_known().unwrap_or_else(|| path.known_suffix());
    text.trim_end_matches('/').rsplit('/').next().unwrap_or("")
}

//! Work loss.
//!
//! # What
//!
//! Commands that drop uncommitted changes, stashes, branches or other work without a copy.
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

use aegish_effects::{Act, System};
use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::paths::glob::Match;
use crate::table::kinds::work_loss as kind;
use crate::table::manuals;
use crate::view::{View, show};

pub(crate) const RULE: Rule = Rule {
    id: "work-loss",
    name: "work-loss",
    title: "Work loss",
    summary: "Throws away work that cannot be had back.",
    action: Action::Warn,
    manual: manuals::WORK_LOSS,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings) {
    if let Some(Act::System { what: System::Discard, detail, object }) = view.act() {
        out.add(&RULE, &kind::DISCARDED, Match::Must, || {
            if object.pieces().is_empty() {
                format!("throws work away: {detail}")
            } else {
                format!("throws work away: {detail} ({})", show(object))
            }
        });
    }
}

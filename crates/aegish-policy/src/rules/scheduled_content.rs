//! Scheduled content.
//!
//! # What
//!
//! Jobs for cron, at, systemd and the like. What is scheduled is judged as if it ran now; if it can
//! be read, the schedule itself is only asked about.
//!
//! # Why
//!
//! A schedule outlives the session and nobody watches when it runs.
//!
//! # Example
//!
//! ```text
//! crontab jobs.txt
//! echo '*/5 * * * * /home/kim/sync.sh' | crontab -
//! ```
//!
//! # Instead
//!
//! Give the schedule in the command itself so that it can be read, or run the command once.
//! `crontab -l` is fine.

use aegish_effects::{Act, System, Value};
use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::paths::glob::Match;
use crate::table::kinds::scheduled_content as kind;
use crate::table::manuals;
use crate::view::{View, show};

pub(crate) const RULE: Rule = Rule {
    id: "scheduled-content",
    name: "scheduled-content",
    title: "Scheduled content",
    summary: "Arranges for something to run later, at intervals or at every start.",
    action: Action::Block,
    manual: manuals::SCHEDULED_CONTENT,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings) {
    if let Some(Act::System { what: System::Persist, detail, object }) = view.act() {
        let (kind, why) =
            if is_read(view, object) { (&kind::KNOWN, "") } else { (&kind::UNKNOWN, ", and what runs cannot be read") };
        out.add(&RULE, kind, Match::Must, || {
            if object.pieces().is_empty() {
                format!("arranges for something to run by itself: {detail}{why}")
            } else {
                format!("arranges for something to run by itself: {detail} ({}){why}", show(object))
            }
        });
    }
}

/// Whether all that is scheduled is known: no unknown part in it, nothing hidden in what it runs.
fn is_read(view: &View<'_>, object: &Value) -> bool {
    let hidden = view
        .analysis
        .effects
        .iter()
        .any(|effect| matches!(effect.act, Act::Hidden { .. }) && view.runs(view.command, effect.command));
    !object.has_unknown() && object.taint().network().is_none() && !hidden
}

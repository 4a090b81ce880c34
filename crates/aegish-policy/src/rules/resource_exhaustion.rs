//! Resource exhaustion.
//!
//! # What
//!
//! Processes that start copies of themselves without end, files that grow without end, and other
//! ways to use up the machine.
//!
//! # Why
//!
//! The machine stops answering, to its owner as well.
//!
//! # Example
//!
//! ```text
//! :(){ :|:& };:
//! yes > /var/tmp/fill
//! ```
//!
//! # Instead
//!
//! Bound the work: a count, `timeout`, `ulimit -u`.

use aegish_effects::{Act, System};
use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::paths::glob::Match;
use crate::table::kinds::resource_exhaustion as kind;
use crate::table::manuals;
use crate::view::{View, show};

pub(crate) const RULE: Rule = Rule {
    id: "resource-exhaustion",
    name: "resource-exhaustion",
    title: "Resource exhaustion",
    summary: "Uses up the machine: fork bombs, endless writers.",
    action: Action::Block,
    manual: manuals::RESOURCE_EXHAUSTION,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings) {
    if let Some(Act::System { what: System::Exhaust, detail, object }) = view.act() {
        out.add(&RULE, &kind::EXHAUSTED, Match::Must, || {
            if object.pieces().is_empty() {
                format!("uses up the machine: {detail}")
            } else {
                format!("uses up the machine: {detail} ({})", show(object))
            }
        });
    }
}

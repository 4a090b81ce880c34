//! Unread code.
//!
//! # What
//!
//! Code for a shell or interpreter that depends on something unknown, or a script outside the
//! system's directories that could not be read. Code from the network is rule 9.
//!
//! # Why
//!
//! It may do anything.
//!
//! # Example
//!
//! ```text
//! eval "$CONFIG"
//! bash ./missing.sh
//! ```
//!
//! # Instead
//!
//! Write the code into the command, or into a file that can be read.

use aegish_effects::{Act, Opaque};
use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::paths::glob::Match;
use crate::table::kinds::unread_code as kind;
use crate::table::manuals;
use crate::view::{View, show};

pub(crate) const RULE: Rule = Rule {
    id: "unread-code",
    name: "unread-code",
    title: "Unread code",
    summary: "Code or a script runs that could not be read.",
    action: Action::Warn,
    manual: manuals::UNREAD_CODE,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings) {
    match view.act() {
        Some(Act::Hidden { why: Opaque::Code, what, .. }) => {
            out.add(&RULE, &kind::CODE, Match::Must, || {
                format!("runs code that is only known at run time ({})", show(what))
            });
        }
        Some(Act::Hidden { why: Opaque::Script, what, .. }) => {
            out.add(&RULE, &kind::SCRIPT, Match::Must, || format!("runs {}, which could not be read", show(what)));
        }
        _ => {}
    }
}

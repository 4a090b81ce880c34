//! Account change.
//!
//! # What
//!
//! Adding, changing and removing accounts and groups. Granting administrator rights is rule 6.
//!
//! # Why
//!
//! An account is a door.
//!
//! # Example
//!
//! ```text
//! useradd kim
//! userdel -r kim
//! ```
//!
//! # Instead
//!
//! `id NAME` shows an account without a change.

use aegish_effects::{Act, System, Value};
use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::paths::glob::Match;
use crate::table::kinds::account_change as kind;
use crate::table::manuals;
use crate::view::{View, show};

pub(crate) const RULE: Rule = Rule {
    id: "account-change",
    name: "account-change",
    title: "Account change",
    summary: "Changes user accounts.",
    action: Action::Warn,
    manual: manuals::ACCOUNT_CHANGE,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings) {
    if let Some(Act::System { what: System::Account, detail, object }) = view.act() {
        // Setting a password asks for it; everything else is done without a word.
        let kind = if names_root(view, object) && !detail.starts_with("changes a password") {
            &kind::ROOT
        } else {
            &kind::CHANGED
        };
        out.add(&RULE, kind, Match::Must, || {
            if object.pieces().is_empty() {
                format!("changes accounts: {detail}")
            } else {
                format!("changes accounts: {detail} ({})", show(object))
            }
        });
    }
}

/// The account comes last, behind options and their values.
fn names_root(view: &View<'_>, object: &Value) -> bool {
    let is_root = |word: &Value| word.as_known() == Some("root");
    is_root(object) || view.last_argument().is_some_and(is_root)
}

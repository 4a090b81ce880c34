//! Account change.
//!
//! # What
//!
//! Adding, changing and removing accounts and groups. Granting administrator rights is rule 6.
//!
//! # Why
//!
//! An account gives access to the machine.
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
//!
//! # Answers
//!
//! ```toml
//! [root]
//! default = "block"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.9
//! core = true
//! instead = "Use sudo for the single command that needs it."
//!
//! [changed]
//! default = "warn"
//! sysadmin = "allow"
//! restricted = "block"
//! confidence = 0.8
//! instead = "`id NAME` shows an account without a change."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Reason, Rule};
use crate::paths::glob::Match;
use crate::table::kinds::account_change as kind;
use crate::table::manuals;
use crate::view::View;
use aegish_effects::{EffectKind, Value};
use aegish_profiles::{AccountEffect, SystemEffect};

pub(crate) const RULE: Rule = Rule {
    id: "account-change",
    name: "account-change",
    title: "Account change",
    summary: "Changes user accounts.",
    action: Action::Warn,
    manual: manuals::ACCOUNT_CHANGE,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    if let Some(EffectKind::System { what: SystemEffect::Account(what), detail, object }) =
        view.effect()
    {
        let kind = if takes_root(view, object, *what) { &kind::ROOT } else { &kind::CHANGED };
        out.add(&RULE, kind, Match::Must, || {
            Reason::new("changes accounts: ").detail(*detail).object(object)
        });
    }
}

/// Whether root is removed, or its password set without asking. The account comes last, after options.
fn takes_root(view: &View<'_>, object: &Value, what: AccountEffect) -> bool {
    let is_root = |word: &Value| word.as_known() == Some("root");
    let named = is_root(object) || view.last_argument().is_some_and(is_root);
    let password = || view.arguments().any(|word| word == "-p" || word.starts_with("--pass"));
    named && (what == AccountEffect::Remove || what == AccountEffect::Modify && password())
}

//! Unresolved command.
//!
//! # What
//!
//! A command name made from a variable or a substitution whose value cannot be told.
//!
//! # Why
//!
//! Anything may run under that name.
//!
//! # Example
//!
//! ```text
//! $TOOL --version
//! "$(cat name)" -x
//! ```
//!
//! # Instead
//!
//! Write the program's name.
//!
//! # Answers
//!
//! ```toml
//! [name]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! open = true
//! confidence = 0.6
//! instead = "Write the program's name."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::paths::glob::Match;
use crate::table::kinds::unresolved_command as kind;
use crate::table::manuals;
use crate::view::{View, show};
use aegish_effects::{EffectKind, Opaque};

pub(crate) const RULE: Rule = Rule {
    id: "unresolved-command",
    name: "unresolved-command",
    title: "Unresolved command",
    summary: "What runs depends on something that is only known at run time.",
    action: Action::Warn,
    manual: manuals::UNRESOLVED_COMMAND,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    if let Some(EffectKind::Hidden { why: Opaque::CommandName, what, .. }) = view.effect() {
        out.add(&RULE, &kind::NAME, Match::Must, || {
            format!("runs {}, and which program that is cannot be told", show(what))
        });
    }
}

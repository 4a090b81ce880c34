//! Unresolved command.
//!
//! # What
//!
//! A command name made from a variable or a substitution whose value cannot be told. A variable that the
//! text did not set is no question: the environment chooses the program, not the text. Its operands are
//! judged as those of a program without a profile.
//!
//! # Why
//!
//! Anything may run under that name.
//!
//! # Example
//!
//! ```text
//! "$(cat name)" -x
//! read -r tool; $tool --version
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
//!
//! [from-environment]
//! default = "allow"
//! sysadmin = "allow"
//! restricted = "block"
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
    let (kind, what) = match view.effect() {
        Some(EffectKind::Hidden { why: Opaque::CommandName, what, .. }) => (&kind::NAME, what),
        Some(EffectKind::Hidden { why: Opaque::ProgramFromEnvironment, what, .. }) => {
            (&kind::FROM_ENVIRONMENT, what)
        }
        _ => return,
    };
    out.add(&RULE, kind, Match::Must, || {
        format!("runs {}, and which program that is cannot be told", show(what))
    });
}

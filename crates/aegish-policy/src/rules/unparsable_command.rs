//! Unparsable command.
//!
//! # What
//!
//! Text that the parser rejects, that reaches a bound on the work, or that computes the name of a file in a way that is not
//! followed.
//!
//! # Why
//!
//! What cannot be read cannot be judged.
//!
//! # Example
//!
//! ```text
//! echo "unbalanced
//! ```
//!
//! # Instead
//!
//! Check quotes and brackets, or split it into shorter commands.
//!
//! # Answers
//!
//! ```toml
//! [syntax]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! open = true
//! confidence = 0.6
//! instead = "Check quotes and brackets."
//!
//! [limit]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! open = true
//! confidence = 0.6
//! instead = "Split it into shorter commands."
//!
//! [computed-name]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! open = true
//! confidence = 0.6
//! instead = "Write the name of the file itself."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::paths::glob::Match;
use crate::table::kinds::unparsable_command as kind;
use crate::table::manuals;
use crate::view::View;
use aegish_effects::{EffectKind, Opaque};

pub(crate) const RULE: Rule = Rule {
    id: "unparsable-command",
    name: "unparsable-command",
    title: "Unparsable command",
    summary: "The text is not valid Bash, too large to be understood, or computes names that cannot be followed.",
    action: Action::Warn,
    manual: manuals::UNPARSABLE_COMMAND,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    match view.effect() {
        Some(EffectKind::Hidden { why: Opaque::Syntax, .. }) => {
            out.add(&RULE, &kind::SYNTAX, Match::Must, || {
                "is not valid Bash, so it cannot be judged".to_owned()
            });
        }
        Some(EffectKind::Hidden { why: Opaque::Limit, .. }) => {
            out.add(&RULE, &kind::LIMIT, Match::Must, || {
                "is too large or too deep to be judged".to_owned()
            });
        }
        Some(EffectKind::Hidden { why: Opaque::FileName, .. }) => {
            out.add(&RULE, &kind::COMPUTED_NAME, Match::Must, || {
                "computes the name of a file, and which one that is cannot be told".to_owned()
            });
        }
        _ => {}
    }
}

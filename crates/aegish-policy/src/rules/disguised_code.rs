//! Disguised code.
//!
//! # What
//!
//! Text that is decoded, reversed or assembled and then run. If the result is known, it is judged
//! like anything else and the disguise itself is only asked about; if not, a judge may look at it.
//!
//! # Why
//!
//! Honest commands have no reason to hide.
//!
//! # Example
//!
//! ```text
//! echo bHM= | base64 -d | sh
//! ```
//!
//! # Instead
//!
//! Write the command plainly, or decode to a file and read it first.
//!
//! # Answers
//!
//! ```toml
//! [known]
//! all = "warn"
//! confidence = 0.75
//! instead = "Write the command plainly."
//!
//! [unknown]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! open = true
//! confidence = 0.6
//! instead = "Decode to a file and read it first."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::paths::glob::Match;
use crate::table::kinds::disguised_code as kind;
use crate::table::manuals;
use crate::view::{View, show};
use aegish_effects::EffectKind;

pub(crate) const RULE: Rule = Rule {
    id: "disguised-code",
    name: "disguised-code",
    title: "Disguised code",
    summary: "Code was encoded or put together from pieces before it runs.",
    action: Action::Warn,
    manual: manuals::DISGUISED_CODE,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    if let Some(EffectKind::Disguised { how, code }) = view.effect() {
        if code.has_unknown() || code.pieces().is_empty() {
            out.add(&RULE, &kind::UNKNOWN, Match::Must, || {
                format!("runs disguised code ({how}) that cannot be read")
            });
        } else {
            out.add(&RULE, &kind::KNOWN, Match::Must, || {
                format!("runs disguised code ({how}): {}", show(code))
            });
        }
    }
}

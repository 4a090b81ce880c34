//! Power change.
//!
//! # What
//!
//! Shutdown, reboot, halt, suspend.
//!
//! # Why
//!
//! Everybody's work stops.
//!
//! # Example
//!
//! ```text
//! reboot
//! shutdown -h now
//! ```
//!
//! # Instead
//!
//! Restart the one service that needs it.
//!
//! # Answers
//!
//! ```toml
//! [stopped]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.9
//! instead = "Restart the one service that needs it."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Reason, Rule};
use crate::paths::glob::Match;
use crate::table::kinds::power_change as kind;
use crate::table::manuals;
use crate::view::View;
use aegish_effects::EffectKind;
use aegish_profiles::SystemEffect;

pub(crate) const RULE: Rule = Rule {
    id: "power-change",
    name: "power-change",
    title: "Power change",
    summary: "Stops or restarts the machine.",
    action: Action::Warn,
    manual: manuals::POWER_CHANGE,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    if let Some(EffectKind::System { what: SystemEffect::Power, detail, object }) = view.effect() {
        out.add(&RULE, &kind::STOPPED, Match::Must, || {
            Reason::new("stops or restarts the machine: ").detail(*detail).object(object)
        });
    }
}

//! Service change.
//!
//! # What
//!
//! Starting, stopping, restarting, enabling and disabling services.
//!
//! # Why
//!
//! Others depend on what runs. For an administrator this is ordinary work.
//!
//! # Example
//!
//! ```text
//! systemctl restart nginx
//! ```
//!
//! # Instead
//!
//! `systemctl status` shows the state without a change.
//!
//! # Answers
//!
//! ```toml
//! [changed]
//! default = "warn"
//! sysadmin = "allow"
//! restricted = "block"
//! confidence = 0.8
//! instead = "`systemctl status` shows the state without a change."
//!
//! [started]
//! default = "allow"
//! sysadmin = "allow"
//! restricted = "block"
//! confidence = 0.8
//! instead = "`systemctl status` shows the state without a change."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Reason, Rule};
use crate::paths::glob::Match;
use crate::table::kinds::service_change as kind;
use crate::table::manuals;
use crate::view::View;
use aegish_effects::EffectKind;
use aegish_profiles::{ServiceEffect, SystemEffect};

pub(crate) const RULE: Rule = Rule {
    id: "service-change",
    name: "service-change",
    title: "Service change",
    summary: "Starts, stops or changes services of the running system.",
    action: Action::Warn,
    manual: manuals::SERVICE_CHANGE,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    if let Some(EffectKind::System { what: SystemEffect::Service(what), detail, object }) =
        view.effect()
    {
        // Starting or restarting a service is harmless.
        let comes_up =
            matches!(what, ServiceEffect::Start | ServiceEffect::Restart | ServiceEffect::Reload);
        let kind = if comes_up { &kind::STARTED } else { &kind::CHANGED };
        out.add(&RULE, kind, Match::Must, || {
            Reason::new("changes a service: ").detail(*detail).object(object)
        });
    }
}

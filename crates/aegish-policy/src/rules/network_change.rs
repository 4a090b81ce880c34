//! Network change.
//!
//! # What
//!
//! Addresses, routes, interfaces, name resolution.
//!
//! # Why
//!
//! The machine may not be reachable afterwards, or traffic goes elsewhere.
//!
//! # Example
//!
//! ```text
//! ip route add default via 192.0.2.1
//! ifconfig eth0 down
//! ```
//!
//! # Instead
//!
//! `ip addr` and `ip route` show the state without a change.
//!
//! # Answers
//!
//! ```toml
//! [changed]
//! default = "warn"
//! sysadmin = "allow"
//! restricted = "block"
//! confidence = 0.8
//! instead = "`ip addr` and `ip route` show the state without a change."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Reason, Rule};
use crate::paths::glob::Match;
use crate::table::kinds::network_change as kind;
use crate::table::manuals;
use crate::view::View;
use aegish_effects::EffectKind;
use aegish_profiles::SystemEffect;

pub(crate) const RULE: Rule = Rule {
    id: "network-change",
    name: "network-change",
    title: "Network change",
    summary: "Changes the network configuration.",
    action: Action::Warn,
    manual: manuals::NETWORK_CHANGE,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    if let Some(EffectKind::System { what: SystemEffect::Network, detail, object }) = view.effect()
    {
        // Without a name `hostname` only prints the present one.
        if view.program() == Some("hostname") && object.pieces().is_empty() {
            return;
        }
        out.add(&RULE, &kind::CHANGED, Match::Must, || {
            Reason::new("changes the network: ").detail(*detail).object(object)
        });
    }
}

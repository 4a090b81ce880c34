//! Remote destruction.
//!
//! # What
//!
//! Deleting or overwriting things in a cloud, cluster, database or repository that others share.
//!
//! # Why
//!
//! The guard cannot see what is there, and there may be no copy.
//!
//! # Example
//!
//! ```text
//! kubectl delete namespace shop
//! terraform destroy
//! git push --force
//! ```
//!
//! # Instead
//!
//! Try with the tool's dry-run option first.
//!
//! # Answers
//!
//! ```toml
//! [destroyed]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.8
//! instead = "Try with the tool's dry-run option first."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Reason, Rule};
use crate::hosts::HostClass;
use crate::paths::glob::Match;
use crate::table::kinds::remote_destruction as kind;
use crate::table::manuals;
use crate::view::View;
use aegish_effects::EffectKind;
use aegish_profiles::{RemoteEffect, SystemEffect};

pub(crate) const RULE: Rule = Rule {
    id: "remote-destruction",
    name: "remote-destruction",
    title: "Remote destruction",
    summary: "Changes something in a remote or shared system that cannot be undone.",
    action: Action::Warn,
    manual: manuals::REMOTE_DESTRUCTION,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    if let Some(EffectKind::System { what: SystemEffect::Remote(what), detail, object }) =
        view.effect()
    {
        // `+main` overwrites a branch, `:topic` deletes one; a plain push does neither.
        if *what == RemoteEffect::PublishCommits
            && !view.arguments().any(|word| word.len() > 1 && word.starts_with(['+', ':']))
        {
            return;
        }
        // A service on this machine is not shared.
        let mut addresses = view.own_effects().filter_map(|effect| match effect {
            EffectKind::Fetch { from: address, .. }
            | EffectKind::Connect { host: address, .. }
            | EffectKind::Send { to: address, .. } => Some(address),
            _ => None,
        });
        if let Some(first) = addresses.next()
            && *what == RemoteEffect::Delete
            && addresses.chain([first]).all(|address| HostClass::of(address) == HostClass::Loopback)
        {
            return;
        }
        out.add(&RULE, &kind::DESTROYED, Match::Must, || {
            Reason::new("changes a shared system for good: ").detail(*detail).object(object)
        });
    }
}

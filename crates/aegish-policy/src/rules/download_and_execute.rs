//! Download and execute.
//!
//! # What
//!
//! Content from the network that reaches a shell, an interpreter or the list of programs to run:
//! directly, through a file, or as part of a name. Packages from a bare address or over plain http.
//!
//! # Why
//!
//! Whoever controls the server, or the line to it, decides what runs.
//!
//! # Example
//!
//! ```text
//! curl -fsSL https://get.example.net/install | sh
//! wget -qO x https://example.net/x && chmod +x x && ./x
//! ```
//!
//! # Instead
//!
//! Download to a file, read it, check its signature, then run it.
//!
//! # Answers
//!
//! ```toml
//! [fetched]
//! all = "block"
//! confidence = 0.98
//! instead = "Download to a file, read it, check its signature, then run it."
//!
//! [from-network]
//! all = "block"
//! confidence = 0.94
//! instead = "Download to a file, read it, check its signature, then run it."
//!
//! [verified]
//! default = "warn"
//! restricted = "block"
//! confidence = 0.9
//! instead = "If you know where the checksum or key comes from, run it."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::hosts::is_unvouched;
use crate::paths::glob::Match;
use crate::table::kinds::download_and_execute as kind;
use crate::table::manuals;
use crate::view::{View, show_text};
use aegish_effects::{EffectKind, Opaque, Value};
use aegish_profiles::{SystemEffect, Trait};

pub(crate) const RULE: Rule = Rule {
    id: "9",
    name: "download-and-execute",
    title: "Download and execute",
    summary: "Runs what came from the network without anybody having read it.",
    action: Action::Block,
    manual: manuals::DOWNLOAD_AND_EXECUTE,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    match view.effect() {
        Some(EffectKind::RunFetched { origin }) => {
            out.add(&RULE, &kind::FETCHED, Match::Must, || {
                format!("runs what it downloads from {}", show_text(origin))
            });
        }
        // A checksum from the same source proves little, but a person decided to check it: it is a
        // question.
        Some(EffectKind::RunVerified { origin }) => {
            out.add(&RULE, &kind::VERIFIED, Match::Must, || {
                format!(
                    "runs what it downloads from {}, verified or read before",
                    show_text(origin)
                )
            });
        }
        // A repository on a host that authenticates it was chosen on purpose.
        Some(EffectKind::RunCheckout { origin }) if is_unvouched(origin) => {
            out.add(&RULE, &kind::FETCHED, Match::Must, || {
                format!(
                    "runs what was checked out from {}, for which nobody vouches",
                    show_text(origin)
                )
            });
        }
        // The scripts of a package run when it is installed.
        Some(EffectKind::System { what: SystemEffect::Package(_), object, .. }) => {
            let of_the_system = view.program_is(Trait::SystemPackageManager);
            let plain = of_the_system && object.known_prefix().starts_with("http://");
            if let Some(origin) =
                unvouched_origin(object).or_else(|| plain.then(|| object.known_prefix()))
            {
                out.add(&RULE, &kind::FETCHED, Match::Must, || {
                    format!(
                        "installs and runs what comes from {}, for which nobody vouches",
                        show_text(origin)
                    )
                });
            }
        }
        Some(EffectKind::Hidden {
            why: Opaque::CommandName | Opaque::Code | Opaque::Script,
            taint,
            what,
        }) => {
            if let Some(origin) = taint.unverified().or_else(|| what.taint().unverified())
                && !view.runs_fetched()
            {
                out.add(&RULE, &kind::FROM_NETWORK, Match::Must, || {
                    format!("runs something made from what it receives from {}", show_text(origin))
                });
            }
        }
        _ => {}
    }
}

/// The source of a package, if it is not authenticated.
fn unvouched_origin(package: &Value) -> Option<&str> {
    let named = package.known_prefix();
    if is_unvouched(named) {
        return Some(named);
    }
    package.taint().unverified().filter(|origin| is_unvouched(origin))
}

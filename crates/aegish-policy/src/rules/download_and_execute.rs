//! Download and execute.
//!
//! # What
//!
//! Content from the network that reaches a shell, an interpreter or the list of programs to run:
//! directly, through a file, or as part of a name.
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

use aegish_effects::{Act, Opaque, System};
use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::paths::glob::Match;
use crate::table::kinds::download_and_execute as kind;
use crate::table::manuals;
use crate::table::names::SYSTEM_PACKAGES;
use crate::view::{View, show, show_text};

pub(crate) const RULE: Rule = Rule {
    id: "9",
    name: "download-and-execute",
    title: "Download and execute",
    summary: "Runs what came from the network without anybody having read it.",
    action: Action::Block,
    manual: manuals::DOWNLOAD_AND_EXECUTE,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings) {
    match view.act() {
        Some(Act::RunFetched { origin }) => {
            out.add(&RULE, &kind::FETCHED, Match::Must, || {
                format!("runs what it downloads from {}", show_text(origin))
            });
        }
        // A package's own scripts run as it is installed, and nothing vouches for what plain http brings.
        Some(Act::System { what: System::Install, object, .. })
            if object.known_prefix().starts_with("http://")
                && view.program().is_some_and(|program| SYSTEM_PACKAGES.binary_search(&program).is_ok()) =>
        {
            out.add(&RULE, &kind::FETCHED, Match::Must, || {
                format!("installs and runs what it downloads without encryption from {}", show(object))
            });
        }
        Some(Act::Hidden { why: Opaque::CommandName | Opaque::Code | Opaque::Script, taint, what }) => {
            if let Some(origin) = taint.network().or_else(|| what.taint().network())
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

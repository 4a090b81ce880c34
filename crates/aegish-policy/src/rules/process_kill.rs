//! Process kill.
//!
//! # What
//!
//! Stopping a single process is ordinary. Stopping all of them, or the first one, is not.
//!
//! # Why
//!
//! `kill -9 -1` ends the session and every service of the user.
//!
//! # Example
//!
//! ```text
//! kill -9 -1
//! pkill -9 .
//! ```
//!
//! # Instead
//!
//! Stop the single process by its number: `kill 4242`.

use aegish_effects::{Act, System, Value};
use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::paths::glob::Match;
use crate::table::kinds::process_kill as kind;
use crate::table::manuals;
use crate::view::{View, show};

pub(crate) const RULE: Rule = Rule {
    id: "process-kill",
    name: "process-kill",
    title: "Process kill",
    summary: "Stops processes that it did not start.",
    action: Action::Allow,
    manual: manuals::PROCESS_KILL,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings) {
    if let Some(Act::System { what: System::Kill, detail, object }) = view.act() {
        let (kind, what) =
            if is_everything(view, object) { (&kind::EVERYTHING, "all processes") } else { (&kind::ONE, "a process") };
        out.add(&RULE, kind, Match::Must, || {
            if object.pieces().is_empty() {
                format!("stops {what}: {detail}")
            } else {
                format!("stops {what}: {detail} ({})", show(object))
            }
        });
    }
}

fn is_everything(view: &View<'_>, object: &Value) -> bool {
    if view.program() == Some("killall5") {
        return true;
    }
    let named = |word: &str| matches!(word, "1" | "." | ".*" | "init" | "systemd" | "launchd");
    if object.as_known().is_some_and(|text| text.split_whitespace().any(|word| word == "-1" || named(word))) {
        return true;
    }
    let by_number = view.program() == Some("kill");
    // The first `-1` of `kill` is a signal, a later one means every process there is.
    view.arguments().enumerate().any(|(at, word)| {
        (by_number && word == "-1" && at > 0) || (named(word) && (by_number || word != "1"))
    })
}

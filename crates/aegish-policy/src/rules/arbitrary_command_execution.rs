//! Arbitrary command execution.
//!
//! # What
//!
//! A launcher (`env`, `xargs`, `sudo`, `find -exec` …) that starts an interactive shell, or a
//! program that is not a launcher and runs a command through an option, a hook or a file.
//!
//! # Why
//!
//! The name at the beginning of the line says nothing about what runs.
//!
//! # Example
//!
//! ```text
//! env /bin/sh
//! tar -cf x x --checkpoint=1 --checkpoint-action=exec=/tmp/job
//! ```
//!
//! # Instead
//!
//! Run the command itself, on its own line.

use aegish_effects::{Act, Door, ShellEntry, Value};
use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::paths::glob::Match;
use crate::table::kinds::arbitrary_command_execution as kind;
use crate::table::manuals;
use crate::view::{View, show};

pub(crate) const RULE: Rule = Rule {
    id: "2",
    name: "arbitrary-command-execution",
    title: "Arbitrary command execution",
    summary: "A program is made to run a shell or a command that has nothing to do with its purpose.",
    action: Action::Block,
    manual: manuals::ARBITRARY_COMMAND_EXECUTION,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings) {
    match view.act() {
        Some(Act::Shell { entry: ShellEntry::Interactive, door: Door::Launcher }) if !view.through_a_side_door() => {
            out.add(&RULE, &kind::LAUNCHED_SHELL, Match::Must, || match view.program() {
                Some(program) => format!("{program} starts an interactive shell, where nothing is judged"),
                None => "a launcher starts an interactive shell, where nothing is judged".to_owned(),
            });
        }
        Some(Act::Mention { path }) if is_shell(path) => {
            out.add(&RULE, &kind::SIDE_COMMAND, Match::May, || {
                format!("hands the shell {} to a program that may run it", show(path))
            });
        }
        Some(Act::SideRun { command }) => {
            out.add(&RULE, &kind::SIDE_COMMAND, Match::Must, || match view.program() {
                Some(program) => format!("{program} is made to run `{}`", show(command)),
                None => format!("runs `{}` through a side door", show(command)),
            });
        }
        _ => {}
    }
}

/// The path of a shell, as an attacker hands it to a program.
fn is_shell(path: &Value) -> bool {
    let Some(text) = path.as_known() else { return false };
    let Some((directory, name)) = text.rsplit_once('/') else { return false };
    matches!(directory, "/bin" | "/usr/bin" | "/usr/local/bin")
        && matches!(name, "sh" | "bash" | "dash" | "zsh" | "ksh" | "fish" | "csh" | "tcsh" | "ash" | "busybox")
}

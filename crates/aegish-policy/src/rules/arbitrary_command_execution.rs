//! Arbitrary command execution.
//!
//! # What
//!
//! A launcher (`env`, `xargs`, `sudo`, `find -exec` …) that starts an interactive shell, or a
//! program that is not a launcher and runs a command through an option, a hook or a file. A program
//! nobody knows that is handed to a service to be run at once (`systemd-run`, `at now`), where it is out
//! of sight.
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
//!
//! # Answers
//!
//! ```toml
//! [launched-shell]
//! default = "block"
//! sysadmin = "warn"
//! instead = "Give the launcher the command itself instead of a shell."
//!
//! [out-of-sight]
//! default = "block"
//! sysadmin = "warn"
//! confidence = 0.88
//! instead = "Run the program itself, or with `--scope`, so that it stays in sight."
//!
//! [side-command]
//! all = "block"
//! confidence = 0.92
//! instead = "Run that command on its own line, where it can be judged."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::paths::glob::Match;
use crate::table::kinds::arbitrary_command_execution as kind;
use crate::table::manuals;
use crate::view::{View, show};
use aegish_effects::{EffectKind, Invocation, ShellEntry, Value};
use aegish_profiles::SystemEffect;

pub(crate) const RULE: Rule = Rule {
    id: "2",
    name: "arbitrary-command-execution",
    title: "Arbitrary command execution",
    summary: "A program is made to run a shell or a command that has nothing to do with its purpose.",
    action: Action::Block,
    manual: manuals::ARBITRARY_COMMAND_EXECUTION,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    match view.effect() {
        Some(EffectKind::Shell {
            entry: ShellEntry::Interactive,
            invocation: Invocation::Launched,
        }) if !view.started_indirectly() => {
            out.add(&RULE, &kind::LAUNCHED_SHELL, Match::Must, || match view.program() {
                Some(program) => {
                    format!("{program} starts an interactive shell, where nothing is judged")
                }
                None => {
                    "a launcher starts an interactive shell, where nothing is judged".to_owned()
                }
            });
        }
        Some(EffectKind::Mention { path }) if is_shell(path) => {
            out.add(&RULE, &kind::SIDE_COMMAND, Match::May, || {
                format!("hands the shell {} to a program that may run it", show(path))
            });
        }
        Some(EffectKind::IndirectRun { command }) => {
            out.add(&RULE, &kind::SIDE_COMMAND, Match::Must, || match view.program() {
                Some(program) => format!("{program} is made to run `{}`", show(command)),
                None => format!("runs `{}` indirectly", show(command)),
            });
        }
        Some(EffectKind::System {
            what: SystemEffect::Service(_) | SystemEffect::Persist, ..
        }) if hands_over_at_once(view) => {
            if let Some(program) = unknown_program(view) {
                out.add(&RULE, &kind::OUT_OF_SIGHT, Match::Must, || {
                    format!("has a service run {program}, where nobody sees what it does")
                });
            }
        }
        _ => {}
    }
}

/// Whether the command lets a service run something now, not at a later time.
fn hands_over_at_once(view: &View<'_>) -> bool {
    match view.program() {
        Some("systemd-run") => {
            !view.arguments().any(|word| word == "--scope" || word.starts_with("--on-"))
        }
        Some("at") => view.arguments().eq(["now"]),
        _ => false,
    }
}

/// A program given by its path, of which nothing is known, that the command runs.
fn unknown_program(view: &View<'_>) -> Option<String> {
    let commands = view.analysis.commands.iter().enumerate();
    let run =
        commands.filter(|(number, _)| *number != view.command && view.runs(view.command, *number));
    let mut unknown = run.filter(|(_, command)| command.program.is_none());
    unknown.find_map(|(_, command)| {
        command.argv.first().filter(|name| name.known_prefix().contains('/')).map(show)
    })
}

/// The path of a shell as an argument, as in attacks.
fn is_shell(path: &Value) -> bool {
    let Some(text) = path.as_known() else { return false };
    let Some((directory, name)) = text.rsplit_once('/') else { return false };
    matches!(directory, "/bin" | "/usr/bin" | "/usr/local/bin")
        && matches!(
            name,
            "sh" | "bash" | "dash" | "zsh" | "ksh" | "fish" | "csh" | "tcsh" | "ash" | "busybox"
        )
}

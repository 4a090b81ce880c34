//! Direct shell spawner.
//!
//! # What
//!
//! A shell that reads the terminal, a terminal emulator, or a multiplexer such as tmux and screen.
//!
//! # Why
//!
//! Everything typed there is outside the guard.
//!
//! # Example
//!
//! ```text
//! bash
//! tmux new-session
//! xterm
//! ```
//!
//! # Instead
//!
//! Type the commands here. For long-running work use `nohup` or `&`.
//!
//! # Answers
//!
//! ```toml
//! [typed]
//! all = "block"
//! instead = "Type the commands here, or run a script file that can be read."
//!
//! [terminal]
//! all = "block"
//! instead = "Type the commands here; add & or use nohup for long-running work."
//!
//! [window]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.8
//! instead = "Run the command here; add & or use nohup for long-running work."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::paths::glob::Match;
use crate::table::kinds::direct_shell_spawner as kind;
use crate::table::manuals;
use crate::view::View;
use aegish_effects::{EffectKind, Invocation, ShellEntry};
use aegish_profiles::Trait;

pub(crate) const RULE: Rule = Rule {
    id: "1b",
    name: "direct-shell-spawner",
    title: "Direct shell spawner",
    summary: "A shell, terminal or multiplexer starts that takes commands nobody judges.",
    action: Action::Block,
    manual: manuals::DIRECT_SHELL_SPAWNER,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    match view.effect() {
        Some(EffectKind::Shell {
            entry: ShellEntry::Interactive,
            invocation: Invocation::Direct,
        }) if !view.started_indirectly() => {
            out.add(&RULE, &kind::TYPED, Match::Must, || {
                format!("starts {}, an unguarded shell", view.program().unwrap_or("a shell"))
            });
        }
        Some(EffectKind::Shell {
            entry: ShellEntry::Interactive,
            invocation: Invocation::Launched,
        }) if brings_its_own(view) => {
            out.add(&RULE, &kind::TYPED, Match::Must, || {
                format!("starts {}, an unguarded shell", view.program().unwrap_or("a shell"))
            });
        }
        Some(EffectKind::Shell { entry: ShellEntry::Terminal, .. }) => {
            // The command is judged by itself; when it ends, the window closes.
            let given =
                view.analysis.commands.iter().any(|command| command.parent == Some(view.command));
            let window = given && view.program_is(Trait::TerminalWindow);
            let kind = if window { &kind::WINDOW } else { &kind::TERMINAL };
            out.add(&RULE, kind, Match::Must, || {
                format!(
                    "starts {}, which opens unguarded shells of its own",
                    view.program().unwrap_or("a terminal")
                )
            });
        }
        _ => {}
    }
}

/// Whether a typed program is itself a shell, or a multi-call program called as one.
fn brings_its_own(view: &View<'_>) -> bool {
    let Some(command) = view.analysis.commands.get(view.command) else { return false };
    if command.invocation == Invocation::Direct {
        return view.program_is(Trait::OwnShell);
    }
    let parent = command.parent.and_then(|parent| view.analysis.commands.get(parent));
    parent.is_some_and(|parent| {
        parent.invocation == Invocation::Direct
            && matches!(parent.program, Some("busybox" | "toybox"))
    })
}

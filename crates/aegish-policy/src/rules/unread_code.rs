//! Unread code.
//!
//! # What
//!
//! Code for a shell or interpreter that depends on something unknown, or a script outside the
//! system's directories that could not be read. Code from the network is rule 9. What programs made
//! for it (`ssh-agent`, `direnv`, `brew`) print for `eval` is ordinary.
//!
//! # Why
//!
//! It may do anything.
//!
//! # Example
//!
//! ```text
//! eval "$CONFIG"
//! bash ./missing.sh
//! ```
//!
//! # Instead
//!
//! Write the code into the command, or into a file that can be read.
//!
//! # Answers
//!
//! ```toml
//! [code]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "block"
//! open = true
//! confidence = 0.6
//! instead = "Write the code into the command or into a file that can be read."
//!
//! [script]
//! default = "warn"
//! sysadmin = "warn"
//! restricted = "warn"
//! open = true
//! confidence = 0.5
//! instead = "Make the script readable so that it can be judged."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::paths::glob::Match;
use crate::table::kinds::unread_code as kind;
use crate::table::manuals;
use crate::variables::is_writable_place;
use crate::view::{Subject, View, has_trait, show};
use aegish_effects::{CommandReport, EffectKind, Opaque, Source, Taint, Value};
use aegish_profiles::Trait;

pub(crate) const RULE: Rule = Rule {
    id: "unread-code",
    name: "unread-code",
    title: "Unread code",
    summary: "Code or a script runs that could not be read.",
    action: Action::Warn,
    manual: manuals::UNREAD_CODE,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    match view.effect() {
        // A stricter finding covers it.
        Some(EffectKind::Hidden { .. }) if view.runs_fetched() => {}
        Some(EffectKind::Hidden { why: Opaque::Code, taint, .. }) if is_shell_hook(view, taint) => {
        }
        Some(EffectKind::Hidden { why: Opaque::Code, what, .. }) => {
            out.add(&RULE, &kind::CODE, Match::Must, || {
                format!("runs code that is only known at run time ({})", show(what))
            });
        }
        Some(EffectKind::Hidden { why: Opaque::Script, what, .. }) => {
            out.add(&RULE, &kind::SCRIPT, Match::Must, || {
                format!("runs {}, which could not be read", show(what))
            });
        }
        _ => {}
    }
}

/// `eval "$(ssh-agent -s)"`: code that a program of the system prints for this very purpose.
fn is_shell_hook(view: &View<'_>, taint: &Taint) -> bool {
    !taint.is_none()
        && taint.sources().all(|source| match source {
            Source::Program(name) => {
                has_trait(name, Trait::ShellHook)
                    && is_installed(view, name)
                    && prints_hook(view, name)
            }
            _ => false,
        })
}

/// Words that ask a program for code for a shell.
const HOOKS: &[&str] = &[
    "activate",
    "alias",
    "completion",
    "completions",
    "config-env",
    "docker-env",
    "env",
    "hook",
    "init",
    "path",
    "podman-env",
    "rehash",
    "shell",
    "shell.bash",
    "shell.posix",
    "shell.zsh",
    "shellenv",
    "sh-shellenv",
    "virtualenv-init",
    "use",
    "export",
];

/// Whether no command of that name prints something else: `gh gist view` prints what somebody wrote. Only the
/// first word that is neither an option nor the value of one says what it does.
fn prints_hook(view: &View<'_>, name: &str) -> bool {
    let named = |command: &&CommandReport| {
        let program = command.argv.first().and_then(Value::as_known).unwrap_or_default();
        program.rsplit('/').next() == Some(name)
    };
    let commands = || view.analysis.commands.iter().filter(named);
    // Those in the very word that runs as code, if there are any.
    let within = match view.subject {
        Subject::Effect(effect) => Some(effect.span),
        Subject::Command(_) => None,
    };
    let is_within = |command: &&CommandReport| {
        within.is_some_and(|span| span.start < command.span.start && command.span.end < span.end)
    };
    let own = commands().any(|command| is_within(&command));
    commands().filter(|command| !own || is_within(command)).all(|command| {
        let words: Vec<&str> = command.argv.iter().skip(1).map(Value::known_prefix).collect();
        let is_option = |word: &&str| word.starts_with('-');
        let mut operands = words.iter().enumerate().filter(|(at, word)| {
            let before = at.checked_sub(1).and_then(|before| words.get(before));
            !is_option(word) && !before.is_some_and(|word| is_option(word) && !word.contains('='))
        });
        // A file with settings.
        operands.next().is_none_or(|(_, word)| HOOKS.contains(word) || word.contains('/'))
    })
}

/// Whether every command of that name comes from a directory that is not writable for others.
fn is_installed(view: &View<'_>, name: &str) -> bool {
    let paths =
        view.analysis.commands.iter().filter_map(|command| command.argv.first()?.as_known());
    paths.filter(|path| path.rsplit('/').next() == Some(name)).all(|path| {
        !path.contains('/') || (path.starts_with('/') && !is_writable_place(path, view.setting))
    })
}

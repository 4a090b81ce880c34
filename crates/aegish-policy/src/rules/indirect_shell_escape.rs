//! Indirect shell escape.
//!
//! # What
//!
//! A shell comes up indirectly: an editor command, an interpreter's `system`, a hook or
//! filter option of a program that is not a launcher.
//!
//! # Why
//!
//! What is typed in such a shell is not judged, and the program's name looks harmless.
//!
//! # Example
//!
//! ```text
//! vim -c ':!sh'
//! python3 -c 'import pty; pty.spawn("/bin/sh")'
//! ```
//!
//! # Instead
//!
//! Run the program without the part that starts a shell; type commands here.
//!
//! # Answers
//!
//! ```toml
//! [side]
//! all = "block"
//! confidence = 0.98
//! instead = "Run the program without the part that starts a shell."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::paths::glob::Match;
use crate::table::kinds::indirect_shell_escape as kind;
use crate::table::manuals;
use crate::view::View;
use aegish_effects::{EffectKind, Invocation, ShellEntry};

pub(crate) const RULE: Rule = Rule {
    id: "1a",
    name: "indirect-shell-escape",
    title: "Indirect shell escape",
    summary: "A program made for something else opens an interactive shell.",
    action: Action::Block,
    manual: manuals::INDIRECT_SHELL_ESCAPE,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    if let Some(EffectKind::Shell { entry: ShellEntry::Interactive, invocation }) = view.effect()
        && (*invocation == Invocation::Indirect || view.started_indirectly())
        && !view.runs_on_a_connection()
    {
        out.add(&RULE, &kind::SIDE, Match::Must, || match view.program() {
            Some(program) => {
                format!("{program} opens an interactive shell indirectly, where nothing is judged")
            }
            None => "opens an interactive shell indirectly, where nothing is judged".to_owned(),
        });
    }
}

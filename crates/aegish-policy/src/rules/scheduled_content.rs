//! Scheduled content.
//!
//! # What
//!
//! Jobs for cron, at, systemd and the like, and settings because of which a program runs something at
//! its next start. What is scheduled is judged as if it ran now; if it can be read, the schedule itself
//! is only asked about. A program in a place where anybody can write is stopped.
//!
//! # Why
//!
//! A schedule outlives the session and nobody watches when it runs.
//!
//! # Example
//!
//! ```text
//! crontab jobs.txt
//! git config --global core.pager /tmp/p
//! echo '*/5 * * * * /home/kim/sync.sh' | crontab -
//! ```
//!
//! # Instead
//!
//! Give the schedule in the command itself so that it can be read, or run the command once.
//! `crontab -l` is fine.
//!
//! # Answers
//!
//! ```toml
//! [known]
//! default = "warn"
//! sysadmin = "allow"
//! restricted = "block"
//! confidence = 0.75
//! instead = "Run the command once instead."
//!
//! [unknown]
//! default = "block"
//! sysadmin = "warn"
//! restricted = "block"
//! confidence = 0.85
//! instead = "Give the schedule in the command itself so that it can be read."
//!
//! [replaceable]
//! all = "block"
//! confidence = 0.93
//! instead = "Keep the program in a directory that only its owner can write."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Reason, Rule};
use crate::paths::glob::Match;
use crate::paths::{ClassifiedPath, WriteClass};
use crate::table::kinds::scheduled_content as kind;
use crate::table::manuals;
use crate::view::{View, has_trait, show};
use aegish_effects::{EffectKind, Source, Value};
use aegish_profiles::{SystemEffect, Trait};

pub(crate) const RULE: Rule = Rule {
    id: "scheduled-content",
    name: "scheduled-content",
    title: "Scheduled content",
    summary: "Arranges for something to run later, at intervals or at every start.",
    action: Action::Block,
    manual: manuals::SCHEDULED_CONTENT,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    let Some(EffectKind::System {
        what: what @ (SystemEffect::Persist | SystemEffect::Setting),
        detail,
        object,
    }) = view.effect()
    else {
        return;
    };
    let unit = view.program() == Some("systemctl") && is_replaceable(object, view);
    if let Some(program) = replaceable_program(view).or_else(|| unit.then(|| show(object))) {
        out.add(&RULE, &kind::REPLACEABLE, Match::Must, || {
            format!("arranges for {program} to run by itself, which anybody here can replace")
        });
    } else if *what == SystemEffect::Persist {
        let (kind, why) = if is_read(view, object) {
            (&kind::KNOWN, "")
        } else {
            (&kind::UNKNOWN, ", and what runs cannot be read")
        };
        out.add(&RULE, kind, Match::Must, || {
            Reason::new("arranges for something to run by itself: ")
                .detail(*detail)
                .object(object)
                .text(why)
        });
    }
}

/// A scheduled program or script in a directory that everybody can write.
fn replaceable_program(view: &View<'_>) -> Option<String> {
    let below = |number: usize| number != view.command && view.runs(view.command, number);
    let commands = view.analysis.commands.iter().enumerate();
    let run = commands
        .filter(|(number, _)| below(*number))
        .filter_map(|(_, command)| command.argv.first());
    let scripts =
        view.analysis.effects.iter().filter(|effect| below(effect.command)).filter_map(|effect| {
            let program = view.analysis.commands.get(effect.command)?.program?;
            match &effect.kind {
                EffectKind::Read { path, tree: false } if runs_scripts(program) => Some(path),
                _ => None,
            }
        });
    run.chain(scripts).find(|path| is_replaceable(path, view)).map(show)
}

fn runs_scripts(program: &str) -> bool {
    has_trait(program, Trait::Shell) || has_trait(program, Trait::Interpreter)
}

fn is_replaceable(path: &Value, view: &View<'_>) -> bool {
    path.known_prefix().contains('/')
        && ClassifiedPath::of(path, view.setting)
            .is_some_and(|place| !place.fresh && place.write_class() == Some(WriteClass::Temporary))
}

/// Whether everything that is scheduled is known: no unknown part, and nothing opaque in what it runs.
fn is_read(view: &View<'_>, object: &Value) -> bool {
    let hidden = view.analysis.effects.iter().any(|effect| {
        matches!(effect.kind, EffectKind::Hidden { .. }) && view.runs(view.command, effect.command)
    });
    (!object.has_unknown() || is_old_table(object)) && object.taint().network().is_none() && !hidden
}

/// `crontab -l | grep -v backup | crontab -`: nothing but lines that were scheduled before.
fn is_old_table(object: &Value) -> bool {
    let programs = || {
        object.taint().sources().map(|source| match source {
            Source::Program(name) => Some(name.as_str()),
            _ => None,
        })
    };
    programs().any(|name| name == Some("crontab"))
        && programs().all(|name| {
            matches!(name, Some("crontab" | "grep" | "sort" | "uniq" | "head" | "tail"))
        })
}

//! Effects → findings and a verdict.
//!
//! Takes an [`Analysis`] and a [`PolicyContext`], gives a [`Judgement`]. It does no I/O, sees no raw text and
//! runs nothing. Knowledge about paths, hosts, variables and roles is data (`data/policies`), compiled
//! into static tables; how to reason is code, one file per rule.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod action;
mod address;
mod allowed_host;
mod apt_settings;
mod finding;
mod hosts;
mod mode;
mod paths;
mod rules;
mod user_rules;
mod variables;
mod view;

/// Made by `build.rs` from `data/policies` and the manual pages.
mod table {
    include!(concat!(env!("OUT_DIR"), "/tables.rs"));
}

pub use action::{Action, PolicyContext, Role, UnknownWord};
pub use allowed_host::AllowedHost;
pub use finding::{Finding, Judgement, Rule, Variant};
pub use hosts::stays_inside;
pub use paths::closed::{Anchor, Closed, ComponentPattern, CriticalPattern, critical_patterns};
pub use paths::secrecy::{Secrecy, secrecy};
pub use rules::{rule, rules};
pub use user_rules::{
    Authority, HostPattern, Lifted, Lifts, OptionPattern, PathPattern, Proposal, RULE as USER_RULE,
    Reach, Shape, Shapes, TextPattern, UserRule, Verb, Warning, fits, propose, shapes,
};

use aegish_effects::{Analysis, EffectKind, Invocation, Opaque};
use finding::Findings;
use user_rules::UserRules;
use view::{EffectIndex, Subject, View};

/// Confidence in an allow when every program is known.
const SURE: f32 = 0.95;
/// Confidence in an allow when some program has no profile.
const UNSURE: f32 = 0.7;

/// Judges an analysis.
#[must_use]
pub fn judge(analysis: &Analysis, setting: &PolicyContext<'_>) -> Judgement {
    let mut out = Findings::new(setting.role, UserRules::new(analysis, setting));
    out.add_objections(analysis);
    let index = EffectIndex::new(analysis);
    if setting.role == Role::Restricted {
        // Only the restricted role has rules about commands themselves (sudo); the other rules are
        // about effects.
        for (number, command) in analysis.commands.iter().enumerate() {
            out.turn_to(command.span, number);
            let view = View::new(&index, setting, Subject::Command(command), number);
            rules::check(&view, &mut out);
        }
    }
    let supposes = analysis.commands.iter().any(|c| c.invocation == Invocation::Supposed);
    for effect in &analysis.effects {
        out.turn_to(effect.span, effect.command);
        out.by_redirection(effect.redirected);
        let view = View::new(&index, setting, Subject::Effect(effect), effect.command);
        let limit =
            matches!(effect.kind, EffectKind::Hidden { why: Opaque::Limit | Opaque::FileName, .. });
        let supposed = supposes && !limit && view.is_supposed();
        if supposed && !effect.kind.is_about_files() {
            continue;
        }
        out.only_blocks(supposed);
        rules::check(&view, &mut out);
    }
    let (findings, lifted) = out.finish();
    let action = findings.first().map_or(Action::Allow, |finding| finding.action);
    let confidence = match findings.first() {
        None => allow_confidence(analysis),
        Some(_) => findings
            .iter()
            .take_while(|finding| finding.action == action)
            .map(|finding| finding.confidence)
            .fold(0.0, f32::max),
    };
    let open = action != Action::Block && findings.iter().any(|finding| finding.open);
    Judgement { action, findings, confidence, open, lifted }
}

fn allow_confidence(analysis: &Analysis) -> f32 {
    let unknown = analysis.commands.iter().any(|command| {
        command.program.is_none()
            && (command.invocation != Invocation::Direct || !command.argv.is_empty())
    });
    if unknown { UNSURE } else { SURE }
}

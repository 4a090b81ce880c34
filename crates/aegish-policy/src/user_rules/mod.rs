//! User rules: decisions of people about commands of some shape.
//!
//! Takes the rules and an analysis; says which rules match which command. A rule is matched against parsed
//! words and effects, never against the text of the line, so that `git -C x push -f` and `git push --force`
//! are equal.
//!
//! Deny and ask add a finding. Allow removes findings: warnings, blocks only if it names them, and findings
//! of the protected core ([`Variant::core`](crate::Variant)) only if the system's own configuration says so.
//! Deny takes precedence over ask, ask over allow, independent of their authors.

mod fit;
mod pattern;
mod propose;
mod rule;

pub use pattern::{HostPattern, PathPattern, TextPattern};
pub use propose::{Proposal, Shapes, Warning, propose, shapes};
pub use rule::{Authority, Lifts, OptionPattern, Reach, Shape, UserRule, Verb};

use crate::action::{Action, PolicyContext};
use crate::finding::{Rule, Variant};
use crate::paths::glob::Match;
use aegish_effects::Analysis;

/// The rule of findings that come from user rules.
pub static RULE: Rule = Rule {
    id: "user-rule",
    name: "user-rule",
    title: "A rule of your own",
    summary: "A rule that somebody added with `aegish deny` or `aegish ask` fits the command.",
    action: Action::Block,
    manual: include_str!("user-rule.md"),
    kinds: &[&DENIED, &ASKED],
};

pub(crate) static DENIED: Variant = Variant {
    name: "denied",
    actions: [Action::Block; 3],
    open: false,
    core: true,
    confidence: 1.0,
    instead: "`aegish policy list` shows the rule and where it is kept.",
};

pub(crate) static ASKED: Variant = Variant {
    name: "asked",
    actions: [Action::Warn; 3],
    open: false,
    core: true,
    confidence: 1.0,
    instead: "`aegish policy list` shows the rule and where it is kept.",
};

/// A finding that a user rule removed.
#[derive(Debug, Clone)]
pub struct Lifted {
    /// The name of the user rule.
    pub by: String,
    /// The rule whose finding it was.
    pub rule: &'static Rule,
    /// Its action.
    pub action: Action,
    /// Index into the analysis' commands.
    pub command: usize,
}

/// Which rules match which commands of one analysis.
pub(crate) struct UserRules<'a> {
    rules: &'a [UserRule],
    /// Per command: the rules that match it, and how certainly.
    fitting: Vec<Vec<(usize, Match)>>,
    lifted: Vec<Lifted>,
}

impl<'a> UserRules<'a> {
    pub(crate) fn new(analysis: &Analysis, setting: &PolicyContext<'a>) -> Self {
        let rules = setting.user_rules;
        let fitting = if rules.is_empty() {
            Vec::new()
        } else {
            (0..analysis.commands.len())
                .map(|command| fit::rules(rules, analysis, command, setting))
                .collect()
        };
        Self { rules, fitting, lifted: Vec::new() }
    }

    /// The strictest rule that objects to a command, and its action. If only a run can decide whether a rule
    /// matches, the action is to ask.
    pub(crate) fn objection(&self, command: usize) -> Option<(&'a UserRule, &'static Variant)> {
        let mut asked = None;
        for (rule, certainty) in self.of(command) {
            match (rule.verb, certainty) {
                (Verb::Deny, Match::Must) => return Some((rule, &DENIED)),
                (Verb::Deny | Verb::Ask, _) => asked = asked.or(Some((rule, &ASKED))),
                (Verb::Allow, _) => {}
            }
        }
        asked
    }

    /// Whether a rule removes this finding; if so, records it.
    pub(crate) fn lifts(
        &mut self,
        command: usize,
        redirected: bool,
        rule: &'static Rule,
        kind: &Variant,
        action: Action,
    ) -> bool {
        // Ask takes precedence over allow.
        if self.rules.is_empty() || rule.name == RULE.name {
            return false;
        }
        let by = self
            .of(command)
            // A redirection of the shell is not covered by an allowed program, unless its files
            // are named.
            .filter(|(user_rules, _)| !redirected || !user_rules.shape.paths.is_empty())
            .find(|(user_rules, fit)| {
                *fit == Match::Must && user_rules.takes_away(rule, kind, action)
            })
            .map(|(user_rules, _)| user_rules.name.clone());
        let Some(by) = by else { return false };
        let known = self
            .lifted
            .iter()
            .any(|one| one.by == by && std::ptr::eq(one.rule, rule) && one.command == command);
        if !known {
            self.lifted.push(Lifted { by, rule, action, command });
        }
        true
    }

    pub(crate) fn into_lifted(self) -> Vec<Lifted> {
        self.lifted
    }

    fn of(&self, command: usize) -> impl Iterator<Item = (&'a UserRule, Match)> {
        let rules = self.rules;
        let fitting = self.fitting.get(command).map(Vec::as_slice).unwrap_or_default();
        fitting.iter().filter_map(move |(at, fit)| Some((rules.get(*at)?, *fit)))
    }
}

/// Whether a rule certainly matches some command of an analysis, independent of its verb.
#[must_use]
pub fn fits(rule: &UserRule, analysis: &Analysis, setting: &PolicyContext<'_>) -> bool {
    let rules = std::slice::from_ref(rule);
    (0..analysis.commands.len()).any(|command| {
        fit::rules(rules, analysis, command, setting).iter().any(|(_, fit)| *fit == Match::Must)
    })
}

//! Rules and their findings.

use crate::action::{Action, Role};
use crate::paths::glob::Match;
use crate::user_rules::{self, Lifted, UserRules};
use crate::view::show;
use aegish_effects::{Analysis, Value};
use aegish_profiles::Detail;
use aegish_syntax::Span;
use std::fmt::{self, Write as _};

/// Limit on the objects that a reason names.
const MOST_OBJECTS: usize = 5;

/// One rule of the policy.
#[derive(Debug)]
pub struct Rule {
    /// The number in the specification (`1a`, `1b`, `2` … `13`), or the name for additional rules.
    pub id: &'static str,
    /// Kebab-case; states the bad pattern. The rule's file has the same name in snake case.
    pub name: &'static str,
    /// A short heading.
    pub title: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Its usual answer; its variants have their own answers.
    pub action: Action,
    /// The manual page, Markdown.
    pub manual: &'static str,
    /// Its variants with the answer for each role.
    pub kinds: &'static [&'static Variant],
}

/// A variant of a rule: one table of its `# Answers`.
#[derive(Debug)]
pub struct Variant {
    /// Kebab-case, unique within its rule.
    pub name: &'static str,
    /// Per role, in the order of [`Role::ALL`].
    pub(crate) actions: [Action; 3],
    /// The static side cannot decide it.
    pub open: bool,
    /// Only user rules of the system can remove it: credentials, escalation, the guard.
    pub core: bool,
    /// How sure the rule is when it reports this.
    pub confidence: f32,
    /// A harmless alternative.
    pub instead: &'static str,
}

impl Variant {
    /// The answer for one role.
    #[must_use]
    pub fn action(&self, role: Role) -> Action {
        let [default, sysadmin, restricted] = self.actions;
        match role {
            Role::Default => default,
            Role::Sysadmin => sysadmin,
            Role::Restricted => restricted,
        }
    }
}

/// A rule that applies to one effect of one command.
#[derive(Debug, Clone)]
pub struct Finding {
    /// Which rule.
    pub rule: &'static Rule,
    /// Which of its sub-kinds.
    pub kind: &'static Variant,
    /// Its action.
    pub action: Action,
    /// How sure it is, from 0 to 1.
    pub confidence: f32,
    /// The words it is about.
    pub span: Span,
    /// Index into the analysis' commands.
    pub command: usize,
    /// One sentence in plain words that names the thing.
    pub reason: String,
    /// A harmless alternative.
    pub instead: Option<&'static str>,
    /// A judge may settle it; without one `action` applies.
    pub open: bool,
}

/// The policy's answer.
#[derive(Debug, Clone)]
pub struct Judgement {
    /// The strictest of all findings; [`Action::Allow`] without any.
    pub action: Action,
    /// Strictest first, then in the seed's order.
    pub findings: Vec<Finding>,
    /// How sure the policy is of `action`.
    pub confidence: f32,
    /// A finding is open and none blocks: a judge may settle it.
    pub open: bool,
    /// Findings that user rules removed.
    pub lifted: Vec<Lifted>,
}

impl Judgement {
    /// The rule that names the verdict: that of the first finding, or rule 13.
    #[must_use]
    pub fn rule(&self) -> &'static Rule {
        match self.findings.first() {
            Some(finding) => finding.rule,
            None => &crate::rules::normal_operation::RULE,
        }
    }
}

/// A reason under construction. Rules append to it and cannot read it, so that no decision depends on a text.
pub(crate) struct Reason(String);

impl Reason {
    pub(crate) fn new(start: &str) -> Self {
        Self(start.to_owned())
    }

    /// Adds the effects that a profile declares.
    pub(crate) fn detail(mut self, detail: Detail) -> Self {
        struct Shown(Detail);
        impl fmt::Display for Shown {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.write(f)
            }
        }
        let _ = write!(self.0, "{}", Shown(detail));
        self
    }

    /// Adds the thing acted on, in parentheses, if there is one.
    pub(crate) fn object(self, object: &Value) -> Self {
        if object.pieces().is_empty() { self } else { self.text(&format!(" ({})", show(object))) }
    }

    /// Adds the things acted on, in parentheses.
    pub(crate) fn objects(self, objects: &[&Value]) -> Self {
        // Bounded: only shown, and the rest is counted.
        let shown: Vec<String> = objects.iter().take(MOST_OBJECTS).map(|one| show(one)).collect();
        let more = match objects.len() - shown.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        self.text(&format!(" ({}{more})", shown.join(", ")))
    }

    pub(crate) fn text(mut self, text: &str) -> Self {
        self.0.push_str(text);
        self
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Self {
        Self(text)
    }
}

/// Collects findings; keeps one per effect, the strictest, of equal ones the first.
pub(crate) struct Findings<'a> {
    list: Vec<Ranked>,
    role: Role,
    user_rules: UserRules<'a>,
    span: Span,
    command: usize,
    /// Position of the current rule.
    pub(crate) rank: usize,
    /// Whether the current effect is done by the shell, not by the program.
    redirected: bool,
    /// Whether the current effect is one of a command that only may run.
    supposed: bool,
    /// Index in `list` of the finding for the current effect, if any.
    present: Option<usize>,
}

struct Ranked {
    rank: usize,
    finding: Finding,
}

impl<'a> Findings<'a> {
    pub(crate) fn new(role: Role, user_rules: UserRules<'a>) -> Self {
        Self {
            list: Vec::new(),
            role,
            user_rules,
            span: Span::default(),
            command: 0,
            rank: 0,
            redirected: false,
            supposed: false,
            present: None,
        }
    }

    /// Sets the effect that the next findings are about.
    pub(crate) fn turn_to(&mut self, span: Span, command: usize) {
        self.span = span;
        self.command = command;
        self.redirected = false;
        self.present = None;
    }

    /// Whether findings that only ask are left out, because the effect itself is a supposition.
    pub(crate) fn only_blocks(&mut self, supposed: bool) {
        self.supposed = supposed;
    }

    /// Whether the current effect is that of a redirection.
    pub(crate) fn by_redirection(&mut self, redirected: bool) {
        self.redirected = redirected;
    }

    /// Reports a finding; the reason is written only if it is needed.
    pub(crate) fn add<R: Into<Reason>>(
        &mut self,
        rule: &'static Rule,
        kind: &'static Variant,
        certainty: Match,
        reason: impl FnOnce() -> R,
    ) {
        let action = kind.action(self.role);
        let dropped = self.supposed && (action != Action::Block || certainty != Match::Must);
        if action == Action::Allow
            || dropped
            || self.user_rules.lifts(self.command, self.redirected, rule, kind, action)
        {
            return;
        }
        let stricter = match self.present.and_then(|at| self.list.get(at)) {
            Some(present) => action > present.finding.action,
            None => true,
        };
        if !stricter {
            return;
        }
        let finding = Finding {
            rule,
            kind,
            action,
            confidence: kind.confidence * if certainty == Match::Must { 1.0 } else { 0.9 },
            span: self.span,
            command: self.command,
            reason: reason().into().0,
            instead: Some(kind.instead),
            open: kind.open && action == Action::Warn,
        };
        let ranked = Ranked { rank: self.rank, finding };
        match self.present.and_then(|at| self.list.get_mut(at)) {
            Some(place) => *place = ranked,
            None => {
                self.present = Some(self.list.len());
                self.list.push(ranked);
            }
        }
    }

    /// Reports objections of user rules.
    pub(crate) fn add_objections(&mut self, analysis: &Analysis) {
        for (number, command) in analysis.commands.iter().enumerate() {
            let Some((user_rule, kind)) = self.user_rules.objection(number) else { continue };
            self.turn_to(command.span, number);
            // Before all others, because the author of the rule expects it.
            self.rank = 0;
            let reason = match &user_rule.because {
                Some(because) => format!("your rule {}: {because}", user_rule.name),
                None => format!("your rule {} says {}", user_rule.name, user_rule.verb),
            };
            self.add(&user_rules::RULE, kind, Match::Must, || reason);
        }
    }

    /// Sorts, removes duplicates, and returns the findings and those that user rules removed.
    pub(crate) fn finish(mut self) -> (Vec<Finding>, Vec<Lifted>) {
        if self.list.len() > 1 {
            self.list
                .sort_by(|a, b| b.finding.action.cmp(&a.finding.action).then(a.rank.cmp(&b.rank)));
            self.list.dedup_by(|later, first| {
                later.rank == first.rank
                    && later.finding.command == first.finding.command
                    && later.finding.reason == first.finding.reason
            });
        }
        let findings = self.list.into_iter().map(|ranked| ranked.finding).collect();
        (findings, self.user_rules.into_lifted())
    }
}

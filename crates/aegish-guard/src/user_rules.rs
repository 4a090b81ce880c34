//! The effect of user rules on a decision, and of a new rule on other commands.

use crate::{
    Action, Context, DecidedBy, Decision, Invocation, Lifted, Proposal, Request, Role, UserRule,
    catch_panic, check,
};
use aegish_policy::{PolicyContext, Shapes, USER_RULE, Warning};

/// Records in the decision which findings were removed, and by which rules.
pub(crate) fn credit(decision: &mut Decision, lifted: Vec<Lifted>) {
    for one in &lifted {
        decision.notes.push(format!(
            "rule {} of yours takes {} away ({})",
            one.by, one.rule.name, one.action
        ));
    }
    let denied = decision.rule.name == USER_RULE.name;
    let let_through = decision.action == Action::Allow && !lifted.is_empty();
    if denied || let_through {
        decision.decided_by = DecidedBy::UserRule;
    }
    if let (true, Some(first)) = (let_through, lifted.first()) {
        decision.reason = format!("your rule {} allows it", first.by);
    }
    decision.lifted = lifted;
}

impl Decision {
    /// Rules that would prevent this warning; none if no rule could.
    #[must_use]
    pub fn proposals(&self, request: &Request<'_>) -> Option<Vec<Proposal>> {
        if self.action != Action::Warn {
            return None;
        }
        catch_panic(|| self.rules_against(request)).ok().flatten()
    }

    /// Rules that would remove all findings, warnings and blocks; none if no rule could.
    #[must_use]
    pub fn rules_against(&self, request: &Request<'_>) -> Option<Vec<Proposal>> {
        let warning = |finding: &crate::Finding| {
            // Findings of a model, or about the text itself, do not depend on the shape of a
            // command.
            let of_policy = aegish_policy::rule(finding.rule.name).is_some();
            let command = finding.command.filter(|_| of_policy)?;
            Some(Warning { rule: finding.rule.name, command, open: finding.open })
        };
        let warnings: Option<Vec<Warning>> = self.findings.iter().map(warning).collect();
        aegish_policy::propose(&self.analysis, &warnings?, &setting(request))
    }
}

/// Shapes for rules about the commands of a text itself, without those that others run.
#[must_use]
pub fn shapes_of(request: &Request<'_>) -> Vec<Shapes> {
    let analysis = check(request).analysis;
    let own = |(_, command): &(usize, &crate::CommandReport)| {
        command.parent.is_none() && command.invocation == Invocation::Direct
    };
    let commands = analysis.commands.iter().enumerate().filter(own);
    commands
        .filter_map(|(number, _)| aegish_policy::shapes(&analysis, number, &setting(request)))
        .collect()
}

/// The effect of a rule on a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictChange {
    /// The command.
    pub command: String,
    /// The verdict without the rule.
    pub before: Action,
    /// And with it.
    pub after: Action,
}

/// The commands that a rule matches, and its effect on them in addition to the present rules.
pub fn preview<'c>(
    rule: &UserRule,
    others: &[UserRule],
    commands: impl Iterator<Item = &'c str>,
    context: &Context<'_>,
    role: Role,
) -> Vec<VerdictChange> {
    let mut with: Vec<UserRule> = others.to_vec();
    with.push(rule.clone());
    let decide = |command: &str, user_rules: &[UserRule]| {
        check(&Request { text: command.as_bytes(), context, role, user_rules })
    };
    commands
        .filter(|command| fits(rule, command, context, role))
        .map(|command| VerdictChange {
            command: command.to_owned(),
            before: decide(command, others).action,
            after: decide(command, &with).action,
        })
        .collect()
}

/// Whether a rule certainly matches some command of a text.
#[must_use]
pub fn fits(rule: &UserRule, text: &str, context: &Context<'_>, role: Role) -> bool {
    let request = Request { text: text.as_bytes(), context, role, user_rules: &[] };
    aegish_policy::fits(rule, &check(&request).analysis, &setting(&request))
}

/// The context of the policy for a request.
pub(crate) fn setting<'a>(request: &Request<'a>) -> PolicyContext<'a> {
    PolicyContext {
        role: request.role,
        cwd: &request.context.cwd,
        home: &request.context.home,
        user_rules: request.user_rules,
    }
}

//! What user rules did to a decision, and what a new one would do to others.

use crate::{
    Action, Context, DecidedBy, Decision, Invocation, Lifted, Proposal, Request, Role, UserRule,
    catch_panic, check,
};
use aegish_policy::{PolicyContext, Shapes, USER_RULE, Warning};

/// Says in the decision what was taken away, and who decided.
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
    /// The rules that would keep this warning from coming again; none if no rule could.
    #[must_use]
    pub fn proposals(&self, request: &Request<'_>) -> Option<Vec<Proposal>> {
        if self.action != Action::Warn {
            return None;
        }
        catch_panic(|| self.rules_against(request)).ok().flatten()
    }

    /// The rules that would take everything away that was found, whether it warns or blocks; none if
    /// no rule could.
    #[must_use]
    pub fn rules_against(&self, request: &Request<'_>) -> Option<Vec<Proposal>> {
        let warning = |finding: &crate::Finding| {
            // What a model says, or the text itself, is no matter of the command's shape.
            let of_policy = aegish_policy::rule(finding.rule.name).is_some();
            let command = finding.command.filter(|_| of_policy)?;
            Some(Warning { rule: finding.rule.name, command, open: finding.open })
        };
        let warnings: Option<Vec<Warning>> = self.findings.iter().map(warning).collect();
        aegish_policy::propose(&self.analysis, &warnings?, &setting(request))
    }
}

/// What rules could say of the commands that a text itself has, those that others run left out.
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

/// What a rule changes about a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictChange {
    /// The command.
    pub command: String,
    /// What becomes of it without the rule.
    pub before: Action,
    /// And with it.
    pub after: Action,
}

/// Which of these commands a rule fits, and what it changes about them, beside the rules there are.
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

/// Whether a rule surely fits some command of a text.
#[must_use]
pub fn fits(rule: &UserRule, text: &str, context: &Context<'_>, role: Role) -> bool {
    let request = Request { text: text.as_bytes(), context, role, user_rules: &[] };
    aegish_policy::fits(rule, &check(&request).analysis, &setting(&request))
}

/// What the policy is told of a request.
pub(crate) fn setting<'a>(request: &Request<'a>) -> PolicyContext<'a> {
    PolicyContext {
        role: request.role,
        cwd: &request.context.cwd,
        home: &request.context.home,
        user_rules: request.user_rules,
    }
}

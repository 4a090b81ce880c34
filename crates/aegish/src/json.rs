//! Decisions as JSON. The shape is published as `docs/reference/verdict.schema.json`.

use aegish_guard::{Decision, Span};
use serde::Serialize;
use serde_json::value::RawValue;

/// The answer to one command.
#[derive(Serialize)]
pub(crate) struct Verdict<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RawValue>,
    action: &'static str,
    rule: &'static str,
    rule_name: &'static str,
    reason: &'a str,
    confidence: f32,
    decided_by: &'static str,
    open: bool,
    findings: Vec<Finding<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commands: Option<Vec<Command>>,
}

#[derive(Serialize)]
struct Finding<'a> {
    rule: &'static str,
    name: &'static str,
    action: &'static str,
    confidence: f32,
    reason: &'a str,
    instead: Option<&'static str>,
    open: bool,
    span: Place<'a>,
}

#[derive(Serialize)]
struct Place<'a> {
    start: u32,
    end: u32,
    text: &'a str,
}

#[derive(Serialize)]
struct Command {
    argv: Vec<String>,
    program: Option<&'static str>,
    parent: Option<usize>,
    span: Range,
    effects: Vec<String>,
}

#[derive(Serialize)]
struct Range {
    start: u32,
    end: u32,
}

/// How much an answer tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// The verdict and its findings.
    Findings,
    /// The expanded commands and their effects as well.
    Commands,
}

impl<'a> Verdict<'a> {
    /// For a decision on this text; `id` is echoed.
    pub(crate) fn new(
        decision: &'a Decision,
        text: &'a str,
        id: Option<&'a RawValue>,
        detail: Detail,
    ) -> Self {
        Self {
            id,
            action: decision.action.as_str(),
            rule: decision.rule.id,
            rule_name: decision.rule.name,
            reason: &decision.reason,
            confidence: rounded(decision.confidence),
            decided_by: decision.decided_by.as_str(),
            open: decision.open,
            findings: findings(decision, text),
            commands: (detail == Detail::Commands).then(|| commands(decision)),
        }
    }
}

fn findings<'a>(decision: &'a Decision, text: &'a str) -> Vec<Finding<'a>> {
    let one = |finding: &'a aegish_guard::Finding| Finding {
        rule: finding.rule.id,
        name: finding.rule.name,
        action: finding.action.as_str(),
        confidence: rounded(finding.confidence),
        reason: &finding.reason,
        instead: finding.instead,
        open: finding.open,
        span: place(finding.span, text),
    };
    decision.findings.iter().map(one).collect()
}

fn commands(decision: &Decision) -> Vec<Command> {
    let mut list: Vec<Command> = Vec::with_capacity(decision.analysis.commands.len());
    for report in &decision.analysis.commands {
        list.push(Command {
            argv: report.argv.iter().map(ToString::to_string).collect(),
            program: report.program,
            parent: report.parent,
            span: Range { start: report.span.start, end: report.span.end },
            effects: Vec::new(),
        });
    }
    for effect in &decision.analysis.effects {
        if let Some(command) = list.get_mut(effect.command) {
            command.effects.push(effect.act.to_string());
        }
    }
    list
}

fn place(span: Span, text: &str) -> Place<'_> {
    Place { start: span.start, end: span.end, text: span.text(text) }
}

/// Two digits say all there is to say.
fn rounded(confidence: f32) -> f32 {
    (confidence * 100.0).round() / 100.0
}

//! Decisions as JSON. The shape is published as `docs/reference/verdict.schema.json`.

use aegish_guard::{Decision, Ruling, Span};
use aegish_judge::OpinionSource;
use serde::Serialize;
use serde_json::value::RawValue;

/// The answer to one command.
#[derive(Serialize)]
pub struct JsonVerdict<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RawValue>,
    action: &'static str,
    rule: &'static str,
    rule_name: &'static str,
    reason: &'a str,
    confidence: f32,
    decided_by: &'static str,
    open: bool,
    findings: Vec<JsonFinding<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lifted: Vec<JsonLifted<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    judge: Option<JudgeReport<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    commands: Option<Vec<JsonCommand>>,
}

/// The result of asking a model.
#[derive(Serialize)]
struct JudgeReport<'a> {
    model: Option<&'a str>,
    opinion: Option<JsonOpinion<'a>>,
    cached: bool,
    latency_ms: f64,
    tokens: JsonTokens,
    cost_usd: Option<f64>,
    prompt_hash: &'a str,
}

#[derive(Serialize)]
struct JsonOpinion<'a> {
    action: &'static str,
    confidence: f64,
    reason: &'a str,
}

#[derive(Serialize)]
struct JsonTokens {
    input: Option<u64>,
    output: Option<u64>,
    cached: Option<u64>,
    reasoning: Option<u64>,
}

#[derive(Serialize)]
struct JsonFinding<'a> {
    rule: &'static str,
    name: &'static str,
    action: &'static str,
    confidence: f32,
    reason: &'a str,
    instead: Option<&'static str>,
    open: bool,
    span: SpanText<'a>,
}

/// A finding that a user rule removed.
#[derive(Serialize)]
struct JsonLifted<'a> {
    by: &'a str,
    rule: &'static str,
    name: &'static str,
    action: &'static str,
}

#[derive(Serialize)]
struct SpanText<'a> {
    start: u32,
    end: u32,
    text: &'a str,
}

#[derive(Serialize)]
struct JsonCommand {
    argv: Vec<String>,
    program: Option<&'static str>,
    parent: Option<usize>,
    span: SpanRange,
    effects: Vec<String>,
}

#[derive(Serialize)]
struct SpanRange {
    start: u32,
    end: u32,
}

/// Which fields an answer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonDetail {
    /// The verdict and its findings.
    Findings,
    /// The expanded commands and their effects as well.
    Commands,
}

impl<'a> JsonVerdict<'a> {
    /// For a decision on this text; `id` is echoed.
    pub fn new(
        decision: &'a Decision,
        text: &'a str,
        id: Option<&'a RawValue>,
        detail: JsonDetail,
    ) -> Self {
        Self {
            id,
            action: decision.action().as_str(),
            rule: decision.rule().id,
            rule_name: decision.rule().name,
            reason: decision.reason(),
            confidence: rounded(decision.confidence()),
            decided_by: decision.decided_by().as_str(),
            open: decision.is_open(),
            findings: findings(decision, text),
            lifted: decision.lifted().iter().map(lifted).collect(),
            judge: decision.ruling().map(judge_report),
            notes: decision.notes(),
            commands: (detail == JsonDetail::Commands).then(|| commands(decision)),
        }
    }
}

fn lifted(lifted: &aegish_guard::Lifted) -> JsonLifted<'_> {
    JsonLifted {
        by: &lifted.by,
        rule: lifted.rule.id,
        name: lifted.rule.name,
        action: lifted.action.as_str(),
    }
}

fn judge_report(ruling: &Ruling) -> JudgeReport<'_> {
    JudgeReport {
        model: ruling.model.as_deref(),
        opinion: ruling.opinion.as_ref().map(|opinion| JsonOpinion {
            action: opinion.action.as_str(),
            confidence: opinion.confidence,
            reason: &opinion.reason,
        }),
        cached: ruling.source == OpinionSource::Cache,
        // Microseconds are precise enough.
        latency_ms: (ruling.latency.as_secs_f64() * 1e6).round() / 1e3,
        tokens: JsonTokens {
            input: ruling.usage.input,
            output: ruling.usage.output,
            cached: ruling.usage.cached,
            reasoning: ruling.usage.reasoning,
        },
        cost_usd: ruling.cost,
        prompt_hash: &ruling.prompt_hash,
    }
}

fn findings<'a>(decision: &'a Decision, text: &'a str) -> Vec<JsonFinding<'a>> {
    let one = |finding: &'a aegish_guard::Finding| JsonFinding {
        rule: finding.rule.id,
        name: finding.rule.name,
        action: finding.action.as_str(),
        confidence: rounded(finding.confidence),
        reason: &finding.reason,
        instead: finding.instead,
        open: finding.open,
        span: span_text(finding.span, text),
    };
    decision.findings().iter().map(one).collect()
}

fn commands(decision: &Decision) -> Vec<JsonCommand> {
    let mut list: Vec<JsonCommand> = Vec::with_capacity(decision.analysis().commands.len());
    for report in &decision.analysis().commands {
        list.push(JsonCommand {
            argv: report.argv.iter().map(ToString::to_string).collect(),
            program: report.program,
            parent: report.parent,
            span: SpanRange { start: report.span.start, end: report.span.end },
            effects: Vec::new(),
        });
    }
    for effect in &decision.analysis().effects {
        if let Some(command) = list.get_mut(effect.command) {
            command.effects.push(effect.kind.to_string());
        }
    }
    list
}

fn span_text(span: Span, text: &str) -> SpanText<'_> {
    SpanText { start: span.start, end: span.end, text: span.text(text) }
}

/// Two digits are precise enough.
fn rounded(confidence: f32) -> f32 {
    (confidence * 100.0).round() / 100.0
}

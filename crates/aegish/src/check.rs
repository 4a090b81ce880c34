//! `aegish check`: the verdict on one command, for a person or a program.

use crate::args::{CheckOptions, Format};
use crate::excerpt::excerpt;
use crate::{configuration, source};
use aegish_guard::{Action, DecidedBy, Decision, Finding, Ruling};
use aegish_judge::OpinionSource;
use aegish_terminal::{ExitKind, Failure, Screen, Style, visible};
use aegish_verdict::{JsonDetail, JsonVerdict};

/// Further findings that are named below the first.
const FURTHER: usize = 5;

pub(crate) fn run(options: &CheckOptions, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let config = configuration::load()?;
    let question = source::read(&options.input, &config)?;
    let decision = question.decide_with(&options.judge_args, &config)?;
    let text = String::from_utf8_lossy(&question.text);
    match options.format {
        Format::Text => verdict(&decision, &text, screen),
        Format::Json => {
            let verdict = JsonVerdict::new(&decision, &text, None, JsonDetail::Commands);
            let json = serde_json::to_string(&verdict)
                .map_err(|error| Failure::internal(format!("nothing was approved: {error}")))?;
            screen.put(json).end();
        }
    }
    Ok(ending(decision.action()))
}

pub(crate) fn ending(action: Action) -> ExitKind {
    match action {
        Action::Allow => ExitKind::Allow,
        Action::Warn => ExitKind::Warn,
        Action::Block => ExitKind::Block,
    }
}

pub(crate) fn verdict(decision: &Decision, text: &str, screen: &mut Screen) {
    heading(decision, screen);
    findings(decision, text, screen);
    judged(decision, screen);
}

fn findings(decision: &Decision, text: &str, screen: &mut Screen) {
    let Some((first, others)) = decision.findings().split_first() else { return };
    evidence(first, text, screen);
    for finding in others.iter().take(FURTHER) {
        let action = finding.action;
        screen.put("  also ").paint(Style::of(action), action).put(" ");
        screen.put(rule_of(finding)).put("  ").put(visible(&finding.reason)).end();
    }
    if others.len() > FURTHER {
        screen
            .put(format_args!("  and {} more, see `aegish explain`", others.len() - FURTHER))
            .end();
    }
}

/// `BLOCK  4 critical-file-read  reads …`
pub(crate) fn heading(decision: &Decision, screen: &mut Screen) {
    let word = decision.action().as_str().to_uppercase();
    screen.paint(Style::of(decision.action()), word).put("  ");
    let rule = decision.rule();
    let name = if rule.id == rule.name {
        rule.id.to_owned()
    } else {
        format!("{} {}", rule.id, rule.name)
    };
    screen.paint(Style::Strong, name).put("  ").put(visible(decision.reason()));
    if decision.is_open() {
        screen.paint(Style::Faint, "  (left open)");
    }
    screen.end();
}

/// Prints which part decided, if a model was asked, and problems on the way.
pub(crate) fn judged(decision: &Decision, screen: &mut Screen) {
    if let Some(ruling) = decision.ruling() {
        let who = match (decision.decided_by(), ruling.model.as_deref()) {
            (DecidedBy::Static, Some(model)) => {
                format!("decided by the static side; {model} was asked")
            }
            (DecidedBy::Static, None) => "decided by the static side; no model answered".to_owned(),
            (DecidedBy::UserRule, _) => "decided by a rule of yours; a model was asked".to_owned(),
            (DecidedBy::Model | DecidedBy::Cache, model) => {
                format!("decided by {}", model.unwrap_or("a model"))
            }
        };
        screen.put("  ").paint(Style::Faint, visible(&format!("{who}, {}", spent(ruling)))).end();
    }
    for note in decision.notes() {
        screen.put("  ").paint(Style::Faint, format_args!("note: {}", visible(note))).end();
    }
}

/// Time, tokens and money.
fn spent(ruling: &Ruling) -> String {
    let mut parts = vec![match ruling.source {
        OpinionSource::Cache => "from the cache".to_owned(),
        OpinionSource::Model => format!("{:.2} s", ruling.latency.as_secs_f64()),
    }];
    // No model answered, and nothing was charged.
    if ruling.source == OpinionSource::Model && ruling.model.is_some() {
        let tokens = ruling.usage.input.zip(ruling.usage.output);
        parts.extend(tokens.map(|(input, output)| format!("{input} + {output} tokens")));
        parts.extend(ruling.cost.map(|cost| format!("${cost:.6}")));
    }
    parts.join(", ")
}

/// The part of the text that the verdict is about, and an alternative.
pub(crate) fn evidence(finding: &Finding, text: &str, screen: &mut Screen) {
    if let Some(found) = excerpt(text, finding.span) {
        let number = if text.trim_end().contains('\n') {
            format!("{}: ", found.line)
        } else {
            String::new()
        };
        screen.put("  ").paint(Style::Faint, &number).put(&found.text).end();
        let indent = " ".repeat(2 + number.len() + found.indent);
        let carets = "^".repeat(found.carets) + if found.more { "…" } else { "" };
        screen.put(indent).paint(Style::of(finding.action), carets).end();
    }
    if let Some(instead) = finding.instead {
        screen.put("  ").paint(Style::Faint, "instead: ").put(instead).end();
    }
}

fn rule_of(finding: &Finding) -> &'static str {
    let rule = finding.rule;
    if rule.id.len() <= 2 { rule.id } else { rule.name }
}

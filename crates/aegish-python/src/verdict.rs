//! Decisions as Python objects. They are immutable, comparable and can be pickled.

use aegish_guard::Decision;
use pyo3::prelude::*;
use std::borrow::Cow;
use std::collections::HashSet;

/// The arguments of `Verdict.__new__`.
type VerdictParts = (String, String, String, String, f32, bool, String, Vec<String>, Vec<Finding>);
/// The arguments of `Finding.__new__`.
type FindingParts = (String, String, String, f32, String, Option<String>, bool, (u32, u32));

/// The guard's answer to one command.
#[pyclass(module = "aegish", frozen, get_all, eq)]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Verdict {
    action: Cow<'static, str>,
    rule: Cow<'static, str>,
    rule_name: Cow<'static, str>,
    reason: String,
    confidence: f32,
    open: bool,
    decided_by: Cow<'static, str>,
    effects: Vec<String>,
    findings: Vec<Finding>,
}

/// A rule that applies to a part of the text.
#[pyclass(module = "aegish", frozen, get_all, eq)]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finding {
    rule: Cow<'static, str>,
    rule_name: Cow<'static, str>,
    action: Cow<'static, str>,
    confidence: f32,
    reason: String,
    instead: Option<Cow<'static, str>>,
    open: bool,
    /// Bytes of the UTF-8 text: start and end.
    span: (u32, u32),
}

impl Verdict {
    pub(crate) fn new(decision: &Decision) -> Self {
        let finding = |finding: &aegish_guard::Finding| Finding {
            rule: finding.rule.id.into(),
            rule_name: finding.rule.name.into(),
            action: finding.action.as_str().into(),
            confidence: rounded(finding.confidence),
            reason: finding.reason.clone(),
            instead: finding.instead.map(Cow::Borrowed),
            open: finding.open,
            span: (finding.span.start, finding.span.end),
        };
        Self {
            action: decision.action().as_str().into(),
            rule: decision.rule().id.into(),
            rule_name: decision.rule().name.into(),
            reason: decision.reason().to_owned(),
            confidence: rounded(decision.confidence()),
            open: decision.is_open(),
            decided_by: decision.decided_by().as_str().into(),
            effects: effects(decision),
            findings: decision.findings().iter().map(finding).collect(),
        }
    }
}

#[pymethods]
impl Verdict {
    #[new]
    #[allow(clippy::too_many_arguments)] // pickle gives the fields one by one
    fn from_parts(
        action: String,
        rule: String,
        rule_name: String,
        reason: String,
        confidence: f32,
        open: bool,
        decided_by: String,
        effects: Vec<String>,
        findings: Vec<PyRef<'_, Finding>>,
    ) -> Self {
        Self {
            action: action.into(),
            rule: rule.into(),
            rule_name: rule_name.into(),
            reason,
            confidence,
            open,
            decided_by: decided_by.into(),
            effects,
            findings: findings.iter().map(|finding| (**finding).clone()).collect(),
        }
    }

    fn __getnewargs__(&self) -> VerdictParts {
        (
            self.action.to_string(),
            self.rule.to_string(),
            self.rule_name.to_string(),
            self.reason.clone(),
            self.confidence,
            self.open,
            self.decided_by.to_string(),
            self.effects.clone(),
            self.findings.clone(),
        )
    }

    fn __repr__(&self) -> String {
        format!("Verdict({:?}, {:?}, {:?})", self.action, self.rule_name, self.reason)
    }
}

#[pymethods]
impl Finding {
    #[new]
    #[allow(clippy::too_many_arguments)] // pickle gives the fields one by one
    fn from_parts(
        rule: String,
        rule_name: String,
        action: String,
        confidence: f32,
        reason: String,
        instead: Option<String>,
        open: bool,
        span: (u32, u32),
    ) -> Self {
        Self {
            rule: rule.into(),
            rule_name: rule_name.into(),
            action: action.into(),
            confidence,
            reason,
            instead: instead.map(Cow::Owned),
            open,
            span,
        }
    }

    fn __getnewargs__(&self) -> FindingParts {
        (
            self.rule.to_string(),
            self.rule_name.to_string(),
            self.action.to_string(),
            self.confidence,
            self.reason.clone(),
            self.instead.as_deref().map(str::to_owned),
            self.open,
            self.span,
        )
    }

    fn __repr__(&self) -> String {
        format!("Finding({:?}, {:?}, {:?})", self.action, self.rule_name, self.reason)
    }
}

/// The effects of all commands of a text, each once, in the order of the text.
pub(crate) fn effects(decision: &Decision) -> Vec<String> {
    let all = decision.analysis().effects.iter().map(|effect| effect.kind.to_string());
    let mut seen = HashSet::new();
    all.filter(|effect| seen.insert(effect.clone())).collect()
}

/// Two digits, as in the JSON of the command line.
pub(crate) fn rounded(confidence: f32) -> f32 {
    (confidence * 100.0).round() / 100.0
}

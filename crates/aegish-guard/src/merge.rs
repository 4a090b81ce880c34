//! The static verdict and a model's opinion → one decision.
//!
//! Takes a decision of the static analysis and a judge; gives the decision with the opinion merged in. A
//! model may raise any verdict, and may settle an open one in both directions, but never lowers a closed one.
//! An allow that is not confident enough, that was given without seeing every script to its end, or after reading
//! text that could steer the model, becomes a warning. Without an answer, closed verdicts stay, and open ones warn or block; they are never allowed.

use crate::rules::MODEL_OPINION;
use crate::{
    Action, DecidedBy, Decision, Finding, Gathered, MAX_COMMAND_LENGTH, Request, Role, Session,
};
use aegish_judge::{Evidence, FailMode, Judge, Opinion, OpinionSource, Ruling};
use aegish_syntax::Span;
use std::fmt;
use std::str::FromStr;

/// When a model is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgeMode {
    /// When the static side leaves the verdict open.
    Undecided,
    /// About every command.
    Always,
    /// Never: the static analysis decides alone.
    Never,
}

impl JudgeMode {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Undecided, Self::Always, Self::Never];

    /// The name in options and variables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Undecided => "undecided",
            Self::Always => "always",
            Self::Never => "never",
        }
    }

    /// Whether a model is asked about a decision of the static side.
    pub(crate) fn asks_about(self, decision: &Decision) -> bool {
        match self {
            Self::Undecided => decision.open,
            Self::Always => true,
            Self::Never => false,
        }
    }
}

impl fmt::Display for JudgeMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that is not a [`JudgeMode`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownMode;

impl fmt::Display for UnknownMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it takes undecided, always or never")
    }
}

impl std::error::Error for UnknownMode {}

impl FromStr for JudgeMode {
    type Err = UnknownMode;

    fn from_str(word: &str) -> Result<Self, UnknownMode> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == word).ok_or(UnknownMode)
    }
}

/// Gives opinions to any number of threads: the [`Judge`], or a substitute in tests.
pub trait Advisor: Sync {
    /// Whether there is any model to ask.
    fn has_model(&self) -> bool;
    /// Asks.
    fn ask(&self, evidence: &Evidence<'_>, role: Role) -> Ruling;
    /// The action for an open verdict without an answer.
    fn fail_mode(&self) -> FailMode;
    /// How sure an allow has to be.
    fn min_confidence(&self) -> f64;
    /// Why no model can be asked, if settings exclude all of them.
    fn excluded(&self) -> Option<String> {
        None
    }
}

impl<A: Advisor + ?Sized> Advisor for &A {
    fn has_model(&self) -> bool {
        (**self).has_model()
    }

    fn ask(&self, evidence: &Evidence<'_>, role: Role) -> Ruling {
        (**self).ask(evidence, role)
    }

    fn fail_mode(&self) -> FailMode {
        (**self).fail_mode()
    }

    fn min_confidence(&self) -> f64 {
        (**self).min_confidence()
    }

    fn excluded(&self) -> Option<String> {
        (**self).excluded()
    }
}

impl Advisor for Judge {
    fn has_model(&self) -> bool {
        Judge::has_model(self)
    }

    fn ask(&self, evidence: &Evidence<'_>, role: Role) -> Ruling {
        Judge::ask(self, evidence, role)
    }

    fn fail_mode(&self) -> FailMode {
        Judge::fail_mode(self)
    }

    fn min_confidence(&self) -> f64 {
        Judge::min_confidence(self)
    }

    fn excluded(&self) -> Option<String> {
        Judge::excluded(self)
    }
}

/// A judge and when to ask it.
#[derive(Clone, Copy)]
pub struct ConfiguredJudge<'a> {
    /// The judge.
    pub judge: &'a dyn Advisor,
    /// When.
    pub mode: JudgeMode,
}

/// Asks a model about a decision of the static side, and merges its opinion in.
pub(crate) fn consult(
    decision: Decision,
    text: &str,
    session: &Session,
    request: &Request<'_>,
    asked: ConfiguredJudge<'_>,
) -> Decision {
    // Without a model the static analysis decides. That is not a failure.
    if asked.mode == JudgeMode::Undecided && !asked.judge.has_model() {
        let mut decision = decision;
        decision.notes.extend(asked.judge.excluded());
        return decision;
    }
    if text.chars().nth(MAX_COMMAND_LENGTH).is_some() {
        let mut decision = decision;
        decision.notes.push(aegish_judge::NoMessage::TooLong.to_string());
        if decision.open {
            unanswered(&mut decision, asked.judge.fail_mode());
        }
        return decision;
    }
    let gathered = Gathered::new(text, &decision, session, request);
    let (ruling, seen) = gathered.give(|evidence| {
        let seen = if evidence.is_whole() { ScriptsShown::Everything } else { ScriptsShown::Part };
        (asked.judge.ask(evidence, request.role), seen)
    });
    let text_kind = if gathered.could_steer() {
        ShownTextKind::MayBeProse
    } else {
        ShownTextKind::NamesAndOptions
    };
    let terms = Terms {
        seen,
        text_kind,
        fail_mode: asked.judge.fail_mode(),
        min_confidence: asked.judge.min_confidence(),
        mode: asked.mode,
    };
    merge(decision, ruling, text, &terms)
}

/// How much of the scripts a model was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ScriptsShown {
    Everything,
    Part,
}

/// What kind of text a model was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShownTextKind {
    NamesAndOptions,
    /// It could tell the model what to answer.
    MayBeProse,
}

/// How an opinion is weighed.
struct Terms {
    seen: ScriptsShown,
    text_kind: ShownTextKind,
    fail_mode: FailMode,
    min_confidence: f64,
    mode: JudgeMode,
}

fn merge(mut decision: Decision, ruling: Ruling, text: &str, terms: &Terms) -> Decision {
    decision.notes.extend(ruling.notes.iter().map(ToString::to_string));
    match &ruling.opinion {
        Some(opinion) => {
            let by = match ruling.source {
                OpinionSource::Model => DecidedBy::Model,
                OpinionSource::Cache => DecidedBy::Cache,
            };
            follow(&mut decision, opinion, by, text, terms);
        }
        None if decision.open => unanswered(&mut decision, terms.fail_mode),
        // With the mode `always` there is no allow without a model.
        None if terms.mode == JudgeMode::Always && decision.action == Action::Allow => {
            unanswered(&mut decision, FailMode::Open);
        }
        None => decision
            .notes
            .push("no model answered; the verdict of the static side stands".to_owned()),
    }
    decision.ruling = Some(ruling);
    decision
}

/// Lets an opinion raise the verdict, or settle it.
fn follow(decision: &mut Decision, opinion: &Opinion, by: DecidedBy, text: &str, terms: &Terms) {
    let (action, reason) = worth(opinion, terms, &mut decision.notes);
    // Closed findings stay. An open verdict without an answer depends only on its closed findings.
    let closed = decision.findings.iter().filter(|finding| !finding.open);
    let floor = if decision.open {
        closed.map(|finding| finding.action).max()
    } else {
        Some(decision.action)
    };
    if floor.is_some_and(|floor| action <= floor) {
        if decision.open {
            stand_on_closed(decision);
        }
        return;
    }
    let place = decision.findings.iter().find(|finding| finding.open);
    let finding = Finding {
        rule: &MODEL_OPINION,
        action,
        confidence: certainty(opinion),
        span: place.map_or(Span::new(0, text.len()), |finding| finding.span),
        command: place.and_then(|finding| finding.command),
        reason,
        instead: None,
        open: false,
    };
    settle(decision, &finding, by);
    decision.findings.insert(0, finding);
}

/// The confidence of a model, within bounds.
fn certainty(opinion: &Opinion) -> f32 {
    let stated = if opinion.confidence.is_nan() { 0.0 } else { opinion.confidence };
    stated.clamp(0.0, 1.0) as f32
}

/// The action that an opinion leads to: an allow may be too uncertain, or based on part of the evidence.
fn worth(opinion: &Opinion, terms: &Terms, notes: &mut Vec<String>) -> (Action, String) {
    let reason = opinion.reason.clone();
    if opinion.action != Action::Allow {
        return (opinion.action, reason);
    }
    if !(terms.min_confidence..=1.0).contains(&opinion.confidence) {
        notes.push(format!(
            "the model would allow it, but with {:.2} it is less sure than {:.2}",
            opinion.confidence, terms.min_confidence
        ));
        return (Action::Warn, format!("a model would allow it, but is not sure: {reason}"));
    }
    if terms.seen == ScriptsShown::Part {
        notes
            .push("the model would allow it, but was not shown every script to its end".to_owned());
        let reason = format!("a model would allow it, but has not seen all of it: {reason}");
        return (Action::Warn, reason);
    }
    if terms.text_kind == ShownTextKind::MayBeProse {
        notes.push(
            "the model would allow it, but was shown text that could tell it what to answer"
                .to_owned(),
        );
        let reason =
            format!("a model would allow it, but the text could have told it to: {reason}");
        return (Action::Warn, reason);
    }
    (Action::Allow, reason)
}

/// The open findings are settled; the strictest of the others names the verdict.
fn stand_on_closed(decision: &mut Decision) {
    let closed = decision.findings.iter().filter(|finding| !finding.open);
    // Of equally strict ones the first, in the order of the rules.
    let strictest = closed.min_by_key(|finding| std::cmp::Reverse(finding.action)).cloned();
    if let Some(finding) = strictest {
        settle(decision, &finding, DecidedBy::Static);
    }
}

fn settle(decision: &mut Decision, finding: &Finding, by: DecidedBy) {
    decision.action = finding.action;
    decision.rule = finding.rule;
    decision.reason.clone_from(&finding.reason);
    decision.confidence = finding.confidence;
    decision.decided_by = by;
    decision.open = false;
}

impl Decision {
    /// Settles what is still open without a judge: [`FailMode::Safe`] blocks it.
    pub fn settled_by(mut self, fail_mode: FailMode) -> Self {
        if self.open && fail_mode == FailMode::Safe {
            self.block_open(", and what cannot be settled is blocked here");
        }
        self
    }

    /// Blocks an open verdict, with this additional reason.
    fn block_open(&mut self, why: &str) {
        self.action = Action::Block;
        self.open = false;
        self.reason.push_str(why);
        for finding in self.findings.iter_mut().filter(|finding| finding.open) {
            (finding.action, finding.open) = (Action::Block, false);
        }
    }
}

/// No model answered an open question.
fn unanswered(decision: &mut Decision, fail_mode: FailMode) {
    decision.confidence = 0.0;
    match fail_mode {
        FailMode::Open => {
            decision.action = decision.action.max(Action::Warn);
            decision.notes.push("no model answered, so somebody has to be asked".to_owned());
        }
        FailMode::Safe => {
            decision.block_open(", and no model answered");
            decision.notes.push(
                "no model answered, and the fail mode is safe: what is open is blocked".to_owned(),
            );
        }
    }
}

//! Text and context → decision: the one pipeline that every front end calls.
//!
//! Takes the bytes of a command line or script, the known state of the session and the machine, and the role
//! of the user; gives a [`Decision`]. Only this crate makes decisions, and only a decision gives the
//! [`Permit`] without which nothing runs. The guard runs nothing itself, and accesses the machine only
//! through the context (the real one is [`OsMachine`]).
//!
//! A judge can be asked about a verdict that the static analysis leaves open. The analysis runs once in any
//! case: see [`StaticCheck`]. The judge is built only if it is asked.
//!
//! Input that is not a command (empty, NUL bytes, not UTF-8, far too long) is answered here. The effects of
//! the text are the task of the crates below.
#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod approval;
mod assigned;
mod evidence;
mod injection;
mod input;
mod machine;
mod merge;
mod misleading;
mod panics;
mod permit;
mod pins;
mod remembered;
mod rules;
mod secret_files;
mod static_check;
mod surroundings;
mod unsteady;
mod user_rules;

pub use aegish_effects::{
    Analysis, BUILTINS, CommandReport, Context, Effect, EffectKind, FileView, HistoryExpansion,
    Invocation, Machine, NoMachine, Observed, OutputReader, Session, StandardInput, TextForm,
    Value, prompt_code,
};
pub use aegish_judge::{FailMode, Ruling};
pub use aegish_policy::{
    Action, AllowedHost, Authority, HostPattern, Lifted, Lifts, OptionPattern, PathPattern,
    Proposal, Reach, Role, Rule, Shape, Shapes, TextPattern, UnknownWord, UserRule, Variant, Verb,
};
pub use aegish_syntax::Span;
pub use assigned::Assigned;
pub use evidence::{Gathered, command_line, depths};
pub use input::{MAX_COMMAND_LENGTH, MAX_INPUT_BYTES};
pub use machine::OsMachine;
pub use merge::{Advisor, ConfiguredJudge, JudgeMode, UnknownMode};
pub use panics::{PanicFate, Panicked, catch_panic, note_panic};
pub use permit::{Consent, Permit};
pub use pins::Pin;
pub use remembered::{Record, RecordKey, recall_trusted};
pub use rules::{rule, rules};
pub use static_check::StaticCheck;
pub use surroundings::Surroundings;
pub use unsteady::UnsteadyFiles;
pub use user_rules::{VerdictChange, fits, preview, shapes_of};

use aegish_policy::Judgement;
use input::NotACommand;
use pins::Pins;

/// Limit on a name that a reason repeats.
const LONGEST_NAME: usize = 60;

/// One question to the guard.
pub struct Request<'a> {
    /// The bytes bash would get.
    pub text: &'a [u8],
    /// Everything outside the text that its meaning depends on.
    pub context: &'a Context<'a>,
    /// The role.
    pub role: Role,
    /// The user rules in force.
    pub user_rules: &'a [UserRule],
}

/// The guard's answer, with everything that led to it. Nothing outside this crate can make or change one.
#[derive(Debug, Clone)]
#[must_use]
pub struct Decision {
    action: Action,
    static_action: Action,
    rule: &'static Rule,
    reason: String,
    confidence: f32,
    decided_by: DecidedBy,
    open: bool,
    findings: Vec<Finding>,
    lifted: Vec<Lifted>,
    ruling: Option<Ruling>,
    notes: Vec<String>,
    analysis: Analysis,
    /// The bytes that were judged; a permit is for these.
    text: Box<[u8]>,
    /// Answers of the machine during the analysis.
    pins: Pins,
    /// The variables that the text can change.
    assigned: Assigned,
}

impl Decision {
    /// The verdict: the strictest of all findings, except for open ones that a model settled.
    #[must_use]
    pub fn action(&self) -> Action {
        self.action
    }

    /// The verdict of the static analysis alone.
    #[must_use]
    pub fn static_action(&self) -> Action {
        self.static_action
    }

    /// The rule that names the verdict: that of the finding that decided, or rule 13.
    #[must_use]
    pub fn rule(&self) -> &'static Rule {
        self.rule
    }

    /// One sentence in plain words.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// How sure the guard is, from 0 to 1.
    #[must_use]
    pub fn confidence(&self) -> f32 {
        self.confidence
    }

    /// The part of the guard that decided last.
    #[must_use]
    pub fn decided_by(&self) -> DecidedBy {
        self.decided_by
    }

    /// Whether it is open: a judge may settle it.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Every rule that applies: that of a model first, then the strictest first.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Findings that user rules removed.
    #[must_use]
    pub fn lifted(&self) -> &[Lifted] {
        &self.lifted
    }

    /// The result of asking a model, if one was asked.
    #[must_use]
    pub fn ruling(&self) -> Option<&Ruling> {
        self.ruling.as_ref()
    }

    /// Notes about the decision: models that did not answer, and why.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The commands after expansion, and their effects.
    #[must_use]
    pub fn analysis(&self) -> &Analysis {
        &self.analysis
    }
}

/// The part of the guard that decided last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecidedBy {
    /// Syntax, effects and policy alone.
    Static,
    /// A model that was asked.
    Model,
    /// A model that was asked the same before.
    Cache,
    /// A user rule.
    UserRule,
}

impl DecidedBy {
    /// The name in output and logs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Model => "model",
            Self::Cache => "cache",
            Self::UserRule => "user-rule",
        }
    }
}

/// A rule that applies to some part of the text.
#[derive(Debug, Clone)]
pub struct Finding {
    /// Which rule.
    pub rule: &'static Rule,
    /// Its action.
    pub action: Action,
    /// How sure it is, from 0 to 1.
    pub confidence: f32,
    /// The part of the text it is about.
    pub span: Span,
    /// Index into the analysis' commands, if it is about one of them.
    pub command: Option<usize>,
    /// One sentence in plain words that names the thing.
    pub reason: String,
    /// A harmless alternative.
    pub instead: Option<&'static str>,
    /// A judge may settle it; without one `action` applies.
    pub open: bool,
}

/// Judges a command without asking a model.
pub fn check(request: &Request<'_>) -> Decision {
    check_in(&Session::new(), request).0
}

/// Judges a line of a session without asking a model, and returns the session after the line. The directory
/// is that of the request's context; without one, that of the session.
pub fn check_in(session: &Session, request: &Request<'_>) -> (Decision, Session) {
    StaticCheck::new(session, request).finish()
}

/// As [`check_in`], and asks the judge if there is one and its mode says so.
pub fn check_with(
    session: &Session,
    request: &Request<'_>,
    judge: Option<ConfiguredJudge<'_>>,
) -> (Decision, Session) {
    let checked = StaticCheck::new(session, request);
    match judge {
        Some(asked) => checked.ask(asked),
        None => checked.finish(),
    }
}

/// The decision about input that is not a command.
fn refused(refusal: &NotACommand) -> Decision {
    let finding = Finding {
        rule: &rules::BAD_INPUT,
        action: Action::Block,
        confidence: 1.0,
        span: refusal.span,
        command: None,
        reason: refusal.reason.clone(),
        instead: refusal.instead,
        open: false,
    };
    decide(vec![finding], 1.0, false, Analysis::default())
}

/// The answer to a text whose judging panicked.
fn failed(panicked: &Panicked, text: &[u8]) -> Decision {
    let finding = Finding {
        rule: &rules::INTERNAL_ERROR,
        action: Action::Block,
        confidence: 1.0,
        span: Span::new(0, text.len()),
        command: None,
        reason: format!("{panicked}; this is a defect of the guard, and nothing was approved"),
        instead: Some("Write the command in another way, and report the defect."),
        open: false,
    };
    let mut decision = decide(vec![finding], 1.0, false, Analysis::default());
    decision.text = text.into();
    decision
}

/// The policy's findings and those about the text itself, strictest first.
fn combine(judgement: Judgement, own: Vec<Finding>, analysis: Analysis) -> Decision {
    let Judgement { action, findings, mut confidence, mut open, lifted } = judgement;
    for finding in &own {
        if finding.action > action || (finding.action == action && finding.confidence > confidence)
        {
            confidence = finding.confidence;
        }
        open &= finding.action != Action::Block;
    }
    // Whoever is asked about an open command should know first that it speaks to its judge.
    let is_first = |finding: &Finding| finding.rule.id == rules::PROMPT_INJECTION.id;
    let (mut all, own): (Vec<Finding>, Vec<Finding>) = own.into_iter().partition(is_first);
    all.extend(findings.into_iter().map(Finding::from));
    all.extend(own);
    // Stable: of equally strict findings those of the policy come before those about characters, in its order.
    all.sort_by_key(|finding| std::cmp::Reverse(finding.action));
    let mut decision = decide(all, confidence, open, analysis);
    user_rules::credit(&mut decision, lifted);
    decision
}

fn decide(findings: Vec<Finding>, confidence: f32, open: bool, analysis: Analysis) -> Decision {
    let (action, rule, reason) = match findings.first() {
        Some(first) => (first.action, first.rule, first.reason.clone()),
        None => (Action::Allow, rules::normal_operation(), no_objection(&analysis)),
    };
    Decision {
        action,
        static_action: action,
        rule,
        reason,
        confidence,
        decided_by: DecidedBy::Static,
        open,
        findings,
        lifted: Vec::new(),
        ruling: None,
        notes: Vec::new(),
        analysis,
        text: Box::default(),
        pins: Pins::default(),
        assigned: Assigned::Any,
    }
}

/// The reason of a verdict without findings.
fn no_objection(analysis: &Analysis) -> String {
    let stranger = analysis.commands.iter().find_map(|command| {
        let name = command.argv.first()?.as_known()?;
        command.program.is_none().then_some(name)
    });
    match stranger {
        Some(name) => {
            let end = name.char_indices().nth(LONGEST_NAME).map_or(name.len(), |(end, _)| end);
            let name = name.get(..end).unwrap_or_default();
            format!(
                "no rule objects; what `{name}` does is not known, but nothing it is given is critical"
            )
        }
        None => "no rule objects".to_owned(),
    }
}

impl From<aegish_policy::Finding> for Finding {
    fn from(finding: aegish_policy::Finding) -> Self {
        Self {
            rule: finding.rule,
            action: finding.action,
            confidence: finding.confidence,
            span: finding.span,
            command: Some(finding.command),
            reason: finding.reason,
            instead: finding.instead,
            open: finding.open,
        }
    }
}

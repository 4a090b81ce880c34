//! Entries of the log: one object per decision, end of a run, start and exit of a session.

use crate::chain::hash;
use crate::clock;
use aegish_redact::redact;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::time::Duration;

/// Longer commands are truncated; their length and hash are recorded.
pub const LONGEST_COMMAND: usize = 32 * 1024;
const LONGEST_TEXT: usize = 2000;
const LONGEST_EFFECT: usize = 160;
const MOST_EFFECTS: usize = 12;

/// The user and session of entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Who {
    /// The user's name.
    pub user: String,
    /// The id of the session.
    pub session: String,
    /// The role that commands are judged for.
    pub role: String,
    /// `development` or `production`.
    pub mode: String,
}

/// An event to record.
#[derive(Debug, Clone, PartialEq)]
pub enum AuditEvent {
    /// An interactive session begins.
    Start {
        /// The working directory.
        cwd: String,
    },
    /// A command was judged, and it is known whether it will run.
    Decision(Box<JudgedCommand>),
    /// A command that was let through has ended.
    End {
        /// The number of the entry that let it through; 0 if that is kept and has no number yet.
        of: u64,
        /// Its exit status.
        status: u8,
        /// How long it ran.
        duration: Duration,
    },
    /// A command that was let through could not be run after all.
    NotRun {
        /// The number of the entry that let it through.
        of: u64,
        /// The reason.
        why: String,
    },
    /// An interactive session ends.
    Exit {
        /// With this status.
        status: u8,
    },
}

/// The decision about a command.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedCommand {
    /// The text that was judged.
    pub command: Vec<u8>,
    /// The guard's verdict, or that a person overrode its warning.
    pub action: AuditAction,
    /// Whether the command is run.
    pub fate: Fate,
    /// The source of the consent to a warning.
    pub consent: Option<ConsentSource>,
    /// Why, in one sentence.
    pub reason: String,
    /// How sure the guard was, from 0 to 1.
    pub confidence: f64,
    /// The model that was asked, if one was.
    pub model: Option<String>,
    /// The working directory of the command.
    pub cwd: String,
    /// Number and name of the rule that names the verdict.
    pub rule: (String, String),
    /// The effects of the command, one per line.
    pub effects: Vec<String>,
    /// `static`, `model` or `cache`.
    pub decided_by: String,
    /// How long it took to judge it.
    pub latency: Duration,
    /// The cost of asking a model, in US dollars.
    pub cost_usd: Option<f64>,
}

impl JudgedCommand {
    /// A decision of the static side that costs nothing, in the root directory, with confidence 1.
    #[must_use]
    pub fn new(command: &[u8], (action, fate): (AuditAction, Fate), rule: (&str, &str)) -> Self {
        Self {
            command: command.to_vec(),
            action,
            fate,
            consent: None,
            reason: String::new(),
            confidence: 1.0,
            model: None,
            cwd: "/".to_owned(),
            rule: (rule.0.to_owned(), rule.1.to_owned()),
            effects: Vec::new(),
            decided_by: "static".to_owned(),
            latency: Duration::ZERO,
            cost_usd: None,
        }
    }
}

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// A session begins.
    Start,
    /// A command was judged.
    Decision,
    /// A command has ended.
    End,
    /// A command could not be run after all.
    NotRun,
    /// A session ends.
    Exit,
    /// The line before was cut off: its writer died, or the disk was full.
    Torn,
}

/// The verdict as the log has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditAction {
    /// Nothing to object to.
    Allow,
    /// A person has to answer for it, and none did.
    Warn,
    /// Refused.
    Block,
    /// A person answered for it.
    WarnOverridden,
}

impl EventKind {
    /// The word in the log.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Decision => "decision",
            Self::End => "end",
            Self::NotRun => "not_run",
            Self::Exit => "exit",
            Self::Torn => "torn",
        }
    }
}

impl AuditAction {
    /// The word in the log.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Warn => "warn",
            Self::Block => "block",
            Self::WarnOverridden => "warn_overridden",
        }
    }
}

/// Whether a command is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It is run.
    Run,
    /// The guard refused it.
    Blocked,
    /// No person answered for it.
    Declined,
    /// The question was interrupted.
    Interrupted,
    /// The agent that wants to run it asks its person.
    HandedOn,
}

impl Fate {
    /// The word in the log.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Blocked => "blocked",
            Self::Declined => "declined",
            Self::Interrupted => "interrupted",
            Self::HandedOn => "handed_on",
        }
    }
}

/// The source of the consent to a warning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConsentSource {
    /// A person at the terminal.
    Person,
    /// The configuration, because there was no terminal.
    Setting,
}

/// The part that decided last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionSource {
    /// The guard.
    Validation,
    /// The consent to a warning.
    UserOverride,
}

/// An entry as in the log. Fields that do not apply to an event are left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // they are described in docs/reference/audit.md
pub struct AuditEntry {
    pub timestamp: String,
    pub user: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<AuditAction>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<DecisionSource>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub event: EventKind,
    pub session: String,
    pub role: String,
    pub mode: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fate: Option<Fate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consent: Option<ConsentSource>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Of a command that is truncated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_sha256: Option<String>,
    /// The number of the decision that an end belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_status: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
    pub seq: u64,
    pub prev: String,
}

impl AuditEntry {
    fn bare(event: EventKind, who: &Who) -> Self {
        Self {
            timestamp: clock::now(),
            user: who.user.clone(),
            command: None,
            action: None,
            reason: None,
            confidence: None,
            source: None,
            model: None,
            event,
            session: who.session.clone(),
            role: who.role.clone(),
            mode: who.mode.clone(),
            cwd: None,
            rule: None,
            rule_name: None,
            effects: None,
            decided_by: None,
            fate: None,
            consent: None,
            latency_ms: None,
            cost_usd: None,
            command_bytes: None,
            command_sha256: None,
            decision: None,
            exit_status: None,
            duration_ms: None,
            seq: 0,
            prev: String::new(),
        }
    }

    /// The entry of an event; number and hash come with the log.
    pub(crate) fn of(event: &AuditEvent, who: &Who) -> Self {
        match event {
            AuditEvent::Start { cwd } => {
                Self { cwd: Some(text(cwd)), ..Self::bare(EventKind::Start, who) }
            }
            AuditEvent::Decision(verdict) => Self::decision(verdict, who),
            AuditEvent::End { of, status, duration } => Self {
                decision: Some(*of).filter(|of| *of > 0),
                exit_status: Some(*status),
                duration_ms: Some(millis(*duration)),
                ..Self::bare(EventKind::End, who)
            },
            AuditEvent::NotRun { of, why } => Self {
                decision: Some(*of).filter(|of| *of > 0),
                reason: Some(text(why)),
                ..Self::bare(EventKind::NotRun, who)
            },
            AuditEvent::Exit { status } => {
                Self { exit_status: Some(*status), ..Self::bare(EventKind::Exit, who) }
            }
        }
    }

    /// An entry that says that the line before was truncated.
    pub(crate) fn torn(bytes: usize, who: &Who) -> Self {
        let reason = format!("the line before was cut off after {bytes} bytes");
        Self { reason: Some(reason), ..Self::bare(EventKind::Torn, who) }
    }

    fn decision(verdict: &JudgedCommand, who: &Who) -> Self {
        let whole = String::from_utf8_lossy(&verdict.command);
        // Before the text is cut: a part of a secret would not be recognised.
        let redacted = redact(&whole);
        let command = cut(&redacted, LONGEST_COMMAND);
        let is_cut = command.len() < redacted.len();
        let source = match verdict.action {
            AuditAction::WarnOverridden => DecisionSource::UserOverride,
            AuditAction::Allow | AuditAction::Warn | AuditAction::Block => {
                DecisionSource::Validation
            }
        };
        Self {
            command: Some(command.to_owned()),
            action: Some(verdict.action),
            reason: Some(text(&verdict.reason)),
            confidence: Some(rounded(verdict.confidence, 100.0)),
            source: Some(source),
            model: Some(text(verdict.model.as_deref().unwrap_or_default())),
            cwd: Some(text(&verdict.cwd)),
            rule: Some(verdict.rule.0.clone()),
            rule_name: Some(verdict.rule.1.clone()),
            effects: Some(short(&verdict.effects)),
            decided_by: Some(verdict.decided_by.clone()),
            fate: Some(verdict.fate),
            consent: verdict.consent,
            latency_ms: Some(millis(verdict.latency)),
            cost_usd: verdict.cost_usd,
            command_bytes: is_cut.then_some(verdict.command.len() as u64),
            // A hash of a redacted text could be reversed by guessing.
            command_sha256: (is_cut && redacted == whole).then(|| hash(&verdict.command)),
            ..Self::bare(EventKind::Decision, who)
        }
    }

    /// The same with less text, for outputs that take only short messages.
    pub(crate) fn shortened(&self, longest: usize) -> Self {
        let short =
            |text: &Option<String>| text.as_deref().map(|text| cut(text, longest).to_owned());
        Self {
            command: short(&self.command),
            reason: short(&self.reason),
            cwd: short(&self.cwd),
            effects: None,
            ..self.clone()
        }
    }
}

/// Redacted text of limited length.
fn text(text: &str) -> String {
    cut(&redact(text), LONGEST_TEXT).to_owned()
}

/// Every effect once; effects that change something or leave the machine come before those that only read.
fn short(effects: &[String]) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut list: Vec<&String> = effects.iter().filter(|effect| seen.insert(*effect)).collect();
    let looks = |effect: &&String| {
        ["read ", "list ", "mention "].iter().any(|word| effect.starts_with(word))
    };
    // Stable: otherwise in the order of the commands.
    list.sort_by_key(looks);
    let more = list.len().saturating_sub(MOST_EFFECTS);
    list.truncate(MOST_EFFECTS);
    let shown = list.into_iter().map(|effect| cut(&redact(effect), LONGEST_EFFECT).to_owned());
    shown.chain((more > 0).then(|| format!("and {more} more"))).collect()
}

/// The beginning of a text, at most this number of bytes.
fn cut(text: &str, longest: usize) -> &str {
    text.get(..text.floor_char_boundary(longest)).unwrap_or_default()
}

fn millis(duration: Duration) -> f64 {
    rounded(duration.as_secs_f64() * 1e3, 1000.0)
}

fn rounded(number: f64, steps: f64) -> f64 {
    (number * steps).round() / steps
}

//! Writes verdicts to the audit log, and handles commands that could not be recorded.

use super::ask::{self, PromptAnswer};
use super::settings::ShellSettings;
use super::{ExitKind, Failure};
use crate::audit;
use aegish_audit::{
    AuditAction, AuditEvent, ConsentSource, Fate, JudgedCommand, NotWritten, Recorder, Who,
};
use aegish_guard::Decision;
use aegish_terminal::complain;
use std::time::Duration;

/// What happens to a command that could not be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AuditRequirement {
    /// It is not run.
    Required,
    /// It is run, and the problem is reported once.
    BestEffort,
}

/// This session's part of the audit log.
pub(crate) struct Record {
    /// None if recording is switched off or the problem was reported.
    recorder: Option<Recorder>,
    requirement: AuditRequirement,
    told: bool,
    who: Option<Who>,
}

/// A decision, and other fields of its entry.
pub(crate) struct JudgedText<'a> {
    pub(crate) decision: &'a Decision,
    pub(crate) text: &'a [u8],
    pub(crate) cwd: &'a str,
    pub(crate) latency: Duration,
}

/// The number of an entry, if there is one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryNumber(Option<u64>);

impl Record {
    /// For a session with these settings. Nothing is written yet.
    pub(crate) fn open(settings: &ShellSettings) -> Result<Self, Failure> {
        let config = &settings.config;
        // Every value except the looser ones means the tighter one.
        let requirement = match config.word("AEGISH_AUDIT") {
            "off" => {
                return Ok(Self {
                    recorder: None,
                    requirement: AuditRequirement::BestEffort,
                    told: false,
                    who: None,
                });
            }
            "best-effort" => AuditRequirement::BestEffort,
            _ => AuditRequirement::Required,
        };
        let who = Who {
            user: audit::user(),
            session: super::random_hex::<8>()?,
            role: settings.role.to_string(),
            mode: settings.mode().as_str().to_owned(),
        };
        let recorder = audit::recorder(config, who.clone())
            .map_err(|error| Failure::usage(format!("nothing was run: {error}")))?;
        if recorder.is_none() {
            let why = "there is no place for the audit log; set HOME or AEGISH_AUDIT_DIR";
            match requirement {
                AuditRequirement::Required => {
                    return Err(Failure::internal(format!("nothing was run: {why}")));
                }
                AuditRequirement::BestEffort => complain(why),
            }
        }
        Ok(Self { recorder, requirement, told: false, who: Some(who) })
    }

    /// Another one for the same session, for another thread.
    pub(crate) fn beside(&self, settings: &ShellSettings) -> Self {
        let who = self.who.clone();
        let again = who.clone().and_then(|who| audit::recorder(&settings.config, who).ok());
        Self { recorder: again.flatten(), requirement: self.requirement, told: false, who }
    }

    /// A program was not started.
    pub(crate) fn program(&mut self, judged: &JudgedText<'_>, caller: &str) {
        let mut refused = verdict(judged, (AuditAction::Block, Fate::Blocked));
        refused.reason = format!("{} (started by {caller})", refused.reason);
        self.write_or_tell(&AuditEvent::Decision(Box::new(refused)));
    }

    /// A program was not connected.
    pub(crate) fn unconnected(&mut self, caller: &str, why: &str) {
        let cwd = std::env::current_dir().unwrap_or_default();
        let rule = ("kernel", "refused-connection");
        let refused = JudgedCommand {
            reason: format!("was not connected: {why}"),
            cwd: cwd.to_string_lossy().into_owned(),
            ..JudgedCommand::new(caller.as_bytes(), (AuditAction::Block, Fate::Blocked), rule)
        };
        self.write_or_tell(&AuditEvent::Decision(Box::new(refused)));
    }

    /// Creates the log if it is missing, so that writing to it adds no name to a directory that a command
    /// is judged by. A failure shows when something is recorded.
    pub(crate) fn prepare(&self) {
        if let Some(recorder) = &self.recorder {
            let _ = recorder.prepare();
        }
    }

    /// An interactive session begins.
    pub(crate) fn start(&mut self, cwd: &str) {
        self.write_or_tell(&AuditEvent::Start { cwd: cwd.to_owned() });
    }

    /// An interactive session ends.
    pub(crate) fn exit(&mut self, status: u8) {
        self.write_or_tell(&AuditEvent::Exit { status });
    }

    /// Records before anything runs. After an error the command is not run.
    pub(crate) fn decision(
        &mut self,
        judged: &JudgedText<'_>,
        answer: &PromptAnswer,
    ) -> Result<EntryNumber, Failure> {
        let runs = answer.consent().is_some();
        self.entry(verdict(judged, fate(judged.decision, answer)), runs)
    }

    /// A text that an earlier session judged.
    pub(crate) fn recalled(&mut self, text: &[u8], cwd: &str) -> Result<EntryNumber, Failure> {
        let rule = ("13", "normal-operation");
        let judged = JudgedCommand {
            reason: "an earlier session judged it, and nothing that it depends on has changed"
                .to_owned(),
            cwd: cwd.to_owned(),
            ..JudgedCommand::new(text, (AuditAction::Allow, Fate::Run), rule)
        };
        self.entry(judged, true)
    }

    /// Before an agent asks its person.
    pub(crate) fn handed_on(&mut self, judged: &JudgedText<'_>) -> Result<EntryNumber, Failure> {
        let action = plain(judged.decision.action());
        self.entry(verdict(judged, (action, Fate::HandedOn)), true)
    }

    fn entry(&mut self, judged: JudgedCommand, runs: bool) -> Result<EntryNumber, Failure> {
        let event = AuditEvent::Decision(Box::new(judged));
        match self.write(&event) {
            Ok(number) => Ok(EntryNumber(number)),
            Err(error) if self.requirement == AuditRequirement::Required && runs => Err(Failure {
                ending: ExitKind::Failure,
                message: format!("nothing was run: {error}"),
            }),
            Err(error) => {
                self.tell(&error);
                Ok(EntryNumber(self.keep(&event)))
            }
        }
    }

    /// After it ran.
    pub(crate) fn end(&mut self, of: EntryNumber, status: u8, duration: Duration) {
        if let Some(of) = of.0 {
            self.write_or_tell(&AuditEvent::End { of, status, duration });
        }
    }

    /// It could not be run.
    pub(crate) fn not_run(&mut self, of: EntryNumber, why: &str) {
        if let Some(of) = of.0 {
            self.write_or_tell(&AuditEvent::NotRun { of, why: why.to_owned() });
        }
    }

    fn write(&mut self, event: &AuditEvent) -> Result<Option<u64>, NotWritten> {
        self.recorder.as_mut().map(|recorder| recorder.record(event)).transpose()
    }

    /// Records events that can no longer be prevented.
    fn write_or_tell(&mut self, event: &AuditEvent) {
        if let Err(error) = self.write(event) {
            self.tell(&error);
            self.keep(event);
        }
    }

    /// Keeps what the log does not take until it does; it has no number then.
    fn keep(&mut self, event: &AuditEvent) -> Option<u64> {
        match self.recorder.as_ref()?.keep(event) {
            Ok(()) => Some(0),
            Err(error) => {
                self.tell(&error);
                None
            }
        }
    }

    fn tell(&mut self, error: &NotWritten) {
        if !self.told || self.requirement == AuditRequirement::Required {
            complain(&error.to_string());
        }
        self.told = true;
    }
}

/// The action in the log, and whether the command runs.
fn fate(decision: &Decision, answer: &PromptAnswer) -> (AuditAction, Fate) {
    match (decision.action(), answer) {
        (aegish_guard::Action::Allow, PromptAnswer::Go(_) | PromptAnswer::GoUndoably(_)) => {
            (AuditAction::Allow, Fate::Run)
        }
        (_, PromptAnswer::Go(_) | PromptAnswer::GoUndoably(_)) => {
            (AuditAction::WarnOverridden, Fate::Run)
        }
        (action, PromptAnswer::Blocked) => (plain(action), Fate::Blocked),
        (action, PromptAnswer::Declined) => (plain(action), Fate::Declined),
        (action, PromptAnswer::Interrupted) => (plain(action), Fate::Interrupted),
    }
}

fn verdict(judged: &JudgedText<'_>, (action, fate): (AuditAction, Fate)) -> JudgedCommand {
    let decision = judged.decision;
    let consent = (action == AuditAction::WarnOverridden).then(|| {
        if ask::somebody_is_here() { ConsentSource::Person } else { ConsentSource::Setting }
    });
    let ruling = decision.ruling();
    JudgedCommand {
        command: judged.text.to_vec(),
        action,
        fate,
        consent,
        reason: decision.reason().to_owned(),
        confidence: f64::from(decision.confidence()),
        model: ruling.and_then(|ruling| ruling.model.clone()),
        cwd: judged.cwd.to_owned(),
        rule: (decision.rule().id.to_owned(), decision.rule().name.to_owned()),
        effects: decision.analysis().effects.iter().map(|effect| effect.kind.to_string()).collect(),
        decided_by: decision.decided_by().as_str().to_owned(),
        latency: judged.latency,
        cost_usd: ruling.and_then(|ruling| ruling.cost),
    }
}

fn plain(action: aegish_guard::Action) -> AuditAction {
    match action {
        aegish_guard::Action::Allow => AuditAction::Allow,
        aegish_guard::Action::Warn => AuditAction::Warn,
        aegish_guard::Action::Block => AuditAction::Block,
    }
}

//! Judges and records texts that something else carries out: calls of an agent's tools, requests of SFTP clients.

use super::ask::{self, PromptAnswer, UndoOffer, VerdictPrompt};
use super::record::{JudgedText, Record};
use super::settings::ShellSettings;
use crate::configuration::{self, Asker};
use crate::source;
use crate::user_rules::UserRules;
use aegish_guard::{
    Action, Decision, JudgeMode, OsMachine, Request, Session, StandardInput, StaticCheck,
};
use aegish_judge::Judge;
use aegish_terminal::Failure;
use std::path::Path;
use std::time::Instant;

static MACHINE: OsMachine = OsMachine;

/// Who hears of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Audience {
    /// It is shown on standard error, and a person at the terminal is asked.
    Terminal,
    /// An agent, which asks its person about a warning if `asks`.
    Agent {
        /// Whether it does.
        asks: bool,
    },
}

/// The parts that every judgement needs.
pub(crate) struct TextGuard {
    settings: ShellSettings,
    record: Record,
    user_rules: UserRules,
    mode: JudgeMode,
    judge: Option<Judge>,
}

/// A text that was judged and recorded.
pub(crate) struct Judged {
    pub(crate) decision: Decision,
    pub(crate) answer: PromptAnswer,
    /// The text that counts.
    pub(crate) text: Vec<u8>,
}

impl TextGuard {
    /// Reads the settings. Call it before a second thread exists.
    pub(crate) fn open() -> Result<Self, Failure> {
        let settings = ShellSettings::load()?;
        let record = Record::open(&settings)?;
        let user_rules = UserRules::of(&settings.config);
        let mode = settings.asks()?;
        Ok(Self { settings, record, user_rules, mode, judge: None })
    }

    /// The same without a model.
    pub(crate) fn static_only(mut self) -> Self {
        self.mode = JudgeMode::Never;
        self
    }

    /// Judges a text and records the verdict. Of several texts for the same thing, which say more and more about
    /// it, the first that is allowed counts, else the last.
    pub(crate) fn judge(
        &mut self,
        texts: &[Vec<u8>],
        cwd: Option<&Path>,
        audience: Audience,
    ) -> Result<Judged, Failure> {
        let began = Instant::now();
        let mut context = source::surroundings(cwd).context(&MACHINE);
        context.interactive = false;
        let asker = match audience {
            Audience::Terminal => Asker::Person,
            Audience::Agent { .. } => Asker::Agent,
        };
        context.reader = configuration::reader(&self.settings.config, asker);
        context.stdin = StandardInput::Other;
        let mut rest = texts.iter().peekable();
        let mut text = rest.next().map(Vec::as_slice).unwrap_or_default();
        loop {
            let rules = self.user_rules.rules().to_vec();
            let settings = &self.settings;
            let request =
                Request { text, context: &context, role: settings.role, user_rules: &rules };
            let session = Session::new();
            let (checked, built) = (StaticCheck::new(&session, &request), &mut self.judge);
            let mode = if rest.peek().is_none() { self.mode } else { JudgeMode::Never };
            let (decision, _) =
                checked.ask_lazily(mode, move || super::once::judge_of(built, settings))?;
            let decision = decision.settled_by(settings.fail_mode);
            if decision.action() != Action::Allow
                && let Some(next) = rest.next()
            {
                text = next;
                continue;
            }
            let prompt = VerdictPrompt {
                decision: &decision,
                text: &String::from_utf8_lossy(text),
                settings,
                context: &context,
                proposals: None,
                undo: UndoOffer::Impossible,
            };
            let answer = match audience {
                Audience::Terminal => ask::decide(&prompt, &mut self.user_rules),
                Audience::Agent { .. } => ask::without_a_person(&prompt),
            };
            // Each time a rule is found used up there is one less.
            if answer.consent().is_some() && !self.user_rules.spend(decision.lifted()) {
                continue;
            }
            let latency = began.elapsed();
            let judged = JudgedText { decision: &decision, text, cwd: &context.cwd, latency };
            match (&answer, audience) {
                (PromptAnswer::Declined, Audience::Agent { asks: true }) => {
                    self.record.handed_on(&judged)?
                }
                _ => self.record.decision(&judged, &answer)?,
            };
            return Ok(Judged { decision, answer, text: text.to_vec() });
        }
    }
}

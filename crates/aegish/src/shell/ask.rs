//! Acts on a verdict: run, ask, refuse.

use super::refusal::{self, RefusalFormat};
use super::settings::ShellSettings;
use super::{always, approved};
use crate::explain;
use crate::user_rules::UserRules;
use aegish_guard::{Action, Consent, Context, Decision, Proposal};
use aegish_terminal::{Screen, complain};
use nix::sys::termios::{FlushArg, tcflush};
use rustyline::history::MemHistory;
use rustyline::{Config, Editor};
use std::io::{self, IsTerminal};

/// The result of a verdict.
pub(crate) enum PromptAnswer {
    /// It may run.
    Go(Consent),
    /// It may run so that it can be undone.
    GoUndoably(Consent),
    /// The guard refuses.
    Blocked,
    /// The question was declined.
    Declined,
    /// The question was interrupted.
    Interrupted,
}

impl PromptAnswer {
    /// The consent, if it may run.
    pub(crate) fn consent(&self) -> Option<Consent> {
        match self {
            Self::Go(consent) | Self::GoUndoably(consent) => Some(*consent),
            Self::Blocked | Self::Declined | Self::Interrupted => None,
        }
    }
}

/// Whether a person can ask for a run that can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UndoOffer {
    Offered,
    /// Something else carries out the text.
    Impossible,
}

/// The subject of the question.
pub(crate) struct VerdictPrompt<'a> {
    pub(crate) decision: &'a Decision,
    pub(crate) text: &'a str,
    pub(crate) settings: &'a ShellSettings,
    /// The context of the line.
    pub(crate) context: &'a Context<'a>,
    /// Rules that would prevent the question in future.
    pub(crate) proposals: Option<Vec<Proposal>>,
    pub(crate) undo: UndoOffer,
}

/// Acts on a verdict. Asks the person at the terminal if necessary, who may add rules.
pub(crate) fn decide(prompt: &VerdictPrompt<'_>, user_rules: &mut UserRules) -> PromptAnswer {
    let VerdictPrompt { decision, settings, .. } = prompt;
    let open = decision.action() == Action::Warn && settings.unattended.is_none();
    if open && somebody_is_here() && !approved::holds(prompt) {
        refusal::show(decision, prompt.text, RefusalFormat::Text);
        return ask(prompt, user_rules);
    }
    let answer = without_a_person(prompt);
    if answer.consent().is_none() {
        match &settings.unattended {
            Some(run) => {
                refusal::report(decision, prompt.text, settings.format, run);
                complain("nothing was run: the policy does not allow it");
            }
            None => refusal::show(decision, prompt.text, settings.format),
        }
        if open && settings.format == RefusalFormat::Text {
            complain("nothing was run: nobody is here to answer for it");
        }
    }
    answer
}

/// The answer where no person can be asked. Shows nothing.
pub(crate) fn without_a_person(prompt: &VerdictPrompt<'_>) -> PromptAnswer {
    let VerdictPrompt { decision, settings, .. } = prompt;
    match decision.action() {
        Action::Allow => PromptAnswer::Go(Consent::NotAsked),
        Action::Block => PromptAnswer::Blocked,
        Action::Warn if approved::holds(prompt) => PromptAnswer::Go(Consent::Given),
        Action::Warn if allowed_unasked(decision, settings) => PromptAnswer::Go(Consent::Given),
        Action::Warn => PromptAnswer::Declined,
    }
}

/// Whether the configuration answers for every warning of a decision.
fn allowed_unasked(decision: &Decision, settings: &ShellSettings) -> bool {
    let mut warnings = decision.findings().iter().filter(|finding| finding.action == Action::Warn);
    warnings.all(|finding| settings.on_warn.allows(finding.rule.name))
}

/// Whether a person can be asked.
pub(crate) fn somebody_is_here() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Reads answers to questions, without a history.
pub(super) type Questions = Editor<(), MemHistory>;

/// Asks a person for one line. None without a person, or if the question is interrupted.
pub(crate) fn ask_line(question: &str) -> Option<String> {
    if !somebody_is_here() {
        return None;
    }
    let config = Config::builder().auto_add_history(false).build();
    let mut editor: Questions = Editor::with_history(config, MemHistory::new()).ok()?;
    let _ = tcflush(io::stdin(), FlushArg::TCIFLUSH);
    editor.readline(question).ok()
}

/// Asks until there is an answer. Anything but a clear yes is a no.
fn ask(prompt: &VerdictPrompt<'_>, user_rules: &mut UserRules) -> PromptAnswer {
    let config = Config::builder().auto_add_history(false).build();
    let editor: rustyline::Result<Questions> = Editor::with_history(config, MemHistory::new());
    let Ok(mut editor) = editor else { return PromptAnswer::Declined };
    // Input that was typed before the question was shown is not an answer.
    let _ = tcflush(io::stdin(), FlushArg::TCIFLUSH);
    let always = always::is_possible(prompt);
    let remember = approved::is_possible(prompt);
    let undo = prompt.undo == UndoOffer::Offered;
    let question = format!(
        "Run it anyway? [y/N/e(xplain){}{}{}] ",
        if always { "/a(lways)" } else { "" },
        if remember { "/r(emember this script)" } else { "" },
        if undo { "/u(ndoable)" } else { "" },
    );
    loop {
        let line = match editor.readline(&question) {
            Ok(line) => line,
            Err(_) => return PromptAnswer::Interrupted,
        };
        match line.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => return PromptAnswer::Go(Consent::Given),
            "e" | "explain" => {
                let mut screen = Screen::errors();
                explain::story(prompt.decision, prompt.text, &mut screen);
                let _ = screen.finish();
            }
            "u" | "undo" | "undoable" if undo => return PromptAnswer::GoUndoably(Consent::Given),
            "r" | "remember" if remember => {
                if let Err(problem) = approved::remember(prompt) {
                    complain(&problem);
                }
                return PromptAnswer::Go(Consent::Given);
            }
            "a" | "always" if always => match always::offer(prompt, user_rules, &mut editor) {
                always::Offered::Taken => return PromptAnswer::Go(Consent::Given),
                always::Offered::Refused => {}
                always::Offered::Interrupted => return PromptAnswer::Interrupted,
            },
            _ => return PromptAnswer::Declined,
        }
    }
}

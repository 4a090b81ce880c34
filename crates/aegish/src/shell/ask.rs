//! Acts on a verdict: run, ask, refuse.

use super::settings::{RefusalFormat, ShellSettings};
use super::{always, approved};
use crate::json::{JsonDetail, JsonVerdict};
use crate::output::{Screen, complain};
use crate::user_rules::UserRules;
use crate::{check, explain};
use aegish_guard::{Action, Consent, Context, Decision, Proposal};
use nix::sys::termios::{FlushArg, tcflush};
use rustyline::history::MemHistory;
use rustyline::{Config, Editor};
use std::io::{self, IsTerminal};

/// The result of a verdict.
pub(crate) enum PromptAnswer {
    /// It may run.
    Go(Consent),
    /// The guard refuses.
    Blocked,
    /// The question was declined.
    Declined,
    /// The question was interrupted.
    Interrupted,
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
}

/// Acts on a verdict. Asks the person at the terminal if necessary, who may add rules.
pub(crate) fn decide(prompt: &VerdictPrompt<'_>, user_rules: &mut UserRules) -> PromptAnswer {
    let VerdictPrompt { decision, settings, .. } = prompt;
    let asked = decision.action() == Action::Warn && somebody_is_here() && !approved::holds(prompt);
    if asked {
        show(prompt, RefusalFormat::Text);
        return ask(prompt, user_rules);
    }
    let answer = without_a_person(prompt);
    if !matches!(answer, PromptAnswer::Go(_)) {
        show(prompt, settings.format);
        if decision.action() == Action::Warn && settings.format == RefusalFormat::Text {
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

fn show(prompt: &VerdictPrompt<'_>, format: RefusalFormat) {
    let VerdictPrompt { decision, text, .. } = prompt;
    let mut screen = Screen::errors();
    match format {
        RefusalFormat::Text => check::verdict(decision, text, &mut screen),
        RefusalFormat::Json => {
            let verdict = JsonVerdict::new(decision, text, None, JsonDetail::Findings);
            if let Ok(json) = serde_json::to_string(&verdict) {
                screen.put(json).end();
            }
        }
    }
    let _ = screen.finish();
}

/// Reads answers to questions, without a history.
pub(super) type Questions = Editor<(), MemHistory>;

/// Asks until there is an answer. Anything but a clear yes is a no.
fn ask(prompt: &VerdictPrompt<'_>, user_rules: &mut UserRules) -> PromptAnswer {
    let config = Config::builder().auto_add_history(false).build();
    let editor: rustyline::Result<Questions> = Editor::with_history(config, MemHistory::new());
    let Ok(mut editor) = editor else { return PromptAnswer::Declined };
    // Input that was typed before the question was shown is not an answer.
    let _ = tcflush(io::stdin(), FlushArg::TCIFLUSH);
    let always = always::is_possible(prompt);
    let remember = approved::is_possible(prompt);
    let question = format!(
        "Run it anyway? [y/N/e(xplain){}{}] ",
        if always { "/a(lways)" } else { "" },
        if remember { "/r(emember this script)" } else { "" },
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

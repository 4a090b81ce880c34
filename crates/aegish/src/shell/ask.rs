//! What happens with a verdict: run, ask, refuse.

use super::settings::{Format, OnWarn, Settings};
use crate::json::{Detail, Verdict};
use crate::output::{Screen, complain};
use crate::{check, explain};
use aegish_guard::{Action, Consent, Decision};
use rustyline::history::MemHistory;
use rustyline::{Config, Editor};
use std::io::{self, IsTerminal};

/// What became of a verdict.
pub(crate) enum Answer {
    /// It may run.
    Go(Consent),
    /// The guard refuses.
    Blocked,
    /// Nobody took it upon them.
    Declined,
    /// The question was interrupted.
    Interrupted,
}

/// Decides about a verdict, with the help of whoever sits at the terminal.
pub(crate) fn decide(decision: &Decision, text: &str, settings: &Settings) -> Answer {
    match decision.action {
        Action::Allow => Answer::Go(Consent::NotAsked),
        Action::Block => {
            show(decision, text, settings.format);
            Answer::Blocked
        }
        Action::Warn if somebody_is_here() => {
            show(decision, text, Format::Text);
            ask(decision, text)
        }
        Action::Warn if settings.on_warn == OnWarn::Allow => Answer::Go(Consent::Given),
        Action::Warn => {
            show(decision, text, settings.format);
            if settings.format == Format::Text {
                complain(
                    "nobody is here to answer for it; AEGISH_ON_WARN=allow runs what is only warned of",
                );
            }
            Answer::Declined
        }
    }
}

/// Whether there is somebody to be asked.
pub(crate) fn somebody_is_here() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

fn show(decision: &Decision, text: &str, format: Format) {
    let mut screen = Screen::errors();
    match format {
        Format::Text => check::verdict(decision, text, &mut screen),
        Format::Json => {
            let verdict = Verdict::new(decision, text, None, Detail::Findings);
            if let Ok(json) = serde_json::to_string(&verdict) {
                screen.put(json).end();
            }
        }
    }
    let _ = screen.finish();
}

/// Asks until there is an answer. Anything but a clear yes is a no.
fn ask(decision: &Decision, text: &str) -> Answer {
    let config = Config::builder().auto_add_history(false).build();
    let editor: rustyline::Result<Editor<(), MemHistory>> =
        Editor::with_history(config, MemHistory::new());
    let Ok(mut editor) = editor else { return Answer::Declined };
    loop {
        let line = match editor.readline("Run it anyway? [y/N/e(xplain)] ") {
            Ok(line) => line,
            Err(_) => return Answer::Interrupted,
        };
        match line.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => return Answer::Go(Consent::Given),
            "e" | "explain" => {
                let mut screen = Screen::errors();
                explain::story(decision, text, &mut screen);
                let _ = screen.finish();
            }
            _ => return Answer::Declined,
        }
    }
}

//! What happens with a verdict: run, ask, refuse.

use crate::check;
use crate::output::Screen;
use aegish_guard::{Action, Consent, Decision};
use std::env;
use std::io::{self, BufRead, IsTerminal, Write};

/// What became of a verdict.
pub(crate) enum Answer {
    /// It may run.
    Go(Consent),
    /// The guard refuses.
    Blocked,
    /// Nobody took it upon them.
    Declined,
}

/// Decides about a verdict, with the help of whoever sits at the terminal.
pub(crate) fn decide(decision: &Decision, text: &str) -> Answer {
    match decision.action {
        Action::Allow => Answer::Go(Consent::NotAsked),
        Action::Block => {
            show(decision, text);
            Answer::Blocked
        }
        Action::Warn => {
            show(decision, text);
            if io::stdin().is_terminal() && io::stderr().is_terminal() {
                return ask();
            }
            match env::var("AEGISH_ON_WARN").as_deref() {
                Ok("allow") => Answer::Go(Consent::Given),
                _ => Answer::Declined,
            }
        }
    }
}

fn show(decision: &Decision, text: &str) {
    let mut screen = Screen::errors();
    check::verdict(decision, text, &mut screen);
    let _ = screen.finish();
}

fn ask() -> Answer {
    let mut line = String::new();
    let mut errors = io::stderr();
    let _ = write!(errors, "Proceed anyway? [y/N]: ");
    let _ = errors.flush();
    match io::stdin().lock().read_line(&mut line) {
        Ok(read) if read > 0 && matches!(line.trim(), "y" | "Y" | "yes" | "Yes" | "YES") => {
            Answer::Go(Consent::Given)
        }
        _ => Answer::Declined,
    }
}

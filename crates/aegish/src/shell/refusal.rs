//! What is told about a command that was not run.

use crate::annotation::{data, property};
use crate::check;
use aegish_guard::{Action, Decision};
use aegish_terminal::{Screen, complain};
use aegish_verdict::{JsonDetail, JsonVerdict};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

/// The format of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum RefusalFormat {
    /// For people
    Text,
    /// The verdict as one object
    Json,
    /// SARIF 2.1.0, for code scanning
    #[cfg(feature = "scan")]
    Sarif,
    /// Annotations of a GitHub workflow
    Github,
}

/// A run at which nobody is asked, even at a terminal.
#[derive(Debug, Clone)]
pub(crate) struct Unattended {
    pub(crate) format: RefusalFormat,
    /// Where a report about what was refused is written; none for standard error.
    pub(crate) report: Option<PathBuf>,
}

/// Tells about a command that was not run, on standard error.
pub(super) fn show(decision: &Decision, text: &str, format: RefusalFormat) {
    let mut screen = Screen::errors();
    match format {
        RefusalFormat::Text => check::verdict(decision, text, &mut screen),
        _ => {
            screen.put(document(decision, text, format));
        }
    }
    let _ = screen.finish();
}

/// Writes the report of a run at which nobody is asked.
pub(super) fn report(decision: &Decision, text: &str, format: RefusalFormat, run: &Unattended) {
    let Some(path) = &run.report else { return show(decision, text, format) };
    show(decision, text, RefusalFormat::Text);
    let document = match format {
        RefusalFormat::Text => {
            format!("{} {}: {}\n", decision.action(), decision.rule().name, decision.reason())
        }
        _ => document(decision, text, format),
    };
    if let Err(error) = fs::write(path, document) {
        complain(&format!("the report was not written to {}: {error}", path.display()));
    }
}

fn document(decision: &Decision, text: &str, format: RefusalFormat) -> String {
    match format {
        RefusalFormat::Text => String::new(),
        RefusalFormat::Json => {
            let verdict = JsonVerdict::new(decision, text, None, JsonDetail::Findings);
            serde_json::to_string(&verdict).map_or(String::new(), |json| json + "\n")
        }
        #[cfg(feature = "scan")]
        RefusalFormat::Sarif => {
            let version = env!("CARGO_PKG_VERSION");
            format!("{:#}\n", aegish_scan::sarif::of_decision(decision, text, version))
        }
        RefusalFormat::Github => annotations(decision),
    }
}

/// `::error title=RULE::REASON` for each finding.
fn annotations(decision: &Decision) -> String {
    let mut lines = String::new();
    for finding in decision.findings().iter().filter(|finding| finding.action != Action::Allow) {
        let instead = finding.instead.map(|instead| format!("\ninstead: {instead}"));
        let message = format!("{}{}", finding.reason, instead.unwrap_or_default());
        let (title, message) = (property(finding.rule.name), data(&message));
        let _ = writeln!(lines, "::error title={title}::{message}");
    }
    lines
}

//! `aegish why`: an earlier verdict, and the verdict that the same command gets now.

use crate::args::Format;
use crate::{audit, configuration, explain, source};
use aegish_audit::{AuditAction, AuditEntry, AuditLine, EventKind, Fate, last_lines};
use aegish_guard::Decision;
use aegish_terminal::{ExitKind, Failure, Screen, Style, visible};
use clap::Args;
use std::io;
use std::path::Path;

#[derive(Args)]
pub(crate) struct WhyOptions {
    /// Which: 1 is the last one, 2 the one before
    #[arg(value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    number: u32,
}

pub(crate) fn run(options: &WhyOptions, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let config = configuration::load()?;
    let path = audit::own_log(&config, None)?;
    let (line, end) = recorded(&path, usize::try_from(options.number).unwrap_or(usize::MAX))?;
    let Some(entry) = &line.entry else { return Err(unexplained("the entry cannot be read")) };
    explain::title("Recorded", screen);
    screen.put("  ");
    audit::show_line(&line, Format::Text, screen);
    screen.put("  ").paint(Style::Faint, visible(&circumstances(entry, end.as_ref()))).end();
    screen.end();
    let role = entry.role.parse().map_err(unexplained)?;
    let cwd = entry.cwd.as_deref().map(Path::new).filter(|cwd| cwd.is_dir());
    let text = entry.command.as_deref().unwrap_or_default();
    let question = source::again(text, cwd, role, &config);
    let decision = question.decide();
    explain::way(&question, &decision, screen);
    screen.end();
    compare(entry, &decision, screen);
    for note in notes(entry, cwd.is_some()) {
        screen.put("  ").paint(Style::Faint, format_args!("note: {note}")).end();
    }
    Ok(ExitKind::Allow)
}

fn unexplained(why: impl std::fmt::Display) -> Failure {
    Failure::internal(format!("no verdict was explained: {why}"))
}

/// The N-th last verdict of this user, and how its run ended.
fn recorded(path: &Path, number: usize) -> Result<(AuditLine, Option<AuditEntry>), Failure> {
    let user = audit::user();
    let read = |most: usize, wanted: &dyn Fn(&AuditEntry) -> bool| {
        let wanted = |line: &AuditLine| line.entry.as_ref().is_some_and(wanted);
        match last_lines(path, most, wanted) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            other => other.map_err(unexplained),
        }
    };
    let verdict = |entry: &AuditEntry| {
        entry.event == EventKind::Decision && entry.user == user && !asks_why(entry)
    };
    let mut found = read(number, &verdict)?;
    if found.len() < number {
        let place = path.display();
        return Err(unexplained(match found.len() {
            0 => format!("none is recorded in {place}"),
            count => format!("only {count} are recorded in {place}"),
        }));
    }
    let line = found.swap_remove(0);
    let end = line.entry.as_ref().map(|decision| {
        read(1, &|entry| {
            matches!(entry.event, EventKind::End | EventKind::NotRun)
                && entry.decision == Some(decision.seq)
                && entry.session == decision.session
        })
    });
    let end = end.transpose()?.unwrap_or_default();
    Ok((line, end.into_iter().next().and_then(|line| line.entry)))
}

/// Whether an entry is `aegish why` itself, which is skipped.
fn asks_why(entry: &AuditEntry) -> bool {
    let mut words = entry.command.as_deref().unwrap_or_default().split_whitespace();
    let program = words.next().and_then(|word| word.rsplit('/').next());
    program == Some("aegish") && words.next() == Some("why")
}

fn circumstances(entry: &AuditEntry, end: Option<&AuditEntry>) -> String {
    let fate = match (entry.fate, end) {
        (Some(Fate::Run), Some(end)) => match (end.exit_status, end.duration_ms) {
            (Some(status), Some(duration)) => {
                format!("run, status {status} after {duration:.0} ms")
            }
            _ => format!("not run: {}", end.reason.as_deref().unwrap_or_default()),
        },
        (Some(Fate::Run), None) => "run, no end recorded".to_owned(),
        (Some(fate), _) => format!("not run: {}", fate.as_str()),
        (None, _) => "nothing known of a run".to_owned(),
    };
    let part = |text: &Option<String>| text.clone().unwrap_or_default();
    format!(
        "{fate}; in {}, role {}, decided by {}, number {} of session {}",
        part(&entry.cwd),
        entry.role,
        part(&entry.decided_by),
        entry.seq,
        entry.session
    )
}

fn compare(entry: &AuditEntry, decision: &Decision, screen: &mut Screen) {
    let then = match entry.action {
        Some(AuditAction::Allow) | None => "allow",
        Some(AuditAction::Warn | AuditAction::WarnOverridden) => "warn",
        Some(AuditAction::Block) => "block",
    };
    let rule = entry.rule_name.as_deref().unwrap_or_default();
    let now = decision.action().as_str();
    if then == now && rule == decision.rule().name {
        screen.paint(Style::Good, "The same as then").end();
        return;
    }
    screen.paint(Style::Doubtful, "Not the same as then").put(format_args!(
        ": then {then} ({}), now {now} ({})",
        visible(rule),
        decision.rule().name
    ));
    screen.end();
}

/// Why the two may differ.
fn notes(entry: &AuditEntry, place_is_there: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if entry.command.as_deref().is_some_and(|text| text.contains("‹redacted:")) {
        notes.push(
            "secrets are not recorded; what is judged now has words in their place".to_owned(),
        );
    }
    if let Some(bytes) = entry.command_bytes {
        notes.push(format!("only the beginning of its {bytes} bytes is recorded and judged now"));
    }
    if !place_is_there {
        notes.push("its directory is gone; it is judged in this one".to_owned());
    }
    if entry.decided_by.as_deref() != Some("static") {
        notes.push("a model had its say then; now only the static side is asked".to_owned());
    }
    notes.push("variables, aliases and files of that moment are not recorded".to_owned());
    notes
}

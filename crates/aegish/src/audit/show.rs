//! Entries for people, and as they come.

use super::{Which, unread};
use crate::args::Format;
use aegish_audit::{AuditAction, AuditEntry, AuditLine, EventKind, Follow};
use aegish_terminal::{ExitKind, Failure, Screen, Style, visible};
use std::io::{self, Write};
use std::thread::sleep;
use std::time::Duration;

/// How much of a command is shown.
const LONGEST: usize = 300;
/// Interval at which a log is read again.
const PAUSE: Duration = Duration::from_millis(200);

/// One line of the log.
pub(crate) fn line(line: &AuditLine, format: Format, screen: &mut Screen) {
    match (&line.entry, format) {
        (Some(entry), Format::Text) => text(entry, screen),
        (None, Format::Text) => {
            let place = format!("{}:{}: is no entry", line.file.display(), line.number);
            screen.paint(Style::Bad, visible(&place)).end();
        }
        // Unchanged, except for characters that a terminal would act on; in an entry they are escaped
        // already.
        (Some(_), Format::Json) => screen.put(String::from_utf8_lossy(&line.bytes)).end(),
        (None, Format::Json) => {}
    }
}

fn text(entry: &AuditEntry, screen: &mut Screen) {
    screen.paint(Style::Faint, visible(&entry.timestamp)).put("  ").put(visible(&entry.user));
    screen.put("  ");
    match entry.action {
        Some(action) => decision(entry, action, screen),
        None => other(entry, screen),
    }
}

fn decision(entry: &AuditEntry, action: AuditAction, screen: &mut Screen) {
    let style = match action {
        AuditAction::Allow => Style::Good,
        AuditAction::Warn | AuditAction::WarnOverridden => Style::Doubtful,
        AuditAction::Block => Style::Bad,
    };
    let word = |text: &Option<String>| visible(text.as_deref().unwrap_or_default());
    screen.paint(style, action.as_str());
    screen.put(format_args!("  {} {}  ", word(&entry.rule), word(&entry.rule_name)));
    let command = word(&entry.command);
    let shown: String = command.chars().take(LONGEST).collect();
    screen.paint(Style::Strong, &shown).put(if shown.len() < command.len() { "…" } else { "" });
    screen.end();
    if action != AuditAction::Allow {
        screen.put("    ").put(word(&entry.reason)).end();
    }
}

fn other(entry: &AuditEntry, screen: &mut Screen) {
    screen.put(entry.event.as_str());
    let reason = visible(entry.reason.as_deref().unwrap_or_default());
    match entry.event {
        EventKind::Start => {
            screen.put(" in ").put(visible(entry.cwd.as_deref().unwrap_or_default()));
        }
        EventKind::End | EventKind::Exit => {
            screen.put(format_args!(" with status {}", entry.exit_status.unwrap_or_default()));
        }
        EventKind::NotRun | EventKind::Torn | EventKind::Decision => {
            screen.put(": ").put(reason);
        }
    }
    if let Some(duration) = entry.duration_ms {
        screen.put(format_args!(" after {duration:.0} ms"));
    }
    if let Some(number) = entry.decision {
        screen.paint(Style::Faint, format_args!("  (of {number})"));
    }
    screen.end();
}

/// Shows entries after `seen` until it is interrupted.
pub(super) fn follow(
    mut log: Follow,
    mut seen: u64,
    which: &Which,
    format: Format,
    screen: &mut Screen,
) -> Result<ExitKind, Failure> {
    let mut page = std::mem::replace(screen, Screen::standard());
    loop {
        let mut out = io::stdout().lock();
        match out.write_all(page.into_text().as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(ExitKind::Allow),
            other => other.map_err(unread)?,
        }
        drop(out);
        page = Screen::standard();
        let lines = log.arrived().map_err(unread)?;
        if lines.is_empty() {
            sleep(PAUSE);
        }
        for found in lines {
            // Entries that arrived while the last ones were shown are included.
            let number = found.entry.as_ref().map_or(u64::MAX, |entry| entry.seq);
            if number > seen && which.wants(&found) {
                line(&found, format, &mut page);
            }
            if number != u64::MAX {
                seen = seen.max(number);
            }
        }
    }
}

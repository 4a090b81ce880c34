//! `aegish fleet report`: collected audit logs of many machines → what they add up to, and whether they are whole.
//!
//! A log is every `*.log` below the directory, with its rotated parts. The machine is the first directory below, else the
//! name of the file.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use aegish_audit::{AuditAction, AuditEntry, EventKind, LogStart, Since, lines, verify};
use aegish_terminal::{ExitKind, Failure, Screen, Style, grouped, visible};
use clap::{Subcommand, ValueEnum};
use serde::Serialize;

/// Rules that are listed.
const LISTED: usize = 15;
/// Directories below the one that is named.
const DEEPEST: usize = 4;

/// What is done for many machines.
#[derive(Debug, Subcommand)]
pub enum FleetTask {
    /// Add up audit logs that were collected from many machines, and say which of them are not whole
    Report {
        /// A directory with one directory of logs for each machine
        #[arg(value_name = "DIR")]
        dir: PathBuf,
        /// Only from then on, e.g. `2h`, `7d`, `2026-02-08`
        #[arg(long, value_name = "TIME")]
        since: Option<Since>,
        /// How to print it
        #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
        format: ReportFormat,
    },
}

/// How a report is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For people
    Text,
    /// One object
    Json,
}

/// Numbers of verdicts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
struct Counts {
    allow: u64,
    warn: u64,
    warn_overridden: u64,
    block: u64,
}

impl Counts {
    fn add(&mut self, action: AuditAction) {
        *match action {
            AuditAction::Allow => &mut self.allow,
            AuditAction::Warn => &mut self.warn,
            AuditAction::WarnOverridden => &mut self.warn_overridden,
            AuditAction::Block => &mut self.block,
        } += 1;
    }

    fn all(self) -> u64 {
        self.allow + self.warn + self.warn_overridden + self.block
    }
}

/// One machine.
#[derive(Debug, Default, Serialize)]
struct Machine {
    logs: u64,
    entries: u64,
    verdicts: Counts,
    users: BTreeMap<String, Counts>,
    /// Of its last entry.
    last: String,
    /// Logs that are not as they were written, or lack their beginning.
    problems: Vec<String>,
}

#[derive(Debug, Default, Serialize)]
struct Report {
    machines: BTreeMap<String, Machine>,
    rules: BTreeMap<String, Counts>,
    verdicts: Counts,
    cost_usd: f64,
}

/// Does it.
///
/// # Errors
///
/// If a log cannot be read. A log that was tampered with is no error, and part of the report.
pub fn run(task: &FleetTask, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let FleetTask::Report { dir, since, format } = task;
    let unread = |error: io::Error| {
        Failure::internal(format!("no report was made: {}: {error}", dir.display()))
    };
    let logs = logs(dir, 0).map_err(unread)?;
    if logs.is_empty() {
        let what = "it holds no *.log";
        return Err(Failure::usage(format!("no report was made: {}: {what}", dir.display())));
    }
    let mut report = Report::default();
    for log in &logs {
        report.add(dir, log, since.as_ref()).map_err(unread)?;
    }
    match format {
        ReportFormat::Text => report.print(screen),
        ReportFormat::Json => {
            let json = serde_json::to_string(&report)
                .map_err(|error| Failure::internal(format!("no report was made: {error}")))?;
            screen.put(json).end();
        }
    }
    let whole = report.machines.values().all(|machine| machine.problems.is_empty());
    Ok(if whole { ExitKind::Allow } else { ExitKind::Failure })
}

fn logs(dir: &Path, depth: usize) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() && depth < DEEPEST {
            found.extend(logs(&path, depth + 1)?);
        } else if kind.is_file() && path.extension().is_some_and(|end| end == "log") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The machine that a log is of.
fn machine(dir: &Path, log: &Path) -> String {
    let below = log.strip_prefix(dir).unwrap_or(log);
    let first = below.components().next().map(|part| part.as_os_str().to_string_lossy());
    let name = first.unwrap_or_default();
    name.strip_suffix(".log").unwrap_or(&name).to_owned()
}

impl Report {
    fn add(&mut self, dir: &Path, log: &Path, since: Option<&Since>) -> io::Result<()> {
        let machine = self.machines.entry(machine(dir, log)).or_default();
        machine.logs += 1;
        let (rules, verdicts, cost) = (&mut self.rules, &mut self.verdicts, &mut self.cost_usd);
        lines(log, |line| {
            let Some(entry) = line.entry else { return Ok(()) };
            if since.is_some_and(|since| !since.holds(&entry.timestamp)) {
                return Ok(());
            }
            machine.count(&entry);
            *cost += entry.cost_usd.unwrap_or_default();
            if let (EventKind::Decision, Some(action)) = (entry.event, entry.action) {
                verdicts.add(action);
                rules.entry(entry.rule_name.unwrap_or_default()).or_default().add(action);
            }
            Ok(())
        })?;
        match verify(log)? {
            Ok(verified) => {
                if let LogStart::Later(first) = verified.start {
                    let what = format!("begins with number {first}: what was before is gone");
                    machine.problems.push(format!("{}: {what}", log.display()));
                }
            }
            Err(broken) => machine.problems.push(broken.to_string()),
        }
        Ok(())
    }

    fn print(&self, screen: &mut Screen) {
        let machines = grouped(self.machines.len() as u64);
        let commands = grouped(self.verdicts.all());
        screen.put(format_args!("{commands} commands on {machines} machines")).end();
        screen.put(format_args!("  {}", told(self.verdicts))).end();
        if self.cost_usd > 0.0 {
            screen.put(format_args!("  models cost {:.4} US dollars", self.cost_usd)).end();
        }
        let width = self.machines.keys().map(String::len).max().unwrap_or_default();
        for (name, machine) in &self.machines {
            let users: Vec<&str> = machine.users.keys().map(String::as_str).collect();
            screen.paint(Style::Strong, format_args!("{:<width$}", visible(name))).put("  ");
            screen.put(told(machine.verdicts)).put("  ");
            let until = format!("{}; last entry {}", users.join(", "), machine.last);
            screen.paint(Style::Faint, visible(&until)).end();
            for problem in &machine.problems {
                screen.put("  ").paint(Style::Bad, "not whole").put("  ");
                screen.put(visible(problem)).end();
            }
        }
        let mut rules: Vec<(&String, &Counts)> =
            self.rules.iter().filter(|(_, counts)| counts.all() > counts.allow).collect();
        rules.sort_by_key(|(name, counts)| (std::cmp::Reverse(counts.all() - counts.allow), *name));
        for (name, counts) in rules.into_iter().take(LISTED) {
            screen.put(format_args!("  {:<28} {}", visible(name), told(*counts))).end();
        }
    }
}

impl Machine {
    fn count(&mut self, entry: &AuditEntry) {
        self.entries += 1;
        if entry.timestamp > self.last {
            self.last.clone_from(&entry.timestamp);
        }
        if let (EventKind::Decision, Some(action)) = (entry.event, entry.action) {
            self.verdicts.add(action);
            self.users.entry(entry.user.clone()).or_default().add(action);
        }
    }
}

fn told(counts: Counts) -> String {
    let Counts { allow, warn, warn_overridden, block } = counts;
    let [allow, warn, overridden, block] = [allow, warn, warn_overridden, block].map(grouped);
    format!("{allow} allowed, {warn} asked about, {overridden} answered for, {block} blocked")
}

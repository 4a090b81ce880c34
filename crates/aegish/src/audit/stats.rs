//! Statistics of a log.

use super::{Which, unread};
use crate::args::Format;
use aegish_audit::{AuditEntry, EventKind, Since, lines};
use aegish_terminal::{ExitKind, Failure, Screen, Style, visible};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How many rules and models are named.
const MOST: usize = 10;

/// Everything that is counted.
#[derive(Default, Serialize)]
struct Stats {
    first: Option<String>,
    last: Option<String>,
    verdicts: u64,
    sessions: usize,
    users: BTreeMap<String, u64>,
    actions: BTreeMap<String, u64>,
    fates: BTreeMap<String, u64>,
    decided_by: BTreeMap<String, u64>,
    /// Rules of verdicts other than allow.
    rules: BTreeMap<String, u64>,
    models: BTreeMap<String, u64>,
    cost_usd: f64,
    latency_ms: LatencySummary,
    runs_failed: u64,
    not_run: u64,
    torn_lines: u64,
    lines_that_are_no_entries: u64,
}

#[derive(Default, Serialize)]
struct LatencySummary {
    median: f64,
    p95: f64,
    max: f64,
}

pub(super) fn run(
    path: &Path,
    which: &Which,
    since: Option<&Since>,
    format: Format,
    screen: &mut Screen,
) -> Result<ExitKind, Failure> {
    let mut stats = Stats::default();
    let mut sessions = BTreeSet::new();
    let mut latencies = Vec::new();
    lines(path, |line| {
        match &line.entry {
            None => stats.lines_that_are_no_entries += 1,
            Some(entry)
                if which.wants(&line)
                    && since.is_none_or(|since| since.holds(&entry.timestamp)) =>
            {
                stats.add(entry);
                sessions.insert(entry.session.clone());
                latencies.extend(entry.latency_ms);
            }
            Some(_) => {}
        }
        Ok(())
    })
    .map_err(unread)?;
    stats.sessions = sessions.len();
    stats.latency_ms = LatencySummary::of(latencies);
    match format {
        Format::Text => stats.show(screen),
        Format::Json => {
            let json = serde_json::to_string(&stats)
                .map_err(|error| Failure::internal(format!("nothing was counted: {error}")))?;
            screen.put(json).end();
        }
    }
    Ok(ExitKind::Allow)
}

impl Stats {
    fn add(&mut self, entry: &AuditEntry) {
        self.first.get_or_insert_with(|| entry.timestamp.clone());
        self.last = Some(entry.timestamp.clone());
        match entry.event {
            EventKind::Decision => self.add_verdict(entry),
            EventKind::End => self.runs_failed += u64::from(entry.exit_status != Some(0)),
            EventKind::NotRun => self.not_run += 1,
            EventKind::Torn => self.torn_lines += 1,
            EventKind::Start | EventKind::Exit => {}
        }
    }

    fn add_verdict(&mut self, entry: &AuditEntry) {
        let one = |counts: &mut BTreeMap<String, u64>, word: &str| {
            *counts.entry(word.to_owned()).or_default() += 1;
        };
        self.verdicts += 1;
        one(&mut self.users, &entry.user);
        let action = entry.action.map_or("", |action| action.as_str());
        one(&mut self.actions, action);
        one(&mut self.fates, entry.fate.map_or("", |fate| fate.as_str()));
        one(&mut self.decided_by, entry.decided_by.as_deref().unwrap_or_default());
        if action != "allow"
            && let (Some(id), Some(name)) = (&entry.rule, &entry.rule_name)
        {
            let rule = if id == name { name.clone() } else { format!("{id} {name}") };
            one(&mut self.rules, &rule);
        }
        if let Some(model) = entry.model.as_deref().filter(|model| !model.is_empty()) {
            one(&mut self.models, model);
        }
        self.cost_usd += entry.cost_usd.unwrap_or_default();
    }

    fn show(&self, screen: &mut Screen) {
        let mut row = |name: &str, value: String| {
            screen.paint(Style::Strong, format_args!("{name:<12}")).put(visible(&value)).end();
        };
        if let (Some(first), Some(last)) = (&self.first, &self.last) {
            row("time", format!("{first} to {last}"));
        }
        row("verdicts", format!("{} in {} sessions", self.verdicts, self.sessions));
        row("actions", list(&self.actions));
        row("fates", list(&self.fates));
        row("decided by", list(&self.decided_by));
        row("users", list(&self.users));
        row("rules", list(&self.rules));
        row("models", list(&self.models));
        row("cost", format!("${:.6}", self.cost_usd));
        let LatencySummary { median, p95, max } = self.latency_ms;
        row("latency", format!("{median:.1} ms median, {p95:.1} ms p95, {max:.1} ms most"));
        row("runs", format!("{} ended with another status than 0", self.runs_failed));
        let damaged = [
            (self.not_run, "let through but not run"),
            (self.torn_lines, "lines cut off"),
            (self.lines_that_are_no_entries, "lines that are no entries"),
        ];
        for (count, what) in damaged.into_iter().filter(|(count, _)| *count > 0) {
            row("note", format!("{count} {what}"));
        }
    }
}

/// The most frequent first.
fn list(counts: &BTreeMap<String, u64>) -> String {
    let mut rows: Vec<(&String, &u64)> = counts.iter().collect();
    rows.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let more = rows.len().saturating_sub(MOST);
    let mut words: Vec<String> =
        rows.into_iter().take(MOST).map(|(word, count)| format!("{word} {count}")).collect();
    if more > 0 {
        words.push(format!("and {more} more"));
    }
    if words.is_empty() { "-".to_owned() } else { words.join(", ") }
}

impl LatencySummary {
    fn of(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        let at = |part: usize| times.get(times.len().saturating_sub(1) * part / 100).copied();
        Self {
            median: at(50).unwrap_or_default(),
            p95: at(95).unwrap_or_default(),
            max: at(100).unwrap_or_default(),
        }
    }
}

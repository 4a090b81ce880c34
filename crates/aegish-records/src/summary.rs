//! What the verdicts add up to: rules, findings, hosts, users, hours. Bounded in memory.

use crate::bounded::BoundedMap;
use crate::judging::RecordVerdict;
use crate::record::CommandRecord;
use aegish_guard::Action;
use aegish_redact::redact;
use aegish_terminal::{Screen, Style, grouped, visible};
use jiff::Timestamp;
use std::collections::BTreeMap;

/// Groups of findings, hosts and users that are held in each half of a map.
const GROUPS: usize = 5_000;
/// Hours of the timeline: more than a year.
const HOURS: usize = 10_000;
/// Characters of a command that are shown.
const SHOWN: usize = 200;
/// Findings, hosts and users in the text.
const LISTED: usize = 20;

/// Numbers of verdicts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) allow: u64,
    pub(crate) warn: u64,
    pub(crate) block: u64,
}

impl Tally {
    fn add(&mut self, action: Action) {
        match action {
            Action::Allow => self.allow += 1,
            Action::Warn => self.warn += 1,
            Action::Block => self.block += 1,
        }
    }
}

/// Equal findings: the same rule on the same command.
#[derive(Debug, Clone)]
pub(crate) struct FindingGroup {
    pub(crate) action: Action,
    pub(crate) rule: &'static str,
    pub(crate) command: String,
    pub(crate) reason: String,
    pub(crate) confidence: f32,
    pub(crate) count: u64,
    /// Time, host, user and session of the first one.
    pub(crate) first: String,
    /// Its file and line.
    pub(crate) place: String,
}

/// The counters.
#[derive(Debug)]
pub(crate) struct Summary {
    pub(crate) total: Tally,
    pub(crate) open: u64,
    pub(crate) unreadable: u64,
    pub(crate) sessions: u64,
    /// Sessions whose facts were dropped, so that later commands of them were judged without.
    pub(crate) forgotten: u64,
    /// Facts about files that were dropped in sessions with too many of them.
    pub(crate) lost: u64,
    pub(crate) time: Option<(Timestamp, Timestamp)>,
    pub(crate) rules: BTreeMap<&'static str, Tally>,
    /// Verdicts per hour; the key counts hours since 1970.
    pub(crate) hours: BTreeMap<i64, Tally>,
    findings: BoundedMap<(&'static str, String), FindingGroup>,
    hosts: BoundedMap<String, Tally>,
    users: BoundedMap<String, Tally>,
}

/// The counters with the lists sorted.
#[derive(Debug)]
pub(crate) struct SortedSummary {
    pub(crate) counters: Summary,
    pub(crate) findings: Vec<FindingGroup>,
    pub(crate) hosts: Vec<(String, Tally)>,
    pub(crate) users: Vec<(String, Tally)>,
}

impl Summary {
    pub(crate) fn new() -> Self {
        Self {
            total: Tally::default(),
            open: 0,
            unreadable: 0,
            sessions: 0,
            forgotten: 0,
            lost: 0,
            time: None,
            rules: BTreeMap::new(),
            hours: BTreeMap::new(),
            findings: BoundedMap::new(GROUPS),
            hosts: BoundedMap::new(GROUPS),
            users: BoundedMap::new(GROUPS),
        }
    }

    pub(crate) fn add(&mut self, source: &str, record: &CommandRecord, verdict: &RecordVerdict) {
        let action = verdict.action;
        self.total.add(action);
        self.open += u64::from(verdict.open);
        count(&mut self.hosts, record.host.as_deref(), action);
        count(&mut self.users, record.user.as_deref(), action);
        if let Some(time) = record.time {
            let (first, last) = self.time.unwrap_or((time, time));
            self.time = Some((first.min(time), last.max(time)));
            let hour = time.as_second().div_euclid(3600);
            if self.hours.len() < HOURS || self.hours.contains_key(&hour) {
                self.hours.entry(hour).or_default().add(action);
            }
        }
        if action == Action::Allow {
            return;
        }
        self.rules.entry(verdict.rule.name).or_default().add(action);
        let command: String = redact(&record.command).chars().take(SHOWN).collect();
        let key = (verdict.rule.name, command);
        match self.findings.get(&key) {
            Some(group) => group.count += 1,
            None => {
                let group = FindingGroup {
                    action,
                    rule: verdict.rule.name,
                    command: key.1.clone(),
                    reason: redact(&verdict.reason).into_owned(),
                    confidence: verdict.confidence,
                    count: 1,
                    first: described(record),
                    place: format!("{source}:{}", record.line),
                };
                self.findings.insert(key, group);
            }
        }
    }

    /// Sorts the lists: the strictest and surest findings first, the busiest hosts and users first.
    pub(crate) fn sorted(mut self) -> SortedSummary {
        let empty = |map: &mut BoundedMap<String, Tally>| {
            let map = std::mem::replace(map, BoundedMap::new(1));
            let mut list: Vec<(String, Tally)> = map.into_entries().collect();
            list.sort_by(|(name, one), (other_name, other)| {
                let key = |tally: &Tally| (tally.block, tally.warn, tally.allow);
                key(other).cmp(&key(one)).then_with(|| name.cmp(other_name))
            });
            list
        };
        let (hosts, users) = (empty(&mut self.hosts), empty(&mut self.users));
        let findings = std::mem::replace(&mut self.findings, BoundedMap::new(1));
        let mut findings: Vec<FindingGroup> =
            findings.into_entries().map(|(_, found)| found).collect();
        findings.sort_by(|one, other| {
            let sure = other.confidence.total_cmp(&one.confidence);
            let action = other.action.cmp(&one.action);
            action
                .then(sure)
                .then(other.count.cmp(&one.count))
                .then(one.command.cmp(&other.command))
        });
        SortedSummary { counters: self, findings, hosts, users }
    }
}

fn count(map: &mut BoundedMap<String, Tally>, name: Option<&str>, action: Action) {
    let Some(name) = name.map(str::to_owned) else { return };
    if map.get(&name).is_none() {
        map.insert(name.clone(), Tally::default());
    }
    if let Some(tally) = map.get(&name) {
        tally.add(action);
    }
}

fn described(record: &CommandRecord) -> String {
    let time = record.time.map(|time| time.to_string());
    let parts = [time, record.host.clone(), record.user.clone(), Some(record.session.clone())];
    parts.into_iter().flatten().collect::<Vec<_>>().join("  ")
}

impl SortedSummary {
    /// The first sentence.
    pub(crate) fn headline(&self) -> String {
        let Tally { allow, warn, block } = self.counters.total;
        format!(
            "{} commands in {} sessions: {} blocked, {} asked about ({} left open)",
            grouped(allow + warn + block),
            grouped(self.counters.sessions),
            grouped(block),
            grouped(warn),
            grouped(self.counters.open)
        )
    }

    /// What a reader has to know about the figures.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some((first, last)) = self.counters.time {
            notes.push(format!("from {first} to {last}"));
        }
        if self.counters.unreadable > 0 {
            notes.push(format!("{} lines could not be read", grouped(self.counters.unreadable)));
        }
        if self.counters.forgotten > 0 {
            let count = grouped(self.counters.forgotten);
            notes.push(format!("facts of {count} sessions were dropped to bound memory"));
        }
        if self.counters.lost > 0 {
            let count = grouped(self.counters.lost);
            notes.push(format!("{count} facts about files were dropped to bound memory"));
        }
        notes
    }

    pub(crate) fn print(&self, screen: &mut Screen) {
        screen.paint(Style::Strong, self.headline()).end();
        for note in self.notes() {
            screen.paint(Style::Faint, note).end();
        }
        if !self.counters.rules.is_empty() {
            title("Rules", screen);
            let mut rules: Vec<(&&str, &Tally)> = self.counters.rules.iter().collect();
            rules.sort_by_key(|(_, tally)| std::cmp::Reverse((tally.block, tally.warn)));
            for (rule, tally) in rules {
                row(rule, tally, screen);
            }
        }
        if !self.findings.is_empty() {
            title("Findings", screen);
            for finding in self.findings.iter().take(LISTED) {
                let word = finding.action.as_str().to_uppercase();
                screen.put("  ").paint(Style::of(finding.action), word).put("  ");
                screen.paint(Style::Strong, finding.rule).put("  ").put(visible(&finding.command));
                screen.end();
                screen.put("    ").put(visible(&finding.reason)).end();
                let times = if finding.count == 1 { "once" } else { "first of" };
                let count = if finding.count == 1 {
                    String::new()
                } else {
                    format!(" {}", grouped(finding.count))
                };
                let place = visible(&format!("{}  {}", finding.first, finding.place));
                screen
                    .put("    ")
                    .paint(Style::Faint, format_args!("{times}{count}: {place}"))
                    .end();
            }
            let more = self.findings.len().saturating_sub(LISTED);
            if more > 0 {
                screen.paint(
                    Style::Faint,
                    format_args!("  and {} more; --html has them", grouped(more as u64)),
                );
                screen.end();
            }
        }
        for (name, list) in [("Hosts", &self.hosts), ("Users", &self.users)] {
            if list.len() > 1 {
                title(name, screen);
                for (name, tally) in list.iter().take(LISTED) {
                    row(&visible(name), tally, screen);
                }
            }
        }
    }
}

fn title(text: &str, screen: &mut Screen) {
    screen.end();
    screen.paint(Style::Strong, text).end();
}

fn row(name: &str, tally: &Tally, screen: &mut Screen) {
    let (block, warn) = (grouped(tally.block), grouped(tally.warn));
    screen.put(format_args!("  {block:>9} blocked  {warn:>9} asked about  {name}")).end();
}

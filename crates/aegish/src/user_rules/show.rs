//! Describes a rule, and its effect on recorded commands.

use crate::audit;
use aegish_audit::last_lines;
use aegish_config::Config;
use aegish_guard::{UserRule, VerdictChange};
use aegish_terminal::{Screen, Style, visible};
use std::collections::BTreeSet;

/// Limit on the recorded commands.
const REMEMBERED: usize = 5_000;
/// How many commands are shown.
const SHOWN: usize = 6;

/// Commands for trying a rule: earlier commands of this user, and examples of the program.
pub(crate) fn candidates(rule: &UserRule, config: &Config) -> Vec<String> {
    let mut all: Vec<String> = rule.examples.clone();
    let recorded = audit::own_log(config, None)
        .ok()
        .and_then(|path| last_lines(&path, REMEMBERED, |line| line.entry.is_some()).ok());
    let commands = recorded.unwrap_or_default().into_iter().rev();
    all.extend(commands.filter_map(|line| line.entry?.command));
    let program = rule.shape.program.as_ref().map(|program| program.as_str().to_owned());
    let program = program.or_else(|| rule.shape.exactly.as_ref()?.first().cloned());
    if let Some(profile) = program.as_deref().and_then(aegish_profiles::find) {
        all.extend(profile.examples.iter().map(|example| example.command.to_owned()));
    }
    let mut known = BTreeSet::new();
    all.retain(|command| known.insert(command.clone()));
    all
}

/// Prints a rule before it is saved.
pub(crate) fn before_saving(rule: &UserRule, changes: &[VerdictChange], screen: &mut Screen) {
    screen.put("  ").paint(Style::Strong, visible(&rule.to_string())).end();
    if changes.is_empty() {
        screen.put("  it fits no command that was recorded here or is known as an example").end();
        return;
    }
    screen.put(format_args!("  it fits {}:", counted(changes.len()))).end();
    let (different, same): (Vec<&VerdictChange>, Vec<&VerdictChange>) =
        changes.iter().partition(|change| change.before != change.after);
    let width = changes.iter().map(|change| shown(change).chars().count()).max().unwrap_or(0);
    for change in different.iter().chain(&same).take(SHOWN) {
        screen.put(format_args!("    {:<width$}  ", shown(change)));
        if change.before == change.after {
            screen.paint(Style::of(change.after), change.after).paint(Style::Faint, ", as before");
        } else {
            screen.paint(Style::of(change.after), change.after);
            screen.paint(Style::Faint, format_args!(", was {}", change.before));
        }
        screen.end();
    }
    if changes.len() > SHOWN {
        screen.paint(Style::Faint, format_args!("    and {} more", changes.len() - SHOWN)).end();
    }
}

fn counted(count: usize) -> String {
    match count {
        1 => "one command of those recorded here or known as examples".to_owned(),
        count => format!("{count} commands of those recorded here or known as examples"),
    }
}

fn shown(change: &VerdictChange) -> String {
    const WIDEST: usize = 60;
    let text = visible(&change.command);
    if text.chars().count() <= WIDEST {
        return text;
    }
    text.chars().take(WIDEST - 1).chain(['…']).collect()
}

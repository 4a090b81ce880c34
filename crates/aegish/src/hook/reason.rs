//! The reason of a refusal or a question, for the model that made the call: what the rule says, which part it is
//! about, and what would be fine instead.

use aegish_agents::Call;
use aegish_guard::{Action, Decision};

/// The longest part of a command that is repeated, in characters.
const LONGEST_PART: usize = 80;

pub(super) fn of(decision: &Decision, call: &Call, text: &str) -> String {
    let rule = decision.rule().name;
    let verb = match decision.action() {
        Action::Block => "blocked",
        Action::Warn | Action::Allow => "has doubts about",
    };
    let thing = match call {
        Call::Shell { .. } => part(decision, text).unwrap_or_else(|| "this command".to_owned()),
        Call::File(_) => "this call".to_owned(),
    };
    let reason = decision.reason().trim_end_matches('.');
    let mut words = format!("aegish {verb} {thing} ({rule}): {reason}.");
    if let Some(instead) = decision.findings().first().and_then(|finding| finding.instead) {
        words.push_str(" Instead: ");
        words.push_str(instead);
    }
    words
}

/// The part of a longer command that the first finding is about.
fn part(decision: &Decision, text: &str) -> Option<String> {
    let finding = decision.findings().first()?;
    let commands = &decision.analysis().commands;
    let mut command = finding.command.and_then(|index| commands.get(index));
    // What `sudo` or `sh -c` runs is shown with them. Parents come first, so this ends.
    while let Some(outer) = command.and_then(|command| command.parent) {
        command = commands.get(outer);
    }
    let span = command.map_or(finding.span, |command| command.span);
    let part = text.get(span.start as usize..span.end as usize)?.trim();
    let short = !part.is_empty() && part.len() < text.trim().len();
    let end = if part.chars().count() > LONGEST_PART { "…" } else { "" };
    short.then(|| format!("`{}{end}`", part.chars().take(LONGEST_PART).collect::<String>()))
}

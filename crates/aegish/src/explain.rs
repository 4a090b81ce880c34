//! `aegish explain`: the way from text to verdict, for a person.

use crate::args::ExplainOptions;
use crate::check::{evidence, heading};
use crate::output::{Screen, Style, visible};
use crate::source::{self, Judged};
use crate::{Ending, Failure};
use aegish_guard::{Analysis, CommandReport, Decision, Door};

/// Lines of the text and commands that are shown at most.
const LINES: usize = 200;

pub(crate) fn run(options: &ExplainOptions, screen: &mut Screen) -> Result<Ending, Failure> {
    let Judged { text, decision } = source::judge(&options.input)?;
    let text = String::from_utf8_lossy(&text);
    show_text(&text, screen);
    story(&decision, &text, screen);
    title("Verdict", screen);
    screen.put("  ");
    heading(&decision, screen);
    let by = decision.decided_by.as_str();
    let sure = decision.confidence * 100.0;
    screen.put(format_args!(
        "  {sure:.0} % sure, decided by the {by} side, role {}",
        options.input.role
    ));
    screen.end();
    Ok(Ending::Allow)
}

/// What would run, and which rules object.
pub(crate) fn story(decision: &Decision, text: &str, screen: &mut Screen) {
    show_commands(&decision.analysis, screen);
    show_findings(decision, text, screen);
}

fn title(text: &str, screen: &mut Screen) {
    screen.paint(Style::Strong, text).end();
}

fn show_text(text: &str, screen: &mut Screen) {
    title("Text", screen);
    for (index, line) in text.lines().enumerate() {
        if index == LINES {
            screen.put("  …").end();
            break;
        }
        let shown: String = visible(line).chars().take(400).collect();
        let number = format!("{:>4} ", index + 1);
        screen.paint(Style::Faint, number).put(shown).end();
    }
    screen.end();
}

fn show_commands(analysis: &Analysis, screen: &mut Screen) {
    title("What would run", screen);
    if analysis.commands.is_empty() {
        screen.put("  nothing").end();
    }
    let depths = depths(&analysis.commands);
    for (index, (command, depth)) in analysis.commands.iter().zip(depths).enumerate() {
        if index == LINES {
            screen.put("  …").end();
            break;
        }
        let indent = "  ".repeat(depth + 1);
        let way = match command.door {
            Door::Typed => "",
            Door::Launcher => "→ ",
            Door::Side => "⇒ ",
        };
        screen.put(&indent).put(way).paint(Style::Strong, words(command));
        if command.program.is_none()
            && command.argv.first().is_some_and(|name| name.as_known().is_some())
        {
            screen.paint(Style::Faint, "  (unknown program)");
        }
        screen.end();
        for effect in analysis.effects.iter().filter(|effect| effect.command == index) {
            screen.put(&indent).put("    ").put(visible(&effect.act.to_string())).end();
        }
    }
    screen.end();
}

/// How many commands stand above each one. Parents always come first.
fn depths(commands: &[CommandReport]) -> Vec<usize> {
    let mut depths: Vec<usize> = Vec::with_capacity(commands.len());
    for command in commands {
        let above = command.parent.and_then(|parent| depths.get(parent));
        let depth = above.map_or(0, |depth| depth + 1);
        depths.push(depth.min(20));
    }
    depths
}

/// The words, each quoted if a reader could not tell where it begins and ends.
fn words(command: &CommandReport) -> String {
    if command.argv.is_empty() {
        return "(no command word)".to_owned();
    }
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,@%+~*?[]{}‹›^".contains(c);
    let quoted = |word: &aegish_guard::Value| {
        let text = word.to_string();
        let bare = !text.is_empty() && (text.chars().all(plain) || word.has_unknown());
        let shown = visible(&text);
        if bare { shown } else { format!("'{}'", shown.replace('\'', "'\\''")) }
    };
    let list: Vec<String> = command.argv.iter().map(quoted).collect();
    list.join(" ")
}

fn show_findings(decision: &Decision, text: &str, screen: &mut Screen) {
    if decision.findings.is_empty() {
        return;
    }
    title("Findings", screen);
    for finding in decision.findings.iter().take(LINES) {
        let word = finding.action.as_str().to_uppercase();
        let rule = finding.rule;
        screen.put("  ").paint(Style::of(finding.action), word).put("  ");
        screen.paint(Style::Strong, format_args!("{} {}", rule.id, rule.title)).put("  ");
        screen.put(visible(&finding.reason));
        if finding.open {
            screen.paint(Style::Faint, "  (open)");
        }
        screen.end();
        evidence(finding, text, screen);
    }
    screen.end();
}

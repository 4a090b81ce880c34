//! `aegish explain`: the steps from text to verdict, for a person.

use crate::args::ExplainOptions;
use crate::check::{evidence, heading};
use crate::configuration;
use crate::source::{self, Question};
use aegish_guard::{
    Analysis, CommandReport, Decision, Gathered, Invocation, Session, command_line, depths,
};
use aegish_judge::{Judge, Marker, NoMessage};
use aegish_terminal::{ExitKind, Failure, Screen, Style, visible};

/// Lines of the text and commands that are shown at most.
const LINES: usize = 200;

pub(crate) fn run(options: &ExplainOptions, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let config = configuration::load()?;
    let question = source::read(&options.input, &config)?;
    let decision = question.decide();
    way(&question, &decision, screen);
    if options.judge {
        screen.end();
        show_message(&question, &decision, &options.chain.judge(&config)?, screen)?;
    }
    Ok(ExitKind::Allow)
}

/// Prints the steps from the text to the verdict.
pub(crate) fn way(question: &Question, decision: &Decision, screen: &mut Screen) {
    let text = String::from_utf8_lossy(&question.text);
    show_text(&text, screen);
    story(decision, &text, screen);
    title("Verdict", screen);
    screen.put("  ");
    heading(decision, screen);
    let by = decision.decided_by().as_str();
    let sure = decision.confidence() * 100.0;
    screen
        .put(format_args!("  {sure:.0} % sure, decided by the {by} side, role {}", question.role));
    screen.end();
}

/// Prints what would run, and the rules that object.
pub(crate) fn story(decision: &Decision, text: &str, screen: &mut Screen) {
    show_commands(decision.analysis(), screen);
    show_findings(decision, text, screen);
}

/// Prints the message to a model, and the models that would be asked.
fn show_message(
    question: &Question,
    decision: &Decision,
    judge: &Judge,
    screen: &mut Screen,
) -> Result<(), Failure> {
    let request = question.request();
    title("What a model would be told", screen);
    let prompt = judge.prompt(request.role);
    screen.put(format_args!("  system prompt {}, {} bytes", prompt.hash, prompt.text.len())).end();
    for member in judge.members() {
        screen.put("  ").put(visible(&member.model)).paint(
            Style::Faint,
            match &member.place {
                Ok(address) => format!("  at {}", visible(address)),
                Err(why) => format!("  would not be asked: {}", visible(&why.to_string())),
            },
        );
        screen.end();
    }
    let told = |error: NoMessage| Failure::internal(error.to_string());
    let message = match std::str::from_utf8(&question.text) {
        Ok(text) => {
            let gathered = Gathered::new(text, decision, &Session::new(), &request);
            match gathered.message(&Marker::random().map_err(told)?) {
                Ok(message) => message,
                Err(why) => why.to_string(),
            }
        }
        Err(_) => "no model is asked about what is not text".to_owned(),
    };
    screen.end();
    for line in message.lines() {
        screen.put("  ").put(visible(line)).end();
    }
    Ok(())
}

pub(crate) fn title(text: &str, screen: &mut Screen) {
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
        let way = match command.invocation {
            Invocation::Direct => "",
            Invocation::Launched => "→ ",
            Invocation::Indirect => "⇒ ",
            Invocation::Supposed => "? ",
        };
        screen.put(&indent).put(way).paint(Style::Strong, words(command));
        if command.program.is_none()
            && command.argv.first().is_some_and(|name| name.as_known().is_some())
        {
            screen.paint(Style::Faint, "  (unknown program)");
        }
        screen.end();
        for effect in analysis.effects.iter().filter(|effect| effect.command == index) {
            screen.put(&indent).put("    ").put(visible(&effect.kind.to_string())).end();
        }
    }
    screen.end();
}

/// The words of a command, or that there are none.
fn words(command: &CommandReport) -> String {
    if command.argv.is_empty() {
        return "(no command word)".to_owned();
    }
    visible(&command_line(command))
}

fn show_findings(decision: &Decision, text: &str, screen: &mut Screen) {
    if decision.findings().is_empty() {
        return;
    }
    title("Findings", screen);
    for finding in decision.findings().iter().take(LINES) {
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

//! `aegish policy`: the rules there are, whether they hold, and how to be rid of one.

use super::{UserRules, broken_example, remove, whose};
use crate::args::Format;
use crate::{check, configuration, source};
use aegish_config::{Config, HeldRule, rule_text};
use aegish_guard::{Request, Role, check as judge, fits};
use aegish_terminal::{ExitKind, Failure, Screen, Style, visible};
use clap::Subcommand;
use serde::Serialize;

#[derive(Subcommand)]
pub(crate) enum PolicyTask {
    /// Every rule that people added, who answers for it and where it is kept
    List {
        /// How to print it
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// One rule as it stands in its file
    Show {
        /// Its name
        name: String,
    },
    /// Try every rule on its own examples, or show what the rules make of a command
    Test {
        /// Whose work is judged: default, sysadmin or restricted [default: AEGISH_ROLE]
        #[arg(long)]
        role: Option<Role>,
        /// The command, behind `--`; several words are joined by spaces
        #[arg(last = true, value_name = "COMMAND")]
        command: Vec<String>,
    },
    /// Take a rule away
    Remove {
        /// Its name
        name: String,
    },
    #[cfg(feature = "fleet")]
    #[command(flatten)]
    Bundle(aegish_fleet::BundleTask),
}

pub(crate) fn run(task: &PolicyTask, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let config = configuration::load()?;
    match task {
        #[cfg(feature = "fleet")]
        PolicyTask::Bundle(task) => {
            aegish_fleet::run_bundle(task, &config, configuration::transport(&config)?, screen)
        }
        PolicyTask::List { format } => list(&config, *format, screen),
        PolicyTask::Show { name } => {
            screen.put(rule_text(&named(&config, name)?.rule));
            Ok(ExitKind::Allow)
        }
        PolicyTask::Test { command, role } if !command.is_empty() => {
            try_on(&config, &command.join(" "), *role, screen)
        }
        PolicyTask::Test { .. } => Ok(test(&config, screen)),
        PolicyTask::Remove { name } => {
            let held = named(&config, name)?;
            remove(held)?;
            screen.put(format_args!("removed: {}", visible(&held.rule.to_string()))).end();
            Ok(ExitKind::Allow)
        }
    }
}

/// Takes a rule away.
#[cfg(feature = "serve")]
pub(crate) fn remove_named(config: &Config, name: &str) -> Result<(), Failure> {
    remove(named(config, name)?)
}

fn named<'a>(config: &'a Config, name: &str) -> Result<&'a HeldRule, Failure> {
    let mut found = config.rules().iter().filter(|held| held.rule.name == name);
    match (found.next(), found.next()) {
        (Some(held), None) => Ok(held),
        (None, _) => Err(Failure::usage(format!(
            "nothing was done: there is no rule {name}; `aegish policy list` shows them"
        ))),
        (Some(one), Some(other)) => Err(Failure::usage(format!(
            "nothing was done: {name} stands in {} and in {}; change one of the names",
            one.place, other.place
        ))),
    }
}

#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    verdict: &'static str,
    rule: String,
    whose: &'static str,
    place: String,
    until: Option<&'a str>,
    once: bool,
    because: Option<&'a str>,
    examples: &'a [String],
    counterexamples: &'a [String],
    expired: bool,
}

fn list(config: &Config, format: Format, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let now = aegish_audit::now();
    let rules: Vec<Listed<'_>> = config
        .rules()
        .iter()
        .map(|held| Listed {
            name: &held.rule.name,
            verdict: held.rule.verb.as_str(),
            rule: held.rule.to_string(),
            whose: whose(held),
            place: held.place.to_string(),
            until: held.rule.until.as_deref(),
            once: held.rule.once,
            because: held.rule.because.as_deref(),
            examples: &held.rule.examples,
            counterexamples: &held.rule.counterexamples,
            expired: !held.rule.counts_at(&now),
        })
        .collect();
    if format == Format::Json {
        let json = serde_json::to_string(&rules)
            .map_err(|error| Failure::internal(format!("nothing was listed: {error}")))?;
        screen.put(json).end();
        return Ok(ExitKind::Allow);
    }
    if rules.is_empty() {
        screen.put("no rules; `aegish allow`, `aegish ask` and `aegish deny` add some").end();
    }
    let width = rules.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
    for rule in &rules {
        screen.paint(Style::Strong, format_args!("{:<width$}", visible(rule.name)));
        screen.put("  ").put(visible(&rule.rule));
        if rule.expired {
            screen.paint(Style::Doubtful, "  (over)");
        }
        screen.end();
        if let Some(because) = rule.because {
            screen.put(format_args!("{:<width$}  because {}", "", visible(because))).end();
        }
        let origin = format!("{:<width$}  {}, {}", "", rule.whose, visible(&rule.place));
        screen.paint(Style::Faint, origin).end();
    }
    for note in config.notes() {
        screen.paint(Style::Doubtful, "note").put(": ").put(visible(&note.to_string())).end();
    }
    Ok(ExitKind::Allow)
}

/// Examples and counterexamples of every rule.
fn test(config: &Config, screen: &mut Screen) -> ExitKind {
    let mut wrong = 0;
    let mut tried = 0;
    for held in config.rules() {
        let rule = &held.rule;
        tried += rule.examples.len() + rule.counterexamples.len();
        let (style, word, what) = match broken_example(rule, config) {
            Some(broken) => {
                wrong += 1;
                (Style::Bad, "wrong", broken)
            }
            None if rule.examples.is_empty() && rule.counterexamples.is_empty() => {
                (Style::Doubtful, "untried", "it has no examples".to_owned())
            }
            None => (Style::Good, "right", rule.to_string()),
        };
        screen.paint(style, format_args!("{word:<7}")).put("  ");
        screen.paint(Style::Strong, visible(&rule.name)).put("  ").put(visible(&what)).end();
    }
    let rules = config.rules().len();
    screen.put(format_args!("{rules} rules, {tried} examples, {wrong} wrong")).end();
    if wrong == 0 { ExitKind::Allow } else { ExitKind::Block }
}

/// Shows which rules match one command.
fn try_on(
    config: &Config,
    command: &str,
    role: Option<Role>,
    screen: &mut Screen,
) -> Result<ExitKind, Failure> {
    let user_rules = UserRules::of(config);
    let context = source::context(&source::surroundings(None));
    let role = match role {
        Some(role) => role,
        None => configuration::role(config)?,
    };
    let decide = |user_rules| {
        judge(&Request { text: command.as_bytes(), context: &context, role, user_rules })
    };
    let (without, with) = (decide(&[]), decide(user_rules.rules()));
    screen.paint(Style::Faint, "without rules: ");
    check::heading(&without, screen);
    screen.paint(Style::Faint, "with rules:    ");
    check::heading(&with, screen);
    for held in config.rules().iter().filter(|held| fits(&held.rule, command, &context, role)) {
        screen.put("  fits ").paint(Style::Strong, visible(&held.rule.name)).put(": ");
        screen.put(visible(&held.rule.to_string())).end();
    }
    for note in user_rules.notes() {
        screen.put("  ").paint(Style::Faint, format_args!("note: {}", visible(note))).end();
    }
    Ok(check::ending(with.action()))
}

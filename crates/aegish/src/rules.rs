//! `aegish rules`: the policy, for a person.

use aegish_guard::{Role, Rule};
use aegish_terminal::{ExitKind, Failure, Screen, Style};

pub(crate) fn run(id: Option<&str>, screen: &mut Screen) -> Result<ExitKind, Failure> {
    match id {
        None => list(screen),
        Some(id) => match aegish_guard::rule(id) {
            Some(rule) => page(rule, screen),
            None => {
                return Err(Failure::usage(format!(
                    "there is no rule `{id}`; `aegish rules` lists them"
                )));
            }
        },
    }
    Ok(ExitKind::Allow)
}

fn list(screen: &mut Screen) {
    let name_width = aegish_guard::rules().map(|rule| rule.name.len()).max().unwrap_or(0);
    for rule in aegish_guard::rules() {
        let id = if rule.id == rule.name { "" } else { rule.id };
        screen
            .put(format_args!("{id:<3} "))
            .paint(Style::Strong, format_args!("{:<name_width$}", rule.name));
        screen.put("  ").paint(Style::of(rule.action), format_args!("{:<5}", rule.action.as_str()));
        screen.put("  ").put(rule.summary).end();
    }
}

fn page(rule: &Rule, screen: &mut Screen) {
    let id = if rule.id == rule.name { String::new() } else { format!("{} ", rule.id) };
    screen.paint(Style::Strong, format_args!("{id}{}: {}", rule.name, rule.title)).end();
    screen.put(rule.summary).end();
    screen.end();
    screen.put(rule.manual.trim()).end();
    if rule.kinds.is_empty() {
        return;
    }
    screen.end();
    screen.paint(Style::Strong, "# Answers").end();
    screen.end();
    let width = rule.kinds.iter().map(|kind| kind.name.len()).max().unwrap_or(0);
    screen.put(" ".repeat(width));
    for role in Role::ALL {
        screen.put(format_args!("  {:>10}", role.name()));
    }
    screen.end();
    for kind in rule.kinds {
        screen.put(format_args!("{:<width$}", kind.name));
        for role in Role::ALL {
            let action = kind.action(role);
            screen.put("  ").paint(Style::of(action), format_args!("{:>10}", action.as_str()));
        }
        if kind.open {
            screen.paint(Style::Faint, "  open");
        }
        screen.end();
    }
}

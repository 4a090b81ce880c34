//! "Always": rules that would prevent this question in future, shown with the commands that they also allow.

use super::ask::{Questions, VerdictPrompt};
use crate::user_rules::{self, UserRules, Whose};
use aegish_guard::{Proposal, UserRule, preview};
use aegish_terminal::{Screen, Style, complain, visible};

/// The answer to the offer.
pub(super) enum Offered {
    /// Rules were added, permanently or for this session.
    Taken,
    /// No rule was added.
    Refused,
    /// The question was interrupted.
    Interrupted,
}

/// How much a rule allows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    Alike,
    Exact,
}

/// Whether rules of this user could prevent the question.
pub(super) fn is_possible(prompt: &VerdictPrompt<'_>) -> bool {
    prompt.proposals.is_some() && user_rules::may_loosen(&prompt.settings.config)
}

/// Shows the rules and asks which of them to add, and for how long.
pub(super) fn offer(
    prompt: &VerdictPrompt<'_>,
    user_rules: &mut UserRules,
    editor: &mut Questions,
) -> Offered {
    let proposals = prompt.proposals.as_deref().unwrap_or_default();
    let chosen = |width| proposals.iter().map(|one| rule(one, width)).collect::<Option<Vec<_>>>();
    let alike: Vec<UserRule> = proposals
        .iter()
        .filter_map(|one| rule(one, Width::Alike).or_else(|| rule(one, Width::Exact)))
        .collect();
    // The narrow choice is offered only if it differs.
    let exact = chosen(Width::Exact).filter(|exact| *exact != alike);
    show(&alike, prompt, user_rules);
    let question = if exact.is_some() {
        "Save it? [y/N/x(exactly this command)/s(this session only)] "
    } else {
        "Save it? [y/N/s(this session only)] "
    };
    let Ok(line) = editor.readline(question) else { return Offered::Interrupted };
    match (line.trim().to_ascii_lowercase().as_str(), exact) {
        ("y" | "yes", _) => keep(alike, prompt),
        ("x" | "exactly", Some(exact)) => keep(exact, prompt),
        ("s" | "session", _) => {
            for rule in alike {
                user_rules.add_for_session(rule);
            }
            Offered::Taken
        }
        _ => Offered::Refused,
    }
}

fn rule(proposal: &Proposal, width: Width) -> Option<UserRule> {
    match width {
        Width::Alike => proposal.alike.clone(),
        Width::Exact => proposal.exact.clone(),
    }
}

fn show(rules: &[UserRule], prompt: &VerdictPrompt<'_>, user_rules: &UserRules) {
    let mut screen = Screen::errors();
    for rule in rules {
        let commands = user_rules::candidates(rule, &prompt.settings.config);
        let commands = commands.iter().map(String::as_str).filter(|one| *one != prompt.text);
        let role = prompt.settings.role;
        let changes = preview(rule, user_rules.rules(), commands, prompt.context, role);
        user_rules::before_saving(rule, &changes, &mut screen);
    }
    let _ = screen.finish();
}

fn keep(rules: Vec<UserRule>, prompt: &VerdictPrompt<'_>) -> Offered {
    let dir = match user_rules::place(&prompt.settings.config, Whose::User) {
        Ok(dir) => dir,
        Err(failure) => {
            complain(&failure.message);
            return Offered::Refused;
        }
    };
    for mut rule in rules {
        match user_rules::save(&mut rule, &dir, Whose::User) {
            Ok(path) => {
                let mut screen = Screen::errors();
                let place = visible(&path.display().to_string());
                let undo = format!("saved as {place}; to undo: aegish policy remove {}", rule.name);
                screen.paint(Style::Faint, undo).end();
                let _ = screen.finish();
            }
            Err(failure) => {
                complain(&failure.message);
                return Offered::Refused;
            }
        }
    }
    Offered::Taken
}

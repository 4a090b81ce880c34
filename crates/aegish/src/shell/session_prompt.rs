//! `PS1` and `PS2` of the session, with the guard's mark in front.
//!
//! A prompt is code: before bash expands it, it is judged as the session stands at that moment. One that is not allowed
//! is not expanded, and the guard's own prompt is shown.

use super::failed;
use super::input::{CONTINUED, Prompts};
use super::interactive::InteractiveSession;
use super::prompt;
use super::session_history::SessionHistory;
use aegish_exec::Ended;
use aegish_guard::{Action, Consent, Permit, StaticCheck, prompt_code};
use aegish_terminal::{Failure, complain};

/// The value of `PS1` in a new bash.
const PS1_OF_BASH: &str = "\\s-\\v\\$ ";

/// What is known about the prompts of the session.
#[derive(Default)]
pub(super) struct SessionPrompts {
    /// `PS1` and `PS2` that a line set which the person answered for.
    consented: Vec<String>,
    /// Those that are not shown; the reason was reported.
    refused: Vec<String>,
}

/// A prompt that may be expanded.
struct JudgedPrompt {
    /// The value of the variable.
    value: String,
    /// The same with the numbers of the line, which only the guard knows.
    text: String,
    permit: Permit,
}

impl InteractiveSession {
    /// The prompts for the next line.
    pub(super) fn prompts(&mut self) -> Result<Prompts, Failure> {
        let own = {
            let surroundings = &self.line_context.borrow().surroundings;
            let (cwd, home) = (&surroundings.cwd, &surroundings.home);
            Prompts {
                first: prompt::prompt(&self.settings, cwd, home, self.status),
                further: CONTINUED.to_owned(),
            }
        };
        let first = self.judged("PS1", |text| !text.is_empty() && text != PS1_OF_BASH);
        let further = self.judged("PS2", |text| text != CONTINUED);
        let judged = || first.iter().chain(&further);
        let texts: Vec<(&str, &Permit)> =
            judged().map(|prompt| (prompt.text.as_str(), &prompt.permit)).collect();
        if texts.is_empty() {
            return Ok(own);
        }
        let expanded = self.shell.borrow_mut().expand_prompts(&texts, self.status);
        let mut expanded = match expanded {
            Ok(Some(expanded)) => expanded.into_iter(),
            Ok(None) => {
                complain("the prompt is not shown: bash did not expand it in time");
                self.prompts.refused.extend(judged().map(|prompt| prompt.value.clone()));
                return Ok(own);
            }
            // The end is reported with the next line.
            Err(Ended::Gone(_)) => return Ok(own),
            Err(error) => return Err(failed(error)),
        };
        let Prompts { first: own_first, further: own_further } = own;
        let shown = first.and_then(|_| expanded.next());
        let marked = |text: String| prompt::marked(&self.settings, &text);
        Ok(Prompts {
            first: shown.map_or(own_first, marked),
            further: further.and_then(|_| expanded.next()).unwrap_or(own_further),
        })
    }

    /// The value of a prompt that is one of the session's own, with the permit to expand it.
    fn judged(&mut self, name: &str, own: impl Fn(&str) -> bool) -> Option<JudgedPrompt> {
        let value = self.shell.borrow().last().variables.get(name)?.clone();
        if !own(&value) || self.prompts.refused.contains(&value) {
            return None;
        }
        let text = with_numbers(&value, &self.history);
        let consent = match self.prompts.consented.contains(&value) {
            true => Consent::Given,
            false => Consent::NotAsked,
        };
        let code = prompt_code(&text)?;
        let line_context = self.line_context.borrow();
        let context = line_context.context(&line_context.machine);
        let request = line_context.request(&code, &context);
        let (decision, _) = StaticCheck::new(&line_context.session, &request).finish();
        let decision = decision.settled_by(self.settings.fail_mode);
        let allowed = decision.action() == Action::Allow
            || decision.action() == Action::Warn && consent == Consent::Given;
        match decision.permit(consent).filter(|_| allowed) {
            Some(permit) => Some(JudgedPrompt { value, text, permit }),
            None => {
                complain(&format!("{name} is not shown: it {}", decision.reason()));
                self.prompts.refused.push(value);
                None
            }
        }
    }

    /// The values of both prompts.
    pub(super) fn prompt_values(&self) -> Vec<String> {
        let shell = self.shell.borrow();
        let variables = &shell.last().variables;
        ["PS1", "PS2"].iter().filter_map(|name| variables.get(*name).cloned()).collect()
    }

    /// The prompts that a line has set: the person answered for the line, or a change may lift a refusal.
    pub(super) fn follow_prompts(&mut self, before: &[String], consent: Consent) {
        let now = self.prompt_values();
        if now == before {
            return;
        }
        self.prompts.refused.clear();
        self.prompts.consented.retain(|text| now.contains(text));
        if consent == Consent::Given {
            self.prompts.consented.extend(now.into_iter().filter(|text| !before.contains(text)));
        }
    }
}

/// The prompt with the number of the line for `\\#` and `\\!`. Bash would count the lines of the guard.
fn with_numbers(prompt: &str, history: &SessionHistory) -> String {
    let mut text = String::with_capacity(prompt.len());
    let mut chars = prompt.chars();
    while let Some(c) = chars.next() {
        match (c, (c == '\\').then(|| chars.next()).flatten()) {
            (_, Some('#')) => text.push_str(&history.next_command().to_string()),
            (_, Some('!')) => text.push_str(&history.next_number().to_string()),
            (c, escaped) => {
                text.push(c);
                text.extend(escaped);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::history::LineOutcome;

    #[test]
    fn numbers_are_those_of_the_session() {
        let mut history = SessionHistory::new(None);
        assert_eq!(with_numbers(r"\#:\!> ", &history), "1:1> ");
        history.remember("ls", LineOutcome::Ran);
        history.remember(" ls", LineOutcome::Ran);
        history.remember("rm -rf /", LineOutcome::Blocked);
        assert_eq!(with_numbers(r"\#:\!> \\# \w \", &history), r"3:2> \\# \w \");
    }
}

//! `PROMPT_COMMAND` of the session.
//!
//! Bash's own variable names the gate and is read-only. A line that only sets `PROMPT_COMMAND` is judged but not sent to
//! bash: the guard keeps the value and runs it before each prompt, as a line. It is judged each time, because functions
//! and variables may have changed since it was set.

use super::interactive::{InteractiveSession, PromptStep};
use super::{BLOCKED, elevation, failed, reserved};
use aegish_exec::Ended;
use aegish_guard::{Action, Consent, Decision, Session, StaticCheck};
use aegish_syntax::{AndOr, Command, CommandKind, Part, SimpleCommand, Word};
use aegish_terminal::{Failure, complain};

pub(super) const NAME: &str = "PROMPT_COMMAND";
/// Builtins whose arguments may set it.
const BUILTINS: [&str; 4] = ["declare", "export", "typeset", "unset"];
/// Options of these that do not change what the value means.
const OPTIONS: [&str; 4] = ["-a", "-g", "-v", "-x"];

/// The code that runs before each prompt.
#[derive(Debug)]
pub(super) struct PromptCommands {
    texts: Vec<String>,
    /// The answer to the line that set them.
    consent: Consent,
}

impl Default for PromptCommands {
    fn default() -> Self {
        Self { texts: Vec::new(), consent: Consent::NotAsked }
    }
}

/// Whether a text does nothing but set or unset `PROMPT_COMMAND`.
pub(super) fn only_sets(text: &str) -> bool {
    if !text.contains(NAME) {
        return false;
    }
    let script = aegish_syntax::parse(text);
    matches!(script.body.items.as_slice(), [item] if script.error.is_none() && item_only_sets(item))
}

/// The same for one item of a list.
pub(super) fn item_only_sets(item: &AndOr) -> bool {
    let AndOr { first, rest, background: false, .. } = item else { return false };
    let [Command { kind: CommandKind::Simple(command), redirects, .. }] = first.commands.as_slice()
    else {
        return false;
    };
    let plain = rest.is_empty() && redirects.is_empty() && !first.negated && !first.timed;
    plain && command_only_sets(command)
}

fn command_only_sets(command: &SimpleCommand) -> bool {
    let own = command.assignments.iter().all(|assignment| assignment.name == NAME);
    match command.words.as_slice() {
        [] => own && !command.assignments.is_empty(),
        [builtin, arguments @ ..] => {
            let options = arguments.iter().take_while(|word| OPTIONS.contains(&start(word)));
            let names = arguments.get(options.count()..).unwrap_or_default();
            command.assignments.is_empty()
                && BUILTINS.contains(&start(builtin))
                && builtin.parts.len() == 1
                && !names.is_empty()
                && names.iter().all(|word| names_it(start(word)))
        }
    }
}

/// The literal text with which a word starts.
fn start(word: &Word) -> &str {
    if let Some(Part::Literal(text)) = word.parts.first() { text } else { "" }
}

fn names_it(text: &str) -> bool {
    text.strip_prefix(NAME)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('=') || rest.starts_with("+="))
}

impl InteractiveSession {
    /// Gives the analysis of a line that sets `PROMPT_COMMAND` the present value, in place of bash's.
    pub(super) fn with_prompt_command(&self) -> Session {
        let mut session = self.line_context.borrow().session.clone();
        let texts = &self.prompt_commands.texts;
        let value = (!texts.is_empty()).then(|| texts.join("\n"));
        session.observe_some(std::iter::once((NAME, value.as_deref())));
        session
    }

    /// Keeps what a line that only sets `PROMPT_COMMAND` sets it to.
    pub(super) fn take_prompt_command(
        &mut self,
        line: &str,
        after: &Session,
        consent: Consent,
    ) -> Result<PromptStep, Ended> {
        if !line.starts_with(' ') {
            self.shell.borrow_mut().add_to_history(line)?;
        }
        match after.texts_of(NAME) {
            Some(texts) => {
                let texts = texts.into_iter().filter(|text| !text.trim().is_empty()).collect();
                self.prompt_commands = PromptCommands { texts, consent };
                self.status = 0;
            }
            None => {
                complain("PROMPT_COMMAND stays as it was: its value cannot be told in advance");
                self.status = BLOCKED;
            }
        }
        self.shell.borrow_mut().set_status(self.status);
        Ok(PromptStep::Next)
    }

    /// Runs the prompt commands. Returns the status if one of them ends the session.
    pub(super) fn run_prompt_commands(&mut self) -> Result<Option<u8>, Failure> {
        for text in self.prompt_commands.texts.clone() {
            // It begins with a blank, so that it is not stored in the history.
            if let PromptStep::End(status) = self.run_prompt_command(&format!(" {text}"))? {
                return Ok(Some(status));
            }
        }
        Ok(None)
    }

    fn run_prompt_command(&mut self, text: &str) -> Result<PromptStep, Failure> {
        let consent = self.prompt_commands.consent;
        let (decision, after) = {
            let line_context = self.line_context.borrow();
            line_context.machine.clear();
            let context = line_context.context(&line_context.machine);
            let request = line_context.request(text, &context);
            StaticCheck::new(&line_context.session, &request).finish()
        };
        let decision = decision.settled_by(self.settings.fail_mode);
        if let Some(why) = self.obstacle_to_prompt_command(&decision, &after) {
            complain(&format!("PROMPT_COMMAND is no longer run: {why}"));
            self.prompt_commands = PromptCommands::default();
            return Ok(PromptStep::Refused);
        }
        let Some(permit) = decision.permit(consent) else { return Ok(PromptStep::Refused) };
        self.programs.begin(&decision, &after, self.line_context.borrow().user_rules.rules());
        let prompts = self.prompt_values();
        let ran = self.shell.borrow_mut().run_between_lines(&permit);
        match ran {
            Ok(status) => {
                self.adopt(&permit, after, status);
                self.follow_prompts(&prompts, consent);
                Ok(PromptStep::Next)
            }
            Err(Ended::Gone(outcome)) => Ok(super::interactive::ended(outcome)),
            // It is judged again before the next prompt.
            Err(Ended::Changed(_)) => Ok(PromptStep::Refused),
            Err(error) => Err(failed(error)),
        }
    }

    /// Why it cannot run.
    fn obstacle_to_prompt_command(&self, decision: &Decision, after: &Session) -> Option<String> {
        let allowed = match decision.action() {
            Action::Allow => true,
            Action::Warn => self.prompt_commands.consent == Consent::Given,
            Action::Block => false,
        };
        if !allowed {
            return Some(format!("it {}", decision.reason()));
        }
        if reserved::is_changed(&self.line_context.borrow().session, after) {
            return Some("it sets PROMPT_COMMAND itself".to_owned());
        }
        let path = self.known.borrow().path.clone();
        let elevations = &decision.analysis().elevations;
        elevation::obstacle(elevations, &path, &self.settings.limits).map(|found| found.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::only_sets;

    #[test]
    fn only_a_line_that_does_nothing_else_is_kept_from_bash() {
        for line in [
            "PROMPT_COMMAND=date",
            " PROMPT_COMMAND+='; date'",
            "PROMPT_COMMAND=(date 'history -a')",
            "export PROMPT_COMMAND=\"history -a; $PROMPT_COMMAND\"",
            "declare -g PROMPT_COMMAND=",
            "unset -v PROMPT_COMMAND",
        ] {
            assert!(only_sets(line), "{line}");
        }
        for line in [
            "PROMPT_COMMAND=date; ls",
            "PROMPT_COMMAND=date ls",
            "X=1 PROMPT_COMMAND=date",
            "! PROMPT_COMMAND=date",
            "PROMPT_COMMAND=date &",
            "PROMPT_COMMAND=date > log",
            "declare -n PROMPT_COMMAND=x",
            "declare -r PROMPT_COMMAND",
            "export PROMPT_COMMAND=x PATH=.",
            "PROMPT_COMMANDS=x",
            "export",
            "echo PROMPT_COMMAND",
            "( PROMPT_COMMAND=x )",
        ] {
            assert!(!only_sets(line), "{line}");
        }
    }
}

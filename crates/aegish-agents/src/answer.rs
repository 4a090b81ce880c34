//! Decisions → the bytes and the exit status that an agent honours.

use crate::agent::{Agent, AnswerForm, AskSupport};
use crate::call::HookInput;
use serde_json::{Value, json};

/// The decision about a call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookDecision {
    /// No objection. The agent's own rules still apply.
    Pass,
    /// The person has to answer for it.
    Ask(String),
    /// It must not run.
    Deny(String),
}

/// What the hook writes, and its exit status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The only bytes on standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit status.
    pub status: u8,
}

/// The word on standard output by which the installed command knows that there is no objection. Nothing else,
/// not even silence, counts as one.
const PASS: &str = "pass";
/// Agents run the command if the reason is empty.
const NO_REASON: &str = "aegish refused it";
/// The longest reason in characters.
const LONGEST_REASON: usize = 1200;
/// The status by which agents know a refusal without reading the output.
const REFUSED: u8 = 2;

impl Agent {
    /// The answer in the agent's own contract. `input` says how the agent runs; without it a question is refused.
    #[must_use]
    pub fn answer(self, decision: &HookDecision, input: Option<&HookInput>) -> Answer {
        let contract = self.contract();
        match self.possible(decision, input) {
            HookDecision::Pass => Answer { stdout: self.pass(), stderr: String::new(), status: 0 },
            HookDecision::Ask(reason) => {
                Answer { stdout: self.object("ask", &reason), stderr: String::new(), status: 0 }
            }
            HookDecision::Deny(reason) => Answer {
                stdout: self.object("deny", &reason),
                stderr: if contract.deny_status == REFUSED { line(&reason) } else { String::new() },
                status: contract.deny_status,
            },
        }
    }

    /// The decision with a question turned into a refusal where the agent would not ask.
    fn possible(self, decision: &HookDecision, input: Option<&HookInput>) -> HookDecision {
        match decision {
            HookDecision::Pass => HookDecision::Pass,
            HookDecision::Ask(reason) if self.asks(input) => HookDecision::Ask(plain(reason)),
            HookDecision::Ask(reason) => {
                let advice =
                    "Nobody can be asked here: ask your user to run it, or find another way.";
                HookDecision::Deny(plain(&format!("{reason} {advice}")))
            }
            HookDecision::Deny(reason) => HookDecision::Deny(plain(reason)),
        }
    }

    /// Whether the agent puts a question to its person now.
    #[must_use]
    pub fn asks(self, input: Option<&HookInput>) -> bool {
        match (self.contract().ask, input) {
            (AskSupport::Always, Some(_)) => true,
            (AskSupport::InModes(_, modes), Some(input)) => {
                input.mode.as_deref().is_some_and(|mode| modes.contains(&mode))
            }
            (AskSupport::Never, _) | (_, None) => false,
        }
    }

    /// No objection. Where silence means that, there is silence: a bare `allow` would skip the agent's own
    /// question, and Codex takes it for a failure.
    pub(crate) fn pass(self) -> String {
        match self.contract().form {
            AnswerForm::HookSpecific | AnswerForm::PermissionDecision => String::new(),
            AnswerForm::Permission => json!({ "permission": "allow" }).to_string(),
            AnswerForm::Decision if self == Self::Generic || self == Self::OpenCode => {
                json!({ "decision": "allow" }).to_string()
            }
            AnswerForm::Decision => "{}".to_owned(),
        }
    }

    fn object(self, decision: &str, reason: &str) -> String {
        let object: Value = match self.contract().form {
            AnswerForm::HookSpecific => json!({ "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": decision,
                "permissionDecisionReason": reason,
            }}),
            AnswerForm::PermissionDecision => {
                json!({ "permissionDecision": decision, "permissionDecisionReason": reason })
            }
            AnswerForm::Permission => {
                json!({ "permission": decision, "user_message": reason, "agent_message": reason })
            }
            AnswerForm::Decision => json!({ "decision": decision, "reason": reason }),
        };
        object.to_string()
    }
}

/// The answer for the command that `aegish install` writes into the agent's settings. That command turns
/// everything but `pass` and a question into a refusal, so a guard that is missing, killed or broken refuses.
#[must_use]
pub fn answer_wrapped(agent: Agent, decision: &HookDecision, input: Option<&HookInput>) -> Answer {
    match agent.possible(decision, input) {
        HookDecision::Pass => Answer { stdout: PASS.to_owned(), stderr: String::new(), status: 0 },
        HookDecision::Ask(reason) => {
            Answer { stdout: agent.object("ask", &reason), stderr: String::new(), status: 0 }
        }
        // Agents that read an object show the model its reason alone; of a status they also show the command.
        HookDecision::Deny(reason) if agent.contract().deny_status == 0 => {
            Answer { stdout: agent.object("deny", &reason), stderr: String::new(), status: 0 }
        }
        HookDecision::Deny(reason) => {
            Answer { stdout: String::new(), stderr: line(&reason), status: REFUSED }
        }
    }
}

/// One line without control characters, never empty.
fn plain(reason: &str) -> String {
    let visible = |c: char| if c.is_control() { ' ' } else { c };
    let text: String = reason.chars().map(visible).take(LONGEST_REASON).collect();
    let text = text.trim();
    if text.is_empty() { NO_REASON.to_owned() } else { text.to_owned() }
}

fn line(reason: &str) -> String {
    format!("{reason}\n")
}

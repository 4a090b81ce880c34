//! `aegish hook AGENT`: one call of a coding agent's tool on standard input → the answer that the agent honours.
//!
//! Whatever goes wrong is a refusal in the agent's own contract: input that does not fit it, a configuration that
//! cannot be read, a verdict that cannot be recorded, a defect. Nothing but a verdict lets a call pass.

mod input;
mod reason;

use crate::file_commands;
use crate::shell::{Audience, PromptAnswer, TextGuard};
use aegish_agents::{Agent, Answer, Call, HookDecision, HookInput, answer_wrapped};
use aegish_terminal::Failure;
use clap::Args;
use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;

#[derive(Args)]
pub(crate) struct HookOptions {
    /// Whose contract: claude, codex, gemini, cursor, copilot, opencode, qwen, crush, droid or generic
    pub(crate) agent: Agent,
    /// Answer the command that `aegish install` writes into the settings: `pass`, a question, or exit status 2
    #[arg(long)]
    pub(crate) wrapped: bool,
}

/// The contract of this process, for the answer to a panic.
static CONTRACT: OnceLock<(Agent, bool)> = OnceLock::new();

/// The options if these arguments are those that settings of agents hold. To build the parser for all tasks, whose business
/// the rest is, costs more than a verdict.
pub(crate) fn called_by(arguments: &[OsString]) -> Option<HookOptions> {
    let words: Option<Vec<&str>> = arguments.iter().skip(1).map(|word| word.to_str()).collect();
    let (agent, wrapped) = match words?.as_slice() {
        ["hook", agent] => (*agent, false),
        ["hook", agent, "--wrapped"] => (*agent, true),
        _ => return None,
    };
    Some(HookOptions { agent: agent.parse().ok()?, wrapped })
}

pub(crate) fn run(options: &HookOptions) -> ExitCode {
    let _ = CONTRACT.set((options.agent, options.wrapped));
    let (decision, input) = decide(options.agent);
    ExitCode::from(write(options.agent, options.wrapped, &decision, input.as_ref()))
}

/// Answers a panic outside of the pipeline with a refusal, and returns the status to end with. `None` if this
/// process is no hook.
pub(crate) fn answer_to_panic() -> Option<u8> {
    let (agent, wrapped) = CONTRACT.get()?;
    let decision = HookDecision::Deny(refusal("it has a defect; report it"));
    Some(write(*agent, *wrapped, &decision, None))
}

fn write(agent: Agent, wrapped: bool, decision: &HookDecision, input: Option<&HookInput>) -> u8 {
    let Answer { stdout, stderr, status } = if wrapped {
        answer_wrapped(agent, decision, input)
    } else {
        agent.answer(decision, input)
    };
    let _ = io::stderr().write_all(stderr.as_bytes());
    let mut output = io::stdout();
    match output.write_all(stdout.as_bytes()).and_then(|()| output.flush()) {
        Ok(()) => status,
        // Without the answer only the status can refuse.
        Err(_) => {
            let _ = writeln!(io::stderr(), "{}", refusal("its answer could not be written"));
            2
        }
    }
}

/// The reason of a refusal that no verdict stands behind.
fn refusal(why: &str) -> String {
    format!("aegish did not judge this call, so it must not run: {why}.")
}

fn decide(agent: Agent) -> (HookDecision, Option<HookInput>) {
    let input = match input::read(agent) {
        Ok(input) => input,
        Err(why) => return (HookDecision::Deny(refusal(&why)), None),
    };
    let decision = judge_all(agent, &input)
        .unwrap_or_else(|failure| HookDecision::Deny(refusal(&failure.message)));
    (decision, Some(input))
}

/// The strictest answer to the calls.
fn judge_all(agent: Agent, input: &HookInput) -> Result<HookDecision, Failure> {
    if input.calls.is_empty() {
        return Ok(HookDecision::Pass);
    }
    let cwd = input.cwd.as_deref().map(Path::new);
    // The settings of the project that the call is made in. A directory that cannot be entered still counts for
    // the meaning of relative paths.
    if let Some(cwd) = cwd {
        let _ = env::set_current_dir(cwd);
    }
    let mut guard = TextGuard::open()?;
    let audience = Audience::Agent { asks: agent.asks(Some(input)) };
    let mut question = None;
    for call in &input.calls {
        match judge(&mut guard, call, cwd, audience)? {
            HookDecision::Pass => {}
            HookDecision::Ask(reason) => {
                question.get_or_insert(reason);
            }
            deny @ HookDecision::Deny(_) => return Ok(deny),
        }
    }
    Ok(question.map_or(HookDecision::Pass, HookDecision::Ask))
}

fn judge(
    guard: &mut TextGuard,
    call: &Call,
    cwd: Option<&Path>,
    audience: Audience,
) -> Result<HookDecision, Failure> {
    let texts = match call {
        Call::Shell { text, shell } => vec![match shell {
            Some(shell) => {
                file_commands::on_paths(b"", &[shell.as_bytes(), b"-c", text.as_bytes()])
            }
            None => text.clone().into_bytes(),
        }],
        // What is written matters only where a write is not harmless as such.
        Call::File(operation) => {
            let mut texts = vec![file_commands::of_tool(operation)];
            texts.extend(file_commands::with_content(operation));
            texts
        }
    };
    let judged = guard.judge(&texts, cwd, audience)?;
    let reason = || reason::of(&judged.decision, call, &String::from_utf8_lossy(&judged.text));
    Ok(match judged.answer {
        PromptAnswer::Go(_) | PromptAnswer::GoUndoably(_) => HookDecision::Pass,
        PromptAnswer::Declined => HookDecision::Ask(reason()),
        PromptAnswer::Blocked | PromptAnswer::Interrupted => HookDecision::Deny(reason()),
    })
}

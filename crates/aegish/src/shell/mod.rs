//! The shell: for people at a prompt, as a login shell and for agents.
//!
//! Every text is judged before bash gets it, and bash gets exactly that text.

mod always;
mod approved;
mod ask;
mod banner;
mod bindings;
mod cancellable_judge;
mod completion;
mod edited;
mod editor;
mod elevation;
mod expected;
mod history;
mod input;
mod interactive;
mod keys;
mod limits;
mod line_context;
mod line_verdict;
mod observed;
mod once;
mod processes;
mod prompt;
mod prompt_command;
mod recall;
mod recent_files;
mod record;
mod refusal;
mod reserved;
mod session_history;
mod session_prompt;
mod settings;
mod sftp;
mod shell_call;
mod start_files;
mod start_records;
mod started;
mod supervise;
mod system_files;
mod text_guard;

use aegish_terminal::{ExitKind, Failure};
pub(crate) use ask::{PromptAnswer, ask_line};
pub(crate) use limits::KernelLimits;
pub(crate) use observed::Uses;
pub(crate) use refusal::{RefusalFormat, Unattended};
pub(crate) use settings::ShellSettings;
pub(crate) use text_guard::{Audience, TextGuard};

use crate::args::{Arguments, Task};
use crate::run::tight::{self, Bounds};
use crate::run::undoable::{self, Afterwards};
use aegish_config::Mode;
use aegish_exec::BashOptions;
use clap::{CommandFactory, Subcommand};
use data_encoding::HEXLOWER;
use interactive::Opened;
use shell_call::{ShellCall, ShellInput};
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Runs the shell if the words call it; `None` if they are for the command line.
pub(crate) fn run(words: Vec<OsString>) -> Option<Result<u8, Failure>> {
    if shell_call::asks_for_version(&words) {
        return Some(version());
    }
    let called = match shell_call::parse(words, is_task) {
        Ok(called) => called?,
        Err(error) => return Some(Err(Failure::usage(error))),
    };
    Some(start(called))
}

/// The version of the bash that would run what is judged, as that bash prints it.
fn version() -> Result<u8, Failure> {
    let bash = ShellSettings::load()?.bash()?;
    let shown = bash.version_text().map_err(failed)?;
    io::stdout().write_all(&shown).map_err(failed)?;
    Ok(0)
}

/// How one text is run.
pub(crate) struct TextRun {
    /// So that it can be undone.
    pub(crate) undo: Option<Afterwards>,
    /// Without people.
    pub(crate) unattended: Option<Unattended>,
    pub(crate) bounds: Bounds,
}

/// Runs one text as `-c` does, with these differences.
pub(crate) fn run_text(text: &OsStr, run: TextRun) -> Result<u8, Failure> {
    let mut settings = ShellSettings::load()?;
    settings.undo = run.undo;
    if let Some(unattended) = &run.unattended {
        settings.format = unattended.format;
    }
    settings.unattended = run.unattended;
    settings.limits = match &run.bounds {
        Bounds::OfSettings => settings.limits,
        Bounds::Observed => settings.limits.observing(None),
        Bounds::Plan(also) => {
            let plan = tight::plan(text, &settings, also);
            settings.limits.observing(Some(plan))
        }
    };
    once::text(text, &[], &BashOptions::default(), &settings)
}

fn start(called: ShellCall) -> Result<u8, Failure> {
    let ShellCall { start, login, interactive, options } = called;
    let mut settings = ShellSettings::load()?;
    undoable::recover(&settings.config);
    match start {
        ShellInput::Lines { arguments }
            if arguments.is_empty() && (interactive || io::stdin().is_terminal()) =>
        {
            settings.opening = options.line().map_err(|error| Failure::usage(error.to_string()))?;
            let parent = parent(login, &settings);
            let opened = if login { Opened::AtLogin } else { Opened::Within };
            let status = interactive::run(settings, opened)?;
            if let Some(word) = parent {
                aegish_terminal::complain(word);
            }
            Ok(status)
        }
        ShellInput::Lines { arguments } => once::input(&arguments, &options, &settings),
        ShellInput::Text { text, words } => once::text(&text, &words, &options, &settings),
        ShellInput::File { path, arguments } => once::file(&path, &arguments, &options, &settings),
    }
}

/// The message about where `exit` leads.
fn parent(login: bool, settings: &ShellSettings) -> Option<&'static str> {
    let told = !login && settings.mode() == Mode::Development;
    let told = told && settings.config.is_on("AEGISH_BANNER") && io::stderr().is_terminal();
    told.then_some("the session is over; what you are back in is not guarded")
}

fn is_task(word: &str) -> bool {
    word == "help" || Task::has_subcommand(word)
}

/// The task that a mistyped word may mean.
fn nearest_task(word: &Path) -> Option<String> {
    let names = Arguments::command();
    let names = names.get_subcommands().map(|task| task.get_name().to_owned());
    aegish_config::nearest(word.to_str()?, names.chain(["help".to_owned()]))
}

/// The status for a blocked command.
const BLOCKED: u8 = 1;
/// The exit status if the person interrupts the question.
const INTERRUPTED: u8 = 130;
/// The status of a declined warning.
const DECLINED: u8 = 2;

fn failed(error: impl std::fmt::Display) -> Failure {
    Failure { ending: ExitKind::Failure, message: error.to_string() }
}

/// `N` random bytes in hexadecimal digits.
fn random_hex<const N: usize>() -> Result<String, Failure> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(failed)?;
    Ok(HEXLOWER.encode(&bytes))
}

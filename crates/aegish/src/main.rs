//! The binary: arguments in, verdicts out. The knowledge is in the guard.
//!
//! Exit status of `check`: 0 allow, 10 warn, 20 block. Everywhere: 2 wrong usage, 3 internal error; in both
//! cases nothing was approved.

mod args;
mod audit;
#[cfg_attr(not(feature = "bench"), path = "without_bench.rs")]
mod bench;
mod check;
mod completions;
mod config;
mod configuration;
mod doctor;
mod excerpt;
mod explain;
mod file_commands;
mod hook;
mod install;
mod json;
mod jsonl;
mod judge;
#[cfg(feature = "man-pages")]
mod man_pages;
mod models;
mod output;
mod programs;
mod rules;
#[cfg(feature = "scan")]
mod scan;
mod setup;
mod shell;
mod source;
mod trust;
mod user_rules;
mod why;

use aegish_guard::{PanicFate, Verb};
use args::{Arguments, Task};
use clap::Parser;
use output::Screen;
use std::process::{self, ExitCode};

/// Exit status of a run; see `docs/reference/exit-codes.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExitKind {
    /// The command may run, or the task other than a verdict is done.
    Allow,
    /// A person has to be asked first.
    Warn,
    /// It must not run.
    Block,
    /// The arguments make no sense.
    Usage,
    /// Another error; nothing was approved.
    Failure,
    /// No bash was found.
    NoBash,
}

impl ExitKind {
    fn code(self) -> u8 {
        match self {
            Self::Allow => 0,
            Self::Warn => 10,
            Self::Block => 20,
            Self::Usage => 2,
            Self::Failure => 3,
            Self::NoBash => 127,
        }
    }
}

/// Why a run ended without doing its work.
#[derive(Debug)]
struct Failure {
    ending: ExitKind,
    message: String,
}

impl Failure {
    fn usage(message: impl Into<String>) -> Self {
        Self { ending: ExitKind::Usage, message: message.into() }
    }

    fn internal(message: impl Into<String>) -> Self {
        Self { ending: ExitKind::Failure, message: message.into() }
    }
}

fn main() -> ExitCode {
    // A defect must not look like an answer. A panic while judging is a block; any other panic ends the
    // process with the status for "nothing approved".
    std::panic::set_hook(Box::new(|info| {
        if aegish_guard::note_panic(info) == PanicFate::Caught {
            return;
        }
        output::complain(&format!("internal error, nothing was approved: {info}"));
        if let Some(status) = hook::answer_to_panic() {
            process::exit(i32::from(status));
        }
        process::exit(i32::from(ExitKind::Failure.code()));
    }));
    if let Some(outcome) = shell::run(std::env::args_os().collect()) {
        return match outcome {
            Ok(status) => ExitCode::from(status),
            Err(failure) => {
                output::complain(&failure.message);
                ExitCode::from(failure.ending.code())
            }
        };
    }
    let mut screen = Screen::standard();
    let outcome = match Arguments::parse().task {
        Task::Hook(options) => return hook::run(&options),
        Task::Check(options) if options.jsonl => jsonl::run(&options),
        Task::Check(options) => check::run(&options, &mut screen),
        #[cfg(feature = "scan")]
        Task::Scan(options) => scan::run(&options, &mut screen),
        Task::Explain(options) => explain::run(&options, &mut screen),
        Task::Models(options) => models::run(&options, &mut screen),
        Task::Config(task) => config::run(&task, &mut screen),
        Task::Doctor(options) => doctor::run(&options, &mut screen),
        Task::Setup(task) => setup::run(&task, &mut screen),
        Task::Audit(task) => audit::run(&task, &mut screen),
        Task::Install(options) => install::install(&options, &mut screen),
        Task::Uninstall(options) => install::uninstall(&options, &mut screen),
        Task::Why(options) => why::run(&options, &mut screen),
        Task::Allow(options) => user_rules::add(Verb::Allow, &options, &mut screen),
        Task::Ask(options) => user_rules::add(Verb::Ask, &options, &mut screen),
        Task::Deny(options) => user_rules::add(Verb::Deny, &options, &mut screen),
        Task::Trust(options) => trust::run(&options, &mut screen),
        Task::Policy(task) => user_rules::run(&task, &mut screen),
        Task::Rules { id } => rules::run(id.as_deref(), &mut screen),
        Task::Programs { name } => programs::run(name.as_deref(), &mut screen),
        Task::Completions { shell } => completions::run(shell, &mut screen),
        #[cfg(feature = "man-pages")]
        Task::ManPages { dir } => man_pages::run(&dir, &mut screen),
        Task::Bench(task) => bench::run(&task, &mut screen),
    };
    let ending = outcome.and_then(|ending| match screen.finish() {
        Ok(()) => Ok(ending),
        Err(error) => Err(Failure::internal(format!("the answer could not be written: {error}"))),
    });
    match ending {
        Ok(ending) => ExitCode::from(ending.code()),
        Err(failure) => {
            output::complain(&failure.message);
            ExitCode::from(failure.ending.code())
        }
    }
}

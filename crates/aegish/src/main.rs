//! The binary: arguments in, verdicts out. The knowledge is in the guard.
//!
//! Exit status of `check`: 0 allow, 10 warn, 20 block. Everywhere: 2 wrong usage, 3 internal error; in both
//! cases nothing was approved.

mod annotation;
mod args;
mod audit;
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
mod jsonl;
mod judge;
#[cfg(feature = "records")]
mod judge_log;
#[cfg(feature = "man-pages")]
mod man_pages;
#[cfg(feature = "mcp")]
mod mcp;
mod models;
mod programs;
mod rules;
mod run;
#[cfg(feature = "scan")]
mod scan;
#[cfg(feature = "serve")]
mod serve;
mod shell;
mod source;
mod trust;
mod undo;
mod user_rules;
mod why;
#[cfg(not(feature = "bench"))]
mod without_bench;

use aegish_guard::{PanicFate, Verb};
use aegish_terminal::{ExitKind, Failure, Screen};
use args::{Arguments, Task};
use std::ffi::OsString;
use std::process::{self, ExitCode};

fn main() -> ExitCode {
    // A defect must not look like an answer. A panic while judging is a block; any other panic ends the
    // process with the status for "nothing approved".
    std::panic::set_hook(Box::new(|info| {
        if aegish_guard::note_panic(info) == PanicFate::Caught {
            return;
        }
        aegish_terminal::complain(&format!("internal error, nothing was approved: {info}"));
        if let Some(status) = hook::answer_to_panic() {
            process::exit(i32::from(status));
        }
        process::exit(i32::from(ExitKind::Failure.code()));
    }));
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if let Some(outcome) = shell::run(arguments.clone()) {
        return ended(outcome);
    }
    if let Some(options) = hook::called_by(&arguments) {
        return hook::run(&options);
    }
    let mut screen = Screen::standard();
    let outcome = match Arguments::read(&arguments).task {
        Task::Hook(options) => return hook::run(&options),
        Task::Run(options) => return ended(run::run(&options)),
        Task::Undo(options) => undo::run(&options, &mut screen),
        Task::Check(options) if options.jsonl => jsonl::run(&options),
        Task::Check(options) => check::run(&options, &mut screen),
        #[cfg(feature = "scan")]
        Task::Scan(options) => scan::run(&options, &mut screen),
        #[cfg(feature = "records")]
        Task::JudgeLog(options) => judge_log::run(&options, &mut screen),
        Task::Explain(options) => explain::run(&options, &mut screen),
        Task::Models(options) => models::run(&options, &mut screen),
        Task::Config(task) => config::run(&task, &mut screen),
        Task::Doctor(options) => doctor::run(&options, &mut screen),
        Task::Setup(task) => aegish_setup::run(&task, &audit::of_login, &mut screen),
        Task::Audit(task) => audit::run(&task, &mut screen),
        Task::Install(options) => install::install(&options, &mut screen),
        Task::Uninstall(options) => install::uninstall(&options, &mut screen),
        #[cfg(feature = "mcp")]
        Task::Mcp(options) => mcp::run(&options),
        #[cfg(feature = "serve")]
        Task::Serve(options) => serve::run(&options),
        Task::Why(options) => why::run(&options, &mut screen),
        Task::Allow(options) => user_rules::add(Verb::Allow, &options, &mut screen),
        Task::Ask(options) => user_rules::add(Verb::Ask, &options, &mut screen),
        Task::Deny(options) => user_rules::add(Verb::Deny, &options, &mut screen),
        Task::Trust(options) => trust::run(&options, &mut screen),
        Task::Policy(task) => user_rules::run(&task, &mut screen),
        #[cfg(feature = "fleet")]
        Task::Fleet(task) => aegish_fleet::run_fleet(&task, &mut screen),
        Task::Rules { id } => rules::run(id.as_deref(), &mut screen),
        Task::Programs { name } => programs::run(name.as_deref(), &mut screen),
        Task::Completions { shell } => completions::run(shell, &mut screen),
        #[cfg(feature = "man-pages")]
        Task::ManPages { dir } => man_pages::run(&dir, &mut screen),
        Task::Bench(task) => args::bench::run(&task, &mut screen),
    };
    let ending = outcome.and_then(|ending| match screen.finish() {
        Ok(()) => Ok(ending),
        Err(error) => Err(Failure::internal(format!("the answer could not be written: {error}"))),
    });
    match ending {
        Ok(ending) => ExitCode::from(ending.code()),
        Err(failure) => ended(Err(failure)),
    }
}

/// The exit status of a shell.
fn ended(outcome: Result<u8, Failure>) -> ExitCode {
    match outcome {
        Ok(status) => ExitCode::from(status),
        Err(failure) => {
            aegish_terminal::complain(&failure.message);
            ExitCode::from(failure.ending.code())
        }
    }
}

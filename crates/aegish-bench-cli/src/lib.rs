//! `aegish bench`: measuring systems that judge commands. The work is done by `aegish-bench`.

mod board;
mod compare;
mod data;
mod folder;
mod plan;
mod progress;
mod results;
mod retry;
mod run;
mod score;
mod table;
mod worker;

use aegish_terminal::{ExitKind, Failure, Screen};
use clap::{Args, Subcommand};

/// A task of `aegish bench`.
#[derive(Args)]
pub struct BenchTask {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Data sets: list, show, check, export, and make them from their sources
    #[command(subcommand)]
    Data(data::DataTask),
    /// Ask systems about data sets and write logs; an interrupted run goes on where it stopped
    Run(Box<run::RunOptions>),
    /// Ask again about samples that timed out or failed, and merge the answers into their logs
    Retry(retry::RetryOptions),
    /// Ask for runs that were begun with --queue on other machines
    Worker(worker::WorkerOptions),
    /// Leaderboards over all logs of a folder, one for each data set
    Board(board::BoardOptions),
    /// Rank systems by their logs; write a report with plots
    Compare(compare::CompareOptions),
    /// Figures of logs, from the completions in them: no model is asked, no key needed
    Score(score::ScoreOptions),
}

/// Carries out a task.
///
/// # Errors
/// The task could not be done; the message says what did not happen.
pub fn run(task: &BenchTask, screen: &mut Screen) -> Result<ExitKind, Failure> {
    match &task.task {
        Task::Data(task) => data::run(task, screen),
        Task::Run(options) => run::run(options, screen),
        Task::Retry(options) => retry::run(options, screen),
        Task::Worker(options) => worker::run(options),
        Task::Board(options) => board::run(options, screen),
        Task::Compare(options) => compare::run(options, screen),
        Task::Score(options) => score::run(options, screen),
    }
}

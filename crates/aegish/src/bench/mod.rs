//! `aegish bench`: measuring systems that judge commands. The work is done by `aegish-bench`.

mod board;
mod compare;
mod data;
mod plan;
mod progress;
mod results;
mod retry;
mod run;
mod score;
mod table;
mod worker;

use crate::output::Screen;
use crate::{ExitKind, Failure};
use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum BenchTask {
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

pub(crate) fn run(task: &BenchTask, screen: &mut Screen) -> Result<ExitKind, Failure> {
    match task {
        BenchTask::Data(task) => data::run(task, screen),
        BenchTask::Run(options) => run::run(options, screen),
        BenchTask::Retry(options) => retry::run(options, screen),
        BenchTask::Worker(options) => worker::run(options),
        BenchTask::Board(options) => board::run(options, screen),
        BenchTask::Compare(options) => compare::run(options, screen),
        BenchTask::Score(options) => score::run(options, screen),
    }
}

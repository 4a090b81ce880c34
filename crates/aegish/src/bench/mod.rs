//! `aegish bench`: measuring systems that judge commands. The work is done by `aegish-bench`.

mod compare;
mod data;
mod score;

use crate::output::Screen;
use crate::{Ending, Failure};
use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum BenchTask {
    /// Data sets: list, show, check, export, and make them from their sources
    #[command(subcommand)]
    Data(data::DataTask),
    /// Rank systems by their logs; write a report with plots
    Compare(compare::CompareOptions),
    /// Figures of logs, from the completions in them: no model is asked, no key needed
    Score(score::ScoreOptions),
}

pub(crate) fn run(task: &BenchTask, screen: &mut Screen) -> Result<Ending, Failure> {
    match task {
        BenchTask::Data(task) => data::run(task, screen),
        BenchTask::Compare(options) => compare::run(options, screen),
        BenchTask::Score(options) => score::run(options, screen),
    }
}

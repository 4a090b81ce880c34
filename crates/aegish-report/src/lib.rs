//! Logs → a comparison: table, page, pictures, JSON and CSV.
//!
//! Takes [`Run`]s, read from logs; gives a [`Comparison`] and ways to show it. It calls no system and
//! computes no figure of its own: all of them come from [`metrics`](aegish_log::metrics). What was not
//! measured is shown as missing.

mod board;
mod common;
mod compare;
pub(crate) mod draw;
pub(crate) mod escape;
mod export;
mod figures;
mod files;
mod format;
mod html;
mod identity;
mod latex;
mod plot;
mod run;
mod system;
mod text;

#[cfg(test)]
mod tests;

pub use board::{Board, BoardRow, BoardSet};
pub use compare::{ComparedSample, Comparison, DataSet, SystemAnswer, UsedLog};
pub use export::{categories_csv, json, ranking_csv, samples_csv};
pub use files::{ReportError, WrittenFiles, write, write_board};
pub use latex::{categories_tex, ranking_tex};
pub use run::{Run, RunEnding};
pub use system::{ComparedSystem, Errors, Estimate, Figures, Pairing, Rate, Spent, TARGET, Times};
pub use text::table;

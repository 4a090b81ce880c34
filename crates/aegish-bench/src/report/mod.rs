//! Logs → a comparison: table, page, pictures, JSON and CSV.

mod compare;
pub(crate) mod draw;
pub(crate) mod escape;
mod figures;
mod format;
mod html;
mod plot;
mod run;
mod system;

pub use compare::{Comparison, DataSet, Reply, Row, Source};
pub use run::{Ending, Run};
pub use system::{Cost, Errors, Estimate, Figures, Pairing, Rate, System, TARGET, Times};

#[cfg(test)]
mod look;

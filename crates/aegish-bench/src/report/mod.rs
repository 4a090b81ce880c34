//! Logs → a comparison: table, page, pictures, JSON and CSV.

pub(crate) mod draw;
pub(crate) mod escape;

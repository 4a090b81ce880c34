//! Logs in the formats of Inspect AI: `.eval` (a ZIP archive) and `.json`.

pub(crate) mod clock;
mod error;
mod exchange;
mod spec;

pub use error::LogError;
pub use exchange::{Bodies, Exchange};
pub use spec::{Config, DatasetSpec, PromptCopies, PromptSpec, Revision, Spec};

//! Code of general-purpose languages → what it would do.
//!
//! Takes program text in Java, Go, R, Julia and similar languages, gives the
//! [`CodeEffect`]s found in code position. Nothing is run, and no text is an error: what is not
//! understood is left out, or reported as [`CodeEffect::Hidden`] where something unknown is executed.
//! `aegish-languages` is the entry point for all languages.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod engine;

pub use aegish_code_effects::{CodeContext, CodeEffect};
pub use engine::scan;

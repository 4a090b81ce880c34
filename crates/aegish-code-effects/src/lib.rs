//! What code of inner languages does, and what its readers share.
//!
//! Gives the [`CodeEffect`]s that every reader of code reports and the [`CodeContext`] it may ask; questions about
//! operands, and texts that are decoded, cut into words or translated. Follows no program.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

pub mod characters;
pub mod decode;
mod effect;
pub mod lua_pattern;
pub mod operand;
pub mod paths;
pub mod words;

pub use effect::{ANY_INPUT, CodeContext, CodeEffect, NoFiles, SessionFiles};

//! The intermediate form of inner languages, and the state that all lowerings share.
//!
//! Holds types only; knows no language.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

pub mod ir;
pub mod limits;
pub mod lowering;

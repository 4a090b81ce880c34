//! Abstract strings and the origin of their content.
//!
//! Takes known text and unknown pieces, gives a [`Value`] with its [`Taint`]; the shell patterns of
//! [`pattern`] are matched against known text. Knows no shell, no program and no file.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod join;
pub mod origin;
mod path_map;
pub mod pattern;
mod possible;
mod shared_map;
mod taint;
mod value;

pub use ecow::EcoString;
pub use join::{either_output, either_value, join_all, join_values, widen_value};
pub use path_map::{HasOrigin, PathMap};
pub use shared_map::SharedMap;
pub use taint::{Source, Taint};
pub use value::{BRANCH, MAX_ALTERNATIVES, Piece, Value};

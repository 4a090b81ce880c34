//! Program text of inner languages → one intermediate form.
//!
//! Takes code of a language that has a parser here and lowers its syntax tree into [`ir`]. Knows the grammar of each
//! language and nothing of what its calls do. Text that the parser rejects gives the statements that could be read, and
//! is marked as cut.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod javascript;
pub mod language;
mod lua;
mod perl;
mod php;
mod python;
mod ruby;
pub mod template;

use aegish_code_ir::limits;
pub use aegish_code_ir::{ir, lowering};
pub use aegish_script_parsers::tcl;
pub use javascript::{FIELDS, setter_name};

//! Abstract values and memory of a program before it runs.
//!
//! Takes what an abstract interpreter learns of the values of a program and keeps it: cells, the levels that undo their
//! changes, scopes, and values that are one of several. Joins the states of branches. Knows no language and no effect.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]
#![allow(missing_docs)] // the names are those of the interpreter

pub mod heap;
pub mod limits;
pub mod lines;
pub mod numbers;
pub mod reference;
pub mod scope;
pub mod value;

use aegish_code_parsers::ir;

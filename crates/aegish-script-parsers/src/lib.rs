//! Text of Lisp, Tcl, PowerShell and AppleScript → the intermediate form, by own parsers.
//!
//! Knows the grammar of each language and nothing of what its calls do. Text that a parser rejects gives the statements
//! that could be read, and is marked as cut.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

pub mod applescript;
pub mod lisp;
pub mod powershell;
pub mod tcl;

use aegish_code_ir::{ir, limits, lowering};

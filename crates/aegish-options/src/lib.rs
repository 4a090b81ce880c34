//! Reads a command line with its program's option grammar.
//!
//! Takes a grammar from the program's profile and the words after the program's name, gives options with
//! their values, operands and subcommands ([`sort`], [`parts`]) and the role of every word ([`parse`]). It is
//! the only reader of options. It knows no effects, and words may be unknown.
#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

pub mod addresses;
mod names;
mod operands;
mod part;
mod reader;
mod roles;
mod words;

pub use part::{CommandPart, GivenOption};
pub use roles::{Argument, CommandLine, parse};
pub use words::{Words, parts, sort};

use aegish_syntax::Span;
use aegish_values::Value;

/// A word after all expansions.
#[derive(Debug, Clone)]
pub struct Field {
    /// Its value.
    pub value: Value,
    /// The source word it came from.
    pub span: Span,
}

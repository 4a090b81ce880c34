//! Bash text → syntax tree with spans.
//!
//! Takes the text of a command line or script, gives a [`Script`]. Knows the grammar of Bash 5.2 and
//! nothing about any program. It never panics, never runs anything and never loops: nesting, input
//! length and work are bounded by [`Limits`], and reaching a bound is a [`SyntaxError`].
//!
//! Bash reads, parses and runs one complete command (in practice: one logical line) after the other,
//! so text after a syntax error does not undo what stood before it. [`parse`] therefore always
//! returns the commands that Bash would have run, together with the error that stopped it.

mod ast;
mod span;

pub use ast::*;
pub use span::Span;

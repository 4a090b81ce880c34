//! Comments.

use crate::Span;

/// A comment, from its `#` to the end of its line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Comment {
    /// Its span; that of the whole substitution for a comment in backticks.
    pub span: Span,
    /// Its text.
    pub text: String,
}

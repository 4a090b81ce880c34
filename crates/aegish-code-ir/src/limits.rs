//! Bounds on the text and on the intermediate form. What is left out is marked as cut.

/// Longest text that is parsed, in bytes.
pub const MAX_TEXT: usize = 1 << 20;

/// Deepest nesting of the intermediate form.
pub const MAX_DEPTH: u32 = 120;

//! The parts of a command line as written.

use aegish_values::Value;
use std::ops::Range;

/// An option of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenOption {
    /// As written, with dashes and without its value.
    pub name: String,
    /// All spellings, if the program's profile has it.
    pub spellings: &'static [&'static str],
    /// Its value, if it has one.
    pub value: Option<Value>,
}

impl GivenOption {
    /// Whether this option has that name, in any spelling.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        self.name == name || self.spellings.contains(&name)
    }

    /// The value, if there is one and it is known.
    #[must_use]
    pub fn known_value(&self) -> Option<&str> {
        self.value.as_ref().and_then(Value::as_known)
    }
}

/// A part of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandPart {
    /// An option, and its words: one, or from its name to its value.
    Option(GivenOption, Range<usize>),
    /// The index of an operand.
    Operand(usize),
    /// The words of a command that ends in `;` or `+` (`find -exec`), without its end.
    Command(Range<usize>),
}

//! Functions of the script.

use aegish_syntax::Command;
use aegish_values::MAX_ALTERNATIVES;
use std::fmt;
use std::sync::Arc;

/// A function: one definition, or several if it is not known which of them ran last.
#[derive(Debug, Clone)]
pub struct Function {
    pub(crate) definitions: Vec<Definition>,
    /// `readonly -f`, on some way at least: later definitions may fail.
    pub readonly: bool,
    /// On some way it is not defined.
    pub optional: bool,
    /// There are more definitions than are kept.
    pub cut: bool,
}

/// One definition of a function.
#[derive(Clone)]
pub struct Definition {
    /// Its body.
    pub body: Arc<Command>,
    /// Its body as written.
    pub text: Arc<str>,
    /// The text that the body was parsed from.
    pub source: Arc<str>,
}

impl Function {
    /// A function with this definition only.
    #[must_use]
    pub fn new(definition: Definition) -> Self {
        Self { definitions: vec![definition], readonly: false, optional: false, cut: false }
    }

    /// What it may be.
    #[must_use]
    pub fn definitions(&self) -> &[Definition] {
        &self.definitions
    }

    /// It may be the other one as well.
    pub fn join(&mut self, other: &Self) {
        self.readonly |= other.readonly;
        self.optional |= other.optional;
        self.cut |= other.cut;
        for theirs in &other.definitions {
            if self.definitions.iter().any(|ours| ours.text == theirs.text) {
                continue;
            }
            if self.definitions.len() == MAX_ALTERNATIVES {
                self.cut = true;
                return;
            }
            self.definitions.push(theirs.clone());
        }
    }
}

impl fmt::Debug for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Definition").field("text", &self.text).finish_non_exhaustive()
    }
}

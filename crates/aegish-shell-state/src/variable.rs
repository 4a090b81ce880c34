//! Variables: their content, their attributes, and what is known of them on several ways.

use crate::content::VariableContent;
use crate::functions::Function;
use aegish_values::{SharedMap, Value};
use std::sync::Arc;

/// A variable set by the script.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Variable {
    /// Its content.
    pub content: VariableContent,
    /// Passed on to programs.
    pub exported: bool,
    /// `declare -n`: the name of another variable.
    pub reference: bool,
    /// `declare -i`
    pub integer: bool,
    /// `declare -u` / `-l`
    pub case: Option<char>,
    /// Whether it may be unset.
    pub perhaps_unset: bool,
    /// Nothing can be assigned.
    pub readonly: bool,
    /// What a condition says about its content.
    pub assumption: Option<Arc<Assumption>>,
    /// What it holds on each way, where that differs in more than texts; see [`Variable::ways`].
    pub ways: Option<Arc<Ways>>,
}

/// The text that a variable has where a condition holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Assumption {
    /// The text.
    pub text: Value,
    /// What is known without the condition, which covers the text.
    pub without: Value,
}

impl Variable {
    /// The variable has this text where a condition holds, if its own is not known.
    pub fn assume(&mut self, text: Value) {
        if self.reference || self.integer {
            return;
        }
        if let VariableContent::Scalar(value) = &mut self.content
            && !value.is_known()
        {
            let text = text.tainted(value.taint());
            let without = std::mem::replace(value, text.clone());
            self.assumption = Some(Arc::new(Assumption { text, without }));
        }
    }

    /// Forgets what a condition says, unless something was assigned since.
    pub(crate) fn forget_assumption(&mut self) {
        if let Some(assumption) = self.assumption.take()
            && let VariableContent::Scalar(value) = &mut self.content
            && *value == assumption.text
        {
            value.clone_from(&assumption.without);
        }
    }

    /// Gives it the attributes that change what is assigned: `i`, `l`, `u`.
    pub fn with_attributes(&mut self, flags: &str) {
        self.integer |= flags.contains('i');
        match (flags.contains('l'), flags.contains('u')) {
            (true, true) => self.case = None,
            (true, false) => self.case = Some('l'),
            (false, true) => self.case = Some('u'),
            (false, false) => {}
        }
    }

    /// Takes attributes away.
    pub fn without_attributes(&mut self, flags: &str) {
        self.integer &= !flags.contains('i');
        self.exported &= !flags.contains('x');
        self.reference &= !flags.contains('n');
        self.case = self.case.filter(|case| !flags.contains(*case));
    }

    /// Whether it holds a string.
    pub fn is_scalar(&self) -> bool {
        matches!(self.content, VariableContent::Scalar(_))
    }
}

/// What a variable holds on the ways that lead here.
#[derive(Debug, Clone, PartialEq)]
pub struct Ways {
    /// The joined content that they belong to.
    pub(crate) joined: VariableContent,
    pub(crate) each: Vec<Way>,
}

/// What a variable holds on some of the ways.
#[derive(Debug, Clone, PartialEq)]
pub enum Way {
    /// What the shell was started with.
    Foreign,
    /// What the text has set or unset.
    Set(VariableContent),
}

/// What words stand for at some point.
#[derive(Debug, Clone)]
pub struct Meanings {
    pub(crate) variables: SharedMap<Variable>,
    pub(crate) functions: SharedMap<Function>,
}

/// Whether nothing was assigned or defined between two points.
impl PartialEq for Meanings {
    fn eq(&self, other: &Self) -> bool {
        self.variables.is_same(&other.variables) && self.functions.is_same(&other.functions)
    }
}

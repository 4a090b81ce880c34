//! The three answers, and for whom they are given.

use crate::user_rules::UserRule;
use std::fmt;
use std::str::FromStr;

/// The action for a command. Stricter is greater; parts combine by `max`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// It runs.
    Allow,
    /// A person is asked first.
    Warn,
    /// It does not run.
    Block,
}

impl Action {
    /// All of them, mildest first.
    pub const ALL: [Self; 3] = [Self::Allow, Self::Warn, Self::Block];

    /// The name in output, logs and policy files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Warn => "warn",
            Self::Block => "block",
        }
    }

    /// The stricter of the two.
    #[must_use]
    pub fn combine(self, other: Self) -> Self {
        self.max(other)
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Action {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        let known = Self::ALL.into_iter().find(|action| action.as_str() == text);
        known.ok_or_else(|| UnknownWord::new("action", text))
    }
}

/// The role: it changes the table of answers, never the reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Role {
    /// A developer, or an agent working for one.
    #[default]
    Default,
    /// An administrator, for whom services, packages and system files are ordinary work.
    Sysadmin,
    /// A user who should stay within the home directory.
    Restricted,
}

impl Role {
    /// All roles, in the order of the policy table's columns.
    pub const ALL: [Self; 3] = [Self::Default, Self::Sysadmin, Self::Restricted];

    /// The name in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Sysadmin => "sysadmin",
            Self::Restricted => "restricted",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Role {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        let known = Self::ALL.into_iter().find(|role| role.name() == text);
        known.ok_or_else(|| UnknownWord::new("role", text))
    }
}

/// A word that is not an [`Action`], [`Role`] or [`Verb`](crate::Verb).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownWord {
    what: &'static str,
    text: String,
}

impl UnknownWord {
    pub(crate) fn new(what: &'static str, text: &str) -> Self {
        Self { what, text: text.to_owned() }
    }
}

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let choices = match self.what {
            "role" => "default, sysadmin, restricted",
            "verb" => "allow, ask, deny",
            _ => "allow, warn, block",
        };
        write!(f, "unknown {}: `{}` (one of {choices})", self.what, self.text)
    }
}

impl std::error::Error for UnknownWord {}

/// The part of the context that the verdict depends on.
#[derive(Debug, Clone, Copy)]
pub struct PolicyContext<'a> {
    /// The role.
    pub role: Role,
    /// Working directory, absolute; empty if unknown.
    pub cwd: &'a str,
    /// Home directory, absolute; empty if unknown.
    pub home: &'a str,
    /// The user rules in force.
    pub user_rules: &'a [UserRule],
}

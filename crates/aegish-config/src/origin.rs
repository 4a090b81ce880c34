//! Origins of settings, and problems with them.

use std::fmt;
use std::path::PathBuf;

/// A source of settings. A later one takes precedence over an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConfigSource {
    /// The program itself.
    BuiltIn,
    /// `/etc/aegish/fleet/bundle.toml`, which is signed.
    Fleet,
    /// `/etc/aegish/config`
    SystemKeys,
    /// `/etc/aegish/config.toml`
    SystemTables,
    /// The user's `config.toml`.
    User,
    /// The project's `.aegish.toml`.
    Project,
    /// A variable of the environment.
    Environment,
}

impl ConfigSource {
    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BuiltIn => "built-in",
            Self::Fleet => "fleet",
            Self::SystemKeys | Self::SystemTables => "system",
            Self::User => "user",
            Self::Project => "project",
            Self::Environment => "environment",
        }
    }
}

/// The origin of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigOrigin {
    /// In the program itself.
    BuiltIn,
    /// In a line of a file; 0 is the file as a whole.
    Line(PathBuf, usize),
    /// In a variable of the environment.
    Variable(String),
}

impl fmt::Display for ConfigOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built-in"),
            Self::Line(path, 0) => write!(f, "{}", path.display()),
            Self::Line(path, line) => write!(f, "{}:{line}", path.display()),
            Self::Variable(name) => write!(f, "environment variable {name}"),
        }
    }
}

/// A problem that makes a configuration unusable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigProblem {
    /// Its origin.
    pub place: ConfigOrigin,
    /// The problem, and what to do about it.
    pub what: String,
}

impl ConfigProblem {
    pub(crate) fn new(place: ConfigOrigin, what: impl Into<String>) -> Self {
        Self { place, what: what.into() }
    }
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// All problems; there is no configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problems(pub Vec<ConfigProblem>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&texts.join("; "))
    }
}

impl std::error::Error for Problems {}

/// A setting that is ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigNote {
    /// Its origin.
    pub place: ConfigOrigin,
    /// What is ignored, and why.
    pub what: String,
}

impl fmt::Display for ConfigNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

//! User rules.

use super::pattern::{HostPattern, PathPattern, TextPattern};
use crate::action::{Action, Role, UnknownWord};
use crate::finding::{Rule, Variant};
use std::fmt;
use std::str::FromStr;

/// The verb of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    /// Commands run without a question.
    Allow,
    /// A person is asked first.
    Ask,
    /// It does not run.
    Deny,
}

impl Verb {
    /// All of them, mildest first.
    pub const ALL: [Self; 3] = [Self::Allow, Self::Ask, Self::Deny];

    /// The name on the command line and in files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Verb {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        let known = Self::ALL.into_iter().find(|verb| verb.as_str() == text);
        known.ok_or_else(|| UnknownWord::new("verb", text))
    }
}

/// The author of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authority {
    /// Root, in the system's configuration.
    System,
    /// The user.
    Person,
}

/// The findings that an allow removes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lifts {
    /// Findings of these rules; of all if empty.
    pub against: Vec<&'static str>,
    /// Which of them.
    pub reach: Reach,
}

/// The extent of an allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reach {
    /// Warnings.
    #[default]
    Warnings,
    /// Also blocks, outside the protected core.
    Blocks,
}

/// A rule that a person or project wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct UserRule {
    /// Its name.
    pub name: String,
    /// Its verb.
    pub verb: Verb,
    /// Its author.
    pub authority: Authority,
    /// Which commands it is about.
    pub shape: Shape,
    /// The findings that an allow removes.
    pub lifts: Lifts,
    /// Its end, such as `2026-02-08T12:34:56Z`.
    pub until: Option<String>,
    /// It is for one command that runs.
    pub once: bool,
    /// The reason for the rule.
    pub because: Option<String>,
    /// Commands that it must match.
    pub examples: Vec<String>,
    /// Commands that it must not match.
    pub counterexamples: Vec<String>,
}

/// The commands that a rule matches. Every field that is set has to match. For an allow all paths, hosts and
/// arguments have to match; for other verbs one is enough.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shape {
    /// The program: a name, or a path with a slash in it.
    pub program: Option<TextPattern>,
    /// The words that follow it, without options.
    pub subcommand: Vec<TextPattern>,
    /// Options that are required.
    pub options: Vec<OptionPattern>,
    /// Options that are forbidden.
    pub without: Vec<OptionPattern>,
    /// No options but those in `options`.
    pub no_other_options: bool,
    /// Patterns of the arguments after the subcommand.
    pub arguments: Vec<TextPattern>,
    /// Files the command reads or changes.
    pub paths: Vec<PathPattern>,
    /// Hosts it talks to.
    pub hosts: Vec<HostPattern>,
    /// Exactly these words.
    pub exactly: Option<Vec<String>>,
    /// Only in this directory and below.
    pub within: Option<PathPattern>,
    /// Only for these roles; for all roles if empty.
    pub roles: Vec<Role>,
}

/// An option, by any of its spellings, perhaps with a certain value: `--force|-f`, `--format=json`.
#[derive(Debug, Clone, PartialEq)]
pub struct OptionPattern {
    pub(crate) spellings: Vec<String>,
    pub(crate) value: Option<TextPattern>,
}

impl OptionPattern {
    /// Reads `--force|-f` or `--format=json`; dashes may be left out.
    ///
    /// # Errors
    ///
    /// If no option is named.
    pub fn new(text: &str) -> Result<Self, String> {
        let (names, value) = match text.split_once('=') {
            Some((names, value)) => (names, Some(TextPattern::new(value)?)),
            None => (text, None),
        };
        let dashed = |name: &str| match (name.starts_with(['-', '+']), name.chars().count()) {
            (true, _) => name.to_owned(),
            (false, 1) => format!("-{name}"),
            (false, _) => format!("--{name}"),
        };
        let spellings: Vec<String> =
            names.split('|').map(str::trim).filter(|name| !name.is_empty()).map(dashed).collect();
        if spellings.is_empty() {
            return Err(format!("`{text}` names no option; write for example --force|-f"));
        }
        Ok(Self { spellings, value })
    }
}

impl fmt::Display for OptionPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spellings.join("|"))?;
        match &self.value {
            Some(value) => write!(f, "={value}"),
            None => Ok(()),
        }
    }
}

impl UserRule {
    /// A person's rule about commands of a shape, without an end or a reason.
    #[must_use]
    pub fn new(name: &str, verb: Verb, shape: Shape) -> Self {
        Self {
            name: name.to_owned(),
            verb,
            authority: Authority::Person,
            shape,
            lifts: Lifts::default(),
            until: None,
            once: false,
            because: None,
            examples: Vec::new(),
            counterexamples: Vec::new(),
        }
    }

    /// Whether an allow removes this finding.
    pub(crate) fn takes_away(&self, rule: &Rule, kind: &Variant, action: Action) -> bool {
        if self.verb != Verb::Allow {
            return false;
        }
        let Lifts { against, reach } = &self.lifts;
        let meant = (against.is_empty() || against.contains(&rule.name))
            && (action == Action::Warn || *reach == Reach::Blocks);
        let protected = kind.core && action == Action::Block;
        meant && (!protected || self.authority == Authority::System)
    }

    /// Whether it is in force at a time, which is written in the same form.
    #[must_use]
    pub fn counts_at(&self, now: &str) -> bool {
        self.until.as_deref().is_none_or(|until| now < until)
    }
}

/// The rule as a sentence, on one line.
impl fmt::Display for UserRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.shape)?;
        let Lifts { against, reach } = &self.lifts;
        if !against.is_empty() {
            write!(f, " against {}", against.join(", "))?;
        }
        if *reach == Reach::Blocks {
            f.write_str(" even where it is blocked")?;
        }
        if self.once {
            f.write_str(", once")?;
        }
        if let Some(until) = &self.until {
            write!(f, ", until {until}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(words) = &self.exactly {
            write!(f, "exactly `{}`", words.join(" "))?;
        } else {
            match &self.program {
                Some(program) => write!(f, "`{program}")?,
                None => f.write_str("`*")?,
            }
            for word in &self.subcommand {
                write!(f, " {word}")?;
            }
            f.write_str("`")?;
        }
        let mut parts = Vec::new();
        if !self.options.is_empty() {
            parts.push(format!("with {}", listed(&self.options)));
        }
        if !self.without.is_empty() {
            parts.push(format!("without {}", listed(&self.without)));
        }
        if self.no_other_options {
            let which = if self.options.is_empty() { "without options" } else { "and no others" };
            parts.push(which.to_owned());
        }
        if !self.arguments.is_empty() {
            parts.push(format!("arguments {}", listed(&self.arguments)));
        }
        if !self.paths.is_empty() {
            parts.push(format!("files {}", listed(&self.paths)));
        }
        if !self.hosts.is_empty() {
            parts.push(format!("hosts {}", listed(&self.hosts)));
        }
        if let Some(directory) = &self.within {
            parts.push(format!("within {directory}"));
        }
        if !self.roles.is_empty() {
            parts.push(format!("role {}", listed(&self.roles)));
        }
        for part in parts {
            write!(f, " {part}")?;
        }
        Ok(())
    }
}

fn listed(items: &[impl fmt::Display]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

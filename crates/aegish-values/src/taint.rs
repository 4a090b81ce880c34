//! Where the content of a value comes from.

use std::collections::BTreeSet;
use std::sync::Arc;

/// The origin of content.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// Received from this host or URL (text as far as known).
    Network(String),
    /// Content from there that was verified, or read by a person.
    Verified(String),
    /// Part of a checkout of this repository.
    Checkout(String),
    /// Content of this file (path as far as known).
    File(String),
    /// Output of this program, which is not modelled.
    Program(String),
    /// An environment variable whose value is not known.
    Environment(String),
    /// The environment variables that a filter with this pattern chooses.
    FilteredEnvironment(String),
    /// Typed or pasted by a person while the command runs.
    Terminal,
}

/// The set of [`Source`]s a value was made from. Copies share it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Taint(Option<Arc<BTreeSet<Source>>>);

impl Taint {
    /// No source except the text of the command.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// A single source.
    #[must_use]
    pub fn from(source: Source) -> Self {
        Self(Some(Arc::new(BTreeSet::from([source]))))
    }

    /// Whether the value consists only of the command's own text.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// All sources, sorted.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        self.0.iter().flat_map(|sources| sources.iter())
    }

    /// The host or URL some of the content was received from.
    #[must_use]
    pub fn network(&self) -> Option<&str> {
        self.sources().find_map(|source| match source {
            Source::Network(origin) => Some(origin.as_str()),
            _ => None,
        })
    }

    /// The host or URL of content that was not verified.
    #[must_use]
    pub fn unverified(&self) -> Option<&str> {
        self.sources().find_map(|source| match source {
            Source::Network(origin) if !self.contains(&Source::Verified(origin.clone())) => {
                Some(origin.as_str())
            }
            _ => None,
        })
    }

    /// The host or URL of content that was verified.
    #[must_use]
    pub fn verified(&self) -> Option<&str> {
        self.sources().find_map(|source| match source {
            Source::Verified(origin) => Some(origin.as_str()),
            _ => None,
        })
    }

    /// The repository some of the content was checked out from.
    #[must_use]
    pub fn checkout(&self) -> Option<&str> {
        self.sources().find_map(|source| match source {
            Source::Checkout(origin) => Some(origin.as_str()),
            _ => None,
        })
    }

    fn contains(&self, source: &Source) -> bool {
        self.0.as_ref().is_some_and(|sources| sources.contains(source))
    }

    /// Adds all sources of `other`.
    pub fn absorb(&mut self, other: &Self) {
        let Some(theirs) = &other.0 else { return };
        match &mut self.0 {
            None => self.0 = Some(Arc::clone(theirs)),
            Some(ours) if Arc::ptr_eq(ours, theirs) || theirs.is_subset(ours) => {}
            Some(ours) if ours.is_subset(theirs) => *ours = Arc::clone(theirs),
            Some(ours) => Arc::make_mut(ours).extend(theirs.iter().cloned()),
        }
    }

    /// Adds one source.
    pub fn add(&mut self, source: Source) {
        if !self.contains(&source) {
            Arc::make_mut(self.0.get_or_insert_default()).insert(source);
        }
    }
}

//! Patterns of critical files, for those who close them by other means than a verdict.

use super::glob::{Match, component, surely};
use super::table::{PathClassPattern, ReadClass, WriteClass};
use crate::table::places::{ANYWHERE, ENTRIES, HOME, ROOT};

/// Where a pattern begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// At the root.
    Root,
    /// At a home directory.
    Home,
    /// At any directory.
    Anywhere,
}

/// What is forbidden to be done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Closed {
    /// Writing.
    Writing,
    /// Reading and writing.
    All,
}

/// A pattern of critical files.
#[derive(Debug, Clone, Copy)]
pub struct CriticalPattern {
    /// Where it begins.
    pub anchor: Anchor,
    /// What is forbidden.
    pub closed: Closed,
    entry: &'static PathClassPattern,
}

impl CriticalPattern {
    /// Its components.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = ComponentPattern> + use<> {
        self.entry.parts.iter().map(|part| ComponentPattern(part))
    }

    /// Whether a file of this name is not meant, although the pattern fits it.
    #[must_use]
    pub fn excepts(&self, name: &[u8]) -> bool {
        self.entry.except.iter().any(|except| surely(except, name))
    }
}

/// A pattern of one component.
#[derive(Debug, Clone, Copy)]
pub struct ComponentPattern(&'static [u8]);

impl ComponentPattern {
    /// The name, if it stands for one only.
    #[must_use]
    pub fn name(self) -> Option<&'static [u8]> {
        (!self.0.contains(&b'*')).then_some(self.0)
    }

    /// Whether it fits a name.
    #[must_use]
    pub fn fits(self, name: &[u8]) -> bool {
        component(self.0, name) == Match::Must
    }
}

/// Passwords, keys and credentials, and files that decide who gets in, what is loaded or run on a schedule, or
/// what the guard does.
pub fn critical_patterns() -> impl Iterator<Item = CriticalPattern> {
    let indices = [(Anchor::Root, &ROOT), (Anchor::Home, &HOME), (Anchor::Anywhere, &ANYWHERE)];
    indices.into_iter().flat_map(|(anchor, index)| {
        index.all().filter_map(move |number| {
            let entry = ENTRIES.get(number)?;
            Some(CriticalPattern { anchor, closed: closed(entry)?, entry })
        })
    })
}

fn closed(entry: &PathClassPattern) -> Option<Closed> {
    let read = matches!(
        entry.read,
        Some(ReadClass::AccountSecret | ReadClass::PrivateKey | ReadClass::Credential)
    );
    let write = matches!(
        entry.write,
        Some(
            WriteClass::Authentication
                | WriteClass::Loader
                | WriteClass::LoginHook
                | WriteClass::Schedule
                | WriteClass::Protection
        )
    );
    match (read, write) {
        (true, _) => Some(Closed::All),
        (false, true) => Some(Closed::Writing),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(anchor: Anchor, path: &str) -> Option<Closed> {
        let parts: Vec<&[u8]> = path.split('/').map(str::as_bytes).collect();
        let fits = |pattern: &CriticalPattern| {
            let own = pattern.parts();
            own.len() == parts.len()
                && own.zip(&parts).all(|(own, part)| own.fits(part))
                && !parts.last().is_some_and(|name| pattern.excepts(name))
        };
        critical_patterns()
            .filter(|pattern| pattern.anchor == anchor && fits(pattern))
            .map(|pattern| pattern.closed)
            .max()
    }

    #[test]
    fn secrets_are_closed_and_what_is_beside_them_is_not() {
        assert_eq!(found(Anchor::Root, "etc/shadow"), Some(Closed::All));
        assert_eq!(found(Anchor::Root, "etc/passwd"), Some(Closed::Writing));
        assert_eq!(found(Anchor::Root, "etc/hostname"), None);
        assert_eq!(found(Anchor::Anywhere, ".ssh/id_ed25519"), Some(Closed::All));
        assert_eq!(found(Anchor::Anywhere, ".ssh/id_ed25519.pub"), None);
        assert_eq!(found(Anchor::Anywhere, ".ssh/authorized_keys"), Some(Closed::Writing));
        assert_eq!(found(Anchor::Home, ".config/aegish"), Some(Closed::Writing));
        assert_eq!(found(Anchor::Home, ".npmrc"), None);
    }
}

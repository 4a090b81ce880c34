//! The format of the compiled path table, and the search in it.

use super::glob::{ANY, Match, component, has_text, is_special, surely};
use super::route::{Base, Route};
use crate::table::places::{ANYWHERE, ENTRIES, HOME, ROOT};

/// The meaning of a read of the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadClass {
    AccountSecret,
    AccountList,
    PrivateKey,
    Credential,
    TokenFile,
    Memory,
    RawDisk,
    ContainerSocket,
    LoginRecord,
    History,
    ProjectSecret,
    Ordinary,
}

/// The meaning of a write, deletion or change of mode or owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteClass {
    Harmless,
    Temporary,
    Ordinary,
    Cache,
    Authentication,
    Loader,
    LoginHook,
    SshConfig,
    KeyStore,
    Kernel,
    Device,
    LoopDevice,
    ContainerSocket,
    Schedule,
    Boot,
    PackageSettings,
    StartFile,
    Autostart,
    UserUnit,
    ToolConfig,
    Hook,
    Protection,
    GuardProgram,
    GuardProject,
    GuardFolder,
    AboveGuard,
    LoginRecord,
    Log,
    History,
    LocalProgram,
    Configuration,
    System,
    State,
}

/// The meaning of a recursive read that starts exactly there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TreeClass {
    PrivateKey,
    Credential,
    Wide,
}

/// One pattern of `data/policies/paths.toml`.
#[derive(Debug)]
pub(crate) struct PathClassPattern {
    pub(crate) parts: &'static [&'static [u8]],
    /// Also everything below.
    pub(crate) below: bool,
    pub(crate) read: Option<ReadClass>,
    pub(crate) write: Option<WriteClass>,
    pub(crate) tree: Option<TreeClass>,
    pub(crate) holds: &'static str,
    pub(crate) except: &'static [&'static [u8]],
    /// Whether it is ordinary data in a project.
    pub(crate) data_in_project: bool,
}

/// Indices of patterns by first component, ascending.
pub(crate) struct Index {
    pub(crate) named: &'static [(&'static [u8], NamedEntries)],
    /// Per byte that a named first component begins with, one bit for each length.
    pub(crate) lengths: [u64; 128],
    pub(crate) pattern: &'static [usize],
}

/// Indices of patterns with one first component, ascending.
pub(crate) struct NamedEntries {
    pub(crate) all: &'static [usize],
    /// Those with a name as their second component.
    pub(crate) by_second: &'static [(&'static [u8], &'static [usize])],
    pub(crate) others: &'static [usize],
}

impl Index {
    /// All entries.
    pub(crate) fn all(&self) -> impl Iterator<Item = usize> {
        self.named.iter().flat_map(|(_, entries)| entries.all).chain(self.pattern).copied()
    }

    fn named(&self, part: &[u8]) -> Option<&NamedEntries> {
        let lengths = self.lengths.get(usize::from(*part.first()?))?;
        let may_be = lengths.checked_shr(u32::try_from(part.len()).ok()?)? & 1 == 1;
        may_be.then(|| find(self.named, part))?
    }
}

fn find<T>(sorted: &'static [(&'static [u8], T)], name: &[u8]) -> Option<&'static T> {
    let at = sorted.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    sorted.get(at).map(|(_, found)| found)
}

/// A class with its certainty and reason.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit<C> {
    pub(crate) class: C,
    pub(crate) holds: &'static str,
    pub(crate) certainty: Match,
    number: usize,
}

/// The classes of one path.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Classes {
    pub(crate) read: Option<Hit<ReadClass>>,
    pub(crate) write: Option<Hit<WriteClass>>,
    pub(crate) tree: Option<Hit<TreeClass>>,
}

impl Classes {
    fn note(&mut self, number: usize, entry: &'static PathClassPattern, certainty: Match) {
        fn keep<C: Copy>(
            slot: &mut Option<Hit<C>>,
            class: Option<C>,
            number: usize,
            holds: &'static str,
            certainty: Match,
        ) {
            if let Some(class) = class
                && slot.is_none_or(|hit| number < hit.number)
            {
                *slot = Some(Hit { class, holds, certainty, number });
            }
        }
        keep(&mut self.read, entry.read, number, entry.holds, certainty);
        keep(&mut self.write, entry.write, number, entry.holds, certainty);
        keep(&mut self.tree, entry.tree, number, entry.holds, certainty);
    }

    /// Drops matches that are only data within a project.
    pub(crate) fn within_a_project(&mut self) {
        fn drop_data<C: Copy>(slot: &mut Option<Hit<C>>) {
            if slot.is_some_and(|hit| {
                ENTRIES.get(hit.number).is_some_and(|entry| entry.data_in_project)
            }) {
                *slot = None;
            }
        }
        drop_data(&mut self.read);
        drop_data(&mut self.write);
        drop_data(&mut self.tree);
    }

    /// Joins the classes of two readings of the same value.
    pub(crate) fn join(&mut self, other: Self) {
        fn earlier<C: Copy>(a: Option<Hit<C>>, b: Option<Hit<C>>) -> Option<Hit<C>> {
            match (a, b) {
                (Some(a), Some(b)) => Some(if b.number < a.number { b } else { a }),
                (a, b) => a.or(b),
            }
        }
        self.read = earlier(self.read, other.read);
        // A file of another class matters more than one that will be gone.
        let temporary = |hit: Option<Hit<WriteClass>>| {
            hit.is_some_and(|hit| hit.class == WriteClass::Temporary)
        };
        self.write = match (self.write, other.write) {
            (ours, Some(theirs)) if temporary(ours) => Some(theirs),
            (Some(ours), theirs) if temporary(theirs) => Some(ours),
            (ours, theirs) => earlier(ours, theirs),
        };
        self.tree = earlier(self.tree, other.tree);
    }
}

/// Looks a path up.
pub(crate) fn classify(route: &Route<'_>) -> Classes {
    let mut classes = Classes::default();
    let parts = route.parts();
    if matches!(route.base, Base::Absolute | Base::Climbed) {
        search(&ROOT, parts, route.base == Base::Absolute, &mut classes);
    }
    // A home directory among temporary files is a home directory.
    if route.own_home && classes.write.is_some_and(|hit| hit.class == WriteClass::Temporary) {
        classes.write = None;
    }
    if let Some(home) = route.home {
        search(
            &HOME,
            parts.get(home..).unwrap_or_default(),
            route.base == Base::Absolute,
            &mut classes,
        );
    }
    for at in 0..parts.len() {
        let rest = parts.get(at..).unwrap_or_default();
        if let Some(first) = rest.first()
            && is_special(first)
        {
            if rest.len() == 1 {
                lone(first, &mut classes);
                continue;
            }
            // A bare `*` would be any directory.
            if !has_text(first) {
                continue;
            }
        }
        search(&ANYWHERE, rest, route.base == Base::Absolute, &mut classes);
    }
    if classes.read.is_none() && route.base == Base::Absolute {
        copied_secret(parts, &mut classes);
    }
    classes
}

/// `/etc/shadow.2024`, `/etc/gshadow.tar`: a copy beside the original has the same content.
fn copied_secret(parts: &[&[u8]], classes: &mut Classes) {
    let Some((last, above)) = parts.split_last() else { return };
    if parts.len() != 2 || is_special(last) {
        return;
    }
    let Some(dot) = last.iter().position(|byte| *byte == b'.').filter(|dot| *dot > 0) else {
        return;
    };
    let mut original: Vec<&[u8]> = above.to_vec();
    original.push(last.get(..dot).unwrap_or(last));
    let mut found = Classes::default();
    search(&ROOT, &original, true, &mut found);
    if found.read.is_some_and(|hit| hit.class == ReadClass::AccountSecret) {
        classes.read = found.read;
    }
}

/// A last component with globs or unknown parts, searched for in all entries. A `*` could be any file, so the
/// name must be literal except for single characters, or end as the pattern does.
fn lone(part: &[u8], classes: &mut Classes) {
    let spelt = has_text(part) && !part.contains(&ANY);
    for number in ANYWHERE.all() {
        let Some(entry) = ENTRIES.get(number) else {
            continue;
        };
        let [pattern] = entry.parts else { continue };
        let found = surely(pattern, part) || (spelt && component(pattern, part) != Match::No);
        if found && !entry.except.iter().any(|except| surely(except, part)) {
            classes.note(number, entry, Match::May);
        }
    }
}

fn search(index: &Index, parts: &[&[u8]], anchored: bool, classes: &mut Classes) {
    let Some(first) = parts.first() else { return };
    if is_special(first) {
        for (_, entries) in index.named {
            consider(entries.all, parts, anchored, classes);
        }
    } else if let Some(entries) = index.named(first) {
        match parts.get(1) {
            Some(second) if is_special(second) => consider(entries.all, parts, anchored, classes),
            second => {
                let named = second.and_then(|second| find(entries.by_second, second));
                consider(named.copied().unwrap_or_default(), parts, anchored, classes);
                consider(entries.others, parts, anchored, classes);
            }
        }
    }
    consider(index.pattern, parts, anchored, classes);
}

fn consider(numbers: &[usize], parts: &[&[u8]], anchored: bool, classes: &mut Classes) {
    for number in numbers {
        let Some(entry) = ENTRIES.get(*number) else {
            continue;
        };
        let certainty = matches(entry, parts);
        if certainty != Match::No {
            classes.note(*number, entry, if anchored { certainty } else { Match::May });
        }
    }
}

fn matches(entry: &PathClassPattern, parts: &[&[u8]]) -> Match {
    if parts.len() < entry.parts.len() || (!entry.below && parts.len() != entry.parts.len()) {
        return Match::No;
    }
    let mut certainty = Match::Must;
    for (pattern, part) in entry.parts.iter().zip(parts) {
        certainty = certainty.min(component(pattern, part));
        if certainty == Match::No {
            return Match::No;
        }
    }
    if let Some(last) = parts.last()
        && entry.except.iter().any(|except| surely(except, last))
    {
        return Match::No;
    }
    certainty
}

//! Answers of the machine while a text was judged.
//!
//! [`PinningMachine`] asks another machine each question once, so that the same answer counts everywhere in one analysis.
//! [`Pins`] asks the same questions again and compares. An analysis asks a bounded number of bounded questions, so both
//! are bounded.

use crate::secret_files::{read, secrecy_of};
use aegish_effects::{FileView, Machine};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Answers of a machine, by path and limit.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pins {
    /// The home directory that decides which files hold secrets; empty if unknown.
    home: String,
    pub(crate) files: BTreeMap<(String, usize), FileView>,
    /// With sorted names.
    pub(crate) listings: BTreeMap<(String, usize), Option<Vec<String>>>,
    pub(crate) directories: BTreeMap<String, bool>,
}

/// One answer that a decision rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pin<'a> {
    /// The content of the file at this path.
    Contents(&'a str),
    /// The names in the directory of this path.
    Listing(&'a str),
    /// Whether this path is a directory.
    IsDirectory(&'a str),
}

impl Pins {
    /// The first answer that has changed.
    pub(crate) fn first_change(&self, machine: &dyn Machine) -> Option<Pin<'_>> {
        let mut files = self.files.iter();
        let mut listings = self.listings.iter();
        let mut directories = self.directories.iter();
        files
            .find(|((path, limit), view)| read(machine, path, *limit, &self.home) != **view)
            .map(|((path, _), _)| Pin::Contents(path))
            .or_else(|| {
                listings
                    .find(|((path, limit), names)| sorted(machine.list(path, *limit)) != **names)
                    .map(|((path, _), _)| Pin::Listing(path))
            })
            .or_else(|| {
                directories
                    .find(|(path, answer)| machine.is_directory(path) != **answer)
                    .map(|(path, _)| Pin::IsDirectory(path))
            })
    }
}

fn sorted(names: Option<Vec<String>>) -> Option<Vec<String>> {
    names.map(|mut names| {
        names.sort_unstable();
        names
    })
}

/// A machine that stores its first answer to each question.
pub(crate) struct PinningMachine<'m> {
    machine: &'m dyn Machine,
    seen: RefCell<Pins>,
}

impl<'m> PinningMachine<'m> {
    /// `home` is the home directory, empty if unknown.
    pub(crate) fn new(machine: &'m dyn Machine, home: &str) -> Self {
        let seen = RefCell::new(Pins { home: home.to_owned(), ..Pins::default() });
        Self { machine, seen }
    }

    pub(crate) fn into_pins(self) -> Pins {
        self.seen.into_inner()
    }
}

impl Machine for PinningMachine<'_> {
    fn read(&self, path: &str, limit: usize) -> FileView {
        let question = (path.to_owned(), limit);
        if let Some(seen) = self.seen.borrow().files.get(&question) {
            return seen.clone();
        }
        let view = read(self.machine, path, limit, &self.seen.borrow().home);
        if view != FileView::Changing {
            self.seen.borrow_mut().files.insert(question, view.clone());
        }
        view
    }

    fn list(&self, dir: &str, limit: usize) -> Option<Vec<String>> {
        let mut seen = self.seen.borrow_mut();
        let listing = seen.listings.entry((dir.to_owned(), limit));
        listing.or_insert_with(|| sorted(self.machine.list(dir, limit))).clone()
    }

    fn is_directory(&self, path: &str) -> bool {
        let mut seen = self.seen.borrow_mut();
        let answer = seen.directories.entry(path.to_owned());
        *answer.or_insert_with(|| self.machine.is_directory(path))
    }

    fn holds_secrets(&self, path: &str) -> bool {
        secrecy_of(self.machine, path, &self.seen.borrow().home).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Consent, Context, Request, Role, check};

    /// Files by path; directories are the parts before a slash.
    #[derive(Clone)]
    struct Files(RefCell<BTreeMap<&'static str, &'static str>>);

    impl Files {
        fn of(files: &[(&'static str, &'static str)]) -> Self {
            Self(RefCell::new(files.iter().copied().collect()))
        }

        fn set(&self, path: &'static str, text: &'static str) {
            self.0.borrow_mut().insert(path, text);
        }
    }

    impl Machine for Files {
        fn read(&self, path: &str, _limit: usize) -> FileView {
            let files = self.0.borrow();
            files.get(path).map_or(FileView::Missing, |text| FileView::Text((*text).to_owned()))
        }

        fn list(&self, dir: &str, _limit: usize) -> Option<Vec<String>> {
            let dir = format!("{}/", dir.trim_end_matches('/'));
            let files = self.0.borrow();
            let below = files.keys().filter_map(|path| path.strip_prefix(&dir));
            // In another order each time, as a file system may return them.
            let mut names: Vec<String> =
                below.filter_map(|rest| rest.split('/').next()).map(str::to_owned).collect();
            names.dedup();
            names.reverse();
            (!names.is_empty()).then_some(names)
        }
    }

    /// The change that is found for a text when the machine changes.
    fn change(text: &str, before: &Files, after: &Files) -> Option<String> {
        let context = Context { cwd: "/w".to_owned(), machine: before, ..Context::bare() };
        let text = text.as_bytes();
        let request = Request { text, context: &context, role: Role::Default, user_rules: &[] };
        let decision = check(&request);
        let permit = decision.permit(Consent::Given).expect("no block");
        assert_eq!(permit.first_change(before), None);
        permit.first_change(after).map(|pin| format!("{pin:?}"))
    }

    #[test]
    fn a_script_with_another_text_is_a_change() {
        let before = Files::of(&[("/w/s.sh", "date\n")]);
        let after = before.clone();
        assert_eq!(change("sh s.sh", &before, &after), None);
        after.set("/w/s.sh", "uptime\n");
        assert_eq!(change("sh s.sh", &before, &after).as_deref(), Some("Contents(\"/w/s.sh\")"));
    }

    #[test]
    fn another_name_in_a_directory_that_was_listed_is_a_change() {
        let before = Files::of(&[("/w/a.log", ""), ("/w/b.log", "")]);
        let after = before.clone();
        assert_eq!(change("cat *.log", &before, &after), None);
        after.set("/w/c.log", "");
        let found = change("cat *.log", &before, &after).expect("a change");
        assert!(found.starts_with("Listing(\"/w"), "{found}");
    }

    #[test]
    fn a_directory_where_there_was_none_is_a_change() {
        let before = Files::of(&[("/w/x", "text")]);
        let after = before.clone();
        after.set("/w/d/y", "");
        let found = change("cp x d", &before, &after).expect("a change");
        assert_eq!(found, "IsDirectory(\"/w/d\")");
    }

    #[test]
    fn a_permit_can_depend_on_a_second_decision() {
        let files = Files::of(&[("/w/s.sh", "date\n")]);
        let context = Context { cwd: "/w".to_owned(), machine: &files, ..Context::bare() };
        let decide = |text: &[u8]| {
            check(&Request { text, context: &context, role: Role::Default, user_rules: &[] })
        };
        let plain = decide(b"date").permit(Consent::NotAsked).expect("allowed");
        let bound = decide(b"date").permit(Consent::NotAsked).expect("allowed");
        let bound = bound.depending_on(&decide(b"sh s.sh"));
        files.set("/w/s.sh", "uptime\n");
        assert_eq!(plain.first_change(&files), None);
        assert_eq!(bound.first_change(&files), Some(Pin::Contents("/w/s.sh")));
    }
}

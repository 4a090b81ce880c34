//! Leave to run a text. Only a [`Decision`] gives it, and whoever runs commands takes nothing else.
//!
//! It holds the bytes that were judged, and what the files looked like that were read to judge them:
//! if one of them is different when the text is about to run, the judgement was about something else.

use crate::{Action, Decision};
use aegish_effects::{FileView, Machine};
use std::cell::RefCell;

/// What a person, or a setting in their place, said to a warning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// Nobody was asked.
    NotAsked,
    /// Somebody took it upon them.
    Given,
}

/// Leave to run exactly this text.
#[derive(Debug)]
#[must_use]
pub struct Permit {
    text: Box<[u8]>,
    pins: Pins,
}

impl Permit {
    /// The bytes that were judged.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The first file that is not what it was when the text was judged.
    #[must_use]
    pub fn changed_file(&self, machine: &dyn Machine) -> Option<&str> {
        self.pins.changed(machine)
    }
}

impl Decision {
    /// Leave to run what was judged: for what is allowed, and for what is warned of if somebody
    /// consents. A block gives none.
    #[must_use]
    pub fn permit(&self, consent: Consent, pins: Pins) -> Option<Permit> {
        let granted = match self.action {
            Action::Allow => true,
            Action::Warn => consent == Consent::Given,
            Action::Block => false,
        };
        granted.then(|| Permit { text: self.text.clone(), pins })
    }
}

/// What files looked like when they were read.
#[derive(Debug, Clone, Default)]
pub struct Pins {
    files: Vec<(String, usize, FileView)>,
}

impl Pins {
    /// None were read.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    fn changed(&self, machine: &dyn Machine) -> Option<&str> {
        let changed =
            |(path, limit, view): &&(String, usize, FileView)| machine.read(path, *limit) != *view;
        self.files.iter().find(changed).map(|(path, ..)| path.as_str())
    }
}

/// A machine that remembers what was read.
pub struct Pinning<'m> {
    machine: &'m dyn Machine,
    seen: RefCell<Pins>,
}

impl<'m> Pinning<'m> {
    /// Reads through to another machine.
    pub fn new(machine: &'m dyn Machine) -> Self {
        Self { machine, seen: RefCell::default() }
    }

    /// What was read since the last call.
    pub fn take(&self) -> Pins {
        self.seen.take()
    }
}

impl Machine for Pinning<'_> {
    fn read(&self, path: &str, limit: usize) -> FileView {
        let view = self.machine.read(path, limit);
        let known = |seen: &(String, usize, FileView)| seen.0 == path && seen.1 == limit;
        let mut pins = self.seen.borrow_mut();
        if !pins.files.iter().any(known) {
            pins.files.push((path.to_owned(), limit, view.clone()));
        }
        view
    }

    fn list(&self, dir: &str, limit: usize) -> Option<Vec<String>> {
        self.machine.list(dir, limit)
    }

    fn is_directory(&self, path: &str) -> bool {
        self.machine.is_directory(path)
    }
}

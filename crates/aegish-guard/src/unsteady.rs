//! Files that change while a text is judged: growing logs, among them the guard's own audit log.
//!
//! [`UnsteadyFiles`] forwards to the real machine, but reports such files only as changing. If the verdict is
//! no worse then, it does not depend on their content, and the text may run.

use crate::{Decision, OsMachine};
use aegish_effects::{FileView, Machine};
use std::cell::RefCell;

/// The real machine, without the contents of some files.
#[derive(Debug, Default)]
pub struct UnsteadyFiles {
    machine: OsMachine,
    paths: RefCell<Vec<String>>,
}

impl UnsteadyFiles {
    /// Treats the content of this file as unknown from now on.
    pub fn add(&self, path: &str) {
        self.paths.borrow_mut().push(path.to_owned());
    }

    /// Treats the content of all files as known again.
    pub fn clear(&self) {
        self.paths.borrow_mut().clear();
    }
}

impl Machine for UnsteadyFiles {
    fn read(&self, path: &str, limit: usize) -> FileView {
        if self.paths.borrow().iter().any(|unsteady| unsteady == path) {
            return FileView::Changing;
        }
        self.machine.read(path, limit)
    }

    fn list(&self, dir: &str, limit: usize) -> Option<Vec<String>> {
        self.machine.list(dir, limit)
    }

    fn is_directory(&self, path: &str) -> bool {
        self.machine.is_directory(path)
    }

    fn without_links(&self, path: &str) -> Option<String> {
        self.machine.without_links(path)
    }
}

impl Decision {
    /// Whether this decision, made without some files, is no worse than the one with them. A model may have
    /// seen the files, so its opinion counts only for them.
    #[must_use]
    pub fn holds_without_files(&self, with_files: &Self) -> bool {
        with_files.ruling.is_none()
            && self.static_action <= with_files.static_action
            && (!self.open || with_files.open)
    }
}

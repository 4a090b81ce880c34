//! The state that the lowerings of all languages share.

use crate::ir::Name;
use crate::limits::MAX_DEPTH;
use std::rc::Rc;

/// The state of the lowering: numbers for functions and calls, and the depth.
#[derive(Debug, Default)]
pub struct Lowering {
    /// Functions so far.
    pub functions: u32,
    sites: u32,
    depth: u32,
    /// Statements and expressions so far.
    pub size: u64,
    /// Whether something was left out.
    pub cut: bool,
    /// For each enclosing function, whether it yields.
    pub yields: Vec<bool>,
}

impl Lowering {
    /// A name of the program.
    pub fn name(text: &str) -> Name {
        Rc::from(text)
    }

    /// The number of the next call.
    pub fn site(&mut self) -> u32 {
        self.sites += 1;
        self.sites
    }

    /// Enters a deeper level; false if there are too many.
    pub fn enter(&mut self) -> bool {
        self.size += 1;
        if self.depth >= MAX_DEPTH {
            self.cut = true;
            return false;
        }
        self.depth += 1;
        true
    }

    /// Leaves a level.
    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    /// The present depth, to come back to behind a mistake.
    pub(crate) fn depth_mark(&self) -> u32 {
        self.depth
    }

    /// Comes back to a depth.
    pub(crate) fn restore_depth(&mut self, depth: u32) {
        self.depth = depth;
    }

    /// The function around yields.
    pub fn mark_yield(&mut self) {
        if let Some(yields) = self.yields.last_mut() {
            *yields = true;
        }
    }
}

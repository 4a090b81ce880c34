//! The state that the lowerings of all languages share.

use crate::ir::Name;
use crate::limits::MAX_DEPTH;
use std::collections::HashSet;
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
    /// Commands of Tcl that the program uses and defines.
    pub commands: TclCommands,
}

/// Which commands of Tcl with a meaning of their own the texts of a program use and define, by their namespace.
#[derive(Debug, Default)]
pub struct TclCommands {
    /// The namespace of the text that is lowered, without colons around it.
    pub namespace: String,
    /// Those that the texts so far use.
    pub used: HashSet<(String, String)>,
    /// Those that the texts so far define.
    pub defined: HashSet<(String, String)>,
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

    /// The present level.
    pub fn level(&self) -> u32 {
        self.depth
    }

    /// Leaves all levels down to one, behind a mistake.
    pub fn back_to(&mut self, level: u32) {
        self.depth = level;
    }

    /// The function around yields.
    pub fn mark_yield(&mut self) {
        if let Some(yields) = self.yields.last_mut() {
            *yields = true;
        }
    }
}

//! Scopes: names and the cells of their variables.

use crate::ir::Name;
use crate::reference::Ref;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The names of a function, a class body or the program.
#[derive(Debug)]
pub struct Scope {
    pub parent: Option<Rc<Scope>>,
    pub kind: ScopeKind,
    names: RefCell<HashMap<Name, Ref>>,
    /// Names that an assignment changes outside.
    outer: RefCell<HashSet<Name>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeKind {
    Program,
    Function,
    /// Functions inside do not see its names.
    Class,
    /// Names that an expression assigns belong to the scope around it.
    Comprehension,
    /// Statements in braces.
    Block,
}

impl Scope {
    pub fn new(parent: Option<Rc<Self>>, kind: ScopeKind) -> Rc<Self> {
        Rc::new(Self { parent, kind, names: RefCell::default(), outer: RefCell::default() })
    }

    pub fn find(&self, name: &str) -> Option<Ref> {
        self.names.borrow().get(name).copied()
    }

    pub fn insert(&self, name: Name, place: Ref) {
        self.names.borrow_mut().insert(name, place);
    }

    pub fn declare_outer(&self, name: Name) {
        self.outer.borrow_mut().insert(name);
    }

    pub fn is_outer(&self, name: &str) -> bool {
        self.outer.borrow().contains(name)
    }

    pub fn names(&self) -> Vec<(Name, Ref)> {
        self.names.borrow().iter().map(|(name, place)| (name.clone(), *place)).collect()
    }

    /// The scope of the program.
    pub fn program(self: &Rc<Self>) -> Rc<Self> {
        let mut scope = Rc::clone(self);
        while let Some(parent) = &scope.parent {
            scope = Rc::clone(parent);
        }
        scope
    }
}

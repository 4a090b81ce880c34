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
    /// Cells that were made for a name of this scope.
    own: RefCell<Vec<Ref>>,
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
        Rc::new(Self {
            parent,
            kind,
            names: RefCell::default(),
            own: RefCell::default(),
            outer: RefCell::default(),
        })
    }

    pub fn find(&self, name: &str) -> Option<Ref> {
        self.names.borrow().get(name).copied()
    }

    pub fn insert(&self, name: Name, place: Ref) {
        self.names.borrow_mut().insert(name, place);
    }

    /// Adds a name with a cell that nothing else has.
    pub fn insert_own(&self, name: Name, place: Ref) {
        self.own.borrow_mut().push(place);
        self.insert(name, place);
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

    /// The cells that were made for names of this scope.
    pub fn own(&self) -> std::cell::Ref<'_, [Ref]> {
        std::cell::Ref::map(self.own.borrow(), Vec::as_slice)
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

//! Memory of the abstract interpreter: cells, and the levels that undo their changes.
//!
//! A branch is followed on a level of its own. Its changes are taken back as a [`Changes`], the other branch is
//! followed from the same state, and both are joined. The cost is that of the changes, not of the memory.

use crate::ir::Name;
use crate::reference::Ref;
use crate::scope::Scope;
use crate::value::{Val, join, widen};
use std::collections::HashMap;
use std::rc::Rc;

/// Items known by their place, then any number of others.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Items {
    pub list: Vec<Val>,
    pub rest: Option<Val>,
}

/// Entries known by their key, then any number of others.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Entries {
    pub list: Vec<(Val, Val)>,
    pub rest: Option<Val>,
}

/// Attributes of an instance or a class.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Attributes {
    pub class: Option<Val>,
    pub list: Vec<(Name, Val)>,
}

/// Whether a variable is bound.
#[derive(Debug, Clone, PartialEq)]
pub enum Binding {
    Unbound,
    Bound(Val),
    /// Bound in one of several branches.
    Maybe(Val),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Variable(Binding),
    List(Rc<Items>),
    Dict(Rc<Entries>),
    Object(Rc<Attributes>),
}

/// New contents of cells.
pub type Changes = HashMap<Ref, Cell>;

#[derive(Debug, Default)]
struct Level {
    /// The cells that changed since the level began, with their contents at its beginning.
    old: Changes,
    /// Everything that cells held at some time, if that is collected.
    passed: Option<Changes>,
}

/// How changes are combined with what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combine {
    Join,
    Widen,
    Forget,
}

#[derive(Debug, Default)]
pub struct Heap {
    cells: Vec<Cell>,
    levels: Vec<Level>,
    collecting: usize,
}

impl Heap {
    pub fn alloc(&mut self, cell: Cell) -> Ref {
        let place = Ref::new(self.cells.len());
        self.cells.push(cell);
        place
    }

    pub fn list(&mut self, items: Items) -> Val {
        Val::List(self.alloc(Cell::List(Rc::new(items))))
    }

    pub fn dict(&mut self, entries: Entries) -> Val {
        Val::Dict(self.alloc(Cell::Dict(Rc::new(entries))))
    }

    pub fn get(&self, place: Ref) -> Option<&Cell> {
        self.cells.get(place.index())
    }

    pub fn variable(&self, place: Ref) -> Binding {
        match self.get(place) {
            Some(Cell::Variable(binding)) => binding.clone(),
            _ => Binding::Unbound,
        }
    }

    pub fn items(&self, place: Ref) -> Rc<Items> {
        match self.get(place) {
            Some(Cell::List(items)) => Rc::clone(items),
            _ => Rc::default(),
        }
    }

    pub fn entries(&self, place: Ref) -> Rc<Entries> {
        match self.get(place) {
            Some(Cell::Dict(entries)) => Rc::clone(entries),
            _ => Rc::default(),
        }
    }

    pub fn attributes(&self, place: Ref) -> Rc<Attributes> {
        match self.get(place) {
            Some(Cell::Object(attributes)) => Rc::clone(attributes),
            _ => Rc::default(),
        }
    }

    pub fn write(&mut self, place: Ref, new: Cell) {
        let Some(cell) = self.cells.get_mut(place.index()) else { return };
        if *cell == new {
            return;
        }
        if self.collecting > 0 {
            for level in &mut self.levels {
                if let Some(passed) = &mut level.passed {
                    match passed.get_mut(&place) {
                        Some(known) => *known = join_cells(known, &new, Combine::Join),
                        None => {
                            passed.insert(place, new.clone());
                        }
                    }
                }
            }
        }
        let old = std::mem::replace(cell, new);
        if let Some(level) = self.levels.last_mut() {
            level.old.entry(place).or_insert(old);
        }
    }

    /// Changes a cell in place.
    pub fn update(&mut self, place: Ref, change: impl FnOnce(&mut Cell)) {
        let Some(cell) = self.cells.get_mut(place.index()) else { return };
        if let Some(level) = self.levels.last_mut() {
            level.old.entry(place).or_insert_with(|| cell.clone());
        }
        change(cell);
        if self.collecting > 0 {
            let new = cell.clone();
            for passed in self.levels.iter_mut().filter_map(|level| level.passed.as_mut()) {
                match passed.get_mut(&place) {
                    Some(known) => *known = join_cells(known, &new, Combine::Join),
                    None => {
                        passed.insert(place, new.clone());
                    }
                }
            }
        }
    }

    pub fn update_items(&mut self, place: Ref, change: impl FnOnce(&mut Items)) {
        self.update(place, |cell| {
            if let Cell::List(items) = cell {
                change(Rc::make_mut(items));
            }
        });
    }

    pub fn update_entries(&mut self, place: Ref, change: impl FnOnce(&mut Entries)) {
        self.update(place, |cell| {
            if let Cell::Dict(entries) = cell {
                change(Rc::make_mut(entries));
            }
        });
    }

    pub fn update_attributes(&mut self, place: Ref, change: impl FnOnce(&mut Attributes)) {
        self.update(place, |cell| {
            if let Cell::Object(attributes) = cell {
                change(Rc::make_mut(attributes));
            }
        });
    }

    /// Ends a level and keeps its changes.
    pub fn commit(&mut self) {
        let Some(level) = self.levels.pop() else { return };
        if level.passed.is_some() {
            self.collecting -= 1;
        }
        if let Some(outer) = self.levels.last_mut() {
            for (place, old) in level.old {
                outer.old.entry(place).or_insert(old);
            }
        }
    }

    /// Forgets that the variables of a scope changed. It began in the present level and has ended, so that no other
    /// branch and no other pass of a loop knows them. A function that was made in it keeps them.
    pub fn release(&mut self, scope: &Rc<Scope>) {
        if Rc::strong_count(scope) == 1
            && let Some(level) = self.levels.last_mut()
        {
            for place in &*scope.own() {
                level.old.remove(place);
            }
        }
    }

    /// Whether nothing changed since the start of the level.
    pub fn is_unchanged(&self) -> bool {
        self.levels
            .last()
            .is_some_and(|level| level.old.iter().all(|(place, old)| self.get(*place) == Some(old)))
    }

    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    pub fn push(&mut self) {
        self.levels.push(Level::default());
    }

    /// A level that also keeps what cells held at some time.
    pub fn push_collecting(&mut self) {
        self.collecting += 1;
        self.levels.push(Level { passed: Some(Changes::new()), ..Level::default() });
    }

    /// Ends a level, takes its changes back and returns them, and what was collected.
    pub fn pop(&mut self) -> (Changes, Changes) {
        let Some(level) = self.levels.pop() else { return Default::default() };
        if level.passed.is_some() {
            self.collecting -= 1;
        }
        let mut changes = Changes::with_capacity(level.old.len());
        for (place, old) in level.old {
            if let Some(cell) = self.cells.get_mut(place.index()) {
                changes.insert(place, std::mem::replace(cell, old));
            }
        }
        (changes, level.passed.unwrap_or_default())
    }

    /// The changes since the start of a level, which go on.
    pub fn changes_since(&self, depth: usize) -> Changes {
        let mut changes = Changes::new();
        for level in self.levels.iter().skip(depth) {
            for place in level.old.keys() {
                if let Some(cell) = self.get(*place) {
                    changes.insert(*place, cell.clone());
                }
            }
        }
        changes
    }

    /// Makes changes.
    pub fn apply(&mut self, changes: Changes) {
        for (place, cell) in changes {
            self.write(place, cell);
        }
    }

    /// Joins several possible states. Each is given by its changes to the present state.
    pub fn apply_one_of(&mut self, mut states: Vec<Changes>) {
        if states.len() == 1 {
            if let Some(only) = states.pop() {
                self.apply(only);
            }
            return;
        }
        let mut places: Vec<Ref> = states.iter().flat_map(|state| state.keys().copied()).collect();
        places.sort_unstable();
        places.dedup();
        for place in places {
            let Some(now) = self.get(place).cloned() else { continue };
            let joined = states
                .iter()
                .map(|state| state.get(&place).unwrap_or(&now).clone())
                .reduce(|a, b| join_cells(&a, &b, Combine::Join));
            if let Some(joined) = joined {
                self.write(place, joined);
            }
        }
    }

    /// Adds changes that may have happened. Returns whether anything is different now.
    pub fn combine(&mut self, changes: Changes, how: Combine) -> bool {
        let mut different = false;
        for (place, new) in changes {
            let Some(now) = self.get(place) else { continue };
            let combined = join_cells(now, &new, how);
            if combined != *now {
                different = true;
                self.write(place, combined);
            }
        }
        different
    }
}

fn combine(a: &Val, b: &Val, how: Combine) -> Val {
    let joined = join(a, b);
    if joined == *a {
        return joined;
    }
    match how {
        Combine::Join => joined,
        Combine::Widen => widen(a, &joined),
        Combine::Forget => joined.forget(),
    }
}

fn combine_rest(a: &Option<Val>, b: &Option<Val>, how: Combine) -> Option<Val> {
    match (a, b) {
        (Some(a), Some(b)) => Some(combine(a, b, how)),
        (one, other) => one.clone().or_else(|| other.clone()),
    }
}

fn join_cells(a: &Cell, b: &Cell, how: Combine) -> Cell {
    if a == b {
        return a.clone();
    }
    match (a, b) {
        (Cell::Variable(a), Cell::Variable(b)) => Cell::Variable(match (a, b) {
            (Binding::Unbound, Binding::Unbound) => Binding::Unbound,
            (Binding::Unbound, Binding::Bound(value) | Binding::Maybe(value))
            | (Binding::Bound(value) | Binding::Maybe(value), Binding::Unbound) => {
                Binding::Maybe(value.clone())
            }
            (Binding::Bound(a), Binding::Bound(b)) => Binding::Bound(combine(a, b, how)),
            (Binding::Bound(a) | Binding::Maybe(a), Binding::Bound(b) | Binding::Maybe(b)) => {
                Binding::Maybe(combine(a, b, how))
            }
        }),
        (Cell::List(a), Cell::List(b)) => {
            let known = a.list.len().min(b.list.len());
            let list: Vec<Val> =
                a.list.iter().zip(&b.list).map(|(a, b)| combine(a, b, how)).collect();
            let mut rest = combine_rest(&a.rest, &b.rest, how);
            for more in a.list.iter().skip(known).chain(b.list.iter().skip(known)) {
                rest = Some(rest.map_or_else(|| more.clone(), |rest| combine(&rest, more, how)));
            }
            Cell::List(Rc::new(Items { list, rest }))
        }
        (Cell::Dict(a), Cell::Dict(b)) => {
            let mut rest = combine_rest(&a.rest, &b.rest, how);
            let mut list = Vec::new();
            for (key, value) in &a.list {
                match b.list.iter().find(|(other, _)| other == key) {
                    Some((_, other)) => list.push((key.clone(), combine(value, other, how))),
                    None => list.push((key.clone(), value.clone())),
                }
            }
            for (key, value) in &b.list {
                if !a.list.iter().any(|(other, _)| other == key) {
                    list.push((key.clone(), value.clone()));
                }
            }
            if list.len() > crate::limits::MAX_ITEMS {
                for (_, value) in list.split_off(crate::limits::MAX_ITEMS) {
                    rest = Some(rest.map_or(value.clone(), |rest| combine(&rest, &value, how)));
                }
            }
            Cell::Dict(Rc::new(Entries { list, rest }))
        }
        (Cell::Object(a), Cell::Object(b)) => {
            let mut list = Vec::new();
            for (name, value) in &a.list {
                match b.list.iter().find(|(other, _)| other == name) {
                    Some((_, other)) => list.push((name.clone(), combine(value, other, how))),
                    None => list.push((name.clone(), value.clone())),
                }
            }
            for (name, value) in &b.list {
                if !a.list.iter().any(|(other, _)| other == name) {
                    list.push((name.clone(), value.clone()));
                }
            }
            Cell::Object(Rc::new(Attributes { class: a.class.clone(), list }))
        }
        _ => a.clone(),
    }
}

/// Adds an item at the end.
pub fn push_item(items: &mut Items, value: Val) {
    match &items.rest {
        None => items.list.push(value),
        Some(rest) => items.rest = Some(join(rest, &value)),
    }
}

pub fn extend(items: &mut Items, more: Items) {
    for value in more.list {
        push_item(items, value);
    }
    if let Some(rest) = more.rest {
        items.rest = Some(items.rest.as_ref().map_or(rest.clone(), |known| join(known, &rest)));
    }
}

/// Sets an entry of a map. A key that is not known may be any.
pub fn insert(entries: &mut Entries, key: Val, value: Val) {
    if is_key(&key) {
        match entries.list.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => *known = value,
            None => entries.list.push((key, value)),
        }
    } else {
        for (_, known) in &mut entries.list {
            *known = join(known, &value);
        }
        entries.rest = Some(entries.rest.as_ref().map_or(value.clone(), |rest| join(rest, &value)));
    }
}

pub fn is_key(key: &Val) -> bool {
    match key {
        Val::Text(value) | Val::Path(value) => value.is_known(),
        Val::Int(_)
        | Val::Bool(_)
        | Val::None
        | Val::Class(_)
        | Val::Function(_)
        | Val::Library(_)
        | Val::Bytes(_) => true,
        Val::Tuple(items) => items.iter().all(is_key),
        _ => false,
    }
}

/// Items whose order is not known.
pub fn mix(items: &mut Items) {
    let all = items.list.drain(..).chain(items.rest.take()).reduce(|a, b| join(&a, &b));
    items.rest = all;
}

//! awk: what a program has stored, and the join of several ways.

use super::run::Awk;
use super::values::{Array, Datum};
use aegish_values::{Value, join_values};
use std::collections::{BTreeMap, HashMap};

/// What changes while a program runs, apart from what it does to others.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Memory {
    pub(super) scalars: HashMap<String, Datum>,
    pub(super) arrays: HashMap<String, Array>,
    pub(super) record: Record,
    /// What `return` gave on some way.
    pub(super) returned: Option<Datum>,
}

/// The line that is read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Record {
    pub(super) text: Value,
    /// None: not known, except for those below.
    pub(super) fields: Option<Vec<Value>>,
    pub(super) set: BTreeMap<usize, Value>,
}

impl Default for Record {
    fn default() -> Self {
        Self { text: Value::empty(), fields: Some(Vec::new()), set: BTreeMap::new() }
    }
}

impl Awk<'_> {
    /// Follows something that may not happen.
    pub(super) fn maybe(&mut self, act: impl FnOnce(&mut Self)) {
        let before = self.memory.clone();
        act(self);
        self.join(&before);
    }

    pub(super) fn join(&mut self, other: &Memory) {
        self.combine(other, Datum::join);
    }

    pub(super) fn combine(&mut self, other: &Memory, join: fn(&Datum, &Datum) -> Datum) {
        let memory = &mut self.memory;
        for (name, theirs) in &other.scalars {
            let ours = memory.scalars.entry(name.clone()).or_insert(Datum::Unset);
            *ours = join(ours, theirs);
        }
        for (name, ours) in &mut memory.scalars {
            if !other.scalars.contains_key(name) {
                *ours = join(ours, &Datum::Unset);
            }
        }
        for (name, theirs) in &other.arrays {
            let ours = memory.arrays.entry(name.clone()).or_default();
            for (key, value) in &theirs.items {
                let here = ours.items.entry(key.clone()).or_insert_with(|| value.clone());
                *here = join(here, value);
            }
            ours.elsewhere = match (&ours.elsewhere, &theirs.elsewhere) {
                (Some(a), Some(b)) => Some(join(a, b)),
                (a, b) => a.clone().or_else(|| b.clone()),
            };
        }
        if memory.record != other.record {
            memory.record.text = join_values(&memory.record.text, &other.record.text);
            memory.record.fields = None;
            for (at, value) in &other.record.set {
                let here = memory.record.set.entry(*at).or_insert_with(|| value.clone());
                *here = join_values(here, value);
            }
        }
        memory.returned = match (&memory.returned, &other.returned) {
            (Some(a), Some(b)) => Some(join(a, b)),
            (a, b) => a.clone().or_else(|| b.clone()),
        };
    }
}

//! Joins several possible states into one: differences become "one of" or unknown.

use crate::content::VariableContent;
use crate::files::{FileFact, Link};
use crate::functions::Function;
use crate::state::ShellState;
use crate::variable::Variable;
use aegish_values::{PathMap, Piece, SharedMap, Value, join_values, origin, widen_value};
use std::collections::BTreeMap;
use std::sync::Arc;

impl ShellState {
    /// Joins two possible states: differences become "one of" or unknown.
    pub fn join(&mut self, other: &Self) {
        self.join_meanings(other);
        for name in self.aliases.differences(&other.aliases) {
            if let Some(text) =
                other.aliases.get(&name).filter(|_| !self.aliases.contains_key(&name))
            {
                self.aliases.insert(name, text.clone());
            }
        }
        self.join_files(&other.files);
        for path in self.replaced.differences(&other.replaced) {
            if let Some(content) = other.replaced.get(&path) {
                self.remember_replaced(path, content.clone());
            }
        }
        self.join_links(&other.links);
        for place in self.filled.differences(&other.filled) {
            self.filled.insert(place, ());
        }
        for start in self.pieces.differences(&other.pieces) {
            if let Some(content) = other.pieces.get(&start) {
                self.remember_pieces(start, content.clone());
            }
        }
        for switch in &other.switches {
            if !self.switches.contains(switch) {
                self.switches.push(*switch);
            }
        }
        if self.cwd != other.cwd {
            self.cwd = join_values(&self.cwd, &other.cwd);
        }
        self.last_word = match (self.last_word.take(), &other.last_word) {
            (Some(ours), Some(theirs)) => Some(join_values(&ours, theirs)),
            (ours, theirs) => ours.or_else(|| theirs.clone()),
        };
        if self.directories != other.directories {
            self.directories = join_lists(&self.directories, &other.directories);
        }
        self.join_descriptors(other);
        self.jobs.join(&other.jobs);
        self.traps.join(&other.traps);
    }

    fn join_descriptors(&mut self, other: &Self) {
        self.perhaps_closed.extend(&other.perhaps_closed);
        for (fd, path) in &other.read_from {
            self.read_from.entry(*fd).or_insert_with(|| path.clone());
        }
        let only_here = |fd: &&u32| !other.descriptors.contains_key(fd);
        self.perhaps_closed.extend(self.descriptors.keys().filter(only_here));
        for (fd, theirs) in &other.descriptors {
            match self.descriptors.get_mut(fd) {
                Some(ours) if *ours != *theirs => *ours = ours.join(theirs),
                Some(_) => {}
                None => {
                    self.descriptors.insert(*fd, theirs.clone());
                    self.perhaps_closed.insert(*fd);
                }
            }
        }
    }

    /// Joins the files with those that there may be as well.
    pub fn join_files(&mut self, other: &PathMap<FileFact>) {
        for path in self.files.differences(other) {
            match (self.files.get_mut(&path), other.get(&path)) {
                (None, Some(theirs)) => {
                    self.files.insert(path, FileFact { perhaps: true, ..theirs.clone() });
                }
                (Some(ours), None) => ours.perhaps = true,
                (Some(ours), Some(theirs)) => {
                    ours.perhaps |= theirs.perhaps;
                    if ours.content != theirs.content {
                        // Whether a program printed messages does not matter beside known text.
                        let known = |content: &Value| match content.pieces() {
                            [Piece::Unknown(origin::MESSAGES)] => Value::empty(),
                            _ => content.clone(),
                        };
                        ours.content = join_values(&known(&ours.content), &known(&theirs.content));
                    }
                }
                (None, None) => {}
            }
        }
    }

    /// These files may still be as they were before, or empty because they are just being written.
    pub fn add_contents(&mut self, paths: &[String], before: &[&PathMap<FileFact>]) {
        for path in paths {
            let earlier = before.iter().filter_map(|files| files.get(path));
            let earlier: Vec<Value> = earlier.map(|fact| fact.content.clone()).collect();
            if let Some(fact) = self.files.get_mut(path).filter(|fact| !fact.fifo) {
                let all = earlier
                    .iter()
                    .chain([&Value::empty()])
                    .fold(fact.content.clone(), |all, content| join_values(&all, content));
                fact.content = all;
            }
        }
    }

    /// Joins the links with those that there may be as well.
    pub fn join_links(&mut self, other: &PathMap<Link>) {
        for name in self.links.differences(other) {
            match (self.links.get_mut(&name), other.get(&name)) {
                (None, Some(theirs)) => {
                    let mut link = theirs.clone();
                    link.add(&name);
                    self.links.insert(name, link);
                }
                (Some(ours), None) => ours.add(&name),
                (Some(ours), Some(theirs)) => ours.join(theirs),
                (None, None) => {}
            }
        }
    }

    /// Notes what a file held before it was removed or replaced.
    pub fn remember_replaced(&mut self, path: String, content: Value) {
        let known = self.replaced.get(&path).map(|before| join_values(before, &content));
        self.replaced.insert(path, known.unwrap_or(content));
    }

    /// Notes what the files whose names begin so may be made of.
    pub fn remember_pieces(&mut self, start: String, content: Value) {
        let known = self.pieces.get(&start).map(|before| join_values(before, &content));
        self.pieces.insert(start, known.unwrap_or(content));
    }

    /// Joins what words mean.
    fn join_meanings(&mut self, other: &Self) {
        self.join_vouched(other);
        self.join_variables(other);
        for name in self.functions.differences(&other.functions) {
            match (self.functions.get_mut(&name), other.functions.get(&name)) {
                (Some(ours), Some(theirs)) => ours.join(theirs),
                (Some(ours), None) => ours.optional = true,
                (None, Some(theirs)) => {
                    self.functions.insert(name, Function { optional: true, ..theirs.clone() });
                }
                (None, None) => {}
            }
        }
        if self.positional != other.positional {
            match (&self.positional, &other.positional) {
                (Some(_), Some(_)) => {
                    let mut lists = self.parameter_ways();
                    lists.extend(other.parameter_ways());
                    self.set_parameters(lists);
                }
                _ => self.positional = None,
            }
        }
    }

    /// Joins states with `join` in pairs, pairs of pairs and so on: neighbours differ least, so that each entry is
    /// looked at once per level. Variables, of which there may be many, are joined before.
    pub fn joined(mut states: Vec<Self>, join: impl Fn(&mut Self, &Self)) -> Option<Self> {
        if states.len() > 2 {
            let variables = joined_variables(&states);
            states.iter_mut().for_each(|state| state.variables = variables.clone());
        }
        while states.len() > 1 {
            let mut rest = states.into_iter();
            let mut pairs = Vec::with_capacity(rest.len().div_ceil(2));
            while let Some(mut one) = rest.next() {
                rest.next().into_iter().for_each(|other| join(&mut one, &other));
                pairs.push(one);
            }
            states = pairs;
        }
        states.pop()
    }

    /// The working directory after success and after failure, if a command ended in one of these states.
    #[must_use]
    pub fn directories_of(states: &[Self]) -> Option<(Value, Value)> {
        states.iter().find(|state| state.outcome.may_stay())?;
        let joined = |success| {
            let directories = states
                .iter()
                .map(|state| state.outcome.directory(success, &state.cwd).unwrap_or(&state.cwd));
            directories.cloned().reduce(|all, one| join_values(&all, &one))
        };
        Some((joined(true)?, joined(false)?))
    }

    /// Continues where the last command succeeded, or where it failed: the working directory and new links are then known.
    pub fn settle(&mut self, success: bool) {
        for name in self.outcome.missing_links(success).to_vec() {
            self.links.remove(&name);
            self.files.remove(&name);
        }
        if let Some(directory) = self.outcome.directory(success, &self.cwd) {
            self.cwd = directory.clone();
        }
    }

    /// Only what holds in both is kept.
    fn join_vouched(&mut self, other: &Self) {
        self.to_export.extend(other.to_export.iter().cloned());
        self.allexport |= other.allexport;
        self.modes_changed |= other.modes_changed;
        self.stack_named |= other.stack_named;
        self.errexit &= other.errexit;
        self.vouched.retain(|path| other.vouched.contains(path));
    }

    /// Whether words have the same meaning in both.
    pub fn is_like(&self, other: &Self) -> bool {
        let same = |name: &String| self.variables.get(name) == other.variables.get(name);
        self.variables.differences(&other.variables).iter().all(same)
            && self.functions.len() == other.functions.len()
            && self.positional == other.positional
            && self.cwd == other.cwd
    }

    /// As [`ShellState::join`] with the state one round of a loop before, so that the state is stable after a
    /// few rounds.
    pub fn widen(&mut self, before: &Self) {
        for name in self.variables.differences(&before.variables) {
            if let (Some(ours), Some(before)) =
                (self.variables.get_mut(&name), before.variables.get(&name))
            {
                ours.widen(before);
            }
        }
        if let (Some(ours), Some(theirs)) = (&self.positional, &before.positional)
            && ours != theirs
        {
            let mut lists = self.parameter_ways();
            lists.extend(before.parameter_ways());
            self.set_parameters(lists);
        }
        if self.cwd != before.cwd {
            self.cwd = widen_value(&self.cwd, &before.cwd);
        }
    }

    fn join_variables(&mut self, other: &Self) {
        for name in self.variables.differences(&other.variables) {
            let theirs = other.variables.get(&name);
            match self.variables.get_mut(&name) {
                Some(ours) => ours.join(theirs.unwrap_or(&Variable::foreign())),
                None => {
                    let mut joined = theirs.cloned().unwrap_or_else(Variable::foreign);
                    joined.join(&Variable::foreign());
                    self.variables.insert(name, joined);
                }
            }
        }
    }
}

/// The variables of several states, joined. Only what changes from one state to the next is looked at.
fn joined_variables(states: &[ShellState]) -> SharedMap<Variable> {
    let mut changed: BTreeMap<String, Variable> = BTreeMap::new();
    for (one, next) in states.iter().zip(states.iter().skip(1)) {
        for name in one.variables.differences(&next.variables) {
            let before = || one.variables.get(&name).cloned().unwrap_or_else(Variable::foreign);
            let after = next.variables.get(&name);
            let joined = changed.entry(name.clone()).or_insert_with(before);
            joined.join(after.unwrap_or(&Variable::foreign()));
        }
    }
    let last = states.last().map(|state| state.variables.clone());
    let mut variables = last.unwrap_or_default();
    for (name, variable) in changed {
        variables.insert(name, variable);
    }
    variables
}

impl Variable {
    /// What a condition says holds on the ways where it holds, and is forgotten where they meet others.
    fn meet(&mut self, other: &Self) -> Self {
        let mut other = other.clone();
        if self.assumption != other.assumption {
            self.forget_assumption();
            other.forget_assumption();
        }
        other
    }

    /// Joins two possible contents and attributes.
    pub fn join(&mut self, other: &Self) {
        let other = self.meet(other);
        let ways = self.joined_ways(&other);
        self.exported |= other.exported;
        self.readonly &= other.readonly;
        self.perhaps_unset |= other.perhaps_unset
            || matches!(self.content, VariableContent::Unset)
                != matches!(other.content, VariableContent::Unset);
        self.content = match (std::mem::take(&mut self.content), &other.content) {
            (VariableContent::Unset, VariableContent::Unset) => VariableContent::Unset,
            (VariableContent::Scalar(ours), VariableContent::Scalar(theirs)) => {
                VariableContent::Scalar(join_values(&ours, theirs))
            }
            (VariableContent::Unset, set) => set.clone(),
            (set, VariableContent::Unset) => set,
            (VariableContent::Keyed(ours), VariableContent::Keyed(theirs)) => {
                VariableContent::Keyed(join_maps(ours, theirs))
            }
            (ours, theirs) => VariableContent::Indexed(join_maps(
                ours.into_indexed(),
                &theirs.clone().into_indexed(),
            )),
        };
        self.set_ways(ways);
    }

    /// As [`Variable::join`] with the value of one round of a loop before.
    fn widen(&mut self, before: &Self) {
        if self.content == before.content {
            return;
        }
        let before = &self.meet(before);
        let ways = self.joined_ways(before);
        match (&mut self.content, &before.content) {
            (VariableContent::Scalar(ours), VariableContent::Scalar(theirs)) => {
                *ours = widen_value(ours, theirs);
            }
            // A new element with a known value adds nothing.
            (VariableContent::Indexed(ours), VariableContent::Indexed(theirs)) => {
                let ours = Arc::make_mut(ours);
                ours.retain(|key, value| {
                    theirs.contains_key(key) || !theirs.values().any(|known| known == value)
                });
                for (key, value) in ours {
                    if let Some(before) = theirs.get(key) {
                        *value = widen_value(value, before);
                    }
                }
            }
            _ => return self.join(before),
        }
        match self.content {
            // The ways of each round would be others.
            VariableContent::Indexed(_) => self.summarize_ways(),
            _ => self.set_ways(ways),
        }
    }
}

fn join_maps<K: Ord + Clone>(
    mut ours: Arc<BTreeMap<K, Value>>,
    theirs: &Arc<BTreeMap<K, Value>>,
) -> Arc<BTreeMap<K, Value>> {
    if Arc::ptr_eq(&ours, theirs) {
        return ours;
    }
    let items = Arc::make_mut(&mut ours);
    for (key, value) in theirs.iter() {
        let joined = items.get(key).map_or_else(|| value.clone(), |v| join_values(v, value));
        items.insert(key.clone(), joined);
    }
    ours
}

/// Each position holds the values of both lists.
pub fn join_lists(ours: &[Value], theirs: &[Value]) -> Vec<Value> {
    let count = ours.len().max(theirs.len());
    let place = |at: usize| match (ours.get(at), theirs.get(at)) {
        (Some(one), Some(other)) => join_values(one, other),
        (one, other) => one.or(other).cloned().unwrap_or_default(),
    };
    (0..count).map(place).collect()
}

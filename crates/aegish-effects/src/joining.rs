//! Joins several possible states into one: differences become "one of" or unknown.

use crate::state::{ShellState, Variable, VariableContent};
use aegish_values::{Piece, Value, join_values, origin};
use std::collections::BTreeMap;
use std::rc::Rc;

impl ShellState {
    /// Joins two possible states: differences become "one of" or unknown.
    pub(crate) fn join(&mut self, other: &Self) {
        self.join_assignments(other);
        for (name, text) in other.aliases.iter() {
            if !self.aliases.contains_key(name) {
                self.aliases.insert(name.clone(), text.clone());
            }
        }
        if !self.files.is_same(&other.files) {
            for (path, fact) in other.files.iter() {
                match self.files.get(path) {
                    None => {
                        self.files.insert(path.clone(), fact.clone());
                    }
                    Some(ours) if ours.content != fact.content => {
                        let content = join_values(&ours.content, &fact.content);
                        if let Some(ours) = self.files.get_mut(path) {
                            ours.content = content;
                        }
                    }
                    Some(_) => {}
                }
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
        for (fd, flow) in &other.descriptors {
            self.descriptors.entry(*fd).or_insert_with(|| flow.clone());
        }
        for trap in &other.traps {
            if !self.traps.iter().any(|ours| ours.code == trap.code) {
                self.traps.push(trap.clone());
            }
        }
    }

    /// As [`ShellState::join`], but only for the meaning of words: a change of directory or a written file is
    /// kept even if it depends on a condition.
    pub(crate) fn join_assignments(&mut self, other: &Self) {
        self.join_vouched(other);
        if !self.variables.is_same(&other.variables) {
            self.join_variables(other);
        }
        if !self.functions.is_same(&other.functions) {
            for (name, theirs) in other.functions.iter() {
                match self.functions.get_mut(name) {
                    None => {
                        self.functions.insert(name.clone(), theirs.clone());
                    }
                    Some(ours) if ours.text != theirs.text && ours.also.is_none() => {
                        ours.also = Some(Rc::new(theirs.clone()));
                    }
                    Some(_) => {}
                }
            }
        }
        if self.positional != other.positional {
            self.positional = match (&self.positional, &other.positional) {
                (Some(ours), Some(theirs)) => Some(Rc::new(join_lists(ours, theirs))),
                _ => None,
            };
        }
    }

    /// Only what holds in both is kept.
    fn join_vouched(&mut self, other: &Self) {
        self.allexport |= other.allexport;
        self.errexit &= other.errexit;
        self.vouched.retain(|path| other.vouched.contains(path));
    }

    /// Whether words have the same meaning in both.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        (self.variables.is_same(&other.variables) || self.variables == other.variables)
            && self.functions.len() == other.functions.len()
            && self.positional == other.positional
            && self.cwd == other.cwd
    }

    /// As [`ShellState::join`] with the state one round of a loop before, so that the state is stable after a
    /// few rounds.
    pub(crate) fn widen(&mut self, before: &Self) {
        if !self.variables.is_same(&before.variables) {
            self.variables.change_all(|name, variable| {
                if let Some(before) = before.variables.get(name) {
                    variable.widen(before);
                }
            });
        }
        if let (Some(ours), Some(theirs)) = (&self.positional, &before.positional)
            && ours != theirs
        {
            self.positional = Some(Rc::new(join_lists(ours, theirs)));
        }
        if self.cwd != before.cwd {
            self.cwd = widened(&self.cwd, &before.cwd);
        }
    }

    fn join_variables(&mut self, other: &Self) {
        let unset = || Variable { content: VariableContent::Unset, ..Variable::default() };
        for (name, theirs) in other.variables.iter() {
            match self.variables.get_mut(name) {
                Some(ours) => ours.join(theirs),
                None => {
                    let mut joined = theirs.clone();
                    joined.join(&unset());
                    self.variables.insert(name.clone(), joined);
                }
            }
        }
        let missing: Vec<String> = self
            .variables
            .keys()
            .filter(|name| !other.variables.contains_key(name))
            .cloned()
            .collect();
        for name in missing {
            if let Some(ours) = self.variables.get_mut(&name) {
                ours.join(&unset());
            }
        }
    }
}

impl Variable {
    fn join(&mut self, other: &Self) {
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
    }

    /// As [`Variable::join`] with the value of one round of a loop before.
    fn widen(&mut self, before: &Self) {
        if self.content == before.content {
            return;
        }
        match (&mut self.content, &before.content) {
            (VariableContent::Scalar(ours), VariableContent::Scalar(theirs)) => {
                *ours = widened(ours, theirs);
            }
            // A new element with a known value adds nothing.
            (VariableContent::Indexed(ours), VariableContent::Indexed(theirs)) => {
                ours.retain(|key, value| {
                    theirs.contains_key(key) || !theirs.values().any(|known| known == value)
                });
                for (key, value) in ours {
                    if let Some(before) = theirs.get(key) {
                        *value = widened(value, before);
                    }
                }
            }
            _ => self.join(before),
        }
    }
}

/// A value that changes from round to round.
fn widened(now: &Value, before: &Value) -> Value {
    if now == before {
        return now.clone();
    }
    let mut taint = now.taint().clone();
    taint.absorb(before.taint());
    let number = |value: &Value| value.as_known().is_some_and(|text| text.parse::<i64>().is_ok());
    if number(now) && number(before) {
        return Value::unknown(origin::NUMBER).tainted(&taint);
    }
    let start = before.known_prefix();
    if !start.is_empty() && now.known_prefix().starts_with(start) {
        let mut grown = Value::known(start);
        grown.push(Piece::Unknown("what a loop adds"));
        return grown.tainted(&taint);
    }
    join_values(before, now)
}

fn join_maps<K: Ord + Clone>(
    mut ours: BTreeMap<K, Value>,
    theirs: &BTreeMap<K, Value>,
) -> BTreeMap<K, Value> {
    for (key, value) in theirs {
        let joined = ours.get(key).map_or_else(|| value.clone(), |v| join_values(v, value));
        ours.insert(key.clone(), joined);
    }
    ours
}

/// Each position holds the values of both lists.
pub(crate) fn join_lists(ours: &[Value], theirs: &[Value]) -> Vec<Value> {
    let count = ours.len().max(theirs.len());
    let place = |at: usize| match (ours.get(at), theirs.get(at)) {
        (Some(one), Some(other)) => join_values(one, other),
        (one, other) => one.or(other).cloned().unwrap_or_default(),
    };
    (0..count).map(place).collect()
}

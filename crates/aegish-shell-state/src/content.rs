//! What a variable holds: a string or an array, of which elements may have no certain place.

use crate::places;
use aegish_values::{Value, join_values};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The content of a variable.
#[derive(Debug, Clone, PartialEq)]
pub enum VariableContent {
    /// Explicitly unset.
    Unset,
    /// A string.
    Scalar(Value),
    /// An indexed array.
    Indexed(Arc<BTreeMap<i64, Value>>),
    /// An associative array.
    Keyed(Arc<BTreeMap<String, Value>>),
}

impl Default for VariableContent {
    fn default() -> Self {
        Self::Scalar(Value::empty())
    }
}

impl VariableContent {
    /// The value of `$name`.
    pub fn scalar(&self) -> Option<Value> {
        match self {
            Self::Unset => None,
            Self::Scalar(value) => Some(value.clone()),
            Self::Indexed(items) => places::element(items, 0),
            Self::Keyed(items) => items.get("0").cloned(),
        }
    }

    /// As an array with numbers, as far as that goes.
    pub fn into_indexed(self) -> Arc<BTreeMap<i64, Value>> {
        match self {
            Self::Unset => Arc::default(),
            Self::Scalar(value) => BTreeMap::from([(0, value)]).into(),
            Self::Indexed(items) => items,
            Self::Keyed(items) => {
                (0..).zip(items.values().cloned()).collect::<BTreeMap<_, _>>().into()
            }
        }
    }

    /// Puts a value into an array; one whose subscript cannot be told may replace any element, or be a new one. A string
    /// becomes the first element of an array.
    pub fn put(&mut self, subscript: Subscript, value: Value, append: bool) {
        let join = |old: Option<&Value>, new: Value| match (append, old) {
            (true, Some(old)) => {
                let mut joined = old.clone();
                joined.append(&new);
                joined
            }
            _ => new,
        };
        if let Self::Keyed(items) = self {
            let items = Arc::make_mut(items);
            let key = match subscript {
                Subscript::Key(key) => key,
                Subscript::At(number) => number.to_string(),
                Subscript::Next | Subscript::Any => {
                    items.values_mut().for_each(|item| *item = join_values(item, &value));
                    ANY_KEY.to_owned()
                }
            };
            let value = join(items.get(&key), value);
            items.insert(key, value);
            return;
        }
        if let Self::Scalar(old) = self
            && old.as_known() == Some("")
        {
            *self = Self::Unset;
        }
        if !matches!(self, Self::Indexed(_)) {
            *self = Self::Indexed(std::mem::take(self).into_indexed());
        }
        let Self::Indexed(items) = self else { return };
        let items = Arc::make_mut(items);
        let next = items.keys().next_back().map_or(0, |last| last.saturating_add(1));
        let number = match subscript {
            Subscript::At(number) if number < 0 => next.saturating_add(number),
            Subscript::At(number) => number,
            Subscript::Key(_) | Subscript::Next => next,
            Subscript::Any => {
                items.values_mut().for_each(|item| *item = join_values(item, &value));
                // Any number without an element may have one now.
                let free = (0..next).find(|number| !items.contains_key(number)).unwrap_or(next);
                if places::first_of_several(items).is_none_or(|first| free < first) {
                    items.insert(free, value.with_several(true));
                }
                return;
            }
        };
        let mut value = join(items.get(&number), value);
        // Behind several words the element that was there may be another one.
        if let Some(before) = items.get(&number).cloned()
            && let Some(first) = places::first_of_several(items)
            && first <= number
        {
            if first == number && next == number.saturating_add(1) {
                items.insert(next, before);
            } else {
                value = join_values(&before, &value);
            }
        }
        items.insert(number, value);
    }

    /// The number of elements.
    pub fn count(&self) -> usize {
        match self {
            Self::Unset => 0,
            Self::Scalar(_) => 1,
            Self::Indexed(items) => items.len(),
            Self::Keyed(items) => items.len(),
        }
    }

    /// All elements in order.
    pub fn elements(&self) -> Vec<Value> {
        match self {
            Self::Unset => Vec::new(),
            Self::Scalar(value) => vec![value.clone()],
            Self::Indexed(items) => items.values().cloned().collect(),
            Self::Keyed(items) => items.values().cloned().collect(),
        }
    }

    /// Removes an element, where its place is known.
    pub fn remove(&mut self, index: &str, number: Option<i64>) {
        // A negative number counts from the end.
        let number = match (&*self, number) {
            (Self::Indexed(items), Some(number)) if number < 0 => {
                let next = items.keys().next_back().map_or(0, |last| last.saturating_add(1));
                Some(next.saturating_add(number))
            }
            _ => number,
        };
        match (self, number) {
            (Self::Indexed(items), Some(number))
                if places::first_of_several(items).is_none_or(|first| number < first) =>
            {
                Arc::make_mut(items).remove(&number);
            }
            (Self::Keyed(items), _) => {
                Arc::make_mut(items).remove(index);
            }
            _ => {}
        }
    }

    /// All keys in order.
    pub fn keys(&self) -> Vec<Value> {
        match self {
            Self::Unset => Vec::new(),
            Self::Scalar(_) => vec![Value::known("0")],
            Self::Indexed(items) => items.keys().map(|key| Value::known(key.to_string())).collect(),
            Self::Keyed(items) => items.keys().map(|key| Value::known(key.clone())).collect(),
        }
    }
}

/// Where in an array a value goes.
#[derive(Debug, Clone)]
pub enum Subscript {
    /// Behind the last element.
    Next,
    /// At this number.
    At(i64),
    /// At this key.
    Key(String),
    /// At a place that cannot be told.
    Any,
}

/// Stands for the keys that cannot be told.
pub const ANY_KEY: &str = "‹key›";

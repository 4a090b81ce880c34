//! Variables that have different elements, depending on the way that led here. The content of such a variable is joined
//! element by element; what it is on each of the ways is kept beside it.

use crate::content::VariableContent;
use crate::joining::join_lists;
use crate::state::{ParameterWays, ShellState};
use crate::variable::{Variable, Way, Ways};
use aegish_values::{MAX_ALTERNATIVES, Value, join_values};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Ways that are kept: one more than are followed, so that a use of the variable reports the limit.
const MOST: usize = MAX_ALTERNATIVES + 1;

impl Variable {
    /// What it holds on each way; none if that differs only in its texts.
    #[must_use]
    pub fn ways(&self) -> Option<&[Way]> {
        let ways = self.ways.as_deref()?;
        // What was assigned since holds on all ways.
        (ways.each.len() > 1 && ways.joined == self.content).then_some(ways.each.as_slice())
    }

    /// Changes the content, on each way.
    pub fn change(&mut self, mut change: impl FnMut(&mut VariableContent)) {
        let Some(ways) = self.ways().map(<[Way]>::to_vec) else {
            self.ways = None;
            change(&mut self.content);
            return;
        };
        let mut all: Option<Self> = None;
        for way in ways {
            let mut content = match way {
                Way::Foreign => VariableContent::Unset,
                Way::Set(content) => content,
            };
            change(&mut content);
            let one = Self { content, ways: None, ..self.clone() };
            match &mut all {
                Some(all) => all.join(&one),
                None => all = Some(one),
            }
        }
        if let Some(all) = all {
            *self = all;
        }
    }

    /// A variable that the text has not set.
    pub(crate) fn foreign() -> Self {
        let content = VariableContent::Unset;
        let ways = Ways { joined: content.clone(), each: vec![Way::Foreign] };
        Self { content, ways: Some(ways.into()), ..Self::default() }
    }

    /// What this variable and another one hold on each way; none if both are texts.
    pub(crate) fn joined_ways(&self, other: &Self) -> Vec<Way> {
        let are_texts = matches!(
            (&self.content, &other.content),
            (VariableContent::Scalar(_), VariableContent::Scalar(_))
        );
        if are_texts && self.ways.is_none() && other.ways.is_none() {
            return Vec::new();
        }
        let mut all: Vec<Way> = Vec::new();
        for variable in [self, other] {
            let own = || [Way::Set(variable.content.clone())];
            match variable.ways.as_deref().filter(|ways| ways.joined == variable.content) {
                Some(ways) => ways.each.iter().for_each(|way| add(&mut all, way)),
                None => own().iter().for_each(|way| add(&mut all, way)),
            }
        }
        all
    }

    /// The variable may be any array of its elements.
    pub(crate) fn summarize_ways(&mut self) {
        let ways = self.content.summarized().unwrap_or_default();
        self.set_ways(ways);
    }

    /// Notes what it holds on each way, beside its joined content.
    pub(crate) fn set_ways(&mut self, mut each: Vec<Way>) {
        if each.len() > MAX_ALTERNATIVES {
            each = self.content.summarized().unwrap_or(each);
        }
        each.truncate(MOST);
        let several = each.len() > 1;
        self.ways = several.then(|| Arc::new(Ways { joined: self.content.clone(), each }));
    }
}

/// Adds a way; two with the same elements become one.
fn add(all: &mut Vec<Way>, way: &Way) {
    for known in all.iter_mut() {
        match (known, way) {
            (Way::Foreign, Way::Foreign) => return,
            (Way::Set(known), Way::Set(content)) => {
                if let Some(joined) = known.joined_with(content) {
                    *known = joined;
                    return;
                }
            }
            _ => {}
        }
    }
    all.push(way.clone());
}

impl VariableContent {
    /// The content that is one of both; none if they have different elements.
    fn joined_with(&self, other: &Self) -> Option<Self> {
        Some(match (self, other) {
            (Self::Unset, Self::Unset) => Self::Unset,
            (Self::Scalar(one), Self::Scalar(other)) => Self::Scalar(join_values(one, other)),
            (Self::Indexed(one), Self::Indexed(other)) => Self::Indexed(joined_maps(one, other)?),
            (Self::Keyed(one), Self::Keyed(other)) => Self::Keyed(joined_maps(one, other)?),
            _ => return None,
        })
    }
}

impl VariableContent {
    /// Ways that stand for all that an array with these elements may be: it has any number of them, in any order. None if
    /// there are too many.
    fn summarized(&self) -> Option<Vec<Way>> {
        let values = self.elements();
        let any = values.iter().cloned().reduce(|all, value| join_values(&all, &value))?;
        if values.len() + 2 > MAX_ALTERNATIVES {
            return None;
        }
        let mut ways = vec![Way::Set(self.clone())];
        for count in 0..=values.len() {
            let places = (0i64..).take(count);
            ways.push(Way::Set(match self {
                Self::Keyed(_) => {
                    let list = places.map(|place| (place.to_string(), any.clone()));
                    Self::Keyed(Arc::new(list.collect()))
                }
                _ => Self::Indexed(Arc::new(places.map(|place| (place, any.clone())).collect())),
            }));
        }
        Some(ways)
    }
}

type Elements<K> = Arc<BTreeMap<K, Value>>;

fn joined_maps<K: Ord + Clone>(one: &Elements<K>, other: &Elements<K>) -> Option<Elements<K>> {
    if Arc::ptr_eq(one, other) {
        return Some(Arc::clone(one));
    }
    if one.len() != other.len() || !one.keys().eq(other.keys()) {
        return None;
    }
    let pairs = one.iter().zip(other.values());
    Some(Arc::new(pairs.map(|((key, a), b)| (key.clone(), join_values(a, b))).collect()))
}

impl ShellState {
    /// The lists that the positional parameters may be: one, or several of different lengths.
    #[must_use]
    pub fn parameter_ways(&self) -> Vec<Arc<Vec<Value>>> {
        let Some(items) = &self.positional else { return Vec::new() };
        match &self.parameter_ways {
            Some(ways) if Arc::ptr_eq(&ways.joined, items) => ways.each.clone(),
            _ => vec![Arc::clone(items)],
        }
    }

    /// Sets the positional parameters to one of several lists.
    pub fn set_parameters(&mut self, lists: impl IntoIterator<Item = Arc<Vec<Value>>>) {
        let mut each: Vec<Arc<Vec<Value>>> = Vec::new();
        for list in lists {
            match each.iter_mut().find(|known| known.len() == list.len()) {
                Some(known) => *known = Arc::new(join_lists(known, &list)),
                None => each.push(list),
            }
        }
        each.truncate(MOST);
        let joined = match each.as_slice() {
            [only] => Arc::clone(only),
            several => {
                let all = several.iter().fold(Vec::new(), |all, list| join_lists(&all, list));
                Arc::new(all)
            }
        };
        self.positional = Some(Arc::clone(&joined));
        self.parameter_ways = (each.len() > 1).then_some(ParameterWays { joined, each });
    }
}

impl Way {
    /// The text of the variable on this way, if the script has set one.
    #[must_use]
    pub fn scalar(&self) -> Option<Value> {
        match self {
            Self::Foreign => None,
            Self::Set(content) => content.scalar(),
        }
    }
}

//! A map by name that is cheap to clone and cheap to change after that.
//!
//! Branches, subshells and the lines of a session clone the shell's state, and most of them change a few entries. The
//! map is cut into parts by the hash of the name; a change copies one part, so that its cost does not grow with
//! everything that a session has ever set.

use std::collections::HashMap;
use std::rc::Rc;

/// Number of parts.
const PARTS: usize = 64;

/// Entries sorted by name. A hash table of the same size takes up to twice the memory.
type MapPart<V> = Rc<Vec<(String, V)>>;

/// The map.
#[derive(Debug)]
pub(crate) struct SharedMap<V> {
    /// `None` while there are no entries.
    parts: Option<Rc<[MapPart<V>; PARTS]>>,
    len: usize,
}

impl<V> Default for SharedMap<V> {
    fn default() -> Self {
        Self { parts: None, len: 0 }
    }
}

impl<V> Clone for SharedMap<V> {
    fn clone(&self) -> Self {
        Self { parts: self.parts.clone(), len: self.len }
    }
}

impl<V: PartialEq> PartialEq for SharedMap<V> {
    fn eq(&self, other: &Self) -> bool {
        match (&self.parts, &other.parts) {
            _ if self.len != other.len => false,
            (Some(ours), Some(theirs)) => ours
                .iter()
                .zip(theirs.iter())
                .all(|(one, other)| Rc::ptr_eq(one, other) || one == other),
            // Whether there are no entries.
            _ => true,
        }
    }
}

impl<V: Clone> From<HashMap<String, V>> for SharedMap<V> {
    fn from(map: HashMap<String, V>) -> Self {
        let mut shared = Self::default();
        for (name, value) in map {
            shared.insert(name, value);
        }
        shared
    }
}

/// Names that collide on purpose only make a change as expensive as a full copy.
fn part_of(name: &str) -> usize {
    let hash =
        name.bytes().fold(5381_usize, |hash, byte| hash.wrapping_mul(33) ^ usize::from(byte));
    hash % PARTS
}

/// The place of a name in a part: where it is, or where it belongs.
fn place_of<V>(part: &[(String, V)], name: &str) -> Result<usize, usize> {
    part.binary_search_by(|(known, _)| known.as_str().cmp(name))
}

impl<V> SharedMap<V> {
    pub(crate) fn get(&self, name: &str) -> Option<&V> {
        let part = self.parts.as_ref()?.get(part_of(name))?;
        part.get(place_of(part, name).ok()?).map(|(_, value)| value)
    }

    pub(crate) fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&String, &V)> {
        self.parts
            .iter()
            .flat_map(|parts| parts.iter())
            .flat_map(|part| part.iter())
            .map(|(name, value)| (name, value))
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &String> {
        self.iter().map(|(name, _)| name)
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Whether both share the same memory, so that they are equal.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (&self.parts, &other.parts) {
            (Some(one), Some(other)) => Rc::ptr_eq(one, other),
            (None, None) => true,
            _ => false,
        }
    }
}

impl<V: Clone> SharedMap<V> {
    fn part_mut(&mut self, name: &str) -> &mut Vec<(String, V)> {
        let parts =
            self.parts.get_or_insert_with(|| Rc::new(std::array::from_fn(|_| Rc::default())));
        #[allow(clippy::indexing_slicing)] // a remainder of the number of parts
        Rc::make_mut(&mut Rc::make_mut(parts)[part_of(name)])
    }

    /// The value, for changing it. Copies the part that contains it if the part is shared.
    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut V> {
        if !self.contains_key(name) {
            return None;
        }
        let part = self.part_mut(name);
        let at = place_of(part, name).ok()?;
        part.get_mut(at).map(|(_, value)| value)
    }

    pub(crate) fn insert(&mut self, name: String, value: V) -> Option<V> {
        if let Some(stored) = self.get_mut(&name) {
            return Some(std::mem::replace(stored, value));
        }
        self.get_or_insert_with(name, || value);
        None
    }

    pub(crate) fn remove(&mut self, name: &str) -> Option<V> {
        if !self.contains_key(name) {
            return None;
        }
        self.len -= 1;
        let part = self.part_mut(name);
        place_of(part, name).ok().map(|at| part.remove(at).1)
    }

    /// The value of this name, created if it does not exist.
    pub(crate) fn get_or_insert_with(&mut self, name: String, make: impl FnOnce() -> V) -> &mut V {
        self.len += usize::from(!self.contains_key(&name));
        let part = self.part_mut(&name);
        let at = place_of(part, &name).unwrap_or_else(|at| {
            part.reserve_exact(1);
            part.insert(at, (name, make()));
            at
        });
        #[allow(clippy::indexing_slicing)] // the name is there
        &mut part[at].1
    }

    /// Changes every value.
    pub(crate) fn change_all(&mut self, mut change: impl FnMut(&String, &mut V)) {
        self.retain(|name, value| {
            change(name, value);
            true
        });
    }

    pub(crate) fn retain(&mut self, mut keeps: impl FnMut(&String, &mut V) -> bool) {
        let Some(parts) = &mut self.parts else { return };
        let mut len = 0;
        for part in Rc::make_mut(parts).iter_mut().filter(|part| !part.is_empty()) {
            let part = Rc::make_mut(part);
            part.retain_mut(|(name, value)| keeps(name, value));
            len += part.len();
        }
        self.len = len;
    }
}

#[cfg(test)]
mod tests {
    use super::SharedMap;

    #[test]
    fn a_clone_stays_as_it_was() {
        let mut map: SharedMap<u32> = SharedMap::default();
        for number in 0..1000 {
            map.insert(format!("v{number}"), number);
        }
        let before = map.clone();
        assert!(map.is_same(&before));
        assert_eq!(map.insert("v1".to_owned(), 7), Some(1));
        assert_eq!(map.remove("v2"), Some(2));
        *map.get_or_insert_with("new".to_owned(), || 1) += 1;
        assert!(!map.is_same(&before));
        assert_eq!((map.get("v1"), map.get("v2"), map.get("new")), (Some(&7), None, Some(&2)));
        assert_eq!(
            (before.get("v1"), before.get("v2"), before.get("new")),
            (Some(&1), Some(&2), None)
        );
        assert_eq!((map.len(), before.len()), (1000, 1000));
        map.retain(|name, _| name == "new");
        assert_eq!((map.len(), map.iter().count()), (1, 1));
    }
}

//! A map that forgets what was not used for the longest time.

use std::collections::HashMap;
use std::hash::Hash;

/// Holds at most twice `size` entries: a young half, and an old half that is dropped when the young one is full.
#[derive(Debug)]
pub(crate) struct BoundedMap<K, V> {
    young: HashMap<K, V>,
    old: HashMap<K, V>,
    size: usize,
    forgotten: u64,
}

impl<K: Eq + Hash + Clone, V> BoundedMap<K, V> {
    pub(crate) fn new(size: usize) -> Self {
        Self { young: HashMap::new(), old: HashMap::new(), size, forgotten: 0 }
    }

    /// Inserts or replaces.
    pub(crate) fn insert(&mut self, key: K, value: V) {
        self.old.remove(&key);
        self.young.insert(key, value);
        if self.young.len() >= self.size {
            let dropped = std::mem::replace(&mut self.old, std::mem::take(&mut self.young));
            self.forgotten += dropped.len() as u64;
        }
    }

    /// The value, which counts as used now.
    pub(crate) fn get(&mut self, key: &K) -> Option<&mut V> {
        if let Some(value) = self.old.remove(key) {
            self.insert(key.clone(), value);
        }
        // An insertion may have made it old again.
        match self.young.get_mut(key) {
            Some(value) => Some(value),
            None => self.old.get_mut(key),
        }
    }

    /// Number of entries that were dropped.
    pub(crate) fn forgotten(&self) -> u64 {
        self.forgotten
    }

    /// All entries.
    pub(crate) fn into_entries(self) -> impl Iterator<Item = (K, V)> {
        self.young.into_iter().chain(self.old)
    }
}

#[cfg(test)]
mod tests {
    use super::BoundedMap;

    #[test]
    fn what_is_used_stays_and_the_rest_goes() {
        let mut map = BoundedMap::new(10);
        map.insert(0, "kept");
        for number in 1..1000 {
            map.insert(number, "");
            assert_eq!(map.get(&0), Some(&mut "kept"), "{number}");
        }
        assert!(map.forgotten() > 900);
        assert!(map.into_entries().count() <= 20);
    }
}

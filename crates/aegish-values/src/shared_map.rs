//! A map by name that is cheap to clone and cheap to change after that.
//!
//! Branches, subshells and the lines of a session clone the shell's state, and most of them change a few entries. The
//! map is a hash trie whose nodes are shared: a change copies the nodes on one path, and two maps with a common
//! history are compared only where they differ.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Entries of a leaf before it is split.
const LEAF: usize = 8;
/// Bits of the hash that choose a child.
const BITS: u32 = 4;
/// Children of a branch.
const CHILDREN: usize = 1 << BITS;

/// The map.
#[derive(Debug)]
pub struct SharedMap<V> {
    root: Option<Arc<Node<V>>>,
    len: usize,
}

#[derive(Debug)]
enum Node<V> {
    /// A few entries, in the order in which they came.
    Leaf(Vec<Arc<Entry<V>>>),
    /// Entries by the next bits of their hash.
    Branch([Option<Arc<Node<V>>>; CHILDREN]),
}

#[derive(Debug, Clone)]
struct Entry<V> {
    name: String,
    value: V,
}

/// Whether two roots are one and the same, so that nothing below can differ.
pub(crate) fn are_same<T>(one: &Option<Arc<T>>, other: &Option<Arc<T>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        (one, other) => one.is_none() && other.is_none(),
    }
}

impl<V> Default for SharedMap<V> {
    fn default() -> Self {
        Self { root: None, len: 0 }
    }
}

impl<V> Clone for SharedMap<V> {
    fn clone(&self) -> Self {
        Self { root: self.root.clone(), len: self.len }
    }
}

impl<V> Clone for Node<V> {
    fn clone(&self) -> Self {
        match self {
            Self::Leaf(entries) => Self::Leaf(entries.clone()),
            Self::Branch(children) => Self::Branch(children.clone()),
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

/// Nobody can choose many names that collide, so leaves stay small.
fn hash(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

/// The child in which a name with this hash is.
fn child_of<T>(children: &[T; CHILDREN], hash: u64) -> &T {
    #[allow(clippy::indexing_slicing, clippy::cast_possible_truncation)]
    // a remainder of the length
    &children[hash as usize % CHILDREN]
}

fn child_of_mut<T>(children: &mut [T; CHILDREN], hash: u64) -> &mut T {
    #[allow(clippy::indexing_slicing, clippy::cast_possible_truncation)]
    // a remainder of the length
    &mut children[hash as usize % CHILDREN]
}

impl<V> Node<V> {
    fn entries<'n>(&'n self, into: &mut Vec<&'n Entry<V>>) {
        match self {
            Self::Leaf(entries) => into.extend(entries.iter().map(|entry| &**entry)),
            Self::Branch(children) => {
                children.iter().flatten().for_each(|child| child.entries(into));
            }
        }
    }

    /// Names of entries that are not one and the same in both.
    fn differences(ours: Option<&Arc<Self>>, theirs: Option<&Arc<Self>>, into: &mut Vec<String>) {
        let (ours, theirs) = match (ours, theirs) {
            (None, None) => return,
            (Some(ours), Some(theirs)) if Arc::ptr_eq(ours, theirs) => return,
            (ours, theirs) => (ours.map(|node| &**node), theirs.map(|node| &**node)),
        };
        if let (Some(Self::Branch(ours)), Some(Self::Branch(theirs))) = (ours, theirs) {
            for (ours, theirs) in ours.iter().zip(theirs) {
                Self::differences(ours.as_ref(), theirs.as_ref(), into);
            }
            return;
        }
        if let (Some(Self::Leaf(ours)), Some(Self::Leaf(theirs))) = (ours, theirs) {
            let new =
                |entry: &&Arc<Entry<V>>| !theirs.iter().any(|other| Arc::ptr_eq(entry, other));
            let only = |entry: &&Arc<Entry<V>>| !ours.iter().any(|other| other.name == entry.name);
            into.extend(ours.iter().filter(new).map(|entry| entry.name.clone()));
            into.extend(theirs.iter().filter(only).map(|entry| entry.name.clone()));
            return;
        }
        let (mut left, mut right) = (Vec::new(), Vec::new());
        ours.into_iter().for_each(|node| node.entries(&mut left));
        theirs.into_iter().for_each(|node| node.entries(&mut right));
        let mut right: HashMap<&str, &Entry<V>> =
            right.into_iter().map(|entry| (entry.name.as_str(), entry)).collect();
        for entry in left {
            if !right.remove(entry.name.as_str()).is_some_and(|other| std::ptr::eq(entry, other)) {
                into.push(entry.name.clone());
            }
        }
        into.extend(right.into_keys().map(str::to_owned));
    }
}

impl<V> SharedMap<V> {
    /// The value of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&V> {
        let mut hash = self.root.as_ref().map(|_| hash(name))?;
        let mut node = self.root.as_ref();
        loop {
            match &**node? {
                Node::Leaf(entries) => {
                    let entry = entries.iter().find(|entry| entry.name == name);
                    return entry.map(|entry| &entry.value);
                }
                Node::Branch(children) => node = child_of(children, hash).as_ref(),
            }
            hash >>= BITS;
        }
    }

    /// Whether there is a value of this name.
    #[must_use]
    pub fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All entries, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &V)> {
        let mut entries = Vec::new();
        self.root.iter().for_each(|root| root.entries(&mut entries));
        entries.into_iter().map(|entry| (&entry.name, &entry.value))
    }

    /// All names.
    pub fn keys(&self) -> impl Iterator<Item = &String> {
        self.iter().map(|(name, _)| name)
    }

    /// All values.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Whether both are one and the same, so that nothing can differ.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        are_same(&self.root, &other.root)
    }

    /// Names whose values may differ, sorted. The cost grows with what was changed since both were one.
    #[must_use]
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let mut names = Vec::new();
        Node::differences(self.root.as_ref(), other.root.as_ref(), &mut names);
        names.sort_unstable();
        names
    }
}

impl<V: Clone> SharedMap<V> {
    /// The value, for changing it. Copies the nodes that lead to it if they are shared.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut V> {
        if !self.contains_key(name) {
            return None;
        }
        let mut hash = hash(name);
        let mut node = Arc::make_mut(self.root.as_mut()?);
        loop {
            match node {
                Node::Leaf(entries) => {
                    let entry = entries.iter_mut().find(|entry| entry.name == name)?;
                    return Some(&mut Arc::make_mut(entry).value);
                }
                Node::Branch(children) => {
                    node = Arc::make_mut(child_of_mut(children, hash).as_mut()?);
                }
            }
            hash >>= BITS;
        }
    }

    /// Sets the value of a name and returns the one before.
    pub fn insert(&mut self, name: String, value: V) -> Option<V> {
        if let Some(old) = self.get_mut(&name) {
            return Some(std::mem::replace(old, value));
        }
        self.get_or_insert_with(name, || value);
        None
    }

    /// Removes a name and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<V> {
        let value = self.get(name)?.clone();
        self.len -= 1;
        let mut hash = hash(name);
        let mut node = Arc::make_mut(self.root.as_mut()?);
        loop {
            match node {
                Node::Leaf(entries) => {
                    entries.retain(|entry| entry.name != name);
                    return Some(value);
                }
                Node::Branch(children) => {
                    node = Arc::make_mut(child_of_mut(children, hash).as_mut()?);
                }
            }
            hash >>= BITS;
        }
    }

    /// The value of this name, created if it does not exist.
    pub fn get_or_insert_with(&mut self, name: String, make: impl FnOnce() -> V) -> &mut V {
        self.len += usize::from(!self.contains_key(&name));
        let hash = hash(&name);
        slot(&mut self.root, hash, 0, name, make)
    }

    /// Removes the entries that are not to be kept.
    pub fn retain(&mut self, mut keeps: impl FnMut(&String, &V) -> bool) {
        let entries = self.iter().filter(|(name, value)| !keeps(name, value));
        let gone: Vec<String> = entries.map(|(name, _)| name.clone()).collect();
        for name in gone {
            self.remove(&name);
        }
    }
}

/// The value of a name below this place, which is made if there is none. `depth` counts the bits of the hash that were
/// used on the way.
fn slot<V: Clone>(
    place: &mut Option<Arc<Node<V>>>,
    hash: u64,
    depth: u32,
    name: String,
    make: impl FnOnce() -> V,
) -> &mut V {
    let node = Arc::make_mut(place.get_or_insert_with(|| Arc::new(Node::Leaf(Vec::new()))));
    if let Node::Leaf(entries) = node
        && entries.len() >= LEAF
        && depth < u64::BITS
        && !entries.iter().any(|entry| entry.name == name)
    {
        *node = split(std::mem::take(entries), depth);
    }
    match node {
        Node::Leaf(entries) => {
            let at = entries.iter().position(|entry| entry.name == name).unwrap_or_else(|| {
                entries.push(Arc::new(Entry { name, value: make() }));
                entries.len() - 1
            });
            #[allow(clippy::indexing_slicing)] // found or pushed just now
            &mut Arc::make_mut(&mut entries[at]).value
        }
        Node::Branch(children) => {
            let child = child_of_mut(children, hash);
            slot(child, hash >> BITS, depth + BITS, name, make)
        }
    }
}

/// A branch with these entries, after `depth` bits of the hash.
fn split<V>(entries: Vec<Arc<Entry<V>>>, depth: u32) -> Node<V> {
    let mut leaves: [Vec<_>; CHILDREN] = std::array::from_fn(|_| Vec::new());
    for entry in entries {
        child_of_mut(&mut leaves, hash(&entry.name) >> depth).push(entry);
    }
    Node::Branch(leaves.map(|leaf| (!leaf.is_empty()).then(|| Arc::new(Node::Leaf(leaf)))))
}

#[cfg(test)]
mod tests {
    use super::SharedMap;

    fn numbered(count: u32) -> SharedMap<u32> {
        let mut map = SharedMap::default();
        for number in 0..count {
            map.insert(format!("v{number}"), number);
        }
        map
    }

    #[test]
    fn a_clone_stays_as_it_was() {
        let mut map = numbered(1000);
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

    #[test]
    fn differences_are_what_was_changed_since_both_were_one() {
        for count in [0, 3, 8, 9, 1000] {
            let before = numbered(count);
            let mut map = before.clone();
            assert_eq!(map.differences(&before), Vec::<String>::new());
            map.insert("new".to_owned(), 1);
            assert_eq!(map.differences(&before), ["new"], "{count}");
            assert_eq!(before.differences(&map), ["new"], "{count}");
            if count > 2 {
                map.insert("v1".to_owned(), 5);
                map.remove("v2");
                assert_eq!(map.differences(&before), ["new", "v1", "v2"], "{count}");
            }
        }
    }
}

//! A map by path that is cheap to clone, and that finds the paths below a directory without looking at the others.
//!
//! A session may write thousands of files, and each of its commands asks what lies below a directory. The map is a tree
//! in the order of the paths (a treap: the hash of a path says how near it is to the root), so that equal contents have
//! equal shapes. Its nodes are shared: a change copies the nodes on one way, and two maps with a common history are
//! compared only where they differ. A second tree holds the paths in the order of their ends.

use crate::Taint;
use crate::shared_map::are_same;
use std::cmp::Ordering;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, LazyLock, OnceLock};

/// Values that may have an origin.
pub trait HasOrigin: Clone {
    /// The sources of the value.
    fn origin(&self) -> Option<&Taint>;
}

impl HasOrigin for () {
    fn origin(&self) -> Option<&Taint> {
        None
    }
}

impl HasOrigin for String {
    fn origin(&self) -> Option<&Taint> {
        None
    }
}

impl<V: HasOrigin> HasOrigin for Arc<V> {
    fn origin(&self) -> Option<&Taint> {
        V::origin(self)
    }
}

/// The map.
#[derive(Debug)]
pub struct PathMap<V: HasOrigin> {
    by_start: Tree<Arc<V>>,
    by_end: Tree<()>,
    len: usize,
}

type Tree<T> = Option<Arc<Node<T>>>;

#[derive(Debug)]
struct Node<T: HasOrigin> {
    path: Arc<str>,
    item: T,
    priority: u64,
    left: Tree<T>,
    right: Tree<T>,
    /// The sources of the item and of all below, once somebody asked.
    sources: OnceLock<Taint>,
}

/// The order of paths in a tree.
type Order = fn(&str, &str) -> Ordering;

const BY_START: Order = |one, other| one.cmp(other);
const BY_END: Order = |one, other| one.bytes().rev().cmp(other.bytes().rev());

/// Nobody can choose paths that make a tree deep, as the keys of the hash are made anew by each process.
fn priority_of(path: &str) -> u64 {
    static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    KEYS.hash_one(path)
}

impl<V: HasOrigin> Default for PathMap<V> {
    fn default() -> Self {
        Self { by_start: None, by_end: None, len: 0 }
    }
}

impl<V: HasOrigin> Clone for PathMap<V> {
    fn clone(&self) -> Self {
        Self { by_start: self.by_start.clone(), by_end: self.by_end.clone(), len: self.len }
    }
}

impl<T: HasOrigin> Clone for Node<T> {
    /// A node is copied to be changed, so its sources are not.
    fn clone(&self) -> Self {
        Self {
            path: Arc::clone(&self.path),
            item: self.item.clone(),
            priority: self.priority,
            left: self.left.clone(),
            right: self.right.clone(),
            sources: OnceLock::new(),
        }
    }
}

impl<T: HasOrigin> Node<T> {
    /// The node, for changing it or what is below it.
    fn change(node: &mut Arc<Self>) -> &mut Self {
        let node = Arc::make_mut(node);
        node.sources = OnceLock::new();
        node
    }

    /// Whether this node is above the one of that path, or is it.
    fn is_above(&self, priority: u64, path: &str) -> bool {
        (self.priority, &*self.path) >= (priority, path)
    }

    fn sources(&self) -> &Taint {
        self.sources.get_or_init(|| {
            let mut sources = Taint::none();
            absorb_whole(&self.left, &mut sources);
            absorb_item(self, &mut sources);
            absorb_whole(&self.right, &mut sources);
            sources
        })
    }
}

fn absorb_item<T: HasOrigin>(node: &Node<T>, sources: &mut Taint) {
    if let Some(origin) = node.item.origin() {
        sources.absorb(origin);
    }
}

fn absorb_whole<T: HasOrigin>(tree: &Tree<T>, sources: &mut Taint) {
    if let Some(node) = tree {
        sources.absorb(node.sources());
    }
}

/// What is before a path, and the path and what is behind it.
fn split<T: HasOrigin>(tree: Tree<T>, order: Order, path: &str) -> (Tree<T>, Tree<T>) {
    let Some(mut root) = tree else { return (None, None) };
    let node = Node::change(&mut root);
    if order(&node.path, path) == Ordering::Less {
        let (before, behind) = split(node.right.take(), order, path);
        node.right = before;
        (Some(root), behind)
    } else {
        let (before, behind) = split(node.left.take(), order, path);
        node.left = behind;
        (before, Some(root))
    }
}

/// One tree of two, of which one is before the other.
fn joined<T: HasOrigin>(left: Tree<T>, right: Tree<T>) -> Tree<T> {
    match (left, right) {
        (None, other) | (other, None) => other,
        (Some(mut left), Some(mut right)) => {
            if left.is_above(right.priority, &right.path) {
                let node = Node::change(&mut left);
                node.right = joined(node.right.take(), Some(right));
                Some(left)
            } else {
                let node = Node::change(&mut right);
                node.left = joined(Some(left), node.left.take());
                Some(right)
            }
        }
    }
}

/// The item of a path, which is made if there is none.
fn slot<T: HasOrigin>(
    tree: &mut Tree<T>,
    order: Order,
    path: Arc<str>,
    priority: u64,
    make: impl FnOnce() -> T,
) -> &mut T {
    match tree.take() {
        Some(node) if node.is_above(priority, &path) => {
            let node = Node::change(tree.insert(node));
            match order(&path, &node.path) {
                Ordering::Equal => &mut node.item,
                Ordering::Less => slot(&mut node.left, order, path, priority, make),
                Ordering::Greater => slot(&mut node.right, order, path, priority, make),
            }
        }
        below => {
            let (left, right) = split(below, order, &path);
            let node = Node { path, item: make(), priority, left, right, sources: OnceLock::new() };
            &mut Node::change(tree.insert(Arc::new(node))).item
        }
    }
}

/// Removes a path that is there.
fn remove<T: HasOrigin>(tree: &mut Tree<T>, order: Order, path: &str) -> Option<T> {
    let root = tree.as_mut()?;
    let side = order(path, &root.path);
    let node = Node::change(root);
    match side {
        Ordering::Less => remove(&mut node.left, order, path),
        Ordering::Greater => remove(&mut node.right, order, path),
        Ordering::Equal => {
            let rest = joined(node.left.take(), node.right.take());
            std::mem::replace(tree, rest).map(|node| node.item.clone())
        }
    }
}

/// The nodes from a path on, in their order.
struct From<'m, T: HasOrigin> {
    /// Nodes that come next, the first one last; what is right of each is not in the list yet.
    waiting: Vec<&'m Node<T>>,
}

impl<'m, T: HasOrigin> From<'m, T> {
    fn new(tree: &'m Tree<T>, order: Order, start: &str) -> Self {
        let (mut waiting, mut place) = (Vec::new(), tree);
        while let Some(node) = place {
            if order(&node.path, start) == Ordering::Less {
                place = &node.right;
            } else {
                waiting.push(&**node);
                place = &node.left;
            }
        }
        Self { waiting }
    }
}

impl<'m, T: HasOrigin> Iterator for From<'m, T> {
    type Item = &'m Node<T>;

    fn next(&mut self) -> Option<&'m Node<T>> {
        let next = self.waiting.pop()?;
        let mut place = &next.right;
        while let Some(node) = place {
            self.waiting.push(&**node);
            place = &node.left;
        }
        Some(next)
    }
}

/// Paths of items that are not one and the same in both.
fn differences<V: HasOrigin>(ours: &Tree<Arc<V>>, theirs: &Tree<Arc<V>>, into: &mut Vec<String>) {
    match (ours, theirs) {
        (None, None) => {}
        (Some(ours), Some(theirs)) if Arc::ptr_eq(ours, theirs) => {}
        (Some(one), None) | (None, Some(one)) => {
            differences(&one.left, &None, into);
            into.push(one.path.to_string());
            differences(&one.right, &None, into);
        }
        (Some(ours), Some(theirs)) if ours.path == theirs.path => {
            differences(&ours.left, &theirs.left, into);
            if !Arc::ptr_eq(&ours.item, &theirs.item) {
                into.push(ours.path.to_string());
            }
            differences(&ours.right, &theirs.right, into);
        }
        (Some(ours), Some(theirs)) => {
            // The path that should be above the other is not in the other tree.
            let (above, other) = match ours.is_above(theirs.priority, &theirs.path) {
                true => (ours, theirs),
                false => (theirs, ours),
            };
            let (before, behind) = split(Some(Arc::clone(other)), BY_START, &above.path);
            differences(&above.left, &before, into);
            into.push(above.path.to_string());
            differences(&above.right, &behind, into);
        }
    }
}

impl<V: HasOrigin> PathMap<V> {
    /// The value of this path.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&V> {
        let mut place = &self.by_start;
        loop {
            let node = place.as_ref()?;
            place = match path.cmp(&node.path) {
                Ordering::Equal => return Some(&node.item),
                Ordering::Less => &node.left,
                Ordering::Greater => &node.right,
            };
        }
    }

    /// The path itself or the nearest directory above it that is here, with its value.
    #[must_use]
    pub fn nearest<'p>(&self, path: &'p str) -> Option<(&'p str, &V)> {
        let ends = path.rmatch_indices('/').map(|(end, _)| end);
        let mut places = std::iter::once(path.len()).chain(ends).filter_map(|end| path.get(..end));
        places.find_map(|place| Some((place, self.get(place)?)))
    }

    /// Whether there is a value of this path.
    #[must_use]
    pub fn contains_key(&self, path: &str) -> bool {
        self.get(path).is_some()
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

    /// All entries, in the order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &V)> {
        From::new(&self.by_start, BY_START, "").map(|node| (&*node.path, &*node.item))
    }

    /// All values.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    /// The entries whose paths start with this text, in the order of their paths.
    pub fn starting_with<'m>(&'m self, start: &'m str) -> impl Iterator<Item = (&'m str, &'m V)> {
        From::new(&self.by_start, BY_START, start)
            .take_while(move |node| node.path.starts_with(start))
            .map(|node| (&*node.path, &*node.item))
    }

    /// The paths that end with this text.
    pub fn ending_with<'m>(&'m self, end: &'m str) -> impl Iterator<Item = &'m str> {
        From::new(&self.by_end, BY_END, end)
            .take_while(move |node| node.path.ends_with(end))
            .map(|node| &*node.path)
    }

    /// The sources of all values whose paths start with this text. They are kept until one of the values changes.
    #[must_use]
    pub fn origin_of(&self, start: &str) -> Taint {
        let mut sources = Taint::none();
        let mut place = &self.by_start;
        let first = loop {
            match place {
                None => return sources,
                Some(node) if node.path.starts_with(start) => break node,
                Some(node) if *node.path < *start => place = &node.right,
                Some(node) => place = &node.left,
            }
        };
        absorb_item(first, &mut sources);
        let (mut before, mut behind) = (&first.left, &first.right);
        while let Some(node) = before {
            before = if node.path.starts_with(start) {
                absorb_item(node, &mut sources);
                absorb_whole(&node.right, &mut sources);
                &node.left
            } else {
                &node.right
            };
        }
        while let Some(node) = behind {
            behind = if node.path.starts_with(start) {
                absorb_item(node, &mut sources);
                absorb_whole(&node.left, &mut sources);
                &node.right
            } else {
                &node.left
            };
        }
        sources
    }

    /// Whether both are one and the same, so that nothing can differ.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        are_same(&self.by_start, &other.by_start)
    }

    /// Paths whose values may differ, sorted. The cost grows with what was changed since both were one.
    #[must_use]
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let mut paths = Vec::new();
        differences(&self.by_start, &other.by_start, &mut paths);
        paths
    }

    /// The value, for changing it. Copies the nodes that lead to it if they are shared.
    pub fn get_mut(&mut self, path: &str) -> Option<&mut V> {
        if !self.contains_key(path) {
            return None;
        }
        let mut place = &mut self.by_start;
        loop {
            let node = Node::change(place.as_mut()?);
            place = match path.cmp(&node.path) {
                Ordering::Equal => return Some(Arc::make_mut(&mut node.item)),
                Ordering::Less => &mut node.left,
                Ordering::Greater => &mut node.right,
            };
        }
    }

    /// Sets the value of a path.
    pub fn insert(&mut self, path: String, value: V) {
        match self.get_mut(&path) {
            Some(old) => *old = value,
            None => {
                self.get_or_insert_with(path, || value);
            }
        }
    }

    /// The value of this path, created if it does not exist.
    pub fn get_or_insert_with(&mut self, path: String, make: impl FnOnce() -> V) -> &mut V {
        let priority = priority_of(&path);
        let is_new = !self.contains_key(&path);
        let path: Arc<str> = path.into();
        if is_new {
            self.len += 1;
            slot(&mut self.by_end, BY_END, Arc::clone(&path), priority, || ());
        }
        Arc::make_mut(slot(&mut self.by_start, BY_START, path, priority, || Arc::new(make())))
    }

    /// Removes a path and returns its value.
    pub fn remove(&mut self, path: &str) -> Option<V> {
        if !self.contains_key(path) {
            return None;
        }
        self.len -= 1;
        remove(&mut self.by_end, BY_END, path);
        remove(&mut self.by_start, BY_START, path).map(Arc::unwrap_or_clone)
    }

    /// Removes a path, and if it is a `tree` also everything below it, and returns them with their values.
    pub fn remove_at(&mut self, path: &str, tree: bool) -> Vec<(String, V)> {
        let own = self.remove(path).map(|value| (path.to_owned(), value));
        let mut gone: Vec<(String, V)> = own.into_iter().collect();
        if tree {
            gone.extend(self.remove_starting_with(&format!("{path}/")));
        }
        gone
    }

    /// Removes the paths that start with this text and returns them with their values.
    pub fn remove_starting_with(&mut self, start: &str) -> Vec<(String, V)> {
        let gone: Vec<String> =
            self.starting_with(start).map(|(path, _)| path.to_owned()).collect();
        let with_value = |path: String| self.remove(&path).map(|value| (path, value));
        gone.into_iter().filter_map(with_value).collect()
    }

    /// Removes the entries that are not to be kept.
    pub fn retain(&mut self, mut keeps: impl FnMut(&str, &V) -> bool) {
        let entries = self.iter().filter(|(path, value)| !keeps(path, value));
        let gone: Vec<String> = entries.map(|(path, _)| path.to_owned()).collect();
        for path in gone {
            self.remove(&path);
        }
    }
}

#[cfg(test)]
mod tests;

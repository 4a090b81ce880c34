//! The map does what a sorted map of the standard library does.

use super::{HasOrigin, PathMap};
use crate::{Source, Taint};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A value from some file, which counts how often it is asked for its origin.
#[derive(Debug, Clone)]
struct Number(u32, Taint);

static ASKED: AtomicUsize = AtomicUsize::new(0);

impl Number {
    fn new(number: u32) -> Self {
        Self(number, Taint::from(Source::File(number.to_string())))
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl HasOrigin for Number {
    fn origin(&self) -> Option<&Taint> {
        ASKED.fetch_add(1, Ordering::Relaxed);
        Some(&self.1)
    }
}

fn count(sources: &Taint) -> usize {
    sources.sources().count()
}

/// Paths in a few directories, from a number.
fn path(number: u32) -> String {
    let places = ["", "/", "/a/", "/a/b/", "/ab/", "~/", "/dev/fd/"];
    let place = places[number as usize % places.len()];
    format!("{place}{}.{}", number % 31, ["py", "sh"][number as usize / 7 % 2])
}

fn numbers(count: u32, seed: u32) -> impl Iterator<Item = u32> {
    let mut state = seed;
    (0..count).map(move |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    })
}

#[test]
fn it_is_like_a_sorted_map() {
    let (mut map, mut other) = (PathMap::default(), BTreeMap::new());
    for number in numbers(4000, 1) {
        let path = path(number);
        if number % 3 == 0 {
            assert_eq!(map.remove(&path), other.remove(&path));
        } else {
            map.insert(path.clone(), Number::new(number));
            other.insert(path, Number::new(number));
        }
        assert_eq!(map.len(), other.len());
    }
    assert!(map.iter().eq(other.iter().map(|(path, number)| (path.as_str(), number))));
    for start in
        ["", "/", "/a", "/a/", "/a/b/", "/ab/", "~", "/dev/fd/", "1", "/nothing", "\u{10ffff}"]
    {
        let found: Vec<&str> = map.starting_with(start).map(|(path, _)| path).collect();
        let expected: Vec<&str> =
            other.keys().map(String::as_str).filter(|path| path.starts_with(start)).collect();
        assert_eq!(found, expected, "{start}");
        let mut sources = Taint::none();
        for path in expected {
            sources.absorb(&other[path].1);
        }
        assert_eq!(map.origin_of(start), sources, "{start}");
    }
    for end in ["", ".py", "/1.py", "a/3.sh", "/a/3.sh", "/b/7.py", ".rb"] {
        let found: BTreeSet<&str> = map.ending_with(end).collect();
        let expected: BTreeSet<&str> =
            other.keys().map(String::as_str).filter(|path| path.ends_with(end)).collect();
        assert_eq!(found, expected, "{end}");
    }
    let tree = |path: &&String| *path == "/a" || path.starts_with("/a/");
    assert_eq!(map.clone().remove_at("/a", true).len(), other.keys().filter(tree).count());
    assert_eq!(map.clone().remove_at("/a", false).len(), 0);
    let gone = map.remove_starting_with("/a/");
    assert_eq!(gone.len(), other.keys().filter(|path| path.starts_with("/a/")).count());
    map.retain(|path, _| path.ends_with(".py"));
    other.retain(|path, _| path.ends_with(".py") && !path.starts_with("/a/"));
    assert!(map.iter().eq(other.iter().map(|(path, number)| (path.as_str(), number))));
    assert_eq!(map.ending_with("").count(), map.len());
}

#[test]
fn a_clone_stays_as_it_was_and_differences_are_what_was_changed() {
    for count in [0, 3, 8, 9, 1000] {
        let mut map = PathMap::default();
        for number in numbers(count, 7) {
            map.insert(path(number), Number::new(number));
        }
        let before = map.clone();
        let first = before.iter().next().map(|(path, number)| (path.to_owned(), number.clone()));
        assert!(map.is_same(&before) && map.differences(&before).is_empty());
        map.insert("new".to_owned(), Number::new(1));
        let mut expected = vec!["new".to_owned()];
        if let Some((path, _)) = &first {
            map.remove(path);
            expected.push(path.clone());
        }
        if let Some((path, Number(number, _))) = before.iter().last() {
            map.insert(path.to_owned(), Number::new(number + 1));
            expected.push(path.to_owned());
        }
        expected.sort();
        expected.dedup();
        assert_eq!(map.differences(&before), expected);
        assert_eq!(before.differences(&map), expected);
        assert!(!map.is_same(&before) && !before.contains_key("new"));
        if let Some((path, number)) = first {
            assert_eq!((before.get(&path), map.get(&path)), (Some(&number), None));
        }
    }
}

#[test]
fn the_nearest_directory_is_found() {
    let mut map = PathMap::default();
    for path in ["/a", "/a/b", "c"] {
        map.insert(path.to_owned(), path.to_uppercase());
    }
    let nearest = |path| map.nearest(path).map(|(place, _)| place);
    assert_eq!(
        ["/a", "/a/b", "/a/b/x/y", "/a/x"].map(nearest),
        ["/a", "/a/b", "/a/b", "/a"].map(Some)
    );
    assert_eq!(["c/d", "/ab", "/", "", "/x/a"].map(nearest), [Some("c"), None, None, None, None]);
}

#[test]
fn origins_follow_changes_and_are_not_collected_anew() {
    let mut map = PathMap::default();
    for number in 0..10_000 {
        map.insert(format!("/srv/{number}"), Number::new(number % 10));
    }
    assert_eq!(count(&map.origin_of("/srv/")), 10);
    let before = ASKED.load(Ordering::Relaxed);
    for number in 0..100 {
        let earlier = map.clone();
        map.insert(format!("/srv/{number}"), Number::new(10 + number));
        assert_eq!(count(&map.origin_of("/srv/")), 11 + number as usize);
        assert_eq!(count(&earlier.origin_of("/srv/")), 10 + number as usize);
        assert!(count(&map.origin_of(&format!("/srv/{number}"))) > 0);
    }
    let asked = ASKED.load(Ordering::Relaxed) - before;
    // The other tests ask a few times meanwhile.
    assert!(asked < 100_000, "{asked} values were asked after 100 changes");
}

//! Elements of lists in which something unknown stands for any number of words: those behind it have no certain place.

use aegish_values::{Value, join_all};
use std::collections::BTreeMap;

/// The element with this number, counted from 0: behind an element that is several words, any of those from there on,
/// or nothing.
#[must_use]
pub fn at(items: &[Value], number: usize) -> Option<Value> {
    match items.iter().take(number.saturating_add(1)).position(Value::is_several) {
        None => items.get(number).cloned(),
        Some(first) => any_of(items.iter().skip(first)),
    }
}

/// The last element.
#[must_use]
pub fn last(items: &[Value]) -> Option<Value> {
    let sure = items.iter().rposition(|item| !item.is_several()).unwrap_or(0);
    any_of(items.iter().skip(sure))
}

/// The element of an array with this number; a negative one counts from its end.
#[must_use]
pub fn element(items: &BTreeMap<i64, Value>, number: i64) -> Option<Value> {
    if number == -1 {
        let sure = items.iter().rev().find(|(_, item)| !item.is_several());
        let sure = sure.map_or(i64::MIN, |(key, _)| *key);
        return any_of(items.range(sure..).map(|(_, item)| item));
    }
    let Some(first) = first_of_several(items) else {
        let next = || items.keys().next_back().map_or(0, |last| last.saturating_add(1));
        let number = if number < 0 { next().saturating_add(number) } else { number };
        return items.get(&number).cloned();
    };
    match number {
        number if number < 0 => any_of(items.values()),
        number if number < first => items.get(&number).cloned(),
        _ => any_of(items.range(first..).map(|(_, item)| item)),
    }
}

/// The number of the first element of an array that is several words.
#[must_use]
pub fn first_of_several(items: &BTreeMap<i64, Value>) -> Option<i64> {
    items.iter().find(|(_, item)| item.is_several()).map(|(key, _)| *key)
}

/// `${list[@]:start:count}`; a negative start counts from the end.
#[must_use]
pub fn part(items: &[Value], start: i64, count: Option<i64>) -> Vec<Value> {
    let numbered: BTreeMap<i64, Value> = (0..).zip(items.iter().cloned()).collect();
    match count {
        // The end counts from that of the list.
        Some(count) if count < 0 && !items.iter().any(Value::is_several) => {
            let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
            let start = if start < 0 { length.saturating_add(start) } else { start };
            elements_from(&numbered, start, Some((length.saturating_add(count) - start).max(0)))
        }
        Some(count) if count < 0 => elements_from(&numbered, start, None),
        count => elements_from(&numbered, start, count),
    }
}

/// As [`part`], of an array.
#[must_use]
pub fn elements_from(items: &BTreeMap<i64, Value>, start: i64, count: Option<i64>) -> Vec<Value> {
    let next = items.keys().next_back().map_or(0, |last| last.saturating_add(1));
    let from = if start < 0 { start.saturating_add(next) } else { start };
    let most = count.map_or(usize::MAX, |count| usize::try_from(count).unwrap_or(0));
    if from < 0 && start < 0 && first_of_several(items).is_none() {
        return Vec::new();
    }
    let uncertain = match start < 0 {
        true => items.range(from..).find(|(_, item)| item.is_several()).map(|_| i64::MIN),
        false => first_of_several(items),
    };
    let Some(first) = uncertain else {
        return items.range(from..).take(most).map(|(_, item)| item.clone()).collect();
    };
    let sure = items.range(from.min(first)..first).map(|(_, item)| item.clone());
    let mut part: Vec<Value> = sure.take(most).collect();
    if part.len() < most {
        part.extend(some_of(items.range(first..).map(|(_, item)| item)));
    }
    part
}

/// The lists that are left if this number of elements is taken from the start; with fewer than that nothing is taken.
#[must_use]
pub fn shifted(items: &[Value], count: usize) -> Vec<Vec<Value>> {
    let rest = |from: usize| items.get(from..).unwrap_or_default().to_vec();
    let Some(first) = items.iter().take(count).position(Value::is_several) else {
        return vec![items.get(count..).unwrap_or(items).to_vec()];
    };
    // Some of its words are left, or further elements are taken in their place.
    let further = (first + 2..=count + 1).filter(|from| *from <= items.len()).map(rest);
    let mut lists: Vec<Vec<Value>> = std::iter::once(rest(first)).chain(further).collect();
    if items.iter().filter(|item| !item.is_several()).count() < count {
        lists.push(items.to_vec());
    }
    lists
}

/// Any number of these elements, as one.
#[must_use]
pub fn some_of<'a>(items: impl Iterator<Item = &'a Value>) -> Option<Value> {
    any_of(items).map(|any| any.with_several(true))
}

fn any_of<'a>(items: impl Iterator<Item = &'a Value>) -> Option<Value> {
    join_all(items).map(|any| any.with_several(false))
}

#[cfg(test)]
mod tests {
    use super::{at, element, last, part, shifted};
    use crate::{Subscript, VariableContent};
    use aegish_values::Value;
    use std::collections::BTreeMap;

    /// A list; `*` is something unknown that is split.
    fn list(words: &str) -> Vec<Value> {
        let one = |word: &str| match word {
            "*" => Value::unknown("input").with_several(true),
            word => Value::known(word),
        };
        words.split_whitespace().map(one).collect()
    }

    /// The texts that a value says it may be.
    fn says(value: Option<Value>) -> Vec<String> {
        let mut texts = value.map(|value| value.own_texts()).unwrap_or_default();
        texts.retain(|text| !text.is_empty());
        texts.sort();
        texts
    }

    #[test]
    fn places_before_the_unknown_words_are_certain() {
        let items = list("a b * c d");
        assert_eq!(at(&items, 1), Some(Value::known("b")));
        assert_eq!(says(at(&items, 2)), ["c", "d"]);
        assert_eq!(says(at(&items, 9)), ["c", "d"]);
        assert_eq!(at(&list("a b"), 2), None);
    }

    #[test]
    fn the_end_is_certain_if_no_unknown_words_stand_there() {
        assert_eq!(last(&list("* a")), Some(Value::known("a")));
        assert_eq!(says(last(&list("a b *"))), ["b"]);
        let array: BTreeMap<i64, Value> = (0..).zip(list("a * b")).collect();
        assert_eq!(element(&array, -1), Some(Value::known("b")));
        assert_eq!(says(element(&array, -2)), ["a", "b"]);
    }

    #[test]
    fn a_part_keeps_what_is_certain() {
        let certain: Vec<Value> = part(&list("a b c"), 1, Some(1));
        assert_eq!(certain, list("b"));
        assert_eq!(part(&list("a b c"), -5, None), []);
        let behind = part(&list("a * c"), 0, None);
        assert_eq!(behind.first(), Some(&Value::known("a")));
        assert!(behind.last().is_some_and(Value::is_several));
    }

    #[test]
    fn unknown_words_may_be_shifted_away_or_stay() {
        let lists = shifted(&list("* a b"), 1);
        assert!(lists.contains(&list("* a b")));
        assert!(lists.contains(&list("b")));
        assert_eq!(shifted(&list("a b"), 3), [list("a b")]);
    }

    #[test]
    fn an_element_with_an_unknown_number_may_be_at_any_free_place() {
        let mut array = VariableContent::default();
        array.put(Subscript::At(5), Value::known("a"), false);
        array.put(Subscript::Any, Value::known("b"), false);
        let VariableContent::Indexed(items) = &array else { panic!("{array:?}") };
        for number in [0, 2, 5, 9] {
            assert!(says(element(items, number)).contains(&"b".to_owned()), "{number}");
        }
    }
}

//! Lists, maps and arrays.

use super::code::TclCode;
use super::variables::TclVariables;
use super::{TclNames, known};
use crate::heap::{Items, extend, mix, push_item};
use crate::limits::MAX_ITEMS;
use crate::value::{Val, join, part_of};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::tcl::texts::{place, slice};
use aegish_values::Value;
use easy_ext::ext;

#[ext(TclLists)]
pub(super) impl Interpreter<'_> {
    /// Keys and values of an array.
    fn tcl_array_list(&mut self, name: &Val) -> Val {
        let name = self.tcl_text(name);
        let mut all = Items::default();
        for name in name.readings(8).unwrap_or_default() {
            for place in self.tcl_arrays(&name) {
                let entries = self.heap.entries(place);
                for (key, value) in &entries.list {
                    push_item(&mut all, key.clone());
                    push_item(&mut all, value.clone());
                }
                if let Some(rest) = &entries.rest {
                    let known = all.rest.take();
                    all.rest = Some(known.map_or(rest.clone(), |known| join(&known, rest)));
                }
            }
        }
        if all.list.is_empty() && all.rest.is_none() {
            return Val::Text(Value::unknown("variable"));
        }
        self.tcl_list(all)
    }

    /// Items for the variables of a loop: pairs of a number of variables and a list.
    fn tcl_groups(&mut self, words: &[Val]) -> Val {
        let mut lists: Vec<(usize, Items)> = Vec::new();
        for pair in words.chunks(2) {
            if let [count, list] = pair {
                let count = known(count).and_then(|count| count.parse().ok()).unwrap_or(1);
                let list = self.tcl_items(&list.clone());
                lists.push((count, list));
            }
        }
        if let [(1, only)] = lists.as_slice() {
            let only = only.clone();
            return self.heap.list(only);
        }
        let rows = lists.iter().map(|(count, items)| items.list.len().div_ceil(*count)).max();
        let rows = rows.unwrap_or(0);
        self.open |= rows > MAX_ITEMS;
        let mut all = Items::default();
        for row in 0..rows.min(MAX_ITEMS) {
            let mut values = Vec::new();
            for (count, items) in &lists {
                for at in row * count..(row + 1) * count {
                    let value = items.list.get(at).or(items.rest.as_ref()).cloned();
                    values.push(value.unwrap_or_else(|| Val::text("")));
                }
            }
            all.list.push(Val::Tuple(values.into()));
        }
        if lists.iter().any(|(_, items)| items.rest.is_some()) {
            let mut values = Vec::new();
            for (count, items) in &lists {
                let rest = items.rest.clone().unwrap_or_else(|| Val::text(""));
                values.extend(std::iter::repeat_n(rest, *count));
            }
            all.rest = Some(Val::Tuple(values.into()));
        }
        self.heap.list(all)
    }

    fn tcl_dict_get(&mut self, dict: &Val, key: &Val) -> Val {
        let items = self.tcl_items(dict);
        let wanted = self.tcl_text(key);
        let mut found: Option<Val> = None;
        for pair in items.list.chunks(2) {
            if let [key, value] = pair {
                let key = self.tcl_text(key);
                match (key.as_known(), wanted.as_known()) {
                    (Some(a), Some(b)) if a != b => {}
                    (Some(_), Some(_)) if items.rest.is_none() => return value.clone(),
                    _ => found = Some(found.map_or(value.clone(), |found| join(&found, value))),
                }
            }
        }
        match (found, items.rest) {
            (Some(found), Some(rest)) => join(&found, &rest),
            (Some(value), None) | (None, Some(value)) => value,
            (None, None) => {
                let text = self.tcl_text(dict);
                Val::Text(part_of(&text))
            }
        }
    }

    /// Commands that make lists.
    fn tcl_list_command(&mut self, path: &str, words: &[Val]) -> Option<Val> {
        let first = words.first().cloned();
        let behind = words.get(1..).unwrap_or(&[]);
        Some(match path {
            "list" | "dict create" => {
                let list = words.to_vec();
                self.tcl_list(Items { list, rest: None })
            }
            "concat" | "dict merge" => {
                let mut all = Items::default();
                for word in words {
                    let items = self.tcl_items(word);
                    extend(&mut all, items);
                }
                self.tcl_list(all)
            }
            "lindex" => {
                let mut value = first?;
                let indices: Vec<Val> = match behind {
                    [only] => self.tcl_items(&only.clone()).list,
                    several => several.to_vec(),
                };
                for index in indices {
                    let items = self.tcl_items(&value);
                    let index = self.tcl_text(&index);
                    let at = index.as_known().and_then(|index| place(index, items.list.len()));
                    let from_end = index.known_prefix().starts_with("end");
                    value = match (at, &items.rest) {
                        (Some(at), rest) if !(from_end && rest.is_some()) => {
                            let item = usize::try_from(at).ok().and_then(|at| items.list.get(at));
                            item.or(rest.as_ref()).cloned().unwrap_or_else(|| Val::text(""))
                        }
                        _ => any_of(&items),
                    };
                }
                value
            }
            "dict get" => {
                let mut value = first?;
                for key in behind {
                    value = self.tcl_dict_get(&value, key);
                }
                value
            }
            "dict getdef" | "dict getwithdefault" => {
                let found = self.tcl_dict_get(&first?, words.get(1)?);
                join(&found, words.last()?)
            }
            "dict keys" | "dict values" => {
                let items = self.tcl_items(&first?);
                let skip = usize::from(path == "dict values");
                let list = items.list.into_iter().skip(skip).step_by(2).collect();
                self.tcl_list(Items { list, rest: items.rest })
            }
            "dict replace" => {
                let mut items = self.tcl_items(&first?);
                for pair in behind.chunks(2) {
                    if let [key, value] = pair {
                        set_pair(&mut items, key, value.clone());
                    }
                }
                self.tcl_list(items)
            }
            "lrange" | "lreplace" | "linsert" => {
                let items = self.tcl_items(&first?);
                let length = items.list.len();
                let at = |word: Option<&Val>| known(word?).and_then(|text| place(&text, length));
                let (from, to) = (at(words.get(1)), at(words.get(2)));
                let exact = items.rest.is_none();
                let list = match (path, from, to) {
                    ("lrange", Some(from), Some(to)) if exact => {
                        slice(&items.list, from, to).to_vec()
                    }
                    ("lreplace", Some(from), Some(to)) if exact => {
                        let mut list = slice(&items.list, 0, from - 1).to_vec();
                        list.extend(words.iter().skip(3).cloned());
                        list.extend_from_slice(slice(
                            &items.list,
                            to.max(from - 1) + 1,
                            i64::MAX - 1,
                        ));
                        list
                    }
                    ("linsert", Some(at), _) if exact => {
                        let from_end =
                            known(words.get(1)?).is_some_and(|text| text.starts_with("end"));
                        let at = at + i64::from(from_end);
                        let mut list = slice(&items.list, 0, at - 1).to_vec();
                        list.extend(words.iter().skip(2).cloned());
                        list.extend_from_slice(slice(&items.list, at.max(0), i64::MAX - 1));
                        list
                    }
                    // `lrange $argv 1 end` of a list whose end is not known.
                    ("lrange", Some(from), _)
                        if known(words.get(2)?).as_deref() == Some("end") && from >= 0 =>
                    {
                        let list = slice(&items.list, from, i64::MAX - 1).to_vec();
                        return Some(self.tcl_list(Items { list, rest: items.rest }));
                    }
                    _ => {
                        let mut all = items;
                        for word in words.iter().skip(2) {
                            push_item(&mut all, word.clone());
                        }
                        mix(&mut all);
                        return Some(self.tcl_list(all));
                    }
                };
                self.tcl_list(Items { list, rest: None })
            }
            "lreverse" => {
                let mut items = self.tcl_items(&first?);
                if items.rest.is_some() {
                    mix(&mut items);
                }
                items.list.reverse();
                self.tcl_list(items)
            }
            "lrepeat" => {
                let count = known(&first?).and_then(|count| count.parse::<usize>().ok());
                match count {
                    Some(count) if count * behind.len() <= MAX_ITEMS => {
                        let list = std::iter::repeat_n(behind, count).flatten().cloned().collect();
                        self.tcl_list(Items { list, rest: None })
                    }
                    _ => {
                        let mut items = Items { list: behind.to_vec(), rest: None };
                        mix(&mut items);
                        self.tcl_list(items)
                    }
                }
            }
            "lsort" | "lremove" | "lsearch" => {
                let at = words.len().checked_sub(if path == "lsort" { 1 } else { 2 })?;
                let list = words.get(at)?.clone();
                let mut items = self.tcl_items(&list);
                if path == "lsearch"
                    && !words.iter().any(|word| known(word).as_deref() == Some("-inline"))
                {
                    return Some(Val::unknown());
                }
                if path == "lsort"
                    && words.len() == 1
                    && items.rest.is_none()
                    && let Some(mut texts) =
                        items.list.iter().map(known).collect::<Option<Vec<_>>>()
                {
                    texts.sort();
                    let list = texts.into_iter().map(Val::text).collect();
                    return Some(self.tcl_list(Items { list, rest: None }));
                }
                if path == "lsort"
                    && let Some(at) =
                        words.iter().position(|word| known(word).as_deref() == Some("-command"))
                {
                    let one = any_of(&items);
                    let command = words.get(at + 1)?.clone();
                    self.maybe(|this| this.tcl_prefix(&command, vec![one.clone(), one.clone()]));
                }
                mix(&mut items);
                self.tcl_list(items)
            }
            "llength" | "dict size" | "array size" => {
                let items = self.tcl_items(&first?);
                let length = items.list.len() / if path == "llength" { 1 } else { 2 };
                match (items.rest, i64::try_from(length)) {
                    (None, Ok(length)) if path != "array size" => Val::Int(length),
                    _ => Val::unknown(),
                }
            }
            "join" => {
                let items = self.tcl_items(&first?);
                let between = match words.get(1) {
                    Some(between) => self.tcl_text(between),
                    None => Value::known(" "),
                };
                let mut text = Value::empty();
                for (place, item) in items.list.iter().chain(&items.rest).enumerate() {
                    if place > 0 {
                        text.append(&between);
                    }
                    let item = self.tcl_text(item);
                    text.append(&item);
                }
                if let Some(rest) = &items.rest {
                    let rest = self.tcl_text(rest);
                    text.append(&part_of(&rest));
                }
                Val::Text(text)
            }
            _ => return None,
        })
    }
}

/// One item, whichever it is.
fn any_of(items: &Items) -> Val {
    let all = items.list.iter().chain(&items.rest).cloned();
    all.reduce(|a, b| join(&a, &b)).unwrap_or_else(|| Val::text(""))
}

/// Sets a pair of a map.
pub(super) fn set_pair(items: &mut Items, key: &Val, value: Val) {
    let at = items.list.chunks(2).position(|pair| pair.first().map(known) == Some(known(key)));
    let simple = items.rest.is_none() && known(key).is_some();
    match at.filter(|_| simple) {
        Some(at) => {
            if let Some(slot) = items.list.get_mut(2 * at + 1) {
                *slot = value;
            }
        }
        None => {
            push_item(items, key.clone());
            push_item(items, value);
            if !simple {
                mix(items);
            }
        }
    }
}

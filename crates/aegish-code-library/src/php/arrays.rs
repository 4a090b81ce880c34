//! Functions on arrays.

use super::array_changes::{Given, PhpArrayChanges};
use super::formats::integer;
use super::{PhpValues, any_of, append, key, put};
use crate::heap::{Entries, is_key};
use crate::limits::MAX_ITEMS;
use crate::machine::Machine;
use crate::numbers::equal;
use crate::value::{Args, Val, join};

/// Functions on arrays.
pub trait PhpArrays: Machine {
    /// A function on arrays; none if it is not one of these.
    fn php_array_function(&mut self, name: &str, args: &Args) -> Option<Given> {
        if let Some(given) = self.changing_function(name, args) {
            return Some(given);
        }
        if let Some(value) = self.calling_function(name, args) {
            return Some((value, None));
        }
        let first = args.get(0).cloned().unwrap_or(Val::None);
        let second = args.get(1).cloned();
        let unpack = |this: &mut Self, value: &Val| {
            let entries = this.php_entries(value);
            (entries.list, entries.rest)
        };
        let value = match name {
            "count" | "sizeof" => {
                let entries = self.php_entries(&first);
                match (&first, &entries.rest) {
                    (Val::Dict(_) | Val::List(_) | Val::Tuple(_), None) => {
                        Val::Int(i64::try_from(entries.list.len()).unwrap_or(0))
                    }
                    _ => Val::unknown(),
                }
            }
            "array_values" => {
                let (list, rest) = unpack(self, &first);
                self.php_list(list.into_iter().map(|(_, value)| value).collect(), rest)
            }
            "array_keys" => {
                let (list, rest) = unpack(self, &first);
                let rest = rest.map(|_| Val::unknown());
                self.php_list(list.into_iter().map(|(key, _)| key).collect(), rest)
            }
            "array_flip" => {
                let (list, rest) = unpack(self, &first);
                let mut entries = Entries { list: Vec::new(), rest: rest.map(|_| Val::unknown()) };
                for (known, value) in list {
                    put(&mut entries, &value, known);
                }
                self.php_array(entries)
            }
            "array_reverse" => {
                let entries = self.php_entries(&first);
                if entries.rest.is_some() {
                    return Some((first, None));
                }
                let mut reversed = Entries::default();
                for (known, value) in entries.list.into_iter().rev() {
                    match known {
                        Val::Int(_) => append(&mut reversed, value),
                        other => put(&mut reversed, &other, value),
                    }
                }
                self.php_array(reversed)
            }
            "array_merge" | "array_replace" | "array_merge_recursive" => {
                let mut all = Entries::default();
                for other in args.list.iter().chain(&args.rest) {
                    let entries = self.php_entries(other);
                    for (known, value) in entries.list {
                        match known {
                            Val::Int(_) if name != "array_replace" => append(&mut all, value),
                            other => put(&mut all, &other, value),
                        }
                    }
                    if let Some(rest) = entries.rest {
                        all.rest = Some(all.rest.map_or(rest.clone(), |known| join(&known, &rest)));
                    }
                }
                self.php_array(all)
            }
            "array_combine" => {
                let (keys, values) = (self.php_entries(&first), self.php_entries(&second?));
                let mut all = Entries::default();
                if keys.rest.is_none() && values.rest.is_none() {
                    for ((_, known), (_, value)) in keys.list.into_iter().zip(values.list) {
                        put(&mut all, &known, value);
                    }
                } else {
                    all.rest = any_of(&values);
                }
                self.php_array(all)
            }
            "array_fill" => {
                let (start, count) = (integer(&first), second.as_ref().and_then(integer));
                let value = args.get(2).cloned().unwrap_or(Val::None);
                match (start, count.and_then(|n| usize::try_from(n).ok())) {
                    (Some(start), Some(count)) if count <= MAX_ITEMS => {
                        let list =
                            (0..count).zip(start..).map(|(_, at)| (Val::Int(at), value.clone()));
                        let list = list.collect();
                        self.php_array(Entries { list, rest: None })
                    }
                    _ => self.php_list(Vec::new(), Some(value)),
                }
            }
            "array_fill_keys" => {
                let value = second.unwrap_or(Val::None);
                let (list, rest) = unpack(self, &first);
                let mut all = Entries { list: Vec::new(), rest: rest.map(|_| value.clone()) };
                for (_, known) in list {
                    put(&mut all, &known, value.clone());
                }
                self.php_array(all)
            }
            "range" => self.php_range(args),
            "compact_values" => return None,
            "array_slice" => self.php_slice(args),
            "array_chunk" => {
                let entries = self.php_entries(&first);
                let size = second.as_ref().and_then(integer).and_then(|n| usize::try_from(n).ok());
                match (entries.rest.is_none(), size) {
                    (true, Some(size)) if size > 0 => {
                        let values: Vec<Val> = entries.list.into_iter().map(|(_, v)| v).collect();
                        let parts: Vec<Val> = values
                            .chunks(size)
                            .map(|part| self.php_list(part.to_vec(), None))
                            .collect();
                        self.php_list(parts, None)
                    }
                    _ => {
                        let any = any_of(&entries);
                        let row = self.php_list(Vec::new(), any);
                        self.php_list(Vec::new(), Some(row))
                    }
                }
            }
            "array_column" => {
                let entries = self.php_entries(&first);
                let column = second.unwrap_or(Val::None);
                let mut values = Vec::new();
                for (_, row) in &entries.list {
                    let value = self.index(row, &column);
                    let value = match row {
                        Val::Instance(_) => {
                            let name = format!("${}", column.as_known().unwrap_or_default());
                            self.attribute(row, &name.into())
                        }
                        _ => value,
                    };
                    values.push(value);
                }
                let rest = entries.rest.map(|rest| self.index(&rest, &column));
                self.php_list(values, rest)
            }
            "array_unique"
            | "array_diff"
            | "array_diff_key"
            | "array_intersect"
            | "array_pad"
            | "array_intersect_key"
            | "array_diff_assoc"
            | "iterator_to_array"
            | "array_change_key_case"
            | "array_flip_keys" => {
                let (list, rest) = unpack(self, &first);
                let any = list.into_iter().map(|(_, value)| value).chain(rest);
                let mut any = any.reduce(|a, b| join(&a, &b));
                if name == "array_pad" {
                    let pad = args.get(2).cloned().unwrap_or(Val::None);
                    any = Some(any.map_or(pad.clone(), |any| join(&any, &pad)));
                }
                match any {
                    Some(any) => self.php_list(Vec::new(), Some(any)),
                    None => self.php_array(Entries::default()),
                }
            }
            "array_rand" => Val::unknown(),
            "current" | "reset" | "pos" => {
                let entries = self.php_entries(&first);
                match (name, entries.list.first(), &entries.rest) {
                    ("reset", Some((_, value)), None) => value.clone(),
                    _ => any_of(&entries).unwrap_or(Val::Bool(false)),
                }
            }
            "end" => {
                let entries = self.php_entries(&first);
                match (entries.list.last(), &entries.rest) {
                    (Some((_, value)), None) => value.clone(),
                    _ => any_of(&entries).unwrap_or(Val::Bool(false)),
                }
            }
            "next" | "prev" => {
                let any = self.php_any(&first);
                join(&any, &Val::Bool(false))
            }
            "key" | "array_key_first" | "array_key_last" | "array_search" => {
                let entries = self.php_entries(if name == "array_search" {
                    second.as_ref()?
                } else {
                    &first
                });
                let (chosen, whole) = match name {
                    "array_key_first" => (entries.list.first(), entries.rest.is_none()),
                    "array_key_last" => (entries.list.last(), entries.rest.is_none()),
                    _ => (None, false),
                };
                match (chosen, whole) {
                    (Some((known, _)), true) => known.clone(),
                    _ => entries
                        .list
                        .iter()
                        .map(|(known, _)| known.clone())
                        .reduce(|a, b| join(&a, &b))
                        .map_or_else(Val::unknown, |keys| join(&keys, &Val::Bool(false))),
                }
            }
            "in_array" | "array_key_exists" | "key_exists" | "array_is_list" => {
                let entries = self.php_entries(second.as_ref().unwrap_or(&Val::None));
                if entries.rest.is_some() {
                    Val::unknown()
                } else if name == "in_array" {
                    let same: Option<Vec<bool>> =
                        entries.list.iter().map(|(_, item)| equal(item, &first)).collect();
                    same.map_or_else(Val::unknown, |same| Val::Bool(same.contains(&true)))
                } else {
                    let wanted = key(&first);
                    let keys = entries.list.iter().all(|(known, _)| is_key(known));
                    let there = entries.list.iter().any(|(known, _)| *known == wanted);
                    // A key may have been added in a branch, so only its absence is sure.
                    if is_key(&wanted) && keys && !there {
                        Val::Bool(false)
                    } else {
                        Val::unknown()
                    }
                }
            }
            "array_sum" | "array_product" => Val::unknown(),
            _ => return None,
        };
        Some((value, None))
    }

    /// `range('a', 'e')`, `range(1, 5)`.
    fn php_range(&mut self, args: &Args) -> Val {
        let step = args.get(2).map_or(Some(1), integer).filter(|step| *step != 0);
        let bounds = match (args.get(0), args.get(1)) {
            (Some(Val::Text(a)), Some(Val::Text(b)))
                if integer(&Val::Text(a.clone())) == Some(0) && a.as_known() != Some("0") =>
            {
                let code = |text: &aegish_values::Value| {
                    text.as_known().and_then(|text| text.bytes().next()).map(i64::from)
                };
                code(a).zip(code(b)).map(|bounds| (bounds, true))
            }
            (Some(a), Some(b)) => integer(a).zip(integer(b)).map(|bounds| (bounds, false)),
            _ => None,
        };
        let (Some(((from, to), letters)), Some(step)) = (bounds, step) else {
            return self.php_list(Vec::new(), Some(Val::unknown()));
        };
        let step = step.abs();
        let count = to.abs_diff(from) / step.unsigned_abs() + 1;
        let Some(count) = usize::try_from(count).ok().filter(|count| *count <= MAX_ITEMS) else {
            return self.php_list(Vec::new(), Some(Val::unknown()));
        };
        let direction = if to < from { -step } else { step };
        let item = |at: i64| {
            let number = from + at * direction;
            if letters {
                Val::bytes(u8::try_from(number).map(|byte| vec![byte]).unwrap_or_default())
            } else {
                Val::Int(number)
            }
        };
        let list = (0..count).filter_map(|at| i64::try_from(at).ok()).map(item).collect();
        self.php_list(list, None)
    }

    fn php_slice(&mut self, args: &Args) -> Val {
        let entries = self.php_entries(args.get(0).unwrap_or(&Val::None));
        let start = args.get(1).and_then(integer);
        let length = args.list.get(2).filter(|value| **value != Val::None).map(integer);
        let all = i64::try_from(entries.list.len()).unwrap_or(0);
        let (Some(start), None, true) = (start, &entries.rest, length != Some(None)) else {
            let any = any_of(&entries);
            return self.php_list(Vec::new(), any);
        };
        let start = if start < 0 { (all + start).max(0) } else { start.min(all) };
        let end = match length.flatten() {
            None => all,
            Some(length) if length < 0 => all + length,
            Some(length) => start.saturating_add(length).min(all),
        };
        let mut out = Entries::default();
        let keep = args.list.get(3).is_some_and(|keep| keep.truth() != Some(false));
        for ((known, value), at) in entries.list.into_iter().zip(0..) {
            if at < start || at >= end {
                continue;
            }
            match known {
                Val::Int(_) if !keep => append(&mut out, value),
                other => put(&mut out, &other, value),
            }
        }
        self.php_array(out)
    }
}

impl<M: Machine> PhpArrays for M {}

//! Methods of lists and ranges.

use crate::containers::Containers;
use crate::heap::Items;
use crate::heap::{extend, push_item};
use crate::machine::Machine;
use crate::operators::Operators;
use crate::ruby::folds::RubyFolds;
use crate::ruby::packed::RubyPacked;
use crate::text_methods::TextMethods;
use crate::value::{Args, Val, join};
use aegish_values::Value;

/// Methods of lists and ranges.
pub trait RubyLists: Machine {
    /// Runs a block any number of times with a value of which nothing but its sources is known.
    fn run_block(&mut self, block: Option<&Val>, item: &Val) -> Option<Val> {
        let block = block?;
        let mut given: Option<Val> = None;
        self.repeated(&mut |this| {
            let args =
                Args { list: vec![item.clone(); 2], rest: Some(item.clone()), named: Vec::new() };
            let value = this.call(block, args);
            given = Some(given.take().map_or(value.clone(), |known| join(&known, &value)));
        });
        given
    }

    /// What the block gives for each item.
    fn mapped(&mut self, items: Items, block: &Val) -> Items {
        let block = block.clone();
        self.for_each(items, &mut |this, item| this.call(&block, Args::of(vec![item.clone()])))
    }

    fn any_item(&mut self, items: &Items) -> Val {
        items
            .list
            .iter()
            .chain(&items.rest)
            .cloned()
            .reduce(|a, b| join(&a, &b))
            .unwrap_or(Val::None)
    }

    fn ruby_list_method(
        &mut self,
        object: &Val,
        name: &str,
        args: &Args,
        block: Option<&Val>,
    ) -> Val {
        if let Some(base) = name.strip_suffix('!')
            && let Val::List(place) = object
        {
            let changed = self.ruby_list_method(object, base, args, block);
            let items = self.iterate(&changed);
            self.heap().update_items(*place, |known| *known = items);
            return object.clone();
        }
        let items = self.iterate(object);
        self.burn(items.list.len() / 8);
        if let Some(value) = self.changing_method(object, &items, name, args, block) {
            return value;
        }
        match (name, block) {
            ("each" | "each_entry" | "reverse_each" | "each_item", Some(block)) => {
                let mut items = items;
                if name == "reverse_each" {
                    items.list.reverse();
                }
                self.mapped(items, block);
                object.clone()
            }
            (
                "each_with_index" | "each_index" | "with_index" | "each_with_object" | "inject"
                | "reduce" | "each_slice" | "each_cons" | "sum",
                _,
            ) => self.numbered(object, items, name, args, block),
            ("map" | "collect" | "filter_map" | "flat_map" | "collect_concat", Some(block)) => {
                let mut made = self.mapped(items, block);
                if name == "flat_map" || name == "collect_concat" {
                    made = self.flattened(made);
                }
                self.heap().list(made)
            }
            (
                "select" | "filter" | "reject" | "find_all" | "take_while" | "drop_while" | "grep"
                | "grep_v" | "keep_if" | "delete_if",
                _,
            ) => {
                let mut kept = Items::default();
                for item in &items.list {
                    let truth = match block {
                        Some(block) if !name.starts_with("grep") => {
                            let value = self.call(&block.clone(), Args::of(vec![item.clone()]));
                            self.truth(&value)
                        }
                        _ => None,
                    };
                    let wanted = !matches!(name, "reject" | "delete_if" | "drop_while");
                    match truth {
                        Some(truth) if truth == wanted => push_item(&mut kept, item.clone()),
                        Some(_) => {}
                        None => {
                            kept.rest =
                                Some(kept.rest.map_or(item.clone(), |rest| join(&rest, item)));
                        }
                    }
                }
                if let Some(rest) = &items.rest {
                    self.run_block(block, rest);
                    kept.rest = Some(kept.rest.map_or(rest.clone(), |known| join(&known, rest)));
                }
                self.heap().list(kept)
            }
            ("join", _) => {
                let flat = self.flattened(items);
                let list = self.heap().list(flat);
                let separator = args.get(0).map_or_else(Value::empty, Val::to_text);
                self.join_text(&separator, &list)
            }
            ("pack", _) => self.packed(object, args),
            (
                "reverse" | "to_a" | "entries" | "flatten" | "compact" | "uniq" | "sort" | "rotate"
                | "shuffle" | "to_ary" | "each" | "map" | "to_set" | "sort_by" | "collect" | "drop"
                | "take" | "first" | "last" | "slice" | "[]" | "at" | "fetch" | "dig",
                _,
            ) => self.arranged(object, items, name, args, block),
            ("+" | "|" | "union" | "chain", _) => {
                let mut all = items;
                for other in &args.list {
                    let more = self.iterate(other);
                    extend(&mut all, more);
                }
                self.heap().list(all)
            }
            ("zip" | "product" | "transpose", _) => {
                let others: Vec<Items> =
                    args.list.iter().map(|other| self.iterate(other)).collect();
                let known = name == "zip" && items.rest.is_none();
                let mut made = Items::default();
                for (place, item) in items.list.iter().enumerate() {
                    let mut row = vec![item.clone()];
                    for other in &others {
                        let value = other.list.get(place).cloned().or_else(|| other.rest.clone());
                        row.push(value.unwrap_or(Val::None));
                    }
                    push_item(&mut made, Val::Tuple(row.into()));
                }
                if !known {
                    let any = self.any_item(&items);
                    let mut row = vec![any];
                    for other in &others {
                        let any = self.any_item(other);
                        row.push(any);
                    }
                    made.rest = Some(Val::Tuple(row.into()));
                }
                self.heap().list(made)
            }
            ("to_h" | "group_by" | "tally" | "partition" | "each_hash" | "index_by", _) => {
                self.grouped(items, name, block)
            }
            ("length" | "size" | "count", None) if args.list.is_empty() && items.rest.is_none() => {
                Val::Int(i64::try_from(items.list.len()).unwrap_or(0))
            }
            ("empty?", _) => match (items.list.is_empty(), &items.rest) {
                (false, _) => Val::Bool(false),
                (true, None) => Val::Bool(true),
                _ => Val::unknown(),
            },
            (
                "include?" | "member?" | "any?" | "all?" | "none?" | "one?" | "count" | "index"
                | "find_index" | "length" | "size" | "<=>" | "hash" | "bsearch",
                _,
            ) => {
                let any = self.any_item(&items);
                self.run_block(block, &any);
                Val::unknown()
            }
            (
                "find" | "detect" | "min" | "max" | "min_by" | "max_by" | "sample" | "minmax"
                | "cycle" | "next" | "rewind" | "peek" | "begin" | "end",
                _,
            ) => {
                let any = self.any_item(&items);
                self.run_block(block, &any);
                any
            }
            (
                "values_at" | "combination" | "permutation" | "each_combination" | "slice_when"
                | "chunk_while" | "-" | "&" | "difference" | "intersection" | "step" | "%",
                _,
            ) => {
                let any = self.any_item(&items);
                self.run_block(block, &any);
                self.heap().list(Items { list: Vec::new(), rest: Some(any) })
            }
            ("*", _) => match args.get(0) {
                Some(Val::Text(separator)) => {
                    let separator = separator.clone();
                    self.join_text(&separator, object)
                }
                Some(count) => {
                    let count = count.clone();
                    self.binary(object, crate::ir::BinaryOp::Mul, &count)
                }
                None => Val::unknown(),
            },
            ("inspect" | "to_s" | "to_json", _) => Val::Text(self.text_of(object)),
            _ => {
                let any = self.any_item(&items);
                let given = self.run_block(block, &any);
                let any = given.map_or(any.clone(), |given| join(&any, &given));
                self.run_callbacks(args, None);
                join(&any, &object.clone())
            }
        }
    }

    /// Methods that put the items into another order, or take some of them.
    fn arranged(
        &mut self,
        object: &Val,
        mut items: Items,
        name: &str,
        args: &Args,
        block: Option<&Val>,
    ) -> Val {
        let count = args.get(0).and_then(Val::as_int).and_then(|count| usize::try_from(count).ok());
        match name {
            "reverse" if items.rest.is_none() => items.list.reverse(),
            "flatten" => items = self.flattened(items),
            "compact" => items.list.retain(|item| *item != Val::None),
            "uniq" => {
                let mut seen: Vec<Val> = Vec::new();
                items.list.retain(|item| {
                    let new = seen.len() > 64 || !seen.contains(item);
                    if new {
                        seen.push(item.clone());
                    }
                    new
                });
            }
            "sort" if block.is_none() => {
                let list = self.heap().list(items);
                items = self.sorted(&list, &Args::default());
            }
            "first" | "last" if args.list.is_empty() => {
                let found = if name == "first" { items.list.first() } else { items.list.last() };
                return match (found, &items.rest) {
                    (Some(value), None) => value.clone(),
                    (Some(value), Some(_)) if name == "first" => value.clone(),
                    (Some(value), Some(rest)) => join(value, rest),
                    (None, Some(rest)) => rest.clone(),
                    (None, None) => Val::None,
                };
            }
            "first" | "take" if items.rest.is_none() && count.is_some() => {
                items.list.truncate(count.unwrap_or(0));
            }
            "drop" if items.rest.is_none() && count.is_some() => {
                items.list = items.list.split_off(count.unwrap_or(0).min(items.list.len()));
            }
            "last" if items.rest.is_none() && count.is_some() => {
                let from = items.list.len().saturating_sub(count.unwrap_or(0));
                items.list = items.list.split_off(from);
            }
            "slice" | "[]" if args.list.len() == 2 => {
                let bounds = self.bounds(args);
                return self.slice(object, &bounds);
            }
            "slice" | "[]" | "at" => {
                let place = args.get(0).cloned().unwrap_or(Val::None);
                return self.index(object, &place);
            }
            "fetch" | "dig" => {
                let place = args.get(0).cloned().unwrap_or(Val::None);
                let mut value = self.index(object, &place);
                if name == "dig" {
                    for key in args.list.iter().skip(1) {
                        value = self.index(&value, key);
                    }
                    return value;
                }
                if let Some(default) = args.list.get(1) {
                    value = join(&value, default);
                }
                if let Some(given) = self.run_block(block, &place) {
                    value = join(&value, &given);
                }
                return value;
            }
            "to_a" | "entries" | "to_ary" | "each" | "map" | "to_set" | "collect" => {}
            _ => {
                let any = self.any_item(&items);
                self.run_block(block, &any);
                items = Items { list: Vec::new(), rest: Some(any) };
            }
        }
        self.heap().list(items)
    }

    /// Start and end of `[start, length]`.
    fn bounds(&mut self, args: &Args) -> Vec<Option<Val>> {
        let (start, length) = (args.get(0).cloned(), args.list.get(1).cloned());
        let end =
            match (start.as_ref().and_then(Val::as_int), length.as_ref().and_then(Val::as_int)) {
                (Some(start), Some(length)) if start >= 0 || start.saturating_add(length) < 0 => {
                    Some(Val::Int(start.saturating_add(length)))
                }
                (Some(_), Some(_)) => None,
                _ => Some(Val::unknown()),
            };
        vec![start, end, None]
    }

    fn flattened(&mut self, items: Items) -> Items {
        let mut all = Items::default();
        for item in items.list {
            match &item {
                Val::List(_) | Val::Tuple(_) if super::range_of(&item).is_none() => {
                    let inner = self.iterate(&item);
                    extend(&mut all, inner);
                }
                _ => push_item(&mut all, item),
            }
        }
        if let Some(rest) = items.rest {
            let inner = match &rest {
                Val::List(_) | Val::Tuple(_) | Val::OneOf(_) => self.element(&rest),
                _ => rest.clone(),
            };
            let rest = join(&rest, &inner);
            all.rest = Some(all.rest.map_or(rest.clone(), |known| join(&known, &rest)));
        }
        all
    }

    /// Methods that change the list; none if it is not one of them.
    fn changing_method(
        &mut self,
        object: &Val,
        items: &Items,
        name: &str,
        args: &Args,
        block: Option<&Val>,
    ) -> Option<Val> {
        let Val::List(place) = object else { return None };
        let place = *place;
        Some(match name {
            "<<" | "push" | "append" | "add" => {
                let more = Items { list: args.list.clone(), rest: args.rest.clone() };
                self.extend_list(place, more);
                object.clone()
            }
            "concat" => {
                for other in args.list.clone() {
                    let more = self.iterate(&other);
                    self.extend_list(place, more);
                }
                object.clone()
            }
            "unshift" | "prepend" => {
                let first = args.list.clone();
                self.heap().update_items(place, |items| {
                    items.list.splice(0..0, first);
                });
                object.clone()
            }
            "insert" => {
                let at = args.get(0).and_then(Val::as_int).and_then(|at| usize::try_from(at).ok());
                let new: Vec<Val> = args.list.iter().skip(1).cloned().collect();
                self.heap().update_items(place, |items| match at {
                    Some(at) if at <= items.list.len() => {
                        items.list.splice(at..at, new);
                    }
                    _ => {
                        crate::heap::mix(items);
                        for value in new {
                            push_item(items, value);
                        }
                    }
                });
                object.clone()
            }
            "pop" | "shift" if args.list.is_empty() => {
                let mut taken = None;
                self.heap().update_items(place, |items| {
                    taken = match (name, items.list.is_empty(), &items.rest) {
                        ("shift", false, _) => Some(items.list.remove(0)),
                        (_, _, None) => items.list.pop(),
                        (_, _, Some(rest)) => {
                            Some(items.list.last().map_or(rest.clone(), |last| join(last, rest)))
                        }
                    };
                });
                taken.unwrap_or(Val::None)
            }
            "clear" => {
                self.heap().update_items(place, |items| *items = Items::default());
                object.clone()
            }
            "replace" => {
                let other = args.get(0).cloned().unwrap_or(Val::None);
                let new = self.iterate(&other);
                self.heap().update_items(place, |items| *items = new);
                object.clone()
            }
            "delete_at" | "delete" | "slice!" | "fill" => {
                let any = self.any_item(items);
                self.heap().update_items(place, crate::heap::mix);
                any
            }
            "delete_if" | "keep_if" => {
                let kept = self.ruby_list_method(
                    object,
                    if name == "keep_if" { "select" } else { "reject" },
                    args,
                    block,
                );
                let kept = self.iterate(&kept);
                self.heap().update_items(place, |items| *items = kept);
                object.clone()
            }
            _ => return None,
        })
    }
}

impl<M: Machine> RubyLists for M {}

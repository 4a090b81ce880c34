//! Methods of hashes.

use crate::heap::{Entries, Items};
use crate::heap::{insert, is_key};
use crate::machine::Machine;
use crate::reference::Ref;
use crate::ruby::lists::RubyLists;
use crate::value::{Args, Val, join};

/// Methods of hashes.
pub trait RubyMaps: Machine {
    /// The pairs of a hash as a list.
    fn pairs_of(&mut self, place: Ref) -> Items {
        let entries = self.heap().entries(place);
        let pair = |key: Val, value: Val| Val::Tuple([key, value].into());
        Items {
            list: entries
                .list
                .iter()
                .map(|(key, value)| pair(key.clone(), value.clone()))
                .collect(),
            rest: entries.rest.as_ref().map(|rest| pair(Val::unknown(), rest.clone())),
        }
    }

    fn ruby_map_method(&mut self, place: Ref, name: &str, args: &Args, block: Option<&Val>) -> Val {
        let object = Val::Dict(place);
        match name {
            "[]" | "dig" | "fetch" | "delete" | "values_at" | "key" | "default" => {
                let key = args.get(0).cloned().unwrap_or(Val::None);
                let entries = self.heap().entries(place);
                let there = is_key(&key) && entries.list.iter().any(|(known, _)| *known == key);
                let mut value = self.index(&object, &key);
                if name == "dig" {
                    for key in args.list.iter().skip(1) {
                        value = self.index(&value, key);
                    }
                    return value;
                }
                if name == "values_at" {
                    let list: Vec<Val> =
                        args.list.iter().map(|key| self.index(&object, key)).collect();
                    return self.new_list(list);
                }
                if there {
                    return value;
                }
                if let Some(default) = args.list.get(1) {
                    return if is_key(&key) && entries.rest.is_none() {
                        default.clone()
                    } else {
                        join(&value, default)
                    };
                }
                if let Some(given) = self.run_block(block, &key) {
                    value = join(&value, &given);
                }
                value
            }
            "[]=" | "store" => {
                if let [key, value] = args.list.as_slice() {
                    self.set_index(&object, key, value.clone());
                }
                args.list.get(1).cloned().unwrap_or(Val::None)
            }
            "merge" | "merge!" | "update" | "reverse_merge" => {
                let mut entries: Entries = (*self.heap().entries(place)).clone();
                let mut others: Vec<(Val, Val)> = args
                    .named
                    .iter()
                    .map(|(name, value)| (Val::text(&**name), value.clone()))
                    .collect();
                for other in &args.list {
                    match other {
                        Val::Dict(other) => {
                            let more = self.heap().entries(*other);
                            others.extend(more.list.iter().cloned());
                            if let Some(rest) = &more.rest {
                                entries.rest = Some(
                                    entries.rest.map_or(rest.clone(), |known| join(&known, rest)),
                                );
                            }
                        }
                        other => others.push((Val::unknown(), other.forget())),
                    }
                }
                for (key, value) in others {
                    insert(&mut entries, key, value);
                }
                if name == "merge" || name == "reverse_merge" {
                    return self.heap().dict(entries);
                }
                self.heap().update_entries(place, |known| *known = entries);
                object
            }
            "keys" => {
                let entries = self.heap().entries(place);
                let list = entries.list.iter().map(|(key, _)| key.clone()).collect();
                let rest = entries.rest.as_ref().map(|_| Val::unknown());
                self.heap().list(Items { list, rest })
            }
            "values" => {
                let entries = self.heap().entries(place);
                let list = entries.list.iter().map(|(_, value)| value.clone()).collect();
                self.heap().list(Items { list, rest: entries.rest.clone() })
            }
            "each_key" | "each_value" | "transform_values" | "transform_keys" | "each_pair"
            | "each" | "transform_values!" => {
                let pairs = self.pairs_of(place);
                let Some(block) = block.cloned() else { return self.heap().list(pairs) };
                let mut given = Vec::new();
                self.for_each(pairs, &mut |this, pair| {
                    let Val::Tuple(pair) = pair else { return Val::unknown() };
                    let args = match (name, &**pair) {
                        ("each_key" | "transform_keys", [key, _]) => vec![key.clone()],
                        ("each_value" | "transform_values" | "transform_values!", [_, value]) => {
                            vec![value.clone()]
                        }
                        (_, [key, value]) => vec![key.clone(), value.clone()],
                        _ => Vec::new(),
                    };
                    let value = this.call(&block, Args::of(args));
                    if let [key, old] = &**pair {
                        given.push(match name {
                            "transform_keys" => (value.clone(), old.clone()),
                            _ => (key.clone(), value.clone()),
                        });
                    }
                    value
                });
                if name.starts_with("transform") {
                    let mut entries = Entries::default();
                    for (key, value) in given {
                        insert(&mut entries, key, value);
                    }
                    return self.heap().dict(entries);
                }
                object
            }
            "key?" | "has_key?" | "include?" | "member?" | "value?" | "empty?" | "any?"
            | "size" | "length" | "count" | "none?" | "all?" => {
                let pairs = self.pairs_of(place);
                let any = pairs.list.iter().chain(&pairs.rest).cloned().reduce(|a, b| join(&a, &b));
                self.run_block(block, &any.unwrap_or_else(Val::unknown));
                Val::unknown()
            }
            "to_h"
            | "compact"
            | "symbolize_keys"
            | "with_indifferent_access"
            | "sort_by"
            | "sort"
                if block.is_none() =>
            {
                object
            }
            "select" | "filter" | "reject" | "slice" | "except" | "delete_if" | "keep_if"
            | "compact" | "select!" | "reject!" => {
                let pairs = self.pairs_of(place);
                if let Some(block) = block.cloned() {
                    self.for_each(pairs, &mut |this, pair| {
                        this.call(&block, Args::of(vec![pair.clone()]))
                    });
                }
                object
            }
            "invert" => {
                let entries = self.heap().entries(place);
                let mut inverted = Entries::default();
                for (key, value) in &entries.list {
                    insert(&mut inverted, value.clone(), key.clone());
                }
                inverted.rest = entries.rest.as_ref().map(|_| Val::unknown());
                self.heap().dict(inverted)
            }
            "inspect" | "to_s" | "to_json" => {
                let text = self.text_of(&object);
                crate::value::Val::Text(text)
            }
            "clear" => {
                self.heap().update_entries(place, |entries| *entries = Entries::default());
                object
            }
            "to_proc" | "default=" => object,
            _ => {
                let pairs = self.pairs_of(place);
                let list = self.heap().list(pairs);
                self.ruby_list_method(&list, name, args, block)
            }
        }
    }
}

impl<M: Machine> RubyMaps for M {}

//! Methods of lists that hand more than an item to their block, or make one value of all.

use crate::heap::Items;
use crate::heap::push_item;
use crate::machine::Machine;
use crate::operators::Operators;
use crate::ruby::lists::RubyLists;
use crate::value::{Args, Val};

/// Methods of lists that hand more than an item to their block, or make one value of all.
pub trait RubyFolds: Machine {
    /// Methods that hand more than the item to their block.
    fn numbered(
        &mut self,
        object: &Val,
        items: Items,
        name: &str,
        args: &Args,
        block: Option<&Val>,
    ) -> Val {
        let first = args.get(0).cloned();
        match name {
            "each_with_index" | "with_index" | "each_index" => {
                let start = first.and_then(|first| first.as_int()).unwrap_or(0);
                let mut place = start;
                let list = items.list.into_iter().map(|item| {
                    place = place.saturating_add(1);
                    if name == "each_index" {
                        Val::Int(place - 1)
                    } else {
                        Val::Tuple([item, Val::Int(place - 1)].into())
                    }
                });
                let list: Vec<Val> = list.collect();
                let rest = items.rest.map(|rest| Val::Tuple([rest, Val::unknown()].into()));
                let pairs = Items { list, rest };
                match block {
                    Some(block) => {
                        let made = self.mapped(pairs, block);
                        let made = self.heap().list(made);
                        if name == "with_index" { made } else { object.clone() }
                    }
                    None => self.heap().list(pairs),
                }
            }
            "each_with_object" => {
                let memo = first.unwrap_or_else(Val::unknown);
                if let Some(block) = block {
                    let block = block.clone();
                    self.for_each(items, &mut |this, item| {
                        this.call(&block, Args::of(vec![item.clone(), memo.clone()]))
                    });
                }
                memo
            }
            "each_slice" | "each_cons" => {
                let size =
                    first.and_then(|size| size.as_int()).and_then(|n| usize::try_from(n).ok());
                let mut made = Items::default();
                match (size, &items.rest) {
                    (Some(size), None) if size > 0 => {
                        let rows: Vec<Vec<Val>> = if name == "each_slice" {
                            items.list.chunks(size).map(<[Val]>::to_vec).collect()
                        } else {
                            items.list.windows(size).map(<[Val]>::to_vec).collect()
                        };
                        for row in rows {
                            let row = self.new_list(row);
                            push_item(&mut made, row);
                        }
                    }
                    _ => {
                        let any = self.any_item(&items);
                        let row = self.heap().list(Items { list: Vec::new(), rest: Some(any) });
                        made.rest = Some(row);
                    }
                }
                match block {
                    Some(block) => {
                        self.mapped(made, block);
                        object.clone()
                    }
                    None => self.heap().list(made),
                }
            }
            _ => self.folded(items, name, args, block),
        }
    }

    /// `inject`, `reduce` and `sum`.
    fn folded(&mut self, items: Items, name: &str, args: &Args, block: Option<&Val>) -> Val {
        let adds = name == "sum";
        let operator = match args.list.last() {
            Some(Val::Text(name)) if block.is_none() && !adds => name.as_known().map(str::to_owned),
            _ => None,
        };
        let named = usize::from(operator.is_some());
        let mut start = (args.list.len() > named).then(|| args.list.first().cloned()).flatten();
        let mut all = items.list;
        if let Some(rest) = items.rest {
            // Any number of further items.
            let text = self.text_of(&rest);
            all.push(Val::Text(crate::value::part_of(&text)));
        }
        let mut values = all.into_iter();
        let mut total = match start.take() {
            Some(start) => start,
            None if adds => Val::Int(0),
            None => values.next().unwrap_or(Val::None),
        };
        for value in values {
            if !self.burn(1) {
                break;
            }
            total = match (block, &operator) {
                (Some(block), _) if adds => {
                    let given = self.call(&block.clone(), Args::of(vec![value]));
                    self.binary(&total, crate::ir::BinaryOp::Add, &given)
                }
                (Some(block), _) => self.call(&block.clone(), Args::of(vec![total, value])),
                (None, Some(operator)) if operator == "+" => {
                    self.binary(&total, crate::ir::BinaryOp::Add, &value)
                }
                (None, Some(operator)) => {
                    let operator = operator.clone();
                    self.method(&total, &operator, Args::of(vec![value]))
                }
                (None, None) => self.binary(&total, crate::ir::BinaryOp::Add, &value),
            };
        }
        total
    }

    fn grouped(&mut self, items: Items, name: &str, block: Option<&Val>) -> Val {
        match name {
            "to_h" => {
                let pairs = match block {
                    Some(block) => self.mapped(items, block),
                    None => items,
                };
                let mut entries = crate::heap::Entries::default();
                for pair in &pairs.list {
                    let pair = self.iterate(pair);
                    if let [key, value] = pair.list.as_slice() {
                        crate::heap::insert(&mut entries, key.clone(), value.clone());
                    }
                }
                if let Some(rest) = &pairs.rest {
                    entries.rest = Some(self.element(rest));
                }
                self.heap().dict(entries)
            }
            "partition" => {
                let any = self.any_item(&items);
                self.run_block(block, &any);
                let list = self.heap().list(Items { list: Vec::new(), rest: Some(any) });
                self.new_list(vec![list.clone(), list])
            }
            _ => {
                let any = self.any_item(&items);
                self.run_block(block, &any);
                let list = self.heap().list(Items { list: Vec::new(), rest: Some(any) });
                self.new_dict(Vec::new(), Some(list))
            }
        }
    }
}

impl<M: Machine> RubyFolds for M {}

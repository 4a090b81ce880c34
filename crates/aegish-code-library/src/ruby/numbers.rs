//! Methods of whole numbers.

use crate::heap::Items;
use crate::limits::MAX_ITEMS;
use crate::machine::Machine;
use crate::ruby::lists::RubyLists;
use crate::value::{Args, Val};

/// Methods of whole numbers.
pub trait RubyNumbers: Machine {
    fn ruby_number_method(
        &mut self,
        number: i64,
        name: &str,
        args: &Args,
        block: Option<&Val>,
    ) -> Val {
        let other = args.get(0).and_then(Val::as_int);
        match name {
            "times" | "upto" | "downto" | "step" => {
                // Bounded: one more than the limit is taken, and then the numbers count as unknown.
                let numbers: Option<Vec<i64>> = match (name, other) {
                    ("times", _) => Some((0..number).take(MAX_ITEMS + 1).collect()),
                    ("upto", Some(end)) => Some((number..=end).take(MAX_ITEMS + 1).collect()),
                    ("downto", Some(end)) => {
                        Some((end..=number).rev().take(MAX_ITEMS + 1).collect())
                    }
                    _ => None,
                };
                let items = match numbers {
                    Some(numbers) if numbers.len() <= MAX_ITEMS => {
                        Items { list: numbers.into_iter().map(Val::Int).collect(), rest: None }
                    }
                    _ => Items { list: Vec::new(), rest: Some(Val::unknown()) },
                };
                match block {
                    Some(block) => {
                        let block = block.clone();
                        self.for_each(items, &mut |this, item| {
                            this.call(&block, Args::of(vec![item.clone()]))
                        });
                        Val::Int(number)
                    }
                    None => self.heap().list(items),
                }
            }
            "chr" => crate::numbers::character(number)
                .map_or_else(Val::unknown, |c| Val::text(c.to_string())),
            "to_s" | "inspect" => match other.and_then(|base| u32::try_from(base).ok()) {
                None => Val::text(number.to_string()),
                Some(16) => Val::text(format!("{number:x}")),
                Some(8) => Val::text(format!("{number:o}")),
                Some(2) => Val::text(format!("{number:b}")),
                Some(10) => Val::text(number.to_string()),
                Some(_) => Val::unknown(),
            },
            "to_i" | "to_int" | "floor" | "ceil" | "round" | "ord" | "abs" if number >= 0 => {
                Val::Int(number)
            }
            "succ" | "next" => Val::Int(number.saturating_add(1)),
            "pred" => Val::Int(number.saturating_sub(1)),
            "zero?" => Val::Bool(number == 0),
            "positive?" => Val::Bool(number > 0),
            "even?" => Val::Bool(number % 2 == 0),
            "odd?" => Val::Bool(number % 2 != 0),
            "<<" => other
                .and_then(|by| u32::try_from(by).ok())
                .and_then(|by| number.checked_shl(by))
                .map_or_else(Val::unknown, Val::Int),
            ">>" => other
                .and_then(|by| u32::try_from(by).ok())
                .and_then(|by| number.checked_shr(by))
                .map_or_else(Val::unknown, Val::Int),
            "digits" => self.heap().list(Items { list: Vec::new(), rest: Some(Val::unknown()) }),
            _ => {
                self.run_block(block, &Val::unknown());
                Val::unknown()
            }
        }
    }
}

impl<M: Machine> RubyNumbers for M {}

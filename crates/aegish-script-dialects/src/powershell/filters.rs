//! Commands that work on the objects of a pipeline.

use super::PowerShellCalls;
use super::binding::given;
use super::blocks::PowerShellBlocks;
use super::commands::Called;
use super::members::PowerShellMembers;
use crate::heap::{Items, extend, mix};
use crate::value::{Args, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::PowerShellValues;
use easy_ext::ext;

#[ext(PowerShellFilters)]
pub(super) impl Interpreter<'_> {
    /// `ForEach-Object`: blocks, or the name of a member.
    fn for_each_object(&mut self, args: &Args, called: &Called<'_>) -> Val {
        let named = |name: &str| given(args, name).cloned();
        let mut free: Vec<Val> = Vec::new();
        for value in named("Process").into_iter().chain(args.list.iter().cloned()) {
            match value {
                Val::List(_) => {
                    let items = self.powershell_items(&value);
                    free.extend(items.list.into_iter().chain(items.rest));
                }
                other => free.push(other),
            }
        }
        if let Some(member) = named("MemberName") {
            free.insert(0, member);
        }
        let input = called.input.cloned().unwrap_or(Val::None);
        let input = given(args, "InputObject").cloned().unwrap_or(input);
        let items = self.powershell_items(&input);
        let is_member = free.first().is_some_and(|first| matches!(first, Val::Text(_)));
        if let (true, Some(member)) = (is_member, free.first().cloned()) {
            let words: Vec<Val> = free.iter().skip(1).cloned().collect();
            let results = self.for_each(items, &mut |this, item| {
                let found = this.member_named(item, &member, None);
                match found {
                    Val::Method(_) | Val::Library(_) => this.call(&found, Args::of(words.clone())),
                    other => other,
                }
            });
            return self.heap.list(results);
        }
        // Three blocks are those before, for each object, and behind.
        let (begin, end) = match (named("Begin"), named("End"), free.len()) {
            (begin, end, 0 | 1) => (begin, end),
            (None, end, 2) => (Some(free.remove(0)), end),
            (None, None, _) => (Some(free.remove(0)), free.pop()),
            (begin, end, _) => (begin, end),
        };
        free.extend(named("Parallel"));
        let mut all = Items::default();
        if let Some(begin) = begin {
            let value = self.call_block(&begin, &[], None, true);
            let more = self.powershell_items(&value);
            extend(&mut all, more);
        }
        let results = self.for_each(items, &mut |this, item| {
            let mut given = Items::default();
            for block in &free {
                let value = this.with_item(item, |this| this.call_block(block, &[], None, true));
                let more = this.powershell_items(&value);
                extend(&mut given, more);
            }
            this.unrolled(given)
        });
        for value in &results.list {
            let more = self.powershell_items(value);
            extend(&mut all, more);
        }
        if let Some(rest) = &results.rest {
            let more = self.powershell_items(rest);
            let any = more.list.into_iter().chain(more.rest).reduce(|a, b| join(&a, &b));
            if let Some(any) = any {
                all.rest = Some(all.rest.map_or(any.clone(), |rest| join(&rest, &any)));
            }
        }
        if let Some(end) = end {
            let value = self.call_block(&end, &[], None, true);
            let more = self.powershell_items(&value);
            extend(&mut all, more);
        }
        self.unrolled(all)
    }

    /// `Where-Object`: a block, or a comparison with a member.
    fn where_object(&mut self, called: &Called<'_>) -> Val {
        let input = called.input.cloned().unwrap_or(Val::None);
        let items = self.powershell_items(&input);
        let block =
            called.words.iter().find(|word| matches!(word, Val::Function(_) | Val::Partial(_)));
        let Some(block) = block.cloned() else {
            let mut items = items;
            mix(&mut items);
            return self.heap.list(items);
        };
        let mut kept = Items::default();
        let all = items.clone();
        let tests = self.for_each(items, &mut |this, item| {
            this.with_item(item, |this| this.call_block(&block, &[], None, true))
        });
        for (place, item) in all.list.iter().enumerate() {
            match tests.list.get(place).map(|test| self.truth(test)) {
                Some(Some(false)) => {}
                Some(Some(true)) => crate::heap::push_item(&mut kept, item.clone()),
                _ => {
                    let rest = kept.rest.take();
                    kept.rest = Some(rest.map_or(item.clone(), |rest| join(&rest, item)));
                }
            }
        }
        if let Some(item) = all.rest {
            kept.rest = Some(kept.rest.map_or(item.clone(), |rest| join(&rest, &item)));
        }
        self.unrolled(kept)
    }

    /// `Select-Object`.
    fn select_object(&mut self, args: &Args, called: &Called<'_>) -> Val {
        let input = called.input.cloned().unwrap_or(Val::None);
        let mut items = self.powershell_items(&input);
        if let Some(member) = given(args, "ExpandProperty").cloned() {
            items = self.for_each(items, &mut |this, item| this.member_named(item, &member, None));
        }
        let count = |name: &str| given(args, name).map(Val::as_int);
        let numbers = ["First", "Last", "Skip", "SkipLast", "Index"];
        if numbers.iter().all(|name| count(name).is_none()) {
            return self.unrolled(items);
        }
        let size = |value: Option<i64>| value.and_then(|value| usize::try_from(value).ok());
        let known = items.rest.is_none();
        match (count("First").map(size), count("Last").map(size), count("Skip").map(size)) {
            (Some(Some(first)), None, None) if known => items.list.truncate(first),
            (None, Some(Some(last)), None) if known => {
                let from = items.list.len().saturating_sub(last);
                items.list.drain(..from);
            }
            (None, None, Some(Some(skip))) if known => {
                items.list.drain(..skip.min(items.list.len()));
            }
            _ => {
                mix(&mut items);
                // One of them, if there is any.
                if let Some(one) = items.rest.take() {
                    return one;
                }
            }
        }
        self.unrolled(items)
    }

    /// The objects in an order that is not followed, unless all are alike.
    fn in_any_order(&mut self, called: &Called<'_>) -> Val {
        let input = called.input.cloned().unwrap_or(Val::None);
        let mut items = self.powershell_items(&input);
        if items.list.len() > 1 || items.rest.is_some() {
            mix(&mut items);
        }
        self.unrolled(items)
    }
}

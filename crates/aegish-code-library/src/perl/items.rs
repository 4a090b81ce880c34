//! Functions that go over the items of a list or a hash.

use super::lists::PerlLists;
use super::values::PerlValues;
use crate::heap::extend;
use crate::heap::{Cell, Items, mix};
use crate::machine::Machine;
use crate::perl;
use crate::value::{Args, Val, join};
use aegish_values::Value;
use std::rc::Rc;

/// Functions that go over the items of a list or a hash.
pub trait PerlItems: Machine {
    fn perl_keys(&mut self, path: &str, container: &Val) -> Val {
        match container {
            Val::Dict(place) => {
                let entries = self.heap().entries(*place);
                let unknown = Val::Text(Value::unknown("a key"));
                let rest = entries.rest.as_ref().map(|value| match path {
                    "values" => value.clone(),
                    "keys" => unknown,
                    _ => join(&unknown, value),
                });
                if path == "each" {
                    let keys = entries.list.iter().map(|(key, _)| key.clone());
                    let key = keys.chain(rest).reduce(|a, b| join(&a, &b));
                    let values = entries.list.iter().map(|(_, value)| value.clone());
                    let value = values.chain(entries.rest.clone()).reduce(|a, b| join(&a, &b));
                    return Val::Tuple(key.into_iter().chain(value).collect());
                }
                let mut items = Items {
                    list: entries
                        .list
                        .iter()
                        .map(
                            |(key, value)| if path == "keys" { key.clone() } else { value.clone() },
                        )
                        .collect(),
                    rest,
                };
                // The order is not known.
                if items.list.len() > 1 {
                    let any = items.list.iter().cloned().reduce(|a, b| join(&a, &b));
                    if let Some(any) = any {
                        for item in &mut items.list {
                            *item = any.clone();
                        }
                    }
                }
                Self::perl_list(items)
            }
            Val::List(_) => {
                let items = self.perl_iterate(container);
                match path {
                    "values" => Self::perl_list(items),
                    "keys" => Val::Tuple(
                        (0..items.list.len())
                            .filter_map(|at| i64::try_from(at).ok())
                            .map(Val::Int)
                            .collect(),
                    ),
                    _ => {
                        let any =
                            items.list.into_iter().chain(items.rest).reduce(|a, b| join(&a, &b));
                        Val::Tuple([Val::unknown(), any.unwrap_or(Val::None)].into())
                    }
                }
            }
            Val::OneOf(values) => values
                .clone()
                .iter()
                .map(|one| self.perl_keys(path, one))
                .reduce(|a, b| join(&a, &b))
                .unwrap_or(Val::None),
            Val::None => Val::Tuple(Vec::new().into()),
            other => {
                let rest = Some(other.forget());
                Self::perl_list(Items { list: Vec::new(), rest })
            }
        }
    }

    fn perl_splice(&mut self, args: &Args) -> Option<Val> {
        let Val::List(place) = args.get(0)?.clone() else { return Some(Val::unknown()) };
        let items = (*self.heap().items(place)).clone();
        let more: Vec<Val> = args.list.iter().skip(3).cloned().collect();
        let start = args.list.get(1).map_or(Some(0), perl::number);
        let count = match args.list.get(2) {
            Some(count) => perl::number(count).map(Some),
            None => Some(None),
        };
        if let (Some(start), Some(count), None, None) = (start, count, &items.rest, &args.rest)
            && let Some((from, to)) = perl::texts::picked(items.list.len(), start, count)
        {
            let mut list = items.list.clone();
            let gone: Vec<Val> = list.splice(from..to, more).collect();
            self.heap().write(place, Cell::List(Rc::new(Items { list, rest: None })));
            return Some(Val::Tuple(gone.into()));
        }
        let mut all = items;
        extend(&mut all, Items { list: more, rest: args.rest.clone() });
        mix(&mut all);
        let gone = Items { list: Vec::new(), rest: all.rest.clone() };
        self.heap().write(place, Cell::List(Rc::new(all)));
        Some(Self::perl_list(gone))
    }

    fn perl_mapped(&mut self, path: &str, args: &Args) -> Val {
        let Some(function) = args.get(0).cloned() else { return Val::None };
        let items = Self::behind(args, 1);
        let mut made = Items::default();
        let grep = path == "grep";
        self.each_item(items, &function, &mut |this, item, value| {
            if grep {
                let test = this.perl_scalar(value);
                match this.truth(&test) {
                    Some(false) => {}
                    Some(true) if made.rest.is_none() => made.list.push(item.clone()),
                    _ => {
                        let rest = made.rest.take();
                        made.rest = Some(rest.map_or(item.clone(), |rest| join(&rest, item)));
                    }
                }
            } else {
                let more = this.perl_values(&value);
                extend(&mut made, more);
            }
        });
        Self::perl_list(made)
    }

    fn perl_sorted(&mut self, args: &Args) -> Val {
        let mut items = Self::behind(args, 0);
        if let Some(Val::Function(_)) = items.list.first()
            && let Val::Function(closure) = items.list.first().cloned().unwrap_or(Val::None)
            && &*closure.code.name == "<block>"
        {
            let function = items.list.remove(0);
            let any = items.list.iter().chain(&items.rest).cloned().reduce(|a, b| join(&a, &b));
            if let Some(any) = any {
                self.bind_nearest(&"$a".into(), any.clone());
                self.bind_nearest(&"$b".into(), any);
                self.maybe(|this| this.call(&function, Args::default()));
            }
            if items.list.len() > 1 || items.rest.is_some() {
                // The order is not known, the number is.
                let any = items.list.iter().chain(&items.rest).cloned().reduce(|a, b| join(&a, &b));
                if let Some(any) = any {
                    items.list.iter_mut().for_each(|item| *item = any.clone());
                }
            }
            return Self::perl_list(items);
        }
        let known: Option<Vec<String>> = items.list.iter().map(Val::as_known).collect();
        match (known, &items.rest) {
            (Some(mut texts), None) => {
                texts.sort();
                Val::Tuple(texts.into_iter().map(Val::text).collect())
            }
            _ => {
                let any = items.list.iter().chain(&items.rest).cloned().reduce(|a, b| join(&a, &b));
                if let Some(any) = any {
                    items.list.iter_mut().for_each(|item| *item = any.clone());
                }
                Self::perl_list(items)
            }
        }
    }
}

impl<M: Machine> PerlItems for M {}

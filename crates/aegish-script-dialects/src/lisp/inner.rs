//! Functions that only the lowering calls.

use super::buffers::LispBuffers;
use super::called::LispCalled;
use super::code::LispCode;
use super::numbers::LispNumbers;
use super::output::LispOutput;
use super::places::LispPlaces;
use super::{LispCalls, LispState, symbol_of};
use crate::heap::{Items, push_item};
use crate::limits::MAX_ITEMS;
use crate::value::{Args, Forgotten, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_values::Taint;
use easy_ext::ext;
use std::rc::Rc;

#[ext(LispInner)]
pub(super) impl Interpreter<'_> {
    fn lisp_inner(&mut self, path: &str, args: &Args) -> Val {
        let first = args.list.first().cloned().unwrap_or(Val::None);
        let second = args.list.get(1).cloned().unwrap_or(Val::None);
        match path {
            "<open>" => self.lisp_open(),
            "<expand>" => {
                let scope = Rc::clone(&self.scope);
                self.lisp_eval(&first, scope)
            }
            "<among>" => {
                let items = self.iterate(&second);
                let mut result = if items.rest.is_some() { None } else { Some(false) };
                for item in &items.list {
                    match self.lisp_equal(&first, item) {
                        Some(true) => {
                            result = Some(true);
                            break;
                        }
                        Some(false) => {}
                        None => result = None,
                    }
                }
                result.map_or_else(Val::unknown, Val::Bool)
            }
            "<part>" => self.lisp_parts(&first),
            "<parts>" => {
                let rest = Some(self.lisp_parts(&first));
                self.heap.list(Items { list: Vec::new(), rest })
            }
            "<dotted>" => {
                let mut items = self.iterate(&first).list;
                match &second {
                    Val::None => self.new_list(items),
                    Val::List(_) => {
                        let more = self.iterate(&second);
                        items.extend(more.list);
                        self.heap.list(Items { list: items, rest: more.rest })
                    }
                    other => items
                        .into_iter()
                        .rev()
                        .fold(other.clone(), |behind, item| Val::Tuple([item, behind].into())),
                }
            }
            "<one-of>" => {
                let items = self.iterate(&first);
                let all = items.list.into_iter().chain(items.rest).reduce(|a, b| join(&a, &b));
                all.unwrap_or_else(Val::unknown)
            }
            "<method>" => match &first {
                Val::Function(_) | Val::OneOf(_) => join(&first, &second),
                _ => second,
            },
            "<unset>" => match symbol_of(&first).map(|name| self.lisp_bound(name)) {
                Some(Some((_, true))) => Val::Bool(false),
                // A variable may have a value before the text begins.
                _ => Val::Bool(true),
            },
            "<maybe-call>" => {
                let call = Args { rest: Some(Val::unknown()), ..Args::default() };
                self.maybe(|this| this.lisp_call(&first, call));
                Val::None
            }
            "<numbers>" | "<numbers-to>" => {
                let number = |place: usize| args.list.get(place).and_then(Val::as_int);
                let (from, to) = match args.list.len() {
                    1 => (Some(0), number(0)),
                    _ => (number(0), number(1)),
                };
                let to = to.map(|to| to.saturating_add(i64::from(path.ends_with("-to>"))));
                let items = match (from, to) {
                    (Some(from), Some(to))
                        if usize::try_from(to.saturating_sub(from).max(0))
                            .is_ok_and(|n| n <= MAX_ITEMS) =>
                    {
                        Items { list: (from..to).map(Val::Int).collect(), rest: None }
                    }
                    _ => Items { list: Vec::new(), rest: Some(Val::unknown()) },
                };
                self.heap.list(items)
            }
            "<sequence>" => match first {
                Val::Int(count) => self.lisp_inner("<numbers>", &Args::of(vec![Val::Int(count)])),
                other => other,
            },
            "<tails>" => {
                let items = self.iterate(&first);
                let mut tails = Vec::new();
                for from in 0..items.list.len().min(256) {
                    let list = items.list.iter().skip(from).cloned().collect();
                    tails.push(self.heap.list(Items { list, rest: items.rest.clone() }));
                }
                let rest = (items.rest.is_some() || items.list.len() > 256)
                    .then(|| self.lisp_parts(&first));
                self.heap.list(Items { list: tails, rest })
            }
            "<add>" | "<add-all>" => {
                if let Val::List(place) = first {
                    let more = match path {
                        "<add>" => Items { list: vec![second], rest: None },
                        _ => self.iterate(&second),
                    };
                    self.heap.update_items(place, |items| {
                        for value in more.list {
                            push_item(items, value);
                        }
                        if let Some(rest) = more.rest {
                            items.rest = Some(
                                items.rest.take().map_or(rest.clone(), |known| join(&known, &rest)),
                            );
                        }
                    });
                }
                first
            }
            "<added>" => {
                let mut items = self.iterate(&first);
                push_item(&mut items, second);
                self.heap.list(items)
            }
            "<record>" => {
                let list = args.list.clone();
                self.heap.list(Items { list, rest: args.rest.clone() })
            }
            "<field>" => match &first {
                Val::List(_) => self.element(&first),
                other => self.lisp_parts(other),
            },
            "<continue>" => {
                let id = first.as_int().unwrap_or(0);
                let value =
                    args.list.iter().skip(1).chain(&args.rest).cloned().reduce(|a, b| join(&a, &b));
                let value = value.unwrap_or(Val::None);
                // Called behind its end, it runs again what stands there.
                self.open |=
                    !self.state.with(|lisp: &mut LispState| lisp.continuations.contains(&id));
                let thrown = self.thrown.take();
                self.thrown = Some(thrown.map_or(value.clone(), |known| join(&known, &value)));
                Val::unknown()
            }
            "<parameter>" => {
                if let (Val::List(place), Some(value)) = (&first, args.list.get(1)) {
                    let value = value.clone();
                    self.heap.update_items(*place, |items| items.list = vec![value]);
                }
                self.element(&first)
            }
            "<variable>" => self.lisp_variable(&first, second),
            "<set-place>" => self.lisp_set_place(args),
            "<content>" => match &first {
                Val::Text(text) if text.has_unknown() => first,
                _ => Val::unknown(),
            },
            "<enter-buffer>" | "<leave-buffer>" | "<write-buffer>" => {
                self.lisp_buffer_change(path, args)
            }
            "<capture>" => {
                let cell = self.lisp_output_cell();
                let old = self.lisp_kept(cell);
                let port = self.new_list(Vec::new());
                self.lisp_keep(cell, port);
                old
            }
            "<captured>" => {
                let cell = self.lisp_output_cell();
                let port = self.lisp_kept(cell);
                self.lisp_keep(cell, first);
                self.lisp_port_text(&port)
            }
            _ => self.lisp_unknown(args),
        }
    }

    /// Something that a value holds, or the value itself.
    fn lisp_parts(&mut self, value: &Val) -> Val {
        let mut all = value.clone();
        let mut level = vec![value.clone()];
        let mut cut = false;
        for _ in 0..3 {
            let mut next = Vec::new();
            for value in level {
                if let Val::List(_) | Val::Tuple(_) = &value {
                    let items = self.iterate(&value);
                    cut |= next.len() + items.list.len() > super::MOST_PARTS;
                    if !cut {
                        next.extend(items.list.into_iter().chain(items.rest));
                    }
                }
            }
            all = next.iter().fold(all, |all, value| join(&all, value));
            level = next;
        }
        if cut || !level.is_empty() {
            all = join(&all, &Val::Unknown(Taint::none(), Forgotten::Callable));
        }
        all
    }
}

//! Methods that all objects have: reflection, and code given as text.

use super::calls::RubyCalls;
use super::{BLOCK, RubyValues, take_block};
use crate::heap::Items;
use crate::ir::Receiver;
use crate::scope::{Scope, ScopeKind};
use crate::value::{Args, Forgotten, Partial, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_values::Taint;
use easy_ext::ext;
use std::rc::Rc;

#[ext(RubyObjects)]
pub(super) impl Interpreter<'_> {
    /// A method of any object; none if it is not one of them.
    fn any_object_method(
        &mut self,
        object: &Val,
        name: &str,
        args: &Args,
        implicit: bool,
    ) -> Option<Val> {
        let known = |place: usize| args.get(place).and_then(Val::as_known);
        Some(match name {
            "send" | "__send__" | "public_send" | "try" => {
                // A connection and a process send data.
                if matches!(object, Val::Connection | Val::Process(_)) && name == "send" {
                    return None;
                }
                let mut rest = args.clone();
                if rest.list.is_empty() {
                    return Some(Val::unknown());
                }
                let method = rest.list.remove(0);
                match method.to_text().readings(16) {
                    Some(names) => names
                        .into_iter()
                        .map(|name| self.ruby_send(object, &name, rest.clone(), true))
                        .reduce(|a, b| join(&a, &b))
                        .unwrap_or_else(Val::unknown),
                    None => self.forgotten_call(&rest),
                }
            }
            "method" | "public_method" | "instance_method" | "singleton_method" => {
                match args.get(0)?.to_text().readings(16) {
                    Some(names) => names
                        .into_iter()
                        .map(|name| self.method_object(object, &name, implicit))
                        .reduce(|a, b| join(&a, &b))
                        .unwrap_or_else(Val::unknown),
                    None => Val::Unknown(Taint::none(), Forgotten::Callable),
                }
            }
            "instance_eval" | "class_eval" | "module_eval" | "instance_exec" | "class_exec"
            | "module_exec" => self.eval_in(object, name, args),
            "const_get" => {
                let object = match object {
                    Val::Instance(_) => Val::Library("Object".into()),
                    other => other.clone(),
                };
                match args.get(0)?.to_text().readings(16) {
                    Some(names) => names
                        .into_iter()
                        .map(|name| self.constant_of(&object, &name))
                        .reduce(|a, b| join(&a, &b))
                        .unwrap_or_else(Val::unknown),
                    None => Val::Unknown(Taint::none(), Forgotten::Callable),
                }
            }
            "instance_variable_get" => self.ruby_attribute(object, &known(0)?),
            "instance_variable_set" => {
                let value = args.list.get(1)?.clone();
                self.ruby_set_attribute(object, &known(0)?, value.clone());
                value
            }
            "tap" => {
                let block = args.named(BLOCK)?.clone();
                self.call(&block, Args::of(vec![object.clone()]));
                object.clone()
            }
            "then" | "yield_self" => {
                let block = args.named(BLOCK)?.clone();
                self.call(&block, Args::of(vec![object.clone()]))
            }
            "itself" | "freeze" | "to_enum" | "enum_for" | "lazy" | "force" | "each_entry" => {
                object.clone()
            }
            "dup" | "clone" => match object {
                Val::List(place) => {
                    let items = (*self.heap.items(*place)).clone();
                    self.heap.list(items)
                }
                Val::Dict(place) => {
                    let entries = (*self.heap.entries(*place)).clone();
                    self.heap.dict(entries)
                }
                other => other.clone(),
            },
            "nil?" => match object {
                Val::None => Val::Bool(true),
                Val::Int(_) | Val::List(_) | Val::Dict(_) | Val::Bool(_) => Val::Bool(false),
                _ => Val::unknown(),
            },
            "is_a?"
            | "kind_of?"
            | "instance_of?"
            | "respond_to?"
            | "frozen?"
            | "object_id"
            | "hash"
            | "equal?"
            | "eql?"
            | "instance_variables"
            | "methods"
            | "public_methods"
            | "singleton_methods"
            | "instance_variable_defined?"
            | "method_defined?"
            | "const_defined?"
            | "instance_methods"
            | "<=>"
            | "between?" => Val::unknown(),
            "!" => self.truth(object).map_or_else(Val::unknown, |truth| Val::Bool(!truth)),
            "==" | "===" | "!=" if !matches!(object, Val::Pattern(_) | Val::Function(_)) => {
                let same = match (object, args.get(0)?) {
                    (Val::Library(_) | Val::Class(_), _) => None,
                    (range, _) if aegish_code_library::ruby::range_of(range).is_some() => None,
                    (a, b) => crate::numbers::equal(a, b),
                };
                same.map_or_else(Val::unknown, |same| Val::Bool(same == (name != "!=")))
            }
            "singleton_class" => object.clone(),
            "class" => match object {
                Val::Instance(place) => {
                    self.heap.attributes(*place).class.clone().unwrap_or_else(Val::unknown)
                }
                Val::Text(_) => Val::Library("String".into()),
                Val::List(_) => Val::Library("Array".into()),
                Val::Dict(_) => Val::Library("Hash".into()),
                Val::Int(_) => Val::Library("Integer".into()),
                Val::Class(_) => Val::Library("Class".into()),
                _ => Val::unknown(),
            },
            "to_proc" if matches!(object, Val::Text(_)) => Val::Partial(Rc::new(Partial {
                function: Val::Library("<send>".into()),
                args: Args::of(vec![object.clone()]),
            })),
            "to_proc" => object.clone(),
            "display" => {
                let text = self.ruby_text(object);
                self.print(text.as_known());
                Val::None
            }
            _ => return None,
        })
    }

    /// A method whose name is not known.
    fn forgotten_call(&mut self, args: &Args) -> Val {
        self.call(&Val::Unknown(Taint::none(), Forgotten::Callable), args.clone())
    }

    fn constant_of(&mut self, object: &Val, name: &str) -> Val {
        let mut value = object.clone();
        for part in name.split("::").filter(|part| !part.is_empty()) {
            value = match &value {
                Val::Library(path) if matches!(&**path, "Object" | "Kernel" | "Module") => {
                    self.lookup(&part.into())
                }
                other => self.ruby_attribute(&other.clone(), part),
            };
        }
        value
    }

    /// `object.method(:name)`.
    fn method_object(&mut self, object: &Val, name: &str, implicit: bool) -> Val {
        if let Some(method) = self.find_method(object, name, true) {
            return match &method {
                Val::Function(closure) if closure.code.receiver == Receiver::Argument => {
                    Val::Bound(Rc::new((object.clone(), method)))
                }
                _ => method,
            };
        }
        match object {
            Val::Library(path) => {
                let path = path.clone();
                match self.library_attribute(&path, name) {
                    // A name in capitals would be a class.
                    function @ Val::Library(_) => {
                        Val::Partial(Rc::new(Partial { function, args: Args::default() }))
                    }
                    other => other,
                }
            }
            Val::Instance(_) | Val::Class(_) => Val::Library(self.canonical(name)),
            _ if implicit => Val::Library(self.canonical(name)),
            _ => Val::Method(Rc::new((object.clone(), name.into()))),
        }
    }

    /// Code, or a block, that sees another object as `self`.
    fn eval_in(&mut self, object: &Val, name: &str, args: &Args) -> Val {
        let mut args = args.clone();
        let block = take_block(&mut args);
        match (block, args.get(0)) {
            (Some(Val::Function(closure)), _) => {
                let closure = self.rebound_block(&closure, object);
                let given =
                    if name.ends_with("_exec") { args } else { Args::of(vec![object.clone()]) };
                self.ruby_enter(&closure, given)
            }
            (Some(other), _) => self.call(&other, Args::of(vec![object.clone()])),
            (None, Some(code)) => {
                let code = code.clone();
                let scope = Scope::new(Some(Rc::clone(&self.scope)), ScopeKind::Block);
                self.bind_in(&scope, &"self".into(), object.clone());
                if matches!(object, Val::Class(_)) {
                    self.bind_in(&scope, &super::DEFINEE.into(), object.clone());
                }
                let outer = std::mem::replace(&mut self.scope, scope);
                let value = self.evaluate(&code, None);
                self.scope = outer;
                value
            }
            (None, None) => Val::unknown(),
        }
    }

    /// A method of something that can be called.
    fn callable_method(&mut self, object: &Val, name: &str, args: Args) -> Val {
        match name {
            "call" | "()" | "yield" | "[]" | "===" => self.call(object, args),
            "curry" | "unbind" | "lambda?" | "source_location" => object.clone(),
            "bind" => match object {
                Val::Bound(pair) => {
                    let this = args.get(0).cloned().unwrap_or(Val::None);
                    Val::Bound(Rc::new((this, pair.1.clone())))
                }
                other => other.clone(),
            },
            "bind_call" => {
                let mut args = args;
                if !args.list.is_empty() {
                    args.list.remove(0);
                }
                self.call(object, args)
            }
            // `f >> g` calls `g` with what `f` gives.
            ">>" | "<<" => match args.get(0).cloned() {
                Some(other) => {
                    let (first, second) = if name == ">>" {
                        (object.clone(), other)
                    } else {
                        (other, object.clone())
                    };
                    Val::Partial(Rc::new(Partial {
                        function: Val::Library("<compose>".into()),
                        args: Args::of(vec![first, second]),
                    }))
                }
                None => Val::unknown(),
            },
            "arity" | "parameters" => Val::unknown(),
            "receiver" | "owner" => Val::unknown(),
            "name" => match object {
                Val::Library(path) => Val::text(path.rsplit('.').next().unwrap_or(path)),
                Val::Method(pair) => Val::text(&*pair.1),
                _ => Val::unknown(),
            },
            _ => self.unknown_call(&args),
        }
    }

    /// Calls of functions that the interpreter made itself.
    fn ruby_made_call(&mut self, path: &str, args: &Args) -> Option<Val> {
        let mut list = args.list.clone();
        match path {
            "<send>" if list.len() >= 2 => {
                let name = list.remove(0).as_known()?;
                let object = list.remove(0);
                Some(self.ruby_send(&object, &name, Args { list, ..args.clone() }, false))
            }
            "<compose>" if list.len() >= 2 => {
                let (first, second) = (list.remove(0), list.remove(0));
                let value = self.call(&first, Args { list, ..args.clone() });
                Some(self.call(&second, Args::of(vec![value])))
            }
            _ => None,
        }
    }

    /// The numbers or texts of a range.
    fn range_items(&mut self, value: &Val) -> Option<Items> {
        let (from, to, inclusive) = aegish_code_library::ruby::range_of(value)?;
        let any = |value: Val| Items { list: Vec::new(), rest: Some(value) };
        Some(match (&from, &to) {
            (Val::Int(from), Val::Int(to)) => {
                let to = if inclusive { *to } else { to.saturating_sub(1) };
                if to.saturating_sub(*from) >= i64::try_from(crate::limits::MAX_ITEMS).unwrap_or(0)
                {
                    return Some(any(Val::unknown()));
                }
                Items { list: (*from..=to).map(Val::Int).collect(), rest: None }
            }
            (Val::Text(from), Val::Text(to)) => {
                let one = |text: &aegish_values::Value| {
                    let text = text.as_known()?.to_owned();
                    let mut chars = text.chars();
                    chars.next().filter(|_| chars.next().is_none())
                };
                match (one(from), one(to)) {
                    (Some(from), Some(to)) => {
                        let list: Vec<Val> = (from..=to)
                            .filter(|c| inclusive || *c != to)
                            .take(crate::limits::MAX_ITEMS)
                            .map(|c| Val::text(c.to_string()))
                            .collect();
                        Items { list, rest: None }
                    }
                    _ => any(Val::Text(crate::value::part_of(from))),
                }
            }
            _ => any(Val::unknown()),
        })
    }
}

//! Calls: which method a name is, and what it does.

use super::classes::RubyClasses;
use super::kernel::RubyKernel;
use super::objects::RubyObjects;
use super::streams::RubyStreams;
use super::{BLOCK, RubyState, RubyValues, take_block};
use crate::effect::CodeEffect;
use crate::heap::Binding;
use crate::ir::{Argument, Call, Expr, Receiver};
use crate::scope::{Scope, ScopeKind};
use crate::value::{Args, Closure, Forgotten, Val, join};
use aegish_code_interpreter::{Interpreter, STDIN};
use aegish_code_library::{RubyLists, RubyMaps, RubyNumbers, RubyPacked, RubyTexts};
use easy_ext::ext;
use std::rc::Rc;

#[ext(RubyCalls)]
pub(super) impl Interpreter<'_> {
    /// A call of the text.
    fn ruby_call(&mut self, call: &Call) -> Val {
        let Expr::Attribute(object, name) = &call.function else {
            let function = self.expr(&call.function);
            let args = self.arguments(&call.arguments);
            let outer = std::mem::replace(&mut self.site, call.site);
            let value = match &function {
                Val::Library(path) if &**path == "<range>" => Val::Tuple(
                    std::iter::once(function.clone()).chain(args.list.iter().cloned()).collect(),
                ),
                // `yield` without a block: the caller may give one.
                Val::None => Val::unknown(),
                _ => self.call(&function, args),
            };
            self.site = outer;
            return value;
        };
        let implicit = matches!(&**object, Expr::Name(name) if &**name == "self");
        let object = self.expr(object);
        let args = self.arguments(&call.arguments);
        let literal = call.arguments.iter().any(|argument| {
            matches!(argument, Argument::Named(name, Expr::Function(_)) if &**name == BLOCK)
        });
        let outer = std::mem::replace(&mut self.site, call.site);
        let value = if literal {
            self.with_breaks(|this| this.ruby_send(&object, name, args, implicit))
        } else {
            self.ruby_send(&object, name, args, implicit)
        };
        self.site = outer;
        value
    }

    /// Calls a function of the program: hashes for named arguments, and lists spread over the parameters of a block.
    fn ruby_enter(&mut self, closure: &Rc<Closure>, mut args: Args) -> Val {
        let code = &closure.code;
        let takes_names = code.named_rest.is_some()
            || code.keyword_only.iter().any(|parameter| &*parameter.name != BLOCK);
        let given = args.named.iter().filter(|(name, _)| &**name != BLOCK).count();
        if given > 0 && !takes_names {
            let (named, block): (Vec<_>, Vec<_>) =
                args.named.into_iter().partition(|(name, _)| &**name != BLOCK);
            args.named = block;
            let pairs = named.into_iter().map(|(name, value)| (Val::text(&*name), value)).collect();
            let options = self.new_dict(pairs, None);
            args.list.push(options);
        }
        let wanted = code.positional.len() + usize::from(code.rest.is_some());
        if code.receiver == Receiver::Lexical
            && wanted > 1
            && let [list @ (Val::List(_) | Val::Tuple(_))] = args.list.as_slice()
            && aegish_code_library::ruby::range_of(list).is_none()
        {
            let items = self.iterate(&list.clone());
            args.list = items.list;
            args.rest = items.rest;
        }
        if code.receiver == Receiver::Lexical && args.rest.is_none() && code.rest.is_none() {
            // A block takes nil for what is missing, and ignores what is too much.
            args.list.resize(code.positional.len().max(args.list.len()), Val::None);
            for (value, parameter) in args.list.iter_mut().zip(&code.positional) {
                if *value == Val::None
                    && let Some((_, default)) =
                        closure.defaults.iter().find(|(name, _)| *name == parameter.name)
                {
                    *value = default.clone();
                }
            }
        }
        self.enter(closure, args)
    }

    /// The method of an object that the program defines.
    fn find_method(&self, object: &Val, name: &str, implicit: bool) -> Option<Val> {
        let own = format!("self.{name}");
        let everywhere = |name: &str| {
            let class = self.state.get::<RubyState>()?.object.clone()?;
            self.class_attribute(&Val::Class(class), name)
        };
        match object {
            Val::Instance(place) => {
                let attributes = self.heap.attributes(*place);
                if let Some((_, value)) = attributes.list.iter().find(|(known, _)| **known == *own)
                {
                    return Some(value.clone());
                }
                let class = attributes.class.clone()?;
                self.class_attribute(&class, name).or_else(|| everywhere(name))
            }
            Val::Class(_) => self
                .class_attribute(object, &own)
                .or_else(|| match self.class_attribute(object, name) {
                    Some(value @ (Val::Function(_) | Val::OneOf(_))) if name != "initialize" => {
                        Some(value)
                    }
                    _ => None,
                })
                .or_else(|| everywhere(name)),
            _ => everywhere(&format!("ext.{name}"))
                .or_else(|| implicit.then(|| everywhere(name)).flatten()),
        }
    }

    /// Calls a method of the program with its object.
    fn call_method(&mut self, object: &Val, method: &Val, args: Args) -> Val {
        match method {
            Val::Function(closure) if closure.code.receiver == Receiver::Argument => {
                let closure = Rc::clone(closure);
                self.ruby_enter(&closure, args.with_first(object.clone()))
            }
            Val::Function(closure) => {
                let closure = self.rebound_block(closure, object);
                self.ruby_enter(&closure, args)
            }
            Val::OneOf(_) => {
                self.each(method, |this, one| this.call_method(object, one, args.clone()))
            }
            other => self.call(other, args),
        }
    }

    /// A block whose `self` is another object.
    fn rebound_block(&mut self, closure: &Rc<Closure>, object: &Val) -> Rc<Closure> {
        let scope = Scope::new(Some(Rc::clone(&closure.scope)), ScopeKind::Block);
        self.bind_in(&scope, &"self".into(), object.clone());
        if let Val::Class(_) = object {
            self.bind_in(&scope, &super::DEFINEE.into(), object.clone());
        }
        Rc::new(Closure {
            code: Rc::clone(&closure.code),
            scope,
            defaults: closure.defaults.clone(),
            class: std::cell::RefCell::new(closure.class.borrow().clone()),
        })
    }

    /// `object.name(args)`; `implicit` if private methods count too.
    fn ruby_send(&mut self, object: &Val, name: &str, mut args: Args, implicit: bool) -> Val {
        if !self.burn(1) {
            return Val::unknown();
        }
        if let Val::OneOf(values) = object {
            let there: Vec<Val> = values.iter().filter(|one| **one != Val::None).cloned().collect();
            return match there.as_slice() {
                [only] => self.ruby_send(&only.clone(), name, args, implicit),
                _ => {
                    let object = object.clone();
                    self.each(&object, |this, one| {
                        this.ruby_send(one, name, args.clone(), implicit)
                    })
                }
            };
        }
        // A variable of the program around code that is evaluated.
        if implicit
            && args.list.is_empty()
            && args.named.is_empty()
            && let Some(value) = self.variable(name)
        {
            return value;
        }
        if matches!(name, "super" | "zsuper") {
            return self.ruby_super(name, args);
        }
        if let Some(method) = self.find_method(object, name, implicit) {
            return self.call_method(object, &method, args);
        }
        let block = args.named(BLOCK).cloned();
        // Inside of a method of a text or a list, functions of the language are called without a receiver.
        if implicit
            && !matches!(object, Val::Instance(_) | Val::Class(_) | Val::Library(_))
            && crate::calls::find(self.language, &self.canonical(name)).is_some()
        {
            return self.kernel_call(name, args);
        }
        if let Some(value) = self.any_object_method(object, name, &args, implicit) {
            return value;
        }
        match object {
            Val::Function(_) | Val::Partial(_) | Val::Bound(_) | Val::Method(_) => {
                self.callable_method(object, name, args)
            }
            Val::Text(text) => {
                let text = text.clone();
                let block = take_block(&mut args);
                self.ruby_text_method(&text, name, &args, block.as_ref())
            }
            Val::Bytes(_) => match name {
                "unpack" | "unpack1" => self.unpacked(object, name, &args),
                "force_encoding" | "b" | "encode" | "dup" | "to_s" => object.clone(),
                "bytes" | "each_byte" => {
                    let items = self.iterate(object);
                    self.heap.list(items)
                }
                _ => Val::unknown(),
            },
            Val::Dict(place) => {
                let block = take_block(&mut args);
                self.ruby_map_method(*place, name, &args, block.as_ref())
            }
            Val::Tuple(_) | Val::List(_) => {
                let block = take_block(&mut args);
                self.ruby_list_method(object, name, &args, block.as_ref())
            }
            Val::Int(number) => {
                let block = take_block(&mut args);
                self.ruby_number_method(*number, name, &args, block.as_ref())
            }
            Val::File(_) | Val::Connection | Val::Process(_) => {
                let block = take_block(&mut args);
                self.ruby_stream_method(object, name, &args, block.as_ref())
            }
            Val::Pattern(pattern) => {
                let pattern = Rc::clone(pattern);
                self.ruby_pattern_method(&pattern, name, &args)
            }
            Val::Class(_) => self.class_method(object, name, args, implicit),
            Val::Instance(place) => self.instance_method(*place, name, args, implicit),
            Val::Library(path)
                if matches!(
                    name,
                    "call"
                        | "()"
                        | "yield"
                        | "curry"
                        | ">>"
                        | "<<"
                        | "unbind"
                        | "bind"
                        | "bind_call"
                ) && !path.contains(char::is_uppercase)
                    || path.starts_with('<') =>
            {
                self.callable_method(object, name, args)
            }
            Val::Library(path) if &**path == "STDIN" && self.has_input() && name != "reopen" => {
                let block = take_block(&mut args);
                self.ruby_stream_method(&Val::File(STDIN), name, &args, block.as_ref())
            }
            Val::Library(path) => {
                let path = path.clone();
                self.library_send(&path, name, args)
            }
            Val::None | Val::Bool(_) => match name {
                "to_a" | "to_h" | "to_s" | "inspect" => {
                    let text = self.ruby_text(object);
                    if name == "to_a" { self.new_list(Vec::new()) } else { Val::Text(text) }
                }
                _ if implicit => self.kernel_call(name, args),
                _ => Val::None,
            },
            Val::Path(path) => {
                let path = path.clone();
                match name {
                    "+" | "/" | "join" => {
                        let parts = std::iter::once(path).chain(args.list.iter().map(Val::to_text));
                        let parts: Vec<_> = parts.collect();
                        Val::Path(aegish_code_library::paths::join_paths(&parts))
                    }
                    "read" | "binread" | "readlines" | "each_line" | "open" | "foreach" => {
                        let name = if name == "each_line" { "foreach" } else { name };
                        self.library_send("File", name, args.with_first(Val::Text(path)))
                    }
                    "sub_ext" | "parent" | "dirname" | "expand_path" | "cleanpath" | "realpath" => {
                        let made = self.ruby_send(&Val::Text(path), name, args, implicit);
                        Val::Path(made.to_text())
                    }
                    _ => self.ruby_send(&Val::Text(path), name, args, implicit),
                }
            }
            _ if implicit => self.kernel_call(name, args),
            Val::Unknown(_, Forgotten::Callable) => {
                if matches!(name, "call" | "()" | "yield" | "run" | "===") && !self.uncalled {
                    self.record(CodeEffect::Hidden);
                }
                self.run_block(block.as_ref(), &Val::unknown());
                object.clone()
            }
            other => match crate::calls::find(self.language, &format!("?.{name}")) {
                Some(entry) => {
                    let other = other.clone();
                    let block = take_block(&mut args);
                    let value = self.effect_call(&entry, &args.with_first(other), name);
                    self.given_to_block(value, block)
                }
                None => {
                    let mut taint = self.content_taint(&args);
                    taint.absorb(&self.taint_of(other));
                    let item = Val::tainted(taint.clone());
                    let block = take_block(&mut args);
                    self.run_block(block.as_ref(), &item);
                    self.run_callbacks(&args, None);
                    item
                }
            },
        }
    }

    /// The value of a local variable, if there is one.
    fn variable(&self, name: &str) -> Option<Val> {
        let mut scope = Some(Rc::clone(&self.scope));
        while let Some(at) = scope {
            if let Some(place) = at.find(name)
                && let Binding::Bound(value) | Binding::Maybe(value) = self.heap.variable(place)
            {
                return Some(value);
            }
            scope = at.parent.clone();
        }
        None
    }

    /// What a library gives is handed to the block of the call.
    fn given_to_block(&mut self, value: Val, block: Option<Val>) -> Val {
        let Some(block) = block else { return value };
        match &value {
            Val::List(_) | Val::Tuple(_) => {
                let items = self.iterate(&value);
                let given = self.for_each(items, &mut |this, item| {
                    this.call(&block, Args::of(vec![item.clone()]))
                });
                let given = self.heap.list(given);
                join(&value, &given)
            }
            Val::File(_) | Val::Connection => {
                self.call(&block, Args::of(vec![value.clone(), value.clone()]))
            }
            Val::Process(_) => self.call(&block, Args::of(vec![value; 4])),
            _ => {
                let given = self.run_block(Some(&block), &value);
                given.map_or(value.clone(), |given| join(&given, &value))
            }
        }
    }

    /// A function of a library, or a method of an object of one.
    fn library_send(&mut self, path: &str, name: &str, mut args: Args) -> Val {
        if let ("Object" | "BasicObject", "new", Some(class)) =
            (path, name, self.state.with(|ruby: &mut RubyState| ruby.object.clone()))
        {
            return self.instance_of(&class);
        }
        if matches!(path, "ARGF" | "$<") && name == "argv" {
            return self.lookup(&"ARGV".into());
        }
        let block = take_block(&mut args);
        let function = self.library_attribute(path, name);
        let Val::Library(full) = &function else {
            // The program gave it another meaning.
            args.named.extend(block.map(|block| (BLOCK.into(), block)));
            let object = Val::Library(path.into());
            return self.call_method(&object, &function, args);
        };
        if let Some(value) = self.special_function(&full.clone(), &args, block.as_ref()) {
            return value;
        }
        if &**full == "Dir.chdir" || &**full == "FileUtils.cd" || &**full == "FileUtils.chdir" {
            let old = self.working_directory();
            self.library_call(full, args);
            let Some(block) = block else { return Val::None };
            let directory = Val::Text(self.working_directory());
            let value = self.call(&block, Args::of(vec![directory]));
            self.set_directory(old);
            return value;
        }
        // `open("|command")` runs it.
        if (&**full == "open" || full.starts_with("IO."))
            && let Some(Val::Text(text)) = args.get(0)
            && text.known_prefix().starts_with('|')
        {
            let command = text.tail(1);
            let value = self.start_shell(&command);
            return self.given_to_block(value, block);
        }
        let value = self.library_call(full, args);
        self.given_to_block(value, block)
    }
}

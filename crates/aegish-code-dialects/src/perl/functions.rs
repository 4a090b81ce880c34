//! Functions of the language that a table of calls cannot describe.

use super::globs::PerlGlobs;
use super::modules::PerlModules;
use super::objects::PerlObjects;
use super::streams::PerlStreams;
use super::variables::PerlVariables;
use super::{PerlCalls, PerlState};
use crate::effect::CodeEffect;
use crate::heap::{Binding, Cell, Combine, Items};
use crate::ir::{Arguments, Body, Function, Receiver};
use crate::limits::MAX_EVALS;
use crate::value::{Args, Closure, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::{PerlLists, PerlTexts, PerlValues};
use aegish_values::{Source, Value};
use easy_ext::ext;
use std::rc::Rc;

#[ext(PerlFunctions)]
pub(super) impl Interpreter<'_> {
    /// What the program says or dies of goes to its own handler.
    fn signalled(&mut self, signal: &str, message: &Val) {
        if let Some(handler) = self.overridden(&format!("%SIG.{signal}")) {
            let args = Args::of(vec![message.clone()]);
            self.maybe(|this| this.perl_call_value(&handler, args));
        }
    }

    /// A call of a function of the language; none if it is not one of these.
    fn perl_function(&mut self, path: &str, args: &Args) -> Option<Val> {
        if let Some(value) = self.perl_list_function(path, args) {
            return Some(value);
        }
        if let Some(value) = self.perl_text_function(path, args) {
            return Some(value);
        }
        if let Some(value) = self.perl_stream_function(path, args) {
            return Some(value);
        }
        let first = args.get(0).cloned();
        let second = args.get(1).cloned();
        Some(match path {
            "<maybe>" | "wait" | "times" => Val::unknown(),
            "<first>" => first?,
            "<last>" => args.list.last().cloned()?,
            "ref" => self.class_or_kind(&first.unwrap_or(Val::None)),
            "<nothing>" => Val::Tuple(Vec::new().into()),
            "<variable>" => self.perl_variable(&first?.as_known()?),
            "<vivify>" => self.vivify(&first?.as_known()?, &second?.as_known()?),
            "<vivify-element>" => self.vivify_element(&first?, &second?, &args.get(2)?.as_known()?),
            "<deref@>" => self.dereferenced(&first?, "@"),
            "<deref%>" => self.dereferenced(&first?, "%"),
            "<deref$>" => self.dereferenced_scalar(&first?),
            "<reference>" => {
                let place = self.perl_cell(&first?.as_known()?);
                Val::Scalar(place)
            }
            "<reference-to>" => self.reference_to(first?),
            "<set-deref>" => {
                self.set_dereferenced(&first?, second?);
                args.get(1)?.clone()
            }
            "<glob>" => self.glob_of(&first?),
            "<glob-part>" => {
                let glob = self.perl_text(&first?);
                let name = glob.as_known()?.trim_start_matches('*').to_owned();
                match second?.as_known()?.as_str() {
                    "CODE" => self.perl_function_named(&name),
                    "SCALAR" => Val::Scalar(self.perl_cell(&format!("${name}"))),
                    "ARRAY" => self.perl_variable(&format!("@{name}")),
                    "HASH" => self.perl_variable(&format!("%{name}")),
                    _ => self.lookup(&format!("*{name}").as_str().into()),
                }
            }
            "<set-glob>" => {
                self.set_glob(&first?, &second?);
                Val::unknown()
            }
            "<set-handle>" => {
                let name = self.perl_text(&first?);
                match name.as_known() {
                    Some(name) => {
                        let name = name.trim_start_matches('*').trim_start_matches("main::");
                        self.perl_bind(&format!("*main::{name}"), second?);
                    }
                    None => self.open |= matches!(first_of(args), Some(Val::Text(_))),
                }
                args.get(1)?.clone()
            }
            "<code>" => match first? {
                Val::Text(name) => match name.as_known() {
                    Some(name) => self.perl_function_named(name),
                    None => Val::Unknown(name.taint().clone(), crate::value::Forgotten::Callable),
                },
                Val::Library(path) if path.starts_with('*') => self.perl_function_named(&path),
                other => other,
            },
            "<local>" => {
                self.localize(&first?.as_known()?);
                Val::None
            }
            "<local-element>" => {
                self.localize_element(&first?);
                Val::None
            }
            "<call>" => {
                let function = first?;
                let list = args.list.iter().skip(1).cloned().collect();
                let call = Args { list, rest: args.rest.clone(), named: Vec::new() };
                self.perl_call_value(&function, call)
            }
            "<method>" => {
                let (object, method) = (first?, second?);
                let list = args.list.iter().skip(2).cloned().collect();
                let call = Args { list, rest: args.rest.clone(), named: Vec::new() };
                self.dynamic_method(&object, &method, call)
            }
            "<eval-block>" => self.eval_block(&first?),
            "eval" | "evalbytes" => self.evaluate(&first?, None),
            "<use>" => self.use_module(args),
            "require" | "do" => {
                let path = self.perl_text(&first?);
                self.require_file(&path, path_of(path.known_prefix()));
                Val::unknown()
            }
            "Socket.sockaddr_in"
            | "Socket.pack_sockaddr_in"
            | "Socket.sockaddr_in6"
            | "Socket.pack_sockaddr_in6" => self.new_list(args.list.clone()),
            "<message>" => {
                let text = args.list.first().cloned().unwrap_or(Val::None);
                self.perl_bind("$@", text.clone());
                text
            }
            "die" | "croak" | "confess" => {
                let value = match args.list.as_slice() {
                    [only] => only.clone(),
                    _ => Val::Text(self.joined("", args)),
                };
                self.signalled("__DIE__", &value);
                let thrown = self.thrown.take();
                self.thrown = Some(thrown.map_or(value.clone(), |known| join(&known, &value)));
                let old = self.lookup(&"$@".into());
                self.perl_bind("$@", join(&old, &value));
                Val::unknown()
            }
            "warn" | "carp" | "cluck" => {
                let value = Val::Text(self.joined("", args));
                self.signalled("__WARN__", &value);
                Val::unknown()
            }
            "exit" | "sleep" | "srand" | "lock" | "study" | "alarm" | "waitpid" | "umask"
            | "reset" | "formline" | "setpgrp" | "getpgrp" => Val::unknown(),
            "getppid" => aegish_code_interpreter::parent_process(),
            "syscall" => {
                self.record(CodeEffect::Hidden);
                Val::unknown()
            }
            "<run-program>" => {
                // The first is the program, the second the name that it sees.
                let program = self.perl_text(&first?);
                let mut argv = vec![program];
                for word in args.list.iter().skip(2).chain(&args.rest) {
                    argv.push(self.perl_text(word));
                }
                self.start(argv)
            }
            "IPC::Open2.open2" | "IPC::Open3.open3" => {
                // The handles come first.
                let handles = if path == "IPC::Open2.open2" { 2 } else { 3 };
                self.set_by_library(args);
                let mut words: Vec<Value> = Vec::new();
                for word in args.list.iter().skip(handles).chain(&args.rest) {
                    words.push(self.perl_text(word));
                }
                let process = match words.as_slice() {
                    [command] => self.start_shell(&command.clone()),
                    _ => self.start(words),
                };
                for handle in args.list.iter().take(handles).cloned().collect::<Vec<_>>() {
                    if let Val::Scalar(place) = handle {
                        let cell = Cell::Variable(Binding::Bound(process.clone()));
                        self.heap.write(place, cell);
                    }
                }
                process
            }
            "readpipe" => {
                let command = self.perl_text(&first?);
                self.start_shell(&command);
                Val::from_source("output", Source::Program("process".into()))
            }
            "tie" => {
                for value in args.list.iter().skip(1) {
                    if let Val::Text(text) = value
                        && text.known_prefix().contains('/')
                    {
                        let path = self.resolved(&text.clone());
                        self.record(CodeEffect::Mention(path));
                    }
                }
                let class = first?;
                let list = args.list.iter().skip(1).cloned().collect();
                let call = Args { list, rest: args.rest.clone(), named: Vec::new() };
                let mut made = Val::None;
                if let Some(class_name) = class.as_known() {
                    for method in ["TIESCALAR", "TIEARRAY", "TIEHASH", "TIEHANDLE"] {
                        if self.perl_sub_of(&class_name, method).is_some() {
                            let object = self.perl_method(&class, method, call.clone());
                            made = self.perl_scalar(object);
                        }
                    }
                }
                made
            }
            "<tie-scalar>" => {
                let object = first?;
                match object {
                    Val::None => {
                        Val::Unknown(aegish_values::Taint::none(), crate::value::Forgotten::Data)
                    }
                    object => {
                        let value = self.perl_method(&object, "FETCH", Args::default());
                        let value = self.perl_scalar(value);
                        let stored = Args::of(vec![Val::unknown()]);
                        self.maybe(|this| this.perl_method(&object, "STORE", stored));
                        value
                    }
                }
            }
            "<tie-array>" | "<tie-hash>" => {
                let (container, object) = (first?, second?);
                let value = match &object {
                    Val::None => Val::unknown(),
                    object => {
                        let stored = Args::of(vec![Val::unknown(), Val::unknown()]);
                        self.maybe(|this| this.perl_method(object, "STORE", stored));
                        let value =
                            self.perl_method(object, "FETCH", Args::of(vec![Val::unknown()]));
                        self.perl_scalar(value)
                    }
                };
                match container {
                    Val::List(place) => {
                        let items = Items { list: Vec::new(), rest: Some(value) };
                        self.heap.write(place, Cell::List(Rc::new(items)));
                    }
                    Val::Dict(place) => {
                        let entries = crate::heap::Entries { list: Vec::new(), rest: Some(value) };
                        self.heap.write(place, Cell::Dict(Rc::new(entries)));
                    }
                    _ => {}
                }
                object
            }
            "bless" => {
                let (object, class) = (first?, second.unwrap_or_else(|| Val::text("main")));
                let class = self.perl_text(&class);
                if let (Some(places), Some(classes)) = (cells(&object), class.readings(8)) {
                    for place in places {
                        self.state.with(|perl: &mut PerlState| {
                            let known = perl.blessed.entry(place).or_default();
                            for class in &classes {
                                if !known.iter().any(|other| **other == **class) {
                                    known.push(class.as_str().into());
                                }
                            }
                        });
                    }
                }
                object
            }
            _ => return None,
        })
    }

    fn glob_of(&mut self, value: &Val) -> Val {
        match value {
            Val::Text(text) => match text.as_known() {
                Some(name) => {
                    let name = name.trim_start_matches('*').trim_start_matches("::");
                    let full =
                        if name.contains("::") { name.to_owned() } else { format!("main::{name}") };
                    Val::Library(format!("*{full}").into())
                }
                None => value.clone(),
            },
            other => other.clone(),
        }
    }

    /// `eval { … }`: what it changed before it failed stays.
    fn eval_block(&mut self, function: &Val) -> Val {
        let Val::Function(closure) = function else { return Val::unknown() };
        let closure = Rc::clone(closure);
        self.heap.push_collecting();
        let outer = self.thrown.take();
        let value = self.enter(&closure, Args::default());
        let thrown = std::mem::replace(&mut self.thrown, outer);
        let (changes, passed) = self.heap.pop();
        self.heap.apply(changes);
        self.uncertain += 1;
        self.heap.combine(passed, Combine::Join);
        self.uncertain -= 1;
        let error = thrown.map_or_else(
            || Val::Text(Value::unknown("an error")),
            |thrown| join(&thrown, &Val::text("")),
        );
        let place = self.perl_cell("$@");
        self.heap.write(place, Cell::Variable(Binding::Bound(error)));
        join(&value, &Val::None)
    }

    /// The class that a reference was blessed with, or what it refers to.
    fn class_or_kind(&self, value: &Val) -> Val {
        match value {
            Val::Dict(place) | Val::List(place) | Val::Scalar(place) => {
                match (self.classes_of(*place).first(), value) {
                    (Some(class), _) => Val::text(&**class),
                    (None, Val::Dict(_)) => Val::text("HASH"),
                    (None, Val::List(_)) => Val::text("ARRAY"),
                    (None, _) => Val::text("SCALAR"),
                }
            }
            Val::Function(_) => Val::text("CODE"),
            Val::Pattern(_) => Val::text("Regexp"),
            Val::Text(text) if text.is_known() => Val::text(""),
            Val::Int(_) | Val::None => Val::text(""),
            _ => Val::Text(Value::unknown("type")),
        }
    }

    /// Code that is evaluated sees the variables around it; `return` leaves it.
    fn perl_evaluate(&mut self, text: &str) -> Val {
        if self.evals >= MAX_EVALS {
            self.open = true;
            return Val::unknown();
        }
        let program = self.lower(text);
        self.open |= program.cut;
        self.lowering.functions += 1;
        let code = Rc::new(Function {
            id: self.lowering.functions,
            name: "<eval>".into(),
            positional: Vec::new(),
            rest: None,
            keyword_only: Vec::new(),
            named_rest: None,
            body: Body::Block(program.body),
            generator: false,
            receiver: Receiver::Lexical,
            arguments: Arguments::Unnamed,
            sees_itself: false,
        });
        let closure = Rc::new(Closure {
            code,
            scope: Rc::clone(&self.scope),
            defaults: Vec::new(),
            class: std::cell::RefCell::default(),
        });
        self.evals += 1;
        let value = self.enter(&closure, Args::default());
        self.evals -= 1;
        value
    }
}

fn first_of(args: &Args) -> Option<&Val> {
    args.list.first()
}

/// The cells of what an object refers to.
fn cells(object: &Val) -> Option<Vec<crate::reference::Ref>> {
    match object {
        Val::Dict(place) | Val::List(place) | Val::Scalar(place) => Some(vec![*place]),
        Val::OneOf(values) => Some(values.iter().filter_map(cells).flatten().collect()),
        _ => None,
    }
}

/// Whether a text names a file and not a module.
fn path_of(text: &str) -> bool {
    text.contains('/') && (text.starts_with(['/', '.', '~']))
}

//! A call of the table: its entry and its arguments give effects and a value.

use super::Interpreter;
use crate::effect::CodeEffect;
use crate::heap::{Entries, Items};
use crate::value::{Args, Forgotten, Partial, Val};
use aegish_calls::{Effect, Entry, Role};
use aegish_code_library::PureCalls;
use aegish_code_library::given::{Given, HERE};
use aegish_profiles::{KillEffect, SystemEffect};
use aegish_values::{Piece, Source, Taint, Value};
use std::rc::Rc;

/// Functions that a library is handed, and values of a query, that are followed.
const MOST_REGISTERED: usize = 16;

impl Interpreter<'_> {
    pub fn effect_call(&mut self, entry: &Entry, args: &Args, path: &str) -> Val {
        self.dialect.call_entry(self, entry, args, path)
    }

    /// A call of the table with its arguments as they are.
    pub fn table_call(&mut self, entry: &Entry, args: &Args, path: &str) -> Val {
        let given = Given { entry, args };
        let guessed = std::mem::replace(&mut self.guessed, entry.guessed);
        let value = self.effect_value(&given, path);
        self.guessed = guessed;
        // Callbacks of calls whose table entry does not call a function itself.
        if !matches!(
            entry.effect,
            Effect::Apply
                | Effect::Thread
                | Effect::Partial
                | Effect::Map
                | Effect::Filter
                | Effect::Reduce
                | Effect::Same
                | Effect::GetAttribute
                | Effect::SetAttribute
                | Effect::Type
                | Effect::Sorted
                | Effect::ToList
                | Effect::ToTuple
                | Effect::ToDict
                | Effect::Zip
                | Effect::Print
                | Effect::Nothing
                | Effect::Length
                | Effect::Super
                | Effect::Text
                | Effect::Enumerate
                | Effect::Register
        ) && args.values().any(|value| match value {
            Val::Library(_) => entry.effect == Effect::Item && self.is_function(value),
            Val::Function(_) | Val::Bound(_) => true,
            _ => false,
        }) {
            self.run_callbacks(args, None);
        }
        value
    }

    /// Functions that a library was handed get the values of a query, and the texts in it.
    fn call_registered(&mut self, given: &Given<'_>) {
        let functions = self.registered.clone();
        if functions.is_empty() {
            return;
        }
        let mut values = match given.get(Role::Arguments).cloned() {
            Some(list) => self.iterate(&list).list,
            None => Vec::new(),
        };
        if let Some(text) = given.get(Role::Code).and_then(Val::as_known) {
            values.extend(text.split('\'').skip(1).step_by(2).map(Val::text));
        }
        // Bounded: the functions of a program are few, and so are the values of a query.
        for function in functions.into_iter().take(MOST_REGISTERED) {
            self.call(&function, Args::of(values.clone()));
            for value in values.iter().take(MOST_REGISTERED) {
                self.call(&function, Args::of(vec![value.clone()]));
            }
        }
    }

    /// A signal to a process; signal 0 only asks whether there is one.
    fn send_signal(&mut self, given: &Given<'_>) {
        if given.get(Role::Signal).and_then(Val::as_known).as_deref() == Some("0") {
            return;
        }
        let parent = given.args.values().map(Val::to_text).find(is_parent_process);
        if let Some(object) = parent.or_else(|| given.text(Role::Process)) {
            let what = SystemEffect::Kill(KillEffect::Process);
            let detail = "sends a signal to a process";
            self.record(CodeEffect::System { what, detail, object });
        }
    }

    pub fn effect_value(&mut self, given: &Given<'_>, path: &str) -> Val {
        let args = given.args;
        match given.entry.effect {
            Effect::Shell
            | Effect::Run
            | Effect::Argv
            | Effect::Exec
            | Effect::Eval
            | Effect::Script
            | Effect::System
            | Effect::Commands
            | Effect::RunModule => self.run_call(given),
            Effect::Open
            | Effect::Create
            | Effect::Read
            | Effect::Write
            | Effect::Append
            | Effect::Delete
            | Effect::DeleteTree
            | Effect::Mode
            | Effect::Owner
            | Effect::Copy
            | Effect::Link
            | Effect::List
            | Effect::Glob
            | Effect::Walk
            | Effect::Metadata
            | Effect::ChangeDirectory => self.file_call(given),
            Effect::Fetch
            | Effect::FetchTo
            | Effect::Send
            | Effect::Socket
            | Effect::Connect
            | Effect::Listen
            | Effect::Serve
            | Effect::Attach => self.network_call(given),
            Effect::Load => {
                if let Some(library) = given.text(Role::Library)
                    && !crate::operand::is_unnamed(&library)
                    && !matches!(given.get(Role::Library), Some(Val::None | Val::Bool(_)))
                {
                    self.record(CodeEffect::Load(library));
                }
                Val::Library(path.into())
            }
            Effect::User => {
                let user = given.text(Role::User).unwrap_or(Value::unknown("user"));
                self.record(CodeEffect::SetUser(user));
                Val::None
            }
            Effect::SetEnvironment => {
                if let Some(name) = given.get(Role::Name).and_then(Val::as_known) {
                    let value = given.get(Role::Value).cloned().unwrap_or(Val::None);
                    self.set_environment(&name, &value);
                } else if let Some(Val::Dict(place)) = given.get(Role::Value) {
                    for (key, value) in &self.heap.entries(*place).list {
                        if let Some(name) = key.as_known() {
                            self.set_environment(&name, value);
                        }
                    }
                }
                for (name, value) in &args.named {
                    if given.entry.parameters.iter().all(|(known, _)| *known != &**name) {
                        self.set_environment(name, value);
                    }
                }
                Val::None
            }
            Effect::Environment => match given.get(Role::Name).and_then(Val::as_known) {
                Some(name) => match (self.env(&name), given.get(Role::Default)) {
                    (value, Some(default))
                        if value.as_known().is_none() && default.as_known().is_some() =>
                    {
                        default.clone()
                    }
                    (value, _) => value,
                },
                None => Val::unknown(),
            },
            Effect::Fork => {
                if self.endless > 0 && !self.connected {
                    self.record(CodeEffect::Exhaust);
                }
                Val::unknown()
            }
            Effect::Register => {
                self.registered.extend(given.get(Role::Function).cloned());
                Val::None
            }
            Effect::Query => {
                self.call_registered(given);
                let taint = self.content_taint(args);
                if taint.is_none() { Val::Library(path.into()) } else { Val::tainted(taint) }
            }
            Effect::Kill => {
                self.send_signal(given);
                Val::unknown()
            }
            Effect::ParentProcess => parent_process(),
            Effect::Forgotten => Val::Unknown(Taint::none(), Forgotten::Callable),
            Effect::Import => match given.get(Role::Module) {
                Some(name) => self.dialect.import(self, name),
                None => Val::unknown(),
            },
            Effect::Print => {
                self.dialect.print(self, path, args);
                Val::None
            }
            Effect::Stdin => self.stdin(),
            Effect::StdinLine => self.stdin_line(false, &Val::text("")),
            Effect::StdinLines => {
                let items = crate::lines::lines_of(&self.stdin(), true);
                self.heap.list(items)
            }
            Effect::Apply => match given.get(Role::Function).cloned() {
                Some(function) => {
                    let rest = given.behind(Role::Function);
                    let rest = Args {
                        named: rest
                            .named
                            .into_iter()
                            .filter(|(name, _)| {
                                given.entry.parameters.iter().all(|(known, _)| *known != &**name)
                            })
                            .collect(),
                        ..rest
                    };
                    self.call(&function, rest)
                }
                None => Val::unknown(),
            },
            Effect::Thread => {
                if let Some(function) = given.get(Role::Function).cloned()
                    && function != Val::None
                {
                    let mut call = Args::default();
                    if let Some(list) = given.get(Role::Arguments) {
                        let items = self.iterate(&list.clone());
                        call.list = items.list;
                        call.rest = items.rest;
                    }
                    if let Some(Val::Dict(place)) = args.named("kwargs") {
                        for (key, value) in &self.heap.entries(*place).list {
                            if let Some(name) = key.as_known() {
                                call.named.push((name.into(), value.clone()));
                            }
                        }
                    }
                    self.call(&function, call);
                }
                Val::Library(path.into())
            }
            Effect::Partial => match given.get(Role::Function).cloned() {
                Some(function) => {
                    let args = given.behind(Role::Function);
                    Val::Partial(Rc::new(Partial { function, args }))
                }
                None => Val::unknown(),
            },
            Effect::GetAttribute => {
                let object = given.get(Role::Object).cloned().unwrap_or_else(Val::unknown);
                let value = match given.text(Role::Name).and_then(|name| name.readings(16)) {
                    Some(names) => names
                        .into_iter()
                        .map(|name| self.attribute(&object, &name.into()))
                        .reduce(|a, b| crate::value::join(&a, &b))
                        .unwrap_or_else(Val::unknown),
                    None if object.is_callable() || object == Val::Variables => {
                        Val::Unknown(Taint::none(), Forgotten::Callable)
                    }
                    None => Val::unknown(),
                };
                match (value, given.get(Role::Default)) {
                    (value @ Val::Method(_), Some(default)) => crate::value::join(&value, default),
                    (value, _) => value,
                }
            }
            Effect::SetAttribute => {
                if let (Some(object), Some(name), Some(value)) = (
                    given.get(Role::Object),
                    given.get(Role::Name).and_then(Val::as_known),
                    given.get(Role::Value),
                ) {
                    self.set_attribute(&object.clone(), &name.into(), value.clone());
                }
                Val::None
            }
            Effect::AttributeGetter | Effect::MethodCaller | Effect::ItemGetter => {
                let getter =
                    Val::Library(format!("<{}>", word_of_getter(given.entry.effect)).into());
                Val::Partial(Rc::new(Partial { function: getter, args: args.clone() }))
            }
            Effect::Variables => match args.get(0) {
                Some(object) => object.clone(),
                None => Val::Variables,
            },
            Effect::Super => self.super_call(args),
            Effect::Type => self.type_call(args),
            Effect::Path => {
                let parts: Vec<Value> = args.list.iter().map(Val::to_text).collect();
                Val::Path(aegish_code_library::paths::join_paths(&parts))
            }
            Effect::TemporaryPath => {
                let mut path = Value::known("/tmp/");
                path.push(Piece::Unknown("temporary name"));
                Val::Text(path)
            }
            Effect::WorkingDirectory => {
                let directory = self.working_directory();
                let known = directory.as_known().is_some_and(|text| !text.is_empty());
                let value = if known { directory } else { Value::unknown(HERE) };
                if path.contains("Path") { Val::Path(value) } else { Val::Text(value) }
            }
            Effect::Home => Val::Path(aegish_code_library::paths::home(&self.env("HOME"))),
            Effect::Nothing => Val::tainted(self.content_taint(args)),
            _ => self.pure_call(given),
        }
    }

    /// Loads a module, where the languages agree.
    pub fn plain_import(&mut self, name: &Val) -> Val {
        match name.to_text().readings(16) {
            Some(names) => names
                .into_iter()
                .map(|name| {
                    if let Some(own) = self.load_module(&name) {
                        return own;
                    }
                    self.record(CodeEffect::Import(name.clone()));
                    Val::Library(self.canonical(&name))
                })
                .reduce(|a, b| crate::value::join(&a, &b))
                .unwrap_or_else(Val::unknown),
            None => Val::Unknown(name.own_taint(), Forgotten::Callable),
        }
    }

    /// Prints, where the languages agree.
    pub(super) fn plain_print(&mut self, args: &Args) {
        if let Some(target) = args.named("file") {
            let target = target.clone();
            if let Val::Library(path) = &target {
                if &**path == "sys.stdout" {
                    self.print(None);
                }
                return;
            }
            let items = args.list.clone();
            self.write_to(&target, &items);
            return;
        }
        // `sys.stdout = open(…)`
        if let Some(target @ Val::File(_)) = self.overridden("sys.stdout") {
            let items = args.list.clone();
            self.write_to(&target, &items);
            return;
        }
        let option = |name: &str, default: &str| match args.named(name) {
            Some(value) => value.as_known(),
            None => Some(default.to_owned()),
        };
        let mut texts = Some(Vec::new());
        for value in &args.list {
            let text = match value {
                // An object is printed by its own method.
                Val::Instance(_) => self.text_of(value),
                Val::Text(_) | Val::Int(_) | Val::Bool(_) | Val::None | Val::Path(_) => {
                    self.text_of(value)
                }
                _ => Value::unknown("computed"),
            };
            match (&mut texts, text.as_known()) {
                (Some(texts), Some(text)) => texts.push(text.to_owned()),
                _ => texts = None,
            }
        }
        match (texts, option("sep", " "), option("end", "\n"), &args.rest) {
            (Some(texts), Some(between), Some(end), None) => {
                self.print(Some(&(texts.join(&between) + &end)));
            }
            _ => self.print(None),
        }
    }

    /// `super()` inside of a method.
    pub fn super_call(&mut self, args: &Args) -> Val {
        let frame = self.frames.last();
        let class = match args.get(0) {
            Some(Val::Class(class)) => Some(Rc::clone(class)),
            _ => frame.and_then(|frame| frame.class.clone()),
        };
        let instance = args.get(1).cloned().or_else(|| frame.and_then(|frame| frame.first.clone()));
        match (instance, class) {
            (Some(instance), Some(class)) => Val::Super(Rc::new((instance, class))),
            _ => Val::unknown(),
        }
    }

    /// `type(x)`, or `type(name, bases, attributes)` which makes a class.
    fn type_call(&mut self, args: &Args) -> Val {
        match (args.get(0), args.get(1), args.get(2)) {
            (Some(name), Some(bases), Some(Val::Dict(place))) => {
                let mut list = Vec::new();
                for (key, value) in &self.heap.entries(*place).list {
                    if let Some(name) = key.as_known() {
                        list.push((name.into(), value.clone()));
                    }
                }
                let bases = self.iterate(&bases.clone()).list;
                let attributes =
                    self.heap.alloc(crate::heap::Cell::Object(Rc::new(crate::heap::Attributes {
                        class: None,
                        list,
                    })));
                let name = name.as_known().unwrap_or_default().into();
                Val::Class(Rc::new(crate::value::ClassValue { name, bases, attributes }))
            }
            (Some(Val::Instance(place)), None, _) => {
                self.heap.attributes(*place).class.clone().unwrap_or_else(Val::unknown)
            }
            _ => Val::unknown(),
        }
    }

    /// A list of all of the arguments.
    pub fn new_list(&mut self, list: Vec<Val>) -> Val {
        self.heap.list(Items { list, rest: None })
    }

    /// A map with names as its keys.
    pub fn new_object(&mut self, list: Vec<(&str, Val)>) -> Val {
        let list = list.into_iter().map(|(name, value)| (Val::text(name), value)).collect();
        self.new_dict(list, None)
    }

    pub fn new_dict(&mut self, list: Vec<(Val, Val)>, rest: Option<Val>) -> Val {
        self.heap.dict(Entries { list, rest })
    }
}

fn word_of_getter(effect: Effect) -> &'static str {
    match effect {
        Effect::AttributeGetter => "attribute",
        Effect::MethodCaller => "method",
        _ => "item",
    }
}

/// The number of the process that started this one, which is not known.
pub fn parent_process() -> Val {
    Val::from_source("parent process", Source::Environment("PPID".to_owned()))
}

fn is_parent_process(number: &Value) -> bool {
    number.taint().sources().any(is_parent)
}

/// Whether something comes from the number of the process that started this one.
pub(super) fn is_parent(source: &Source) -> bool {
    matches!(source, Source::Environment(name) if name == "PPID")
}

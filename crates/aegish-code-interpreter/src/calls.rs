//! Calls: what a function value does with its arguments.

use super::Interpreter;
use super::effects::is_parent;
use crate::effect::CodeEffect;
use crate::value::{Args, Forgotten, Val, join};
use aegish_code_library::{Containers, TextMethods};
use aegish_values::{Source, Taint};

impl Interpreter<'_> {
    pub fn call(&mut self, function: &Val, args: Args) -> Val {
        if !self.burn(1) {
            return Val::unknown();
        }
        match function {
            Val::OneOf(_) => self.each(function, |this, one| this.call(one, args.clone())),
            Val::Function(closure) => self.dialect.enter(self, closure, args),
            Val::Super(of) => {
                let (instance, class) = &**of;
                self.call_super(instance, class, args)
            }
            Val::Bound(pair) => {
                let (first, function) = &**pair;
                self.dialect.call_bound(self, first, function, args)
            }
            Val::Method(pair) => {
                let (object, name) = &**pair;
                self.method(object, name, args)
            }
            Val::Partial(partial) => {
                let mut all = partial.args.clone();
                all.list.extend(args.list);
                all.named.extend(args.named);
                all.rest = args.rest.or(all.rest);
                self.call(&partial.function, all)
            }
            Val::Class(class) => self.instantiate(class, args),
            Val::Instance(_) => match self.special(function, "__call__") {
                Some(method) => self.call(&method, args),
                None => self.unknown_call(&args),
            },
            Val::StaticMethod(inner) | Val::ClassMethod(inner) => self.call(inner, args),
            Val::Library(path) => self.library_call(path, args),
            Val::Unknown(_, Forgotten::Callable) => {
                if !self.uncalled {
                    self.record(CodeEffect::Hidden);
                }
                self.run_callbacks(&args, None);
                function.clone()
            }
            _ => self.dialect.call_value(self, function, args),
        }
    }

    /// A call of something that is not known: functions among the arguments may be called.
    pub fn unknown_call(&mut self, args: &Args) -> Val {
        self.run_callbacks(args, None);
        Val::tainted(self.content_taint(args))
    }

    /// Whether a function is being called: what it replaced is meant by its name inside.
    fn is_inside(&self, function: &Val) -> bool {
        let Val::Function(closure) = function else { return false };
        self.frames.iter().any(|frame| frame.function == closure.code.id)
    }

    pub fn library_call(&mut self, path: &str, args: Args) -> Val {
        if let Some(value) = self.overridden(path)
            && !self.is_inside(&value)
        {
            // What is no function is not called by this name: it is a copy that was taken before.
            let copied = matches!(value, Val::None | Val::Text(_) | Val::Int(_) | Val::Bool(_));
            if !copied {
                return self.call(&value, args);
            }
        }
        if let Some(value) = self.dialect.call_function(self, path, &args) {
            return value;
        }
        if let Some(entry) = aegish_calls::find(self.language, path) {
            return self.effect_call(&entry, &args, path);
        }
        if let Some(value) = self.dialect.call_made(self, path, &args) {
            return value;
        }
        // A method of an object of a library: `requests.Session().get`.
        if let Some((object, name)) = path.rsplit_once('.')
            && let Some(entry) = aegish_calls::find(self.language, &format!("?.{name}"))
            && !aegish_calls::has_members(self.language, object)
        {
            let object = Val::Library(object.into());
            return self.effect_call(&entry, &args.with_first(object), path);
        }
        self.feed(path, &args);
        self.run_callbacks(&args, None);
        let taint = self.content_taint(&args);
        if !taint.is_none() {
            return Val::tainted(taint);
        }
        if let Some(Val::Connection) = args.list.first() {
            return Val::Connection;
        }
        Val::Library(path.into())
    }

    /// A method of a value that is not an instance of a class of the program.
    pub fn method(&mut self, object: &Val, name: &str, args: Args) -> Val {
        self.dialect.method(self, object, name, args)
    }

    /// A method, where the languages agree.
    pub(super) fn plain_method(&mut self, object: &Val, name: &str, args: Args) -> Val {
        match name {
            "__call__" => return self.call(object, args),
            "__getattribute__" | "__getattr__" => {
                return match args.get(0).and_then(Val::as_known) {
                    Some(name) => self.attribute(object, &name.into()),
                    None => Val::Unknown(Taint::none(), Forgotten::Callable),
                };
            }
            _ => {}
        }
        match object {
            Val::OneOf(_) => self.each(object, |this, one| this.method(one, name, args.clone())),
            // What was read from a database, or is a process, is not known, and has its methods.
            Val::Text(text)
                if !text.is_known()
                    && let Some(entry) =
                        aegish_calls::find(self.language, &format!("?.{name}"))
                    && matches!(
                        entry.effect,
                        aegish_calls::Effect::Register
                            | aegish_calls::Effect::Query
                            | aegish_calls::Effect::Kill
                    ) =>
            {
                self.effect_call(&entry, &args.with_first(object.clone()), name)
            }
            Val::Text(text) => {
                let text = text.clone();
                self.text_method(&text, name, &args)
            }
            Val::Bytes(_) => self.bytes_method(object, name, &args),
            Val::List(_) | Val::Tuple(_) => self.list_method(object, name, &args),
            Val::Dict(place) => self.dict_method(*place, name, &args),
            Val::Path(_) => {
                match aegish_calls::find(self.language, &format!("pathlib.Path.{name}")) {
                    Some(entry) => self.effect_call(&entry, &args.with_first(object.clone()), name),
                    None => Val::unknown(),
                }
            }
            Val::File(index) => self.file_method(*index, name, &args),
            Val::Connection => self.connection_method(name, &args),
            Val::Process(interprets) => self.process_method(*interprets, name, &args),
            Val::Variables => match name {
                "get" | "__getitem__" | "pop" => {
                    let index = args.get(0).cloned().unwrap_or(Val::None);
                    self.index(object, &index)
                }
                "update" => {
                    if let Some(Val::Dict(place)) = args.get(0) {
                        let entries = self.heap.entries(*place);
                        for (key, value) in &entries.list {
                            self.set_index(object, key, value.clone());
                        }
                    }
                    Val::None
                }
                _ => Val::unknown(),
            },
            Val::Int(number) if name == "to_bytes" => {
                let length = args.get(0).and_then(Val::as_int).unwrap_or(1);
                crate::numbers::int_to_bytes(
                    *number,
                    length,
                    args.get(1).and_then(Val::as_known).as_deref(),
                )
            }
            Val::Function(_) | Val::Class(_) | Val::Instance(_) => {
                self.run_callbacks(&args, None);
                Val::unknown()
            }
            other => match aegish_calls::find(self.language, &format!("?.{name}")) {
                Some(entry) => {
                    let mut args = args;
                    args.list.insert(0, other.clone());
                    self.effect_call(&entry, &args, name)
                }
                None => {
                    self.run_callbacks(&args, Some(other));
                    let mut taint = self.content_taint(&args);
                    taint.absorb(&self.taint_of(other));
                    Val::tainted(taint)
                }
            },
        }
    }

    /// Functions passed as arguments may be called by the callee, with the arguments behind them, with those
    /// named `args`, or with an item of what the method belongs to.
    pub fn run_callbacks(&mut self, args: &Args, object: Option<&Val>) {
        let functions: Vec<(usize, Val)> = args
            .list
            .iter()
            .enumerate()
            .map(|(place, value)| (place, value.clone()))
            .chain(args.named.iter().map(|(_, value)| (args.list.len(), value.clone())))
            .filter(|(_, value)| self.is_function(value))
            .collect();
        for (place, function) in functions {
            let mut given: Vec<Val> = Vec::new();
            let mut named = Vec::new();
            if let Some(list) = args.named("args") {
                given = self.iterate(list).list;
            } else {
                given.extend(args.list.iter().skip(place + 1).cloned());
            }
            if let Some(Val::Dict(entries)) = args.named("kwargs") {
                for (key, value) in &self.heap.entries(*entries).list {
                    if let Some(name) = key.as_known() {
                        named.push((name.into(), value.clone()));
                    }
                }
            }
            let element = object.map(|object| self.element(object));
            let mut ways = vec![given.clone()];
            // `pool.map(f, list)` and `Timer(1, f, [argument])`.
            if let [one] = given.as_slice()
                && matches!(one, Val::List(_) | Val::Tuple(_))
            {
                let items = self.iterate(one);
                ways.push(items.list.clone());
                ways.push(vec![self.element(one)]);
            }
            if given.is_empty()
                && let Some(element) = element
            {
                ways = vec![vec![element]];
            }
            for way in ways {
                // A function of the program may get more than is seen here.
                let rest = (!matches!(function, Val::Library(_))).then(Val::unknown);
                let call = Args { list: way, named: named.clone(), rest };
                self.maybe(|this| this.call(&function, call));
            }
        }
    }

    /// Whether a call of the value has a meaning that is known.
    pub fn is_function(&self, value: &Val) -> bool {
        match value {
            Val::Function(closure) => {
                // A function that is being followed is not entered again from a library.
                !self.frames.iter().any(|frame| frame.function == closure.code.id)
            }
            Val::Bound(_) | Val::Partial(_) => true,
            Val::Library(path) => aegish_calls::find(self.language, path.trim_start_matches('\''))
                .is_some_and(|entry| {
                    use aegish_calls::Effect;
                    matches!(
                        entry.effect,
                        Effect::Shell
                            | Effect::Spawn
                            | Effect::MakeFunction
                            | Effect::Worker
                            | Effect::Open
                            | Effect::Read
                            | Effect::Copy
                            | Effect::Send
                            | Effect::Run
                            | Effect::Argv
                            | Effect::Exec
                            | Effect::Eval
                            | Effect::Script
                            | Effect::Delete
                            | Effect::DeleteTree
                            | Effect::Load
                            | Effect::Write
                            | Effect::Mode
                            | Effect::User
                    )
                }),
            Val::OneOf(values) => values.iter().any(|value| self.is_function(value)),
            _ => false,
        }
    }

    /// The files and hosts whose content is among the arguments.
    pub fn content_taint(&self, args: &Args) -> Taint {
        let mut taint = Taint::none();
        for value in args.values() {
            for source in self.taint_of(value).sources() {
                // An object made from the number of a process stands for that process.
                if matches!(source, Source::File(_) | Source::Network(_)) || is_parent(source) {
                    taint.add(source.clone());
                }
            }
        }
        taint
    }

    /// The joined result of calling a function for each of several argument lists.
    pub(super) fn call_each(
        &mut self,
        function: &Val,
        items: &crate::heap::Items,
    ) -> crate::heap::Items {
        let mut results = crate::heap::Items::default();
        for item in &items.list {
            if !self.burn(1) {
                break;
            }
            results.list.push(self.call(function, Args::of(vec![item.clone()])));
        }
        if let Some(item) = &items.rest {
            let value = self.maybe(|this| this.call(function, Args::of(vec![item.clone()])));
            results.rest = Some(results.rest.map_or(value.clone(), |rest| join(&rest, &value)));
        }
        results
    }
}

//! Calls: methods of values, promises, timers, functions made of text.

use super::ScriptValues;
use super::builtins::ScriptBuiltins;
use super::events::ScriptEvents;
use super::modules::ScriptModules;
use super::objects::ScriptObjects;
use super::programs::ScriptPrograms;
use super::properties::ScriptProperties;
use crate::calls::{Effect, Role};
use crate::effect::CodeEffect;
use crate::ir::{Call, CallKind, Expr, Name};
use crate::value::{Args, Forgotten, Partial, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::given::Given;
use aegish_code_library::{Containers, ScriptArrays, ScriptPatterns, ScriptTexts};
use aegish_values::{Source, Taint, Value};
use easy_ext::ext;
use std::rc::Rc;

#[ext(ScriptCalls)]
pub(super) impl Interpreter<'_> {
    /// A call with its receiver.
    fn script_call(&mut self, call: &Call) -> Val {
        let (object, member) = match &call.function {
            Expr::Attribute(object, name) if call.kind == CallKind::Plain => {
                (self.expr(object), Val::text(&**name))
            }
            Expr::Index(parts) if call.kind == CallKind::Plain => {
                let [object, index] = &**parts;
                (self.expr(object), self.expr(index))
            }
            other => {
                let function = self.expr(other);
                let args = self.arguments(&call.arguments);
                let outer = std::mem::replace(&mut self.site, call.site);
                let value = match call.kind {
                    CallKind::New => self.construct(&function, args),
                    CallKind::Plain => self.call(&function, args),
                };
                self.site = outer;
                return value;
            }
        };
        let args = self.arguments(&call.arguments);
        let outer = std::mem::replace(&mut self.site, call.site);
        let value = match self.property_names(&member) {
            Some(names)
                if names.iter().all(|name| name.parse::<u32>().is_err()) && names.len() == 1 =>
            {
                let name = names.into_iter().next().unwrap_or_default();
                self.call_member(&object, &name.into(), args)
            }
            _ => {
                let function = self.script_index(&object, &member);
                self.call_with(&object, &function, args)
            }
        };
        self.site = outer;
        value
    }

    /// `object.name(args)`.
    fn call_member(&mut self, object: &Val, name: &Name, args: Args) -> Val {
        match object {
            Val::OneOf(values) => {
                let known: Vec<Val> =
                    values.iter().filter(|value| **value != Val::None).cloned().collect();
                match known.as_slice() {
                    [] => self.unknown_call(&args),
                    [only] => self.call_member(only, name, args),
                    _ => {
                        let one = Val::OneOf(known.into());
                        self.each(&one, |this, one| this.call_member(one, name, args.clone()))
                    }
                }
            }
            Val::Text(_)
            | Val::Bytes(_)
            | Val::Int(_)
            | Val::Bool(_)
            | Val::File(_)
            | Val::Connection
            | Val::Process(_)
            | Val::Pattern(_)
            | Val::List(_)
            | Val::Tuple(_)
            | Val::Unknown(_, Forgotten::Data) => match self.script_attribute(object, name) {
                own @ (Val::Function(_) | Val::Bound(_) | Val::Partial(_)) => {
                    self.call_with(object, &own, args)
                }
                _ => self.method(object, name, args),
            },
            Val::Library(path) => match self.library_method(object, path, name, &args) {
                Some(value) => value,
                None => {
                    let function = self.script_attribute(object, name);
                    self.call_with(object, &function, args)
                }
            },
            _ => {
                let function = self.script_attribute(object, name);
                match (&**name, &function) {
                    // A promise is its value.
                    ("then" | "catch" | "finally", Val::None) => self.method(object, name, args),
                    _ => self.call_with(object, &function, args),
                }
            }
        }
    }

    /// Methods of a function of a library, and of what a library gives.
    fn library_method(
        &mut self,
        object: &Val,
        path: &Name,
        name: &str,
        args: &Args,
    ) -> Option<Val> {
        match (name, &**path) {
            // `Function.prototype.call.call(f, this, …)`.
            (
                "call" | "apply" | "bind",
                "Function.prototype.call" | "Function.prototype.apply" | "Function.prototype.bind",
            ) => {
                let inner = path.rsplit('.').next().unwrap_or("call").to_owned();
                let function = args.get(0).cloned().unwrap_or(Val::None);
                let mut behind = Args::of(args.list.iter().skip(1).cloned().collect());
                if name == "apply" {
                    let items = self.iterate(&args.get(1).cloned().unwrap_or(Val::None));
                    behind = Args { list: items.list, rest: items.rest, ..Args::default() };
                }
                Some(self.method(&function, &inner, behind))
            }
            (
                "call" | "apply" | "bind" | "then" | "catch" | "finally" | "on" | "once"
                | "addListener" | "addEventListener" | "emit" | "dispatchEvent",
                _,
            ) if crate::calls::find(self.language, &format!("{path}.{name}")).is_none() => {
                Some(self.method(object, name, args.clone()))
            }
            _ => None,
        }
    }

    /// A method of a value that is not an object of the program.
    fn script_method(&mut self, object: &Val, name: &str, args: Args) -> Val {
        self.hear(object, name, &args);
        match name {
            "then" => {
                let given = vec![self.settled(object)];
                let functions: Vec<Val> = args.list.clone();
                let mut result: Option<Val> = None;
                if let Some(function) = functions.first().filter(|value| **value != Val::None) {
                    result = Some(self.call(function, Args::of(given)));
                }
                if let Some(function) = functions.get(1) {
                    let function = function.clone();
                    self.maybe(|this| this.call(&function, Args::of(vec![Val::unknown()])));
                }
                return result.unwrap_or_else(|| object.clone());
            }
            "catch" | "finally" => {
                if let Some(function) = args.get(0).cloned() {
                    let made =
                        self.maybe(|this| this.call(&function, Args::of(vec![Val::unknown()])));
                    if name == "catch" && !matches!(made, Val::None | Val::Unknown(..)) {
                        return join(object, &made);
                    }
                }
                return object.clone();
            }
            "call" => {
                let this = args.get(0).cloned().unwrap_or(Val::None);
                let mut behind = args;
                if !behind.list.is_empty() {
                    behind.list.remove(0);
                }
                return self.rebound(object, &this, behind);
            }
            "apply" => {
                let this = args.get(0).cloned().unwrap_or(Val::None);
                let items = self.iterate(&args.get(1).cloned().unwrap_or(Val::None));
                let behind = Args { list: items.list, rest: items.rest, ..Args::default() };
                return self.rebound(object, &this, behind);
            }
            "bind" if !matches!(object, Val::Connection | Val::Text(_)) => {
                let this = args.get(0).cloned().unwrap_or(Val::None);
                let function = match object {
                    Val::Function(_) => Val::Bound(Rc::new((this, object.clone()))),
                    Val::Bound(pair) => Val::Bound(Rc::new((this, pair.1.clone()))),
                    other => other.clone(),
                };
                let behind = Args::of(args.list.iter().skip(1).cloned().collect());
                return Val::Partial(Rc::new(Partial { function, args: behind }));
            }
            _ => {}
        }
        match object {
            Val::Text(text) => {
                let text = text.clone();
                match self.stream_method(object, name, &args) {
                    Some(value) => value,
                    None => self.script_text_method(&text, name, &args),
                }
            }
            Val::Bytes(bytes) => match name {
                "toString" => self.byte_text(object, &args),
                "slice" | "subarray" => self.script_slice(object, &args),
                _ => {
                    let list = bytes.iter().map(|byte| Val::Int(i64::from(*byte))).collect();
                    let list = self.new_list(list);
                    self.array_method(&list, name, &args)
                }
            },
            Val::Int(number) => self.number_method(*number, name, &args),
            Val::Bool(_) | Val::None if name == "toString" => Val::Text(self.script_text(object)),
            Val::List(_) | Val::Tuple(_) => self.array_method(object, name, &args),
            Val::Dict(place) => self.object_method(*place, name, &args),
            Val::Pattern(pattern) => {
                let pattern = Rc::clone(pattern);
                self.regular_expression_method(&pattern, name, &args)
            }
            Val::File(index) => self.script_file_method(*index, name, &args),
            Val::Connection => self.script_connection_method(name, &args),
            Val::Process(kind) => self.script_process_method(*kind, name, &args),
            Val::Function(_) | Val::Class(_) | Val::Bound(_) if name == "toString" => {
                Val::Text(Value::unknown("code"))
            }
            Val::Library(_)
                if matches!(name, "on" | "once" | "addListener" | "addEventListener") =>
            {
                self.stream_method(object, name, &args);
                object.clone()
            }
            Val::Library(_) if matches!(name, "emit" | "dispatchEvent") => {
                self.emit(&args);
                Val::Bool(true)
            }
            Val::Function(_) | Val::Class(_) | Val::Instance(_) => {
                self.run_callbacks(&args, None);
                Val::unknown()
            }
            other => match crate::calls::find(self.language, &format!("?.{name}")) {
                Some(entry) => {
                    let args = args.with_first(other.clone());
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

    /// What a promise gives.
    fn settled(&mut self, object: &Val) -> Val {
        match object {
            Val::Process(_) => {
                let output = Val::from_source("output", Source::Program("process".into()));
                self.new_object(vec![("stdout", output.clone()), ("stderr", output)])
            }
            other => other.clone(),
        }
    }

    fn rebound(&mut self, function: &Val, this: &Val, args: Args) -> Val {
        match function {
            Val::Bound(pair) => {
                let inner = pair.1.clone();
                self.call_with(this, &inner, args)
            }
            // `[].map.call(list, f)`, `''.concat.call(text)`.
            Val::Method(pair) => {
                let name = pair.1.clone();
                self.method(this, &name, args)
            }
            Val::Library(path) => match path.split_once(".prototype.") {
                Some((_, name)) => {
                    let name: Name = name.into();
                    self.call_member(this, &name, args)
                }
                None => self.call(function, args),
            },
            other => self.call_with(this, other, args),
        }
    }

    fn script_file_method(&mut self, index: usize, name: &str, args: &Args) -> Val {
        let file = Val::File(index);
        if let Some(value) = self.stream_method(&file, name, args) {
            return value;
        }
        match name {
            "write" | "end" | "writeFile" | "appendFile" | "writev" | "writeSync" => {
                let items: Vec<Val> = args.list.iter().take(1).cloned().collect();
                if args.get(0).is_some_and(|value| self.is_function(value)) {
                    self.run_listeners(args, &[]);
                } else {
                    self.write_to(&file, &items);
                }
                file
            }
            "read" | "readFile" | "text" | "json" | "arrayBuffer" | "bytes" | "toString"
            | "stream" | "readSync" | "trim" | "readLines" => self.file_content(index),
            "close" | "destroy" | "closeSync" => Val::None,
            "writer" | "getWriter" | "writable" | "readable" => file,
            _ => {
                self.run_listeners(args, &[]);
                Val::tainted(self.file_taint(index))
            }
        }
    }

    fn script_process_method(
        &mut self,
        kind: crate::value::Interprets,
        name: &str,
        args: &Args,
    ) -> Val {
        let process = Val::Process(kind);
        if let Some(value) = self.stream_method(&process, name, args) {
            return value;
        }
        match name {
            "write" | "end" | "send" => {
                self.write_to(&process, &args.list.clone());
                process
            }
            "toString" | "trim" | "split" | "read" | "text" | "json" | "lines" | "slice"
            | "replace" => {
                let output = Value::unknown("output")
                    .tainted(&Taint::from(Source::Program("process".into())));
                self.unknown_output(&output, name, args)
            }
            "spawn" | "quiet" | "nothrow" | "kill" | "unref" | "ref" | "output" | "outputSync"
            | "status" => process,
            _ => {
                self.run_listeners(args, &[]);
                process
            }
        }
    }

    fn unknown_output(&mut self, output: &Value, name: &str, args: &Args) -> Val {
        match name {
            "split" => self.script_text_method(output, name, args),
            _ => Val::Text(output.clone()),
        }
    }

    /// `new Promise((resolve, reject) => …)`: what it is resolved with.
    fn promise(&mut self, given: &Given<'_>) -> Val {
        let Some(function) = given.get(Role::Function).cloned() else { return Val::unknown() };
        let place = self.new_list(Vec::new());
        let resolver = |effect: &str| {
            Val::Partial(Rc::new(Partial {
                function: Val::Library(effect.into()),
                args: Args::of(vec![place.clone()]),
            }))
        };
        let args = Args::of(vec![resolver("<resolve>"), resolver("<reject>")]);
        self.call(&function, args);
        let items = self.iterate(&place);
        if items.list.is_empty() && items.rest.is_none() {
            return Val::unknown();
        }
        self.element(&place)
    }

    /// Calls of functions that the evaluator made itself.
    fn made_call(&mut self, path: &str, args: &Args) -> Option<Val> {
        match path {
            "<resolve>" => {
                if let Some(Val::List(place)) = args.get(0) {
                    let value = args.get(1).cloned().unwrap_or(Val::None);
                    let more = crate::heap::Items { list: vec![value], rest: None };
                    self.extend_list(*place, more);
                }
                Some(Val::None)
            }
            "<reject>" => Some(Val::None),
            "<import>" => {
                let module = args.get(0).cloned().unwrap_or(Val::None);
                Some(self.script_import(&module))
            }
            _ => None,
        }
    }

    /// `setTimeout(function or text, delay, …arguments)`.
    fn timer(&mut self, given: &Given<'_>) -> Val {
        let Some(function) = given.get(Role::Function).cloned() else { return Val::unknown() };
        let behind = given.args.list.iter().skip(given.entry.parameters.len()).cloned().collect();
        match &function {
            Val::Text(_) => {
                self.evaluate(&function, None);
            }
            _ => self.defer(Some(Val::None), function, Args::of(behind)),
        }
        Val::unknown()
    }

    /// `Function(…names, body)`.
    fn made_function(&mut self, args: &Args) -> Val {
        let mut parts: Vec<Value> = Vec::new();
        for value in &args.list {
            match value {
                Val::Connection => parts.push(self.received().to_text()),
                other => parts.push(self.script_text(&other.clone())),
            }
        }
        let body = parts.pop().unwrap_or_default();
        let mut text = Value::known("(function anonymous(");
        for (place, part) in parts.iter().enumerate() {
            if place > 0 {
                text.push_str(",");
            }
            text.append(part);
        }
        text.push_str("\n) {\n");
        text.append(&body);
        text.push_str("\n})");
        let Some(readings) = text.readings(8) else {
            self.run_text(self.language.lang(), &body);
            return Val::Unknown(body.taint().clone(), Forgotten::Callable);
        };
        let scope = self.scope.program();
        let outer = std::mem::replace(&mut self.scope, scope);
        let made = readings
            .into_iter()
            .map(|text| self.evaluate_text(&text, None))
            .reduce(|a, b| join(&a, &b))
            .unwrap_or_else(Val::unknown);
        self.scope = outer;
        made
    }

    /// Effects of JavaScript alone; none if it is not one of them.
    fn script_effect(&mut self, given: &Given<'_>, path: &str) -> Option<Val> {
        Some(match given.entry.effect {
            Effect::Fetch if given.get(Role::Url).is_none_or(|url| *url == Val::None) => {
                let scheme = if path.starts_with("https") { "https://" } else { "http://" };
                self.request(given, scheme)?
            }
            Effect::WriteOutput => {
                let text = given.text(Role::Content).unwrap_or_default();
                self.print(text.as_known());
                Val::None
            }
            Effect::ApplyCallbacks => Val::unknown(),
            Effect::Lost => {
                let mut taint = Taint::none();
                given.args.values().for_each(|value| taint.absorb(&self.taint_of(value)));
                Val::Text(Value::unknown(crate::value::LOST).tainted(&taint))
            }
            Effect::Pipeline => {
                for pair in given.args.list.windows(2) {
                    if let [from, to] = pair {
                        self.stream_method(from, "pipe", &Args::of(vec![to.clone()]));
                    }
                }
                Val::None
            }
            Effect::Words => self.run_words(given),
            Effect::Spawn => self.in_directory(given, Self::spawn),
            Effect::Worker => self.worker(given),
            Effect::Timer => self.timer(given),
            Effect::Promise => self.promise(given),
            Effect::MakeFunction => self.made_function(given.args),
            Effect::TemplateShell => {
                if let (Some(Val::Dict(_)), 1) = (given.args.get(0), given.args.list.len()) {
                    // `$({ cwd })` gives the tag with options.
                    return Some(Val::Library("zx.$".into()));
                }
                let text = self.template_text(given.args);
                self.start_shell(&text)
            }
            Effect::TemplateText => Val::Text(self.template_text(given.args)),
            Effect::Importer => Val::Library("require".into()),
            Effect::Forgotten => {
                self.run_callbacks(given.args, None);
                Val::Unknown(Taint::none(), Forgotten::Callable)
            }
            Effect::Exit => {
                self.run_callbacks(given.args, None);
                Val::None
            }
            Effect::Receive => {
                self.record(CodeEffect::RunReceived);
                Val::unknown()
            }
            _ => return self.script_pure(given),
        })
    }
}

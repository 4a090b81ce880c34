//! Functions that every object may call without a receiver, and functions of libraries that take blocks.

use super::calls::RubyCalls;
use super::classes::RubyClasses;
use super::{BLOCK, RubyState, RubyValues, take_block};
use crate::heap::Items;
use crate::lines::lines_of;
use crate::template::{PercentLines, ruby_in};
use crate::value::{Args, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::{Formatting, RubyLists};
use aegish_values::Value;
use easy_ext::ext;
use std::rc::Rc;

#[ext(RubyKernel)]
pub(super) impl Interpreter<'_> {
    /// A call without a receiver that the program does not define.
    fn kernel_call(&mut self, name: &str, mut args: Args) -> Val {
        match name {
            "lambda" | "proc" => {
                return take_block(&mut args).unwrap_or_else(Val::unknown);
            }
            "loop" => {
                let Some(block) = take_block(&mut args) else { return Val::unknown() };
                self.endless += 1;
                self.repeated(&mut |this| {
                    this.call(&block, Args::default());
                });
                self.endless -= 1;
                return Val::None;
            }
            "catch" => {
                let Some(block) = take_block(&mut args) else { return Val::unknown() };
                let tag = args.list.first().cloned().unwrap_or_else(Val::unknown);
                let outer = self.thrown.take();
                let value = self.maybe(|this| this.call(&block, Args::of(vec![tag])));
                let thrown = std::mem::replace(&mut self.thrown, outer);
                return thrown.map_or(value.clone(), |thrown| join(&value, &thrown));
            }
            "at_exit" => {
                if let Some(block) = take_block(&mut args) {
                    self.defer(None, block, Args::default());
                }
                return Val::None;
            }
            "raise" | "fail" | "throw" | "abort" => {
                if let Some(value) = args.list.last().cloned() {
                    self.throw(&value);
                }
                return Val::unknown();
            }
            "binding" => return Val::Library("binding".into()),
            "block_given?" => {
                let block = self.lookup(&BLOCK.into());
                return match block {
                    Val::None => Val::Bool(false),
                    _ => Val::Bool(true),
                };
            }
            "include" | "extend" | "private" | "public" | "module_function" | "using"
            | "refine" | "srand" | "sleep" | "attr_accessor" | "attr_reader" => {
                let block = take_block(&mut args);
                self.run_block(block.as_ref(), &Val::unknown());
                return Val::None;
            }
            "__method__" | "caller" | "rand" | "local_variables" | "global_variables" => {
                return Val::unknown();
            }
            "__dir__" => return Val::Text(Value::unknown(aegish_code_library::given::HERE)),
            "it" | "_1" => return Val::unknown(),
            _ => {}
        }
        let path = self.canonical(name);
        if let Some(value) = self.special_function(&path, &args, args.named(BLOCK)) {
            return value;
        }
        if self.overridden(&path).is_none()
            && crate::calls::find(self.language, &path).is_none()
            && !path.contains('.')
        {
            let missing = self
                .state
                .with(|ruby: &mut RubyState| ruby.object.clone())
                .and_then(|class| self.class_attribute(&Val::Class(class), "method_missing"));
            if let Some(missing) = missing {
                let object = self.lookup(&"self".into());
                return self.call_method(&object, &missing, args.with_first(Val::text(name)));
            }
            let block = take_block(&mut args);
            let taint = self.content_taint(&args);
            self.run_callbacks(&args, None);
            self.run_block(block.as_ref(), &Val::tainted(taint.clone()));
            return Val::tainted(taint);
        }
        match path.rsplit_once('.') {
            Some((object, name)) => {
                let (object, name) = (object.to_owned(), name.to_owned());
                self.library_send(&object, &name, args)
            }
            None => {
                // The name is its own path.
                self.library_send("Kernel", name, args)
            }
        }
    }

    /// What is thrown is seen by the handlers of the `begin` around.
    fn throw(&mut self, value: &Val) {
        let thrown = self.thrown.take();
        self.thrown = Some(thrown.map_or(value.clone(), |known| join(&known, value)));
    }

    /// Functions of libraries that call their block in a way of their own.
    fn special_function(&mut self, path: &str, args: &Args, block: Option<&Val>) -> Option<Val> {
        let known = |place: usize| args.get(place).and_then(Val::as_known);
        Some(match path {
            "Proc.new" => block?.clone(),
            "File.expand_path" | "File.absolute_path" if args.list.len() > 1 => {
                let parts: Vec<Value> = args.list.iter().rev().map(Val::to_text).collect();
                Val::Text(aegish_code_library::paths::join_paths(&parts))
            }
            "File.join" if known(0).as_deref() == Some("") => {
                let mut parts = vec![Value::known("/")];
                parts.extend(args.list.iter().skip(1).map(Val::to_text));
                Val::Text(aegish_code_library::paths::join_paths(&parts))
            }
            "ERB.new" => {
                let text = args.get(0)?.to_text();
                match text.as_known() {
                    Some(template) => {
                        self.evaluate_text(&ruby_in(template, PercentLines::Text), None);
                    }
                    None if text.taint().network().is_some() => {
                        self.run_text(aegish_profiles::Lang::Ruby, &text);
                    }
                    None => {}
                }
                Val::Text(Value::unknown("a page").tainted(text.taint()))
            }
            "gets" | "readline" => {
                let content = self.argument_files();
                self.argument_line(&content)
            }
            "readlines" => {
                let content = self.argument_files();
                self.heap.list(lines_of(&content, true))
            }
            _ if path.starts_with("ARGF.") => {
                let content = self.argument_files();
                if let Some(
                    "each_line" | "each" | "readlines" | "to_a" | "map" | "lines" | "gets",
                ) = path.strip_prefix("ARGF.")
                {
                    let lines = self.heap.list(lines_of(&content, true));
                    return Some(match path {
                        "ARGF.gets" => self.argument_line(&content),
                        "ARGF.map" => self.ruby_list_method(&lines, "map", args, block),
                        "ARGF.each_line" | "ARGF.each" => {
                            self.ruby_list_method(&lines, "each", args, block)
                        }
                        _ => lines,
                    });
                }
                self.run_block(block, &content);
                content
            }
            // `ruby -run -e httpd DIRECTORY`.
            "httpd" if args.list.is_empty() => {
                let root = self.around.args.first().cloned().unwrap_or_default();
                self.record(crate::effect::CodeEffect::Serve { host: Value::empty(), root });
                Val::None
            }
            "Class.new" | "Module.new" => {
                let class = self.new_class(&"<class>".into(), args.list.clone());
                if let Some(Val::Function(closure)) = block {
                    let closure = self.rebound_block(closure, &class);
                    self.ruby_enter(&closure, Args::of(vec![class.clone()]));
                }
                class
            }
            "Struct.new" | "Data.define" => {
                let class = self.new_class(&"<struct>".into(), Vec::new());
                let fields = self.new_list(args.list.clone());
                if let Val::Class(value) = &class {
                    self.put(value.attributes, &"<fields>".into(), fields);
                }
                if let Some(Val::Function(closure)) = block {
                    let closure = self.rebound_block(closure, &class);
                    self.ruby_enter(&closure, Args::of(vec![class.clone()]));
                }
                class
            }
            "OpenStruct.new" => {
                let class = self.state.with(|ruby: &mut RubyState| ruby.object.clone())?;
                let instance = self.instance_of(&class);
                if let Val::Instance(place) = instance {
                    for (name, value) in &args.named {
                        self.put(place, &format!("@{name}").into(), value.clone());
                    }
                    if let Some(Val::Dict(entries)) = args.get(0) {
                        for (key, value) in &self.heap.entries(*entries).list {
                            if let Some(name) = key.as_known() {
                                self.put(place, &format!("@{name}").into(), value.clone());
                            }
                        }
                    }
                }
                instance
            }
            "Hash.new" => {
                let rest = args.list.first().cloned();
                let entries = crate::heap::Entries { list: Vec::new(), rest };
                let made = self.heap.dict(entries);
                let key = Val::unknown();
                let given = match block {
                    Some(block) => {
                        let block = block.clone();
                        Some(
                            self.maybe(|this| this.call(&block, Args::of(vec![made.clone(), key]))),
                        )
                    }
                    None => None,
                };
                if let (Val::Dict(place), Some(given)) = (&made, given) {
                    self.heap.update_entries(*place, |entries| entries.rest = Some(given));
                }
                made
            }
            "Array.new" => {
                let count = args.get(0).and_then(Val::as_int).unwrap_or(0);
                let count = usize::try_from(count).unwrap_or(0);
                if let Some(list @ Val::List(_)) = args.get(0) {
                    return Some(list.clone());
                }
                let items = if count <= 256 {
                    let numbers = (0_i64..).take(count).map(Val::Int).collect();
                    Items { list: numbers, rest: None }
                } else {
                    Items { list: Vec::new(), rest: Some(Val::unknown()) }
                };
                let value = args.list.get(1).cloned().unwrap_or(Val::None);
                let made = match block {
                    Some(block) => {
                        let block = block.clone();
                        self.for_each(items, &mut |this, item| {
                            this.call(&block, Args::of(vec![item.clone()]))
                        })
                    }
                    None => Items {
                        list: items.list.iter().map(|_| value.clone()).collect(),
                        rest: items.rest.map(|_| value.clone()),
                    },
                };
                self.heap.list(made)
            }
            "String.new" => args.get(0).cloned().unwrap_or_else(|| Val::text("")),
            "Regexp.new" | "Regexp.compile" => match known(0) {
                Some(source) => Val::Pattern(Rc::new((source.into(), "m".into()))),
                None => Val::unknown(),
            },
            "Thread.new" | "Thread.start" | "Thread.fork" | "Fiber.new" | "Ractor.new"
            | "Enumerator.new" | "Process.fork" | "fork" => {
                if path.ends_with("fork") && self.endless > 0 && !self.connected {
                    self.record(crate::effect::CodeEffect::Exhaust);
                }
                let block = block?.clone();
                let mut call = args.clone();
                if path == "Enumerator.new" {
                    call.list.insert(0, Val::unknown());
                }
                self.maybe(|this| this.call(&block, call))
            }
            "trap" | "Signal.trap" | "Timeout.timeout" | "Benchmark.measure"
            | "Benchmark.realtime" | "Benchmark.bm" | "Mutex.synchronize" | "silence_warnings" => {
                match (block, args.list.get(1)) {
                    (Some(block), _) => {
                        let block = block.clone();
                        self.maybe(|this| this.call(&block, Args::of(vec![Val::unknown()])))
                    }
                    // `trap("INT", "code")` evaluates the text.
                    (None, Some(code @ Val::Text(_))) if path.ends_with("trap") => {
                        let code = code.clone();
                        if !matches!(
                            code.as_known().as_deref(),
                            Some("DEFAULT" | "IGNORE" | "EXIT" | "SIG_IGN" | "SIG_DFL" | "")
                        ) {
                            self.maybe(|this| this.evaluate(&code, None));
                        }
                        Val::unknown()
                    }
                    _ => return None,
                }
            }
            "binding.local_variable_get" => self.lookup(&known(0)?.into()),
            "binding.local_variable_set" => {
                let value = args.list.get(1)?.clone();
                self.bind(&known(0)?.into(), value);
                Val::None
            }
            "binding.receiver" => self.lookup(&"self".into()),
            "format" | "sprintf" => {
                let format = args.get(0)?.to_text();
                let rest: Vec<Val> = args.list.iter().skip(1).cloned().collect();
                let rest = match (rest.as_slice(), args.named.is_empty()) {
                    ([], false) => {
                        let pairs = args
                            .named
                            .iter()
                            .map(|(name, value)| (Val::text(&**name), value.clone()))
                            .collect();
                        self.new_dict(pairs, None)
                    }
                    _ => Val::Tuple(rest.into()),
                };
                Val::Text(self.ruby_format(&format, &rest))
            }
            "printf" | "STDOUT.printf" => {
                let args = Args { named: args.named.clone(), ..args.clone() };
                let text = self.special_function("format", &args, None)?;
                self.print(text.as_known().as_deref());
                Val::None
            }
            "ObjectSpace.each_object" => {
                let anything =
                    Val::Unknown(aegish_values::Taint::none(), crate::value::Forgotten::Callable);
                self.run_block(block, &anything);
                anything
            }
            _ => return None,
        })
    }

    /// `puts`, `print`, `p`: what is printed.
    fn ruby_print(&mut self, path: &str, args: &Args) {
        let name = path.rsplit('.').next().unwrap_or(path);
        let mut all = Some(String::new());
        let lines = matches!(name, "puts" | "p" | "pp");
        let mut items: Vec<Val> = Vec::new();
        for value in &args.list {
            match value {
                Val::List(_) | Val::Tuple(_) if name == "puts" => {
                    let inner = self.iterate(value);
                    items.extend(inner.list);
                    items.extend(inner.rest.map(|_| Val::unknown()));
                }
                other => items.push(other.clone()),
            }
        }
        if args.rest.is_some() {
            items.push(Val::unknown());
        }
        for value in &items {
            let text = match (name, value) {
                ("p" | "pp", Val::Int(_)) | ("puts" | "print" | "write" | "<<", _) => {
                    self.ruby_text(value)
                }
                _ => Value::unknown("inspected"),
            };
            match (text.as_known(), &mut all) {
                (Some(text), Some(all)) => {
                    all.push_str(text);
                    if lines && !text.ends_with('\n') {
                        all.push('\n');
                    }
                }
                _ => all = None,
            }
        }
        if lines && items.is_empty() && name == "puts" {
            all = all.map(|all| all + "\n");
        }
        self.print(all.as_deref());
    }
}

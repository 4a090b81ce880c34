//! Functions of the language that a table of calls cannot describe.

use super::callables::{PhpCallables, path as class_path};
use super::calls::PhpCalls;
use super::constructs::PhpConstructs;
use super::methods::PhpMethods;
use super::objects::PhpObjects;
use super::requests::PhpRequests;
use super::serialized::PhpSerialized;
use super::streams::PhpStreams;
use super::{PhpState, PhpVariables, forgotten};
use crate::heap::{Binding, Entries};
use crate::limits::MAX_EVALS;
use crate::value::{Args, Val, join, part_of};
use aegish_code_interpreter::{Flow, Frame, Interpreter};
use aegish_code_library::php::patterns::split;
use aegish_code_library::{PhpArrays, PhpPatterns, PhpReplaced, PhpTexts, PhpValues};
use aegish_profiles::Lang;
use aegish_values::Value;
use easy_ext::ext;

#[ext(PhpFunctions)]
pub(super) impl Interpreter<'_> {
    /// A function of the language; none if it is not one of these.
    fn php_function(&mut self, path: &str, args: &Args) -> Option<Val> {
        if path.starts_with('<') {
            return self.php_construct(path, args);
        }
        if path == "unserialize"
            && let Some(value) = args.get(0).cloned().and_then(|text| self.unserialized(&text))
        {
            return Some(value);
        }
        if let Some(value) = self.php_text_function(path, args) {
            if path == "preg_replace" {
                self.evaluated_replacement(args);
            }
            return Some(value);
        }
        if let Some((value, changed)) = self.php_array_function(path, args) {
            if let Some(changed) = changed {
                self.output(0, changed);
            }
            return Some(value);
        }
        if let Some(value) = self.stream_function(path, args) {
            return Some(value);
        }
        if let Some(value) = self.request_function(path, args) {
            return Some(value);
        }
        if let Some(value) = self.exception(path, args) {
            return Some(value);
        }
        if let Some(value) = self.calling(path, args) {
            return Some(value);
        }
        let first = args.get(0).cloned().unwrap_or(Val::None);
        let second = args.list.get(1).cloned();
        Some(match path {
            "echo" | "print" | "print_r" | "printf" | "vprintf" | "var_dump" | "exit" => {
                match path {
                    "printf" | "vprintf" => {
                        let text = self.php_text_function(&path.replace("printf", "sprintf"), args);
                        self.php_print(&Args::of(text.into_iter().collect()));
                    }
                    "exit" if matches!(first, Val::Int(_)) => {}
                    "echo" | "print" | "exit" => self.php_print(args),
                    // `print_r(x, true)` gives the text.
                    "print_r" if second.is_some() => return Some(Val::Text(self.php_text(&first))),
                    "print_r" if matches!(first, Val::Text(_)) => self.php_print(args),
                    _ => self.print(None),
                }
                Val::Int(1)
            }
            "define" => {
                if let Some(name) = first.as_known() {
                    let scope = self.scope.program();
                    let name = name.rsplit('\\').next().unwrap_or(&name).to_owned();
                    self.bind_in(&scope, &format!("#{name}").into(), second.unwrap_or(Val::None));
                }
                Val::Bool(true)
            }
            "constant" => match first.to_text().readings(8) {
                Some(names) => names
                    .into_iter()
                    .map(|name| match name.split_once("::") {
                        Some((class, constant)) => {
                            let class = self.class_named(&Val::text(class));
                            self.php_attribute(&class, &format!("#{constant}").into())
                        }
                        None => self.lookup(&format!("#{name}").into()),
                    })
                    .reduce(|a, b| join(&a, &b))
                    .unwrap_or_else(Val::unknown),
                None => Val::unknown(),
            },
            "compact" => {
                let mut entries = Entries::default();
                for value in &args.list {
                    for (_, name) in self.php_entries(value).list {
                        if let Some(name) = name.as_known() {
                            let value = self.php_variable(&format!("${name}"));
                            let value = self.php_copy(&value, 0);
                            aegish_code_library::php::put(&mut entries, &Val::text(name), value);
                        }
                    }
                }
                self.php_array(entries)
            }
            "extract" => {
                let entries = self.php_entries(&first);
                for (key, value) in entries.list {
                    if let Some(name) = key.as_known() {
                        self.php_bind(&format!("${name}").into(), value);
                    }
                }
                self.state.with(|php: &mut PhpState| php.foreign |= entries.rest.is_some());
                Val::unknown()
            }
            "parse_str" | "mb_parse_str" => {
                let text = self.php_text(&first);
                let list = self.php_query(&text);
                if args.list.len() > 1 {
                    self.output(1, list);
                } else {
                    return self.php_function("extract", &Args::of(vec![list]));
                }
                Val::Bool(true)
            }
            "get_defined_vars" => {
                let mut entries = Entries::default();
                for (name, place) in self.variables_scope().names() {
                    if let (Some(name), Binding::Bound(value)) =
                        (name.strip_prefix('$'), self.heap.variable(place))
                    {
                        entries.list.push((Val::text(name), value));
                    }
                }
                entries.list.sort_by_key(|(name, _)| name.as_known());
                self.php_array(entries)
            }
            "func_get_args" | "func_get_arg" | "func_num_args" => {
                let all = self.variables_scope().find("arguments");
                let all = all.map(|place| self.heap.variable(place));
                let all = match all {
                    Some(Binding::Bound(value) | Binding::Maybe(value)) => value,
                    _ => return Some(Val::unknown()),
                };
                match path {
                    "func_get_args" => self.php_copy(&all, 0),
                    "func_get_arg" => self.php_index(&all, &first),
                    _ => Val::unknown(),
                }
            }
            "eval" => self.php_evaluate(&first),
            "assert" => {
                if matches!(first, Val::Text(_)) {
                    let mut code = Value::known("return ");
                    code.append(&first.to_text());
                    code.push_str(";");
                    self.php_evaluate(&Val::Text(code.tainted(first.to_text().taint())));
                }
                Val::unknown()
            }
            "create_function" => {
                let (parameters, body) = (self.php_text(&first), second.unwrap_or(Val::None));
                let mut code = Value::known("return function(");
                code.append(&parameters);
                code.push_str(") {");
                code.append(&body.to_text());
                code.push_str("};");
                self.php_evaluate(&Val::Text(code.tainted(body.to_text().taint())))
            }
            "getenv" => match &first {
                Val::None => Val::unknown(),
                name => match name.as_known() {
                    Some(name) => self.env(&name),
                    None => Val::Text(Value::unknown("environment")),
                },
            },
            "putenv" => {
                let text = self.php_text(&first);
                if let Some((name, value)) = text.as_known().and_then(|text| text.split_once('=')) {
                    let (name, value) = (name.to_owned(), Val::text(value));
                    self.set_environment(&name, &value);
                } else if let Some((name, _)) = text.known_prefix().split_once('=') {
                    let length = name.len() + 1;
                    let name = name.to_owned();
                    self.set_environment(&name, &Val::Text(text.tail(length)));
                }
                Val::Bool(true)
            }
            "dirname" => {
                let text = self.php_text(&first);
                let levels = second.and_then(|n| n.as_int()).unwrap_or(1);
                match text.as_known() {
                    Some(known) => {
                        let mut path = known.to_owned();
                        for _ in 0..levels.clamp(1, 16) {
                            path = match path.as_str() {
                                "." => "..".to_owned(),
                                up if up.ends_with("..") => format!("{up}/.."),
                                other => aegish_code_library::paths::directory_name(other),
                            };
                            if path.is_empty() {
                                path = ".".to_owned();
                            }
                        }
                        Val::text(path)
                    }
                    None => Val::Text(text),
                }
            }
            "realpath" => {
                let text = self.php_text(&first);
                Val::Text(self.resolved(&text))
            }
            "preg_match" | "preg_match_all" => {
                let (value, found) = self.php_matched(path, args);
                if let Some(found) = found {
                    self.output(2, found);
                }
                value
            }
            "settype" => {
                let kind = second.and_then(|kind| kind.as_known()).unwrap_or_default();
                let made = self.php_construct(&format!("<{kind}>"), &Args::of(vec![first]));
                self.output(0, made.unwrap_or_else(Val::unknown));
                Val::Bool(true)
            }
            "get_class" | "get_parent_class" | "get_called_class" => match &first {
                Val::Instance(_) => return self.php_construct("<class-name>", args),
                _ => Val::unknown(),
            },
            "class_exists" | "function_exists" | "method_exists" | "defined" | "is_callable"
            | "property_exists" | "is_a" | "is_subclass_of" => Val::unknown(),
            "class_alias" => {
                let class = self.class_named(&first);
                if let Some(name) = second.and_then(|name| name.as_known()) {
                    let scope = self.scope.program();
                    self.bind_in(&scope, &format!(":{}", class_path(&name)).into(), class);
                }
                Val::Bool(true)
            }
            "mail" | "mb_send_mail" => {
                if let Some(options) = args.list.get(4) {
                    let mut command = Value::known("sendmail -t -i ");
                    command.append(&options.to_text());
                    self.run_text(Lang::Shell, &command);
                }
                Val::unknown()
            }
            _ => return None,
        })
    }

    /// `preg_replace` with the flag `e` runs its replacement.
    fn evaluated_replacement(&mut self, args: &Args) {
        let pattern = args.get(0).map(Val::to_text).unwrap_or_default();
        let runs = pattern.as_known().and_then(split).is_some_and(|(_, flags)| flags.contains('e'));
        // What a client sends may end with the flag.
        if runs || pattern.has_unknown() && pattern.taint().network().is_some() {
            let code = args.get(1).cloned().unwrap_or(Val::None);
            let mut text = Value::known("return ");
            text.append(&code.to_text());
            text.push_str(";");
            self.php_evaluate(&Val::Text(text.tainted(code.to_text().taint())));
        }
    }

    /// Runs a text as code, in the present scope; its value is what it returns.
    fn php_evaluate(&mut self, code: &Val) -> Val {
        if let Val::OneOf(_) = code {
            return self.each(code, |this, one| this.php_evaluate(one));
        }
        let text = match code {
            Val::File(index) => self.file_content(*index).to_text(),
            Val::Connection => self.received().to_text(),
            other => self.php_text(other),
        };
        let Some(readings) = text.readings(8) else {
            self.state.with(|php: &mut PhpState| php.foreign = true);
            self.run_text(Lang::Php, &text);
            return forgotten();
        };
        let mut all: Option<Val> = None;
        for reading in readings {
            let one = self.php_run(&reading);
            all = Some(all.map_or(one.clone(), |all| join(&all, &one)));
        }
        all.unwrap_or(Val::None)
    }

    fn php_run(&mut self, text: &str) -> Val {
        if self.evals >= MAX_EVALS {
            self.open = true;
            return Val::unknown();
        }
        let program = self.lower(text);
        self.open |= program.cut;
        self.evals += 1;
        let base = self.heap.depth();
        self.heap.push();
        self.lowering.functions += 1;
        self.frames.push(Frame {
            function: self.lowering.functions,
            args: Args::default(),
            widened: false,
            base,
            exits: Vec::new(),
            returned: None,
            yields: None,
            class: self.frames.last().and_then(|frame| frame.class.clone()),
            first: self.frames.last().and_then(|frame| frame.first.clone()),
        });
        let loops = std::mem::take(&mut self.loops);
        let flow = self.block(&program.body);
        self.loops = loops;
        self.evals -= 1;
        let Some(frame) = self.frames.pop() else { return Val::unknown() };
        let mut states = frame.exits;
        if flow == Flow::Next || states.is_empty() {
            states.push(self.heap.changes_since(base));
        }
        self.heap.pop();
        self.heap.apply_one_of(states);
        frame.returned.unwrap_or(Val::None)
    }

    /// Functions that call others, and those that keep one for later.
    fn calling(&mut self, path: &str, args: &Args) -> Option<Val> {
        let first = args.get(0).cloned();
        let behind = |count: usize| Args {
            list: args.list.iter().skip(count).cloned().collect(),
            named: args.named.clone(),
            rest: args.rest.clone(),
        };
        if let Some(function) =
            path.strip_suffix(".invoke").filter(|_| !path.starts_with("reflection"))
        {
            return Some(self.call(&Val::Library(function.into()), args.clone()));
        }
        if let Some(function) =
            path.strip_suffix(".invokeargs").filter(|_| !path.starts_with("reflection"))
        {
            let entries = self.php_entries(&first?);
            let mut call = Args::default();
            self.add_arguments(&mut call, entries);
            return Some(self.call(&Val::Library(function.into()), call));
        }
        Some(match path {
            "call_user_func" | "forward_static_call" => self.call(&first?, behind(1)),
            "call_user_func_array" | "forward_static_call_array" => {
                let entries = self.php_entries(args.get(1)?);
                let mut call = Args::default();
                self.add_arguments(&mut call, entries);
                self.call(&first?, call)
            }
            "register_shutdown_function"
            | "register_tick_function"
            | "set_error_handler"
            | "set_exception_handler"
            | "spl_autoload_register"
            | "header_register_callback"
            | "ob_start"
            | "pcntl_signal"
            | "assert_options"
            | "stream_wrapper_register"
            | "session_set_save_handler"
            | "libxml_set_external_entity_loader" => {
                let place = usize::from(matches!(path, "pcntl_signal" | "assert_options"));
                let function = args.get(place)?.clone();
                let function = self.callable(&function);
                let mut call = match path {
                    // A part of what the program prints, or says itself.
                    "set_error_handler" => Args::of(vec![Val::unknown(), lost()]),
                    "ob_start" => Args::of(vec![lost()]),
                    _ => behind(place + 1),
                };
                match path {
                    "register_shutdown_function" | "register_tick_function" => {}
                    "set_error_handler" | "ob_start" => {}
                    // The text of the class or message is not known here.
                    _ => call = Args { rest: Some(Val::unknown()), ..Args::default() },
                }
                if self.deferred.len() < 64 {
                    self.deferred.push_back((None, function, call));
                } else {
                    self.open = true;
                }
                Val::None
            }
            "preg_replace_callback" | "mb_ereg_replace_callback" => {
                let subject = self.php_text(args.get(2)?);
                let (_, found) = self
                    .php_matched("preg_match", &Args::of(vec![first?, Val::Text(subject.clone())]));
                let found = found.unwrap_or_else(Val::unknown);
                let made = self.maybe(|this| {
                    this.call(args.get(1).unwrap_or(&Val::None), Args::of(vec![found]))
                });
                let mut text = part_of(&subject);
                text = text.tainted(self.php_text(&made).taint());
                // What matched is the whole text.
                join(&Val::Text(text), &made)
            }
            "preg_replace_callback_array" => {
                let entries = self.php_entries(&first?);
                let part = Val::Text(part_of(&self.php_text(args.get(1)?)));
                for (_, function) in entries.list {
                    let groups = self.php_list(Vec::new(), Some(part.clone()));
                    self.maybe(|this| this.call(&function, Args::of(vec![groups])));
                }
                part
            }
            "reflectionfunction" | "closure.fromcallable" | "reflectionnamedtype" => {
                self.callable(&first?)
            }
            "reflectionmethod" => match (first?, args.get(1)) {
                (object, Some(name)) => self.method_named(&object, &name.clone()),
                (name, None) => self.callable(&name),
            },
            "reflectionclass" | "reflectionobject" => self.class_named(&first?),
            "closure.bind" | "closure.bindto" => first?,
            _ => return None,
        })
    }
}

/// Text of the program that is not followed.
fn lost() -> Val {
    Val::Text(Value::unknown(crate::value::LOST))
}

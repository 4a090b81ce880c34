//! Methods of values.

use super::blocks::PowerShellBlocks;
use super::indexes::PowerShellIndexes;
use super::members::PowerShellMembers;
use super::statics::PowerShellStatics;
use super::{PowerShellCalls, TYPE};
use crate::effect::CodeEffect;
use crate::heap::{Items, extend, push_item};
use crate::value::{Args, Forgotten, LOST, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::{PowerShellPatterns, PowerShellTexts, PowerShellValues};
use aegish_values::Value;
use easy_ext::ext;

#[ext(PowerShellMethods)]
pub(super) impl Interpreter<'_> {
    /// A method of a value that is not an instance of a class of the program.
    fn powershell_method(&mut self, object: &Val, name: &str, args: Args) -> Val {
        match object {
            Val::OneOf(_) => {
                self.each(object, |this, one| this.powershell_method(one, name, args.clone()))
            }
            Val::None => Val::None,
            Val::Function(_) | Val::Partial(_) | Val::Bound(_) => match name {
                "invoke" | "invokereturnasis" | "invokewithcontext" | "begininvoke" => {
                    self.call_block(object, &args.list, None, false)
                }
                "getnewclosure" => self.new_closure(object),
                "tostring" => Val::Text(Value::unknown(LOST)),
                _ => Val::unknown(),
            },
            Val::Dict(place) => {
                let entries = self.heap.entries(*place);
                let of = entries.list.iter().find(|(key, _)| *key == Val::text(TYPE));
                match of {
                    Some((_, Val::Library(of))) => {
                        let of = of.clone();
                        self.typed_method(object, &of, name, args)
                    }
                    _ => self.map_method(object, name, &args),
                }
            }
            Val::Text(text) => {
                let text = text.clone();
                self.text_or_file_method(&text, name, &args)
            }
            Val::List(_) | Val::Tuple(_) | Val::Bytes(_) => {
                self.list_object_method(object, name, &args)
            }
            Val::Connection => self.stream_of_connection(name, &args),
            Val::File(index) => match name {
                "write" | "writeline" | "append" => {
                    self.write_to(object, &args.list);
                    Val::None
                }
                "read" | "readline" | "readtoend" => self.file_content(*index),
                _ => object.clone(),
            },
            Val::Process(kind) => {
                let name = match name {
                    "writeline" => "write",
                    "readtoend" | "readline" => "read",
                    other => other,
                };
                self.process_method(*kind, name, &args)
            }
            Val::Library(path) if path.starts_with('[') => match name {
                "gettype" | "tostring" => object.clone(),
                // Any method of the type, by its name.
                "getmethod" | "getmethods" | "getfield" | "getfields" | "getproperty"
                | "getconstructor" | "getconstructors" | "getmember" | "getmembers" => {
                    Val::Unknown(self.taint_of(object), Forgotten::Callable)
                }
                "invokemember" => self.hidden_code(object),
                _ => Val::unknown(),
            },
            Val::Library(path) => self.library_call(&format!("{path}.{name}"), args),
            Val::Unknown(_, Forgotten::Callable) => self.hidden_code(object),
            Val::Int(_) | Val::Bool(_) => match name {
                "tostring" if args.list.is_empty() => Val::Text(self.powershell_text(object)),
                _ => Val::unknown(),
            },
            other => self.method_by_name(other, name, args),
        }
    }

    /// A method of something unknown, by its name alone.
    fn method_by_name(&mut self, object: &Val, name: &str, args: Args) -> Val {
        if matches!(name, "invoke" | "invokereturnasis" | "invokemember" | "invokescript") {
            return self.hidden_code(object);
        }
        match crate::calls::find(self.language, &format!("?.{name}")) {
            Some(entry) => self.effect_call(&entry, &args.with_first(object.clone()), name),
            None => {
                self.run_callbacks(&args, None);
                let mut taint = self.content_taint(&args);
                taint.absorb(&self.taint_of(object));
                Val::tainted(taint)
            }
        }
    }

    fn map_method(&mut self, object: &Val, name: &str, args: &Args) -> Val {
        let Val::Dict(place) = object else { return Val::unknown() };
        let entries = self.heap.entries(*place);
        match name {
            "add" | "set_item" => {
                if let (Some(key), Some(value)) = (args.get(0), args.get(1)) {
                    self.powershell_set_index(object, &key.clone(), value.clone());
                }
                Val::None
            }
            "get_item" | "item" => match args.get(0) {
                Some(key) => self.powershell_index(object, &key.clone()),
                None => Val::unknown(),
            },
            "remove" | "clear" => Val::None,
            "getenumerator" => {
                let list: Vec<Val> = entries
                    .list
                    .iter()
                    .map(|(key, value)| {
                        let pairs = vec![
                            (Val::text("key"), key.clone()),
                            (Val::text("name"), key.clone()),
                            (Val::text("value"), value.clone()),
                        ];
                        self.new_dict(pairs, None)
                    })
                    .collect();
                let rest = entries.rest.as_ref().map(|rest| {
                    let pairs = vec![
                        (Val::text("key"), Val::unknown()),
                        (Val::text("value"), rest.clone()),
                    ];
                    self.new_dict(pairs, None)
                });
                self.heap.list(Items { list, rest })
            }
            "clone" => self.heap.dict((*entries).clone()),
            "foreach" | "where" => {
                let list = self.new_list(vec![object.clone()]);
                self.list_object_method(&list, name, args)
            }
            _ => {
                self.run_callbacks(args, None);
                Val::unknown()
            }
        }
    }

    /// A method of an object of a type of the system.
    fn typed_method(&mut self, object: &Val, of: &str, name: &str, args: Args) -> Val {
        match (of, name) {
            ("text.stringbuilder", "append" | "appendline" | "appendformat" | "insert") => {
                let old = self.powershell_attribute(object, &"<text>".into());
                let mut text = self.powershell_text(&old);
                let more = match name {
                    "appendformat" | "insert" => Value::unknown(LOST),
                    _ => {
                        let more = args.get(0).cloned().unwrap_or(Val::None);
                        self.powershell_text(&more)
                    }
                };
                text.append(&more);
                if name == "appendline" {
                    text.push_str("\n");
                }
                self.powershell_set_index(object, &Val::text("<text>"), Val::Text(text));
                object.clone()
            }
            ("text.stringbuilder", "replace" | "remove" | "clear") => {
                let lost = Val::Text(Value::unknown(LOST));
                self.powershell_set_index(object, &Val::text("<text>"), lost);
                object.clone()
            }
            ("text.stringbuilder", "tostring") => {
                self.powershell_attribute(object, &"<text>".into())
            }
            ("regex", "replace") => {
                let pattern = self.powershell_attribute(object, &"pattern".into());
                let by = self.new_list(vec![pattern, args.get(1).cloned().unwrap_or(Val::None)]);
                let first = args.get(0).cloned().unwrap_or(Val::None);
                self.replaced_by(&first, &by, true)
            }
            ("regex", _) => {
                let first = args.get(0).cloned().unwrap_or(Val::None);
                let text = self.powershell_text(&first);
                Val::Text(crate::value::part_of(&text))
            }
            ("diagnostics.process", "start") => {
                let info = self.powershell_attribute(object, &"startinfo".into());
                let process = self.start_info(&info, None);
                let streams = ["standardinput", "standardoutput", "standarderror"];
                for stream in streams {
                    self.powershell_set_index(object, &Val::text(stream), process.clone());
                }
                Val::Bool(true)
            }
            ("powershell", "addscript") => {
                let code = args.get(0).cloned().unwrap_or(Val::None);
                self.run_code(&code);
                object.clone()
            }
            ("powershell", "addcommand") => {
                self.hidden_code(object);
                object.clone()
            }
            ("powershell", _) => object.clone(),
            (_, "gettype") => Val::Library(format!("[{of}]").into()),
            (_, "tostring") => Val::Text(self.powershell_text(object)),
            _ => {
                let full = format!("{of}.{name}");
                if crate::calls::find(self.language, &full).is_some() {
                    return self.library_call(&full, args);
                }
                self.method_by_name(object, name, args)
            }
        }
    }

    fn text_or_file_method(&mut self, text: &Value, name: &str, args: &Args) -> Val {
        if let Some(value) = self.powershell_text_method(text, name, args) {
            return value;
        }
        let object = Val::Text(text.clone());
        match name {
            // Texts of files, processes and requests.
            "readtoend"
            | "readline"
            | "getresponsestream"
            | "getresponse"
            | "getawaiter"
            | "getresult"
            | "readasstringasync"
            | "readasbytearrayasync"
            | "openreader"
            | "read"
            | "close"
            | "dispose" => object,
            "gettype" => Val::Library("[string]".into()),
            "delete" => {
                let path = self.resolved(text);
                if !crate::operand::is_unnamed(&path) {
                    let tree = args.get(0) == Some(&Val::Bool(true));
                    self.record(CodeEffect::Delete { path, tree });
                }
                Val::None
            }
            "copyto" | "moveto" => {
                let to = args.get(0).cloned().unwrap_or_else(Val::unknown);
                let to = self.powershell_text(&to);
                let (from, to) = (self.resolved(text), self.resolved(&to));
                self.record(CodeEffect::Copy { from, to });
                Val::None
            }
            "openread" | "opentext" => {
                let path = self.resolved(text);
                self.read_file(&path)
            }
            "create" | "createtext" | "openwrite" | "appendtext" | "open" => {
                let path = self.resolved(text);
                self.write_file(&path, Value::empty(), name == "appendtext")
            }
            "foreach" | "where" => {
                let list = self.new_list(vec![object]);
                self.list_object_method(&list, name, args)
            }
            "invoke" | "invokereturnasis" => {
                // A command that was looked up by its name.
                self.hidden_code(&object)
            }
            _ if text.is_known() => {
                self.run_callbacks(args, None);
                Val::unknown()
            }
            _ => self.method_by_name(&object, name, args.clone()),
        }
    }

    fn list_object_method(&mut self, object: &Val, name: &str, args: &Args) -> Val {
        let first = args.get(0).cloned().unwrap_or(Val::None);
        match (name, object) {
            ("add" | "push" | "enqueue" | "addrange", Val::List(place)) => {
                let place = *place;
                let more = match name {
                    "addrange" => self.powershell_items(&first),
                    _ => Items { list: vec![first], rest: None },
                };
                self.heap.update_items(place, |items| extend(items, more));
                Val::None
            }
            ("insert" | "setvalue", Val::List(place)) => {
                let place = *place;
                let value = args.get(usize::from(name == "insert")).cloned().unwrap_or(Val::None);
                self.heap.update_items(place, |items| {
                    push_item(items, value);
                    crate::heap::mix(items);
                });
                Val::None
            }
            ("reverse" | "sort" | "remove" | "removeat", Val::List(place)) => {
                let place = *place;
                let reverses = name == "reverse";
                self.heap.update_items(place, |items| match (reverses, &items.rest) {
                    (true, None) => items.list.reverse(),
                    _ => crate::heap::mix(items),
                });
                Val::None
            }
            ("clear", Val::List(_)) => Val::None,
            ("contains" | "indexof" | "getlength" | "getupperbound" | "gettype" | "copyto", _) => {
                Val::unknown()
            }
            ("toarray" | "clone" | "getenumerator", _) => {
                let items = self.powershell_items(object);
                self.heap.list(items)
            }
            ("pop" | "dequeue" | "peek" | "getvalue" | "item", _) => self.element(object),
            ("foreach" | "where", _) => {
                let items = self.powershell_items(object);
                let all = items.clone();
                let results = self.for_each(items, &mut |this, item| match &first {
                    Val::Text(_) => {
                        let member = this.member_named(item, &first, None);
                        match member {
                            Val::Method(_) => this.call(&member, Args::default()),
                            other => other,
                        }
                    }
                    block => this.with_item(item, |this| this.call_block(block, &[], None, true)),
                });
                if name == "where" {
                    let rest = all.list.into_iter().chain(all.rest).reduce(|a, b| join(&a, &b));
                    return self.heap.list(Items { list: Vec::new(), rest });
                }
                self.heap.list(results)
            }
            ("invoke", _) => self.hidden_code(object),
            ("tostring", _) => Val::Text(Value::unknown(LOST)),
            // The method of each item.
            _ => {
                let items = self.powershell_items(object);
                let results = self.for_each(items, &mut |this, item| {
                    this.powershell_method(item, name, args.clone())
                });
                self.heap.list(results)
            }
        }
    }

    fn stream_of_connection(&mut self, name: &str, args: &Args) -> Val {
        match name {
            "read" | "receive" | "readline" | "readtoend" | "readbytes" | "readasync"
            | "receiveasync" | "receivefrom" => {
                // A buffer gets what is received.
                for value in &args.list {
                    if let Val::List(place) = value {
                        let received = self.received();
                        self.heap.update_items(*place, |items| {
                            items.list.clear();
                            items.rest = Some(received);
                        });
                    }
                }
                if name == "read" && args.list.len() > 1 { Val::unknown() } else { self.received() }
            }
            "write" | "writeline" | "send" | "writeasync" | "sendto" | "sendasync" => {
                self.write_to(&Val::Connection, &args.list);
                Val::None
            }
            "connectasync" | "beginconnect" => self.connection_method("connect", args),
            "start" | "listen" => {
                self.connected = true;
                Val::Connection
            }
            "flush" | "close" | "dispose" | "shutdown" => Val::None,
            _ => self.connection_method(name, args),
        }
    }
}

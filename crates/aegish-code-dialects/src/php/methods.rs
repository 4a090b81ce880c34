//! Methods of values that are no instances of a class of the program.

use super::PhpVariables;
use super::callables::PhpCallables;
use super::calls::PhpCalls;
use super::objects::PhpObjects;
use crate::value::{Args, ClassValue, Val};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::PhpValues;
use aegish_values::Source;
use easy_ext::ext;
use std::rc::Rc;

#[ext(PhpMethods)]
pub(super) impl Interpreter<'_> {
    /// Keeps the message of an exception whose class has no constructor of its own.
    fn php_message(&mut self, class: &Rc<ClassValue>, instance: &Val, args: &Args) {
        let class = Val::Class(Rc::clone(class));
        let base = aegish_code_interpreter::library_base(&class, 0);
        let thrown =
            base.is_some_and(|base| base.ends_with("exception") || base.ends_with("error"));
        if thrown && self.class_attribute(&class, "__init__").is_none() {
            let message = args.get(0).cloned().unwrap_or_else(|| Val::text(""));
            self.php_set_attribute(instance, &"$message".into(), message);
        }
    }

    /// An exception that is made, or the constructor of one that the program extends: it keeps its message.
    fn exception(&mut self, path: &str, args: &Args) -> Option<Val> {
        let class = path.strip_suffix(".__init__").unwrap_or(path);
        if class.contains('.') && class == path
            || !class.ends_with("exception") && !class.ends_with("error")
        {
            return None;
        }
        let message = args.get(0).cloned().unwrap_or_else(|| Val::text(""));
        if class == path {
            return Some(self.plain_object(vec![("$message".into(), message)], None));
        }
        let this = self.php_variable("$this");
        self.php_set_attribute(&this, &"$message".into(), message);
        Some(Val::None)
    }

    /// A method of a value that is no instance of a class of the program.
    fn php_method(&mut self, object: &Val, name: &str, args: Args) -> Val {
        match object {
            Val::OneOf(_) => {
                self.each(object, |this, one| this.php_method(one, name, args.clone()))
            }
            Val::Function(_) | Val::Bound(_) | Val::Partial(_) | Val::Text(_)
                if matches!(name, "invoke" | "__invoke" | "__call__" | "invokeargs" | "call") =>
            {
                let mut call = args;
                match name {
                    "invokeargs" => {
                        let entries = call.list.last().cloned();
                        let entries = self.php_entries(&entries.unwrap_or(Val::None));
                        call = Args::default();
                        self.add_arguments(&mut call, entries);
                    }
                    "call" if !call.list.is_empty() => {
                        call.list.remove(0);
                    }
                    // The method of an object is given the object first.
                    "invoke" if matches!(object, Val::Bound(_)) && !call.list.is_empty() => {
                        call.list.remove(0);
                    }
                    _ => {}
                }
                self.call(object, call)
            }
            Val::Function(_) | Val::Bound(_) | Val::Partial(_) => match name {
                "bindto" | "bind" | "setaccessible" => object.clone(),
                _ => Val::unknown(),
            },
            // What a reflected class makes.
            Val::Class(_) | Val::Library(_) if matches!(name, "newinstance") => {
                self.call(object, args)
            }
            Val::Class(_) | Val::Library(_) if name == "newinstanceargs" => {
                let entries = self.php_entries(args.get(0).unwrap_or(&Val::None));
                let mut call = Args::default();
                self.add_arguments(&mut call, entries);
                self.call(object, call)
            }
            Val::Class(class) => match name {
                "newinstancewithoutconstructor" => self.instance_of(class),
                "getmethod" => self.method_named(object, args.get(0).unwrap_or(&Val::None)),
                _ => Val::unknown(),
            },
            Val::File(index) => {
                let list = args.list.clone();
                match name {
                    "fwrite" | "fputcsv" | "write" => {
                        self.write_to(object, &list);
                        Val::unknown()
                    }
                    "fread" | "fgets" | "current" | "fgetcsv" | "read" | "getcontents" => {
                        self.file_content(*index)
                    }
                    _ => Val::tainted(self.file_taint(*index)),
                }
            }
            Val::Connection => self.connection_method(name, &args),
            Val::Process(kind) => match name {
                "run" | "mustrun" | "start" | "wait" | "settimeout" => object.clone(),
                "setinput" => {
                    self.write_to(object, &args.list);
                    object.clone()
                }
                "getoutput" | "geterroroutput" | "output" | "getincrementaloutput" => {
                    Val::from_source("output", Source::Program("process".into()))
                }
                _ => Val::Process(*kind),
            },
            Val::Text(text) if text.has_unknown() => {
                match crate::calls::find(self.language, &format!("?.{name}")) {
                    Some(entry) => self.effect_call(&entry, &args.with_first(object.clone()), name),
                    None => {
                        self.run_callbacks(&args, None);
                        object.clone()
                    }
                }
            }
            other => match crate::calls::find(self.language, &format!("?.{name}")) {
                Some(entry) => {
                    let args = args.with_first(other.clone());
                    self.effect_call(&entry, &args, name)
                }
                None => {
                    self.run_callbacks(&args, None);
                    let mut taint = self.content_taint(&args);
                    taint.absorb(&self.taint_of(other));
                    Val::tainted(taint)
                }
            },
        }
    }
}

//! Ruby, as the interpreter asks for it.

use super::RubyValues;
use super::calls::RubyCalls;
use super::classes::RubyClasses;
use super::kernel::RubyKernel;
use super::objects::RubyObjects;
use crate::heap::Items;
use crate::ir::{Call, Class, Expr, Function, Name, Program};
use crate::language::Language;
use crate::value::{Args, Closure, Val};
use aegish_code_interpreter::{Dialect, Interpreter, truth_of_object};
use aegish_code_library::RubyMaps;
use aegish_code_library::given::Given;
use aegish_values::Value;
use std::rc::Rc;

/// Ruby.
pub struct Ruby;

impl Dialect for Ruby {
    fn prefixes(&self) -> &'static [&'static str] {
        &["Kernel.", "Object.", "TOPLEVEL_BINDING."]
    }

    fn has_few_falsehoods(&self) -> bool {
        true
    }

    fn literal(&self, on: &mut Interpreter<'_>, text: &str) -> Program {
        // A literal is one of JSON.
        Language::JavaScript.lower(&format!("({text})"), on.lowering)
    }

    fn splits_paths(&self) -> bool {
        true
    }

    fn completes(&self) -> bool {
        true
    }

    fn start(&self, on: &mut Interpreter<'_>) {
        on.start_ruby();
    }

    fn builtin(&self, on: &mut Interpreter<'_>, name: &Name) -> Val {
        on.ruby_builtin(name)
    }

    fn truth(&self, _on: &Interpreter<'_>, value: &Val) -> Option<bool> {
        truth_of_object(value)
    }

    fn text_of(&self, on: &mut Interpreter<'_>, value: &Val) -> Value {
        on.ruby_text(value)
    }

    fn iterate(&self, on: &mut Interpreter<'_>, value: &Val) -> Items {
        match value {
            Val::Tuple(_) if let Some(items) = on.range_items(value) => items,
            Val::Dict(place) => on.pairs_of(*place),
            _ => on.plain_iterate(value),
        }
    }

    fn attribute(&self, on: &mut Interpreter<'_>, object: &Val, name: &Name) -> Val {
        on.ruby_attribute(object, name)
    }

    fn set_attribute(&self, on: &mut Interpreter<'_>, object: &Val, name: &Name, value: Val) {
        on.ruby_set_attribute(object, name, value);
    }

    fn constant(&self, _on: &mut Interpreter<'_>, path: &str) -> Option<Val> {
        match path {
            "File.SEPARATOR" | "File.Separator" => Some(Val::text("/")),
            "File.PATH_SEPARATOR" => Some(Val::text(":")),
            _ => None,
        }
    }

    fn index(&self, on: &mut Interpreter<'_>, object: &Val, index: &Val) -> Val {
        on.ruby_index(object, index).unwrap_or_else(|| on.plain_index(object, index))
    }

    fn set_index(&self, on: &mut Interpreter<'_>, object: &Val, index: &Val, value: Val) {
        match object {
            Val::Instance(_) | Val::Class(_) => {
                on.ruby_send(object, "[]=", Args::of(vec![index.clone(), value]), false);
            }
            _ => on.plain_set_index(object, index, value),
        }
    }

    fn call(&self, on: &mut Interpreter<'_>, call: &Call) -> Val {
        on.ruby_call(call)
    }

    fn enter(&self, on: &mut Interpreter<'_>, closure: &Rc<Closure>, args: Args) -> Val {
        on.ruby_enter(closure, args)
    }

    fn call_function(&self, on: &mut Interpreter<'_>, path: &str, args: &Args) -> Option<Val> {
        on.special_function(path, args, args.named("&"))
    }

    fn call_made(&self, on: &mut Interpreter<'_>, path: &str, args: &Args) -> Option<Val> {
        on.ruby_made_call(path, args)
    }

    fn method(&self, on: &mut Interpreter<'_>, object: &Val, name: &str, args: Args) -> Val {
        on.ruby_send(object, name, args, false)
    }

    fn print(&self, on: &mut Interpreter<'_>, path: &str, args: &Args) {
        on.ruby_print(path, args);
    }

    fn import(&self, on: &mut Interpreter<'_>, name: &Val) -> Val {
        let path = name.to_text();
        if path.known_prefix().starts_with(['.', '/', '~']) {
            return on.run_script(&path);
        }
        on.plain_import(name)
    }

    fn script_endings(&self) -> &'static [&'static str] {
        &["", ".rb"]
    }

    fn module_files(&self, name: &str) -> Vec<String> {
        vec![format!("/{}.rb", name.trim_end_matches(".rb"))]
    }

    fn listen_address(&self, on: &mut Interpreter<'_>, given: &Given<'_>) -> (Value, Value) {
        match given.args.list.as_slice() {
            [port] => (Value::empty(), port.to_text()),
            _ => on.address(given),
        }
    }

    fn define_function(&self, on: &mut Interpreter<'_>, code: &Rc<Function>, _: &[Expr]) {
        on.ruby_define(code);
    }

    fn define_class(&self, on: &mut Interpreter<'_>, class: &Rc<Class>, _: &[Expr]) {
        on.ruby_class(class);
    }

    fn return_outer(&self, on: &mut Interpreter<'_>, value: &Val) {
        on.return_from_method(value);
    }

    fn break_outside(&self, on: &mut Interpreter<'_>) {
        on.break_block();
    }
}

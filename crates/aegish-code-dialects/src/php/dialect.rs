//! PHP, as the interpreter asks for it.

use super::PhpVariables;
use super::callables::PhpCallables;
use super::calls::PhpCalls;
use super::constructs::PhpConstructs;
use super::functions::PhpFunctions;
use super::methods::PhpMethods;
use super::objects::PhpObjects;
use super::streams::PhpStreams;
use crate::calls::Entry;
use crate::heap::Items;
use crate::ir::{Call, CompareOp, Expr, Function, Name, Program, Target};
use crate::language::Language;
use crate::value::{Args, ClassValue, Val};
use aegish_code_interpreter::{Dialect, Interpreter};
use aegish_code_library::PhpValues;
use aegish_code_library::php::operators::PhpOperators;
use aegish_values::Value;
use std::rc::Rc;

/// PHP.
pub struct Php;

impl Dialect for Php {
    fn aliases_variables(&self) -> bool {
        true
    }

    fn load(&self, on: &mut Interpreter<'_>, code: &str) -> Val {
        on.included(&Val::text(code))
    }

    fn splits_paths(&self) -> bool {
        true
    }

    fn marks_references(&self) -> bool {
        true
    }

    fn receivers(&self, code: &Function) -> usize {
        let first = code.positional.first();
        usize::from(first.is_some_and(|first| matches!(&*first.name, "$this" | "$static:")))
    }

    fn start(&self, on: &mut Interpreter<'_>) {
        on.start_php();
    }

    fn lookup(&self, on: &mut Interpreter<'_>, name: &Name) -> Val {
        match name.starts_with('$') {
            true => on.php_variable(name),
            false => on.plain_lookup(name),
        }
    }

    fn builtin(&self, on: &mut Interpreter<'_>, name: &Name) -> Val {
        on.php_builtin(name)
    }

    fn bind(&self, on: &mut Interpreter<'_>, name: &Name, value: Val) {
        on.php_bind(name, value);
    }

    fn truth(&self, on: &Interpreter<'_>, value: &Val) -> Option<bool> {
        on.php_truth(value)
    }

    fn is_case(&self, on: &mut Interpreter<'_>, subject: &Val, value: &Val) -> Option<bool> {
        on.php_equal(subject, CompareOp::LooseEqual, value)
    }

    fn text_of(&self, on: &mut Interpreter<'_>, value: &Val) -> Value {
        on.php_text(value)
    }

    fn literal(&self, on: &mut Interpreter<'_>, text: &str) -> Program {
        // A literal is one of JSON.
        Language::JavaScript.lower(&format!("({text})"), on.lowering)
    }

    fn map(&self, on: &mut Interpreter<'_>, pairs: &[(Option<Expr>, Expr)]) -> Val {
        on.php_array_of(pairs)
    }

    fn iterate(&self, on: &mut Interpreter<'_>, value: &Val) -> Items {
        on.php_items(value).unwrap_or_else(|| on.plain_iterate(value))
    }

    fn attribute(&self, on: &mut Interpreter<'_>, object: &Val, name: &Name) -> Val {
        on.php_attribute(object, name)
    }

    fn set_attribute(&self, on: &mut Interpreter<'_>, object: &Val, name: &Name, value: Val) {
        on.php_set_attribute(object, name, value);
    }

    fn constant(&self, _on: &mut Interpreter<'_>, _path: &str) -> Option<Val> {
        None
    }

    fn index(&self, on: &mut Interpreter<'_>, object: &Val, index: &Val) -> Val {
        on.php_index(object, index)
    }

    fn set_index(&self, on: &mut Interpreter<'_>, object: &Val, index: &Val, value: Val) {
        on.php_set_index(object, index, value);
    }

    fn call(&self, on: &mut Interpreter<'_>, call: &Call) -> Val {
        on.php_call(call)
    }

    fn call_value(&self, on: &mut Interpreter<'_>, value: &Val, args: Args) -> Val {
        match value {
            Val::Text(_) | Val::Dict(_) | Val::List(_) | Val::Tuple(_) => {
                on.php_call_named(value, args)
            }
            _ => on.unknown_call(&args),
        }
    }

    fn call_function(&self, on: &mut Interpreter<'_>, path: &str, args: &Args) -> Option<Val> {
        on.php_function(path, args)
    }

    fn call_entry(&self, on: &mut Interpreter<'_>, entry: &Entry, args: &Args, path: &str) -> Val {
        on.php_effect_call(entry, args, path).unwrap_or_else(|| on.table_call(entry, args, path))
    }

    fn method(&self, on: &mut Interpreter<'_>, object: &Val, name: &str, args: Args) -> Val {
        on.php_method(object, name, args)
    }

    fn print(&self, on: &mut Interpreter<'_>, _path: &str, args: &Args) {
        on.php_print(args);
    }

    fn initialize(
        &self,
        on: &mut Interpreter<'_>,
        class: &Rc<ClassValue>,
        instance: Val,
        args: Args,
    ) -> Val {
        on.php_fields(class, &instance);
        on.php_message(class, &instance, &args);
        on.plain_initialize(class, instance, args)
    }

    fn delete(&self, on: &mut Interpreter<'_>, target: &Target) {
        on.php_delete(target);
    }
}

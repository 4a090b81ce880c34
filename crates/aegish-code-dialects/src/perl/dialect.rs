//! Perl, as the interpreter asks for it.

use super::PerlCalls;
use super::functions::PerlFunctions;
use super::globs::PerlGlobs;
use super::objects::PerlObjects;
use super::variables::PerlVariables;
use crate::heap::Items;
use crate::ir::{Block, Call, Name};
use crate::reference::Ref;
use crate::value::{Args, Val};
use aegish_code_interpreter::{Dialect, Flow, Interpreter};
use aegish_code_library::PerlValues;
use aegish_values::Value;

/// Perl.
pub struct Perl;

impl Dialect for Perl {
    fn aliases_variables(&self) -> bool {
        true
    }

    fn prefixes(&self) -> &'static [&'static str] {
        &["CORE.", "CORE::GLOBAL."]
    }

    fn builtin(&self, on: &mut Interpreter<'_>, name: &Name) -> Val {
        on.perl_builtin(name)
    }

    fn bind(&self, on: &mut Interpreter<'_>, name: &Name, value: Val) {
        let value = on.perl_coerced(name, value);
        on.plain_bind(name, value);
    }

    fn bind_nearest(&self, on: &mut Interpreter<'_>, name: &Name, value: Val) {
        on.perl_bind(name, value);
    }

    fn localize(&self, on: &mut Interpreter<'_>, name: &str) {
        on.localize(name);
    }

    fn truth(&self, _on: &Interpreter<'_>, value: &Val) -> Option<bool> {
        aegish_code_library::perl::truth(value)
    }

    fn text_of(&self, on: &mut Interpreter<'_>, value: &Val) -> Value {
        on.perl_text(value)
    }

    fn overloaded_text(&self, on: &mut Interpreter<'_>, place: Ref, value: &Val) -> Option<Value> {
        on.overloaded(place, "\"\"", value)
    }

    fn overloaded_operator(
        &self,
        on: &mut Interpreter<'_>,
        a: &Val,
        sign: &str,
        b: &Val,
    ) -> Option<Val> {
        on.perl_operator(a, sign, b)
    }

    fn open_tuple(&self, _on: &mut Interpreter<'_>, items: Items) -> Val {
        Interpreter::perl_list(items)
    }

    fn last_value(&self, on: &mut Interpreter<'_>, value: Val) -> Val {
        on.perl_scalar(value)
    }

    fn iterate(&self, on: &mut Interpreter<'_>, value: &Val) -> Items {
        on.perl_iterate(value)
    }

    fn index(&self, on: &mut Interpreter<'_>, object: &Val, index: &Val) -> Val {
        on.perl_index(object, index)
    }

    fn set_index(&self, on: &mut Interpreter<'_>, object: &Val, index: &Val, value: Val) {
        on.perl_set_index(object, index, value);
    }

    fn call(&self, on: &mut Interpreter<'_>, call: &Call) -> Val {
        on.perl_call(call)
    }

    fn call_value(&self, on: &mut Interpreter<'_>, value: &Val, args: Args) -> Val {
        match value {
            Val::Text(_) => on.perl_call_value(value, args),
            _ => on.unknown_call(&args),
        }
    }

    fn call_function(&self, on: &mut Interpreter<'_>, path: &str, args: &Args) -> Option<Val> {
        on.perl_library_call(path, args)
    }

    fn method(&self, on: &mut Interpreter<'_>, object: &Val, name: &str, args: Args) -> Val {
        on.perl_method(object, name, args)
    }

    fn module_files(&self, name: &str) -> Vec<String> {
        vec![format!("/{}.pm", name.replace("::", "/"))]
    }

    fn evaluate(&self, on: &mut Interpreter<'_>, text: &str, _variables: Option<&Val>) -> Val {
        on.perl_evaluate(text)
    }

    fn block(&self, on: &mut Interpreter<'_>, body: &Block) -> Flow {
        on.perl_block(body)
    }
}

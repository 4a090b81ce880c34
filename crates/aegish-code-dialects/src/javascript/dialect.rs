//! JavaScript, as the interpreter asks for it.

use super::ScriptValues;
use super::calls::ScriptCalls;
use super::events::ScriptEvents;
use super::modules::ScriptModules;
use super::names::ScriptNames;
use super::objects::ScriptObjects;
use super::programs::ScriptPrograms;
use super::properties::ScriptProperties;
use crate::calls::Entry;
use crate::heap::{Entries, Items, insert};
use crate::ir::{BinaryOp, Call, Class, Expr, Name, Program, Receiver};
use crate::value::{Args, ClassValue, Closure, Val};
use aegish_code_interpreter::{Dialect, Interpreter};
use aegish_code_library::Operators;
use aegish_code_library::given::Given;
use aegish_values::Value;
use std::rc::Rc;

/// JavaScript and TypeScript.
pub struct JavaScript;

impl Dialect for JavaScript {
    fn prefixes(&self) -> &'static [&'static str] {
        &["globalThis.", "global.", "window."]
    }

    fn reads_file_urls(&self) -> bool {
        true
    }

    fn splits_paths(&self) -> bool {
        true
    }

    fn completes(&self) -> bool {
        true
    }

    fn missing_argument(&self) -> Val {
        Val::None
    }

    fn builtin(&self, on: &mut Interpreter<'_>, name: &Name) -> Val {
        on.script_builtin(name)
    }

    fn truth(&self, on: &Interpreter<'_>, value: &Val) -> Option<bool> {
        on.script_truth(value)
    }

    fn text_of(&self, on: &mut Interpreter<'_>, value: &Val) -> Value {
        on.script_text(value)
    }

    fn literal(&self, on: &mut Interpreter<'_>, text: &str) -> Program {
        // In brackets, so that an object is not taken for a block.
        on.lower(&format!("({text})"))
    }

    fn plus(&self, on: &mut Interpreter<'_>, value: Val) -> Val {
        on.binary(&value, BinaryOp::Mul, &Val::Int(1))
    }

    fn map(&self, on: &mut Interpreter<'_>, pairs: &[(Option<Expr>, Expr)]) -> Val {
        let mut entries = Entries::default();
        for (key, value) in pairs {
            let key = key.as_ref().map(|key| on.expr(key)).map(|key| on.script_key(&key));
            let value = on.expr(value);
            match key {
                Some(key) => insert(&mut entries, key, value),
                None => on.add_properties(&mut entries, &value),
            }
        }
        on.heap.dict(entries)
    }

    fn key(&self, on: &mut Interpreter<'_>, key: &Val) -> Val {
        on.script_key(key)
    }

    fn keys_of(&self, on: &mut Interpreter<'_>, object: &Val) -> Items {
        on.keys_of(object)
    }

    fn entries_of(&self, on: &mut Interpreter<'_>, object: &Val) -> Items {
        on.entries_of(object)
    }

    fn iterate(&self, on: &mut Interpreter<'_>, value: &Val) -> Items {
        match value {
            Val::Dict(_) => on.entries_of(value),
            Val::Instance(_) => on.iterated(value),
            _ => on.plain_iterate(value),
        }
    }

    fn attribute(&self, on: &mut Interpreter<'_>, object: &Val, name: &Name) -> Val {
        on.script_attribute(object, name)
    }

    fn prototype_attribute(
        &self,
        on: &Interpreter<'_>,
        class: &ClassValue,
        name: &str,
        depth: u32,
    ) -> Option<Val> {
        on.prototype_property(class, name, depth)
    }

    fn set_attribute(&self, on: &mut Interpreter<'_>, object: &Val, name: &Name, value: Val) {
        on.script_set_attribute(object, name, value);
    }

    fn constant(&self, on: &mut Interpreter<'_>, path: &str) -> Option<Val> {
        on.script_constant(path)
    }

    fn index(&self, on: &mut Interpreter<'_>, object: &Val, index: &Val) -> Val {
        on.script_index(object, index)
    }

    fn set_index(&self, on: &mut Interpreter<'_>, object: &Val, index: &Val, value: Val) {
        on.script_set_index(object, index, value);
    }

    fn call(&self, on: &mut Interpreter<'_>, call: &Call) -> Val {
        on.script_call(call)
    }

    fn enter(&self, on: &mut Interpreter<'_>, closure: &Rc<Closure>, args: Args) -> Val {
        match closure.code.receiver {
            Receiver::This => on.enter(closure, args.with_first(Val::Library("globalThis".into()))),
            _ => on.enter(closure, args),
        }
    }

    fn call_bound(&self, on: &mut Interpreter<'_>, of: &Val, function: &Val, args: Args) -> Val {
        on.call_with(of, function, args)
    }

    fn call_made(&self, on: &mut Interpreter<'_>, path: &str, args: &Args) -> Option<Val> {
        on.made_call(path, args)
    }

    fn call_entry(&self, on: &mut Interpreter<'_>, entry: &Entry, args: &Args, path: &str) -> Val {
        on.script_effect_call(entry, args, path)
    }

    fn method(&self, on: &mut Interpreter<'_>, object: &Val, name: &str, args: Args) -> Val {
        match object {
            Val::OneOf(_) => on.each(object, |on, one| on.method(one, name, args.clone())),
            _ => on.script_method(object, name, args),
        }
    }

    fn script_endings(&self) -> &'static [&'static str] {
        &["", ".js", ".cjs", ".mjs", ".ts", "/index.js", "/index.mjs"]
    }

    fn load(&self, on: &mut Interpreter<'_>, code: &str) -> Val {
        on.script_module(code)
    }

    fn import(&self, on: &mut Interpreter<'_>, name: &Val) -> Val {
        on.script_import(name)
    }

    fn shell(&self, on: &mut Interpreter<'_>, given: &Given<'_>) -> Val {
        on.script_shell(given)
    }

    fn address(&self, on: &mut Interpreter<'_>, given: &Given<'_>) -> (Value, Value) {
        on.script_address(given.args)
    }

    fn class_made(&self, on: &mut Interpreter<'_>, class: &Class, value: &Rc<ClassValue>) -> Val {
        on.with_statics(class, value)
    }

    fn initialize(
        &self,
        on: &mut Interpreter<'_>,
        class: &Rc<ClassValue>,
        instance: Val,
        args: Args,
    ) -> Val {
        on.initialized(class, instance, args)
    }
}

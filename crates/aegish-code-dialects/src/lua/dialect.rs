//! Lua, as the interpreter asks for it.

use super::LuaCalls;
use super::functions::LuaFunctions;
use crate::heap::Items;
use crate::ir::{Call, Name};
use crate::value::{Args, Val};
use aegish_code_interpreter::{Dialect, Interpreter, truth_of_object};
use aegish_code_library::LuaTables;
use aegish_values::Value;

/// Lua.
pub struct Lua;

impl Dialect for Lua {
    fn prefixes(&self) -> &'static [&'static str] {
        &["_G.", "_ENV.", "package.loaded."]
    }

    fn has_few_falsehoods(&self) -> bool {
        true
    }

    fn missing_argument(&self) -> Val {
        Val::None
    }

    fn builtin(&self, on: &mut Interpreter<'_>, name: &Name) -> Val {
        on.lua_builtin(name)
    }

    fn truth(&self, _on: &Interpreter<'_>, value: &Val) -> Option<bool> {
        truth_of_object(value)
    }

    fn text_of(&self, on: &mut Interpreter<'_>, value: &Val) -> Value {
        on.lua_text(value)
    }

    fn last_value(&self, on: &mut Interpreter<'_>, value: Val) -> Val {
        on.first_value(value)
    }

    fn iterate(&self, on: &mut Interpreter<'_>, value: &Val) -> Items {
        on.lua_values(value)
    }

    fn constant(&self, _on: &mut Interpreter<'_>, _path: &str) -> Option<Val> {
        None
    }

    fn index(&self, on: &mut Interpreter<'_>, object: &Val, index: &Val) -> Val {
        on.lua_index(object, index)
    }

    fn set_index(&self, on: &mut Interpreter<'_>, object: &Val, index: &Val, value: Val) {
        on.lua_set_index(object, index, value);
    }

    fn call(&self, on: &mut Interpreter<'_>, call: &Call) -> Val {
        on.lua_call(call)
    }

    fn call_value(&self, on: &mut Interpreter<'_>, value: &Val, args: Args) -> Val {
        match value {
            Val::Dict(place) if let Some(method) = on.meta(*place, "__call") => {
                on.call(&method, args.with_first(value.clone()))
            }
            _ => on.unknown_call(&args),
        }
    }

    fn overloaded_operator(
        &self,
        on: &mut Interpreter<'_>,
        a: &Val,
        sign: &str,
        b: &Val,
    ) -> Option<Val> {
        let names = match sign {
            ".." => &["__concat"][..],
            "+" => &["__add"],
            "-" => &["__sub"],
            "*" => &["__mul"],
            "/" => &["__div"],
            "//" => &["__idiv"],
            "%" => &["__mod"],
            "**" => &["__pow"],
            "<<" => &["__shl"],
            ">>" => &["__shr"],
            "|" => &["__bor"],
            "^" => &["__bxor"],
            "&" => &["__band"],
            "<" | ">" => &["__lt"],
            "<=" | ">=" => &["__le"],
            "==" | "!=" => &["__eq"],
            _ => return None,
        };
        let (first, second) = if sign.starts_with('>') && sign != ">>" { (b, a) } else { (a, b) };
        for place in [a, b].into_iter().filter_map(|value| match value {
            Val::Dict(place) => Some(*place),
            _ => None,
        }) {
            if let Some(method) = names.iter().find_map(|name| on.meta(place, name)) {
                let made = on.call(&method, Args::of(vec![first.clone(), second.clone()]));
                return Some(on.first_value(made));
            }
        }
        None
    }

    fn module_files(&self, name: &str) -> Vec<String> {
        let path = name.replace('.', "/");
        vec![format!("/{path}.lua"), format!("/{path}/init.lua")]
    }

    fn load(&self, on: &mut Interpreter<'_>, code: &str) -> Val {
        let value = on.chunk_run(code, None, Args::default());
        on.first_value(value)
    }

    fn call_function(&self, on: &mut Interpreter<'_>, path: &str, args: &Args) -> Option<Val> {
        on.lua_function(path, args)
    }

    fn method(&self, on: &mut Interpreter<'_>, object: &Val, name: &str, args: Args) -> Val {
        on.lua_stream_method(object, name, &args)
    }

    fn print(&self, on: &mut Interpreter<'_>, path: &str, args: &Args) {
        on.lua_print(path, args);
    }
}

//! Where the meaning of Lua differs from that of the other languages: tables, and calls that give several values.

mod dialect;
mod functions;

pub use dialect::Lua;

use crate::heap::Items;
use crate::ir::{Call, Expr};
use crate::value::{Args, Val, join, part_of};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::LuaTables;
use aegish_values::Value;
use easy_ext::ext;

#[ext(LuaCalls)]
pub(super) impl Interpreter<'_> {
    /// A name that the program does not define.
    fn lua_builtin(&mut self, name: &str) -> Val {
        match name {
            "_G" | "_ENV" => Val::Variables,
            "AEGISH_UNKNOWN" => Val::unknown(),
            "arg" | "..." => {
                let list: Vec<Val> = self.around.args.iter().cloned().map(Val::Text).collect();
                let rest = Some(Val::Text(Value::unknown("argument")));
                if name == "..." {
                    return self.heap.list(Items { list, rest });
                }
                let pairs =
                    list.into_iter().zip(1..).map(|(value, place)| (Val::Int(place), value));
                let pairs = pairs.collect();
                let table = self.new_dict(pairs, rest);
                let program = self.scope.program();
                self.bind_in(&program, &"arg".into(), table.clone());
                table
            }
            _ => Val::Library(self.canonical(name)),
        }
    }

    /// A value as `tostring` gives it.
    fn lua_text(&mut self, value: &Val) -> Value {
        match value {
            Val::None => Value::known("nil"),
            Val::Bool(true) => Value::known("true"),
            Val::Bool(false) => Value::known("false"),
            Val::Dict(place) => match self.meta(*place, "__tostring") {
                Some(method) => {
                    let made = self.call(&method, Args::of(vec![value.clone()]));
                    let made = self.first_value(made);
                    made.to_text()
                }
                None => Value::unknown("a table").tainted(&self.taint_of(value)),
            },
            Val::File(index) => self.file_content(*index).to_text(),
            Val::OneOf(values) => {
                let values = values.clone();
                let mut all: Option<Val> = None;
                for value in values.iter().filter(|value| **value != Val::None) {
                    let one = Val::Text(self.lua_text(value));
                    all = Some(all.map_or(one.clone(), |all| join(&all, &one)));
                }
                all.map_or_else(|| Value::unknown("computed"), |all| all.to_text())
            }
            other => other.to_text(),
        }
    }

    /// A call of the text.
    fn lua_call(&mut self, call: &Call) -> Val {
        let (function, object) = match &call.function {
            Expr::Attribute(object, name) => {
                let object = self.expr(object);
                let function = match &object {
                    Val::File(_) | Val::Connection | Val::Process(_) => {
                        Val::Method(std::rc::Rc::new((object.clone(), name.clone())))
                    }
                    _ => self.lua_index(&object, &Val::text(&**name)),
                };
                (function, Some(object))
            }
            other => (self.expr(other), None),
        };
        let mut args = self.arguments(&call.arguments);
        if let Some(object) = object
            && !matches!(&function, Val::Method(pair) if pair.0 == object)
        {
            args = args.with_first(object);
        }
        let outer = std::mem::replace(&mut self.site, call.site);
        let value = self.call(&function, args);
        self.site = outer;
        value
    }

    /// A method of an open file, a connection or a process.
    fn lua_stream_method(&mut self, object: &Val, name: &str, args: &Args) -> Val {
        match (object, name) {
            (Val::File(index), "lines") => self.file_content(*index),
            (Val::File(index), "read") => self.lua_read(*index, args.get(0)),
            (Val::File(index), "write") => {
                self.file_method(*index, name, args);
                object.clone()
            }
            (Val::File(index), _) => self.file_method(*index, name, args),
            (Val::Connection, "receive" | "recv" | "read") => self.received(),
            (Val::Connection, _) => self.connection_method(name, args),
            (Val::Process(kind), "lines") => self.process_method(*kind, "read", args),
            (Val::Process(kind), _) => self.process_method(*kind, name, args),
            _ => Val::unknown(),
        }
    }

    /// What `read` gives: all, a line, or a part of it.
    fn lua_read(&mut self, index: usize, how: Option<&Val>) -> Val {
        let how = how.map_or_else(|| "l".to_owned(), |how| how.as_known().unwrap_or_default());
        if how.contains('a') {
            return self.file_content(index);
        }
        let line = self.file_line(index, how.contains('L'), &Val::None);
        match how.contains(['l', 'L']) {
            true => line,
            false => join(&line, &Val::Text(part_of(&self.file_content(index).to_text()))),
        }
    }

    /// `print` and `io.write`.
    fn lua_print(&mut self, path: &str, args: &Args) {
        let line = path == "print";
        let mut all = args.rest.is_none().then(String::new);
        for (place, value) in args.list.iter().enumerate() {
            let text = self.lua_text(value);
            match (text.as_known(), &mut all) {
                (Some(text), Some(all)) => {
                    if place > 0 && line {
                        all.push('\t');
                    }
                    all.push_str(text);
                }
                _ => all = None,
            }
        }
        if line {
            all = all.map(|all| all + "\n");
        }
        self.print(all.as_deref());
    }
}

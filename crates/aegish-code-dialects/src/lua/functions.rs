//! Functions of the language that a table of calls cannot describe.

use super::LuaCalls;
use crate::effect::CodeEffect;
use crate::heap::Items;
use crate::ir::{Arguments, Body, Function, Receiver};
use crate::limits::{MAX_EVALS, MAX_ITEMS};
use crate::value::{Args, Closure, Forgotten, Partial, Val, join};
use aegish_code_interpreter::{Interpreter, STDIN};
use aegish_code_library::lua::tables::META;
use aegish_code_library::{LuaStrings, LuaTables};
use aegish_profiles::Lang;
use aegish_values::{Taint, Value};
use easy_ext::ext;
use std::rc::Rc;

#[ext(LuaFunctions)]
pub(super) impl Interpreter<'_> {
    /// A call of a function of the language; none if it is not one of these.
    fn lua_function(&mut self, path: &str, args: &Args) -> Option<Val> {
        let first = args.get(0).cloned();
        if let Some(name) = path.strip_prefix("string.") {
            return self.string_function(name, args);
        }
        if let Some(name) = path.strip_prefix("table.") {
            return self.table_function(name, args);
        }
        Some(match path {
            "unpack" => return self.table_function("unpack", args),
            "io.read" | "io.stdin.read" => self.lua_read(STDIN, args.get(0)),
            "io.lines" | "io.stdin.lines" if args.list.is_empty() => self.stdin(),
            "<table>" => {
                let Some(Val::Dict(place)) = first else { return None };
                let start = args.list.get(1)?.as_int()?;
                let values: Vec<Val> = args.list.iter().skip(2).cloned().collect();
                self.heap.update_entries(place, |entries| {
                    let numbered = values.into_iter().zip(start..);
                    entries.list.extend(numbered.map(|(value, at)| (Val::Int(at), value)));
                    if let Some(rest) = &args.rest {
                        let known = entries.rest.take();
                        entries.rest = Some(known.map_or(rest.clone(), |known| join(&known, rest)));
                    }
                });
                Val::Dict(place)
            }
            "<numbers>" => {
                let number = |place: usize| args.list.get(place).and_then(Val::as_int);
                let step = if args.list.len() > 2 { number(2) } else { Some(1) };
                let items = match (number(0), number(1), step) {
                    (Some(from), Some(to), Some(step)) if step != 0 => {
                        let count =
                            to.checked_sub(from)?.checked_div(step)?.saturating_add(1).max(0);
                        if usize::try_from(count).is_ok_and(|count| count <= MAX_ITEMS) {
                            let list = (0..count).map(|at| Val::Int(from + at * step)).collect();
                            Items { list, rest: None }
                        } else {
                            Items { list: Vec::new(), rest: Some(Val::unknown()) }
                        }
                    }
                    _ => Items { list: Vec::new(), rest: Some(Val::unknown()) },
                };
                self.heap.list(items)
            }
            "<iterate>" => {
                let items = self.iterated(args);
                self.heap.list(items)
            }
            "<chunk>" => self.chunk_call(args),
            "pairs" => Val::Tuple([Val::Library("<pairs>".into()), first?].into()),
            "ipairs" => Val::Tuple([Val::Library("<ipairs>".into()), first?].into()),
            "next" => {
                let pairs = self.table_pairs(&first?, false);
                pairs
                    .list
                    .into_iter()
                    .chain(pairs.rest)
                    .reduce(|a, b| join(&a, &b))
                    .unwrap_or(Val::None)
            }
            "setmetatable" => {
                let (table, meta) = (first?, args.list.get(1).cloned().unwrap_or(Val::None));
                self.lua_set_index(&table, &Val::text(META), meta.clone());
                // Finalizers run when the table goes.
                for name in ["__gc", "__close"] {
                    let method = match &meta {
                        Val::Dict(_) => self.lua_index(&meta, &Val::text(name)),
                        _ => Val::None,
                    };
                    if method.is_callable() {
                        self.maybe(|this| this.call(&method, Args::of(vec![table.clone()])));
                    }
                }
                table
            }
            "getmetatable" | "debug.getmetatable" => match first? {
                Val::Text(_) => {
                    let strings = Val::Library("string".into());
                    self.new_dict(vec![(Val::text("__index"), strings)], None)
                }
                Val::Dict(place) => {
                    let entries = self.heap.entries(place);
                    let key = Val::text(META);
                    entries
                        .list
                        .iter()
                        .find(|(known, _)| *known == key)
                        .map_or(Val::None, |(_, meta)| meta.clone())
                }
                _ => Val::unknown(),
            },
            "rawget" => self.lua_index(&first?, args.list.get(1)?),
            "rawset" => {
                let (table, key, value) =
                    (first?, args.list.get(1)?.clone(), args.list.get(2)?.clone());
                self.lua_set_index(&table, &key, value);
                table
            }
            "rawlen" => match first? {
                Val::OneOf(values) => {
                    let there: Vec<&Val> = values.iter().filter(|one| **one != Val::None).collect();
                    match there.as_slice() {
                        [only] => return self.lua_function(path, &Args::of(vec![(*only).clone()])),
                        _ => Val::unknown(),
                    }
                }
                Val::Text(text) => match text.as_known() {
                    Some(text) => Val::Int(i64::try_from(text.len()).ok()?),
                    None => Val::unknown(),
                },
                table => {
                    let items = self.array_of(&table);
                    match items.rest {
                        None => Val::Int(i64::try_from(items.list.len()).ok()?),
                        Some(_) => Val::unknown(),
                    }
                }
            },
            "select" => match first? {
                Val::Int(from) if from > 0 && args.rest.is_none() => {
                    let from = usize::try_from(from).ok()?;
                    Val::Tuple(args.list.iter().skip(from).cloned().collect())
                }
                Val::Int(from) if from < 0 && args.rest.is_none() => {
                    let back = usize::try_from(-from).ok()?;
                    let from = args.list.len().saturating_sub(back).max(1);
                    Val::Tuple(args.list.iter().skip(from).cloned().collect())
                }
                Val::Text(sign) if sign.as_known() == Some("#") && args.rest.is_none() => {
                    Val::Int(i64::try_from(args.list.len() - 1).ok()?)
                }
                _ => {
                    let list: Vec<Val> = args.list.iter().skip(1).cloned().collect();
                    let rest =
                        list.into_iter().chain(args.rest.clone()).reduce(|a, b| join(&a, &b));
                    self.heap.list(Items { list: Vec::new(), rest })
                }
            },
            "assert" => {
                let list = args.list.clone();
                if list.len() == 1 && args.rest.is_none() {
                    first?
                } else {
                    Val::Tuple(list.into())
                }
            }
            "error" => {
                let value = first.unwrap_or(Val::None);
                let thrown = self.thrown.take();
                self.thrown = Some(thrown.map_or(value.clone(), |known| join(&known, &value)));
                Val::unknown()
            }
            "pcall" | "xpcall" | "coroutine.resume" => {
                let function = first?;
                let skipped = if path == "xpcall" { 2 } else { 1 };
                let outer = self.thrown.take();
                let behind = args.list.iter().skip(skipped).cloned().collect();
                let call = Args { list: behind, rest: args.rest.clone(), named: Vec::new() };
                let value = self.maybe(|this| this.call(&function, call));
                let mut values = self.lua_values(&value);
                let thrown = std::mem::replace(&mut self.thrown, outer);
                if path == "xpcall"
                    && let Some(handler) = args.list.get(1).cloned()
                {
                    let error = thrown.clone().unwrap_or_else(Val::unknown);
                    let handled = self.maybe(|this| this.call(&handler, Args::of(vec![error])));
                    values = Items {
                        list: vec![join(&handled, &self.first_value(value))],
                        rest: values.rest,
                    };
                } else if let Some(thrown) = thrown {
                    let first = values.list.first().cloned().unwrap_or(Val::None);
                    values.list = vec![join(&first, &thrown)];
                }
                values.list.insert(0, Val::unknown());
                match values.rest {
                    None => Val::Tuple(values.list.into()),
                    Some(_) => self.heap.list(values),
                }
            }
            "coroutine.wrap" | "coroutine.create" => first?,
            "coroutine.yield" => {
                let value = first.unwrap_or(Val::None);
                if let Some(frame) = self.frames.last_mut() {
                    let known = frame.returned.take();
                    frame.returned =
                        Some(known.map_or(value.clone(), |known| join(&known, &value)));
                }
                Val::unknown()
            }
            "load" | "loadstring" => {
                let chunk = self.chunk_text(first?);
                let list = vec![chunk, args.list.get(3).cloned().unwrap_or(Val::None)];
                let function = Val::Library("<chunk>".into());
                Val::Partial(Rc::new(Partial { function, args: Args::of(list) }))
            }
            "tostring" => Val::Text(self.lua_text(&first?)),
            "tonumber" => match (first?, args.list.get(1).and_then(Val::as_int)) {
                (value @ Val::Int(_), _) => value,
                (Val::Text(text), base) => {
                    let base = base.and_then(|base| u32::try_from(base).ok()).unwrap_or(10);
                    let base = Some(base).filter(|base| (2..=36).contains(base))?;
                    let digits = text.as_known().map(str::trim)?.to_owned();
                    i64::from_str_radix(&digits, base).map_or_else(|_| Val::unknown(), Val::Int)
                }
                _ => Val::unknown(),
            },
            "type" => match first? {
                Val::Text(_) => Val::text("string"),
                Val::Int(_) => Val::text("number"),
                Val::Dict(_) => Val::text("table"),
                Val::Function(_) => Val::text("function"),
                Val::None => Val::text("nil"),
                _ => Val::Text(Value::unknown("type")),
            },
            "utf8.char" => {
                let text: Option<String> = args
                    .list
                    .iter()
                    .map(|code| crate::numbers::character(code.as_int()?))
                    .collect();
                text.map_or_else(Val::unknown, Val::text)
            }
            "debug.getregistry" | "debug.getupvalue" | "debug.getlocal" | "debug.getfenv"
            | "getfenv" => match path {
                "getfenv" => Val::Variables,
                _ => Val::Unknown(Taint::none(), Forgotten::Callable),
            },
            "setfenv" | "debug.setmetatable" | "debug.setupvalue" => {
                self.open = true;
                first?
            }
            "vim.cmd"
            | "vim.command"
            | "vim.api.nvim_command"
            | "vim.api.nvim_exec"
            | "vim.api.nvim_exec2" => {
                self.record(CodeEffect::Eval(Lang::Vim, first?.to_text()));
                Val::unknown()
            }
            _ => return None,
        })
    }

    /// The text of a chunk; a function gives it piece by piece.
    fn chunk_text(&mut self, chunk: Val) -> Val {
        if !matches!(chunk, Val::Function(_) | Val::Bound(_) | Val::Partial(_)) {
            return chunk;
        }
        let piece = self.call(&chunk, Args::default());
        let piece = self.first_value(piece);
        // Further pieces are not known.
        let mut text = piece.to_text();
        text.push(aegish_values::Piece::Unknown(crate::value::LOST));
        Val::Text(text)
    }

    /// Calls what `load` made.
    fn chunk_call(&mut self, args: &Args) -> Val {
        let (Some(chunk), environment) = (args.list.first().cloned(), args.list.get(1).cloned())
        else {
            return Val::unknown();
        };
        let chunk = match &chunk {
            Val::File(index) => self.file_content(*index),
            Val::Connection => self.received(),
            other => other.clone(),
        };
        let text = chunk.to_text();
        if chunk == Val::None {
            return Val::unknown();
        }
        let Some(readings) = text.readings(8) else {
            self.run_text(Lang::Lua, &text);
            return Val::Unknown(text.taint().clone(), Forgotten::Callable);
        };
        let list = args.list.iter().skip(2).cloned().collect();
        let call = Args { list, rest: args.rest.clone(), named: Vec::new() };
        let mut result: Option<Val> = None;
        for reading in readings {
            let one = self.chunk_run(&reading, environment.as_ref(), call.clone());
            result = Some(result.map_or(one.clone(), |known| join(&known, &one)));
        }
        result.unwrap_or(Val::None)
    }

    fn chunk_run(&mut self, text: &str, environment: Option<&Val>, args: Args) -> Val {
        if self.evals >= MAX_EVALS {
            self.open = true;
            return Val::unknown();
        }
        let program = self.lower(text);
        self.open |= program.cut;
        self.lowering.functions += 1;
        let code = Rc::new(Function {
            id: self.lowering.functions,
            name: "<chunk>".into(),
            positional: Vec::new(),
            rest: Some("...".into()),
            keyword_only: Vec::new(),
            named_rest: None,
            body: Body::Block(program.body),
            generator: false,
            receiver: Receiver::Lexical,
            arguments: Arguments::Unnamed,
            sees_itself: false,
        });
        let mut scope = self.scope.program();
        if let Some(Val::Dict(place)) = environment {
            // Fields of the environment are its variables.
            scope = crate::scope::Scope::new(Some(scope), crate::scope::ScopeKind::Block);
            for (key, value) in &self.heap.entries(*place).list {
                if let Some(name) = key.as_known() {
                    self.bind_in(&scope, &name.into(), value.clone());
                }
            }
        }
        let closure = Rc::new(Closure {
            code,
            scope,
            defaults: Vec::new(),
            class: std::cell::RefCell::default(),
        });
        self.evals += 1;
        let value = self.enter(&closure, args);
        self.evals -= 1;
        value
    }
}

//! Where the meaning of Python differs from that of the other languages.

use crate::effect::CodeEffect;
use crate::heap::Items;
use crate::ir::Name;
use crate::value::{Args, Val, join, part_of};
use aegish_code_interpreter::{Dialect, Interpreter};
use aegish_values::{Piece, Value};

/// Python.
pub struct Python;

impl Dialect for Python {
    fn prefixes(&self) -> &'static [&'static str] {
        &["builtins.", "__builtin__.", "__builtins__."]
    }

    fn repeats_roles(&self) -> bool {
        false
    }

    fn catches_values(&self) -> bool {
        false
    }

    fn missing_item(&self) -> Val {
        Val::unknown()
    }

    fn builtin(&self, on: &mut Interpreter<'_>, name: &Name) -> Val {
        match &**name {
            "__builtins__" => Val::Library("builtins".into()),
            "__name__" => Val::unknown(),
            "__file__" => Val::text("script.py"),
            // A part of the code that only the shell knows.
            "AEGISH_UNKNOWN" => Val::unknown(),
            _ => Val::Library(on.canonical(name)),
        }
    }

    fn loop_truth(&self, _on: &Interpreter<'_>, value: &Val) -> Option<bool> {
        value.truth()
    }

    fn module_files(&self, name: &str) -> Vec<String> {
        let path = name.trim_start_matches('.').replace('.', "/");
        match path.is_empty() {
            true => Vec::new(),
            false => vec![format!("/{path}.py"), format!("/{path}/__init__.py")],
        }
    }

    fn load_module(&self, on: &mut Interpreter<'_>, code: &str) -> Val {
        on.plain_module(code)
    }

    fn call_function(&self, on: &mut Interpreter<'_>, path: &str, args: &Args) -> Option<Val> {
        match path {
            "os.scandir" => Some(entries_below(on, args)),
            "itertools.starmap" => {
                let function = args.get(0)?.clone();
                let items = on.iterate(args.get(1)?);
                let made = on.for_each(items, &mut |on, item| {
                    let given = on.iterate(item);
                    let rest = given.rest;
                    on.call(&function, Args { list: given.list, rest, ..Args::default() })
                });
                Some(on.heap.list(made))
            }
            "csv.reader" if let Some(lines @ (Val::List(_) | Val::Tuple(_))) = args.get(0) => {
                let lines = on.iterate(lines);
                let rows = on.for_each(lines, &mut |on, line| cells_of(on, line, args));
                Some(on.heap.list(rows))
            }
            // Objects of the program say what a module is.
            "sys.meta_path.append"
            | "sys.meta_path.insert"
            | "sys.path_hooks.append"
            | "sys.path_hooks.insert" => {
                on.open = true;
                None
            }
            _ if path.starts_with("argparse.") && path.ends_with(".add_argument") => {
                keep_default(on, args);
                None
            }
            _ => matched(on, path, args),
        }
    }

    fn call_made(&self, on: &mut Interpreter<'_>, path: &str, args: &Args) -> Option<Val> {
        getter_call(on, path, args)
    }
}

/// The cells of a line of a table.
fn cells_of(on: &mut Interpreter<'_>, line: &Val, args: &Args) -> Val {
    let plain = args.named.is_empty() && args.list.len() == 1;
    match line.as_known().filter(|line| plain && !line.contains('"')) {
        Some(line) => on.new_list(line.split(',').map(Val::text).collect()),
        None => {
            let rest = Some(Val::Text(part_of(&line.to_text())));
            on.heap.list(Items { list: Vec::new(), rest })
        }
    }
}

/// An option of the command line has its default as long as it is not given.
fn keep_default(on: &mut Interpreter<'_>, args: &Args) {
    let Some(default) = args.named("default").filter(|value| **value != Val::None) else { return };
    let long = args.list.iter().filter_map(Val::as_known).max_by_key(|name| name.starts_with("--"));
    let Some(name) = args.named("dest").and_then(Val::as_known).or(long) else { return };
    let name = name.trim_start_matches('-').replace('-', "_");
    let given = Val::Text(Value::unknown("argument"));
    let value = join(default, &given);
    on.override_library(format!("argparse.ArgumentParser.parse_args.{name}"), value);
}

/// Functions made by the module `operator`: the object comes last.
fn getter_call(on: &mut Interpreter<'_>, path: &str, args: &Args) -> Option<Val> {
    let (object, given) = args.list.split_last()?;
    let name = given.first()?;
    match path {
        "<attribute>" => {
            let mut value = object.clone();
            for part in name.as_known()?.split('.') {
                value = on.attribute(&value, &part.into());
            }
            Some(value)
        }
        "<method>" => {
            let method = on.attribute(object, &name.as_known()?.into());
            let list = given.get(1..).unwrap_or(&[]).to_vec();
            Some(on.call(&method, Args::of(list)))
        }
        "<item>" => Some(on.index(object, name)),
        _ => None,
    }
}

/// What a regular expression finds is a part of the text that it looks at, whatever the expression is.
fn matched(on: &mut Interpreter<'_>, path: &str, args: &Args) -> Option<Val> {
    let (name, subject) = match path.strip_prefix("re.compile.") {
        Some(name) => (name, usize::from(matches!(name, "sub" | "subn"))),
        None => (path.strip_prefix("re.")?, 1 + usize::from(matches!(path, "re.sub" | "re.subn"))),
    };
    let text = match args.get(subject).or_else(|| args.named("string"))? {
        Val::Text(text) => text.clone(),
        Val::File(index) => on.file_content(*index).to_text(),
        other => other.to_text(),
    };
    let found = Val::Text(part_of(&text));
    match name {
        "match" | "search" | "fullmatch" => Some(found),
        "findall" | "finditer" | "split" => {
            Some(on.heap.list(Items { list: Vec::new(), rest: Some(found) }))
        }
        "sub" | "subn" => {
            let replacement = args.get(subject.saturating_sub(1))?.clone();
            if on.is_function(&replacement) {
                on.call(&replacement, Args::of(vec![found]));
            }
            None
        }
        _ => None,
    }
}

/// The entries of a directory, as objects with a path and a name.
fn entries_below(on: &mut Interpreter<'_>, args: &Args) -> Val {
    let directory = args.get(0).map_or_else(|| Value::known("."), Val::to_text);
    let listed = on.resolved(&directory);
    on.record(CodeEffect::List(listed));
    let mut any = Value::empty();
    any.push(Piece::AnyString);
    let below = aegish_code_library::paths::join_paths(&[directory, any]);
    on.heap.list(Items { list: Vec::new(), rest: Some(Val::Path(below)) })
}

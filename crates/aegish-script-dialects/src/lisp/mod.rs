//! Where the meaning of Lisp differs from that of the other languages: names of functions and variables, symbols as
//! values, data that becomes code, and the buffer of Emacs.
//!
//! Lists and vectors are lists, a pair whose second part is no list is a tuple, and a symbol is a library whose name
//! starts with `'`.

mod buffers;
mod called;
mod code;
mod dialect;
mod foreign;
mod formats;
mod inner;
mod lists;
mod mapped;
mod numbers;
mod output;
mod places;
mod processes;
mod remote;
mod texts;

pub use dialect::Lisp;

use crate::heap::{Binding, Cell, Items};
use crate::language::Language;
use crate::reference::Ref;
use crate::scope::ScopeKind;
use crate::value::{Args, Closure, Forgotten, LOST, Val, is_own, join};
use aegish_code_interpreter::{Interpreter, truth_of_object};
use aegish_code_library::given::HERE;
use aegish_values::{Taint, Value};
use buffers::LispBuffers;
use code::LispCode;
use easy_ext::ext;
use inner::LispInner;
use lists::LispLists;
use numbers::LispNumbers;
use output::LispOutput;
use processes::LispProcesses;
use std::rc::Rc;
use texts::LispTexts;

/// What is kept while a program is followed.
#[derive(Default)]
struct LispState {
    /// The text of the buffer.
    buffer: Option<Ref>,
    /// The file that was visited last, which saving writes.
    visited: Option<Value>,
    /// Where printed text goes; nothing for the standard output.
    output: Option<Ref>,
    /// Continuations whose call is being followed.
    continuations: Vec<i64>,
    /// A list shares items with another one, which changes of it would change too.
    shares: bool,
    /// Point is not known to be at the end of the buffer.
    moved: bool,
    /// Values that code made of data refers to.
    values: u32,
}

/// A symbol as a value.
pub(super) fn symbol_of(value: &Val) -> Option<&str> {
    match value {
        Val::Library(path) => path.strip_prefix('\''),
        _ => None,
    }
}

fn symbol(name: &str) -> Val {
    Val::Library(format!("'{name}").into())
}

/// Items of a list that are looked into; a longer one may hold anything.
const MOST_PARTS: usize = 256;

#[ext(LispCalls)]
pub(super) impl Interpreter<'_> {
    fn is_emacs(&self) -> bool {
        self.language == Language::EmacsLisp
    }

    /// Only nil and false are not true. The empty list is nil in some dialects.
    fn lisp_truth(&self, value: &Val) -> Option<bool> {
        match value {
            Val::Library(path) if path.starts_with('\'') => Some(true),
            Val::List(place) => {
                let items = self.heap.items(*place);
                match (items.list.is_empty(), &items.rest, self.is_emacs()) {
                    (false, ..) => Some(true),
                    (true, None, true) => Some(false),
                    _ => None,
                }
            }
            Val::OneOf(values) => {
                let first = self.lisp_truth(values.first()?)?;
                values.iter().all(|value| self.lisp_truth(value) == Some(first)).then_some(first)
            }
            Val::Process(_) => Some(true),
            other => truth_of_object(other),
        }
    }

    /// A name that the program does not define.
    fn lisp_builtin(&mut self, name: &str) -> Val {
        if let Some(name) = name.strip_prefix("((") {
            return self.lisp_callee(name, true);
        }
        if let Some(name) = name.strip_prefix('(') {
            return self.lisp_callee(name, false);
        }
        if let Some(name) = name.strip_prefix("#'") {
            return self.lisp_named_function(name);
        }
        if name.starts_with('\'') {
            return Val::Library(name.into());
        }
        match name {
            "AEGISH_UNKNOWN" => Val::unknown(),
            "nil" => Val::None,
            "t" | "else" => Val::Bool(true),
            "command-line-args-left"
            | "argv"
            | "command-line-args"
            | "*args*"
            | "*posix-argv*"
            | "sb-ext:*posix-argv*"
            | "uiop:*command-line-arguments*"
            | "ext:*args*" => self.lisp_arguments(name),
            "default-directory" | "*default-pathname-defaults*" => self.lisp_directory(),
            "temporary-file-directory" => Val::text("/tmp/"),
            "shell-file-name" | "explicit-shell-file-name" => Val::text("/bin/sh"),
            "load-file-name"
            | "buffer-file-name"
            | "user-emacs-directory"
            | "*load-pathname*"
            | "*load-truename*" => Val::Text(Value::unknown("path")),
            "system-type" => symbol("gnu/linux"),
            "most-positive-fixnum" | "most-negative-fixnum" | "pi" => Val::unknown(),
            _ if self.is_emacs() => Val::unknown(),
            _ => Val::Library(self.lisp_path(name)),
        }
    }

    fn lisp_arguments(&mut self, name: &str) -> Val {
        let mut list: Vec<Val> = self.around.args.iter().cloned().map(Val::Text).collect();
        if name.contains("posix-argv") || name == "command-line-args" {
            list.insert(0, Val::unknown());
        }
        let rest = Some(Val::Text(Value::unknown("argument")));
        self.heap.list(Items { list, rest })
    }

    fn lisp_directory(&mut self) -> Val {
        let directory = self.working_directory();
        let known = directory.as_known().is_some_and(|text| !text.is_empty());
        Val::Text(if known { directory } else { Value::unknown(HERE) })
    }

    /// The name under which a function is known, without its package.
    fn lisp_path(&self, name: &str) -> crate::ir::Name {
        let mut name = name.replace("::", ":");
        if !self.is_known_path(&name) && name.contains(|c: char| c.is_ascii_uppercase()) {
            name = name.to_ascii_lowercase();
        }
        if !self.is_known_path(&name) {
            if let Some((package, base)) = name.split_once(':')
                && !package.is_empty()
                && !base.is_empty()
            {
                name = base.to_owned();
            }
            if let Some(base) = name.strip_prefix("cl-").filter(|_| self.is_emacs()) {
                name = base.to_owned();
            }
        }
        self.canonical(&name)
    }

    /// The value of a variable that the program sets, and whether it is always set.
    fn lisp_bound(&self, name: &str) -> Option<(Val, bool)> {
        let mut found: Option<Val> = None;
        let mut scope = Some(Rc::clone(&self.scope));
        while let Some(at) = scope.take() {
            if at.kind != ScopeKind::Class
                && let Some(place) = at.find(name)
            {
                match self.heap.variable(place) {
                    Binding::Unbound => {}
                    Binding::Bound(value) => {
                        return Some((
                            found.map_or(value.clone(), |found| join(&found, &value)),
                            true,
                        ));
                    }
                    Binding::Maybe(value) => {
                        found = Some(found.map_or(value.clone(), |found| join(&found, &value)));
                    }
                }
            }
            scope = at.parent.clone();
        }
        found.map(|value| (value, false))
    }

    /// The function with a name, in the name space of functions.
    fn lisp_named_function(&mut self, name: &str) -> Val {
        let library = Val::Library(self.lisp_path(name));
        match self.lisp_bound(&format!("#'{name}")) {
            Some((value, true)) => value,
            Some((value, false)) => join(&value, &library),
            None if self.is_emacs() => library,
            None => match self.lisp_bound(name) {
                Some((value, _)) if may_be_called(&value) => value,
                _ => library,
            },
        }
    }

    /// What a name at the head of a call stands for. Where a text may be Common Lisp, a variable does not hide the function.
    fn lisp_callee(&mut self, name: &str, common: bool) -> Val {
        if is_inner(name) {
            return Val::Library(name.into());
        }
        if self.is_emacs() {
            return self.lisp_named_function(name);
        }
        let function = self.lisp_bound(&format!("#'{name}"));
        match self.lisp_bound(name) {
            Some((value, certain)) if may_be_called(&value) => {
                let mut all = value;
                if let Some((function, _)) = function {
                    all = join(&all, &function);
                } else {
                    let path = self.lisp_path(name);
                    if (common || !certain) && self.is_known_path(&path) {
                        all = join(&all, &Val::Library(path));
                    }
                }
                all
            }
            _ => self.lisp_named_function(name),
        }
    }

    /// Calls a function of the program. Symbols with a colon name the arguments of those that have such parameters.
    fn lisp_enter(&mut self, closure: &Rc<Closure>, args: Args) -> Val {
        let places = closure.code.positional.len();
        if closure.code.keyword_only.is_empty() {
            return self.enter(closure, args);
        }
        let mut named =
            Args { list: args.list.iter().take(places).cloned().collect(), ..args.clone() };
        let keyed =
            keyed(&Args { list: args.list.into_iter().skip(places).collect(), ..Args::default() });
        named.named.extend(keyed.named);
        if closure.code.rest.is_some() {
            named.list.extend(keyed.list);
        }
        self.enter(closure, named)
    }

    /// A call of a function of the language; none if it is not one of these.
    fn lisp_function(&mut self, path: &str, args: &Args) -> Option<Val> {
        if let Some(name) = path.strip_prefix('\'') {
            let function = match name.starts_with(':') {
                true => return Some(Val::unknown()),
                false => self.lisp_callee(name, false),
            };
            if symbol_of(&function).is_some() {
                return Some(Val::unknown());
            }
            return Some(self.call(&function, args.clone()));
        }
        if is_inner(path) {
            return Some(self.lisp_inner(path, args));
        }
        // One of several values is followed alone, where that matters.
        let special = self
            .lisp_code(path, args)
            .or_else(|| self.lisp_process(path, args))
            .or_else(|| self.lisp_output(path, args))
            .or_else(|| if self.is_emacs() { self.lisp_buffer(path, args) } else { None })
            .or_else(|| self.lisp_list(path, args))
            .or_else(|| self.lisp_text_function(path, args))
            .or_else(|| self.lisp_number(path, args));
        if special.is_some() {
            return special;
        }
        if let Some(entry) = crate::calls::find(self.language, path) {
            let mut args = keyed(args);
            if self.is_emacs() && entry.effect == crate::calls::Effect::Fetch {
                // Variables say how a request is made.
                for (variable, name) in
                    [("url-request-method", "method"), ("url-request-data", "data")]
                {
                    let set = self.lisp_bound(variable).map(|(value, _)| value);
                    args.named.extend(set.map(|value| (name.into(), value)));
                }
            }
            let args = self.lisp_functions(&args);
            return Some(self.effect_call(&entry, &args, path));
        }
        let args = self.lisp_functions(args);
        self.run_callbacks(&args, None);
        Some(self.lisp_unknown(&args))
    }

    /// Arguments with the functions of the program in place of their names.
    fn lisp_functions(&mut self, args: &Args) -> Args {
        let mut args = args.clone();
        let values = args.list.iter_mut().chain(args.named.iter_mut().map(|(_, value)| value));
        for value in values {
            if let Some(name) = symbol_of(value)
                && let Some((function, _)) = self.lisp_bound(&format!("#'{name}"))
            {
                *value = function;
            }
        }
        args
    }

    /// Something that is made of values: their texts are not kept, their functions may be in it.
    fn lisp_unknown(&mut self, args: &Args) -> Val {
        let mut taint = Taint::none();
        let (mut texts, mut callable) = (false, false);
        for value in args.values().cloned().collect::<Vec<_>>() {
            taint.absorb(&self.taint_of(&value));
            self.lisp_holds(&value, &mut texts, &mut callable, 3);
        }
        let forgotten = if callable { Forgotten::Callable } else { Forgotten::Data };
        let unknown = Val::Unknown(taint.clone(), forgotten);
        match (texts, callable) {
            (true, true) => join(&unknown, &Val::Text(Value::unknown(LOST).tainted(&taint))),
            (true, false) => Val::Text(Value::unknown(LOST).tainted(&taint)),
            _ => unknown,
        }
    }

    /// Whether a value holds texts of the program, or functions.
    fn lisp_holds(&self, value: &Val, texts: &mut bool, callable: &mut bool, depth: u32) {
        match value {
            Val::Text(text) | Val::Path(text) => {
                *texts |= is_own(text) && !text.pieces().is_empty();
            }
            Val::Library(path) if path.starts_with('\'') => {
                *callable |= self.is_known_path(path.trim_start_matches('\''));
            }
            Val::List(place) if depth > 0 => {
                let items = self.heap.items(*place);
                if items.list.len() > MOST_PARTS {
                    (*texts, *callable) = (true, true);
                    return;
                }
                for item in items.list.iter().chain(&items.rest) {
                    self.lisp_holds(item, texts, callable, depth - 1);
                }
            }
            Val::Tuple(items) | Val::OneOf(items) => {
                items.iter().for_each(|item| self.lisp_holds(item, texts, callable, depth));
            }
            Val::List(_) | Val::Dict(_) => {
                *texts = true;
                *callable = true;
            }
            other => *callable |= other.is_callable(),
        }
    }

    /// The cell of something that is kept, which holds `first` at the start.
    fn lisp_cell(&mut self, cell: Option<Ref>, first: Val) -> Ref {
        cell.unwrap_or_else(|| self.heap.alloc(Cell::Variable(Binding::Bound(first))))
    }

    fn lisp_kept(&self, cell: Ref) -> Val {
        match self.heap.variable(cell) {
            Binding::Bound(value) | Binding::Maybe(value) => value,
            Binding::Unbound => Val::None,
        }
    }
}

/// Whether a name is one that only the lowering uses.
fn is_inner(name: &str) -> bool {
    name.len() > 2 && name.starts_with('<') && name.ends_with('>')
}

/// Arguments with a symbol like `:key` before them, by their names.
fn keyed(args: &Args) -> Args {
    let mut out = Args { rest: args.rest.clone(), named: args.named.clone(), list: Vec::new() };
    let mut values = args.list.iter();
    while let Some(value) = values.next() {
        match symbol_of(value).and_then(|name| name.strip_prefix(':')) {
            Some(name) if !name.is_empty() => {
                let value = values.next().cloned().unwrap_or(Val::None);
                out.named.push((name.into(), value));
            }
            _ => out.list.push(value.clone()),
        }
    }
    out
}

/// Whether a variable may hold a function.
fn may_be_called(value: &Val) -> bool {
    match value {
        Val::Text(_)
        | Val::Int(_)
        | Val::Bool(_)
        | Val::None
        | Val::List(_)
        | Val::Tuple(_)
        | Val::Bytes(_) => false,
        Val::OneOf(values) => values.iter().any(may_be_called),
        _ => true,
    }
}

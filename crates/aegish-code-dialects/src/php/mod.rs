//! Where the meaning of PHP differs from that of the other languages.
//!
//! Variables are names with their sign; those of a function are its own, but for what it captures, declares as global
//! or gets by reference, where two names have one cell. Arrays are maps that an assignment copies.

mod callables;
mod calls;
mod constructs;
mod dialect;
mod functions;
mod methods;
mod objects;
mod requests;
mod serialized;
mod streams;

pub use dialect::Php;

use crate::heap::{Binding, Cell};
use crate::ir::Name;
use crate::reference::Ref;
use crate::scope::{Scope, ScopeKind};
use crate::value::{Args, Forgotten, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::PhpValues;
use aegish_values::{Source, Taint, Value};
use easy_ext::ext;
use std::rc::Rc;

/// What is followed for PHP only.
#[derive(Default)]
struct PhpState {
    /// Variables may come from a file that is included, or have names that are not known.
    foreign: bool,
    /// What the present call gives through its arguments, by their places.
    outputs: Vec<(usize, Val)>,
}

/// Variables that every function sees.
fn is_superglobal(name: &str) -> bool {
    matches!(
        name,
        "$GLOBALS"
            | "$_GET"
            | "$_POST"
            | "$_REQUEST"
            | "$_COOKIE"
            | "$_FILES"
            | "$_SESSION"
            | "$_SERVER"
            | "$_ENV"
            | "$HTTP_RAW_POST_DATA"
    )
}

/// What a client of a web server sends.
pub(super) fn request() -> Val {
    Val::from_source("request", Source::Network("request".to_owned()))
}

#[ext(PhpVariables)]
pub(super) impl Interpreter<'_> {
    /// Binds the arguments of the program.
    fn start_php(&mut self) {
        let list: Vec<Val> = std::iter::once(Val::text("script.php"))
            .chain(self.around.args.iter().cloned().map(Val::Text))
            .collect();
        let rest = self.around.args.is_empty().then(|| Val::Text(Value::unknown("argument")));
        let arguments = self.php_list(list, rest);
        let scope = Rc::clone(&self.scope);
        self.bind_in(&scope, &"$argv".into(), arguments);
        self.bind_in(&scope, &"$argc".into(), Val::unknown());
    }

    /// The scope that the variables of the present function are in.
    fn variables_scope(&self) -> Rc<Scope> {
        let mut scope = Rc::clone(&self.scope);
        while matches!(scope.kind, ScopeKind::Block | ScopeKind::Comprehension | ScopeKind::Class)
            && let Some(parent) = scope.parent.clone()
        {
            scope = parent;
        }
        scope
    }

    /// The value of a variable.
    fn php_variable(&mut self, name: &str) -> Val {
        if is_superglobal(name) {
            if let Some(known) = self.scope.program().find(name)
                && let Binding::Bound(value) = self.heap.variable(known)
            {
                return value;
            }
            return match name {
                "$GLOBALS" | "$_SERVER" | "$_ENV" => Val::Library(name.into()),
                "$_SESSION" => Val::unknown(),
                _ => request(),
            };
        }
        if name == "$argn" && self.has_input() && self.scope.program().find(name).is_none() {
            // A line of the input, with `-R`.
            let content = self.stdin();
            return self.any_line(&content, false).unwrap_or_else(Val::unknown);
        }
        let mut found: Option<Val> = None;
        let mut scope = Some(self.variables_scope());
        while let Some(at) = scope.take() {
            let outer = at.is_outer(name);
            if !outer && let Some(place) = at.find(name) {
                match self.heap.variable(place) {
                    Binding::Unbound => {}
                    Binding::Bound(value) => {
                        return found.map_or(value.clone(), |found| join(&found, &value));
                    }
                    Binding::Maybe(value) => {
                        found = Some(found.map_or(value.clone(), |found| join(&found, &value)));
                    }
                }
            }
            // Functions with a list of their arguments see no variables around them.
            let sealed = at.kind == ScopeKind::Function && at.find("arguments").is_some();
            if !sealed || outer || matches!(name, "$this" | "$static:") {
                scope = at.parent.clone();
            }
        }
        let missing = match name {
            "$this" | "$static:" => Val::unknown(),
            _ if name.contains(UNKNOWN_PART) => Val::unknown(),
            _ if self.state.with(|php: &mut PhpState| php.foreign) || self.uncalled => {
                Val::unknown()
            }
            _ => Val::None,
        };
        found.map_or(missing.clone(), |found| join(&found, &missing))
    }

    /// Binds a name where PHP has it: variables in their function, all others in the program.
    fn php_bind(&mut self, name: &Name, value: Val) {
        if self.scope.kind == ScopeKind::Class {
            let scope = Rc::clone(&self.scope);
            return self.bind_in(&scope, name, value);
        }
        if !name.starts_with('$') || is_superglobal(name) {
            let scope = self.scope.program();
            return self.bind_in(&scope, name, value);
        }
        let scope = self.home_of(name);
        self.bind_in(&scope, name, value);
    }

    /// The scope that a variable is in.
    fn home_of(&self, name: &str) -> Rc<Scope> {
        let mut scope = self.variables_scope();
        while (scope.is_outer(name) || matches!(scope.kind, ScopeKind::Block | ScopeKind::Class))
            && let Some(parent) = scope.parent.clone()
        {
            scope = parent;
        }
        scope
    }

    /// The cell of a variable, which is made if there is none.
    fn php_cell(&mut self, name: &Name) -> Ref {
        let scope = self.home_of(name);
        self.cell_in(&scope, name)
    }

    fn cell_in(&mut self, scope: &Scope, name: &Name) -> Ref {
        if let Some(place) = scope.find(name) {
            return place;
        }
        let place = self.heap.alloc(Cell::Variable(Binding::Unbound));
        scope.insert(name.clone(), place);
        place
    }

    /// A name that the program does not define.
    fn php_builtin(&mut self, name: &str) -> Val {
        if let Some(constant) = name.strip_prefix('#') {
            return php_constant(constant)
                .unwrap_or_else(|| Val::Library(format!("#{constant}").into()));
        }
        if name == "<variables>" {
            return Val::Variables;
        }
        Val::Library(self.canonical(name.strip_prefix(':').unwrap_or(name)))
    }

    /// Truth of a value.
    fn php_truth(&self, value: &Val) -> Option<bool> {
        match value {
            Val::Text(text) => {
                let falsy = |text: &str| matches!(text, "" | "0");
                let readings = text.readings(16)?;
                let first = falsy(readings.first()?);
                readings.iter().all(|one| falsy(one) == first).then_some(!first)
            }
            Val::Dict(place) => {
                let entries = self.heap.entries(*place);
                (entries.list.is_empty() && entries.rest.is_none()).then_some(false)
            }
            Val::List(place) => {
                let items = self.heap.items(*place);
                (items.list.is_empty() && items.rest.is_none()).then_some(false)
            }
            Val::Instance(_) | Val::Function(_) | Val::Bound(_) => Some(true),
            // A call that may fail.
            Val::File(_) | Val::Connection | Val::Process(_) | Val::Library(_) => None,
            Val::OneOf(values) => {
                let first = self.php_truth(values.first()?)?;
                values.iter().all(|value| self.php_truth(value) == Some(first)).then_some(first)
            }
            other => other.truth(),
        }
    }

    /// `echo` and `print`.
    fn php_print(&mut self, args: &Args) {
        let mut all = args.rest.is_none().then(String::new);
        for value in &args.list {
            let text = self.php_text(value);
            match (text.as_known(), &mut all) {
                (Some(text), Some(all)) => all.push_str(text),
                _ => all = None,
            }
        }
        self.print(all.as_deref());
    }
}

/// A part of the code that only the shell knows.
const UNKNOWN_PART: &str = "AEGISH_UNKNOWN";

fn forgotten() -> Val {
    Val::Unknown(Taint::none(), Forgotten::Callable)
}

/// Constants of the language.
fn php_constant(name: &str) -> Option<Val> {
    Some(match name {
        "PHP_EOL" => Val::text("\n"),
        "DIRECTORY_SEPARATOR" => Val::text("/"),
        "PATH_SEPARATOR" => Val::text(":"),
        "PHP_BINARY" => Val::text("php"),
        "PHP_OS" | "PHP_OS_FAMILY" => Val::text("Linux"),
        "STDIN" | "STDOUT" | "STDERR" => return None,
        "FILE_APPEND" => Val::Library("#FILE_APPEND".into()),
        "STR_PAD_LEFT" => Val::Int(0),
        "ENT_QUOTES" | "E_ALL" | "PHP_INT_MAX" | "M_PI" | "PHP_VERSION" | "PHP_INT_SIZE"
        | "PHP_MAJOR_VERSION" | "PHP_VERSION_ID" => Val::unknown(),
        UNKNOWN_PART => Val::unknown(),
        _ => return None,
    })
}

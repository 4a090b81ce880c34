//! Where the meaning of PowerShell differs from that of the other languages.
//!
//! A function gives the output of all its statements, and sees the variables of its caller. Names in angle brackets are
//! what the parser writes for constructs of the language. A parameter of a command is a library with a dash before its
//! name; a type is one in square brackets; an object of a type is a map that says its type.

mod binding;
mod blocks;
mod cmdlets;
mod commands;
mod dialect;
mod filters;
mod indexes;
mod items;
mod members;
mod methods;
mod network;
mod objects;
mod statics;

pub use dialect::PowerShell;

use crate::heap::{Binding, Cell, Items};
use crate::ir::{Block, Receiver};
use crate::language::Language;
use crate::reference::Ref;
use crate::scope::{Scope, ScopeKind};
use crate::value::{Args, Closure, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::given::HERE;
use aegish_code_library::{Containers, PowerShellCasts, PowerShellOperators, PowerShellValues};
use aegish_values::Value;
use blocks::PowerShellBlocks;
use commands::PowerShellCommands;
use easy_ext::ext;
use members::PowerShellMembers;
use statics::PowerShellStatics;
use std::rc::Rc;

/// The key that says the type of an object.
const TYPE: &str = "<type>";

/// State of the language.
#[derive(Default)]
struct PowerShellState {
    /// The lists that take the output of the statements being followed.
    sinks: Vec<Ref>,
    /// The next function runs in the scope of its caller.
    dotted: bool,
    /// Something that is not seen may have set variables.
    foreign: bool,
    /// Directories to go back to.
    directories: Vec<Value>,
}

#[ext(PowerShellCalls)]
pub(super) impl Interpreter<'_> {
    /// The scope of a function that is called: it sees the variables of its caller.
    fn scope_of_function(&mut self, closure: &Closure) -> Rc<Scope> {
        if closure.code.receiver == Receiver::Argument {
            return Scope::new(Some(Rc::clone(&closure.scope)), ScopeKind::Function);
        }
        if self.state.with(|shell: &mut PowerShellState| std::mem::take(&mut shell.dotted)) {
            return Rc::clone(&self.scope);
        }
        Scope::new(Some(Rc::clone(&self.scope)), ScopeKind::Function)
    }

    /// A name that the program does not define.
    fn powershell_builtin(&mut self, name: &str) -> Val {
        let Some(variable) = name.strip_prefix('$') else {
            return match name {
                "AEGISH_UNKNOWN" => Val::unknown(),
                _ if name.starts_with("function:") => Val::None,
                _ if name.starts_with('[') => Val::Library(type_name(name).into()),
                _ => Val::Library(name.into()),
            };
        };
        match variable {
            "true" => Val::Bool(true),
            "false" => Val::Bool(false),
            "null" => Val::None,
            "home" => self.env("HOME"),
            "pwd" => Val::Text(self.here()),
            "args" => {
                let list: Vec<Val> = self.around.args.iter().cloned().map(Val::Text).collect();
                let rest = Some(Val::Text(Value::unknown("argument")));
                self.heap.list(Items { list, rest })
            }
            "input" => self.stdin(),
            "shellid" => Val::text("Microsoft.PowerShell"),
            "verbosepreference" | "debugpreference" | "informationpreference" => {
                Val::text("SilentlyContinue")
            }
            "executioncontext" | "host" => Val::Library(name.into()),
            "psscriptroot" | "pscommandpath" | "profile" | "pshome" => {
                Val::Text(Value::unknown("path of the script"))
            }
            _ if is_automatic(variable)
                || self.uncalled
                || self.state.with(|shell: &mut PowerShellState| shell.foreign) =>
            {
                Val::unknown()
            }
            "aegish_unknown" => Val::unknown(),
            _ => Val::None,
        }
    }

    /// The working directory.
    fn here(&self) -> Value {
        let directory = self.working_directory();
        let known = directory.as_known().is_some_and(|text| !text.is_empty());
        if known { directory } else { Value::unknown(HERE) }
    }

    /// A construct of the language; none if the table of calls describes the call.
    fn powershell_function(&mut self, path: &str, args: &Args) -> Option<Val> {
        if !path.starts_with('<') {
            return self.powershell_static(path, args);
        }
        let first = args.get(0).cloned().unwrap_or(Val::None);
        let second = args.get(1).cloned().unwrap_or(Val::None);
        Some(match path {
            "<output>" => {
                self.give(&first);
                Val::None
            }
            "<command>" => self.command_call(args),
            "<cast>" => self.cast(&first.as_known().unwrap_or_default(), &second),
            "<as>" => match &second {
                Val::Library(of) => {
                    let of = of.trim_matches(['[', ']']).to_owned();
                    self.cast(&of, &first)
                }
                other => match other.as_known() {
                    Some(of) => self.cast(&of.to_lowercase(), &first),
                    None => first.forget(),
                },
            },
            "<array>" => {
                let items = self.powershell_items(&first);
                self.heap.list(items)
            }
            "<member>" => self.member_named(&first, &second, args.get(2)),
            "<check>" => {
                self.with_item(&second, |this| this.call_block(&first, &[], None, true));
                Val::None
            }
            "<process>" => {
                let items = self.powershell_items(&first);
                if items.list.is_empty() && items.rest.is_none() {
                    self.new_list(vec![Val::None])
                } else {
                    self.heap.list(items)
                }
            }
            "<last-input>" => {
                let input = self.lookup(&"$input".into());
                let items = self.powershell_items(&input);
                match (items.list.last(), items.rest) {
                    (Some(last), None) => last.clone(),
                    (None, None) => first,
                    (_, Some(_)) => {
                        let any = self.element(&input);
                        join(&first, &any)
                    }
                }
            }
            "<redirect>" => self.redirect(&first, &second, args),
            "<script-argument>" => self.script_argument(&first),
            "<match>" | "<cmatch>" | "<notmatch>" | "<notcmatch>" => {
                self.match_pattern(path, &first, &second)
            }
            "<code>" => self.run_code(&first),
            "<closure>" => self.run_closure(args),
            _ => return self.powershell_operator(path, args),
        })
    }

    /// Adds a value to the output of the statements being followed.
    fn give(&mut self, value: &Val) {
        match self.state.with(|shell: &mut PowerShellState| shell.sinks.last().copied()) {
            Some(place) => {
                let items = self.powershell_items(value);
                self.extend_list(place, items);
            }
            None if self.uncalled || *value == Val::None => {}
            None => self.show(value),
        }
    }

    /// Prints a value with an end of the line.
    fn show(&mut self, value: &Val) {
        let items = self.powershell_items(value);
        let mut text = items.rest.is_none().then(String::new);
        for item in &items.list {
            let one = match item {
                Val::Text(_) | Val::Int(_) | Val::Bool(_) => self.powershell_text(item),
                _ => Value::unknown("an object"),
            };
            match (&mut text, one.as_known()) {
                (Some(text), Some(one)) => {
                    text.push_str(one);
                    text.push('\n');
                }
                _ => text = None,
            }
        }
        self.print(text.as_deref());
    }

    /// Follows something and returns its output.
    fn collected(&mut self, follow: impl FnOnce(&mut Self)) -> Items {
        let sink = self.heap.list(Items::default());
        let Val::List(place) = sink else { return Items::default() };
        self.state.with(|shell: &mut PowerShellState| shell.sinks.push(place));
        follow(self);
        self.state.with(|shell: &mut PowerShellState| shell.sinks.pop());
        (*self.heap.items(place)).clone()
    }

    /// The output of statements.
    fn powershell_output_of(&mut self, body: &Block) -> Val {
        let items = self.collected(|this| {
            this.block(body);
        });
        self.unrolled(items)
    }

    /// Calls a function of the program; its value is its output.
    fn powershell_enter(&mut self, closure: &Rc<Closure>, mut args: Args) -> Val {
        if closure.code.receiver == Receiver::Argument {
            let mut value = Val::None;
            self.collected(|this| value = this.enter(closure, args));
            return value;
        }
        for parameter in closure.code.positional.iter().skip(args.list.len()) {
            if args.rest.is_some() || args.named(&parameter.name).is_some() {
                break;
            }
            let missing = if parameter.default.is_some() { Val::Bool(false) } else { Val::None };
            args.list.push(missing);
        }
        if args.named("$input").is_none() {
            args.named.push(("$input".into(), Val::None));
        }
        let mut returned = Val::None;
        let mut items = self.collected(|this| returned = this.enter(closure, args));
        // A call that is not followed again gives something unknown.
        if returned != Val::None {
            let rest = items.rest.take();
            items.rest = Some(rest.map_or(returned.clone(), |rest| join(&rest, &returned)));
            if items.list.is_empty() {
                return returned;
            }
        }
        self.unrolled(items)
    }

    /// Follows something with the present object of the pipeline.
    fn with_item<T>(&mut self, item: &Val, follow: impl FnOnce(&mut Self) -> T) -> T {
        let scope = Rc::clone(&self.scope);
        let old = scope.find("$_").map(|place| self.heap.variable(place));
        self.bind_in(&scope, &"$_".into(), item.clone());
        let value = follow(self);
        if let Some(place) = scope.find("$_") {
            self.heap.write(place, Cell::Variable(old.unwrap_or(Binding::Unbound)));
        }
        value
    }

    /// Truth of a value, if it is known.
    fn powershell_truth(&self, value: &Val) -> Option<bool> {
        match value {
            Val::List(place) => {
                let items = self.heap.items(*place);
                match (items.list.as_slice(), &items.rest) {
                    ([], None) => Some(false),
                    ([one], None) => self.powershell_truth(one),
                    ([_, _, ..], _) => Some(true),
                    _ => None,
                }
            }
            Val::Dict(_) | Val::Instance(_) | Val::Connection => Some(true),
            Val::OneOf(values) => {
                let first = self.powershell_truth(values.first()?)?;
                values
                    .iter()
                    .all(|value| self.powershell_truth(value) == Some(first))
                    .then_some(first)
            }
            other => other.truth(),
        }
    }

    /// A value as another type.
    fn cast(&mut self, of: &str, value: &Val) -> Val {
        let of = of.trim_start_matches("system.");
        if let Some(value) = self.powershell_cast(of, value) {
            return value;
        }
        match of {
            "scriptblock" | "management.automation.scriptblock" => self.code_block(value),
            "wmiclass" | "wmi" | "adsi" | "wmisearcher" => {
                Val::Unknown(self.taint_of(value), crate::value::Forgotten::Callable)
            }
            "regex" | "text.regularexpressions.regex" => {
                self.object("regex", vec![("pattern", value.clone())])
            }
            _ => value.clone(),
        }
    }

    fn script_argument(&mut self, place: &Val) -> Val {
        let args = self.around.args;
        let named = args.iter().any(|arg| arg.known_prefix().starts_with('-'));
        let place = place.as_int().and_then(|place| usize::try_from(place).ok());
        match place.and_then(|place| args.get(place)) {
            Some(value) if !named => Val::Text(value.clone()),
            _ => Val::Text(Value::unknown("argument")),
        }
    }
}

/// The usual name of a type, in square brackets.
fn type_name(name: &str) -> String {
    let inner = name.trim_start_matches('[').trim_end_matches(']');
    let short = inner.strip_prefix("system.").unwrap_or(inner);
    let known = crate::calls::alias(Language::PowerShell, &format!("[{short}]"));
    known.map_or_else(|| format!("[{short}]"), str::to_owned)
}

/// Variables that the language sets.
fn is_automatic(name: &str) -> bool {
    name.starts_with("ps")
        || name.starts_with("is")
        || name.ends_with("preference")
        || matches!(
            name,
            "_" | "$"
                | "?"
                | "^"
                | "error"
                | "event"
                | "eventargs"
                | "eventsubscriber"
                | "foreach"
                | "lastexitcode"
                | "matches"
                | "myinvocation"
                | "nestedpromptlevel"
                | "ofs"
                | "outputencoding"
                | "pid"
                | "sender"
                | "stacktrace"
                | "switch"
                | "this"
                | "consolefilename"
                | "enabledexperimentalfeatures"
        )
}

//! Functions that are handed over, called by a value, or given to a name.

use super::code::LispCode;
use super::output::LispOutput;
use super::{LispCalls, symbol, symbol_of};
use crate::value::{Args, Val, join};
use aegish_code_interpreter::Interpreter;
use easy_ext::ext;

#[ext(LispCalled)]
pub(super) impl Interpreter<'_> {
    /// Functions that are handed over are called at some time; forms too, if a timer gets them.
    fn lisp_handed(&mut self, path: &str, args: &Args) -> Val {
        if path == "advice-add" {
            // The function does something else from now on.
            if let (Some(name), Some(advice)) = (args.get(0), args.get(2)) {
                let (name, advice) = (name.clone(), advice.clone());
                if let Some(name) = symbol_of(&name) {
                    let old = self.lisp_callee(name, false);
                    let both = join(&old, &advice);
                    self.lisp_set_symbol(&symbol(name), both, false);
                }
            }
        }
        let port = (path == "call-with-output-string").then(|| self.new_list(Vec::new()));
        for value in args.list.clone() {
            let is_function = match &value {
                Val::Function(_) | Val::Bound(_) | Val::Partial(_) | Val::Library(_) => {
                    symbol_of(&value)
                        .is_none_or(|name| !name.starts_with(':') && !name.ends_with("-hook"))
                }
                Val::List(_) => path == "add-hook",
                _ => false,
            };
            if is_function {
                let list: Vec<Val> = match path.starts_with("run-") || path == "run-at-time" {
                    true => args.list.iter().skip(3).cloned().collect(),
                    false => port.clone().into_iter().collect(),
                };
                let call = Args { list, named: Vec::new(), rest: Some(Val::unknown()) };
                self.maybe(|this| this.lisp_call(&value, call));
            }
        }
        match port {
            Some(port) => self.lisp_port_text(&port),
            None => Val::unknown(),
        }
    }

    /// Calls a value: a list may be a function in Emacs.
    fn lisp_call(&mut self, function: &Val, args: Args) -> Val {
        match function {
            Val::List(_) => {
                let scope = self.scope.program();
                let function = self.lisp_eval(function, scope);
                match function {
                    Val::List(_) => Val::unknown(),
                    other => self.call(&other, args),
                }
            }
            Val::Text(_) | Val::Int(_) | Val::Bool(_) | Val::None => Val::unknown(),
            other => self.call(other, args),
        }
    }

    /// Gives a symbol a value or a function.
    fn lisp_set_symbol(&mut self, name: &Val, value: Val, variable: bool) {
        let Some(name) = symbol_of(name) else {
            // Any name may mean something else now.
            self.open = true;
            return;
        };
        let name: crate::ir::Name = match variable {
            true => name.into(),
            false => format!("#'{name}").into(),
        };
        let value = match symbol_of(&value) {
            Some(other) if !variable => self.lisp_callee(other, false),
            _ => value,
        };
        if !variable && is_form(name.trim_start_matches("#'")) {
            self.open = true;
        }
        self.bind_nearest(&name, value);
    }
}

/// Forms that are lowered as such, so that a new meaning would not be seen.
fn is_form(name: &str) -> bool {
    matches!(
        name,
        "when"
            | "unless"
            | "dolist"
            | "dotimes"
            | "push"
            | "pop"
            | "setf"
            | "incf"
            | "cl-incf"
            | "case"
            | "pcase"
            | "loop"
            | "cl-loop"
            | "with-temp-buffer"
            | "with-temp-file"
            | "ignore-errors"
            | "add-to-list"
            | "require"
            | "provide"
            | "throw"
            | "catch"
            | "return"
            | "assert"
            | "block"
            | "add-hook"
    )
}

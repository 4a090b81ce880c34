//! Lisp, as the interpreter asks for it.

use super::processes::command_words;
use super::remote::LispRemote;
use super::{LispCalls, symbol_of};
use crate::ir::Name;
use crate::value::{Args, Closure, Val};
use aegish_code_interpreter::{Dialect, Interpreter};
use aegish_code_library::given::Given;
use aegish_values::Value;
use std::rc::Rc;

/// Emacs Lisp, Scheme, Racket and Common Lisp.
pub struct Lisp;

impl Dialect for Lisp {
    fn has_few_falsehoods(&self) -> bool {
        true
    }

    fn splits_programs(&self) -> bool {
        // Dialects differ: a text with blanks was meant for a shell.
        true
    }

    fn names_file(&self, value: &Val) -> bool {
        *value != Val::None && symbol_of(value).is_none()
    }

    fn builtin(&self, on: &mut Interpreter<'_>, name: &Name) -> Val {
        on.lisp_builtin(name)
    }

    fn truth(&self, on: &Interpreter<'_>, value: &Val) -> Option<bool> {
        on.lisp_truth(value)
    }

    fn enter(&self, on: &mut Interpreter<'_>, closure: &Rc<Closure>, args: Args) -> Val {
        on.lisp_enter(closure, args)
    }

    fn call_function(&self, on: &mut Interpreter<'_>, path: &str, args: &Args) -> Option<Val> {
        on.lisp_function(path, args)
    }

    fn command_words(&self, given: &Given<'_>) -> Args {
        command_words(given)
    }

    fn file_name(&self, on: &mut Interpreter<'_>, name: Value) -> Value {
        if on.is_emacs() { on.lisp_remote(name) } else { name }
    }
}

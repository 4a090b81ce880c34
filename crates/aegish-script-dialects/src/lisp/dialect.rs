//! Lisp, as the interpreter asks for it.

use super::LispCalls;
use crate::ir::Name;
use crate::value::{Args, Closure, Val};
use aegish_code_interpreter::{Dialect, Interpreter};
use std::rc::Rc;

/// Emacs Lisp, Scheme, Racket and Common Lisp.
pub struct Lisp;

impl Dialect for Lisp {
    fn has_few_falsehoods(&self) -> bool {
        true
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
}

//! Tcl, as the interpreter asks for it.

use super::TclNames;
use super::functions::TclFunctions;
use super::variables::TclVariables;
use crate::heap::Items;
use crate::ir::Name;
use crate::value::{Args, Closure, Val};
use aegish_code_interpreter::{Dialect, Interpreter};
use aegish_values::Value;
use std::rc::Rc;

/// Tcl and Expect.
pub struct Tcl;

impl Dialect for Tcl {
    fn aliases_variables(&self) -> bool {
        true
    }

    fn lookup(&self, on: &mut Interpreter<'_>, name: &Name) -> Val {
        on.tcl_lookup(name)
    }

    fn bind(&self, on: &mut Interpreter<'_>, name: &Name, value: Val) {
        on.tcl_bind(name, value);
    }

    fn truth(&self, _on: &Interpreter<'_>, value: &Val) -> Option<bool> {
        Interpreter::tcl_truth(value)
    }

    fn text_of(&self, on: &mut Interpreter<'_>, value: &Val) -> Value {
        on.tcl_text(value)
    }

    fn iterate(&self, on: &mut Interpreter<'_>, value: &Val) -> Items {
        on.tcl_items(value)
    }

    fn enter(&self, on: &mut Interpreter<'_>, closure: &Rc<Closure>, args: Args) -> Val {
        on.tcl_enter(closure, args)
    }

    fn call_function(&self, on: &mut Interpreter<'_>, path: &str, args: &Args) -> Option<Val> {
        on.tcl_function(path, args)
    }
}

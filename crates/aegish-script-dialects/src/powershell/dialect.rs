//! PowerShell, as the interpreter asks for it.

use super::PowerShellCalls;
use super::indexes::PowerShellIndexes;
use super::members::PowerShellMembers;
use super::methods::PowerShellMethods;
use crate::heap::Items;
use crate::ir::{Block, Name};
use crate::scope::Scope;
use crate::value::{Args, Closure, Val};
use aegish_code_interpreter::{Dialect, Interpreter};
use aegish_code_library::PowerShellValues;
use aegish_values::Value;
use std::rc::Rc;

/// PowerShell.
pub struct PowerShell;

impl Dialect for PowerShell {
    fn appends_texts(&self) -> bool {
        true
    }

    fn builtin(&self, on: &mut Interpreter<'_>, name: &Name) -> Val {
        on.powershell_builtin(name)
    }

    fn truth(&self, on: &Interpreter<'_>, value: &Val) -> Option<bool> {
        on.powershell_truth(value)
    }

    fn text_of(&self, on: &mut Interpreter<'_>, value: &Val) -> Value {
        on.powershell_text(value)
    }

    fn block_value(&self, on: &mut Interpreter<'_>, body: &Block) -> Val {
        on.powershell_output_of(body)
    }

    fn iterate(&self, on: &mut Interpreter<'_>, value: &Val) -> Items {
        on.powershell_items(value)
    }

    fn attribute(&self, on: &mut Interpreter<'_>, object: &Val, name: &Name) -> Val {
        on.powershell_attribute(object, name)
    }

    fn set_attribute(&self, on: &mut Interpreter<'_>, object: &Val, name: &Name, value: Val) {
        on.powershell_set_attribute(object, name, value);
    }

    fn index(&self, on: &mut Interpreter<'_>, object: &Val, index: &Val) -> Val {
        on.powershell_index(object, index)
    }

    fn set_index(&self, on: &mut Interpreter<'_>, object: &Val, index: &Val, value: Val) {
        on.powershell_set_index(object, index, value);
    }

    fn enter(&self, on: &mut Interpreter<'_>, closure: &Rc<Closure>, args: Args) -> Val {
        on.powershell_enter(closure, args)
    }

    fn function_scope(&self, on: &mut Interpreter<'_>, closure: &Closure) -> Rc<Scope> {
        on.scope_of_function(closure)
    }

    fn call_function(&self, on: &mut Interpreter<'_>, path: &str, args: &Args) -> Option<Val> {
        on.powershell_function(path, args)
    }

    fn method(&self, on: &mut Interpreter<'_>, object: &Val, name: &str, args: Args) -> Val {
        on.powershell_method(object, name, args)
    }
}

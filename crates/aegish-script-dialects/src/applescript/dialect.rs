//! AppleScript, as the interpreter asks for it.

use super::AppleScriptFunctions;
use crate::ir::Name;
use crate::value::{Args, Val};
use aegish_code_interpreter::{Dialect, Interpreter};

/// AppleScript.
pub struct AppleScript;

impl Dialect for AppleScript {
    fn builtin(&self, on: &mut Interpreter<'_>, name: &Name) -> Val {
        on.applescript_builtin(name)
    }

    fn call_function(&self, on: &mut Interpreter<'_>, path: &str, args: &Args) -> Option<Val> {
        on.applescript_function(path, args)
    }
}

//! Names of the language and its libraries.

use super::Interpreter;
use crate::ir::Name;
use crate::language::Language;
use crate::value::Val;

impl Interpreter<'_> {
    /// A name that the program does not define.
    pub(super) fn builtin(&mut self, name: &Name) -> Val {
        if self.is_javascript() {
            return self.script_builtin(name);
        }
        if self.is_ruby() {
            return self.ruby_builtin(name);
        }
        if self.is_lua() {
            return self.lua_builtin(name);
        }
        if self.is_php() {
            return self.php_builtin(name);
        }
        if self.is_perl() {
            return self.perl_builtin(name);
        }
        match self.language {
            Language::EmacsLisp | Language::Scheme => return self.lisp_builtin(name),
            Language::Tcl => return self.tcl_builtin(name),
            Language::PowerShell => return self.powershell_builtin(name),
            Language::AppleScript => return self.applescript_builtin(name),
            _ => {}
        }
        match &**name {
            "__builtins__" => Val::Library("builtins".into()),
            "__name__" => Val::unknown(),
            "__file__" => Val::text("script.py"),
            // A part of the code that only the shell knows.
            "AEGISH_UNKNOWN" => Val::unknown(),
            _ => Val::Library(self.canonical(name)),
        }
    }

    /// Whether the table of calls knows a name.
    pub(super) fn is_known_path(&self, name: &str) -> bool {
        crate::calls::find(self.language, name).is_some()
    }

    /// The path of a library by its usual name.
    pub(super) fn canonical(&self, path: &str) -> Name {
        let mut path = path;
        let prefixes: &[&str] = match self.language {
            Language::Python => &["builtins.", "__builtin__.", "__builtins__."],
            Language::JavaScript => &["globalThis.", "global.", "window."],
            Language::Ruby => &["Kernel.", "Object.", "TOPLEVEL_BINDING."],
            Language::Lua => &["_G.", "_ENV.", "package.loaded."],
            Language::Php
            | Language::EmacsLisp
            | Language::Scheme
            | Language::Tcl
            | Language::PowerShell
            | Language::AppleScript => &[],
            Language::Perl => &["CORE.", "CORE::GLOBAL."],
        };
        while let Some(rest) = prefixes.iter().find_map(|prefix| path.strip_prefix(prefix)) {
            path = rest;
        }
        if let Some(other) = crate::calls::alias(self.language, path) {
            return other.into();
        }
        let mut end = path.len();
        while let Some(at) = path.get(..end).and_then(|head| head.rfind('.')) {
            if let (Some(other), Some(rest)) = (
                path.get(..at).and_then(|head| crate::calls::alias(self.language, head)),
                path.get(at..),
            ) {
                return format!("{other}{rest}").into();
            }
            end = at;
        }
        path.into()
    }
}

//! The languages that are lowered into the intermediate form.

use crate::ir::Program;
use crate::lowering::Lowering;
use aegish_profiles::Lang;

/// A language with a parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Python 3, and the statements of Python 2.
    Python,
    /// JavaScript and TypeScript, with JSX.
    JavaScript,
    /// Ruby 3.
    Ruby,
    /// Lua 5.
    Lua,
    /// PHP 5 to 8.
    Php,
    /// Perl 5.
    Perl,
    /// Emacs Lisp.
    EmacsLisp,
    /// Scheme, Racket and Common Lisp.
    Scheme,
    /// Tcl and Expect.
    Tcl,
    /// PowerShell.
    PowerShell,
    /// AppleScript.
    AppleScript,
}

impl Language {
    /// Returns the program that a text is.
    pub fn lower(self, code: &str, lowering: &mut Lowering) -> Program {
        match self {
            Self::Python => crate::python::lower(code, lowering),
            Self::JavaScript => crate::javascript::lower(code, lowering),
            Self::Ruby => crate::ruby::lower(code, lowering),
            Self::Lua => crate::lua::lower(code, lowering),
            Self::Php => crate::php::lower(code, lowering),
            Self::Perl => crate::perl::lower(code, lowering),
            Self::EmacsLisp => aegish_script_parsers::lisp::lower(
                aegish_script_parsers::lisp::Dialect::Emacs,
                code,
                lowering,
            ),
            Self::Scheme => aegish_script_parsers::lisp::lower(
                aegish_script_parsers::lisp::Dialect::Scheme,
                code,
                lowering,
            ),
            Self::Tcl => aegish_script_parsers::tcl::lower(code, lowering),
            Self::PowerShell => aegish_script_parsers::powershell::lower(code, lowering),
            Self::AppleScript => aegish_script_parsers::applescript::lower(code, lowering),
        }
    }

    /// The language as an effect names it.
    #[must_use]
    pub fn lang(self) -> Lang {
        match self {
            Self::Python => Lang::Python,
            Self::JavaScript => Lang::Node,
            Self::Ruby => Lang::Ruby,
            Self::Lua => Lang::Lua,
            Self::Php => Lang::Php,
            Self::Perl => Lang::Perl,
            Self::EmacsLisp => Lang::Emacs,
            Self::Scheme => Lang::Scheme,
            Self::Tcl => Lang::Tcl,
            Self::PowerShell => Lang::Powershell,
            Self::AppleScript => Lang::Osascript,
        }
    }
}

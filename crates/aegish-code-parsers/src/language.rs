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
        }
    }
}

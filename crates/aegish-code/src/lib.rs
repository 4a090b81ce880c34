//! Program text of inner languages → what it would do.
//!
//! Takes code of a language that `aegish-code-parsers` lowers into its intermediate form, and follows that with the
//! abstract interpreter (`aegish-code-interpreter`) and the meaning of the language (`aegish-code-dialects`,
//! `aegish-script-dialects`). What calls of libraries do is data (`data/calls`). Gives the [`CodeEffect`]s of a run. Text
//! that the parser rejects is followed as far as it was read, and reported as [`CodeEffect::Hidden`].

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

use aegish_code_dialects::{JavaScript, Lua, Perl, Php, Python, Ruby};
pub use aegish_code_effects::{ANY_INPUT, CodeContext, CodeEffect, SessionFiles};
use aegish_code_interpreter::{Dialect, Interpreter};
pub use aegish_code_parsers::language::Language;
use aegish_code_parsers::lowering::Lowering;
pub use aegish_code_parsers::template;
use aegish_script_dialects::{AppleScript, Lisp, PowerShell, Tcl};

/// Returns the effects of code of a language with a parser.
#[must_use]
pub fn follow(language: Language, code: &str, around: &CodeContext<'_>) -> Vec<CodeEffect> {
    let mut lowering = Lowering::default();
    let program = language.lower(code, &mut lowering);
    let dialect = dialect_of(language);
    Interpreter::new(language, dialect, around, &mut lowering, &program).run(&program)
}

fn dialect_of(language: Language) -> &'static dyn Dialect {
    match language {
        Language::Python => &Python,
        Language::JavaScript => &JavaScript,
        Language::Ruby => &Ruby,
        Language::Lua => &Lua,
        Language::Php => &Php,
        Language::Perl => &Perl,
        Language::EmacsLisp | Language::Scheme => &Lisp,
        Language::Tcl => &Tcl,
        Language::PowerShell => &PowerShell,
        Language::AppleScript => &AppleScript,
    }
}

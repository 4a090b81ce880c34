//! Program text of inner languages → what it would do.
//!
//! Takes code of a language that `aegish-code-parsers` lowers into its intermediate form ([`ir`]), and follows that
//! with an abstract interpreter ([`interpret`]). What calls of libraries do is data (`data/calls`). Gives the
//! [`CodeEffect`]s of a run. Text that the parser rejects is followed as far as it was read, and reported as
//! [`CodeEffect::Hidden`].

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod interpret;

use aegish_calls as calls;
use aegish_code_effects as effect;
pub use aegish_code_effects::{CodeContext, CodeEffect};
use aegish_code_effects::{decode, operand};
use aegish_code_memory::{heap, limits, numbers, reference, scope, value};
pub use aegish_code_parsers::language::Language;
pub use aegish_code_parsers::template;
use aegish_code_parsers::{ir, language, lowering};

/// Returns the effects of code of a language with a parser.
#[must_use]
pub fn follow(language: Language, code: &str, around: &CodeContext<'_>) -> Vec<CodeEffect> {
    let mut lowering = lowering::Lowering::default();
    let program = language.lower(code, &mut lowering);
    interpret::Interpreter::new(language, around, &mut lowering, &program).run(&program)
}

//! One reader for the general-purpose languages.
//!
//! Takes a language and program text, gives the effects found in code position. A shared lexer (`lex`) reads
//! the text with the `dialect` of the language. An abstract interpreter (`statements`, `operand`) reads the
//! tokens once, follows names, assignments and texts made of known parts (`pure`), and looks up each call in
//! the call table of the language (`tables`, `evaluate`). All branches are evaluated, and loops once.
//! Fuel in proportion to the text bounds the work; if it runs out, [`CodeEffect::Hidden`] is reported.

mod block;
mod brackets;
mod call;
mod call_effect;
mod callbacks;
mod cursor;
mod define;
mod dialect;
mod evaluate;
mod files;
mod heredoc;
mod import;
mod interpolate;
mod interpreter;
mod lex;
mod member;
mod net;
mod object;
mod operand;
mod operators;
mod postfix;
mod pure;
mod quotes;
mod run;
mod statements;
mod streams;
mod tables;
#[cfg(test)]
mod tests;
mod texts;

use crate::{CodeContext, CodeEffect};
use aegish_code_effects::decode;
use aegish_profiles::Lang;

/// Returns the effects of code of a general-purpose language.
#[must_use]
pub fn scan(lang: Lang, code: &str, around: &CodeContext<'_>) -> Vec<CodeEffect> {
    let Some(dialect) = dialect::of(lang) else { return Vec::new() };
    let tokens = lex::lex(dialect, code);
    let mut interpreter = interpreter::Interpreter::new(dialect, around, &tokens);
    interpreter.program();
    interpreter.finish()
}

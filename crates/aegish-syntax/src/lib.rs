//! Bash text → syntax tree with spans.
//!
//! Takes the text of a command line or script, gives a [`Script`]. Knows the grammar of Bash 5.2 and
//! nothing about any program. It never panics, never runs anything and never loops: nesting, input
//! length and work are bounded by [`Limits`], and reaching a bound is a [`SyntaxError`].
//!
//! Bash reads, parses and runs one complete command (in practice: one logical line) after the other,
//! so text after a syntax error does not undo what stood before it. [`parse`] therefore always
//! returns the commands that Bash would have run, together with the error that stopped it.

//!
//! # Refused although Bash accepts it
//!
//! Each of these is an error here, never a silent loss:
//!
//! * single quotes inside `"${x-…}"` or a subscript around a lone `}`, `"`, backtick or `$(`, which Bash
//!   reads in two ways;
//! * `{name[…]}>f` with a subscript that is expanded;
//! * a here-document left open by `$(…)` that ends oddly or begins inside of quotes;
//! * `!(…)` with text right behind it, and `$!(…)`, `$?(…)` (only with `extglob`);
//! * `$(time)`, `$(!)`, a coprocess whose name is an expansion.
//!
//! `!(…)` where a command may start is read as a negated subshell, which it is unless `extglob` is
//! on. After some errors (inside of an array literal, for one) Bash goes on with the next line, so
//! an error never proves that the rest does not run.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod assign;
mod ast;
mod brace;
mod commands;
mod comment;
mod compound;
mod cond;
mod cursor;
mod heredoc;
pub mod history;
mod keyword;
mod param;
mod quotes;
mod redirect;
mod scan;
mod span;
mod subst;
mod walk;
mod word;

pub use ast::*;
pub use brace::expand_braces;
pub use comment::Comment;
pub use span::Span;

use cursor::Parser;
use quotes::ExpandedText;

/// Parses with the default [`Limits`].
#[must_use]
pub fn parse(source: &str) -> Script {
    parse_with(source, &Limits::default())
}

/// Parses `source`. The error, if there is one, says why a part is missing from the body.
#[must_use]
pub fn parse_with(source: &str, limits: &Limits) -> Script {
    let mut script = Script::default();
    if let Some(error) = refusal(source, limits) {
        script.error = Some(error);
        return script;
    }
    let mut parser = Parser::new(source, limits);
    let result = parser.lines(&mut script);
    script.error = result.err().or(parser.deferred).map(|error| *error);
    script.comments = parser.comments;
    script.comments.sort();
    script.comments.dedup();
    script.here_docs = parser.here_docs;
    script
}

/// Whether an interactive shell would ask for another line: the text ends inside a construct, before
/// the delimiter of a here-document, or with a backslash.
#[must_use]
pub fn wants_more(source: &str) -> bool {
    let limits = Limits::default();
    if refusal(source, &limits).is_some() {
        return false;
    }
    let mut script = Script::default();
    let mut parser = Parser::new(source, &limits);
    match parser.lines(&mut script) {
        Err(error) => error.kind == SyntaxErrorKind::Incomplete,
        Ok(()) => {
            let backslashes = source.bytes().rev().take_while(|byte| *byte == b'\\').count();
            parser.open_here_doc || backslashes % 2 == 1
        }
    }
}

/// Parses text that Bash expands like the inside of double quotes, although it is not quoted: arithmetic, a
/// prompt, a variable that is expanded again.
///
/// # Errors
///
/// If an expansion in the text is not closed or invalid, or a bound is reached.
pub fn parse_double_quoted(text: &str) -> Result<Word, SyntaxError> {
    let limits = Limits::default();
    if let Some(error) = refusal(text, &limits) {
        return Err(error);
    }
    let mut parser = Parser::new(text, &limits);
    let mut word = parser.text_word(ExpandedText::Here).map_err(|error| *error)?;
    parser.close_here_docs();
    parser.place_here_docs_in_parts(&mut word.parts);
    parser.deferred.map_or(Ok(word), |error| Err(*error))
}

/// Refuses text that is too long or that Bash cannot represent.
fn refusal(source: &str, limits: &Limits) -> Option<SyntaxError> {
    let bound = limits.max_bytes.min(u32::MAX as usize - 1);
    if source.len() > bound {
        return Some(SyntaxError {
            kind: SyntaxErrorKind::Limit,
            span: Span::new(0, source.len()),
            message: "the text is too long".to_owned(),
        });
    }
    let nul = source.bytes().position(|byte| byte == 0)?;
    Some(SyntaxError {
        kind: SyntaxErrorKind::Invalid,
        span: Span::new(nul, nul + 1),
        message: "the text contains a NUL byte".to_owned(),
    })
}

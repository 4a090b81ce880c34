//! Tcl 8 and Expect: text → intermediate form, by an own parser.
//!
//! A script is commands, a command is words. Words that a known command takes as code are lowered with it, if their text
//! is constant; otherwise the evaluator gets them as values and evaluates them. Variables are names that begin with `$`,
//! commands are plain names. What the intermediate form has no node for is a call of a name in angle brackets. Nesting
//! is bounded by the lowering; text behind a mistake is not read.

mod commands;
mod control;
mod definitions;
mod escapes;
mod expect;
mod expressions;
pub mod lists;
mod loops;
mod switches;
mod words;

use crate::ir::{
    Argument, Block, Call, CallKind, Constant, Expr, Name, Program, Statement, Target,
};
use crate::limits::MAX_TEXT;
use crate::lowering::Lowering;
pub use commands::{define_command, is_special, split_name};
use std::rc::Rc;
use words::{Cursor, Until, Word};

/// A part of the code that only the shell knows.
const UNKNOWN_PART: &str = "AEGISH_UNKNOWN";

/// Before the text of an expression, which the evaluator hands over as code.
pub const EXPRESSION: &str = "\u{1}expression\u{1}";

/// Before a text whose substitutions the evaluator hands over as code.
pub const SUBSTITUTION: &str = "\u{1}substitution\u{1}";

/// A mistake in the text, or too much nesting.
#[derive(Debug, Clone, Copy)]
struct Rejected;

type Parsed<T> = Result<T, Rejected>;

/// What becomes of the value of a script.
#[derive(Debug, Clone)]
enum Mode {
    /// Nothing.
    Drop,
    /// It is the value of the last statement.
    Value,
    /// The function gives it.
    Tail,
    /// A variable gets it.
    Into(Name),
}

struct Tcl<'a> {
    lowering: &'a mut Lowering,
    /// `expect` commands around.
    expects: u32,
    /// Whether clauses of the present `expect` wait again.
    again: bool,
}

/// Returns the program that a text is.
#[must_use]
pub fn lower(code: &str, lowering: &mut Lowering) -> Program {
    if code.len() > MAX_TEXT {
        return Program { body: Vec::new(), cut: true, size: 0 };
    }
    lowering.size = 0;
    lowering.cut = false;
    let level = lowering.level();
    let mut tcl = Tcl { lowering, expects: 0, again: false };
    let mut body = Vec::new();
    let read = if let Some(text) = code.strip_prefix(EXPRESSION) {
        tcl.expression(text).map(|value| body.push(Statement::Expr(value)))
    } else if let Some(text) = code.strip_prefix(SUBSTITUTION) {
        tcl.substitution(text).map(|value| body.push(Statement::Expr(value)))
    } else {
        tcl.script(&mut Cursor::new(code), Until::End, &Mode::Value, &mut body)
    };
    if read.is_err() {
        lowering.cut = true;
        lowering.back_to(level);
    }
    Program { body, cut: lowering.cut, size: lowering.size }
}

impl Tcl<'_> {
    /// A call of a command by its name.
    fn call(&mut self, name: &str, arguments: Vec<Argument>) -> Expr {
        self.call_of(Expr::Name(Lowering::name(name)), arguments)
    }

    fn call_of(&mut self, function: Expr, arguments: Vec<Argument>) -> Expr {
        let site = self.lowering.site();
        self.lowering.size += 1;
        Expr::Call(Box::new(Call { function, arguments, site, kind: CallKind::Plain }))
    }

    /// A call with values.
    fn call_with(&mut self, name: &str, values: Vec<Expr>) -> Expr {
        self.call(name, values.into_iter().map(Argument::One).collect())
    }

    /// A variable of the lowering's own.
    fn temporary(&mut self) -> Name {
        let site = self.lowering.site();
        Rc::from(format!("$<{site}>"))
    }

    /// Adds the value of a command.
    fn give(mode: &Mode, value: Expr, out: &mut Block) {
        out.push(match mode {
            Mode::Drop | Mode::Value => Statement::Expr(value),
            Mode::Tail => Statement::Return(Some(value)),
            Mode::Into(name) => Statement::Assign(vec![Target::Name(name.clone())], value),
        });
    }

    /// Adds the empty value of a command whose value does not matter, where one is expected.
    fn give_nothing(mode: &Mode, out: &mut Block) {
        if !matches!(mode, Mode::Drop) {
            Self::give(mode, text(""), out);
        }
    }

    /// Adds a command of several statements that assign its value to a variable.
    fn give_through(
        &mut self,
        mode: &Mode,
        out: &mut Block,
        lower: impl FnOnce(&mut Self, &Mode, &mut Block) -> Parsed<()>,
    ) -> Parsed<()> {
        if !matches!(mode, Mode::Value) {
            return lower(self, mode, out);
        }
        let name = self.temporary();
        out.push(Statement::Assign(vec![Target::Name(name.clone())], text("")));
        lower(self, &Mode::Into(name.clone()), out)?;
        out.push(Statement::Expr(Expr::Name(name)));
        Ok(())
    }

    /// The statements of a text that is code. It is read when it is run: a mistake in it does not end the text around it.
    fn body(&mut self, code: &str, mode: &Mode) -> Block {
        let mut out = Vec::new();
        let level = self.lowering.level();
        if self.lowering.enter() {
            let read = self.script(&mut Cursor::new(code), Until::End, mode, &mut out);
            self.lowering.cut |= read.is_err();
            self.lowering.back_to(level);
        }
        if out.is_empty() {
            Self::give_nothing(mode, &mut out);
        }
        out
    }

    /// The statements of a word that is code.
    fn body_of(&mut self, word: Word, mode: &Mode) -> Block {
        match word.literal() {
            Some(code) => self.body(code, mode),
            None => {
                let value = word.value();
                let value = self.call_with("eval", vec![value]);
                let mut out = Vec::new();
                Self::give(mode, value, &mut out);
                out
            }
        }
    }

    /// The value of a word that is an expression.
    fn condition(&mut self, word: Word) -> Expr {
        let Some(code) = word.literal() else {
            let value = word.value();
            return self.call_with("expr", vec![value]);
        };
        let level = self.lowering.level();
        self.expression(code).unwrap_or_else(|_| {
            self.lowering.cut = true;
            self.lowering.back_to(level);
            Expr::Unknown
        })
    }
}

/// Statements as one value.
fn value_of(mut body: Block) -> Expr {
    if body.len() == 1
        && matches!(body.first(), Some(Statement::Expr(_)))
        && let Some(Statement::Expr(value)) = body.pop()
    {
        return value;
    }
    if body.is_empty() { text("") } else { Expr::Block(body) }
}

fn text(value: &str) -> Expr {
    Expr::Constant(Constant::Text(Rc::from(value)))
}

/// A constant text; parts that only the shell knows are values of their own.
fn constant(value: &str) -> Expr {
    if !value.contains(UNKNOWN_PART) {
        return text(value);
    }
    let mut parts = Vec::new();
    for (place, part) in value.split(UNKNOWN_PART).enumerate() {
        if place > 0 {
            parts.push(Expr::Name(Lowering::name(UNKNOWN_PART)));
        }
        if !part.is_empty() {
            parts.push(text(part));
        }
    }
    Expr::Build(parts)
}

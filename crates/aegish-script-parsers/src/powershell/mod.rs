//! PowerShell 5 and 7: text → intermediate form, by an own parser.
//!
//! The text is read in two modes, as the language does: a statement that starts with a value is an expression, any other
//! is a command made of words. What the intermediate form has no node for is a call of a function with a name in angle
//! brackets, which the interpreter knows: `<command>` runs a command, `<output>` gives a value to whoever reads the output
//! of the statements. A block as an expression stands for the output of its statements. Names are in lower case, those
//! of variables start with `$`. Nesting is bounded by the lowering; text behind a mistake is not read.

mod arguments;
mod classes;
mod commands;
mod cursor;
mod expressions;
mod functions;
mod loops;
mod primary;
mod statements;
mod strings;
mod variables;

use crate::ir::{Argument, Block, Call, CallKind, Constant, Expr, Program, Statement};
use crate::limits::MAX_TEXT;
use crate::lowering::Lowering;
use std::rc::Rc;

/// A mistake in the text, or too much nesting.
#[derive(Debug, Clone, Copy)]
struct Rejected;

type Parsed<T> = Result<T, Rejected>;

struct Reader<'a> {
    text: &'a str,
    at: usize,
    lowering: &'a mut Lowering,
    /// What the statements around belong to.
    body: BodyKind,
    /// What the attributes in front of a parameter said.
    seen: functions::Seen,
}

/// What statements belong to: it says what `return` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyKind {
    /// Its output is its value.
    Function,
    /// Its value is what it returns.
    Method,
    /// It is followed for each object of the pipeline.
    Process,
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
    let text = code.trim_start_matches('\u{feff}');
    let mut reader = Reader {
        text,
        at: 0,
        lowering,
        body: BodyKind::Function,
        seen: functions::Seen::default(),
    };
    let body = reader.program();
    lowering.back_to(level);
    Program { body, cut: lowering.cut, size: lowering.size }
}

impl Reader<'_> {
    /// The statements up to the first mistake.
    fn program(&mut self) -> Block {
        let mut out = Vec::new();
        self.separators();
        if self.script_parameters(&mut out).is_err() {
            self.lowering.cut = true;
            return out;
        }
        loop {
            self.separators();
            if self.is_end() {
                return out;
            }
            if self.statement(&mut out).is_err() || !self.ends_statement() {
                self.lowering.cut = true;
                return out;
            }
        }
    }

    fn enter(&mut self) -> Parsed<()> {
        if self.lowering.enter() { Ok(()) } else { Err(Rejected) }
    }

    /// A call of a function of the interpreter.
    fn call(&mut self, name: &str, values: Vec<Expr>) -> Expr {
        let arguments = values.into_iter().map(Argument::One).collect();
        self.call_with(Expr::Name(Lowering::name(name)), arguments)
    }

    fn call_with(&mut self, function: Expr, arguments: Vec<Argument>) -> Expr {
        let site = self.lowering.site();
        Expr::Call(Box::new(Call { function, arguments, site, kind: CallKind::Plain }))
    }

    /// A statement that gives a value as output.
    fn output(&mut self, value: Expr) -> Statement {
        Statement::Expr(self.call("<output>", vec![value]))
    }
}

fn text(value: &str) -> Expr {
    Expr::Constant(Constant::Text(Rc::from(value)))
}

fn null() -> Expr {
    Expr::Constant(Constant::None)
}

fn bool(value: bool) -> Expr {
    Expr::Constant(Constant::Bool(value))
}

fn name(value: &str) -> Expr {
    Expr::Name(Lowering::name(value))
}

//! Lua 5.1 to 5.4: text → intermediate form, by an own parser.
//!
//! The grammar is small, and the parsers there are overflow the stack or take a second for a megabyte. A call and `...`
//! may stand for several values; where only one counts, the expression is wrapped in a sequence of one. Fields are
//! subscripts with a text. Nesting is bounded by the lowering; text behind a mistake is not read.

mod expressions;
mod lexer;
mod statements;

use crate::ir::{Constant, Expr, Name, Program};
use crate::limits::MAX_TEXT;
use crate::lowering::Lowering;
use lexer::{Lexer, Token};
use std::collections::HashSet;
use std::rc::Rc;

/// The parameter that stands for all further arguments.
const REST: &str = "...";

/// A mistake in the text, or too much nesting.
#[derive(Debug, Clone, Copy)]
struct Rejected;

type Parsed<T> = Result<T, Rejected>;

struct Lua<'a> {
    lexer: Lexer<'a>,
    token: Token,
    lowering: &'a mut Lowering,
    /// Local variables, one set for each block.
    scopes: Vec<HashSet<Name>>,
    /// Loops around; `goto continue` goes on with the innermost.
    loops: u32,
}

/// Returns the program that a text is.
pub(crate) fn lower(code: &str, lowering: &mut Lowering) -> Program {
    if code.len() > MAX_TEXT {
        return Program { body: Vec::new(), cut: true, size: 0 };
    }
    lowering.size = 0;
    lowering.cut = false;
    let mut lexer = Lexer::new(code);
    let token = lexer.next();
    let mut lua = Lua { lexer, token, lowering, scopes: Vec::new(), loops: 0 };
    let body = lua.program();
    Program { body, cut: lowering.cut, size: lowering.size }
}

impl Lua<'_> {
    fn advance(&mut self) -> Token {
        let next = self.lexer.next();
        std::mem::replace(&mut self.token, next)
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(&self.token, Token::Symbol(known) if *known == symbol)
    }

    fn takes(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, symbol: &str) -> Parsed<()> {
        if self.takes(symbol) { Ok(()) } else { Err(Rejected) }
    }

    fn name(&mut self) -> Parsed<Name> {
        match self.advance() {
            Token::Name(name) => Ok(name),
            _ => Err(Rejected),
        }
    }

    fn is_local(&self, name: &str) -> bool {
        self.scopes.iter().any(|scope| scope.contains(name))
    }

    fn declare(&mut self, name: &Name) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.clone());
        }
    }

    /// A variable. Global ones are fields of `_ENV`, which a program may replace.
    fn variable(&self, name: Name) -> Expr {
        if !self.is_local(&name) && self.is_local("_ENV") {
            return field(Expr::Name(Lowering::name("_ENV")), &name);
        }
        Expr::Name(name)
    }
}

fn text(value: &str) -> Expr {
    Expr::Constant(Constant::Text(Rc::from(value)))
}

fn nil() -> Expr {
    Expr::Constant(Constant::None)
}

fn field(object: Expr, name: &str) -> Expr {
    Expr::Index(Box::new([object, text(name)]))
}

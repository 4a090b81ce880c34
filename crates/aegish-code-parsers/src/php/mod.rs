//! PHP 5 to 8: text → intermediate form, by an own parser.
//!
//! The parser there is (`mago-syntax`) brings a file watcher and a thread pool with it. Variables are names with their
//! sign (`$x`), functions and methods names in lower case, classes names behind `:` with dots, constants names behind
//! `#`, properties attributes with a sign. Arrays are maps. Nesting is bounded by the lowering; behind a mistake the
//! next statement is read, and the program is marked as cut.

mod classes;
mod expressions;
mod functions;
mod imports;
mod lexer;
mod loops;
mod names;
mod operands;
mod statements;
mod strings;
mod targets;

use crate::ir::{
    Argument, Arguments, Body, Call, CallKind, Constant, Expr, Function, Name, Program, Receiver,
    Statement,
};
use crate::limits::MAX_TEXT;
use crate::lowering::Lowering;
use lexer::{Lexer, Token};
use std::rc::Rc;

/// The key of an item that is added behind the others.
const APPEND: &str = "<append>";

/// Longest chain of subscripts, attributes and calls.
const MAX_CHAIN: u32 = 250;

/// A mistake in the text, or too much nesting.
#[derive(Debug, Clone, Copy)]
struct Rejected;

type Parsed<T> = Result<T, Rejected>;

/// The class around, and how the present method is called.
#[derive(Debug, Clone, Default)]
struct Around {
    class: Option<Name>,
    is_static: bool,
}

/// A loop or a switch.
#[derive(Debug, Default)]
struct Loop {
    is_switch: bool,
    /// What assigns the item back to the list that it came from.
    back: Option<(Name, Expr)>,
    /// Its name, if a statement deeper inside leaves it.
    label: Option<Name>,
}

struct Php<'a> {
    lexer: Lexer<'a>,
    token: Token,
    lowering: &'a mut Lowering,
    /// Present namespace with dots; empty outside of any.
    namespace: String,
    /// Imported names: the last part in lower case, and the full name.
    classes: Vec<(String, String)>,
    functions: Vec<(String, String)>,
    around: Around,
    /// Name of the function around.
    function: Name,
    loops: Vec<Loop>,
    /// Declarations that exist before the first statement runs.
    hoisted: Vec<Statement>,
    /// Inside of how many blocks that may not be run.
    conditional: u32,
    temporaries: u32,
}

/// Returns the program that a text is.
pub(crate) fn lower(code: &str, lowering: &mut Lowering) -> Program {
    if code.len() > MAX_TEXT {
        return Program { body: Vec::new(), cut: true, size: 0 };
    }
    lowering.size = 0;
    lowering.cut = false;
    let code = code.strip_prefix('\u{feff}').unwrap_or(code);
    let code = match code.strip_prefix("#!") {
        Some(rest) => rest.split_once('\n').map_or("", |(_, rest)| rest),
        None => code,
    };
    let page = code.trim_start().starts_with('<');
    let mut body = Vec::new();
    let mut cut = false;
    if !page {
        body = program(code, false, lowering);
        cut = lowering.cut;
    }
    // Text in front of the code: only a run tells whether the code is given without a tag.
    if page || code.contains("<?") {
        lowering.cut = false;
        let more = program(code, true, lowering);
        if cut || page {
            body = more;
            cut = lowering.cut;
        } else {
            body.push(page_of(more, lowering));
        }
    }
    lowering.cut = cut;
    Program { body, cut, size: lowering.size }
}

/// The second reading of a text: code whose output does not count.
fn page_of(body: Vec<Statement>, lowering: &mut Lowering) -> Statement {
    lowering.functions += 1;
    let function = Function {
        id: lowering.functions,
        name: "<page>".into(),
        positional: Vec::new(),
        rest: None,
        keyword_only: Vec::new(),
        named_rest: None,
        body: Body::Block(body),
        generator: false,
        receiver: Receiver::Lexical,
        arguments: Arguments::Unnamed,
        sees_itself: false,
    };
    let arguments = vec![Argument::One(Expr::Function(Rc::new(function)))];
    let function = Expr::Name("<page>".into());
    let site = lowering.site();
    Statement::Expr(Expr::Call(Box::new(Call { function, arguments, site, kind: CallKind::Plain })))
}

fn program(code: &str, html: bool, lowering: &mut Lowering) -> Vec<Statement> {
    let mut lexer = Lexer::new(code, html);
    let token = lexer.next();
    let mut php = Php {
        lexer,
        token,
        lowering,
        namespace: String::new(),
        classes: Vec::new(),
        functions: Vec::new(),
        around: Around::default(),
        function: "".into(),
        loops: Vec::new(),
        hoisted: Vec::new(),
        conditional: 0,
        temporaries: 0,
    };
    let body = php.program();
    // Twice: a class may be made of one that stands behind it, or of its own constants.
    let mut first = php.hoisted;
    let classes: Vec<Statement> = first.iter().filter_map(class_again).collect();
    first.extend(classes);
    first.into_iter().chain(body).collect()
}

impl Php<'_> {
    fn advance(&mut self) -> Token {
        let next = self.lexer.next();
        std::mem::replace(&mut self.token, next)
    }

    /// The token behind the present one.
    fn peek(&self) -> Token {
        let mut lexer = self.lexer;
        lexer.next()
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(&self.token, Token::Symbol(known) if *known == symbol)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(&self.token, Token::Name(name) if name.eq_ignore_ascii_case(word))
    }

    fn takes(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        if found {
            self.advance();
        }
        found
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, symbol: &str) -> Parsed<()> {
        if self.takes(symbol) { Ok(()) } else { Err(Rejected) }
    }

    /// An identifier, which may be a keyword.
    fn identifier(&mut self) -> Parsed<Rc<str>> {
        match self.advance() {
            Token::Name(name) => Ok(name),
            _ => Err(Rejected),
        }
    }

    fn call(&mut self, function: Expr, arguments: Vec<Argument>) -> Expr {
        let site = self.lowering.site();
        Expr::Call(Box::new(Call { function, arguments, site, kind: CallKind::Plain }))
    }

    /// A call of a function of the interpreter.
    fn builtin(&mut self, name: &str, values: Vec<Expr>) -> Expr {
        let arguments = values.into_iter().map(Argument::One).collect();
        self.call(Expr::Name(name.into()), arguments)
    }

    /// A variable that the text cannot name.
    fn temporary(&mut self) -> Name {
        self.temporaries += 1;
        format!("$<{}>", self.temporaries).into()
    }
}

fn class_again(statement: &Statement) -> Option<Statement> {
    match statement {
        Statement::Class { class, .. } => {
            Some(Statement::Class { class: Rc::clone(class), decorators: Vec::new() })
        }
        _ => None,
    }
}

fn text(value: &str) -> Expr {
    Expr::Constant(Constant::Text(Rc::from(value)))
}

fn bytes(value: &[u8]) -> Expr {
    match std::str::from_utf8(value) {
        Ok(known) => text(known),
        Err(_) => Expr::Constant(Constant::Bytes(value.into())),
    }
}

fn null() -> Expr {
    Expr::Constant(Constant::None)
}

fn variable(name: &str) -> Expr {
    Expr::Name(format!("${name}").into())
}

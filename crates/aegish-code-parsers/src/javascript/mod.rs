//! JavaScript and TypeScript: text → intermediate form, by the parser of oxc.
//!
//! The text does not say which of its dialects it is written in, so several are tried: a script, a module, TypeScript.
//! Text that no dialect accepts gives the statements that could be read, marked as not understood as a whole. The parser
//! recurses; [`nesting`] bounds its depth before it sees the text.

mod classes;
mod expressions;
mod functions;
mod nesting;
mod operators;
mod patterns;
mod statements;

pub use classes::{FIELDS, setter_name};

use crate::ir::{Name, Program, Statement};
use crate::limits::MAX_TEXT;
use crate::lowering::Lowering;
use oxc_allocator::Allocator;
use oxc_parser::{ParseOptions, Parser, ParserReturn};
use oxc_span::SourceType;

/// Stack that the parser may use. The bound on nesting keeps it below that.
const STACK: usize = 32 << 20;

/// Returns the program that a text is.
pub(crate) fn lower(code: &str, lowering: &mut Lowering) -> Program {
    if code.len() > MAX_TEXT || nesting::is_too_deep(code) {
        return Program { body: Vec::new(), cut: true, size: 0 };
    }
    lowering.size = 0;
    lowering.cut = false;
    let allocator = Allocator::default();
    let body = stacker::grow(STACK, || match parse(&allocator, code) {
        Some(parsed) => {
            lowering.cut = hides_code(code, &parsed);
            Javascript::new(lowering).program(&parsed.program)
        }
        None => {
            lowering.cut = true;
            Vec::new()
        }
    });
    Program { body, cut: lowering.cut, size: lowering.size }
}

/// The text in the first dialect that accepts it; otherwise the dialect that reads the most of it.
fn parse<'a>(allocator: &'a Allocator, code: &'a str) -> Option<ParserReturn<'a>> {
    let typescript = SourceType::ts();
    let dialects = [
        SourceType::cjs().with_jsx(true),
        SourceType::mjs().with_jsx(true),
        typescript.with_module(true),
        typescript.with_script(true),
        typescript.with_module(true).with_jsx(true),
    ];
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    let mut best: Option<ParserReturn<'a>> = None;
    for dialect in dialects {
        let parsed = Parser::new(allocator, code, dialect).with_options(options).parse();
        if !parsed.panicked && !parsed.diagnostics.has_errors() {
            return Some(parsed);
        }
        let statements = |parsed: &ParserReturn<'_>| parsed.program.body.len();
        if best.as_ref().is_none_or(|best| statements(&parsed) > statements(best)) {
            best = Some(parsed);
        }
    }
    best
}

/// Whether another dialect would run something that is a comment here, or the parser left something out.
fn hides_code(code: &str, parsed: &ParserReturn<'_>) -> bool {
    parsed.panicked
        || parsed.diagnostics.has_errors()
        || parsed.program.comments.iter().any(|comment| {
            let start = usize::try_from(comment.span.start).unwrap_or(0);
            // Comments of the kind of HTML are code in a module.
            code.get(start..)
                .is_some_and(|rest| rest.starts_with("<!--") || rest.starts_with("-->"))
        })
}

/// The lowering of one text.
struct Javascript<'l> {
    state: &'l mut Lowering,
    /// Names that `var` declares, for each enclosing function.
    variables: Vec<Vec<Name>>,
    /// Whether the body uses `arguments`, for each enclosing function that has them.
    arguments: Vec<bool>,
}

impl<'l> Javascript<'l> {
    fn new(state: &'l mut Lowering) -> Self {
        Self { state, variables: vec![Vec::new()], arguments: vec![false] }
    }

    fn program(&mut self, program: &oxc_ast::ast::Program<'_>) -> Vec<Statement> {
        let mut body: Vec<Statement> = program
            .directives
            .iter()
            .map(|directive| Statement::Expr(operators::text(&directive.expression.value)))
            .collect();
        body.extend(self.block(&program.body));
        let names = self.variables.first_mut().map(std::mem::take).unwrap_or_default();
        if !names.is_empty() {
            body.insert(0, Statement::Declare(names));
        }
        body
    }
}

//! Python: text → intermediate form, by the parser of ruff.
//!
//! Text that the parser rejects gives the statements that it could read, marked as not understood as a whole. The
//! parser recurses, and so does dropping its tree; [`nesting`] bounds both before the parser sees the text.

mod expressions;
mod nesting;
mod old_statements;
mod statements;

use crate::ir::{Arguments, Function, Program, Receiver};
use crate::limits::MAX_TEXT;
use crate::lowering::Lowering;
use ruff_python_ast::Mod;
use ruff_python_parser::{Mode, ParseOptions};
use std::borrow::Cow;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// The lowering of Python.
struct Python<'l>(&'l mut Lowering);

impl Deref for Python<'_> {
    type Target = Lowering;

    fn deref(&self) -> &Lowering {
        self.0
    }
}

impl DerefMut for Python<'_> {
    fn deref_mut(&mut self) -> &mut Lowering {
        self.0
    }
}

/// Returns the program that a text is.
pub(crate) fn lower(code: &str, lowering: &mut Lowering) -> Program {
    if code.len() > MAX_TEXT || nesting::is_too_deep(code) {
        return Program { body: Vec::new(), cut: true, size: 0 };
    }
    let code = dedent(code);
    let parse =
        |code: &str| ruff_python_parser::parse_unchecked(code, ParseOptions::from(Mode::Module));
    let mut parsed = parse(&code);
    if !parsed.errors().is_empty()
        && let Some(rewritten) = old_statements::rewrite(&code, parsed.tokens())
    {
        parsed = parse(&rewritten);
    }
    lowering.size = 0;
    lowering.cut = !parsed.errors().is_empty();
    let body = match parsed.into_syntax() {
        Mod::Module(module) => Python(lowering).block(&module.body),
        Mod::Expression(_) => Vec::new(),
    };
    Program { body, cut: lowering.cut, size: lowering.size }
}

/// Code cut out of a here-document or given to `-c` may be indented as a whole.
fn dedent(code: &str) -> Cow<'_, str> {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let mut lines = code.lines().filter(|line| {
        let line = line.trim_start();
        !line.is_empty() && !line.starts_with('#')
    });
    let Some(first) = lines.next() else { return Cow::Borrowed(code) };
    let prefix = first.get(..indent(first)).unwrap_or("");
    if prefix.is_empty() {
        return Cow::Borrowed(code);
    }
    let rest = code.lines().map(|line| line.strip_prefix(prefix).unwrap_or(line));
    Cow::Owned(rest.collect::<Vec<_>>().join("\n"))
}

impl Python<'_> {
    fn function(
        &mut self,
        name: &str,
        parameters: Option<&ruff_python_ast::Parameters>,
        body: impl FnOnce(&mut Self) -> crate::ir::Body,
    ) -> Rc<Function> {
        self.functions += 1;
        let id = self.functions;
        let mut positional = Vec::new();
        let mut keyword_only = Vec::new();
        let (mut rest, mut named_rest) = (None, None);
        if let Some(parameters) = parameters {
            for parameter in parameters.posonlyargs.iter().chain(&parameters.args) {
                positional.push(self.parameter(parameter));
            }
            for parameter in &parameters.kwonlyargs {
                keyword_only.push(self.parameter(parameter));
            }
            rest = parameters.vararg.as_ref().map(|p| Lowering::name(p.name.as_str()));
            named_rest = parameters.kwarg.as_ref().map(|p| Lowering::name(p.name.as_str()));
        }
        self.yields.push(false);
        let body = body(self);
        let generator = self.yields.pop().unwrap_or(false);
        let name = Lowering::name(name);
        Rc::new(Function {
            id,
            name,
            positional,
            rest,
            keyword_only,
            named_rest,
            body,
            generator,
            receiver: Receiver::Argument,
            arguments: Arguments::Unnamed,
            sees_itself: false,
        })
    }

    fn parameter(
        &mut self,
        parameter: &ruff_python_ast::ParameterWithDefault,
    ) -> crate::ir::Parameter {
        crate::ir::Parameter {
            name: Lowering::name(parameter.parameter.name.as_str()),
            default: parameter.default.as_deref().map(|default| self.expr(default)),
        }
    }
}

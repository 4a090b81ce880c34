//! Functions, script blocks, parameters, classes.

use super::cursor::{is_name, is_single_quote};
use super::{BodyKind, Parsed, Reader, Rejected, bool, name, text};
use crate::ir::{
    Arguments, Bindings, Block, Body, Expr, Function, Name, Parameter, Receiver, Statement, Target,
};
use crate::lowering::Lowering;
use std::rc::Rc;

/// What the attributes of a parameter say.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// It takes objects of the pipeline.
    pipeline: bool,
    /// Blocks that check the value.
    checks: Vec<Expr>,
}

/// A parameter of a function.
pub(super) struct Given {
    pub(super) name: Name,
    switch: bool,
    default: Option<Expr>,
    types: Vec<String>,
    seen: Seen,
}

/// Statements of a function, apart from each other.
#[derive(Default)]
struct Blocks {
    begin: Block,
    process: Option<Block>,
    end: Block,
}

/// The label of the loop over the objects of a pipeline.
pub(super) const PROCESS: &str = "<process>";

impl Reader<'_> {
    /// The arguments of an attribute, from the opening bracket on.
    pub(super) fn attribute_arguments(&mut self) -> Parsed<()> {
        self.expect("(")?;
        loop {
            self.lines();
            if self.takes(")") {
                return Ok(());
            }
            let start = self.at;
            let word = self.while_is(is_name).to_ascii_lowercase();
            self.blanks();
            if word.is_empty() || !(self.starts("=") || self.starts(",") || self.starts(")")) {
                self.at = start;
                if let block @ Expr::Function(_) = self.argument_value()? {
                    self.seen.checks.push(block);
                }
            } else {
                self.seen.pipeline |= word.starts_with("valuefrompipeline");
                if self.takes("=") {
                    self.lines();
                    self.argument_value()?;
                }
            }
            self.lines();
            if !self.takes(",") {
                return self.expect(")");
            }
        }
    }

    /// Parameters in brackets.
    pub(super) fn parameters(&mut self) -> Parsed<Vec<Given>> {
        self.expect("(")?;
        let mut all = Vec::new();
        loop {
            self.lines();
            if self.takes(")") {
                return Ok(all);
            }
            self.seen = Seen::default();
            let mut types = Vec::new();
            while self.starts("[") {
                types.extend(self.type_literal()?);
                self.lines();
            }
            if !self.starts("$") {
                return Err(Rejected);
            }
            let Expr::Name(variable) = self.variable()? else { return Err(Rejected) };
            self.lines();
            let seen = std::mem::take(&mut self.seen);
            let default = if self.takes("=") {
                self.lines();
                Some(self.argument_value()?)
            } else {
                None
            };
            let switch =
                types.iter().any(|of| of.ends_with("switch") || of.ends_with("switchparameter"));
            all.push(Given { name: variable, switch, default, types, seen });
            self.lines();
            if !self.takes(",") {
                self.expect(")")?;
                return Ok(all);
            }
        }
    }

    /// `param(…)` with the attributes before it, if there is one.
    fn parameter_block(&mut self) -> Parsed<Option<Vec<Given>>> {
        let start = self.at;
        loop {
            self.separators();
            if self.starts("[") && self.attribute_before_param()? {
                continue;
            }
            break;
        }
        if self.takes_word("param") {
            self.lines();
            return self.parameters().map(Some);
        }
        self.at = start;
        Ok(None)
    }

    /// Whether an attribute such as `[CmdletBinding()]` stands here. It is skipped.
    fn attribute_before_param(&mut self) -> Parsed<bool> {
        let start = self.at;
        match self.type_literal() {
            Ok(None) => Ok(true),
            Ok(Some(_)) | Err(Rejected) => {
                self.at = start;
                Ok(false)
            }
        }
    }

    /// The parameters of the program itself.
    pub(super) fn script_parameters(&mut self, out: &mut Block) -> Parsed<()> {
        let Some(parameters) = self.parameter_block()? else { return Ok(()) };
        for (place, parameter) in (0..).zip(&parameters) {
            let place = Expr::Constant(crate::ir::Constant::Int(place));
            let value = if parameter.switch {
                Expr::Unknown
            } else {
                self.call("<script-argument>", vec![place])
            };
            let target = Target::Name(parameter.name.clone());
            out.push(Statement::Assign(vec![target], value));
        }
        let mut pipeline = Vec::new();
        self.prologue(parameters, out, &mut pipeline);
        self.separators();
        let blocks = matches!(self.word().as_str(), "begin" | "process" | "end" | "clean");
        if blocks {
            let blocks = self.named_blocks("")?;
            self.assembled(blocks, pipeline, out);
        }
        Ok(())
    }

    /// What happens to the parameters before the statements of a function.
    pub(super) fn prologue(
        &mut self,
        parameters: Vec<Given>,
        out: &mut Block,
        pipeline: &mut Vec<Name>,
    ) {
        for Given { name: variable, default, types, seen, .. } in parameters {
            let target = || Target::Name(variable.clone());
            let own = || Expr::Name(variable.clone());
            if let Some(default) = default {
                let value = Expr::Default(Box::new([own(), default]));
                out.push(Statement::Assign(vec![target()], value));
            }
            for of in types {
                let value = self.call("<cast>", vec![text(&of), own()]);
                out.push(Statement::Assign(vec![target()], value));
            }
            for check in seen.checks {
                out.push(Statement::Expr(self.call("<check>", vec![check, own()])));
            }
            if seen.pipeline {
                pipeline.push(variable);
            }
        }
    }

    /// A script block, from its brace on.
    pub(super) fn script_block(&mut self) -> Parsed<Rc<Function>> {
        self.function_body("<block>", Vec::new(), false)
    }

    /// Braces with the statements of a function.
    fn function_body(
        &mut self,
        called: &str,
        mut parameters: Vec<Given>,
        filter: bool,
    ) -> Parsed<Rc<Function>> {
        self.enter()?;
        self.lowering.functions += 1;
        let id = self.lowering.functions;
        self.expect("{")?;
        let outer = std::mem::replace(&mut self.body, BodyKind::Function);
        if let Some(inner) = self.parameter_block()? {
            parameters = inner;
        }
        self.separators();
        let first = self.word();
        let mut body = Vec::new();
        let mut pipeline = Vec::new();
        let positional = parameters
            .iter()
            .map(|given| Parameter {
                name: given.name.clone(),
                default: given.switch.then(|| name("<switch>")),
            })
            .collect();
        self.prologue(parameters, &mut body, &mut pipeline);
        let named =
            matches!(first.as_str(), "begin" | "process" | "end" | "dynamicparam" | "clean");
        if named {
            let blocks = self.named_blocks("}")?;
            self.assembled(blocks, pipeline, &mut body);
        } else if filter {
            self.body = BodyKind::Process;
            let process = self.statements("}")?;
            let blocks = Blocks { process: Some(process), ..Blocks::default() };
            self.assembled(blocks, pipeline, &mut body);
        } else {
            // Without blocks, a parameter gets the last object of the pipeline.
            for parameter in pipeline {
                let value = self.call("<last-input>", vec![Expr::Name(parameter.clone())]);
                body.push(Statement::Assign(vec![Target::Name(parameter)], value));
            }
            body.extend(self.statements("}")?);
        }
        self.body = outer;
        self.lowering.leave();
        Ok(Rc::new(Function {
            id,
            name: Lowering::name(called),
            positional,
            rest: Some(Lowering::name("$args")),
            keyword_only: vec![Parameter { name: Lowering::name("$input"), default: None }],
            named_rest: None,
            body: Body::Block(body),
            generator: false,
            receiver: Receiver::Lexical,
            arguments: Arguments::Unnamed,
            sees_itself: false,
        }))
    }

    /// `begin { } process { } end { }` up to the end of the text or a brace.
    fn named_blocks(&mut self, end: &str) -> Parsed<Blocks> {
        let mut blocks = Blocks::default();
        loop {
            self.separators();
            if end.is_empty() && self.is_end() || !end.is_empty() && self.takes(end) {
                return Ok(blocks);
            }
            let word = self.word();
            self.at += word.len();
            self.lines();
            self.expect("{")?;
            let process = word == "process";
            self.body = if process { BodyKind::Process } else { BodyKind::Function };
            let body = self.statements("}")?;
            self.body = BodyKind::Function;
            match word.as_str() {
                "begin" | "dynamicparam" => blocks.begin.extend(body),
                "process" => blocks.process = Some(body),
                "end" | "clean" => blocks.end.extend(body),
                _ => return Err(Rejected),
            }
        }
    }

    fn assembled(&mut self, blocks: Blocks, pipeline: Vec<Name>, out: &mut Block) {
        out.extend(blocks.begin);
        if let Some(process) = blocks.process {
            let mut body = Vec::new();
            for parameter in pipeline {
                let own = Expr::Name(parameter.clone());
                let value = Expr::Default(Box::new([name("$_"), own]));
                body.push(Statement::Assign(vec![Target::Name(parameter)], value));
            }
            body.extend(process);
            let iterable = self.call("<process>", vec![name("$input")]);
            let all = Statement::For {
                target: Target::Name(Lowering::name("$_")),
                iterable,
                body,
                otherwise: Vec::new(),
                bindings: Bindings::Shared,
            };
            out.push(Statement::Labeled(Lowering::name(PROCESS), vec![all]));
        }
        out.extend(blocks.end);
    }

    /// `function name(…) { … }` and `filter`.
    pub(super) fn function_statement(&mut self, filter: bool, out: &mut Block) -> Parsed<()> {
        self.blanks();
        let called = self.while_is(|c| !c.is_whitespace() && !"(){};|,".contains(c)).to_lowercase();
        let called = called.rsplit(':').next().unwrap_or("").to_owned();
        if called.is_empty() {
            return Err(Rejected);
        }
        self.lines();
        let parameters = if self.starts("(") { self.parameters()? } else { Vec::new() };
        self.lines();
        let code = self.function_body(&format!("function:{called}"), parameters, filter)?;
        out.push(Statement::Function { code, decorators: Vec::new() });
        Ok(())
    }

    /// `using namespace …`, `using module …`.
    pub(super) fn using_statement(&mut self, out: &mut Block) -> Parsed<()> {
        self.blanks();
        let kind = self.while_is(is_name).to_ascii_lowercase();
        self.blanks();
        let what = if self.peek().is_some_and(is_single_quote) {
            text(&self.single_quoted()?)
        } else {
            self.argument()?
        };
        match kind.as_str() {
            "namespace" | "type" => {}
            "module" => {
                let value = self.call("<command>", vec![text("import-module"), bool(false), what]);
                out.push(Statement::Expr(value));
            }
            "assembly" => {
                let path = name("-path");
                let value = self.call("<command>", vec![text("add-type"), bool(false), path, what]);
                out.push(Statement::Expr(value));
            }
            _ => return Err(Rejected),
        }
        Ok(())
    }
}

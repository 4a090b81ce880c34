//! Functions, closures and their parameters.

use super::lexer::Token;
use super::{Parsed, Php, Rejected, null, variable};
use crate::ir::{
    Arguments, Block, Body, Expr, Function, Name, Parameter, Receiver, Statement, Target,
};
use std::rc::Rc;

/// Parameters of a function.
#[derive(Default)]
pub(super) struct Parameters {
    pub(super) list: Vec<Parameter>,
    rest: Option<Name>,
    /// Parameters of a constructor that are properties.
    properties: Vec<Name>,
}

/// How a function gets the object that it belongs to.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Method {
    None,
    OfObject,
    OfClass,
}

impl Php<'_> {
    /// A type, which says nothing about effects.
    pub(super) fn skip_type(&mut self) -> Parsed<()> {
        let mut depth = 0_u32;
        loop {
            match &self.token {
                Token::Name(_) | Token::Symbol("?" | "|") => {
                    self.advance();
                }
                // A reference follows the type.
                Token::Symbol("&") if depth == 0 => {
                    let next = self.peek();
                    if matches!(next, Token::Variable(_) | Token::Symbol("...")) {
                        return Ok(());
                    }
                    self.advance();
                }
                Token::Symbol("&") => {
                    self.advance();
                }
                Token::Symbol("(") => {
                    depth += 1;
                    self.advance();
                }
                Token::Symbol(")") if depth > 0 => {
                    depth -= 1;
                    self.advance();
                }
                _ if depth > 0 => return Err(Rejected),
                _ => return Ok(()),
            }
        }
    }

    pub(super) fn parameters(&mut self) -> Parsed<Parameters> {
        self.expect("(")?;
        let mut parameters = Parameters::default();
        while !self.takes(")") {
            while self.takes("#[") {
                self.attribute_list()?;
            }
            let mut property = false;
            while ["public", "private", "protected", "readonly", "final"]
                .iter()
                .any(|word| self.is_word(word))
            {
                property = true;
                self.advance();
                // `private(set)`
                if self.takes("(") {
                    self.identifier()?;
                    self.expect(")")?;
                }
            }
            self.skip_type()?;
            let reference = self.takes("&");
            let rest = self.takes("...");
            let Token::Variable(name) = self.advance() else { return Err(Rejected) };
            let name = if reference { format!("&${name}") } else { format!("${name}") };
            let name: Name = name.into();
            let default = if self.takes("=") { Some(self.expression()?) } else { None };
            if self.is("{") {
                // Hooks of a property.
                self.skip_braces()?;
            }
            if property {
                parameters.properties.push(name.clone());
            }
            if rest {
                parameters.rest = Some(name.trim_start_matches('&').into());
            } else {
                parameters.list.push(Parameter { name, default });
            }
            if !self.is(")") {
                self.expect(",")?;
            }
        }
        Ok(parameters)
    }

    /// Skips what stands in braces and is not followed.
    pub(super) fn skip_braces(&mut self) -> Parsed<()> {
        self.lowering.cut = true;
        let mut depth = 0;
        loop {
            match self.advance() {
                Token::Symbol("{") => depth += 1,
                Token::Symbol("}") => {
                    depth -= 1;
                    if depth == 0 {
                        return Ok(());
                    }
                }
                Token::End | Token::Wrong => return Err(Rejected),
                _ => {}
            }
        }
    }

    /// A function behind its name.
    pub(super) fn function_rest(&mut self, name: &str, method: Method) -> Parsed<Rc<Function>> {
        let parameters = self.parameters()?;
        self.return_type()?;
        let outer = std::mem::replace(&mut self.function, name.into());
        let function = self.function_body(name, parameters, Vec::new(), Vec::new(), method);
        self.function = outer;
        function
    }

    pub(super) fn return_type(&mut self) -> Parsed<()> {
        if self.takes(":") { self.skip_type() } else { Ok(()) }
    }

    fn function_body(
        &mut self,
        name: &str,
        parameters: Parameters,
        captured: Vec<Parameter>,
        shared: Vec<Name>,
        method: Method,
    ) -> Parsed<Rc<Function>> {
        let loops = std::mem::take(&mut self.loops);
        self.lowering.yields.push(false);
        self.conditional += 1;
        let body = self.braces();
        self.conditional -= 1;
        let yields = self.lowering.yields.pop().unwrap_or(false);
        self.loops = loops;
        let mut body = body?;
        let mut first: Block = Vec::new();
        if !shared.is_empty() {
            first.push(Statement::Nonlocal(shared));
        }
        for property in &parameters.properties {
            let property: Name = property.trim_start_matches('&').into();
            let target = Target::Attribute(variable("this"), property.clone());
            first.push(Statement::Assign(vec![target], Expr::Name(property)));
        }
        first.append(&mut body);
        let mut positional = parameters.list;
        let receiver = match method {
            Method::OfObject => Some("$this"),
            Method::OfClass => Some("$static:"),
            Method::None => None,
        };
        if let Some(receiver) = receiver {
            positional.insert(0, Parameter { name: receiver.into(), default: None });
        }
        // A class may call its methods without an object.
        Ok(self.made_function(
            name,
            positional,
            parameters.rest,
            captured,
            Body::Block(first),
            yields,
        ))
    }

    fn made_function(
        &mut self,
        name: &str,
        positional: Vec<Parameter>,
        rest: Option<Name>,
        captured: Vec<Parameter>,
        body: Body,
        generator: bool,
    ) -> Rc<Function> {
        self.lowering.functions += 1;
        // The body of an arrow function sees the variables around it.
        let sealed = matches!(body, Body::Block(_));
        Rc::new(Function {
            id: self.lowering.functions,
            name: name.into(),
            positional,
            rest,
            keyword_only: captured,
            named_rest: None,
            body,
            generator,
            receiver: Receiver::Argument,
            arguments: if sealed { Arguments::Named } else { Arguments::Unnamed },
            sees_itself: false,
        })
    }

    /// A closure behind `function` or `fn`.
    pub(super) fn closure(&mut self, arrow: bool, _is_static: bool) -> Parsed<Expr> {
        self.takes("&");
        let parameters = self.parameters()?;
        if arrow {
            self.return_type()?;
            self.expect("=>")?;
            self.lowering.yields.push(false);
            let value = self.assigned();
            let yields = self.lowering.yields.pop().unwrap_or(false);
            let function = self.made_function(
                "{closure}",
                parameters.list,
                parameters.rest,
                Vec::new(),
                Body::Expr(value?),
                yields,
            );
            return Ok(Expr::Function(function));
        }
        let (mut captured, mut shared) = (Vec::new(), Vec::new());
        if self.takes_word("use") {
            self.expect("(")?;
            while !self.takes(")") {
                let reference = self.takes("&");
                let Token::Variable(name) = self.advance() else { return Err(Rejected) };
                let name: Name = format!("${name}").into();
                if reference {
                    shared.push(name);
                } else {
                    let value = self.builtin("<copy>", vec![Expr::Name(name.clone())]);
                    captured.push(Parameter { name, default: Some(value) });
                }
                if !self.is(")") {
                    self.expect(",")?;
                }
            }
        }
        self.return_type()?;
        let code = self.function_body("{closure}", parameters, captured, shared, Method::None)?;
        Ok(Expr::Function(code))
    }

    /// A declaration: `function name(…) {…}`.
    pub(super) fn function_statement(&mut self, out: &mut Block) -> Parsed<()> {
        self.takes("&");
        let name = self.identifier()?.to_ascii_lowercase();
        let code = self.function_rest(&name, Method::None)?;
        let full = self.declared(&name);
        let mut made = vec![Statement::Function { code, decorators: Vec::new() }];
        if full != name {
            let target = Target::Name(full.into());
            made.push(Statement::Assign(vec![target], Expr::Name(name.into())));
        }
        if self.conditional == 0 {
            self.hoisted.append(&mut made);
        } else {
            out.append(&mut made);
        }
        Ok(())
    }

    /// A value, or nothing where a statement ends.
    pub(super) fn optional_value(&mut self) -> Parsed<Expr> {
        if matches!(self.token, Token::Symbol(";") | Token::End | Token::Html(..)) {
            return Ok(null());
        }
        self.expression()
    }
}

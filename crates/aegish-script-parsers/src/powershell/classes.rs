//! Classes and enumerations.

use super::cursor::is_name;
use super::functions::Given;
use super::{BodyKind, Parsed, Reader, Rejected, name, null};
use crate::ir::{
    Argument, Arguments, Block, Body, Class, Expr, Function, Parameter, Receiver, Statement, Target,
};
use crate::lowering::Lowering;
use std::collections::HashSet;
use std::rc::Rc;

impl Reader<'_> {
    /// `enum Name { A; B = 2 }`: the values are not followed.
    pub(super) fn enum_statement(&mut self) -> Parsed<()> {
        self.lines();
        self.while_is(|c| is_name(c) || c.is_whitespace() || c == ':' || c == '.');
        self.expect("{")?;
        loop {
            self.separators();
            if self.takes("}") {
                return Ok(());
            }
            if self.while_is(is_name).is_empty() {
                return Err(Rejected);
            }
            self.blanks();
            if self.takes("=") {
                self.expression()?;
            }
        }
    }

    /// `class Name : Base { … }`.
    pub(super) fn class_statement(&mut self, out: &mut Block) -> Parsed<()> {
        self.blanks();
        let called = self.while_is(is_name).to_lowercase();
        self.lines();
        let mut bases = Vec::new();
        if self.takes(":") {
            loop {
                self.lines();
                let base = self.while_is(|c| is_name(c) || ".[]".contains(c)).to_lowercase();
                bases.push(Argument::One(name(&format!("[{base}]"))));
                self.lines();
                if !self.takes(",") {
                    break;
                }
            }
        }
        self.expect("{")?;
        let mut body = Vec::new();
        let mut names = HashSet::new();
        loop {
            self.separators();
            if self.takes("}") {
                break;
            }
            self.class_member(&called, &mut names, &mut body)?;
        }
        let class =
            Class { name: Lowering::name(&format!("[{called}]")), bases, body, statics: None };
        out.push(Statement::Class { class: Rc::new(class), decorators: Vec::new() });
        Ok(())
    }

    fn class_member(
        &mut self,
        class: &str,
        names: &mut HashSet<String>,
        body: &mut Block,
    ) -> Parsed<()> {
        let mut fixed = false;
        loop {
            self.lines();
            if self.starts("[") {
                self.type_literal()?;
            } else if self.takes_word("static") {
                fixed = true;
            } else if !self.takes_word("hidden") {
                break;
            }
        }
        if self.starts("$") {
            let Expr::Name(variable) = self.variable()? else { return Err(Rejected) };
            self.blanks();
            let value = if self.takes("=") {
                self.lines();
                self.statement_value()?
            } else {
                null()
            };
            let own = variable.trim_start_matches('$');
            body.push(Statement::Assign(vec![Target::Name(Lowering::name(own))], value));
            return Ok(());
        }
        let method = self.while_is(is_name).to_lowercase();
        self.blanks();
        if method.is_empty() || !self.starts("(") {
            return Err(Rejected);
        }
        let parameters = self.parameters()?;
        self.lines();
        if self.takes(":") {
            // The constructor of the base class is not followed.
            self.lines();
            self.while_is(is_name);
            self.blanks();
            self.method_arguments()?;
            self.lines();
            self.lowering.cut = true;
        }
        let made = if method == class { "__init__".to_owned() } else { method };
        // Only one of several methods with the same name is kept.
        self.lowering.cut |= !names.insert(made.clone());
        let code = self.method_body(&made, parameters, fixed)?;
        let decorators = if fixed { vec![name("staticmethod")] } else { Vec::new() };
        body.push(Statement::Function { code, decorators });
        Ok(())
    }

    fn method_body(
        &mut self,
        called: &str,
        parameters: Vec<Given>,
        fixed: bool,
    ) -> Parsed<Rc<Function>> {
        self.enter()?;
        self.lowering.functions += 1;
        let id = self.lowering.functions;
        self.lines();
        self.expect("{")?;
        let outer = std::mem::replace(&mut self.body, BodyKind::Method);
        let mut positional = Vec::new();
        if !fixed {
            positional.push(Parameter { name: Lowering::name("$this"), default: None });
        }
        positional.extend(
            parameters.iter().map(|given| Parameter { name: given.name.clone(), default: None }),
        );
        let mut body = Vec::new();
        self.prologue(parameters, &mut body, &mut Vec::new());
        body.extend(self.statements("}")?);
        self.body = outer;
        self.lowering.leave();
        Ok(Rc::new(Function {
            id,
            name: Lowering::name(called),
            positional,
            rest: None,
            keyword_only: Vec::new(),
            named_rest: None,
            body: Body::Block(body),
            generator: false,
            receiver: Receiver::Argument,
            arguments: Arguments::Unnamed,
            sees_itself: false,
        }))
    }
}

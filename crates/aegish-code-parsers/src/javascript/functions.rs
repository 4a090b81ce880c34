//! Functions of JavaScript.

use super::Javascript;
use super::patterns::Declares;
use crate::ir::{
    Arguments, Block, Body, Expr, Function, Name, Parameter, Receiver, Statement, Target,
};
use crate::lowering::Lowering;
use oxc_ast::ast;
use std::rc::Rc;

/// Whether a function sees itself by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    Outside,
    Inside,
}

impl Javascript<'_> {
    /// A function with `this`; none if it has no body (an overload of TypeScript).
    pub(super) fn function(
        &mut self,
        function: &ast::Function<'_>,
        named: Named,
    ) -> Option<Rc<Function>> {
        let body = function.body.as_ref()?;
        let name = function.id.as_ref().map_or("", |id| id.name.as_str());
        self.arguments.push(false);
        let sees_itself = named == Named::Inside && !name.is_empty();
        let code = self.code(name, Receiver::This, &function.params, |this, out| {
            out.extend(this.block(&body.statements));
        });
        let arguments = self.arguments.pop().unwrap_or(false);
        Some(Rc::new(Function {
            arguments: if arguments { Arguments::Named } else { Arguments::Unnamed },
            sees_itself,
            generator: function.generator,
            ..code
        }))
    }

    pub(super) fn arrow(&mut self, arrow: &ast::ArrowFunctionExpression<'_>) -> Expr {
        let code = self.code("", Receiver::Lexical, &arrow.params, |this, out| match &arrow.body {
            ast::ArrowFunctionBody::FunctionBody(body) => out.extend(this.block(&body.statements)),
            other => {
                if let Some(expr) = other.as_expression() {
                    let value = this.expr(expr);
                    out.push(Statement::Return(Some(value)));
                }
            }
        });
        Expr::Function(Rc::new(code))
    }

    /// A function whose body is made by the lowering itself.
    pub(super) fn made(&mut self, name: &str, body: Block) -> Rc<Function> {
        self.state.functions += 1;
        Rc::new(Function {
            id: self.state.functions,
            name: Lowering::name(name),
            positional: vec![this_parameter()],
            rest: None,
            keyword_only: Vec::new(),
            named_rest: None,
            body: Body::Block(body),
            generator: false,
            receiver: Receiver::This,
            arguments: Arguments::Unnamed,
            sees_itself: false,
        })
    }

    fn code(
        &mut self,
        name: &str,
        receiver: Receiver,
        parameters: &ast::FormalParameters<'_>,
        body: impl FnOnce(&mut Self, &mut Block),
    ) -> Function {
        self.state.functions += 1;
        let id = self.state.functions;
        self.variables.push(Vec::new());
        let mut positional = Vec::new();
        if receiver == Receiver::This {
            positional.push(this_parameter());
        }
        let mut block = Block::new();
        for parameter in &parameters.items {
            let name = self.parameter(parameter, positional.len(), &mut block);
            positional.push(Parameter { name, default: None });
        }
        let rest = parameters.rest.as_ref().map(|rest| match &rest.rest.argument {
            ast::BindingPattern::BindingIdentifier(name) => Lowering::name(name.name.as_str()),
            pattern => {
                let name: Name = "<rest>".into();
                let target = self.binding(pattern, Declares::Block);
                block.push(Statement::Assign(vec![target], Expr::Name(name.clone())));
                name
            }
        });
        self.state.yields.push(false);
        body(self, &mut block);
        self.state.yields.pop();
        let names = self.variables.pop().unwrap_or_default();
        if !names.is_empty() {
            block.insert(0, Statement::Declare(names));
        }
        Function {
            id,
            name: Lowering::name(name),
            positional,
            rest,
            keyword_only: Vec::new(),
            named_rest: None,
            body: Body::Block(block),
            generator: false,
            receiver,
            arguments: Arguments::Unnamed,
            sees_itself: false,
        }
    }

    /// The name of a parameter. Its pattern and default are statements at the start of the body.
    fn parameter(
        &mut self,
        parameter: &ast::FormalParameter<'_>,
        place: usize,
        block: &mut Block,
    ) -> Name {
        let name: Name = match &parameter.pattern {
            ast::BindingPattern::BindingIdentifier(name) => Lowering::name(name.name.as_str()),
            _ => format!("<{place}>").into(),
        };
        let mut value = Expr::Name(name.clone());
        let mut plain = matches!(parameter.pattern, ast::BindingPattern::BindingIdentifier(_));
        if let Some(default) = &parameter.initializer {
            value = Expr::Default(Box::new([value, self.expr(default)]));
            plain = false;
        }
        if !plain {
            let target = self.binding(&parameter.pattern, Declares::Block);
            block.push(Statement::Assign(vec![target], value));
        }
        // `constructor(private name: string)` declares an attribute.
        if parameter.accessibility.is_some() || parameter.readonly {
            let this = Expr::Name("this".into());
            let target = Target::Attribute(this, name.clone());
            block.push(Statement::Assign(vec![target], Expr::Name(name.clone())));
        }
        name
    }
}

fn this_parameter() -> Parameter {
    Parameter { name: "this".into(), default: None }
}

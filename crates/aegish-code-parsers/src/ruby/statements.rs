//! Statements.

use super::{Around, Ruby, nil, this};
use crate::ir::{Bindings, Block, Class, Expr, Handler, Statement, Target};
use lib_ruby_parser::Node;
use lib_ruby_parser::nodes;
use std::rc::Rc;

/// The label of a loop that `retry` goes on with.
const RETRY: &str = "<retry>";

impl Ruby<'_> {
    pub(super) fn block(&mut self, node: Option<&Node>) -> Block {
        let mut out = Vec::new();
        self.statements(node, &mut out);
        out
    }

    /// The statements that a node consists of.
    pub(super) fn statements(&mut self, node: Option<&Node>, out: &mut Block) {
        let Some(node) = node else { return };
        match node {
            Node::Begin(nodes::Begin { statements, .. })
            | Node::KwBegin(nodes::KwBegin { statements, .. }) => {
                for statement in statements {
                    self.statements(Some(statement), out);
                }
            }
            other => {
                if self.lowering.enter() {
                    self.statement(other, out);
                    self.lowering.leave();
                }
            }
        }
    }

    /// A body whose last value is what it gives: each way through it ends with a return.
    pub(super) fn returning(&mut self, node: Option<&Node>, out: &mut Block) {
        let Some(node) = node else { return };
        if !self.lowering.enter() {
            return;
        }
        match node {
            Node::Begin(nodes::Begin { statements, .. })
            | Node::KwBegin(nodes::KwBegin { statements, .. }) => {
                if let Some((last, first)) = statements.split_last() {
                    for statement in first {
                        self.statements(Some(statement), out);
                    }
                    self.returning(Some(last), out);
                }
            }
            Node::If(branch) => {
                let mut yes = Vec::new();
                let mut no = Vec::new();
                let test = self.value(&branch.cond);
                self.returning(branch.if_true.as_deref(), &mut yes);
                self.returning(branch.if_false.as_deref(), &mut no);
                for body in [&mut yes, &mut no] {
                    if body.is_empty() {
                        body.push(Statement::Return(Some(nil())));
                    }
                }
                out.push(Statement::Branch(vec![(Some(test), yes), (None, no)]));
            }
            Node::While(_)
            | Node::Until(_)
            | Node::Return(_)
            | Node::Next(_)
            | Node::Break(_)
            | Node::Retry(_)
            | Node::Redo(_) => self.statement(node, out),
            Node::Send(send) if leaves(send) => self.statement(node, out),
            other => {
                let value = self.value(other);
                out.push(Statement::Return(Some(value)));
            }
        }
        self.lowering.leave();
    }

    fn statement(&mut self, node: &Node, out: &mut Block) {
        match node {
            Node::If(nodes::If { cond, if_true, if_false, .. })
            | Node::IfMod(nodes::IfMod { cond, if_true, if_false, .. }) => {
                let test = self.value(cond);
                let yes = self.block(if_true.as_deref());
                let no = self.block(if_false.as_deref());
                out.push(Statement::Branch(vec![(Some(test), yes), (None, no)]));
            }
            Node::While(nodes::While { cond, body, .. }) => {
                self.repeat(cond, body.as_deref(), true, out);
            }
            Node::Until(nodes::Until { cond, body, .. }) => {
                self.repeat(cond, body.as_deref(), false, out);
            }
            Node::WhilePost(nodes::WhilePost { cond, body, .. }) => {
                self.first_then(cond, body, true, out);
            }
            Node::UntilPost(nodes::UntilPost { cond, body, .. }) => {
                self.first_then(cond, body, false, out);
            }
            Node::For(each) => {
                let iterable = self.value(&each.iteratee);
                let target = self.target(&each.iterator);
                let body = self.in_loop(|ruby| ruby.block(each.body.as_deref()));
                out.push(Statement::For {
                    target,
                    iterable,
                    body,
                    otherwise: Vec::new(),
                    bindings: Bindings::Shared,
                });
            }
            Node::Case(case) => {
                self.case(case, &mut |ruby, body, out| ruby.statements(body, out), out);
            }
            Node::CaseMatch(case) => {
                self.case_match(case, &mut |ruby, body, out| ruby.statements(body, out), out);
            }
            Node::Def(def) => {
                let code = self.method(&def.name, def.args.as_deref(), def.body.as_deref());
                if self.singleton {
                    let target =
                        Target::Attribute(this(), Self::name(&format!("self.{}", def.name)));
                    out.push(Statement::Assign(vec![target], Expr::Function(code)));
                } else {
                    out.push(Statement::Function { code, decorators: Vec::new() });
                }
            }
            Node::Class(class) => {
                let bases = class.superclass.as_deref().map(|base| self.value(base));
                let bases = bases.into_iter().map(crate::ir::Argument::One).collect();
                self.class(&class.name, bases, class.body.as_deref(), out);
            }
            Node::Module(module) => {
                self.class(&module.name, Vec::new(), module.body.as_deref(), out);
            }
            Node::SClass(class) if matches!(*class.expr, Node::Self_(_)) => {
                let outer = std::mem::replace(&mut self.singleton, true);
                self.statements(class.body.as_deref(), out);
                self.singleton = outer;
            }
            Node::Return(leave) => {
                let value = self.given(&leave.args);
                // From inside of a block it leaves the method around it.
                let block = self.frames.last().is_some_and(|frame| frame.block);
                out.push(if block {
                    Statement::ReturnOuter(value)
                } else {
                    Statement::Return(Some(value))
                });
            }
            Node::Next(next) => {
                let value = self.given(&next.args);
                out.push(match self.around() {
                    Around::Loop => Statement::Continue(None),
                    _ => Statement::Return(Some(value)),
                });
            }
            Node::Break(leave) => {
                let value = self.given(&leave.args);
                if self.around() != Around::Loop {
                    out.push(Statement::Assign(vec![Target::Name(Self::name("<break>"))], value));
                }
                out.push(Statement::Break(None));
            }
            Node::Retry(_) => {
                self.retries = true;
                out.push(Statement::Continue(Some(Self::name(RETRY))));
            }
            Node::Redo(_) => out.push(Statement::Continue(None)),
            Node::Rescue(_) | Node::Ensure(_) => {
                self.attempt(node, &mut |ruby, body, out| ruby.statements(body, out), out);
            }
            Node::Postexe(block) => {
                // `END { … }` runs when the program ends.
                let mut body = Vec::new();
                self.statements(block.body.as_deref(), &mut body);
                let function = self.function_of("END", body);
                out.push(Statement::Expr(self.call_self(
                    "at_exit",
                    vec![crate::ir::Argument::Named(
                        Self::name(super::BLOCK),
                        Expr::Function(function),
                    )],
                )));
            }
            Node::Preexe(_) => {}
            Node::Undef(_) => {}
            Node::Alias(alias) => {
                let (to, from) = (self.value(&alias.to), self.value(&alias.from));
                let arguments = vec![crate::ir::Argument::One(to), crate::ir::Argument::One(from)];
                out.push(Statement::Expr(self.call_self("alias_method", arguments)));
            }
            Node::Send(send) if leaves(send) => {
                for argument in &send.args {
                    let value = self.value(argument);
                    out.push(Statement::Expr(value));
                }
                let value = send.args.last().map(|value| self.value(value));
                out.push(Statement::Raise(value));
            }
            Node::Lvasgn(nodes::Lvasgn { value: Some(value), .. })
            | Node::Ivasgn(nodes::Ivasgn { value: Some(value), .. })
            | Node::Gvasgn(nodes::Gvasgn { value: Some(value), .. })
            | Node::Cvasgn(nodes::Cvasgn { value: Some(value), .. })
            | Node::Casgn(nodes::Casgn { value: Some(value), .. }) => {
                let value = self.value(value);
                let target = self.target(node);
                out.push(Statement::Assign(vec![target], value));
            }
            other => {
                let value = self.value(other);
                out.push(Statement::Expr(value));
            }
        }
    }

    fn class(
        &mut self,
        name: &Node,
        bases: Vec<crate::ir::Argument>,
        body: Option<&Node>,
        out: &mut Block,
    ) {
        let name = match name {
            Node::Const(name) => Self::name(&name.name),
            _ => Self::name("<class>"),
        };
        self.frames.push(super::Frame {
            names: std::collections::HashSet::new(),
            block: false,
            around: vec![Around::Method],
        });
        let outer = std::mem::replace(&mut self.singleton, false);
        let body = self.block(body);
        self.singleton = outer;
        self.frames.pop();
        out.push(Statement::Class {
            class: Rc::new(Class { name, bases, body, statics: None }),
            decorators: Vec::new(),
        });
    }

    fn condition(&mut self, cond: &Node, holds: bool) -> Expr {
        let test = self.value(cond);
        if holds { test } else { Expr::Unary(crate::ir::UnaryOp::Not, Box::new(test)) }
    }

    fn repeat(&mut self, cond: &Node, body: Option<&Node>, holds: bool, out: &mut Block) {
        let test = self.condition(cond, holds);
        let body = self.in_loop(|ruby| ruby.block(body));
        let (step, otherwise, copies) = (Vec::new(), Vec::new(), Vec::new());
        out.push(Statement::While { test, step, body, otherwise, copies });
    }

    /// `begin … end while condition`: the body runs at least once.
    fn first_then(&mut self, cond: &Node, body: &Node, holds: bool, out: &mut Block) {
        let test = self.condition(cond, !holds);
        let mut inside = self.in_loop(|ruby| ruby.block(Some(body)));
        inside.push(Statement::Branch(vec![(Some(test), vec![Statement::Break(None)])]));
        out.push(Statement::While {
            test: Expr::Constant(crate::ir::Constant::Bool(true)),
            step: Vec::new(),
            body: inside,
            otherwise: Vec::new(),
            copies: Vec::new(),
        });
    }

    /// `begin … rescue … ensure`; `body` lowers the bodies.
    pub(super) fn attempt(
        &mut self,
        node: &Node,
        body: &mut dyn FnMut(&mut Self, Option<&Node>, &mut Block),
        out: &mut Block,
    ) {
        let (inner, finally) = match node {
            Node::Ensure(ensure) => (ensure.body.as_deref(), self.block(ensure.ensure.as_deref())),
            other => (Some(other), Vec::new()),
        };
        let Some(Node::Rescue(rescue)) = inner else {
            let mut inside = Vec::new();
            body(self, inner, &mut inside);
            let (handlers, otherwise) = (Vec::new(), Vec::new());
            out.push(Statement::Try { body: inside, handlers, otherwise, finally });
            return;
        };
        let outer = std::mem::replace(&mut self.retries, false);
        let mut inside = Vec::new();
        body(self, rescue.body.as_deref(), &mut inside);
        let mut handlers = Vec::new();
        for handler in &rescue.rescue_bodies {
            let Node::RescueBody(handler) = handler else { continue };
            let mut inside = Vec::new();
            let mut name = None;
            if let Some(variable) = &handler.exc_var {
                let caught = self.temporary();
                let target = self.target(variable);
                inside.push(Statement::Assign(vec![target], Expr::Name(caught.clone())));
                name = Some(caught);
            }
            body(self, handler.body.as_deref(), &mut inside);
            handlers.push(Handler { name, body: inside });
        }
        let mut otherwise = Vec::new();
        if let Some(rest) = &rescue.else_ {
            body(self, Some(rest), &mut otherwise);
        }
        let attempt = Statement::Try { body: inside, handlers, otherwise, finally: Vec::new() };
        let mut tried = Vec::new();
        if std::mem::replace(&mut self.retries, outer) {
            // `retry` runs the body again in the state of the handler.
            let leave = Statement::Break(Some(Self::name(RETRY)));
            let again = vec![Statement::While {
                test: Expr::Constant(crate::ir::Constant::Bool(true)),
                step: Vec::new(),
                body: vec![attempt, leave],
                otherwise: Vec::new(),
                copies: Vec::new(),
            }];
            tried.push(Statement::Labeled(Self::name(RETRY), again));
        } else {
            tried.push(attempt);
        }
        if finally.is_empty() {
            out.append(&mut tried);
        } else {
            let (handlers, otherwise) = (Vec::new(), Vec::new());
            out.push(Statement::Try { body: tried, handlers, otherwise, finally });
        }
    }

    /// `case … when`; `body` lowers the bodies.
    pub(super) fn case(
        &mut self,
        case: &nodes::Case,
        body: &mut dyn FnMut(&mut Self, Option<&Node>, &mut Block),
        out: &mut Block,
    ) {
        let subject = case.expr.as_deref().map(|subject| {
            let value = self.value(subject);
            let name = self.temporary();
            out.push(Statement::Assign(vec![Target::Name(name.clone())], value));
            name
        });
        let mut branches = Vec::new();
        for when in &case.when_bodies {
            let Node::When(when) = when else { continue };
            let tests: Vec<Expr> = when
                .patterns
                .iter()
                .map(|pattern| match &subject {
                    Some(subject) => self.case_test(subject, pattern),
                    None => self.value(pattern),
                })
                .collect();
            let mut inside = Vec::new();
            body(self, when.body.as_deref(), &mut inside);
            branches.push((Some(Expr::Logic(crate::ir::LogicOp::Or, tests)), inside));
        }
        let mut otherwise = Vec::new();
        body(self, case.else_body.as_deref(), &mut otherwise);
        branches.push((None, otherwise));
        out.push(Statement::Branch(branches));
    }

    fn case_test(&mut self, subject: &crate::ir::Name, pattern: &Node) -> Expr {
        if let Node::Splat(splat) = pattern {
            let list = splat.value.as_deref().map_or_else(nil, |list| self.value(list));
            return Expr::Compare(
                Box::new(Expr::Name(subject.clone())),
                vec![(crate::ir::CompareOp::In, list)],
            );
        }
        let pattern = self.value(pattern);
        let argument = crate::ir::Argument::One(Expr::Name(subject.clone()));
        self.send(pattern, "===", vec![argument])
    }
}

/// Whether a call never comes back.
fn leaves(send: &nodes::Send) -> bool {
    send.recv.is_none()
        && matches!(&*send.method_name, "raise" | "exit" | "abort" | "exit!" | "fail" | "throw")
}

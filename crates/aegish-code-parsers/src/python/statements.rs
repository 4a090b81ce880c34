//! Statements of Python.

use super::Python;
use crate::ir::{
    BinaryOp, Bindings, Block, Body, Case, Class, Expr, Handler, Name, PartOf, Statement, Target,
};
use crate::lowering::Lowering;
use ruff_python_ast as ast;
use std::rc::Rc;

impl Python<'_> {
    pub(super) fn block(&mut self, body: &[ast::Stmt]) -> Block {
        let mut out = Vec::with_capacity(body.len());
        for statement in body {
            if self.enter() {
                self.statement(statement, &mut out);
                self.leave();
            }
        }
        out
    }

    fn statement(&mut self, statement: &ast::Stmt, out: &mut Block) {
        match statement {
            ast::Stmt::FunctionDef(def) => {
                let code = self.function(def.name.as_str(), Some(&def.parameters), |lowering| {
                    Body::Block(lowering.block(&def.body))
                });
                let decorators = self.decorators(&def.decorator_list);
                out.push(Statement::Function { code, decorators });
            }
            ast::Stmt::ClassDef(def) => {
                let bases = def
                    .arguments
                    .as_deref()
                    .map(|arguments| self.arguments(arguments))
                    .unwrap_or_default();
                let body = self.block(&def.body);
                let name = Lowering::name(def.name.as_str());
                let decorators = self.decorators(&def.decorator_list);
                out.push(Statement::Class {
                    class: Rc::new(Class { name, bases, body, statics: None }),
                    decorators,
                });
            }
            ast::Stmt::Return(ret) => {
                let value = ret.value.as_deref().map(|value| self.expr(value));
                out.push(Statement::Return(value));
            }
            ast::Stmt::Delete(delete) => {
                let targets = delete.targets.iter().map(|target| self.target(target)).collect();
                out.push(Statement::Delete(targets));
            }
            ast::Stmt::TypeAlias(_) | ast::Stmt::Pass(_) => {}
            ast::Stmt::Assign(assign) => {
                let value = self.expr(&assign.value);
                let targets = assign.targets.iter().map(|target| self.target(target)).collect();
                out.push(Statement::Assign(targets, value));
            }
            ast::Stmt::AugAssign(update) => {
                let old = self.expr(&update.target);
                let value = self.expr(&update.value);
                let target = self.target(&update.target);
                out.push(Statement::Update(target, old, binary(update.op), value));
            }
            ast::Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    let value = self.expr(value);
                    let target = self.target(&assign.target);
                    out.push(Statement::Assign(vec![target], value));
                }
            }
            ast::Stmt::For(each) => {
                let iterable = self.expr(&each.iter);
                let target = self.target(&each.target);
                let body = self.block(&each.body);
                let otherwise = self.block(&each.orelse);
                out.push(Statement::For {
                    target,
                    iterable,
                    body,
                    otherwise,
                    bindings: Bindings::Shared,
                });
            }
            ast::Stmt::While(each) => {
                let test = self.expr(&each.test);
                let body = self.block(&each.body);
                let otherwise = self.block(&each.orelse);
                out.push(Statement::While {
                    test,
                    step: Vec::new(),
                    body,
                    otherwise,
                    copies: Vec::new(),
                });
            }
            ast::Stmt::If(branch) => {
                let mut branches = vec![(Some(self.expr(&branch.test)), self.block(&branch.body))];
                for clause in &branch.elif_else_clauses {
                    let test = clause.test.as_ref().map(|test| self.expr(test));
                    branches.push((test, self.block(&clause.body)));
                }
                out.push(Statement::Branch(branches));
            }
            ast::Stmt::With(with) => {
                let items = with
                    .items
                    .iter()
                    .map(|item| {
                        let context = self.expr(&item.context_expr);
                        (context, item.optional_vars.as_deref().map(|target| self.target(target)))
                    })
                    .collect();
                let body = self.block(&with.body);
                out.push(Statement::With { items, body });
            }
            ast::Stmt::Match(matching) => {
                let subject = self.expr(&matching.subject);
                let cases = matching
                    .cases
                    .iter()
                    .map(|case| {
                        let mut binds = Vec::new();
                        let mut values = Some(Vec::new());
                        self.pattern(&case.pattern, &[], &mut binds, &mut values);
                        let always = case.guard.is_none() && case.pattern.is_irrefutable();
                        let guard = case.guard.as_deref().map(|guard| self.expr(guard));
                        let body = self.block(&case.body);
                        Case { values, binds, always, guard, body }
                    })
                    .collect();
                out.push(Statement::Match { subject, cases });
            }
            ast::Stmt::Raise(raise) => {
                let value = raise.exc.as_deref().map(|value| self.expr(value));
                out.push(Statement::Raise(value));
            }
            ast::Stmt::Try(attempt) => {
                let body = self.block(&attempt.body);
                let handlers = attempt
                    .handlers
                    .iter()
                    .map(|handler| {
                        let ast::ExceptHandler::ExceptHandler(handler) = handler;
                        Handler {
                            name: handler.name.as_ref().map(|name| Lowering::name(name.as_str())),
                            body: self.block(&handler.body),
                        }
                    })
                    .collect();
                let otherwise = self.block(&attempt.orelse);
                let finally = self.block(&attempt.finalbody);
                out.push(Statement::Try { body, handlers, otherwise, finally });
            }
            ast::Stmt::Assert(assert) => out.push(Statement::Expr(self.expr(&assert.test))),
            ast::Stmt::Import(import) => {
                for alias in &import.names {
                    out.push(Statement::Import {
                        module: Lowering::name(alias.name.as_str()),
                        alias: alias.asname.as_ref().map(|name| Lowering::name(name.as_str())),
                    });
                }
            }
            ast::Stmt::ImportFrom(import) => {
                let dots = ".".repeat(usize::try_from(import.level).unwrap_or(0).min(16));
                let module = import.module.as_ref().map_or("", |name| name.as_str());
                let star = import.names.iter().any(|alias| alias.name.as_str() == "*");
                let names = import
                    .names
                    .iter()
                    .filter(|alias| alias.name.as_str() != "*")
                    .map(|alias| {
                        let bound = alias.asname.as_ref().unwrap_or(&alias.name);
                        (Lowering::name(alias.name.as_str()), Lowering::name(bound.as_str()))
                    })
                    .collect();
                let module = Lowering::name(&format!("{dots}{module}"));
                out.push(Statement::ImportFrom { module, names, star });
            }
            ast::Stmt::Global(global) => {
                out.push(Statement::Global(names(&global.names)));
            }
            ast::Stmt::Nonlocal(nonlocal) => {
                out.push(Statement::Nonlocal(names(&nonlocal.names)));
            }
            ast::Stmt::Expr(expr) => out.push(Statement::Expr(self.expr(&expr.value))),
            ast::Stmt::Break(_) => out.push(Statement::Break(None)),
            ast::Stmt::Continue(_) => out.push(Statement::Continue(None)),
            ast::Stmt::IpyEscapeCommand(_) => self.cut = true,
        }
    }

    fn decorators(&mut self, list: &[ast::Decorator]) -> Vec<Expr> {
        list.iter().map(|decorator| self.expr(&decorator.expression)).collect()
    }

    pub(super) fn target(&mut self, target: &ast::Expr) -> Target {
        match target {
            ast::Expr::Name(name) => Target::Name(Lowering::name(name.id.as_str())),
            ast::Expr::Attribute(attribute) => Target::Attribute(
                self.expr(&attribute.value),
                Lowering::name(attribute.attr.as_str()),
            ),
            ast::Expr::Subscript(subscript) => {
                Target::Index(self.expr(&subscript.value), self.expr(&subscript.slice))
            }
            ast::Expr::Starred(starred) => self.target(&starred.value),
            ast::Expr::Tuple(ast::ExprTuple { elts, .. })
            | ast::Expr::List(ast::ExprList { elts, .. }) => {
                let star = elts.iter().position(|item| matches!(item, ast::Expr::Starred(_)));
                if !self.enter() {
                    return Target::Ignore;
                }
                let targets = elts.iter().map(|item| self.target(item)).collect();
                self.leave();
                Target::Sequence(targets, star)
            }
            _ => Target::Ignore,
        }
    }

    /// Collects the names that a pattern binds, and its values if it is made of values alone.
    fn pattern(
        &mut self,
        pattern: &ast::Pattern,
        at: &[PartOf],
        binds: &mut Vec<(Vec<PartOf>, Name)>,
        values: &mut Option<Vec<Expr>>,
    ) {
        if !self.enter() {
            return;
        }
        let below = |part: PartOf| at.iter().cloned().chain([part]).collect::<Vec<_>>();
        let mut ignored = None;
        if !matches!(
            pattern,
            ast::Pattern::MatchValue(_) | ast::Pattern::MatchOr(_) | ast::Pattern::MatchAs(_)
        ) {
            *values = None;
        }
        match pattern {
            ast::Pattern::MatchValue(value) => {
                let value = self.expr(&value.value);
                if let Some(values) = values {
                    values.push(value);
                }
            }
            ast::Pattern::MatchOr(or) => {
                or.patterns.iter().for_each(|pattern| self.pattern(pattern, at, binds, values));
            }
            ast::Pattern::MatchAs(bind) => {
                let name = bind.name.as_ref().map(|name| Lowering::name(name.as_str()));
                binds.extend(name.map(|name| (at.to_vec(), name)));
                match &bind.pattern {
                    Some(pattern) => self.pattern(pattern, at, binds, values),
                    None => *values = None,
                }
            }
            ast::Pattern::MatchSequence(sequence) => {
                let length = count(sequence.patterns.len());
                let star = sequence.patterns.iter().position(ast::Pattern::is_match_star);
                for (place, pattern) in sequence.patterns.iter().enumerate() {
                    let place_from_start = count(place);
                    let behind = length - place_from_start - 1;
                    let part = match star {
                        Some(star) if star == place => PartOf::Items(place_from_start, behind),
                        Some(star) if star < place => PartOf::Item(-behind - 1),
                        _ => PartOf::Item(place_from_start),
                    };
                    self.pattern(pattern, &below(part), binds, &mut ignored);
                }
            }
            ast::Pattern::MatchMapping(mapping) => {
                for (key, pattern) in mapping.keys.iter().zip(&mapping.patterns) {
                    let part = match self.expr(key) {
                        Expr::Constant(key) => PartOf::Key(key),
                        _ => PartOf::Some,
                    };
                    self.pattern(pattern, &below(part), binds, &mut ignored);
                }
                let rest = mapping.rest.as_ref().map(|name| Lowering::name(name.as_str()));
                binds.extend(rest.map(|name| (at.to_vec(), name)));
            }
            ast::Pattern::MatchClass(class) => {
                // `str(p)`: the value itself.
                let own = matches!(&*class.cls, ast::Expr::Name(name)
                    if matches!(name.id.as_str(), "str" | "bytes" | "int" | "list" | "dict" | "tuple" | "bytearray" | "set"));
                for pattern in &class.arguments.patterns {
                    let part = if own { at.to_vec() } else { below(PartOf::Some) };
                    self.pattern(pattern, &part, binds, &mut ignored);
                }
                for keyword in &class.arguments.keywords {
                    let name = Lowering::name(keyword.attr.as_str());
                    let part = below(PartOf::Attribute(name));
                    self.pattern(&keyword.pattern, &part, binds, &mut ignored);
                }
            }
            ast::Pattern::MatchStar(star) => {
                let name = star.name.as_ref().map(|name| Lowering::name(name.as_str()));
                binds.extend(name.map(|name| (at.to_vec(), name)));
            }
            ast::Pattern::MatchSingleton(_) => {}
        }
        self.leave();
    }
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn names(list: &[ast::Identifier]) -> Vec<Name> {
    list.iter().map(|name| Lowering::name(name.as_str())).collect()
}

pub(super) fn binary(op: ast::Operator) -> BinaryOp {
    match op {
        ast::Operator::Add => BinaryOp::Add,
        ast::Operator::Sub => BinaryOp::Sub,
        ast::Operator::Mult => BinaryOp::Mul,
        ast::Operator::Div => BinaryOp::Div,
        ast::Operator::FloorDiv => BinaryOp::FloorDiv,
        ast::Operator::Mod => BinaryOp::Mod,
        ast::Operator::Pow => BinaryOp::Pow,
        ast::Operator::LShift => BinaryOp::ShiftLeft,
        ast::Operator::RShift => BinaryOp::ShiftRight,
        ast::Operator::BitOr => BinaryOp::BitOr,
        ast::Operator::BitXor => BinaryOp::BitXor,
        ast::Operator::BitAnd => BinaryOp::BitAnd,
        ast::Operator::MatMult => BinaryOp::Other,
    }
}

//! Statements of JavaScript.

use super::Javascript;
use super::functions::Named;
use super::operators::text;
use super::patterns::Declares;
use crate::ir::{
    Argument, Bindings, Block, Constant, Expr, Handler, Name, Statement, Target, UnaryOp,
};
use crate::lowering::Lowering;
use oxc_ast::ast;

impl Javascript<'_> {
    /// Statements in order; functions are declared before the others.
    pub(super) fn block(&mut self, body: &[ast::Statement<'_>]) -> Block {
        let mut out = Vec::with_capacity(body.len());
        let is_function = |statement: &ast::Statement<'_>| {
            matches!(statement, ast::Statement::FunctionDeclaration(_))
                || matches!(statement, ast::Statement::ExportDeclaration(export)
                    if matches!(export.declaration, ast::Declaration::FunctionDeclaration(_)))
        };
        for hoisted in [true, false] {
            for statement in body.iter().filter(|statement| is_function(statement) == hoisted) {
                if self.state.enter() {
                    self.statement(statement, &mut out);
                    self.state.leave();
                }
            }
        }
        out
    }

    /// The body of a loop or a branch.
    fn body(&mut self, statement: &ast::Statement<'_>) -> Block {
        if !self.state.enter() {
            return Vec::new();
        }
        let mut out = Vec::new();
        self.statement(statement, &mut out);
        self.state.leave();
        out
    }

    fn statement(&mut self, statement: &ast::Statement<'_>, out: &mut Block) {
        match statement {
            ast::Statement::BlockStatement(block) => {
                let block = self.block(&block.body);
                out.push(Statement::Block(block));
            }
            ast::Statement::BreakStatement(leave) => {
                out.push(Statement::Break(
                    leave.label.as_ref().map(|label| label.name.as_str().into()),
                ));
            }
            ast::Statement::ContinueStatement(next) => {
                out.push(Statement::Continue(
                    next.label.as_ref().map(|label| label.name.as_str().into()),
                ));
            }
            ast::Statement::DebuggerStatement(_) | ast::Statement::EmptyStatement(_) => {}
            ast::Statement::DoWhileStatement(each) => {
                let body = self.body(&each.body);
                let test = Expr::Unary(UnaryOp::Not, Box::new(self.expr(&each.test)));
                let step =
                    vec![Statement::Branch(vec![(Some(test), vec![Statement::Break(None)])])];
                out.push(endless(step, body));
            }
            ast::Statement::ExpressionStatement(statement) => {
                let expr = self.expr(&statement.expression);
                out.push(as_statement(expr));
            }
            ast::Statement::ForInStatement(each) => {
                let iterable = Expr::Keys(Box::new(self.expr(&each.right)));
                self.for_each(&each.left, iterable, &each.body, out);
            }
            ast::Statement::ForOfStatement(each) => {
                let iterable = self.expr(&each.right);
                self.for_each(&each.left, iterable, &each.body, out);
            }
            ast::Statement::ForStatement(each) => self.for_loop(each, out),
            ast::Statement::IfStatement(_) => self.branches(statement, out),
            ast::Statement::LabeledStatement(labeled) => {
                let body = self.body(&labeled.body);
                out.push(Statement::Labeled(labeled.label.name.as_str().into(), body));
            }
            ast::Statement::ReturnStatement(give) => {
                let value = give.argument.as_ref().map(|value| self.expr(value));
                out.push(Statement::Return(value));
            }
            ast::Statement::SwitchStatement(switch) => {
                let subject = self.expr(&switch.discriminant);
                let cases = switch
                    .cases
                    .iter()
                    .map(|case| {
                        let test = case.test.as_ref().map(|test| self.expr(test));
                        (test, self.block(&case.consequent))
                    })
                    .collect();
                out.push(Statement::Switch { subject, cases });
            }
            ast::Statement::ThrowStatement(throw) => {
                let value = self.expr(&throw.argument);
                out.push(Statement::Raise(Some(value)));
            }
            ast::Statement::TryStatement(attempt) => self.attempt(attempt, out),
            ast::Statement::WhileStatement(each) => {
                let test = self.expr(&each.test);
                let body = vec![Statement::Block(self.body(&each.body))];
                out.push(Statement::While {
                    test,
                    step: Vec::new(),
                    body,
                    otherwise: Vec::new(),
                    copies: Vec::new(),
                });
            }
            ast::Statement::WithStatement(with) => {
                let object = self.expr(&with.object);
                let body = self.body(&with.body);
                out.push(Statement::WithObject(object, body));
            }
            other => {
                if let Some(declaration) = other.as_declaration() {
                    self.declaration(declaration, out);
                } else if let Some(module) = other.as_module_declaration() {
                    self.module(module, out);
                }
            }
        }
    }

    /// `if … else if … else`: flat, so that a long one does not nest.
    fn branches(&mut self, statement: &ast::Statement<'_>, out: &mut Block) {
        let mut branches = Vec::new();
        let mut next = Some(statement);
        while let Some(at) = next {
            if let ast::Statement::IfStatement(branch) = at {
                branches.push((Some(self.expr(&branch.test)), self.body(&branch.consequent)));
                next = branch.alternate.as_ref();
            } else {
                branches.push((None, self.body(at)));
                next = None;
            }
        }
        out.push(Statement::Branch(branches));
    }

    fn for_each(
        &mut self,
        left: &ast::ForStatementLeft<'_>,
        iterable: Expr,
        body: &ast::Statement<'_>,
        out: &mut Block,
    ) {
        let target = match left {
            ast::ForStatementLeft::VariableDeclaration(declaration) => {
                let how = declares(declaration.kind);
                match declaration.declarations.first() {
                    Some(one) => self.binding(&one.id, how),
                    None => Target::Ignore,
                }
            }
            other => {
                other.as_assignment_target().map_or(Target::Ignore, |target| self.target(target))
            }
        };
        let body = self.body(body);
        let bindings = Bindings::PerIteration;
        out.push(Statement::For { target, iterable, body, otherwise: Vec::new(), bindings });
    }

    fn for_loop(&mut self, each: &ast::ForStatement<'_>, out: &mut Block) {
        let mut block = Block::new();
        let mut copies = Vec::new();
        match &each.init {
            Some(ast::ForStatementInit::VariableDeclaration(declaration)) => {
                self.variables(declaration, &mut block);
                if declares(declaration.kind) == Declares::Block {
                    for one in &declaration.declarations {
                        if let ast::BindingPattern::BindingIdentifier(name) = &one.id {
                            copies.push(Lowering::name(name.name.as_str()));
                        }
                    }
                }
            }
            Some(other) => {
                if let Some(expr) = other.as_expression() {
                    let expr = self.expr(expr);
                    block.push(as_statement(expr));
                }
            }
            None => {}
        }
        let test =
            each.test.as_ref().map_or(Expr::Constant(Constant::Bool(true)), |test| self.expr(test));
        let step = each.update.as_ref().map(|step| self.expr(step)).map(as_statement);
        let functions = self.state.functions;
        let body = vec![Statement::Block(self.body(&each.body))];
        // Only a function can tell the variables of one iteration from those of another.
        if functions == self.state.functions {
            copies.clear();
        }
        let step = step.into_iter().collect();
        block.push(Statement::While { test, step, body, otherwise: Vec::new(), copies });
        out.push(Statement::Block(block));
    }

    fn attempt(&mut self, attempt: &ast::TryStatement<'_>, out: &mut Block) {
        let body = vec![Statement::Block(self.block(&attempt.block.body))];
        let handlers = attempt
            .handler
            .iter()
            .map(|handler| {
                let caught: Name = "<caught>".into();
                let mut body = Block::new();
                if let Some(parameter) = &handler.param {
                    let target = self.binding(&parameter.pattern, Declares::Block);
                    body.push(Statement::Assign(vec![target], Expr::Name(caught.clone())));
                }
                body.extend(self.block(&handler.body.body));
                Handler { name: Some(caught), body: vec![Statement::Block(body)] }
            })
            .collect();
        let finally = attempt
            .finalizer
            .as_ref()
            .map(|block| vec![Statement::Block(self.block(&block.body))])
            .unwrap_or_default();
        out.push(Statement::Try { body, handlers, otherwise: Vec::new(), finally });
    }

    fn variables(&mut self, declaration: &ast::VariableDeclaration<'_>, out: &mut Block) {
        let how = declares(declaration.kind);
        for one in &declaration.declarations {
            let value = match &one.init {
                Some(value) => self.expr(value),
                // `var x` keeps the value that it has.
                None if how == Declares::Function => {
                    self.binding(&one.id, how);
                    continue;
                }
                None => Expr::Constant(Constant::None),
            };
            let target = self.binding(&one.id, how);
            out.push(Statement::Assign(vec![target], value));
        }
    }

    fn declaration(&mut self, declaration: &ast::Declaration<'_>, out: &mut Block) {
        match declaration {
            ast::Declaration::VariableDeclaration(declaration) => self.variables(declaration, out),
            ast::Declaration::FunctionDeclaration(function) => {
                if let Some(code) = self.function(function, Named::Outside) {
                    out.push(Statement::Function { code, decorators: Vec::new() });
                }
            }
            ast::Declaration::ClassDeclaration(class) => {
                let lowered = self.class(class);
                out.push(Statement::Class { class: lowered, decorators: Vec::new() });
                self.decorators(&class.decorators, out);
            }
            ast::Declaration::TSEnumDeclaration(declaration) => {
                let mut next = Some(0);
                let members = declaration
                    .body
                    .members
                    .iter()
                    .map(|member| {
                        let key = match &member.id {
                            ast::TSEnumMemberName::Identifier(name) => text(name.name.as_str()),
                            ast::TSEnumMemberName::String(name)
                            | ast::TSEnumMemberName::ComputedString(name) => {
                                text(name.value.as_str())
                            }
                            ast::TSEnumMemberName::ComputedTemplateString(_) => Expr::Unknown,
                        };
                        let value = match &member.initializer {
                            Some(value) => {
                                let value = self.expr(value);
                                next = match &value {
                                    Expr::Constant(Constant::Int(number)) => number.checked_add(1),
                                    _ => None,
                                };
                                value
                            }
                            None => {
                                let value = next.map_or(Constant::Number, Constant::Int);
                                next = next.and_then(|number: i64| number.checked_add(1));
                                Expr::Constant(value)
                            }
                        };
                        (Some(key), value)
                    })
                    .collect();
                let target = Target::Name(Lowering::name(declaration.id.name.as_str()));
                out.push(Statement::Assign(vec![target], Expr::Dict(members)));
            }
            ast::Declaration::TSNamespaceDeclaration(namespace) => {
                // Its members are seen as variables; `Name.member` is not followed.
                if let ast::TSNamespaceDeclarationBody::TSModuleBlock(block) = &namespace.body {
                    let block = self.block(&block.body);
                    out.extend(block);
                }
            }
            ast::Declaration::TSImportEqualsDeclaration(import) => {
                if let ast::TSModuleReference::ExternalModuleReference(module) =
                    &import.module_reference
                {
                    let value = self.import(module.expression.value.as_str());
                    let target = Target::Name(Lowering::name(import.id.name.as_str()));
                    out.push(Statement::Assign(vec![target], value));
                }
            }
            ast::Declaration::TSTypeAliasDeclaration(_)
            | ast::Declaration::TSInterfaceDeclaration(_)
            | ast::Declaration::TSExternalModuleDeclaration(_)
            | ast::Declaration::TSGlobalDeclaration(_) => {}
        }
    }

    fn import(&mut self, module: &str) -> Expr {
        self.call_of(Expr::Name("<import>".into()), vec![Argument::One(text(module))])
    }

    fn module(&mut self, module: &ast::ModuleDeclaration<'_>, out: &mut Block) {
        match module {
            ast::ModuleDeclaration::ImportDeclaration(import) => {
                if import.import_kind == ast::ImportOrExportKind::Type {
                    return;
                }
                let value = self.import(import.source.value.as_str());
                let module: Name = "<module>".into();
                out.push(Statement::Assign(vec![Target::Name(module.clone())], value));
                for specifier in import.specifiers.iter().flatten() {
                    let (local, value) = match specifier {
                        ast::ImportDeclarationSpecifier::ImportSpecifier(one) => (
                            one.local.name.as_str(),
                            Expr::Attribute(
                                Box::new(Expr::Name(module.clone())),
                                one.imported.name().as_str().into(),
                            ),
                        ),
                        ast::ImportDeclarationSpecifier::ImportDefaultSpecifier(one) => {
                            (one.local.name.as_str(), Expr::Name(module.clone()))
                        }
                        ast::ImportDeclarationSpecifier::ImportNamespaceSpecifier(one) => {
                            (one.local.name.as_str(), Expr::Name(module.clone()))
                        }
                    };
                    let target = Target::Name(Lowering::name(local));
                    out.push(Statement::Assign(vec![target], value));
                }
            }
            ast::ModuleDeclaration::ExportAllDeclaration(export) => {
                let value = self.import(export.source.value.as_str());
                out.push(Statement::Expr(value));
            }
            ast::ModuleDeclaration::ExportFromDeclaration(export) => {
                let value = self.import(export.source.value.as_str());
                out.push(Statement::Expr(value));
            }
            ast::ModuleDeclaration::ExportDefaultDeclaration(export) => match &export.declaration {
                ast::ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                    if let Some(code) = self.function(function, Named::Outside) {
                        out.push(Statement::Function { code, decorators: Vec::new() });
                    }
                }
                ast::ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                    let class = self.class(class);
                    out.push(Statement::Class { class, decorators: Vec::new() });
                }
                ast::ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => {}
                other => {
                    if let Some(expr) = other.as_expression() {
                        let expr = self.expr(expr);
                        let target = Target::Name(Lowering::name("<default>"));
                        out.push(Statement::Assign(vec![target], expr));
                    }
                }
            },
            ast::ModuleDeclaration::ExportDeclaration(export) => {
                self.declaration(&export.declaration, out);
            }
            ast::ModuleDeclaration::TSExportAssignment(export) => {
                let expr = self.expr(&export.expression);
                out.push(Statement::Expr(expr));
            }
            ast::ModuleDeclaration::ExportNamedDeclaration(_)
            | ast::ModuleDeclaration::TSNamespaceExportDeclaration(_) => {}
        }
    }
}

fn endless(step: Block, body: Block) -> Statement {
    let test = Expr::Constant(Constant::Bool(true));
    let body = vec![Statement::Block(body)];
    Statement::While { test, step, body, otherwise: Vec::new(), copies: Vec::new() }
}

/// An expression whose value is not used.
fn as_statement(expr: Expr) -> Statement {
    match expr {
        Expr::Assign(assign) => Statement::Assign(vec![assign.0], assign.1),
        Expr::Update(update) => {
            Statement::Update(update.target, update.old, update.op, update.value)
        }
        other => Statement::Expr(other),
    }
}

fn declares(kind: ast::VariableDeclarationKind) -> Declares {
    match kind {
        ast::VariableDeclarationKind::Var => Declares::Function,
        _ => Declares::Block,
    }
}

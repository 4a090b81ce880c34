//! Expressions of JavaScript.

use super::Javascript;
use super::functions::Named;
use super::operators::{Operator, binary, number, text, update};
use super::patterns::private;
use crate::ir::{
    Argument, BinaryOp, Call, CallKind, Constant, Expr, Gives, Item, LogicOp, Name, Target,
    UnaryOp, Update,
};
use crate::limits::MAX_DEPTH;
use crate::lowering::Lowering;
use oxc_ast::ast;
use oxc_syntax::operator::{
    AssignmentOperator, BinaryOperator, LogicalOperator, UnaryOperator, UpdateOperator,
};
use std::rc::Rc;

impl Javascript<'_> {
    pub(super) fn expr(&mut self, expr: &ast::Expression<'_>) -> Expr {
        if !self.state.enter() {
            return Expr::Unknown;
        }
        let lowered = self.expr_inside(expr);
        self.state.leave();
        lowered
    }

    fn boxed(&mut self, expr: &ast::Expression<'_>) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    fn expr_inside(&mut self, expr: &ast::Expression<'_>) -> Expr {
        match expr {
            ast::Expression::BooleanLiteral(literal) => {
                Expr::Constant(Constant::Bool(literal.value))
            }
            ast::Expression::NullLiteral(_) => Expr::Constant(Constant::None),
            ast::Expression::NumericLiteral(literal) => Expr::Constant(number(literal.value)),
            ast::Expression::BigIntLiteral(literal) => {
                Expr::Constant(literal.value.parse().map_or(Constant::Number, Constant::Int))
            }
            ast::Expression::RegExpLiteral(literal) => Expr::Pattern(
                Rc::from(literal.regex.pattern.text.as_str()),
                Rc::from(literal.regex.flags.to_string().as_str()),
            ),
            ast::Expression::StringLiteral(literal) => text(literal.value.as_str()),
            ast::Expression::TemplateLiteral(template) => self.template(template),
            ast::Expression::Identifier(name) => {
                let name = name.name.as_str();
                if name == "arguments"
                    && let Some(used) = self.arguments.last_mut()
                {
                    *used = true;
                }
                match name {
                    "undefined" => Expr::Constant(Constant::None),
                    _ => Expr::Name(Lowering::name(name)),
                }
            }
            ast::Expression::Super(_) => Expr::Name("super".into()),
            ast::Expression::ThisExpression(_) => Expr::Name("this".into()),
            ast::Expression::ArrayExpression(array) => Expr::List(
                array
                    .elements
                    .iter()
                    .map(|element| match element {
                        ast::ArrayExpressionElement::SpreadElement(spread) => {
                            Item::Spread(self.expr(&spread.argument))
                        }
                        ast::ArrayExpressionElement::Elision(_) => {
                            Item::One(Expr::Constant(Constant::None))
                        }
                        other => Item::One(
                            other.as_expression().map_or(Expr::Unknown, |expr| self.expr(expr)),
                        ),
                    })
                    .collect(),
            ),
            ast::Expression::ObjectExpression(object) => self.object(object),
            ast::Expression::ArrowFunctionExpression(arrow) => self.arrow(arrow),
            ast::Expression::FunctionExpression(function) => {
                self.function(function, Named::Inside).map_or(Expr::Unknown, Expr::Function)
            }
            ast::Expression::ClassExpression(class) => Expr::Class(self.class(class)),
            ast::Expression::AssignmentExpression(assign) => self.assignment(assign),
            ast::Expression::UpdateExpression(change) => {
                let op = match change.operator {
                    UpdateOperator::Increment => BinaryOp::Add,
                    UpdateOperator::Decrement => BinaryOp::Sub,
                };
                let gives = if change.prefix { Gives::New } else { Gives::Old };
                Expr::Update(Box::new(Update {
                    old: self.old_value(&change.argument),
                    target: self.simple_target(&change.argument),
                    op,
                    value: Expr::Constant(Constant::Int(1)),
                    gives,
                }))
            }
            ast::Expression::AwaitExpression(wait) => self.expr(&wait.argument),
            ast::Expression::YieldExpression(give) => {
                self.state.mark_yield();
                match &give.argument {
                    Some(value) if give.delegate => Expr::YieldFrom(self.boxed(value)),
                    Some(value) => Expr::Yield(Some(self.boxed(value))),
                    None => Expr::Yield(None),
                }
            }
            ast::Expression::BinaryExpression(_) => self.operation(expr),
            ast::Expression::PrivateInExpression(test) => {
                let right = self.expr(&test.right);
                Expr::Sequence(vec![right, Expr::Unknown])
            }
            ast::Expression::LogicalExpression(_) => self.logic(expr),
            ast::Expression::ConditionalExpression(_) => self.conditional(expr),
            ast::Expression::UnaryExpression(unary) => self.unary(unary),
            ast::Expression::SequenceExpression(sequence) => {
                Expr::Sequence(sequence.expressions.iter().map(|expr| self.expr(expr)).collect())
            }
            ast::Expression::ImportExpression(import) => {
                let module = self.expr(&import.source);
                if let Some(options) = &import.options {
                    self.expr(options);
                }
                self.call_of(Expr::Name("<import>".into()), vec![Argument::One(module)])
            }
            ast::Expression::ImportMeta(_) => Expr::Name("<meta>".into()),
            ast::Expression::NewTarget(_) => Expr::Unknown,
            ast::Expression::JSXElement(element) => self.jsx_element(element),
            ast::Expression::JSXFragment(fragment) => {
                self.jsx_children(&fragment.children, Vec::new())
            }
            ast::Expression::V8IntrinsicExpression(_) => {
                self.state.cut = true;
                Expr::Unknown
            }
            _ => self.postfix(expr),
        }
    }

    pub(super) fn call_of(&mut self, function: Expr, arguments: Vec<Argument>) -> Expr {
        let site = self.state.site();
        Expr::Call(Box::new(Call { function, arguments, site, kind: CallKind::Plain }))
    }

    fn template(&mut self, template: &ast::TemplateLiteral<'_>) -> Expr {
        let mut parts = Vec::new();
        let mut values = template.expressions.iter();
        for quasi in &template.quasis {
            let cooked = quasi.value.cooked.as_ref().unwrap_or(&quasi.value.raw);
            parts.push(text(cooked.as_str()));
            if let Some(value) = values.next() {
                parts.push(self.expr(value));
            }
        }
        Expr::Build(parts)
    }

    fn object(&mut self, object: &ast::ObjectExpression<'_>) -> Expr {
        let mut pairs = Vec::new();
        for property in &object.properties {
            match property {
                ast::ObjectPropertyKind::SpreadProperty(spread) => {
                    pairs.push((None, self.expr(&spread.argument)));
                }
                ast::ObjectPropertyKind::ObjectProperty(property) => {
                    let key = self.key(&property.key, property.computed);
                    let function = |this: &mut Self| match &property.value {
                        ast::Expression::FunctionExpression(function) => {
                            this.function(function, Named::Outside)
                        }
                        _ => None,
                    };
                    let pair = match (property.kind, &key) {
                        (ast::PropertyKind::Get, _) => {
                            (key, function(self).map_or(Expr::Unknown, Expr::Getter))
                        }
                        (ast::PropertyKind::Set, Expr::Constant(Constant::Text(name))) => {
                            let name = text(&super::classes::setter_name(name));
                            (name, function(self).map_or(Expr::Unknown, Expr::Function))
                        }
                        _ => (key, self.expr(&property.value)),
                    };
                    pairs.push((Some(pair.0), pair.1));
                }
            }
        }
        Expr::Dict(pairs)
    }

    fn assignment(&mut self, assign: &ast::AssignmentExpression<'_>) -> Expr {
        let logical = match assign.operator {
            AssignmentOperator::LogicalOr => Some(LogicOp::Or),
            AssignmentOperator::LogicalAnd => Some(LogicOp::And),
            AssignmentOperator::LogicalNullish => Some(LogicOp::Coalesce),
            _ => None,
        };
        let simple = assign.left.as_simple_assignment_target();
        if let (Some(op), Some(simple)) = (logical, simple) {
            let old = self.old_value(simple);
            let value = self.expr(&assign.right);
            let target = self.simple_target(simple);
            return Expr::Logic(op, vec![old, Expr::Assign(Box::new((target, value)))]);
        }
        if let (Some(op), Some(simple)) = (update(assign.operator), simple) {
            let old = self.old_value(simple);
            let value = self.expr(&assign.right);
            let target = self.simple_target(simple);
            return Expr::Update(Box::new(Update { target, old, op, value, gives: Gives::New }));
        }
        let value = self.expr(&assign.right);
        let target = self.target(&assign.left);
        Expr::Assign(Box::new((target, value)))
    }

    /// Operators of a chain that associates to the left are flat.
    fn operation(&mut self, expr: &ast::Expression<'_>) -> Expr {
        let mut steps = Vec::new();
        let mut left = expr;
        while let ast::Expression::BinaryExpression(operation) = left {
            steps.push(operation);
            left = &operation.left;
        }
        let mut value = self.expr(left);
        let mut rest: Vec<(BinaryOp, Expr)> = Vec::new();
        let flush = |value: Expr, rest: &mut Vec<(BinaryOp, Expr)>| {
            if rest.is_empty() { value } else { Expr::Chain(Box::new(value), std::mem::take(rest)) }
        };
        let mut compared = 0;
        while let Some(operation) = steps.pop() {
            let right = self.expr(&operation.right);
            match binary(operation.operator) {
                Operator::Arithmetic(op) => rest.push((op, right)),
                Operator::Comparison(op) => {
                    let first = flush(value, &mut rest);
                    compared += 1;
                    if compared > MAX_DEPTH {
                        self.state.cut = true;
                        return Expr::Unknown;
                    }
                    value = Expr::Compare(Box::new(first), vec![(op, right)]);
                    if let Some(call) = self.generic_call(operation) {
                        value = Expr::Sequence(vec![value, call]);
                    }
                }
            }
        }
        flush(value, &mut rest)
    }

    /// `f<T>(x)` is two comparisons in JavaScript and a call in TypeScript.
    fn generic_call(&mut self, operation: &ast::BinaryExpression<'_>) -> Option<Expr> {
        let ast::Expression::BinaryExpression(left) = &operation.left else { return None };
        if operation.operator != BinaryOperator::GreaterThan
            || left.operator != BinaryOperator::LessThan
        {
            return None;
        }
        let arguments: Vec<&ast::Expression<'_>> = match &operation.right {
            ast::Expression::ParenthesizedExpression(inner) => match &inner.expression {
                ast::Expression::SequenceExpression(list) => list.expressions.iter().collect(),
                one => vec![one],
            },
            ast::Expression::TemplateLiteral(_) => vec![&operation.right],
            _ => return None,
        };
        let function = self.expr(&left.left);
        let arguments = arguments.into_iter().map(|one| Argument::One(self.expr(one))).collect();
        Some(self.call_of(function, arguments))
    }

    fn logic(&mut self, expr: &ast::Expression<'_>) -> Expr {
        let ast::Expression::LogicalExpression(outer) = expr else { return Expr::Unknown };
        let mut values = Vec::new();
        let mut left = expr;
        while let ast::Expression::LogicalExpression(operation) = left
            && operation.operator == outer.operator
        {
            values.push(self.expr(&operation.right));
            left = &operation.left;
        }
        values.push(self.expr(left));
        values.reverse();
        let op = match outer.operator {
            LogicalOperator::And => LogicOp::And,
            LogicalOperator::Or => LogicOp::Or,
            LogicalOperator::Coalesce => LogicOp::Coalesce,
        };
        Expr::Logic(op, values)
    }

    /// `a ? b : c ? d : e`.
    fn conditional(&mut self, expr: &ast::Expression<'_>) -> Expr {
        let ast::Expression::ConditionalExpression(choice) = expr else { return Expr::Unknown };
        Expr::Conditional(Box::new([
            self.expr(&choice.test),
            self.expr(&choice.consequent),
            self.expr(&choice.alternate),
        ]))
    }

    fn unary(&mut self, unary: &ast::UnaryExpression<'_>) -> Expr {
        let op = match unary.operator {
            UnaryOperator::UnaryPlus => UnaryOp::Plus,
            UnaryOperator::UnaryNegation => UnaryOp::Minus,
            UnaryOperator::LogicalNot => UnaryOp::Not,
            UnaryOperator::BitwiseNot => UnaryOp::Invert,
            UnaryOperator::Typeof => UnaryOp::TypeOf,
            UnaryOperator::Void => UnaryOp::Void,
            UnaryOperator::Delete => {
                let none = Expr::Constant(Constant::None);
                return match unary.argument.without_parentheses() {
                    ast::Expression::StaticMemberExpression(member) => {
                        let name = Lowering::name(member.property.name.as_str());
                        let target = Target::Attribute(self.expr(&member.object), name);
                        Expr::Assign(Box::new((target, none)))
                    }
                    ast::Expression::ComputedMemberExpression(member) => {
                        let object = self.expr(&member.object);
                        let target = Target::Index(object, self.expr(&member.expression));
                        Expr::Assign(Box::new((target, none)))
                    }
                    other => self.expr(other),
                };
            }
        };
        Expr::Unary(op, self.boxed(&unary.argument))
    }

    /// Calls and members nest to the left; the chain is walked from its start.
    fn postfix(&mut self, expr: &ast::Expression<'_>) -> Expr {
        enum Step<'t, 'a> {
            Call(&'t ast::CallExpression<'a>),
            New(&'t ast::NewExpression<'a>),
            Member(Name),
            Index(&'t ast::Expression<'a>),
            Template(&'t ast::TemplateLiteral<'a>),
        }
        let mut spine = Vec::new();
        let mut at = expr;
        let start = loop {
            at = match at {
                ast::Expression::CallExpression(call) => {
                    spine.push(Step::Call(call));
                    &call.callee
                }
                ast::Expression::NewExpression(call) => {
                    spine.push(Step::New(call));
                    &call.callee
                }
                ast::Expression::StaticMemberExpression(member) => {
                    spine.push(Step::Member(Lowering::name(member.property.name.as_str())));
                    &member.object
                }
                ast::Expression::PrivateFieldExpression(member) => {
                    spine.push(Step::Member(private(member.field.name.as_str())));
                    &member.object
                }
                ast::Expression::ComputedMemberExpression(member) => {
                    spine.push(Step::Index(&member.expression));
                    &member.object
                }
                ast::Expression::TaggedTemplateExpression(tagged) => {
                    spine.push(Step::Template(&tagged.quasi));
                    &tagged.tag
                }
                ast::Expression::ParenthesizedExpression(inner) => &inner.expression,
                ast::Expression::TSAsExpression(inner) => &inner.expression,
                ast::Expression::TSSatisfiesExpression(inner) => &inner.expression,
                ast::Expression::TSTypeAssertion(inner) => &inner.expression,
                ast::Expression::TSNonNullExpression(inner) => &inner.expression,
                ast::Expression::TSInstantiationExpression(inner) => &inner.expression,
                ast::Expression::ChainExpression(chain) => match &chain.expression {
                    ast::ChainElement::CallExpression(call) => {
                        spine.push(Step::Call(call));
                        &call.callee
                    }
                    ast::ChainElement::TSNonNullExpression(inner) => &inner.expression,
                    ast::ChainElement::StaticMemberExpression(member) => {
                        spine.push(Step::Member(Lowering::name(member.property.name.as_str())));
                        &member.object
                    }
                    ast::ChainElement::PrivateFieldExpression(member) => {
                        spine.push(Step::Member(private(member.field.name.as_str())));
                        &member.object
                    }
                    ast::ChainElement::ComputedMemberExpression(member) => {
                        spine.push(Step::Index(&member.expression));
                        &member.object
                    }
                },
                start => break start,
            };
        };
        // The evaluator recurses along the chain.
        if spine.len() > 4 * usize::try_from(MAX_DEPTH).unwrap_or(100) {
            self.state.cut = true;
            return Expr::Unknown;
        }
        let mut value = self.expr(start);
        while let Some(step) = spine.pop() {
            self.state.size += 1;
            value = match step {
                Step::Call(call) => {
                    let arguments = self.arguments(&call.arguments);
                    self.call_of(value, arguments)
                }
                Step::New(call) => {
                    let arguments = self.arguments(&call.arguments);
                    let site = self.state.site();
                    let kind = CallKind::New;
                    Expr::Call(Box::new(Call { function: value, arguments, site, kind }))
                }
                Step::Member(name) => Expr::Attribute(Box::new(value), name),
                Step::Index(index) => Expr::Index(Box::new([value, self.expr(index)])),
                Step::Template(template) => self.tagged(value, template),
            };
        }
        value
    }

    /// A tag is a function of the list of constant texts and the values between them.
    fn tagged(&mut self, tag: Expr, template: &ast::TemplateLiteral<'_>) -> Expr {
        let texts = template
            .quasis
            .iter()
            .map(|quasi| {
                let cooked = quasi.value.cooked.as_ref().unwrap_or(&quasi.value.raw);
                Item::One(text(cooked.as_str()))
            })
            .collect();
        let mut arguments = vec![Argument::One(Expr::List(texts))];
        for value in &template.expressions {
            arguments.push(Argument::One(self.expr(value)));
        }
        self.call_of(tag, arguments)
    }

    fn arguments(&mut self, arguments: &[ast::Argument<'_>]) -> Vec<Argument> {
        arguments
            .iter()
            .map(|argument| match argument {
                ast::Argument::SpreadElement(spread) => {
                    Argument::Spread(self.expr(&spread.argument))
                }
                other => Argument::One(
                    other.as_expression().map_or(Expr::Unknown, |expr| self.expr(expr)),
                ),
            })
            .collect()
    }

    /// An element of JSX: its attributes and children are evaluated.
    fn jsx_element(&mut self, element: &ast::JSXElement<'_>) -> Expr {
        let mut items = Vec::new();
        for attribute in &element.opening_element.attributes {
            match attribute {
                ast::JSXAttributeItem::SpreadAttribute(spread) => {
                    items.push(Item::One(self.expr(&spread.argument)));
                }
                ast::JSXAttributeItem::Attribute(attribute) => {
                    if let Some(ast::JSXAttributeValue::ExpressionContainer(value)) =
                        &attribute.value
                        && let Some(expr) = value.expression.as_expression()
                    {
                        items.push(Item::One(self.expr(expr)));
                    }
                }
            }
        }
        self.jsx_children(&element.children, items)
    }

    fn jsx_children(&mut self, children: &[ast::JSXChild<'_>], mut items: Vec<Item>) -> Expr {
        if !self.state.enter() {
            return Expr::Unknown;
        }
        for child in children {
            match child {
                ast::JSXChild::Text(_) => {}
                ast::JSXChild::Element(element) => items.push(Item::One(self.jsx_element(element))),
                ast::JSXChild::Fragment(fragment) => {
                    items.push(Item::One(self.jsx_children(&fragment.children, Vec::new())));
                }
                ast::JSXChild::ExpressionContainer(value) => {
                    if let Some(expr) = value.expression.as_expression() {
                        items.push(Item::One(self.expr(expr)));
                    }
                }
                ast::JSXChild::Spread(spread) => {
                    items.push(Item::One(self.expr(&spread.expression)));
                }
            }
        }
        self.state.leave();
        Expr::List(items)
    }
}

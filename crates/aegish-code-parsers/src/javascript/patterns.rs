//! Targets of assignments and declarations.

use super::Javascript;
use super::operators::text;
use crate::ir::{Expr, Name, Target};
use crate::lowering::Lowering;
use oxc_ast::ast;

/// How the names of a pattern are declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Declares {
    /// In the present block.
    Block,
    /// In the function around it.
    Function,
}

impl Javascript<'_> {
    /// The target of a declaration.
    pub(super) fn binding(&mut self, pattern: &ast::BindingPattern<'_>, how: Declares) -> Target {
        if !self.state.enter() {
            return Target::Ignore;
        }
        let target = match pattern {
            ast::BindingPattern::BindingIdentifier(name) => {
                let name = Lowering::name(name.name.as_str());
                match how {
                    Declares::Block => Target::Name(name),
                    Declares::Function => {
                        self.hoist(&name);
                        Target::Nearest(name)
                    }
                }
            }
            ast::BindingPattern::ObjectPattern(object) => {
                let targets = object
                    .properties
                    .iter()
                    .map(|property| {
                        (
                            self.key(&property.key, property.computed),
                            self.binding(&property.value, how),
                        )
                    })
                    .collect();
                let rest =
                    object.rest.as_ref().map(|rest| Box::new(self.binding(&rest.argument, how)));
                Target::Object(targets, rest)
            }
            ast::BindingPattern::ArrayPattern(array) => {
                let mut targets: Vec<Target> = array
                    .elements
                    .iter()
                    .map(|element| {
                        element
                            .as_ref()
                            .map_or(Target::Ignore, |element| self.binding(element, how))
                    })
                    .collect();
                let star = array.rest.as_ref().map(|rest| {
                    targets.push(self.binding(&rest.argument, how));
                    targets.len() - 1
                });
                Target::Sequence(targets, star)
            }
            ast::BindingPattern::AssignmentPattern(pattern) => {
                let target = self.binding(&pattern.left, how);
                Target::Default(Box::new((target, self.expr(&pattern.right))))
            }
        };
        self.state.leave();
        target
    }

    pub(super) fn hoist(&mut self, name: &Name) {
        if let Some(names) = self.variables.last_mut()
            && !names.contains(name)
        {
            names.push(name.clone());
        }
    }

    /// The target of an assignment.
    pub(super) fn target(&mut self, target: &ast::AssignmentTarget<'_>) -> Target {
        if !self.state.enter() {
            return Target::Ignore;
        }
        let lowered = match target {
            ast::AssignmentTarget::ArrayAssignmentTarget(array) => {
                let mut targets: Vec<Target> = array
                    .elements
                    .iter()
                    .map(|element| {
                        element
                            .as_ref()
                            .map_or(Target::Ignore, |element| self.with_default(element))
                    })
                    .collect();
                let star = array.rest.as_ref().map(|rest| {
                    targets.push(self.target(&rest.target));
                    targets.len() - 1
                });
                Target::Sequence(targets, star)
            }
            ast::AssignmentTarget::ObjectAssignmentTarget(object) => {
                let targets = object
                    .properties
                    .iter()
                    .map(|property| self.property_target(property))
                    .collect();
                let rest = object.rest.as_ref().map(|rest| Box::new(self.target(&rest.target)));
                Target::Object(targets, rest)
            }
            other => match other.as_simple_assignment_target() {
                Some(simple) => self.simple_target(simple),
                None => Target::Ignore,
            },
        };
        self.state.leave();
        lowered
    }

    fn property_target(&mut self, property: &ast::AssignmentTargetProperty<'_>) -> (Expr, Target) {
        match property {
            ast::AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(name) => {
                let target = Target::Nearest(Lowering::name(name.binding.name.as_str()));
                let target = match &name.init {
                    Some(init) => Target::Default(Box::new((target, self.expr(init)))),
                    None => target,
                };
                (text(name.binding.name.as_str()), target)
            }
            ast::AssignmentTargetProperty::AssignmentTargetPropertyProperty(property) => {
                (self.key(&property.name, property.computed), self.with_default(&property.binding))
            }
        }
    }

    fn with_default(&mut self, target: &ast::AssignmentTargetMaybeDefault<'_>) -> Target {
        match target {
            ast::AssignmentTargetMaybeDefault::AssignmentTargetWithDefault(with) => {
                let target = self.target(&with.binding);
                Target::Default(Box::new((target, self.expr(&with.init))))
            }
            other => {
                other.as_assignment_target().map_or(Target::Ignore, |target| self.target(target))
            }
        }
    }

    pub(super) fn simple_target(&mut self, target: &ast::SimpleAssignmentTarget<'_>) -> Target {
        match target {
            ast::SimpleAssignmentTarget::AssignmentTargetIdentifier(name) => {
                Target::Nearest(Lowering::name(name.name.as_str()))
            }
            ast::SimpleAssignmentTarget::ComputedMemberExpression(member) => {
                Target::Index(self.expr(&member.object), self.expr(&member.expression))
            }
            ast::SimpleAssignmentTarget::StaticMemberExpression(member) => Target::Attribute(
                self.expr(&member.object),
                Lowering::name(member.property.name.as_str()),
            ),
            ast::SimpleAssignmentTarget::PrivateFieldExpression(member) => {
                Target::Attribute(self.expr(&member.object), private(member.field.name.as_str()))
            }
            other => match other.get_expression() {
                Some(inner) => self.expression_target(inner),
                None => Target::Ignore,
            },
        }
    }

    /// An expression of TypeScript that is assigned to: `(x as any) = 1`.
    fn expression_target(&mut self, inner: &ast::Expression<'_>) -> Target {
        match inner.without_parentheses() {
            ast::Expression::Identifier(name) => {
                Target::Nearest(Lowering::name(name.name.as_str()))
            }
            ast::Expression::StaticMemberExpression(member) => Target::Attribute(
                self.expr(&member.object),
                Lowering::name(member.property.name.as_str()),
            ),
            ast::Expression::ComputedMemberExpression(member) => {
                Target::Index(self.expr(&member.object), self.expr(&member.expression))
            }
            _ => {
                self.state.cut = true;
                Target::Ignore
            }
        }
    }

    /// The value that an assignment target has before the assignment.
    pub(super) fn old_value(&mut self, target: &ast::SimpleAssignmentTarget<'_>) -> Expr {
        match self.simple_target(target) {
            Target::Nearest(name) => Expr::Name(name),
            Target::Attribute(object, name) => Expr::Attribute(Box::new(object), name),
            Target::Index(object, index) => Expr::Index(Box::new([object, index])),
            _ => Expr::Unknown,
        }
    }

    /// The key of a property.
    pub(super) fn key(&mut self, key: &ast::PropertyKey<'_>, computed: bool) -> Expr {
        match key {
            ast::PropertyKey::StaticIdentifier(name) => text(name.name.as_str()),
            ast::PropertyKey::PrivateIdentifier(name) => text(&private(name.name.as_str())),
            ast::PropertyKey::StringLiteral(name) => text(name.value.as_str()),
            ast::PropertyKey::NumericLiteral(number) if !computed => {
                Expr::Constant(super::operators::number(number.value))
            }
            other => other.as_expression().map_or(Expr::Unknown, |key| self.expr(key)),
        }
    }
}

/// The name of a private member.
pub(super) fn private(name: &str) -> Name {
    format!("#{name}").into()
}

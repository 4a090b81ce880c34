//! Targets of assignments.

use super::{Ruby, nil, this};
use crate::ir::{Expr, Target};
use lib_ruby_parser::Node;

impl Ruby<'_> {
    pub(super) fn target(&mut self, node: &Node) -> Target {
        if !self.lowering.enter() {
            return Target::Ignore;
        }
        let target = self.target_inside(node);
        self.lowering.leave();
        target
    }

    fn target_inside(&mut self, node: &Node) -> Target {
        match node {
            Node::Lvasgn(variable) => self.local(&variable.name),
            Node::Lvar(variable) => self.local(&variable.name),
            Node::Arg(variable) => self.local(&variable.name),
            Node::MatchVar(variable) => self.local(&variable.name),
            Node::Ivasgn(variable) => Target::Attribute(this(), Self::name(&variable.name)),
            Node::Ivar(variable) => Target::Attribute(this(), Self::name(&variable.name)),
            Node::Gvasgn(variable) => Target::Nearest(Self::name(&variable.name)),
            Node::Gvar(variable) => Target::Nearest(Self::name(&variable.name)),
            Node::Cvasgn(variable) => Target::Nearest(Self::name(&variable.name)),
            Node::Cvar(variable) => Target::Nearest(Self::name(&variable.name)),
            Node::Casgn(constant) => match &constant.scope {
                Some(scope) => {
                    let scope = self.value(scope);
                    Target::Attribute(scope, Self::name(&constant.name))
                }
                None => Target::Name(Self::name(&constant.name)),
            },
            Node::Const(constant) => Target::Name(Self::name(&constant.name)),
            Node::IndexAsgn(index) => {
                let object = self.value(&index.recv);
                let place = index.indexes.first().map_or_else(nil, |place| self.value(place));
                Target::Index(object, place)
            }
            Node::Index(index) => {
                let object = self.value(&index.recv);
                let place = index.indexes.first().map_or_else(nil, |place| self.value(place));
                Target::Index(object, place)
            }
            Node::Send(send) => {
                let object = send.recv.as_deref().map_or_else(this, |object| self.value(object));
                Target::Attribute(object, setter(&send.method_name))
            }
            Node::CSend(send) => {
                let object = self.value(&send.recv);
                Target::Attribute(object, setter(&send.method_name))
            }
            Node::Mlhs(list) => self.several(&list.items),
            Node::Procarg0(list) => self.several(&list.args),
            Node::Begin(begin) => {
                begin.statements.first().map_or(Target::Ignore, |one| self.target(one))
            }
            Node::Splat(splat) => {
                splat.value.as_deref().map_or(Target::Ignore, |inner| self.target(inner))
            }
            Node::Restarg(rest) => match &rest.name {
                Some(name) => self.local(&name.clone()),
                None => Target::Ignore,
            },
            Node::Optarg(optional) => {
                let default = self.value(&optional.default);
                let target = self.local(&optional.name);
                Target::Default(Box::new((target, default)))
            }
            _ => Target::Ignore,
        }
    }

    pub(super) fn several(&mut self, items: &[Node]) -> Target {
        let star = items.iter().position(|item| matches!(item, Node::Splat(_) | Node::Restarg(_)));
        let targets = items.iter().map(|item| self.target(item)).collect();
        Target::Sequence(targets, star)
    }

    /// The value that an assignment changes.
    pub(super) fn old_value(&mut self, target: &Node) -> Expr {
        match target {
            Node::Lvasgn(variable) => {
                // A variable that is assigned nowhere before is nil.
                self.local(&variable.name);
                Expr::Name(Self::name(&variable.name))
            }
            Node::Ivasgn(variable) => Expr::Attribute(Box::new(this()), Self::name(&variable.name)),
            Node::Gvasgn(variable) => Expr::Name(Self::name(&variable.name)),
            Node::Cvasgn(variable) => Expr::Name(Self::name(&variable.name)),
            Node::Casgn(constant) => Expr::Name(Self::name(&constant.name)),
            Node::IndexAsgn(index) => {
                let object = self.value(&index.recv);
                let place = index.indexes.first().map_or_else(nil, |place| self.value(place));
                Expr::Index(Box::new([object, place]))
            }
            Node::Send(send) => {
                let object = send.recv.as_deref().map_or_else(this, |object| self.value(object));
                self.send(object, &send.method_name, Vec::new())
            }
            other => self.value(other),
        }
    }
}

fn setter(name: &str) -> crate::ir::Name {
    if name.ends_with('=') { Ruby::name(name) } else { Ruby::name(&format!("{name}=")) }
}

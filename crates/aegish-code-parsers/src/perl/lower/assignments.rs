//! Assignments.

use super::super::Perl;
use super::super::tree::{AssignOp, Declaration, Node};
use super::{nothing, one, text};
use crate::ir::{Expr, Gives, Statement, Target, Update};

impl Perl<'_> {
    /// Whether an assignment gets all values.
    pub(super) fn is_list_target(&self, target: &Node) -> bool {
        match target {
            Node::Array(_) | Node::Hash(_) | Node::Deref('@' | '%', _) | Node::Slice(..) => true,
            Node::List(_) => true,
            Node::Declare(_, nodes, brackets) => {
                *brackets || nodes.first().is_some_and(|node| self.is_list_target(node))
            }
            _ => false,
        }
    }

    /// An assignment; with `several`, its value is the list.
    pub(super) fn assign(
        &mut self,
        op: AssignOp,
        target: &Node,
        value: &Node,
        several: bool,
    ) -> Expr {
        if op == AssignOp::Plain && self.is_list_target(target) {
            let made = self.assign_list(target, value);
            return if several { made } else { self.call("<count>", one(vec![made])) };
        }
        match op {
            AssignOp::Plain => self.assign_one(target, value),
            AssignOp::Concat => {
                let old = self.scalar(target);
                let value = self.scalar(value);
                self.assign_value(target, Expr::Build(vec![old, value]))
            }
            AssignOp::Repeat => {
                let old = self.scalar(target);
                let value = self.scalar(value);
                let new = self.call("<repeat>", one(vec![old, value]));
                self.assign_value(target, new)
            }
            AssignOp::Logic(op) => {
                let old = self.scalar(target);
                let value = if self.is_list_target(target) {
                    self.assign_list(target, value)
                } else {
                    let value = self.scalar(value);
                    self.assign_value(target, value)
                };
                Expr::Logic(op, vec![old, value])
            }
            AssignOp::Binary(op) => {
                let old = self.scalar(target);
                let value = self.scalar(value);
                match self.target(target) {
                    Some(target) => {
                        Expr::Update(Box::new(Update { target, old, op, value, gives: Gives::New }))
                    }
                    None => {
                        let new = Expr::Chain(Box::new(old), vec![(op, value)]);
                        self.assign_value(target, new)
                    }
                }
            }
        }
    }

    fn assign_one(&mut self, target: &Node, value: &Node) -> Expr {
        match target {
            Node::Declare(Declaration::Local, nodes, _) => {
                let value = self.scalar(value);
                let Some(node) = nodes.first() else { return value };
                if let Node::Glob(glob) = node {
                    let mut out = Vec::new();
                    self.localized(node, &mut out);
                    let set = self.call("<set-glob>", one(vec![text(glob), value]));
                    out.push(Statement::Expr(set));
                    return Expr::Block(out);
                }
                // The value is computed before the old one goes.
                self.made += 1;
                let kept: crate::ir::Name = format!("$main::<local {}>", self.made).into();
                let keep = Target::Nearest(kept.clone());
                let mut out = vec![Statement::Assign(vec![keep], value)];
                self.localized(node, &mut out);
                let assigned = self.assign_value(node, Expr::Name(kept));
                out.push(Statement::Expr(assigned));
                Expr::Block(out)
            }
            Node::Declare(Declaration::State, nodes, false) => {
                let Some(node) = nodes.first() else { return nothing() };
                let old = self.scalar(node);
                let value = self.scalar(value);
                let assigned = self.assign_value(node, value);
                Expr::Default(Box::new([old, assigned]))
            }
            Node::Glob(glob) => {
                let value = self.glob_value(value);
                self.call("<set-glob>", one(vec![text(glob), value]))
            }
            Node::Deref('*', inner) => {
                let inner = self.scalar(inner);
                let value = self.glob_value(value);
                self.call("<set-glob>", one(vec![inner, value]))
            }
            Node::LastIndex(array) => {
                let array = self.place_of(array);
                let value = self.scalar(value);
                self.call("<set-last-index>", one(vec![array, value]))
            }
            // `local $x = …` in brackets, `(my $x = …) = …`.
            _ => {
                let value = self.scalar(value);
                self.assign_value(target, value)
            }
        }
    }

    fn glob_value(&mut self, value: &Node) -> Expr {
        self.scalar(value)
    }

    fn assign_list(&mut self, target: &Node, value: &Node) -> Expr {
        let items = self.items(value);
        let list = Expr::List(items);
        match target {
            Node::Declare(how, nodes, brackets) => {
                if *how == Declaration::Local {
                    self.made += 1;
                    let kept: crate::ir::Name = format!("@main::<local {}>", self.made).into();
                    let keep = Target::Nearest(kept.clone());
                    let mut out = vec![Statement::Assign(vec![keep], list)];
                    nodes.iter().for_each(|node| self.localized(node, &mut out));
                    let assigned = self.assign_to_list(nodes, *brackets, Expr::Name(kept), false);
                    out.push(Statement::Expr(assigned));
                    return Expr::Block(out);
                }
                let own = *how == Declaration::My;
                if *how == Declaration::State {
                    let old = nodes.first().map_or_else(nothing, |node| self.container(node));
                    let assigned = self.assign_to_list(nodes, *brackets, list, own);
                    return Expr::Logic(crate::ir::LogicOp::Or, vec![old, assigned]);
                }
                self.assign_to_list(nodes, *brackets, list, own)
            }
            Node::List(nodes) => self.assign_to_list(nodes, true, list, false),
            Node::Slice(of, indexes, ..) => {
                let of = self.place_of(of);
                let indexes = Expr::List(self.items(indexes));
                self.call("<set-slice>", one(vec![of, indexes, list]))
            }
            Node::Array(variable) if &**variable == "@ARGV" || variable.contains("ISA") => {
                Expr::Assign(Box::new((Target::Nearest(variable.clone()), list)))
            }
            Node::Hash(_) | Node::Deref('%', _) => {
                let of = self.place_of(target);
                self.call("<set-hash>", one(vec![of, list]))
            }
            _ => {
                let of = self.place_of(target);
                self.call("<set-array>", one(vec![of, list]))
            }
        }
    }

    fn assign_to_list(&mut self, nodes: &[Node], brackets: bool, list: Expr, own: bool) -> Expr {
        if !brackets {
            let Some(node) = nodes.first() else { return list };
            if let Node::Array(variable) | Node::Hash(variable) = node {
                let target = match own {
                    true => Target::Name(variable.clone()),
                    false => Target::Nearest(variable.clone()),
                };
                return Expr::Assign(Box::new((target, list)));
            }
        }
        let mut targets = Vec::new();
        let mut star = None;
        let mut later = Vec::new();
        for (place, node) in nodes.iter().enumerate() {
            let (node, own) = match node {
                Node::Declare(how, inner, false) => match inner.first() {
                    Some(inner) => (inner, *how == Declaration::My),
                    None => (node, own),
                },
                other => (other, own),
            };
            let target = match node {
                Node::Array(variable) | Node::Hash(variable) | Node::Scalar(variable) if own => {
                    Target::Name(variable.clone())
                }
                Node::Deref('$' | '@' | '%', _) | Node::Slice(..) | Node::Builtin(..) => {
                    // Gets its part through a variable.
                    self.made += 1;
                    let several = self.is_list_target(node);
                    let sigil = if several { '@' } else { '$' };
                    let kept: crate::ir::Name = format!("{sigil}main::<part {}>", self.made).into();
                    later.push((node, kept.clone(), several));
                    Target::Nearest(kept)
                }
                other => match self.target(other) {
                    Some(target) => target,
                    None => {
                        self.lowering.cut = true;
                        Target::Ignore
                    }
                },
            };
            if star.is_none() && self.is_list_target(node) {
                star = Some(place);
            }
            targets.push(target);
            if star.is_some() {
                break;
            }
        }
        let made = Expr::Assign(Box::new((Target::Sequence(targets, star), list)));
        if later.is_empty() {
            return made;
        }
        let mut out = vec![Statement::Expr(made)];
        for (node, kept, several) in later {
            let value = Expr::Name(kept);
            let assigned = match (node, several) {
                (Node::Slice(of, indexes, ..), _) => {
                    let of = self.place_of(of);
                    let indexes = Expr::List(self.items(indexes));
                    self.call("<set-slice>", one(vec![of, indexes, value]))
                }
                (Node::Deref('%', _), _) => {
                    let of = self.place_of(node);
                    self.call("<set-hash>", one(vec![of, value]))
                }
                (_, true) => {
                    let of = self.place_of(node);
                    self.call("<set-array>", one(vec![of, value]))
                }
                (_, false) => self.assign_value(node, value),
            };
            out.push(Statement::Expr(assigned));
        }
        out.push(Statement::Expr(Expr::List(Vec::new())));
        Expr::Block(out)
    }
}

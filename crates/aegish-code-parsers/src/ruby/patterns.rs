//! Pattern matching: `case … in`. Patterns bind variables; whether they match is not known, unless they are values.

use super::Ruby;
use crate::ir::{Block, CompareOp, Expr, LogicOp, Name, Statement, Target};
use lib_ruby_parser::{Node, nodes};

impl Ruby<'_> {
    pub(super) fn case_match(
        &mut self,
        case: &nodes::CaseMatch,
        body: &mut dyn FnMut(&mut Self, Option<&Node>, &mut Block),
        out: &mut Block,
    ) {
        let value = self.value(&case.expr);
        let subject = self.temporary();
        out.push(Statement::Assign(vec![Target::Name(subject.clone())], value));
        let mut branches = Vec::new();
        for one in &case.in_bodies {
            let Node::InPattern(one) = one else { continue };
            let mut inside = Vec::new();
            self.bind_pattern(&one.pattern, &Expr::Name(subject.clone()), &mut inside);
            let test = self.pattern_test(&one.pattern, &subject);
            let test = match one.guard.as_deref() {
                Some(_) => Expr::Unknown,
                None => test,
            };
            body(self, one.body.as_deref(), &mut inside);
            branches.push((Some(test), inside));
        }
        let mut otherwise = Vec::new();
        body(self, case.else_body.as_deref(), &mut otherwise);
        branches.push((None, otherwise));
        out.push(Statement::Branch(branches));
    }

    /// `value => pattern` and `value in pattern`.
    pub(super) fn match_pattern(&mut self, value: &Node, pattern: &Node) -> Expr {
        let value = self.value(value);
        let subject = self.temporary();
        let mut out = vec![Statement::Assign(vec![Target::Name(subject.clone())], value)];
        self.bind_pattern(pattern, &Expr::Name(subject), &mut out);
        out.push(Statement::Expr(Expr::Unknown));
        Expr::Block(out)
    }

    fn pattern_test(&mut self, pattern: &Node, subject: &Name) -> Expr {
        match pattern {
            Node::Str(_)
            | Node::Sym(_)
            | Node::Int(_)
            | Node::Nil(_)
            | Node::True(_)
            | Node::False(_) => {
                let value = self.value(pattern);
                let subject = Box::new(Expr::Name(subject.clone()));
                Expr::Compare(subject, vec![(CompareOp::Equal, value)])
            }
            Node::MatchAlt(either) => Expr::Logic(
                LogicOp::Or,
                vec![
                    self.pattern_test(&either.lhs, subject),
                    self.pattern_test(&either.rhs, subject),
                ],
            ),
            _ => Expr::Unknown,
        }
    }

    /// Binds the variables of a pattern to the parts of a value.
    fn bind_pattern(&mut self, pattern: &Node, value: &Expr, out: &mut Block) {
        let Some(value) = simple(value) else { return };
        if !self.lowering.enter() {
            return;
        }
        match pattern {
            Node::MatchVar(_) => {
                let target = self.target(pattern);
                out.push(Statement::Assign(vec![target], value));
            }
            Node::MatchAs(inner) => {
                self.bind_pattern(&inner.value, &value, out);
                let target = self.target(&inner.as_);
                out.push(Statement::Assign(vec![target], value));
            }
            Node::MatchAlt(either) => {
                self.bind_pattern(&either.lhs, &value, out);
                self.bind_pattern(&either.rhs, &value, out);
            }
            Node::ArrayPattern(nodes::ArrayPattern { elements, .. })
            | Node::ArrayPatternWithTail(nodes::ArrayPatternWithTail { elements, .. })
            | Node::FindPattern(nodes::FindPattern { elements, .. }) => {
                let star = elements.iter().position(|one| matches!(one, Node::MatchRest(_)));
                let names: Vec<Name> = elements.iter().map(|_| self.temporary()).collect();
                let targets = names.iter().map(|name| Target::Name(name.clone())).collect();
                out.push(Statement::Assign(vec![Target::Sequence(targets, star)], value));
                for (element, name) in elements.iter().zip(names) {
                    let inner = match element {
                        Node::MatchRest(rest) => match &rest.name {
                            Some(inner) => inner,
                            None => continue,
                        },
                        other => other,
                    };
                    self.bind_pattern(inner, &Expr::Name(name), out);
                }
            }
            Node::HashPattern(hash) => {
                for element in &hash.elements {
                    match element {
                        Node::Pair(pair) => {
                            let key = self.value(&pair.key);
                            let name = self.temporary();
                            let Some(object) = simple(&value) else { continue };
                            let part = Expr::Index(Box::new([object, key]));
                            out.push(Statement::Assign(vec![Target::Name(name.clone())], part));
                            self.bind_pattern(&pair.value, &Expr::Name(name), out);
                        }
                        Node::MatchVar(variable) => {
                            let Some(object) = simple(&value) else { continue };
                            let part = Expr::Index(Box::new([object, super::text(&variable.name)]));
                            let target = self.target(element);
                            out.push(Statement::Assign(vec![target], part));
                        }
                        Node::MatchRest(rest) => {
                            if let (Some(name), Some(object)) = (&rest.name, simple(&value)) {
                                let target = self.target(name);
                                out.push(Statement::Assign(vec![target], object));
                            }
                        }
                        _ => {}
                    }
                }
            }
            Node::ConstPattern(inner) => self.bind_pattern(&inner.pattern, &value, out),
            Node::Begin(begin) => {
                if let Some(inner) = begin.statements.first() {
                    self.bind_pattern(inner, &value, out);
                }
            }
            _ => {}
        }
        self.lowering.leave();
    }
}

/// A copy of a variable.
fn simple(value: &Expr) -> Option<Expr> {
    match value {
        Expr::Name(name) => Some(Expr::Name(name.clone())),
        _ => None,
    }
}

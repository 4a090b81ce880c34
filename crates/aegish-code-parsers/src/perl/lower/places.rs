//! What assignments change: variables, elements, handles, references.

use super::super::Perl;
use super::super::tree::{Declaration, Node};
use super::{name, nothing, one, text};
use crate::ir::{Argument, Constant, Expr, Statement, Target};
use crate::lowering::Lowering;

impl Perl<'_> {
    /// An array or a hash as a value.
    pub(super) fn container(&mut self, node: &Node) -> Expr {
        match node {
            Node::Array(variable) | Node::Hash(variable) => Expr::Name(variable.clone()),
            Node::Deref(sigil @ ('@' | '%'), inner) => {
                let inner = self.scalar(inner);
                self.call(if *sigil == '@' { "<deref@>" } else { "<deref%>" }, one(vec![inner]))
            }
            Node::Declare(_, nodes, _) => {
                let declared = self.scalar(node);
                let inner = nodes.first().map_or_else(nothing, |node| self.container(node));
                self.call("<last>", one(vec![declared, inner]))
            }
            other => self.scalar(other),
        }
    }

    /// An array or a hash that is made if there is none yet.
    pub(super) fn place_of(&mut self, node: &Node) -> Expr {
        match node {
            Node::Array(variable) | Node::Hash(variable) => {
                let variable = text(variable);
                self.call("<variable>", one(vec![variable]))
            }
            Node::Deref(sigil @ ('@' | '%'), inner) => {
                let kind = text(&sigil.to_string());
                match &**inner {
                    Node::Scalar(variable) => {
                        let variable = text(variable);
                        self.call("<vivify>", one(vec![variable, kind]))
                    }
                    Node::List(nodes)
                        if nodes.len() == 1
                            && matches!(
                                nodes.first(),
                                Some(Node::Scalar(_) | Node::Element(..))
                            ) =>
                    {
                        match nodes.first() {
                            Some(Node::Scalar(variable)) => {
                                let variable = text(variable);
                                self.call("<vivify>", one(vec![variable, kind]))
                            }
                            Some(Node::Element(of, index)) => {
                                self.vivified_element(of, index, kind)
                            }
                            _ => nothing(),
                        }
                    }
                    Node::Element(of, index) => self.vivified_element(of, index, kind),
                    other => {
                        let inner = self.scalar(other);
                        self.call(
                            if *sigil == '@' { "<deref@>" } else { "<deref%>" },
                            one(vec![inner]),
                        )
                    }
                }
            }
            other => self.container(other),
        }
    }

    fn vivified_element(&mut self, of: &Node, index: &Node, kind: Expr) -> Expr {
        let of = self.place_of(of);
        let index = self.scalar(index);
        self.call("<vivify-element>", one(vec![of, index, kind]))
    }

    /// The target of an assignment of one value; none if it needs a function.
    pub(super) fn target(&mut self, node: &Node) -> Option<Target> {
        Some(match node {
            Node::Scalar(variable) | Node::Array(variable) | Node::Hash(variable) => {
                Target::Nearest(variable.clone())
            }
            Node::Declare(Declaration::My, nodes, false) => match nodes.first()? {
                Node::Scalar(variable) | Node::Array(variable) | Node::Hash(variable) => {
                    Target::Name(variable.clone())
                }
                _ => return None,
            },
            Node::Declare(Declaration::Our | Declaration::State, nodes, false) => {
                return self.target(nodes.first()?);
            }
            Node::Element(of, index) => {
                // The arguments are the variables of the caller.
                if matches!(&**of, Node::Array(variable) if &**variable == "@_") {
                    self.lowering.cut = true;
                }
                let of = self.place_of(of);
                let index = self.scalar(index);
                Target::Index(of, index)
            }
            Node::Undefined => Target::Ignore,
            Node::List(nodes) if nodes.len() == 1 => return self.target(nodes.first()?),
            Node::Word(word) => Target::Nearest(self.global('*', word)),
            Node::Call(function, arguments) if arguments.is_empty() => {
                Target::Nearest(function.replacen('&', "*", 1).into())
            }
            Node::Glob(glob) => Target::Nearest(glob.clone()),
            Node::Reference(inner) => match &**inner {
                Node::Glob(glob) => Target::Nearest(glob.clone()),
                _ => return None,
            },
            Node::Text(word) if word.chars().all(|c| c.is_alphanumeric() || c == '_') => {
                Target::Nearest(self.global('*', word))
            }
            // `(my $x = $y) =~ …`.
            Node::Assign(_, target, _) => match &**target {
                Node::Declare(_, nodes, false) => return self.target(nodes.first()?),
                other => return self.target(other),
            },
            _ => return None,
        })
    }

    /// A file handle.
    pub(super) fn handle(&mut self, node: &Node) -> Expr {
        match node {
            Node::Word(word) => Expr::Name(self.global('*', word)),
            Node::Text(word) if !word.is_empty() => Expr::Name(self.global('*', word)),
            Node::Call(function, arguments) if arguments.is_empty() => {
                Expr::Name(function.replacen('&', "*", 1).into())
            }
            Node::Glob(glob) => Expr::Name(glob.clone()),
            Node::Reference(inner) => match &**inner {
                Node::Glob(glob) => Expr::Name(glob.clone()),
                _ => self.scalar(node),
            },
            Node::DoBlock(body) => match body.as_slice() {
                [super::super::tree::Stmt::Expr(only)] => self.handle(only),
                _ => self.scalar(node),
            },
            Node::List(nodes) if nodes.len() == 1 => match nodes.first() {
                Some(only) => self.handle(only),
                None => nothing(),
            },
            other => self.scalar(other),
        }
    }

    /// `\value`.
    pub(super) fn reference(&mut self, node: &Node) -> Expr {
        match node {
            Node::Array(_) | Node::Hash(_) | Node::Deref('@' | '%', _) => self.place_of(node),
            Node::CallValue(function, None) => match &**function {
                Node::Code(function) => {
                    let function = text(function);
                    self.call("<code>", one(vec![function]))
                }
                other => {
                    let function = self.scalar(other);
                    self.call("<code>", one(vec![function]))
                }
            },
            Node::Scalar(variable) => {
                let variable = text(variable);
                self.call("<reference>", one(vec![variable]))
            }
            Node::Declare(_, nodes, _) => {
                let declared = self.scalar(node);
                let inner = nodes.first().map_or_else(nothing, |node| self.reference(node));
                self.call("<last>", one(vec![declared, inner]))
            }
            Node::Glob(_) | Node::Deref('*', _) => self.scalar(node),
            Node::Deref('$', inner) => self.scalar(inner),
            Node::List(nodes) if nodes.len() == 1 => {
                nodes.first().map_or_else(nothing, |node| self.reference(node))
            }
            other => {
                let value = self.scalar(other);
                self.call("<reference-to>", one(vec![value]))
            }
        }
    }

    /// A declaration without a value.
    pub(super) fn declare_nodes(&mut self, how: Declaration, nodes: &[Node]) -> Expr {
        let mut out = Vec::new();
        for node in nodes {
            match (how, node) {
                (Declaration::My, Node::Scalar(variable)) => {
                    out.push(Statement::Assign(vec![Target::Name(variable.clone())], nothing()));
                }
                (Declaration::My, Node::Array(variable) | Node::Hash(variable)) => {
                    let empty = Expr::List(Vec::new());
                    out.push(Statement::Assign(vec![Target::Name(variable.clone())], empty));
                }
                (Declaration::Local, node) => {
                    self.localized(node, &mut out);
                    match node {
                        Node::Scalar(_) | Node::Element(..) => {
                            if let Some(target) = self.target(node) {
                                out.push(Statement::Assign(vec![target], nothing()));
                            }
                        }
                        Node::Array(variable) | Node::Hash(variable) => {
                            let target = Target::Nearest(variable.clone());
                            out.push(Statement::Assign(vec![target], Expr::List(Vec::new())));
                        }
                        Node::Assign(..) => {
                            let value = self.scalar(node);
                            out.push(Statement::Expr(value));
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        let value = match nodes {
            [Node::Scalar(variable)] => Expr::Name(variable.clone()),
            _ => nothing(),
        };
        if out.is_empty() {
            return value;
        }
        out.push(Statement::Expr(value));
        Expr::Block(out)
    }

    /// Keeps the value of a variable until the end of the block.
    pub(super) fn localized(&mut self, node: &Node, out: &mut Vec<Statement>) {
        match node {
            Node::Scalar(variable) | Node::Array(variable) | Node::Hash(variable) => {
                let variable = text(variable);
                let call = self.call("<local>", one(vec![variable]));
                out.push(Statement::Expr(call));
            }
            Node::Glob(glob) => {
                let variable = text(glob);
                let call = self.call("<local>", one(vec![variable]));
                out.push(Statement::Expr(call));
            }
            Node::Element(of, index) => {
                let of = self.place_of(of);
                let index = self.scalar(index);
                let call = self.call("<local-element>", one(vec![of, index]));
                out.push(Statement::Expr(call));
            }
            Node::List(nodes) => nodes.iter().for_each(|node| self.localized(node, out)),
            _ => {}
        }
    }

    /// `++` and `--`.
    pub(super) fn increment(&mut self, target: &Node, by: i64, before: bool) -> Expr {
        let old = self.scalar(target);
        let by = Expr::Constant(Constant::Int(by));
        let new = self.call("<increment>", one(vec![old, by]));
        let assigned = self.assign_value(target, new);
        if before {
            return assigned;
        }
        let old = self.scalar(target);
        self.call("<first>", one(vec![old, assigned]))
    }

    /// Assigns a value that was lowered already.
    pub(super) fn assign_value(&mut self, target: &Node, value: Expr) -> Expr {
        if let Some(target) = self.target(target) {
            return Expr::Assign(Box::new((target, value)));
        }
        match target {
            Node::Deref('$', inner) => {
                let inner = self.scalar(inner);
                self.call("<set-deref>", one(vec![inner, value]))
            }
            Node::Builtin(function, arguments) if function == "substr" => {
                self.substr_assigned(arguments, value)
            }
            Node::Deref('*', inner) => {
                let inner = self.scalar(inner);
                self.call("<set-glob>", one(vec![inner, value]))
            }
            Node::LastIndex(_) | Node::Call(..) | Node::Method(..) | Node::CallValue(..) => {
                self.call("<maybe>", one(vec![value]))
            }
            Node::Builtin(function, _) if matches!(function.as_str(), "pos" | "keys") => value,
            Node::Ternary(parts) => {
                // One of the two gets the value.
                let [test, yes, no] = &**parts;
                let variable = Lowering::name("$main::<either>");
                let keep = Expr::Assign(Box::new((Target::Nearest(variable), value)));
                let test = self.scalar(test);
                let yes = self.assign_value(yes, name("$main::<either>"));
                let no = self.assign_value(no, name("$main::<either>"));
                let choice = Expr::Conditional(Box::new([test, yes, no]));
                Expr::Sequence(vec![keep, choice])
            }
            _ => {
                self.lowering.cut = true;
                self.call("<maybe>", vec![Argument::One(value)])
            }
        }
    }
}

//! Calls of functions of the program, and operators on texts.

use super::super::Perl;
use super::super::tree::Node;
use super::{arguments_of, name, one, text};
use crate::ir::{Argument, Expr, Item};

impl Perl<'_> {
    /// A call of a function of the program or of a library.
    pub(super) fn user_call(&mut self, function: &str, arguments: &[Node]) -> Expr {
        let short = function.rsplit("::").next().unwrap_or("");
        let prototype = self.subs.get(short).cloned().flatten().unwrap_or_default();
        let mut items = Vec::new();
        let mut signs = prototype.chars().filter(|c| *c != ';').peekable();
        for argument in arguments {
            let by_reference = match signs.next() {
                Some('\\') => {
                    if signs.peek() == Some(&'[') {
                        for c in signs.by_ref() {
                            if c == ']' {
                                break;
                            }
                        }
                    } else {
                        signs.next();
                    }
                    true
                }
                _ => false,
            };
            if by_reference {
                items.push(Item::One(self.reference(argument)));
            } else {
                items.append(&mut self.items(argument));
            }
        }
        self.call_expr(name(function), arguments_of(items))
    }

    /// A call of a value; without arguments it sees those of the function around.
    pub(super) fn value_call(&mut self, function: &Node, arguments: Option<&[Node]>) -> Expr {
        let function = match function {
            Node::Code(function) => Expr::Name(function.clone()),
            other => self.scalar(other),
        };
        let mut all = one(vec![function]);
        match arguments {
            Some(arguments) => {
                let items = self.argument_items(arguments);
                all.extend(arguments_of(items));
            }
            None => all.push(Argument::Spread(name("@_"))),
        }
        self.call("<call>", all)
    }

    /// `value =~ /pattern/`.
    pub(super) fn matched(
        &mut self,
        function: &str,
        target: Option<&Node>,
        pattern: &Node,
        flags: &str,
    ) -> Expr {
        let value = match target {
            Some(target) => self.scalar(target),
            None => name("$_"),
        };
        let pattern = self.scalar(pattern);
        self.call(function, one(vec![value, pattern, text(flags)]))
    }

    /// The text that an operator changes: an assignment in brackets comes first.
    fn changed(&mut self, target: Option<&Node>) -> (Expr, Option<Expr>) {
        match target {
            None => (name("$_"), None),
            Some(Node::List(nodes)) if nodes.len() == 1 => self.changed(nodes.first()),
            Some(node @ Node::Assign(_, inner, _)) => {
                let first = self.scalar(node);
                let value = match &**inner {
                    Node::Declare(_, nodes, _) => match nodes.first() {
                        Some(node) => self.scalar(node),
                        None => name("$_"),
                    },
                    other => self.scalar(other),
                };
                (value, Some(first))
            }
            Some(other) => (self.scalar(other), None),
        }
    }

    pub(super) fn substituted(
        &mut self,
        target: Option<&Node>,
        pattern: &Node,
        to: &Node,
        flags: &str,
    ) -> Expr {
        let (value, first) = self.changed(target);
        let pattern = self.scalar(pattern);
        // The replacement is computed for every match.
        let code = match to {
            Node::AnonSub(sub) => self.function("<replacement>", sub, false),
            other => {
                let value = self.scalar(other);
                self.expression_function(value)
            }
        };
        let values = vec![value, pattern, Expr::Function(code), text(flags)];
        let new = self.call("<substitute>", one(values));
        if flags.contains('r') {
            return new;
        }
        let changed = self.assign_changed(target, new);
        let mut all: Vec<Expr> = first.into_iter().collect();
        all.push(changed);
        self.call("<maybe>", one(all))
    }

    fn assign_changed(&mut self, target: Option<&Node>, new: Expr) -> Expr {
        let topic = Node::Scalar("$_".into());
        match target {
            None => self.assign_value(&topic, new),
            Some(Node::List(nodes)) if nodes.len() == 1 => self.assign_changed(nodes.first(), new),
            Some(Node::Assign(_, inner, _)) => match &**inner {
                Node::Declare(_, nodes, _) => self.assign_changed(nodes.first(), new),
                other => self.assign_value(other, new),
            },
            Some(Node::Declare(_, nodes, _)) => self.assign_changed(nodes.first(), new),
            Some(node @ (Node::Scalar(_) | Node::Element(..) | Node::Deref('$', _))) => {
                self.assign_value(node, new)
            }
            Some(Node::Builtin(function, arguments)) if function == "substr" => {
                self.substr_assigned(arguments, new)
            }
            // A pattern that is applied to something that cannot change.
            Some(_) => new,
        }
    }

    pub(super) fn translated(
        &mut self,
        target: Option<&Node>,
        from: &str,
        to: &str,
        flags: &str,
    ) -> Expr {
        let (value, first) = self.changed(target);
        let values = vec![value, text(from), text(to), text(flags)];
        let new = self.call("<translate>", one(values));
        if flags.contains('r') {
            return new;
        }
        let changed = self.assign_changed(target, new);
        let mut all: Vec<Expr> = first.into_iter().collect();
        all.push(changed);
        self.call("<maybe>", one(all))
    }

    /// `print`, `printf`, `say`: the handle comes first.
    pub(super) fn print(
        &mut self,
        function: &str,
        handle: Option<&Node>,
        arguments: &[Node],
    ) -> Expr {
        let handle = match handle {
            Some(handle) => self.handle(handle),
            None => super::nothing(),
        };
        let mut all = one(vec![handle]);
        if arguments.is_empty() {
            all.push(Argument::One(name("$_")));
        } else {
            let items = self.argument_items(arguments);
            all.extend(arguments_of(items));
        }
        self.call(function, all)
    }
}

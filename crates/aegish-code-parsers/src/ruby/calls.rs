//! Calls of methods, with their blocks.

use super::{BLOCK, Ruby, nil, this};
use crate::ir::{
    Argument, BinaryOp, Call, CallKind, CompareOp, Expr, Gives, LogicOp, Target, UnaryOp, Update,
};
use lib_ruby_parser::{Node, nodes};

/// Methods that change a text in place. Others of the kind end with `!`.
const CHANGES: &[&str] =
    &["<<", "concat", "replace", "insert", "prepend", "clear", "append_as_bytes", "setbyte"];

impl Ruby<'_> {
    /// `object.name(arguments)`.
    pub(super) fn send(&mut self, object: Expr, name: &str, arguments: Vec<Argument>) -> Expr {
        let function = Expr::Attribute(Box::new(object), Self::name(name));
        let site = self.lowering.site();
        Expr::Call(Box::new(Call { function, arguments, site, kind: CallKind::Plain }))
    }

    pub(super) fn call_self(&mut self, name: &str, arguments: Vec<Argument>) -> Expr {
        self.send(this(), name, arguments)
    }

    /// A call of a value: `yield`.
    pub(super) fn call_value(&mut self, function: Expr, arguments: Vec<Argument>) -> Expr {
        let site = self.lowering.site();
        Expr::Call(Box::new(Call { function, arguments, site, kind: CallKind::Plain }))
    }

    pub(super) fn send_node(&mut self, send: &nodes::Send, block: Option<Expr>) -> Expr {
        let name = send.method_name.as_str();
        if let (Some(object), None) = (&send.recv, &block) {
            if let Some(value) = self.operator(object, name, &send.args) {
                return value;
            }
            if let Some(value) = self.assignment(object, name, &send.args) {
                return value;
            }
        }
        let object = send.recv.as_deref().map_or_else(this, |object| self.value(object));
        let mut arguments = self.arguments(&send.args);
        arguments.extend(block.map(|block| Argument::Named(Self::name(BLOCK), block)));
        let call = self.send(object, name, arguments);
        let changes =
            CHANGES.contains(&name) || name.ends_with('!') && !matches!(name, "!" | "exit!");
        match &send.recv {
            Some(object) if changes => self.changed(object, call),
            _ => call,
        }
    }

    /// A method that changes a text in place gives its variable the new text.
    fn changed(&mut self, object: &Node, call: Expr) -> Expr {
        let target = match object {
            Node::Lvar(_) | Node::Ivar(_) | Node::Gvar(_) | Node::Cvar(_) | Node::Index(_) => {
                self.target(object)
            }
            // `text.upcase!.strip!`, `(text << a) << b`.
            Node::Send(inner) if CHANGES.contains(&inner.method_name.as_str()) => {
                let Some(inner) = &inner.recv else { return call };
                return self.changed(inner, call);
            }
            Node::Begin(begin) => match begin.statements.as_slice() {
                [one] => return self.changed(one, call),
                _ => return call,
            },
            _ => return call,
        };
        let old = self.old_of(object);
        let op = BinaryOp::Other;
        Expr::Update(Box::new(Update { target, old, op, value: call, gives: Gives::New }))
    }

    fn old_of(&mut self, object: &Node) -> Expr {
        self.value(object)
    }

    /// `object.name = value`.
    fn assignment(&mut self, object: &Node, name: &str, args: &[Node]) -> Option<Expr> {
        let [value] = args else { return None };
        let last = name.strip_suffix('=')?.chars().last()?;
        if !(last.is_alphanumeric() || last == '_') {
            return None;
        }
        let value = self.value(value);
        let object = self.value(object);
        let target = Target::Attribute(object, Self::name(name));
        Some(Expr::Assign(Box::new((target, value))))
    }

    fn operator(&mut self, object: &Node, name: &str, args: &[Node]) -> Option<Expr> {
        if args.is_empty() {
            let op = match name {
                "!" => UnaryOp::Not,
                "-@" => UnaryOp::Minus,
                "+@" => UnaryOp::Plus,
                "~" => UnaryOp::Invert,
                _ => return None,
            };
            let value = self.value(object);
            return Some(Expr::Unary(op, Box::new(value)));
        }
        let [right] = args else { return None };
        if matches!(right, Node::Splat(_) | Node::BlockPass(_) | Node::Kwargs(_)) {
            return None;
        }
        if let Some(op) = comparison(name) {
            let left = self.value(object);
            let right = self.value(right);
            return Some(Expr::Compare(Box::new(left), vec![(op, right)]));
        }
        let op = binary(name)?;
        // A chain to the left is flat, so that its length does not nest.
        let mut parts = vec![(op, right)];
        let mut first = object;
        while let Node::Send(inner) = first
            && let (Some(op), Some(left), [right]) =
                (binary(&inner.method_name), &inner.recv, inner.args.as_slice())
            && !matches!(right, Node::Splat(_) | Node::BlockPass(_) | Node::Kwargs(_))
        {
            parts.push((op, right));
            first = left;
        }
        parts.reverse();
        let first = self.value(first);
        let rest = parts.into_iter().map(|(op, right)| (op, self.value(right))).collect();
        Some(Expr::Chain(Box::new(first), rest))
    }

    /// `object&.name(arguments)`.
    pub(super) fn safe_send(&mut self, send: &nodes::CSend, block: Option<Expr>) -> Expr {
        let object = self.value(&send.recv);
        let mut arguments = self.arguments(&send.args);
        arguments.extend(block.map(|block| Argument::Named(Self::name(BLOCK), block)));
        self.send(object, &send.method_name, arguments)
    }

    /// A call with a block.
    pub(super) fn with_block(&mut self, call: &Node, block: Expr) -> Expr {
        match call {
            Node::Send(send) => self.send_node(send, Some(block)),
            Node::CSend(send) => self.safe_send(send, Some(block)),
            Node::Lambda(_) => block,
            Node::Super(call) => {
                let mut arguments = self.arguments(&call.args);
                arguments.push(Argument::Named(Self::name(BLOCK), block));
                self.call_self("super", arguments)
            }
            Node::ZSuper(_) => {
                let arguments = vec![Argument::Named(Self::name(BLOCK), block)];
                self.call_self("super", arguments)
            }
            Node::Index(index) => {
                let object = self.value(&index.recv);
                let mut arguments = self.arguments(&index.indexes);
                arguments.push(Argument::Named(Self::name(BLOCK), block));
                self.send(object, "[]", arguments)
            }
            other => self.value(other),
        }
    }

    /// `target op= value`.
    pub(super) fn operator_assignment(&mut self, target: &Node, op: &str, value: &Node) -> Expr {
        let old = self.old_value(target);
        let value = self.value(value);
        let place = self.target(target);
        match binary(op) {
            Some(op) => {
                Expr::Update(Box::new(Update { target: place, old, op, value, gives: Gives::New }))
            }
            None => {
                let new = self.send(old, op, vec![Argument::One(value)]);
                Expr::Assign(Box::new((place, new)))
            }
        }
    }

    /// `target ||= value` and `target &&= value`.
    pub(super) fn logic_assignment(&mut self, target: &Node, op: LogicOp, value: &Node) -> Expr {
        let old = self.old_value(target);
        let value = self.value(value);
        let place = self.target(target);
        let value = Expr::Assign(Box::new((place, value)));
        Expr::Logic(op, vec![old, value])
    }

    pub(super) fn range(
        &mut self,
        left: Option<&Node>,
        right: Option<&Node>,
        inclusive: bool,
    ) -> Expr {
        let left = left.map_or_else(nil, |left| self.value(left));
        let right = right.map_or_else(nil, |right| self.value(right));
        let inclusive = Expr::Constant(crate::ir::Constant::Bool(inclusive));
        let arguments = vec![Argument::One(left), Argument::One(right), Argument::One(inclusive)];
        self.call_value(Expr::Name(Self::name("<range>")), arguments)
    }
}

fn comparison(name: &str) -> Option<CompareOp> {
    Some(match name {
        "==" => CompareOp::Equal,
        "!=" => CompareOp::NotEqual,
        "<" => CompareOp::Less,
        "<=" => CompareOp::LessEqual,
        ">" => CompareOp::Greater,
        ">=" => CompareOp::GreaterEqual,
        _ => return None,
    })
}

fn binary(name: &str) -> Option<BinaryOp> {
    Some(match name {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Sub,
        "*" => BinaryOp::Mul,
        "/" => BinaryOp::Div,
        "%" => BinaryOp::Mod,
        "**" => BinaryOp::Pow,
        "&" => BinaryOp::BitAnd,
        "|" => BinaryOp::BitOr,
        "^" => BinaryOp::BitXor,
        _ => return None,
    })
}

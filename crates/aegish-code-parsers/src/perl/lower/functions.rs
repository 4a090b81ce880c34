//! Functions of the program and blocks that give a value.

use super::super::Perl;
use super::super::tree::{Node, Stmt, Sub};
use super::{is_several, nothing, statements};
use crate::ir::{Arguments, Block, Body, Expr, Function, Name, Receiver, Statement, Target};
use crate::lowering::Lowering;
use std::rc::Rc;

impl Perl<'_> {
    /// The value that a function gives back: one, or a list.
    pub(super) fn given_back(&mut self, node: &Node) -> Expr {
        match node {
            Node::List(nodes) if nodes.len() == 1 => {
                nodes.first().map_or_else(nothing, |node| self.given_back(node))
            }
            Node::Call(..) | Node::CallValue(..) | Node::Method(..) | Node::DynamicMethod(..) => {
                self.several(node)
            }
            Node::Ternary(parts) => {
                let [test, yes, no] = &**parts;
                let test = self.scalar(test);
                let yes = self.given_back(yes);
                let no = self.given_back(no);
                Expr::Conditional(Box::new([test, yes, no]))
            }
            other if is_several(other) => Expr::Tuple(self.items(other)),
            other => self.scalar(other),
        }
    }

    /// A function of the program. A block that sees the arguments of the function around it is none of its own.
    pub(super) fn function(
        &mut self,
        function: &str,
        sub: &Sub,
        own_arguments: bool,
    ) -> Rc<Function> {
        self.lowering.functions += 1;
        let id = self.lowering.functions;
        self.lowered_subs += u32::from(own_arguments);
        let body = self.body(&sub.body, &statements::Tail::Return);
        self.lowered_subs -= u32::from(own_arguments);
        Rc::new(Function {
            id,
            name: Lowering::name(function),
            positional: Vec::new(),
            rest: own_arguments.then(|| Lowering::name("@_")),
            keyword_only: Vec::new(),
            named_rest: None,
            body: Body::Block(body),
            generator: false,
            receiver: Receiver::Lexical,
            arguments: Arguments::Unnamed,
            sees_itself: false,
        })
    }

    /// `do { … }`: the last statement gives the value.
    pub(super) fn do_block(&mut self, body: &[Stmt]) -> Expr {
        self.made += 1;
        let variable: Name = format!("$main::<do {}>", self.made).into();
        let mut out: Block =
            vec![Statement::Assign(vec![Target::Nearest(variable.clone())], nothing())];
        let inner = self.body(body, &statements::Tail::Assign(variable.clone()));
        out.push(Statement::Block(inner));
        out.push(Statement::Expr(Expr::Name(variable)));
        Expr::Block(out)
    }
}

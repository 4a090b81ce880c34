//! Expressions. Statements that give a value become expressions that hold statements.

use super::{BLOCK, Ruby, nil, text, this};
use crate::ir::{Argument, Block, Constant, Expr, Item, LogicOp, Statement, Target};
use lib_ruby_parser::{Node, nodes};
use std::rc::Rc;

impl Ruby<'_> {
    pub(super) fn value(&mut self, node: &Node) -> Expr {
        if !self.lowering.enter() {
            return Expr::Unknown;
        }
        let value = self.value_inside(node);
        self.lowering.leave();
        value
    }

    fn optional(&mut self, node: Option<&Node>) -> Expr {
        node.map_or_else(nil, |node| self.value(node))
    }

    fn value_inside(&mut self, node: &Node) -> Expr {
        match node {
            Node::Nil(_) | Node::EmptyElse(_) => nil(),
            Node::True(_) => Expr::Constant(Constant::Bool(true)),
            Node::False(_) => Expr::Constant(Constant::Bool(false)),
            Node::Self_(_) => this(),
            Node::Int(number) => integer(&number.value),
            Node::Float(_) | Node::Rational(_) | Node::Complex(_) | Node::Line(_) => {
                Expr::Constant(Constant::Number)
            }
            Node::Str(string) => literal(string.value.as_raw()),
            Node::Sym(symbol) => literal(symbol.name.as_raw()),
            Node::Dstr(nodes::Dstr { parts, .. })
            | Node::Dsym(nodes::Dsym { parts, .. })
            | Node::Heredoc(nodes::Heredoc { parts, .. }) => self.build(parts),
            Node::Xstr(nodes::Xstr { parts, .. })
            | Node::XHeredoc(nodes::XHeredoc { parts, .. }) => {
                let command = self.build(parts);
                self.call_self("`", vec![Argument::One(command)])
            }
            Node::Regexp(regexp) => self.regexp(regexp),
            Node::File(_) => Expr::Name(Self::name("__FILE__")),
            Node::Encoding(_) => Expr::Constant(Constant::Number),
            Node::Array(array) => self.list(&array.elements),
            Node::Hash(hash) => self.pairs(&hash.pairs),
            Node::Kwargs(hash) => self.pairs(&hash.pairs),
            Node::Irange(range) => self.range(range.left.as_deref(), range.right.as_deref(), true),
            Node::Erange(range) => self.range(range.left.as_deref(), range.right.as_deref(), false),
            Node::Lvar(variable) => Expr::Name(Self::name(&variable.name)),
            Node::Gvar(variable) => {
                self.uses_line |= variable.name == super::LINE;
                Expr::Name(Self::name(&variable.name))
            }
            Node::Cvar(variable) => Expr::Name(Self::name(&variable.name)),
            Node::Ivar(variable) => Expr::Attribute(Box::new(this()), Self::name(&variable.name)),
            Node::BackRef(_) | Node::NthRef(_) => Expr::Name(Self::name("$~")),
            Node::Const(constant) => match constant.scope.as_deref() {
                Some(Node::Cbase(_)) | None => Expr::Name(Self::name(&constant.name)),
                Some(scope) => {
                    let scope = self.value(scope);
                    Expr::Attribute(Box::new(scope), Self::name(&constant.name))
                }
            },
            Node::Send(send) => self.send_node(send, None),
            Node::CSend(send) => self.safe_send(send, None),
            Node::Index(index) => self.index(index),
            Node::Block(block) => {
                let function = self.block_function(block.args.as_deref(), 0, block.body.as_deref());
                self.with_block(&block.call, Expr::Function(function))
            }
            Node::Numblock(block) => {
                let function = self.block_function(None, block.numargs, Some(&block.body));
                self.with_block(&block.call, Expr::Function(function))
            }
            Node::Lambda(_) => Expr::Name(Self::name("lambda")),
            Node::Yield(call) => {
                let arguments = self.arguments(&call.args);
                self.call_value(Expr::Name(Self::name(BLOCK)), arguments)
            }
            Node::Super(call) => {
                let arguments = self.arguments(&call.args);
                self.call_self("super", arguments)
            }
            Node::ZSuper(_) => self.call_self("zsuper", Vec::new()),
            Node::And(nodes::And { lhs, rhs, .. }) => {
                let values = vec![self.value(lhs), self.value(rhs)];
                Expr::Logic(LogicOp::And, values)
            }
            Node::Or(nodes::Or { lhs, rhs, .. }) => {
                let values = vec![self.value(lhs), self.value(rhs)];
                Expr::Logic(LogicOp::Or, values)
            }
            Node::IfTernary(branch) => Expr::Conditional(Box::new([
                self.value(&branch.cond),
                self.value(&branch.if_true),
                self.value(&branch.if_false),
            ])),
            Node::If(nodes::If { cond, if_true, if_false, .. })
            | Node::IfMod(nodes::IfMod { cond, if_true, if_false, .. }) => {
                Expr::Conditional(Box::new([
                    self.value(cond),
                    self.optional(if_true.as_deref()),
                    self.optional(if_false.as_deref()),
                ]))
            }
            Node::Begin(nodes::Begin { statements, .. })
            | Node::KwBegin(nodes::KwBegin { statements, .. }) => match statements.as_slice() {
                [] => nil(),
                [one] => self.value(one),
                several => {
                    let mut body = Vec::new();
                    if let Some((last, first)) = several.split_last() {
                        for statement in first {
                            self.statements(Some(statement), &mut body);
                        }
                        let value = self.value(last);
                        body.push(Statement::Expr(value));
                    }
                    Expr::Block(body)
                }
            },
            Node::Lvasgn(nodes::Lvasgn { value: Some(value), .. })
            | Node::Ivasgn(nodes::Ivasgn { value: Some(value), .. })
            | Node::Gvasgn(nodes::Gvasgn { value: Some(value), .. })
            | Node::Cvasgn(nodes::Cvasgn { value: Some(value), .. })
            | Node::Casgn(nodes::Casgn { value: Some(value), .. })
            | Node::IndexAsgn(nodes::IndexAsgn { value: Some(value), .. }) => {
                let value = self.value(value);
                let target = self.target(node);
                Expr::Assign(Box::new((target, value)))
            }
            Node::Masgn(assign) => {
                let value = self.value(&assign.rhs);
                let target = self.target(&assign.lhs);
                Expr::Assign(Box::new((target, value)))
            }
            Node::OpAsgn(assign) => {
                self.operator_assignment(&assign.recv, &assign.operator, &assign.value)
            }
            Node::OrAsgn(assign) => self.logic_assignment(&assign.recv, LogicOp::Or, &assign.value),
            Node::AndAsgn(assign) => {
                self.logic_assignment(&assign.recv, LogicOp::And, &assign.value)
            }
            Node::Case(case) => self.through(|ruby, leaf, out| ruby.case(case, leaf, out)),
            Node::CaseMatch(case) => {
                self.through(|ruby, leaf, out| ruby.case_match(case, leaf, out))
            }
            Node::Rescue(_) | Node::Ensure(_) => {
                self.through(|ruby, leaf, out| ruby.attempt(node, leaf, out))
            }
            Node::MatchPattern(nodes::MatchPattern { value, pattern, .. })
            | Node::MatchPatternP(nodes::MatchPatternP { value, pattern, .. }) => {
                self.match_pattern(value, pattern)
            }
            Node::MatchWithLvasgn(found) => {
                let pattern = self.value(&found.re);
                let value = self.value(&found.value);
                self.send(pattern, "=~", vec![Argument::One(value)])
            }
            Node::MatchCurrentLine(_) | Node::IFlipFlop(_) | Node::EFlipFlop(_) => Expr::Unknown,
            Node::Defined(_) => Expr::Unknown,
            Node::Splat(splat) => {
                let value = self.optional(splat.value.as_deref());
                Expr::List(vec![Item::Spread(value)])
            }
            Node::BlockPass(block) => self.optional(block.value.as_deref()),
            Node::Def(def) => {
                let mut body = Vec::new();
                self.statements(Some(node), &mut body);
                body.push(Statement::Expr(text(&def.name)));
                Expr::Block(body)
            }
            Node::Defs(def) => {
                let code = self.method(&def.name, def.args.as_deref(), def.body.as_deref());
                let object = self.value(&def.definee);
                let target = Target::Attribute(object, Self::name(&format!("self.{}", def.name)));
                Expr::Assign(Box::new((target, Expr::Function(code))))
            }
            Node::SClass(class) if !matches!(*class.expr, Node::Self_(_)) => {
                // Methods of one object are taken for methods of all.
                let mut body = vec![];
                self.statements(class.body.as_deref(), &mut body);
                Expr::Block(body)
            }
            other => {
                let mut body = Vec::new();
                if is_statement(other) {
                    self.statements(Some(other), &mut body);
                } else {
                    self.lowering.cut = true;
                }
                body.push(Statement::Expr(nil()));
                Expr::Block(body)
            }
        }
    }

    /// A construct whose bodies give a value: each of them assigns it.
    fn through(
        &mut self,
        lower: impl FnOnce(&mut Self, &mut dyn FnMut(&mut Self, Option<&Node>, &mut Block), &mut Block),
    ) -> Expr {
        let result = self.temporary();
        let mut out = vec![Statement::Assign(vec![Target::Name(result.clone())], nil())];
        let target = result.clone();
        let mut leaf = |ruby: &mut Self, node: Option<&Node>, out: &mut Block| {
            let Some(node) = node else { return };
            let value = ruby.value(node);
            out.push(Statement::Assign(vec![Target::Name(target.clone())], value));
        };
        lower(self, &mut leaf, &mut out);
        out.push(Statement::Expr(Expr::Name(result)));
        Expr::Block(out)
    }

    pub(super) fn list(&mut self, elements: &[Node]) -> Expr {
        let mut items = Vec::new();
        for element in elements {
            match element {
                Node::Splat(splat) => {
                    let value = self.optional(splat.value.as_deref());
                    items.push(Item::Spread(value));
                }
                other => {
                    let value = self.value(other);
                    items.push(Item::One(value));
                }
            }
        }
        Expr::List(items)
    }

    fn build(&mut self, parts: &[Node]) -> Expr {
        match parts {
            [Node::Str(only)] => literal(only.value.as_raw()),
            parts => Expr::Build(parts.iter().map(|part| self.value(part)).collect()),
        }
    }

    fn regexp(&mut self, regexp: &nodes::Regexp) -> Expr {
        let mut source = String::new();
        for part in &regexp.parts {
            match part {
                Node::Str(part) => source.push_str(&part.value.to_string_lossy()),
                _ => {
                    let parts = self.build(&regexp.parts);
                    return self.call_value(
                        Expr::Attribute(
                            Box::new(Expr::Name(Self::name("Regexp"))),
                            Self::name("new"),
                        ),
                        vec![Argument::One(parts)],
                    );
                }
            }
        }
        let options = match regexp.options.as_deref() {
            Some(Node::RegOpt(options)) => options.options.clone().unwrap_or_default(),
            _ => String::new(),
        };
        // `m` lets a dot match line feeds; lines always end at line feeds.
        let mut flags = "m".to_owned();
        flags.extend(options.contains('i').then_some('i'));
        flags.extend(options.contains('m').then_some('s'));
        flags.extend(options.contains('x').then_some('x'));
        Expr::Pattern(Rc::from(source), Rc::from(flags))
    }

    fn index(&mut self, index: &nodes::Index) -> Expr {
        let object = self.value(&index.recv);
        match index.indexes.as_slice() {
            [one] if !matches!(one, Node::Splat(_) | Node::Kwargs(_) | Node::BlockPass(_)) => {
                let place = self.value(one);
                Expr::Index(Box::new([object, place]))
            }
            several => {
                let arguments = self.arguments(several);
                self.send(object, "[]", arguments)
            }
        }
    }
}

fn literal(bytes: &[u8]) -> Expr {
    Expr::Constant(match std::str::from_utf8(bytes) {
        Ok(text) => Constant::Text(Rc::from(text)),
        Err(_) => Constant::Bytes(Rc::from(bytes)),
    })
}

fn integer(digits: &str) -> Expr {
    let digits = digits.replace('_', "").to_ascii_lowercase();
    let (digits, base) = match digits.as_bytes() {
        [b'0', b'x', ..] => (digits.get(2..), 16),
        [b'0', b'b', ..] => (digits.get(2..), 2),
        [b'0', b'o', ..] => (digits.get(2..), 8),
        [b'0', b'd', ..] => (digits.get(2..), 10),
        [b'0', _, ..] => (digits.get(1..), 8),
        _ => (Some(digits.as_str()), 10),
    };
    let number = digits.and_then(|digits| i64::from_str_radix(digits, base).ok());
    Expr::Constant(number.map_or(Constant::Number, Constant::Int))
}

/// Whether a node is lowered as a statement.
fn is_statement(node: &Node) -> bool {
    matches!(
        node,
        Node::While(_)
            | Node::Until(_)
            | Node::WhilePost(_)
            | Node::UntilPost(_)
            | Node::For(_)
            | Node::Class(_)
            | Node::Module(_)
            | Node::SClass(_)
            | Node::Return(_)
            | Node::Next(_)
            | Node::Break(_)
            | Node::Redo(_)
            | Node::Retry(_)
            | Node::Alias(_)
            | Node::Undef(_)
            | Node::Postexe(_)
            | Node::Preexe(_)
    )
}

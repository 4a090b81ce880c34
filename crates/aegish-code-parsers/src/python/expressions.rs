//! Expressions of Python.

use super::Python;
use super::statements::binary;
use crate::ir::{
    Argument, Body, Call, CallKind, Clause, CompareOp, Comprehension, ComprehensionKind, Constant,
    Expr, Item, LogicOp, UnaryOp,
};
use crate::lowering::Lowering;
use ruff_python_ast as ast;
use std::rc::Rc;

impl Python<'_> {
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Expr {
        if !self.enter() {
            return Expr::Unknown;
        }
        let lowered = self.expr_inside(expr);
        self.leave();
        lowered
    }

    fn boxed(&mut self, expr: &ast::Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    fn expr_inside(&mut self, expr: &ast::Expr) -> Expr {
        match expr {
            ast::Expr::BoolOp(logic) => {
                let op = match logic.op {
                    ast::BoolOp::And => LogicOp::And,
                    ast::BoolOp::Or => LogicOp::Or,
                };
                Expr::Logic(op, logic.values.iter().map(|value| self.expr(value)).collect())
            }
            ast::Expr::Named(named) => {
                let value = self.expr(&named.value);
                Expr::Assign(Box::new((self.target(&named.target), value)))
            }
            ast::Expr::BinOp(_) => self.chain(expr),
            ast::Expr::UnaryOp(unary) => {
                let op = match unary.op {
                    ast::UnaryOp::Invert => UnaryOp::Invert,
                    ast::UnaryOp::Not => UnaryOp::Not,
                    ast::UnaryOp::UAdd => UnaryOp::Plus,
                    ast::UnaryOp::USub => UnaryOp::Minus,
                };
                Expr::Unary(op, self.boxed(&unary.operand))
            }
            ast::Expr::Lambda(lambda) => {
                let code = self.function("<lambda>", lambda.parameters.as_deref(), |lowering| {
                    Body::Expr(lowering.expr(&lambda.body))
                });
                Expr::Function(code)
            }
            ast::Expr::If(choice) => Expr::Conditional(Box::new([
                self.expr(&choice.test),
                self.expr(&choice.body),
                self.expr(&choice.orelse),
            ])),
            ast::Expr::Dict(dict) => Expr::Dict(
                dict.items
                    .iter()
                    .map(|item| {
                        (item.key.as_ref().map(|key| self.expr(key)), self.expr(&item.value))
                    })
                    .collect(),
            ),
            ast::Expr::Set(set) => Expr::List(self.items(&set.elts)),
            ast::Expr::ListComp(list) => self.comprehension(&list.elt, &list.generators),
            ast::Expr::SetComp(set) => self.comprehension(&set.elt, &set.generators),
            ast::Expr::Generator(generator) => {
                self.comprehension(&generator.elt, &generator.generators)
            }
            ast::Expr::DictComp(dict) => {
                let clauses = self.clauses(&dict.generators);
                let key = dict.key.as_deref().map(|key| self.expr(key));
                let element = self.expr(&dict.value);
                let kind = ComprehensionKind::Dict;
                Expr::Comprehension(Box::new(Comprehension { kind, key, element, clauses }))
            }
            ast::Expr::Await(wait) => self.expr(&wait.value),
            ast::Expr::Yield(give) => {
                self.mark_yield();
                Expr::Yield(give.value.as_deref().map(|value| self.boxed(value)))
            }
            ast::Expr::YieldFrom(give) => {
                self.mark_yield();
                Expr::YieldFrom(self.boxed(&give.value))
            }
            ast::Expr::Compare(compare) => {
                let first = self.boxed(&compare.left);
                let rest = compare
                    .ops
                    .iter()
                    .zip(&compare.comparators)
                    .map(|(op, right)| (comparison(*op), self.expr(right)))
                    .collect();
                Expr::Compare(first, rest)
            }
            ast::Expr::Call(_) | ast::Expr::Attribute(_) | ast::Expr::Subscript(_) => {
                self.postfix(expr)
            }
            ast::Expr::FString(text) => {
                Expr::Build(text.value.iter().flat_map(|part| self.part(part)).collect())
            }
            ast::Expr::TString(text) => Expr::Build(
                text.value
                    .iter()
                    .flat_map(|part| {
                        part.elements
                            .iter()
                            .map(|element| self.element(element))
                            .collect::<Vec<_>>()
                    })
                    .collect(),
            ),
            ast::Expr::StringLiteral(text) => {
                Expr::Constant(Constant::Text(Rc::from(text.value.to_str())))
            }
            ast::Expr::BytesLiteral(bytes) => {
                Expr::Constant(Constant::Bytes(bytes.value.bytes().collect()))
            }
            ast::Expr::NumberLiteral(number) => Expr::Constant(match &number.value {
                ast::Number::Int(int) => int.as_i64().map_or(Constant::Number, Constant::Int),
                _ => Constant::Number,
            }),
            ast::Expr::BooleanLiteral(bool) => Expr::Constant(Constant::Bool(bool.value)),
            ast::Expr::NoneLiteral(_) => Expr::Constant(Constant::None),
            ast::Expr::EllipsisLiteral(_) | ast::Expr::Slice(_) => Expr::Unknown,
            ast::Expr::Starred(starred) => self.expr(&starred.value),
            ast::Expr::Name(name) => Expr::Name(Lowering::name(name.id.as_str())),
            ast::Expr::List(list) => Expr::List(self.items(&list.elts)),
            ast::Expr::Tuple(tuple) => Expr::Tuple(self.items(&tuple.elts)),
            ast::Expr::IpyEscapeCommand(_) => {
                self.cut = true;
                Expr::Unknown
            }
        }
    }

    /// Operators that associate to the left are one flat chain.
    fn chain(&mut self, expr: &ast::Expr) -> Expr {
        let mut rest = Vec::new();
        let mut left = expr;
        while let ast::Expr::BinOp(operation) = left {
            rest.push((binary(operation.op), self.expr(&operation.right)));
            left = &operation.left;
        }
        rest.reverse();
        Expr::Chain(self.boxed(left), rest)
    }

    /// Calls, attributes and subscripts nest to the left; the chain is walked from its start.
    fn postfix(&mut self, expr: &ast::Expr) -> Expr {
        let mut spine = Vec::new();
        let mut at = expr;
        loop {
            spine.push(at);
            at = match at {
                ast::Expr::Call(call) => &call.func,
                ast::Expr::Attribute(attribute) => &attribute.value,
                ast::Expr::Subscript(subscript) => &subscript.value,
                _ => break,
            };
        }
        let Some(start) = spine.pop() else { return Expr::Unknown };
        // The evaluator recurses along the chain.
        if spine.len() > 4 * usize::try_from(crate::limits::MAX_DEPTH).unwrap_or(100) {
            self.cut = true;
            return Expr::Unknown;
        }
        let mut value = self.expr(start);
        while let Some(step) = spine.pop() {
            self.size += 1;
            value = match step {
                ast::Expr::Call(call) => {
                    let arguments = self.arguments(&call.arguments);
                    let site = self.site();
                    let kind = CallKind::Plain;
                    Expr::Call(Box::new(Call { function: value, arguments, site, kind }))
                }
                ast::Expr::Attribute(attribute) => {
                    Expr::Attribute(Box::new(value), Lowering::name(attribute.attr.as_str()))
                }
                ast::Expr::Subscript(subscript) => match &*subscript.slice {
                    ast::Expr::Slice(slice) => {
                        let mut bound = |bound: &Option<Box<ast::Expr>>| {
                            bound.as_deref().map(|bound| self.expr(bound))
                        };
                        let bounds = [bound(&slice.lower), bound(&slice.upper), bound(&slice.step)];
                        Expr::Slice(Box::new(value), Box::new(bounds))
                    }
                    index => Expr::Index(Box::new([value, self.expr(index)])),
                },
                _ => value,
            };
        }
        value
    }

    fn items(&mut self, list: &[ast::Expr]) -> Vec<Item> {
        list.iter()
            .map(|item| match item {
                ast::Expr::Starred(starred) => Item::Spread(self.expr(&starred.value)),
                other => Item::One(self.expr(other)),
            })
            .collect()
    }

    pub(super) fn arguments(&mut self, arguments: &ast::Arguments) -> Vec<Argument> {
        let mut out = Vec::new();
        for argument in &arguments.args {
            out.push(match argument {
                ast::Expr::Starred(starred) => Argument::Spread(self.expr(&starred.value)),
                other => Argument::One(self.expr(other)),
            });
        }
        for keyword in &arguments.keywords {
            let value = self.expr(&keyword.value);
            out.push(match &keyword.arg {
                Some(name) => Argument::Named(Lowering::name(name.as_str()), value),
                None => Argument::SpreadNamed(value),
            });
        }
        out
    }

    fn comprehension(&mut self, element: &ast::Expr, generators: &[ast::Comprehension]) -> Expr {
        let clauses = self.clauses(generators);
        let element = self.expr(element);
        let kind = ComprehensionKind::List;
        Expr::Comprehension(Box::new(Comprehension { kind, key: None, element, clauses }))
    }

    fn clauses(&mut self, generators: &[ast::Comprehension]) -> Vec<Clause> {
        generators
            .iter()
            .map(|generator| Clause {
                iterable: self.expr(&generator.iter),
                target: self.target(&generator.target),
                conditions: generator.ifs.iter().map(|test| self.expr(test)).collect(),
            })
            .collect()
    }

    fn part(&mut self, part: &ast::FStringPart) -> Vec<Expr> {
        match part {
            ast::FStringPart::Literal(text) => {
                vec![Expr::Constant(Constant::Text(Rc::from(text.as_str())))]
            }
            ast::FStringPart::FString(text) => {
                text.elements.iter().map(|element| self.element(element)).collect()
            }
        }
    }

    fn element(&mut self, element: &ast::InterpolatedStringElement) -> Expr {
        match element {
            ast::InterpolatedStringElement::Literal(text) => {
                Expr::Constant(Constant::Text(Rc::from(&*text.value)))
            }
            ast::InterpolatedStringElement::Interpolation(inner) => {
                let value = self.boxed(&inner.expression);
                let raw = inner.conversion == ast::ConversionFlag::None;
                match &inner.format_spec {
                    Some(spec) => {
                        let spec =
                            spec.elements.iter().map(|element| self.element(element)).collect();
                        Expr::Formatted(value, Box::new(Expr::Build(spec)))
                    }
                    None if raw => *value,
                    None => Expr::Build(vec![*value]),
                }
            }
        }
    }
}

fn comparison(op: ast::CmpOp) -> CompareOp {
    match op {
        ast::CmpOp::Eq | ast::CmpOp::Is => CompareOp::Equal,
        ast::CmpOp::NotEq | ast::CmpOp::IsNot => CompareOp::NotEqual,
        ast::CmpOp::Lt => CompareOp::Less,
        ast::CmpOp::LtE => CompareOp::LessEqual,
        ast::CmpOp::Gt => CompareOp::Greater,
        ast::CmpOp::GtE => CompareOp::GreaterEqual,
        ast::CmpOp::In => CompareOp::In,
        ast::CmpOp::NotIn => CompareOp::NotIn,
    }
}

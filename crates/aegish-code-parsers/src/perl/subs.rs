//! Functions: prototypes, signatures, bodies.

use super::operators::ASSIGN;
use super::tree::{AssignOp, Declaration, Node, Stmt, Sub};
use super::{Parsed, Perl, Rejected};
use crate::ir::{LogicOp, Name};
use std::collections::HashMap;

impl Perl<'_> {
    /// A function behind its name: prototype or signature, attributes, body. No body for a declaration.
    pub(super) fn sub_behind(&mut self, name: Option<&str>) -> Parsed<Option<Sub>> {
        self.attributes()?;
        let mut prefix = Vec::new();
        self.scopes.push(HashMap::new());
        let result = self.sub_parts(name, &mut prefix);
        self.scopes.pop();
        result
    }

    fn sub_parts(&mut self, name: Option<&str>, prefix: &mut Vec<Stmt>) -> Parsed<Option<Sub>> {
        let mut prototype = None;
        if self.is("(") {
            let before = self.at;
            let (inner, _) = self.delimited(true)?;
            let plain = inner.chars().all(|c| "$@%&*;\\[]+_ \t\n".contains(c));
            let parameters = inner.trim() != "" && !plain;
            if parameters {
                self.at = before;
                self.signature(prefix)?;
            } else {
                prototype = Some(inner.replace([' ', '\t', '\n'], ""));
            }
        }
        self.attributes()?;
        if let Some(name) = name {
            self.subs.insert(name.to_owned(), prototype);
        }
        if !self.is("{") {
            return Ok(None);
        }
        self.at += 1;
        let mut body = std::mem::take(prefix);
        body.append(&mut self.block_body()?);
        Ok(Some(Sub { body }))
    }

    /// `:lvalue`, `:prototype($)`.
    fn attributes(&mut self) -> Parsed<()> {
        while self.is(":") && !self.starts("::") {
            self.at += 1;
            self.blanks();
            self.take_name(false).ok_or(Rejected)?;
            if self.byte(0) == b'(' {
                self.delimited(true)?;
            }
        }
        Ok(())
    }

    /// `($a, $b = 1, @rest)`: assignments from `@_`.
    fn signature(&mut self, prefix: &mut Vec<Stmt>) -> Parsed<()> {
        self.expect("(")?;
        let mut place = 0;
        while !self.takes(")") {
            self.blanks();
            let sigil = char::from(self.byte(0));
            if !matches!(sigil, '$' | '@' | '%') {
                return Err(Rejected);
            }
            self.at += 1;
            let name = self.take_name(false);
            let variable = name.map(|name| {
                let full = format!("{sigil}{name}");
                self.declare(&full);
                Name::from(full)
            });
            let whole = Node::Array(Name::from("@_"));
            if sigil == '$' {
                let at = Box::new(Node::Int(place));
                let mut value = Node::Element(Box::new(whole), at);
                if self.takes("//=") || self.takes("||=") || self.takes("=") {
                    let default = match self.is(",") || self.is(")") {
                        true => Node::Undefined,
                        false => self.expression(ASSIGN)?,
                    };
                    value = Node::Logic(LogicOp::Coalesce, vec![value, default]);
                }
                if let Some(variable) = variable {
                    let target = Node::Scalar(variable);
                    let target = Node::Declare(Declaration::My, vec![target], false);
                    prefix.push(Stmt::Expr(Node::Assign(
                        AssignOp::Plain,
                        Box::new(target),
                        Box::new(value),
                    )));
                }
                place += 1;
            } else if let Some(variable) = variable {
                let target = match sigil {
                    '@' => Node::Array(variable),
                    _ => Node::Hash(variable),
                };
                let target = Node::Declare(Declaration::My, vec![target], false);
                let from = Box::new(Node::Int(place));
                let to = Box::new(Node::LastIndex(Box::new(Node::Array(Name::from("@_")))));
                let places = Box::new(Node::Range(from, to));
                let value = match place {
                    0 => whole,
                    _ => Node::Slice(Box::new(whole), places, false),
                };
                prefix.push(Stmt::Expr(Node::Assign(
                    AssignOp::Plain,
                    Box::new(target),
                    Box::new(value),
                )));
            }
            if !self.takes(",") && !self.is(")") {
                return Err(Rejected);
            }
        }
        Ok(())
    }

    /// A block `{ … }` as a function.
    pub(super) fn block_sub(&mut self) -> Parsed<Sub> {
        self.expect("{")?;
        let body = self.block_body()?;
        Ok(Sub { body })
    }

    /// Statements up to the closing bracket, which is taken.
    pub(super) fn block_body(&mut self) -> Parsed<Vec<Stmt>> {
        self.enter()?;
        self.scopes.push(HashMap::new());
        let package = self.package.clone();
        let body = self.statement_list(true);
        self.package = package;
        self.scopes.pop();
        self.leave();
        let body = body?;
        self.expect("}")?;
        Ok(body)
    }
}

//! Statements that are rare: `given`, `try`, `format`.

use super::tree::{Node, Stmt, Sub};
use super::{Parsed, Perl, Rejected};
use crate::ir::Name;
use std::collections::HashMap;

impl Perl<'_> {
    /// `given (value) { when (…) { … } }`: nothing is known of what matches.
    pub(super) fn given_statement(&mut self, word: &str) -> Parsed<Stmt> {
        let test = if word == "default" { None } else { Some(self.condition()?) };
        let body = self.braces()?;
        Ok(match (word, test) {
            ("given", Some(list)) => Stmt::Foreach { variable: None, list, body },
            (_, Some(test)) => Stmt::If(vec![(
                Some(Node::Order("~~", Box::new(test), Box::new(Node::Number))),
                body,
            )]),
            _ => Stmt::Block(body),
        })
    }

    /// `try { … } catch ($e) { … } finally { … }`.
    pub(super) fn try_statement(&mut self) -> Parsed<Option<Stmt>> {
        let body = self.block_sub()?;
        let mut out = vec![Stmt::Expr(Node::EvalBlock(Box::new(body)))];
        self.statement_blanks();
        if self.takes_word("catch") {
            self.scopes.push(HashMap::new());
            let variable = if self.takes("(") {
                let variable = self.simple_scalar()?;
                self.expect(")")?;
                Some(variable)
            } else {
                None
            };
            let body = self.braces();
            self.scopes.pop();
            let error = Node::Scalar(Name::from("$@"));
            let mut handler = Vec::new();
            if let Some(variable) = variable {
                handler.push(super::tree::assignment(variable, error));
            }
            handler.append(&mut body?);
            // Nothing is known of whether it throws.
            out.push(Stmt::If(vec![(Some(Node::Number), handler)]));
        }
        self.statement_blanks();
        if self.takes_word("finally") {
            out.push(Stmt::Block(self.braces()?));
        }
        self.takes(";");
        Ok(Some(Stmt::Block(out)))
    }

    pub(super) fn is_format(&self) -> bool {
        let rest = self.rest().get("format".len()..).unwrap_or("");
        let rest = rest.trim_start_matches([' ', '\t']);
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
        let behind = end.and_then(|end| rest.get(end..)).unwrap_or("");
        behind.trim_start_matches([' ', '\t']).starts_with('=')
            && behind.split('\n').next().is_some_and(|line| line.trim() == "=")
    }

    /// `format NAME =`: lines of arguments are code that `write` runs.
    pub(super) fn format_statement(&mut self) -> Parsed<Stmt> {
        let rest = self.rest().to_owned();
        let mut used = 0;
        let mut body = Vec::new();
        let mut fields = false;
        for (number, line) in rest.split_inclusive('\n').enumerate() {
            used += line.len();
            let bare = line.trim_end();
            if number == 0 || bare.starts_with('#') {
                continue;
            }
            if bare == "." {
                break;
            }
            if fields {
                fields = false;
                let node = self.within(bare, |this| {
                    let node = this.list_or_empty()?;
                    this.blanks();
                    if this.ended() { Ok(node) } else { Err(Rejected) }
                })?;
                body.push(Stmt::Expr(node));
            } else {
                fields = bare.contains(['@', '^']);
            }
        }
        self.at += used;
        self.has_end = true;
        Ok(Stmt::End(Box::new(Sub { body })))
    }
}

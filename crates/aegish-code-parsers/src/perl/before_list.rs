//! Functions with a handle or a block before their list: `print`, `map`, `grep`, `sort`.

use super::operators::{ASSIGN, COMMA};
use super::tree::{Node, Stmt, Sub};
use super::words::is_builtin;
use super::{Parsed, Perl};

impl Perl<'_> {
    /// `print {handle} list`, `print HANDLE list`, `print $handle list`.
    pub(super) fn print_term(&mut self, word: &str) -> Parsed<Node> {
        let brackets = self.is("(");
        let start = self.at;
        if brackets {
            self.at += 1;
            self.blanks();
        }
        let handle = self.print_handle()?;
        let arguments = if brackets {
            self.list_until(")")?.into_list()
        } else if handle.is_some() && self.ends_list()
            || handle.is_none() && !self.begins_argument()
        {
            Vec::new()
        } else {
            self.expression(COMMA)?.into_list()
        };
        debug_assert!(self.at >= start);
        Ok(Node::Print(word.to_owned(), handle.map(Box::new), arguments))
    }

    fn print_handle(&mut self) -> Parsed<Option<Node>> {
        self.blanks();
        let start = self.at;
        match self.byte(0) {
            b'{' => {
                let body = self.block_sub()?.body;
                return Ok(Some(Node::DoBlock(body)));
            }
            b'$' if self.byte(1).is_ascii_alphabetic() || self.byte(1) == b'_' => {
                self.at += 1;
                let name = self.take_name(true).unwrap_or_default();
                let gap = matches!(self.byte(0), b' ' | b'\t');
                self.blanks();
                let word = self.plain_word();
                let operator = matches!(
                    word,
                    "x" | "eq"
                        | "ne"
                        | "lt"
                        | "gt"
                        | "le"
                        | "ge"
                        | "cmp"
                        | "and"
                        | "or"
                        | "xor"
                        | "if"
                        | "unless"
                        | "while"
                        | "until"
                        | "for"
                        | "foreach"
                        | "isa"
                );
                let value = match self.byte(0) {
                    b'"' | b'\'' | b'$' | b'@' | b'`' | b'\\' => true,
                    b'(' => gap,
                    b'<' => {
                        self.starts("<<") && self.is_angle()
                            || self.starts("<$")
                            || self.starts("<>")
                    }
                    byte => {
                        gap && (byte.is_ascii_digit()
                            || !word.is_empty() && !operator
                            || byte == b'%' && self.byte(1).is_ascii_alphabetic())
                    }
                };
                if value {
                    return Ok(Some(Node::Scalar(self.variable('$', &name))));
                }
            }
            byte if byte.is_ascii_uppercase() || byte == b'_' => {
                let name = self.take_name(true).unwrap_or_default();
                let known = self.subs.contains_key(&name) || name.starts_with("__");
                let gap =
                    matches!(self.byte(0), b' ' | b'\t' | b'\n' | b';' | b')') || self.ended();
                self.blanks();
                let next = self.byte(0);
                let stops =
                    matches!(next, b'(' | b',' | b'.' | b'=' | b'?' | b'+' | b'*' | b'/' | b':')
                        || self.starts("->")
                        || self.starts("::")
                        || matches!(self.plain_word(), "x" | "eq" | "ne" | "cmp");
                if !known
                    && !name.contains("::")
                    && !stops
                    && (gap || matches!(next, b'"' | b'\'' | b'$' | b'@' | b'<'))
                {
                    return Ok(Some(Node::Word(name)));
                }
            }
            _ => {}
        }
        self.at = start;
        Ok(None)
    }

    /// `map {…} list`, `grep expression, list`, `sort function list`.
    pub(super) fn each_term(&mut self, word: &str) -> Parsed<Node> {
        let brackets = self.is("(");
        if brackets {
            self.at += 1;
            self.blanks();
        }
        let function = if self.is("{") {
            let sub = self.block_sub()?;
            self.blanks();
            if self.takes(",") && word != "sort" {
                // It was a hash.
                let hash = Node::AnonHash(Box::new(body_list(sub)));
                Some(Sub { body: vec![Stmt::Expr(hash)] })
            } else {
                Some(sub)
            }
        } else if word == "sort" {
            self.sort_function()?
        } else {
            let test = self.expression(ASSIGN)?;
            self.expect(",").or_else(|_| self.expect("=>"))?;
            Some(Sub { body: vec![Stmt::Expr(test)] })
        };
        let first = if brackets {
            self.list_until(")")?.into_list()
        } else if self.begins_argument() {
            self.expression(COMMA)?.into_list()
        } else {
            Vec::new()
        };
        match function {
            Some(function) => Ok(Node::Each(word.to_owned(), Box::new(function), first)),
            None => Ok(Node::Builtin(word.to_owned(), first)),
        }
    }

    /// `sort by_name @list`, `sort $function @list`.
    fn sort_function(&mut self) -> Parsed<Option<Sub>> {
        self.blanks();
        let start = self.at;
        let function = if self.byte(0) == b'$' {
            let node = self.simple_scalar()?;
            self.blanks();
            let word = !self.ends_list() && !self.plain_word().is_empty();
            (word || matches!(self.byte(0), b'@' | b'(')).then_some(node)
        } else {
            match self.take_name(true) {
                Some(name) if !is_builtin(&name) => {
                    self.blanks();
                    let value = matches!(self.byte(0), b'@' | b'$')
                        || self.plain_word() != "" && !self.starts("=>");
                    value.then(|| Node::Code(self.global('&', &name)))
                }
                _ => None,
            }
        };
        match function {
            Some(function) => {
                let call = Node::CallValue(Box::new(function), Some(Vec::new()));
                Ok(Some(Sub { body: vec![Stmt::Expr(call)] }))
            }
            None => {
                self.at = start;
                Ok(None)
            }
        }
    }
}

/// The values of a block that turned out to be a hash.
fn body_list(sub: Sub) -> Node {
    let nodes = sub
        .body
        .into_iter()
        .filter_map(|statement| match statement {
            Stmt::Expr(node) => Some(node),
            _ => None,
        })
        .collect();
    Node::List(nodes)
}

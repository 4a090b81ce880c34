//! `my`, `our`, `local`, `state`.

use super::operators::NAMED_UNARY;
use super::tree::{Declaration, Node};
use super::{Parsed, Perl, Rejected};
use crate::ir::Name;

impl Perl<'_> {
    pub(super) fn declaration(&mut self, how: Declaration) -> Parsed<Node> {
        self.blanks();
        if how == Declaration::Local {
            let target = self.expression(NAMED_UNARY + 5)?;
            let brackets = matches!(target, Node::List(_));
            return Ok(Node::Declare(how, target.into_list(), brackets));
        }
        // `my Class $x`, `my sub f`.
        if self.is_word("sub") {
            return Err(Rejected);
        }
        if self.byte(0).is_ascii_alphabetic() {
            self.take_name(false);
            self.blanks();
        }
        if self.byte(0) != b'(' {
            let node = self.declared(how)?;
            return Ok(Node::Declare(how, vec![node], false));
        }
        self.at += 1;
        let mut nodes = Vec::new();
        while !self.takes(")") {
            if self.takes_word("undef") {
                nodes.push(Node::Undefined);
            } else {
                nodes.push(self.declared(how)?);
            }
            if !self.takes(",") && !self.is(")") {
                return Err(Rejected);
            }
        }
        Ok(Node::Declare(how, nodes, true))
    }

    fn declared(&mut self, how: Declaration) -> Parsed<Node> {
        self.blanks();
        let sigil = char::from(self.byte(0));
        self.at += 1;
        self.blanks();
        let name = self.take_name(false).ok_or(Rejected)?;
        let plain = format!("{sigil}{name}");
        let full: Name = match how {
            Declaration::My => Name::from(plain.as_str()),
            Declaration::State => {
                self.made += 1;
                format!("{sigil}main::<state {}>{name}", self.made).into()
            }
            _ => self.global(sigil, &name),
        };
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(plain, full.clone());
        }
        // Attributes are not followed.
        let before = self.at;
        self.blanks();
        if self.byte(0) == b':' && self.byte(1).is_ascii_alphabetic() {
            self.at += 1;
            self.take_name(false);
        } else {
            self.at = before;
        }
        Ok(match sigil {
            '$' => Node::Scalar(full),
            '@' => Node::Array(full),
            '%' => Node::Hash(full),
            _ => return Err(Rejected),
        })
    }
}

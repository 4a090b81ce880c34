//! Namespaces and what they import.

use super::lexer::Token;
use super::names::{last, path};
use super::{Parsed, Php};
use crate::ir::Block;

impl Php<'_> {
    pub(super) fn namespace_statement(&mut self, out: &mut Block) -> Parsed<()> {
        self.advance();
        self.namespace = match self.token.clone() {
            Token::Name(name) => {
                self.advance();
                path(&name)
            }
            _ => String::new(),
        };
        self.classes.clear();
        self.functions.clear();
        if self.is("{") {
            out.append(&mut self.braces()?);
            self.namespace.clear();
            return Ok(());
        }
        self.end()
    }

    pub(super) fn use_statement(&mut self) -> Parsed<()> {
        self.advance();
        let mut kind = self.use_kind();
        loop {
            let name = self.identifier()?;
            if self.takes("\\") {
                // `use A\{B, C as D};`
                self.expect("{")?;
                while !self.takes("}") {
                    let inner = self.use_kind().or(kind);
                    let member = self.identifier()?;
                    let full = format!("{name}\\{member}");
                    self.imported(inner, &full)?;
                    self.takes(",");
                }
            } else {
                self.imported(kind, &name)?;
            }
            if !self.takes(",") {
                return self.end();
            }
            kind = self.use_kind().or(kind);
        }
    }

    fn use_kind(&mut self) -> Option<&'static str> {
        if !matches!(self.peek(), Token::Name(_)) {
            return None;
        }
        ["function", "const"].into_iter().find(|word| self.takes_word(word))
    }

    fn imported(&mut self, kind: Option<&str>, name: &str) -> Parsed<()> {
        let short = if self.takes_word("as") { self.identifier()? } else { last(name).into() };
        let pair = (short.to_ascii_lowercase(), path(name));
        match kind {
            None => self.classes.push(pair),
            Some("function") => self.functions.push(pair),
            Some(_) => {}
        }
        Ok(())
    }
}

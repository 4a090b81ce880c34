//! Statements.

use super::lexer::Token;
use super::names::last;
use super::targets::target;
use super::{Around, Parsed, Php, Rejected, null, text};
use crate::ir::{Block, Expr, Handler, Statement, Target};

/// Most mistakes behind which the next statement is read.
const MAX_MISTAKES: u32 = 20;

impl Php<'_> {
    /// All statements. Behind a mistake, reading goes on with the next statement.
    pub(super) fn program(&mut self) -> Block {
        let mut out = Vec::new();
        let mut mistakes = 0;
        let level = self.lowering.level();
        while self.token != Token::End {
            if self.statement(&mut out).is_ok() {
                continue;
            }
            self.lowering.cut = true;
            mistakes += 1;
            if mistakes > MAX_MISTAKES {
                break;
            }
            self.conditional = 0;
            self.loops.clear();
            self.around = Around::default();
            self.lowering.back_to(level);
            while !matches!(self.token, Token::End | Token::Symbol(";" | "}") | Token::Html(..)) {
                self.advance();
            }
            if !matches!(self.token, Token::Html(..)) {
                self.advance();
            }
        }
        self.lowering.back_to(level);
        out
    }

    /// Statements in braces.
    pub(super) fn braces(&mut self) -> Parsed<Block> {
        self.expect("{")?;
        if !self.lowering.enter() {
            return Err(Rejected);
        }
        let mut out = Vec::new();
        while !self.takes("}") {
            if self.token == Token::End {
                return Err(Rejected);
            }
            self.statement(&mut out)?;
        }
        self.lowering.leave();
        Ok(out)
    }

    /// One statement or several in braces, or those up to one of the words behind a colon.
    pub(super) fn body(&mut self, ends: &[&str]) -> Parsed<Block> {
        self.conditional += 1;
        let body = self.body_inside(ends);
        self.conditional -= 1;
        body
    }

    fn body_inside(&mut self, ends: &[&str]) -> Parsed<Block> {
        if !self.lowering.enter() {
            return Err(Rejected);
        }
        let mut out = Vec::new();
        if !ends.is_empty() && self.takes(":") {
            while !ends.iter().any(|word| self.is_word(word)) {
                if self.token == Token::End {
                    return Err(Rejected);
                }
                self.statement(&mut out)?;
            }
        } else {
            self.statement(&mut out)?;
        }
        self.lowering.leave();
        Ok(out)
    }

    pub(super) fn end(&mut self) -> Parsed<()> {
        // The last statement of a text may lack its end.
        if self.token == Token::End || matches!(self.token, Token::Html(..)) {
            return Ok(());
        }
        self.expect(";")
    }

    pub(super) fn statement(&mut self, out: &mut Block) -> Parsed<()> {
        match self.token.clone() {
            Token::Html(html, echo) => {
                self.advance();
                if !html.is_empty() {
                    let print = self.builtin("echo", vec![text(&html)]);
                    out.push(Statement::Expr(print));
                }
                if echo {
                    return self.echo(out);
                }
                Ok(())
            }
            Token::Symbol(";") => {
                self.advance();
                Ok(())
            }
            Token::Symbol("{") => {
                out.append(&mut self.braces()?);
                Ok(())
            }
            Token::Symbol("#[") => {
                self.advance();
                self.attribute_list()?;
                self.statement(out)
            }
            Token::Name(name) => self.word_statement(&name, out),
            _ => self.expression_statement(out),
        }
    }

    fn expression_statement(&mut self, out: &mut Block) -> Parsed<()> {
        let value = self.expression()?;
        // Statements of a block are those of the program: they may leave it.
        match value {
            Expr::Block(body) => out.extend(body),
            value => out.push(Statement::Expr(value)),
        }
        self.end()
    }

    fn echo(&mut self, out: &mut Block) -> Parsed<()> {
        let mut values = vec![self.expression()?];
        while self.takes(",") {
            values.push(self.expression()?);
        }
        let print = self.builtin("echo", values);
        out.push(Statement::Expr(print));
        self.end()
    }

    fn word_statement(&mut self, name: &str, out: &mut Block) -> Parsed<()> {
        let word = name.to_ascii_lowercase();
        let next = self.peek();
        match word.as_str() {
            "if" | "while" | "for" | "foreach" | "switch" | "do" | "try" | "return" | "break"
            | "continue" | "declare" => {
                self.advance();
                match word.as_str() {
                    "if" => self.if_statement(out),
                    "while" => self.while_statement(out),
                    "for" => self.for_statement(out),
                    "foreach" => self.foreach_statement(out),
                    "switch" => self.switch_statement(out),
                    "do" => self.do_statement(out),
                    "try" => self.try_statement(out),
                    "declare" => self.declare_statement(out),
                    "return" => {
                        let value = self.optional_value()?;
                        let value = self.value_copy(value);
                        out.push(Statement::Return(Some(value)));
                        self.end()
                    }
                    other => self.leave_statement(other == "continue", out),
                }
            }
            "echo" => {
                self.advance();
                self.echo(out)
            }
            "function" if matches!(next, Token::Name(_)) || next == Token::Symbol("&") => {
                // `function &(…)` is a closure.
                let before = (self.lexer, self.token.clone());
                self.advance();
                self.takes("&");
                if matches!(self.token, Token::Name(_)) {
                    return self.function_statement(out);
                }
                (self.lexer, self.token) = before;
                self.expression_statement(out)
            }
            "abstract" | "final" | "readonly" if matches!(next, Token::Name(_)) => {
                self.advance();
                self.statement(out)
            }
            "class" | "interface" | "trait" | "enum" if matches!(next, Token::Name(_)) => {
                self.advance();
                self.class_statement(&word, out)
            }
            "namespace" if next != Token::Symbol("\\") => self.namespace_statement(out),
            "use" => self.use_statement(),
            "const" => {
                self.advance();
                loop {
                    let name = self.identifier()?;
                    self.expect("=")?;
                    let value = self.expression()?;
                    let target = Target::Name(format!("#{}", last(&name)).into());
                    out.push(Statement::Assign(vec![target], value));
                    if !self.takes(",") {
                        return self.end();
                    }
                }
            }
            "global" => {
                self.advance();
                loop {
                    match self.advance() {
                        Token::Variable(name) => {
                            let name = text(&format!("${name}"));
                            let global = self.builtin("<global>", vec![name]);
                            out.push(Statement::Expr(global));
                        }
                        _ => return Err(Rejected),
                    }
                    if !self.takes(",") {
                        return self.end();
                    }
                }
            }
            "static" if matches!(next, Token::Variable(_)) => {
                self.advance();
                self.static_statement(out)
            }
            "unset" if next == Token::Symbol("(") => {
                self.advance();
                self.advance();
                while !self.takes(")") {
                    let place = self.expression()?;
                    out.push(Statement::Delete(vec![target(place)]));
                    self.takes(",");
                }
                self.end()
            }
            "throw" => {
                self.advance();
                let value = self.expression()?;
                out.push(Statement::Raise(Some(value)));
                self.end()
            }
            "goto" if matches!(next, Token::Name(_)) => {
                self.advance();
                self.advance();
                self.lowering.cut = true;
                self.end()
            }
            "__halt_compiler" => {
                self.token = Token::End;
                self.lexer.at = self.lexer.text.len();
                Ok(())
            }
            _ if next == Token::Symbol(":") && !matches!(word.as_str(), "default" | "parent") => {
                // A label.
                self.advance();
                self.advance();
                Ok(())
            }
            _ => self.expression_statement(out),
        }
    }

    fn if_statement(&mut self, out: &mut Block) -> Parsed<()> {
        let mut branches = Vec::new();
        let ends = ["elseif", "else", "endif"];
        self.expect("(")?;
        let test = self.expression()?;
        self.expect(")")?;
        let colon = self.is(":");
        branches.push((Some(test), self.body(&ends)?));
        loop {
            if self.takes_word("elseif") || self.is_word("else") && self.is_else_if() {
                self.takes_word("else");
                self.takes_word("if");
                self.expect("(")?;
                let test = self.expression()?;
                self.expect(")")?;
                branches.push((Some(test), self.body(&ends)?));
            } else if self.takes_word("else") {
                branches.push((None, self.body(&ends)?));
                break;
            } else {
                break;
            }
        }
        if colon {
            if !self.takes_word("endif") {
                return Err(Rejected);
            }
            self.end()?;
        }
        out.push(Statement::Branch(branches));
        Ok(())
    }

    fn is_else_if(&self) -> bool {
        matches!(self.peek(), Token::Name(word) if word.eq_ignore_ascii_case("if"))
    }

    fn try_statement(&mut self, out: &mut Block) -> Parsed<()> {
        self.conditional += 1;
        let body = self.braces()?;
        let mut handlers = Vec::new();
        while self.takes_word("catch") {
            self.expect("(")?;
            self.skip_type()?;
            let name = match self.token.clone() {
                Token::Variable(name) => {
                    self.advance();
                    Some(format!("${name}").into())
                }
                _ => None,
            };
            self.expect(")")?;
            handlers.push(Handler { name, body: self.braces()? });
        }
        let finally = if self.takes_word("finally") { self.braces()? } else { Vec::new() };
        self.conditional -= 1;
        out.push(Statement::Try { body, handlers, otherwise: Vec::new(), finally });
        Ok(())
    }

    fn declare_statement(&mut self, out: &mut Block) -> Parsed<()> {
        self.expect("(")?;
        while !self.takes(")") {
            self.identifier()?;
            self.expect("=")?;
            self.expression()?;
            self.takes(",");
        }
        if self.takes(";") {
            return Ok(());
        }
        let colon = self.is(":");
        out.append(&mut self.body(&["enddeclare"])?);
        self.closed(colon, "enddeclare")
    }

    /// Variables that keep their value between the calls of a function.
    fn static_statement(&mut self, out: &mut Block) -> Parsed<()> {
        loop {
            let Token::Variable(name) = self.advance() else { return Err(Rejected) };
            let value = if self.takes("=") { self.expression()? } else { null() };
            self.temporaries += 1;
            let kept = format!("$static:{}:{}:{name}", self.function, self.temporaries);
            let names = vec![text(&format!("${name}")), text(&kept), value];
            let kept = self.builtin("<static>", names);
            out.push(Statement::Expr(kept));
            if !self.takes(",") {
                return self.end();
            }
        }
    }
}

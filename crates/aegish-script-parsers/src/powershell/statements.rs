//! Statements.

use super::functions::PROCESS;
use super::{BodyKind, Parsed, Reader, Rejected, null};
use crate::ir::{Block, Expr, Handler, Statement};
use crate::lowering::Lowering;

impl Reader<'_> {
    /// Statements up to a closing sign, which is taken.
    pub(super) fn statements(&mut self, end: &str) -> Parsed<Block> {
        self.enter()?;
        let mut out = Vec::new();
        loop {
            self.separators();
            if self.takes(end) {
                break;
            }
            if self.is_end() {
                return Err(Rejected);
            }
            if self.takes_word("trap") {
                self.trap(end, &mut out)?;
                break;
            }
            self.statement(&mut out)?;
            if !self.ends_statement() {
                return Err(Rejected);
            }
        }
        self.lowering.leave();
        Ok(out)
    }

    /// Statements in braces.
    pub(super) fn braces(&mut self) -> Parsed<Block> {
        self.lines();
        self.expect("{")?;
        self.statements("}")
    }

    /// A statement that handles the errors of all others around it.
    fn trap(&mut self, end: &str, out: &mut Block) -> Parsed<()> {
        self.lines();
        if self.starts("[") {
            self.type_literal()?;
        }
        let handler = self.braces()?;
        let mut body = std::mem::take(out);
        if end.is_empty() {
            loop {
                self.separators();
                if self.is_end() {
                    break;
                }
                if self.takes_word("trap") {
                    self.trap(end, &mut body)?;
                    break;
                }
                self.statement(&mut body)?;
                if !self.ends_statement() {
                    return Err(Rejected);
                }
            }
        } else {
            body.extend(self.statements(end)?);
        }
        // Behind `continue`, the statements go on with what the handler changed.
        self.lowering.cut |= handler.iter().any(|one| matches!(one, Statement::Assign(..)));
        let handlers = vec![Handler { name: Some(Lowering::name("$_")), body: handler }];
        out.push(Statement::Try { body, handlers, otherwise: Vec::new(), finally: Vec::new() });
        Ok(())
    }

    /// Whether a statement that is no pipeline starts here.
    pub(super) fn starts_statement(&self) -> bool {
        self.starts(":") && self.second().is_some_and(char::is_alphabetic)
            || matches!(
                self.word().as_str(),
                "if" | "while"
                    | "for"
                    | "foreach"
                    | "do"
                    | "switch"
                    | "try"
                    | "throw"
                    | "return"
                    | "break"
                    | "continue"
                    | "exit"
                    | "function"
                    | "filter"
                    | "workflow"
                    | "class"
                    | "enum"
                    | "data"
                    | "trap"
                    | "using"
            )
    }

    pub(super) fn statement(&mut self, out: &mut Block) -> Parsed<()> {
        self.enter()?;
        self.statement_at(out)?;
        self.lowering.leave();
        Ok(())
    }

    fn statement_at(&mut self, out: &mut Block) -> Parsed<()> {
        if self.starts(":") && self.second().is_some_and(char::is_alphabetic) {
            return self.labeled(out);
        }
        if !self.starts_statement() {
            return self.pipeline_statement(out);
        }
        let word = self.word();
        let start = self.at;
        self.at += word.len();
        match word.as_str() {
            "if" => self.if_statement(out),
            "while" => self.while_statement(out),
            "for" => self.for_statement(out),
            "foreach" => self.foreach_statement(out),
            "do" => self.do_statement(out),
            "switch" => self.switch_statement(out),
            "try" => self.try_statement(out),
            "throw" => {
                let value = if self.ends_statement() { null() } else { self.pipeline()?.0 };
                out.push(Statement::Raise(Some(value)));
                Ok(())
            }
            "return" => self.return_statement(out),
            "break" | "continue" => {
                self.blanks();
                let label = self.while_is(super::cursor::is_name).to_lowercase();
                let label = (!label.is_empty()).then(|| Lowering::name(&label));
                let breaks = word == "break";
                out.push(if breaks { Statement::Break(label) } else { Statement::Continue(label) });
                Ok(())
            }
            "exit" => {
                let value = self.exit_value()?;
                // Handlers of errors do not see it, but what they do is only too much then.
                out.push(Statement::Expr(value));
                out.push(Statement::Raise(None));
                Ok(())
            }
            "function" | "workflow" => self.function_statement(false, out),
            "filter" => self.function_statement(true, out),
            "class" => self.class_statement(out),
            "enum" => self.enum_statement(),
            "using" => self.using_statement(out),
            "trap" => {
                // At the end of the program's text.
                self.trap("", out)
            }
            "data" => {
                self.blanks();
                if self.starts("{") {
                    let body = self.braces()?;
                    out.extend(body);
                    return Ok(());
                }
                self.at = start;
                self.pipeline_statement(out)
            }
            _ => Err(Rejected),
        }
    }

    /// A condition in brackets.
    pub(super) fn condition(&mut self) -> Parsed<Expr> {
        self.lines();
        self.expect("(")?;
        self.lines();
        let value = self.statement_value()?;
        self.lines();
        self.expect(")")?;
        Ok(value)
    }

    fn if_statement(&mut self, out: &mut Block) -> Parsed<()> {
        let test = self.condition()?;
        let mut branches = vec![(Some(test), self.braces()?)];
        loop {
            if self.takes_word_below("elseif") {
                let test = self.condition()?;
                let body = self.braces()?;
                branches.push((Some(test), body));
            } else if self.takes_word_below("else") {
                branches.push((None, self.braces()?));
                break;
            } else {
                break;
            }
        }
        out.push(Statement::Branch(branches));
        Ok(())
    }

    fn return_statement(&mut self, out: &mut Block) -> Parsed<()> {
        let value = if self.ends_statement() { None } else { Some(self.statement_value()?) };
        match self.body {
            BodyKind::Method => out.push(Statement::Return(value)),
            BodyKind::Function | BodyKind::Process => {
                if let Some(value) = value {
                    let output = self.output(value);
                    out.push(output);
                }
                out.push(match self.body {
                    BodyKind::Process => Statement::Continue(Some(Lowering::name(PROCESS))),
                    _ => Statement::Return(None),
                });
            }
        }
        Ok(())
    }

    fn try_statement(&mut self, out: &mut Block) -> Parsed<()> {
        let body = self.braces()?;
        let mut handlers = Vec::new();
        while self.takes_word_below("catch") {
            self.lines();
            // The types of the errors that are handled.
            while self.starts("[") {
                self.type_literal()?;
                self.lines();
                if self.takes(",") {
                    self.lines();
                }
            }
            let body = self.braces()?;
            handlers.push(Handler { name: Some(Lowering::name("$_")), body });
        }
        let finally = if self.takes_word_below("finally") { self.braces()? } else { Vec::new() };
        out.push(Statement::Try { body, handlers, otherwise: Vec::new(), finally });
        Ok(())
    }
}

//! Loops and `switch`.

use super::cursor::{is_dash, is_name};
use super::{Parsed, Reader, Rejected, bool, name, null, text};
use crate::ir::{Bindings, Block, CompareOp, Expr, LogicOp, Statement, Target, UnaryOp};
use crate::lowering::Lowering;

/// Whether a loop that tests its condition at the end is at its first iteration.
const FIRST: &str = "$<first>";
/// Whether a case of the present `switch` was taken.
const TAKEN: &str = "$<taken>";
/// How the values of a `switch` are compared.
const FILE: &str = "file";

impl Reader<'_> {
    /// `:label` before a loop.
    pub(super) fn labeled(&mut self, out: &mut Block) -> Parsed<()> {
        self.bump();
        let label = self.while_is(is_name).to_lowercase();
        self.lines();
        let mut body = Vec::new();
        self.statement(&mut body)?;
        // What stands before the loop is not part of it.
        let last = body.pop().ok_or(Rejected)?;
        out.append(&mut body);
        out.push(Statement::Labeled(Lowering::name(&label), vec![last]));
        Ok(())
    }

    pub(super) fn while_statement(&mut self, out: &mut Block) -> Parsed<()> {
        let test = self.condition()?;
        let body = self.braces()?;
        out.push(repeat(test, Vec::new(), body));
        Ok(())
    }

    pub(super) fn for_statement(&mut self, out: &mut Block) -> Parsed<()> {
        self.lines();
        self.expect("(")?;
        let mut parts: [Block; 3] = [Vec::new(), Vec::new(), Vec::new()];
        let mut test = None;
        for (place, part) in parts.iter_mut().enumerate() {
            self.lines();
            if self.starts(")") {
                break;
            }
            if !self.starts(";") {
                if place == 1 {
                    test = Some(self.statement_value()?);
                } else {
                    self.loop_part(part)?;
                }
            }
            self.lines();
            if place < 2 {
                self.takes(";");
            }
        }
        self.lines();
        self.expect(")")?;
        let [start, _, step] = parts;
        let body = self.braces()?;
        out.extend(start);
        out.push(repeat(test.unwrap_or_else(|| bool(true)), step, body));
        Ok(())
    }

    /// One or more expressions with commas between them.
    fn loop_part(&mut self, out: &mut Block) -> Parsed<()> {
        let value = self.pipeline()?.0;
        out.push(Statement::Expr(value));
        Ok(())
    }

    pub(super) fn foreach_statement(&mut self, out: &mut Block) -> Parsed<()> {
        self.blanks();
        // `foreach -parallel` of a workflow.
        if self.peek().is_some_and(is_dash) {
            self.bump();
            self.while_is(is_name);
        }
        self.lines();
        self.expect("(")?;
        self.lines();
        let place = self.variable()?;
        let (target, _) = self.target(place, null())?;
        self.lines();
        if !self.takes_word("in") {
            return Err(Rejected);
        }
        self.lines();
        let iterable = self.statement_value()?;
        self.lines();
        self.expect(")")?;
        let body = self.braces()?;
        out.push(for_each(target, iterable, body));
        Ok(())
    }

    /// `do { } while (…)` and `do { } until (…)`.
    pub(super) fn do_statement(&mut self, out: &mut Block) -> Parsed<()> {
        let mut body = self.braces()?;
        let test = if self.takes_word_below("while") {
            self.condition()?
        } else if self.takes_word_below("until") {
            Expr::Unary(UnaryOp::Not, Box::new(self.condition()?))
        } else {
            return Err(Rejected);
        };
        let first = || Target::Name(Lowering::name(FIRST));
        out.push(Statement::Assign(vec![first()], bool(true)));
        body.insert(0, Statement::Assign(vec![first()], bool(false)));
        let test = Expr::Logic(LogicOp::Or, vec![name(FIRST), test]);
        out.push(repeat(test, Vec::new(), body));
        Ok(())
    }

    /// Every case that fits is followed, for each item of the value.
    pub(super) fn switch_statement(&mut self, out: &mut Block) -> Parsed<()> {
        let mut compares = "exact";
        self.lines();
        while self.peek().is_some_and(is_dash) {
            self.bump();
            let word = self.while_is(is_name).to_ascii_lowercase();
            compares = match word.as_str() {
                "regex" | "r" | "re" => "<match>",
                "wildcard" | "w" => "<like>",
                "file" | "f" => FILE,
                "casesensitive" | "c" | "exact" | "e" | "parallel" => compares,
                _ => return Err(Rejected),
            };
            self.lines();
        }
        let subject = if self.starts("(") {
            self.condition()?
        } else {
            let file = self.argument()?;
            self.call("<command>", vec![text("get-content"), bool(false), file])
        };
        self.lines();
        self.expect("{")?;
        let mut body = vec![assign(TAKEN, bool(false))];
        let mut default = None;
        loop {
            self.separators();
            if self.takes("}") {
                break;
            }
            if self.takes_word("default") {
                default = Some(self.braces()?);
                continue;
            }
            let test = self.case_test(compares)?;
            let mut case = vec![assign(TAKEN, bool(true))];
            case.extend(self.braces()?);
            body.push(Statement::Branch(vec![(Some(test), case)]));
        }
        if let Some(default) = default {
            let test = Expr::Unary(UnaryOp::Not, Box::new(name(TAKEN)));
            body.push(Statement::Branch(vec![(Some(test), default)]));
        }
        out.push(for_each(Target::Name(Lowering::name("$_")), subject, body));
        Ok(())
    }

    fn case_test(&mut self, compares: &str) -> Parsed<Expr> {
        if self.starts("{") {
            self.bump();
            return Ok(Expr::Block(self.statements("}")?));
        }
        let value = match self.peek() {
            Some('$' | '(' | '[' | '@' | '-' | '\'' | '"' | '0'..='9') => self.unary()?,
            _ => self.argument()?,
        };
        Ok(match compares {
            "exact" => Expr::Compare(Box::new(name("$_")), vec![(CompareOp::LooseEqual, value)]),
            FILE => Expr::Unknown,
            function => self.call(function, vec![name("$_"), value]),
        })
    }
}

fn assign(variable: &str, value: Expr) -> Statement {
    Statement::Assign(vec![Target::Name(Lowering::name(variable))], value)
}

fn for_each(target: Target, iterable: Expr, body: Block) -> Statement {
    let (otherwise, bindings) = (Vec::new(), Bindings::Shared);
    Statement::For { target, iterable, body, otherwise, bindings }
}

/// A loop. A condition that is always the same is a constant.
fn repeat(test: Expr, step: Block, body: Block) -> Statement {
    let test = match test {
        Expr::Name(name) if &*name == "$true" => bool(true),
        Expr::Constant(crate::ir::Constant::Int(number)) => bool(number != 0),
        other => other,
    };
    Statement::While { test, step, body, otherwise: Vec::new(), copies: Vec::new() }
}

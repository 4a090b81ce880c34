//! Pipelines: commands and values one behind the other.

use super::cursor::{is_dash, is_double_quote, is_single_quote};
use super::{Parsed, Reader, Rejected, bool, name, null, text};
use crate::ir::{Argument, BinaryOp, Block, Expr, LogicOp, Statement};
use crate::lowering::Lowering;

/// Longest text of a place that is read twice. The bound keeps the work linear.
const SHORT: usize = 128;

/// Whether the value of a statement is part of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gives {
    Output,
    Nothing,
}

impl Reader<'_> {
    /// One pipeline, or several with `&&` and `||` between them, as a statement.
    pub(super) fn pipeline_statement(&mut self, out: &mut Block) -> Parsed<()> {
        let (value, gives) = self.pipeline()?;
        self.put(value, gives, out);
        self.blanks();
        while self.starts("&&") || self.starts("||") {
            self.at += 2;
            self.lines();
            let mut inner = Vec::new();
            if self.starts_statement() {
                self.statement(&mut inner)?;
            } else {
                let (value, gives) = self.pipeline()?;
                self.put(value, gives, &mut inner);
            }
            // Whether the command before succeeds is not known.
            out.push(Statement::Branch(vec![(Some(Expr::Unknown), inner)]));
            self.blanks();
        }
        // A job in the background.
        if self.starts("&") {
            self.bump();
        }
        Ok(())
    }

    fn put(&mut self, value: Expr, gives: Gives, out: &mut Block) {
        let statement = match gives {
            Gives::Nothing => match value {
                Expr::Assign(assign) => {
                    let (target, value) = *assign;
                    Statement::Assign(vec![target], value)
                }
                other => Statement::Expr(other),
            },
            Gives::Output => self.output(value),
        };
        out.push(statement);
    }

    /// The value of a pipeline, and whether it is output.
    pub(super) fn pipeline(&mut self) -> Parsed<(Expr, Gives)> {
        self.enter()?;
        let (mut value, mut gives) = self.first_element()?;
        let mut links = 0;
        loop {
            self.blanks();
            if matches!(self.peek(), Some('\n' | '\r')) && !self.lines_before("|") {
                break;
            }
            if self.starts("||") || !self.takes("|") {
                break;
            }
            self.lines();
            value = self.command(Some(value))?;
            gives = Gives::Output;
            links += 1;
            self.enter()?;
        }
        (0..=links).for_each(|_| self.lowering.leave());
        Ok((value, gives))
    }

    fn first_element(&mut self) -> Parsed<(Expr, Gives)> {
        self.blanks();
        if !self.starts_value() {
            return Ok((self.command(None)?, Gives::Output));
        }
        let start = self.at;
        let value = self.expression()?;
        self.blanks();
        if let Some(found) = self.assignment(&value) {
            let made = self.assigned(value, start, found)?;
            return Ok((made, Gives::Nothing));
        }
        let gives = match &value {
            Expr::Update(_) | Expr::Assign(_) => Gives::Nothing,
            Expr::Call(call) => match (&call.function, call.arguments.first()) {
                (Expr::Name(function), Some(Argument::One(Expr::Constant(of))))
                    if &**function == "<cast>" && is_void(of) =>
                {
                    Gives::Nothing
                }
                _ => Gives::Output,
            },
            _ => Gives::Output,
        };
        let value = self.redirected(value)?;
        Ok((value, gives))
    }

    /// Whether an expression starts here, not a command.
    fn starts_value(&self) -> bool {
        let second = self.second();
        match self.peek() {
            Some('$' | '(' | '{' | '[' | '!' | ',') => true,
            Some('@') => !second.is_some_and(|c| c.is_alphabetic()),
            Some('+') => true,
            Some('.') => second.is_some_and(|c| c.is_ascii_digit()),
            Some(c) if is_dash(c) => {
                second.is_some_and(|c| c.is_ascii_digit() || matches!(c, '$' | '(' | '-'))
                    || self.starts_sign()
            }
            Some('0'..='9') => self.is_number(),
            Some(c) => is_single_quote(c) || is_double_quote(c),
            None => false,
        }
    }

    fn starts_sign(&self) -> bool {
        let rest = self.rest();
        ["-not", "-join", "-split", "-bnot", "-csplit", "-isplit"].iter().any(|sign| {
            rest.get(..sign.len()).is_some_and(|start| start.eq_ignore_ascii_case(sign))
                && rest
                    .get(sign.len()..)
                    .and_then(|rest| rest.chars().next())
                    .is_none_or(|c| !super::cursor::is_name(c) && c != '-')
        })
    }

    /// Whether the word at this place is a number; `7z` is a command.
    fn is_number(&self) -> bool {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or("").to_ascii_lowercase();
        let behind = rest.get(end..).and_then(|rest| rest.chars().next());
        let digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let number = word.starts_with("0x")
            || digits.is_empty()
            || matches!(digits, "kb" | "mb" | "gb" | "tb" | "pb" | "l" | "d")
            || digits.starts_with('e');
        number && !matches!(behind, Some('-' | '\\' | '_'))
    }

    fn assignment(&mut self, place: &Expr) -> Option<(&'static str, Option<BinaryOp>)> {
        if !matches!(
            place,
            Expr::Name(_)
                | Expr::Attribute(..)
                | Expr::Index(_)
                | Expr::Call(_)
                | Expr::List(_)
                | Expr::Sequence(_)
                | Expr::Constant(_)
        ) {
            return None;
        }
        const SIGNS: &[(&str, Option<BinaryOp>)] = &[
            ("??=", None),
            ("+=", Some(BinaryOp::Add)),
            ("-=", Some(BinaryOp::Sub)),
            ("*=", Some(BinaryOp::Mul)),
            ("/=", Some(BinaryOp::Div)),
            ("%=", Some(BinaryOp::Mod)),
            ("=", None),
        ];
        SIGNS.iter().find(|(sign, _)| self.starts(sign)).copied()
    }

    /// The assignment behind its place, which starts at `start`.
    fn assigned(
        &mut self,
        place: Expr,
        start: usize,
        found: (&str, Option<BinaryOp>),
    ) -> Parsed<Expr> {
        let (sign, op) = found;
        let end = self.at;
        self.at += sign.len();
        self.lines();
        let value = self.statement_value()?;
        let behind = self.at;
        let value = match (op, sign) {
            (None, "=") => value,
            _ => {
                let old = self.old_value(start, end, &place)?;
                match op {
                    Some(op) => Expr::Chain(Box::new(old), vec![(op, value)]),
                    None => Expr::Logic(LogicOp::Coalesce, vec![old, value]),
                }
            }
        };
        self.at = behind;
        let (target, value) = self.target(place, value)?;
        Ok(Expr::Assign(Box::new((target, value))))
    }

    /// The value at a place before it is assigned to. The text of the place is read again for it, if it is short.
    fn old_value(&mut self, start: usize, end: usize, place: &Expr) -> Parsed<Expr> {
        match place {
            Expr::Name(name) => Ok(Expr::Name(name.clone())),
            _ if end - start < SHORT => {
                self.at = start;
                self.expression()
            }
            _ => Ok(Expr::Unknown),
        }
    }

    /// A command and its arguments; the value of the pipeline before it is its input.
    pub(super) fn command(&mut self, input: Option<Expr>) -> Parsed<Expr> {
        self.blanks();
        let mut dot = false;
        let called = match (self.peek(), self.second()) {
            (Some('&'), second) if second != Some('&') => {
                self.bump();
                self.blanks();
                self.command_name()?
            }
            (Some('.'), Some(c)) if c.is_whitespace() || "$('\"{".contains(c) => {
                self.bump();
                self.blanks();
                dot = true;
                self.command_name()?
            }
            _ if self.starts_value() => {
                // A value behind a pipe gets no input.
                let value = self.expression()?;
                let value = match input {
                    Some(input) => Expr::Sequence(vec![input, value]),
                    None => value,
                };
                return self.redirected(value);
            }
            (Some('%'), _) => {
                self.bump();
                text("foreach-object")
            }
            (Some('?'), _) => {
                self.bump();
                text("where-object")
            }
            _ => self.command_name()?,
        };
        let mut arguments = vec![Argument::One(called), Argument::One(bool(dot))];
        if let Some(input) = input {
            arguments.push(Argument::Named(Lowering::name("<input>"), input));
        }
        let mut redirections = Vec::new();
        self.command_arguments(&mut arguments, &mut redirections)?;
        let value = self.call_with(name("<command>"), arguments);
        Ok(self.with_redirections(value, redirections))
    }

    fn command_name(&mut self) -> Parsed<Expr> {
        match self.peek() {
            Some('$' | '(' | '{' | '[' | '@') => self.primary(),
            Some(c) if is_single_quote(c) || is_double_quote(c) => self.primary(),
            Some(c) if !super::cursor::ends_word(c) => self.bare_word(),
            _ => Err(Rejected),
        }
    }

    /// The redirections behind a value.
    fn redirected(&mut self, value: Expr) -> Parsed<Expr> {
        let mut redirections = Vec::new();
        loop {
            self.blanks();
            if !self.redirection(&mut redirections)? {
                return Ok(self.with_redirections(value, redirections));
            }
        }
    }

    fn with_redirections(&mut self, value: Expr, redirections: Vec<[Expr; 3]>) -> Expr {
        let mut value = value;
        for [file, append, all] in redirections {
            value = self.call("<redirect>", vec![value, file, append, all]);
        }
        value
    }

    /// Takes `> file`, `2>> file`, `2>&1` and the like.
    pub(super) fn redirection(&mut self, out: &mut Vec<[Expr; 3]>) -> Parsed<bool> {
        let rest = self.rest();
        let stream = rest.chars().next().filter(|c| matches!(c, '1'..='6' | '*'));
        let skip = usize::from(stream.is_some());
        let Some(sign) = rest.get(skip..).filter(|rest| rest.starts_with('>')) else {
            return Ok(false);
        };
        self.at += skip + 1;
        let append = sign.starts_with(">>");
        if append {
            self.at += 1;
        }
        if self.takes("&1") || self.takes("&2") {
            return Ok(true);
        }
        self.blanks();
        let file = self.argument()?;
        let output = matches!(stream, None | Some('1' | '*'));
        if out.len() > 8 {
            return Err(Rejected);
        }
        out.push([file, bool(append), bool(output)]);
        Ok(true)
    }

    /// The end of a program.
    pub(super) fn exit_value(&mut self) -> Parsed<Expr> {
        if self.ends_statement() { Ok(null()) } else { Ok(self.pipeline()?.0) }
    }
}

fn is_void(of: &crate::ir::Constant) -> bool {
    matches!(of, crate::ir::Constant::Text(of) if &**of == "void" || &**of == "system.void")
}

//! Single values: numbers, texts, variables, brackets, tables, script blocks, and members of them.

use super::cursor::{is_double_quote, is_name, is_single_quote};
use super::{Parsed, Reader, Rejected, name, null, text};
use crate::ir::{BinaryOp, Constant, Expr, Gives, Item};
use crate::lowering::Lowering;

impl Reader<'_> {
    /// A single value with its members.
    pub(super) fn primary(&mut self) -> Parsed<Expr> {
        self.enter()?;
        let value = self.single()?;
        let value = self.members(value)?;
        self.lowering.leave();
        Ok(value)
    }

    fn single(&mut self) -> Parsed<Expr> {
        let c = self.peek().ok_or(Rejected)?;
        Ok(match c {
            '$' if self.second() == Some('(') => {
                self.at += 1;
                self.output_of_statements()?
            }
            '$' => self.variable()?,
            '(' => self.bracket()?,
            '{' => Expr::Function(self.script_block()?),
            '@' => self.at_sign()?,
            '[' => match self.type_literal()? {
                Some(of) => name(&format!("[{of}]")),
                None => return Err(Rejected),
            },
            '0'..='9' => self.number()?,
            '.' if self.second().is_some_and(|c| c.is_ascii_digit()) => self.number()?,
            c if is_single_quote(c) => text(&self.single_quoted()?),
            c if is_double_quote(c) => self.double_quoted()?,
            _ => return Err(Rejected),
        })
    }

    fn at_sign(&mut self) -> Parsed<Expr> {
        match self.second() {
            Some('(') => {
                self.at += 1;
                let output = self.output_of_statements()?;
                Ok(self.call("<array>", vec![output]))
            }
            Some('{') => self.table(),
            Some(c) if is_single_quote(c) || is_double_quote(c) => self.here_string(),
            _ => Err(Rejected),
        }
    }

    /// One statement in brackets; its value.
    fn bracket(&mut self) -> Parsed<Expr> {
        self.bump();
        self.lines();
        let value = self.statement_value()?;
        self.lines();
        self.expect(")")?;
        // Brackets around an assignment give its value; around a list, they keep it apart.
        Ok(Expr::Sequence(vec![value]))
    }

    /// Statements in brackets; their output.
    pub(super) fn output_of_statements(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        let body = self.statements(")")?;
        Ok(Expr::Block(body))
    }

    fn number(&mut self) -> Parsed<Expr> {
        let rest = self.rest();
        let lower = rest.get(..2).unwrap_or("").to_ascii_lowercase();
        let (radix, skip) = match lower.as_str() {
            "0x" => (16, 2),
            "0b" => (2, 2),
            _ => (10, 0),
        };
        self.at += skip;
        let digits = self.while_is(|c| c.is_digit(radix)).to_owned();
        let mut whole = i64::from_str_radix(&digits, radix).ok();
        if radix == 10 {
            if self.starts(".")
                && self.second() != Some('.')
                && !self.second().is_some_and(char::is_alphabetic)
            {
                self.bump();
                self.while_is(|c| c.is_ascii_digit());
                whole = None;
            }
            let exponent = self.rest().get(1..).unwrap_or("").trim_start_matches(['+', '-']);
            if matches!(self.peek(), Some('e' | 'E'))
                && exponent.starts_with(|c: char| c.is_ascii_digit())
            {
                self.bump();
                self.while_is(|c| c.is_ascii_digit() || c == '+' || c == '-');
                whole = None;
            }
        }
        let suffix = self.while_is(char::is_alphabetic).to_ascii_lowercase();
        let (kind, size) = match suffix.find(['k', 'm', 'g', 't', 'p']) {
            Some(at) if suffix.ends_with('b') => suffix.split_at_checked(at).unwrap_or(("", "")),
            _ => (suffix.as_str(), ""),
        };
        if !matches!(kind, "" | "l" | "d" | "u" | "ul" | "y" | "uy" | "s" | "us" | "n" | "lu") {
            return Err(Rejected);
        }
        let factor: i64 = match size {
            "" => 1,
            "kb" => 1 << 10,
            "mb" => 1 << 20,
            "gb" => 1 << 30,
            "tb" => 1 << 40,
            "pb" => 1 << 50,
            _ => return Err(Rejected),
        };
        let value = whole.and_then(|whole| whole.checked_mul(factor));
        Ok(Expr::Constant(value.map_or(Constant::Number, Constant::Int)))
    }

    /// `@{ key = value; … }`.
    fn table(&mut self) -> Parsed<Expr> {
        self.enter()?;
        self.at += 2;
        let mut pairs = Vec::new();
        loop {
            self.separators();
            if self.takes("}") {
                self.lowering.leave();
                return Ok(Expr::Dict(pairs));
            }
            let key = match self.peek() {
                Some(c) if is_name(c) && !c.is_ascii_digit() => {
                    text(self.while_is(|c| is_name(c) || c == '-' || c == '.'))
                }
                Some(_) => self.unary()?,
                None => return Err(Rejected),
            };
            self.blanks();
            self.expect("=")?;
            self.lines();
            let value = self.statement_value()?;
            pairs.push((Some(key), value));
            if !self.ends_statement() || self.starts(")") {
                return Err(Rejected);
            }
        }
    }

    /// The name of a type in square brackets, in lower case; none if they hold an attribute.
    pub(super) fn type_literal(&mut self) -> Parsed<Option<String>> {
        self.expect("[")?;
        self.lines();
        let mut out = String::new();
        let mut depth = 0;
        loop {
            let c = self.bump().ok_or(Rejected)?;
            match c {
                ']' if depth == 0 => return Ok(Some(out)),
                '[' => depth += 1,
                ']' => depth -= 1,
                '(' => {
                    // `[Parameter(Mandatory)]`
                    self.at -= 1;
                    self.attribute_arguments()?;
                    self.lines();
                    self.expect("]")?;
                    return Ok(None);
                }
                c if c.is_whitespace() => continue,
                c if is_name(c) || ".,+`*&".contains(c) => {}
                _ => return Err(Rejected),
            }
            if out.len() > 400 {
                return Err(Rejected);
            }
            out.extend(c.to_lowercase());
        }
    }

    /// Members, items and calls behind a value.
    pub(super) fn members(&mut self, first: Expr) -> Parsed<Expr> {
        let mut value = first;
        let mut links = 0;
        loop {
            let start = self.at;
            let two = self.rest().get(..2).unwrap_or("");
            if two == "++" || two == "--" {
                self.at += 2;
                let op = if two == "++" { BinaryOp::Add } else { BinaryOp::Sub };
                value = self.step(value, op, Gives::Old)?;
                break;
            }
            let fixed = two == "::";
            if fixed || two == "?." {
                self.at += 2;
            } else if self.starts(".") && two != ".." {
                self.at += 1;
            } else if self.starts("[") || two == "?[" {
                self.at += if two == "?[" { 2 } else { 1 };
                self.lines();
                let index = self.expression()?;
                self.lines();
                self.expect("]")?;
                value = Expr::Index(Box::new([value, index]));
                links += 1;
                self.enter()?;
                continue;
            } else if self.line_of_members() {
                continue;
            } else {
                break;
            }
            self.lines();
            match self.member(value, fixed)? {
                Ok(made) => value = made,
                Err(back) => {
                    value = back;
                    self.at = start;
                    break;
                }
            }
            links += 1;
            self.enter()?;
        }
        (0..links).for_each(|_| self.lowering.leave());
        Ok(value)
    }

    /// A member may stand at the start of the next line.
    fn line_of_members(&mut self) -> bool {
        let start = self.at;
        if !matches!(self.peek(), Some('\n' | '\r')) {
            return false;
        }
        let cut = self.lowering.cut;
        self.lines();
        let member = self.starts(".") && self.second().is_some_and(char::is_alphabetic);
        if !member {
            self.at = start;
            self.lowering.cut = cut;
        }
        member
    }

    /// The member behind a dot; gives the value back if there is none.
    fn member(&mut self, value: Expr, fixed: bool) -> Parsed<Result<Expr, Expr>> {
        let mark = if fixed { "::" } else { "" };
        let c = self.peek().ok_or(Rejected)?;
        let function = match c {
            c if is_name(c) => {
                let member = self.while_is(is_name).to_lowercase();
                Expr::Attribute(Box::new(value), Lowering::name(&format!("{mark}{member}")))
            }
            '$' | '(' => {
                let member = if c == '$' && self.second() != Some('(') {
                    self.variable()?
                } else if c == '$' {
                    self.at += 1;
                    self.output_of_statements()?
                } else {
                    self.bracket()?
                };
                self.call("<member>", vec![value, member, text(mark)])
            }
            c if is_single_quote(c) => {
                let member = self.single_quoted()?.to_lowercase();
                Expr::Attribute(Box::new(value), Lowering::name(&format!("{mark}{member}")))
            }
            c if is_double_quote(c) => {
                let member = self.double_quoted()?;
                self.call("<member>", vec![value, member, text(mark)])
            }
            _ => return Ok(Err(value)),
        };
        if self.starts("(") {
            let arguments = self.method_arguments()?;
            return Ok(Ok(self.call_with(function, arguments)));
        }
        // `.ForEach{ … }`
        if self.starts("{") {
            let block = Expr::Function(self.script_block()?);
            return Ok(Ok(self.call_with(function, vec![crate::ir::Argument::One(block)])));
        }
        Ok(Ok(function))
    }

    /// The value of one statement: what it gives as output, or what it assigns.
    pub(super) fn statement_value(&mut self) -> Parsed<Expr> {
        self.enter()?;
        let value = if self.starts_statement() {
            let mut body = Vec::new();
            self.statement(&mut body)?;
            Expr::Block(body)
        } else if self.ends_statement() {
            null()
        } else {
            self.pipeline()?.0
        };
        self.lowering.leave();
        Ok(value)
    }

    /// A list of one.
    pub(super) fn list_of(values: Vec<Expr>) -> Expr {
        Expr::List(values.into_iter().map(Item::One).collect())
    }
}

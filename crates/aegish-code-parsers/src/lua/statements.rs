//! Statements of Lua.

use super::expressions::{single, spread};
use super::lexer::Token;
use super::{Lua, Parsed, Rejected, nil};
use crate::ir::{
    Argument, Bindings, Block, Constant, Expr, Item, Name, Statement, Target, UnaryOp,
};
use crate::lowering::Lowering;

impl Lua<'_> {
    /// The statements up to the first mistake.
    pub(super) fn program(&mut self) -> Block {
        self.scopes.push(std::collections::HashSet::new());
        let mut out = Vec::new();
        while self.token != Token::End {
            if self.statement(&mut out).is_err() {
                self.lowering.cut = true;
                break;
            }
        }
        self.scopes.pop();
        out
    }

    fn ends(&self) -> bool {
        matches!(self.token, Token::End | Token::Symbol("end" | "else" | "elseif" | "until"))
    }

    /// Statements up to the end of a block.
    pub(super) fn block(&mut self) -> Parsed<Block> {
        if !self.lowering.enter() {
            return Err(Rejected);
        }
        let mut out = Vec::new();
        while !self.ends() {
            self.statement(&mut out)?;
        }
        self.lowering.leave();
        Ok(out)
    }

    /// A block with variables of its own.
    fn scoped(&mut self) -> Parsed<Block> {
        self.scopes.push(std::collections::HashSet::new());
        let body = self.block();
        self.scopes.pop();
        Ok(vec![Statement::Block(body?)])
    }

    fn loop_body(&mut self) -> Parsed<Block> {
        self.loops += 1;
        let body = self.scoped();
        self.loops -= 1;
        body
    }

    fn statement(&mut self, out: &mut Block) -> Parsed<()> {
        let Token::Symbol(symbol) = self.token else { return self.expression_statement(out) };
        match symbol {
            ";" => {
                self.advance();
            }
            "if" => {
                let mut branches = Vec::new();
                self.advance();
                let test = self.value()?;
                self.expect("then")?;
                branches.push((Some(test), self.scoped()?));
                while self.takes("elseif") {
                    let test = self.value()?;
                    self.expect("then")?;
                    branches.push((Some(test), self.scoped()?));
                }
                if self.takes("else") {
                    branches.push((None, self.scoped()?));
                }
                self.expect("end")?;
                out.push(Statement::Branch(branches));
            }
            "while" => {
                self.advance();
                let test = self.value()?;
                self.expect("do")?;
                let body = self.loop_body()?;
                self.expect("end")?;
                out.push(repeat(test, body));
            }
            "do" => {
                self.advance();
                let mut body = self.scoped()?;
                self.expect("end")?;
                out.append(&mut body);
            }
            "for" => self.for_statement(out)?,
            "repeat" => {
                self.advance();
                self.scopes.push(std::collections::HashSet::new());
                self.loops += 1;
                let mut body = self.block()?;
                self.loops -= 1;
                self.expect("until")?;
                // The condition sees the variables of the body.
                let test = self.value()?;
                self.scopes.pop();
                body.push(Statement::Branch(vec![(Some(test), vec![Statement::Break(None)])]));
                let always = Expr::Constant(Constant::Bool(true));
                out.push(repeat(always, vec![Statement::Block(body)]));
            }
            "function" => self.function_statement(out)?,
            "local" => self.local_statement(out)?,
            "return" => {
                self.advance();
                let values = if self.ends() || self.is(";") { Vec::new() } else { self.values()? };
                self.takes(";");
                let value = several(values);
                out.push(Statement::Return(Some(value)));
            }
            "break" => {
                self.advance();
                out.push(Statement::Break(None));
            }
            "goto" => {
                self.advance();
                let label = self.name()?;
                // Only the jump to the next iteration is followed.
                if self.loops == 0 || &*label != "continue" {
                    self.lowering.cut = true;
                }
                out.push(Statement::Continue(None));
            }
            "::" => {
                self.advance();
                let label = self.name()?;
                self.expect("::")?;
                let at_end = self.ends() && self.loops > 0;
                self.lowering.cut |= !at_end || &*label != "continue";
            }
            _ => return self.expression_statement(out),
        }
        Ok(())
    }

    fn for_statement(&mut self, out: &mut Block) -> Parsed<()> {
        self.advance();
        let mut names = vec![self.name()?];
        let iterable = if self.takes("=") {
            let values = self.values()?;
            let arguments = values.into_iter().map(|value| Argument::One(single(value))).collect();
            self.call(Expr::Name(Lowering::name("<numbers>")), arguments)
        } else {
            while self.takes(",") {
                names.push(self.name()?);
            }
            self.expect("in")?;
            let values = self.values()?;
            let arguments = spread(values);
            self.call(Expr::Name(Lowering::name("<iterate>")), arguments)
        };
        self.expect("do")?;
        self.scopes.push(names.iter().cloned().collect());
        let body = self.loop_body();
        self.scopes.pop();
        let body = body?;
        self.expect("end")?;
        let targets: Vec<Target> = names.into_iter().map(Target::Name).collect();
        out.push(Statement::For {
            target: Target::Sequence(targets, None),
            iterable,
            body,
            otherwise: Vec::new(),
            bindings: Bindings::PerIteration,
        });
        Ok(())
    }

    fn function_statement(&mut self, out: &mut Block) -> Parsed<()> {
        self.advance();
        let first = self.name()?;
        let mut target: Option<Name> = None;
        let mut object = self.variable(first.clone());
        let mut method = false;
        loop {
            let colon = self.is(":");
            if !colon && !self.is(".") {
                break;
            }
            self.advance();
            let name = self.name()?;
            if let Some(inner) = target.take() {
                object = super::field(object, &inner);
            }
            target = Some(name);
            if colon {
                method = true;
                break;
            }
        }
        let target = match target {
            Some(name) => Target::Index(object, super::text(&name)),
            None => self.target(object),
        };
        let function = self.function(&first, method)?;
        out.push(Statement::Assign(vec![target], Expr::Function(function)));
        Ok(())
    }

    fn local_statement(&mut self, out: &mut Block) -> Parsed<()> {
        self.advance();
        if self.takes("function") {
            let name = self.name()?;
            self.declare(&name);
            // The body sees the variable itself, even if it is not assigned yet.
            out.push(Statement::Assign(vec![Target::Name(name.clone())], nil()));
            let function = self.function(&name, false)?;
            out.push(Statement::Assign(vec![Target::Name(name)], Expr::Function(function)));
            return Ok(());
        }
        let mut names: Vec<Name> = Vec::new();
        loop {
            names.push(self.name()?);
            if self.takes("<") {
                self.name()?;
                self.expect(">")?;
            }
            if !self.takes(",") {
                break;
            }
        }
        let values = if self.takes("=") { self.values()? } else { Vec::new() };
        names.iter().for_each(|name| self.declare(name));
        let targets = names.into_iter().map(Target::Name).collect();
        assign(targets, values, out);
        Ok(())
    }

    fn expression_statement(&mut self, out: &mut Block) -> Parsed<()> {
        let first = self.suffixed()?;
        if !self.is("=") && !self.is(",") {
            if !matches!(first, Expr::Call(_)) {
                return Err(Rejected);
            }
            out.push(Statement::Expr(first));
            return Ok(());
        }
        let mut targets = vec![self.target(first)];
        while self.takes(",") {
            let next = self.suffixed()?;
            targets.push(self.target(next));
        }
        self.expect("=")?;
        let values = self.values()?;
        assign(targets, values, out);
        Ok(())
    }

    fn target(&mut self, value: Expr) -> Target {
        match value {
            Expr::Name(name) => {
                // Another environment for all global variables.
                self.lowering.cut |= &*name == "_ENV" && !self.is_local("_ENV");
                Target::Nearest(name)
            }
            Expr::Index(parts) => {
                let [object, index] = *parts;
                Target::Index(object, index)
            }
            _ => {
                self.lowering.cut = true;
                Target::Ignore
            }
        }
    }
}

fn repeat(test: Expr, body: Block) -> Statement {
    let test = match test {
        // `while not false` and the like.
        Expr::Unary(UnaryOp::Not, inner)
            if matches!(*inner, Expr::Constant(Constant::Bool(false))) =>
        {
            Expr::Constant(Constant::Bool(true))
        }
        other => other,
    };
    Statement::While { test, step: Vec::new(), body, otherwise: Vec::new(), copies: Vec::new() }
}

/// The values as one: several are a tuple.
fn several(values: Vec<Expr>) -> Expr {
    match values.len() {
        0 => nil(),
        1 => values.into_iter().next().unwrap_or_else(nil),
        _ => Expr::Tuple(items(values)),
    }
}

fn items(values: Vec<Expr>) -> Vec<Item> {
    spread(values)
        .into_iter()
        .map(|argument| match argument {
            Argument::Spread(value) => Item::Spread(value),
            Argument::One(value) | Argument::Named(_, value) | Argument::SpreadNamed(value) => {
                Item::One(value)
            }
        })
        .collect()
}

fn assign(targets: Vec<Target>, values: Vec<Expr>, out: &mut Block) {
    if values.is_empty() {
        out.extend(targets.into_iter().map(|target| Statement::Assign(vec![target], nil())));
        return;
    }
    if targets.len() == 1 && values.len() == 1 {
        let value = values.into_iter().next().map_or_else(nil, single);
        out.push(Statement::Assign(targets, value));
        return;
    }
    let value = Expr::Tuple(items(values));
    out.push(Statement::Assign(vec![Target::Sequence(targets, None)], value));
}

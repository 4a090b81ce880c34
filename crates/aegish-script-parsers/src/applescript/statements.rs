//! Statements of AppleScript.

use super::lexer::Token;
use super::{AppleScript, DELIMITERS, Parsed, Rejected, nothing, text};
use crate::ir::{
    Argument, Arguments, BinaryOp, Bindings, Block, Body, Constant, Expr, Function, Handler, Item,
    Name, Parameter, Receiver, Statement, Target,
};
use crate::lowering::Lowering;
use std::rc::Rc;

impl AppleScript<'_> {
    /// The statements up to the first mistake.
    pub(super) fn program(&mut self) -> Block {
        let delimiters = Target::Name(Lowering::name(DELIMITERS));
        let mut out = vec![Statement::Assign(vec![delimiters], text(""))];
        let mut runs = Vec::new();
        let level = self.lowering.level();
        loop {
            self.skip_lines();
            if *self.token() == Token::End {
                break;
            }
            // A block may not end twice.
            let ended = self.word() == Some("end");
            if ended || self.statement(&mut out, &mut runs).is_err() || !self.at_line_end() {
                self.lowering.back_to(level);
                self.lowering.cut = true;
                break;
            }
        }
        for run in runs {
            let given = Expr::Name(Lowering::name("argv"));
            let call = self.call_with(Expr::Name(run), vec![Argument::One(given)]);
            out.push(Statement::Expr(call));
        }
        out
    }

    /// Statements up to the end of a block.
    fn block(&mut self, runs: &mut Vec<Name>) -> Parsed<Block> {
        self.deeper(|this| {
            let mut out = Vec::new();
            loop {
                this.skip_lines();
                let ends = this.are_next("on error") || matches!(this.word(), Some("end" | "else"));
                if ends {
                    return Ok(out);
                }
                if *this.token() == Token::End {
                    return Err(Rejected);
                }
                this.statement(&mut out, runs)?;
                if !this.at_line_end() {
                    return Err(Rejected);
                }
            }
        })
    }

    /// `end`, with the words of the block that ends.
    fn end(&mut self) -> Parsed<()> {
        self.expect_word("end")?;
        while matches!(self.token(), Token::Word(_) | Token::Quoted(_)) {
            self.at += 1;
        }
        Ok(())
    }

    fn statement(&mut self, out: &mut Block, runs: &mut Vec<Name>) -> Parsed<()> {
        let word = self.word().unwrap_or("").to_owned();
        match word.as_str() {
            "set" if !self.are_next("set volume") && !self.are_next("set eof") => {
                self.assignment(out)
            }
            "copy" => self.copy(out),
            "if" => self.decision(out, runs),
            "repeat" => self.repetition(out, runs),
            "tell" => self.tell(out, runs),
            "try" => self.attempt(out, runs),
            "on" | "to" => self.handler(out, runs),
            "return" => {
                self.at += 1;
                let value = self.optional()?;
                out.push(Statement::Return(Some(value)));
                Ok(())
            }
            "exit" => {
                self.at += 1;
                self.takes_words("repeat");
                out.push(Statement::Break(None));
                Ok(())
            }
            "error" => {
                self.at += 1;
                let mut arguments = Vec::new();
                let value = self.optional()?;
                if self.takes_words("number") {
                    arguments.push(self.expression()?);
                }
                self.skip_line();
                out.push(Statement::Raise(Some(value)));
                Ok(())
            }
            "property" | "prop" => {
                self.at += 1;
                let name = self.name()?;
                self.expect(":")?;
                let value = self.expression()?;
                out.push(Statement::Assign(vec![Target::Name(name)], value));
                Ok(())
            }
            "global" | "local" | "use" => {
                self.skip_line();
                Ok(())
            }
            "considering" | "ignoring" => self.surrounded(out, runs),
            "with" if self.are_next("with timeout") || self.are_next("with transaction") => {
                self.surrounded(out, runs)
            }
            "using" if self.are_next("using terms") => self.surrounded(out, runs),
            "script" => {
                self.skip_line();
                let mut body = self.block(runs)?;
                self.end()?;
                out.append(&mut body);
                Ok(())
            }
            "continue" => {
                self.at += 1;
                self.command_statement(out)
            }
            _ => self.command_statement(out),
        }
    }

    /// A block whose first line does nothing: `considering case`, `with timeout of 5 seconds`.
    fn surrounded(&mut self, out: &mut Block, runs: &mut Vec<Name>) -> Parsed<()> {
        self.skip_line();
        let mut body = self.block(runs)?;
        // `considering … but ignoring …` is one line.
        self.end()?;
        out.append(&mut body);
        Ok(())
    }

    /// A command or an expression; its value is the result.
    fn command_statement(&mut self, out: &mut Block) -> Parsed<()> {
        let mut value = self.expression()?;
        // A phrase of an application whose words were taken for a variable or a property.
        let mut rest = Vec::new();
        while !self.at_line_end() && !self.closes() {
            let before = self.at;
            self.labels(&mut rest)?;
            if !self.at_line_end() && !self.closes() {
                rest.push(Argument::One(self.expression()?));
            }
            if self.at == before {
                return Err(Rejected);
            }
        }
        if !rest.is_empty() {
            rest.insert(0, Argument::One(value));
            value = self.call_with(Expr::Name(Lowering::name("<phrase>")), rest);
        }
        out.push(Statement::Assign(vec![Target::Name(Lowering::name("result"))], value));
        Ok(())
    }

    fn assignment(&mut self, out: &mut Block) -> Parsed<()> {
        self.expect_word("set")?;
        let target = self.target()?;
        if !self.takes_words("to") {
            return Err(Rejected);
        }
        let value = self.expression()?;
        self.assign(target, value, out);
        Ok(())
    }

    fn copy(&mut self, out: &mut Block) -> Parsed<()> {
        self.expect_word("copy")?;
        let value = self.expression()?;
        if !self.takes_words("to") {
            return Err(Rejected);
        }
        let target = self.target()?;
        self.assign(target, value, out);
        Ok(())
    }

    fn assign(&mut self, target: Assigned, value: Expr, out: &mut Block) {
        match target {
            Assigned::To(target) => out.push(Statement::Assign(vec![target], value)),
            Assigned::EndOf(list) => {
                let added = Expr::List(vec![Item::One(value)]);
                let old = Expr::Name(list.clone());
                out.push(Statement::Update(self.variable(list), old, BinaryOp::Add, added));
            }
        }
    }

    fn variable(&self, name: Name) -> Target {
        if self.shared.contains(&name) || &*name == DELIMITERS {
            Target::Nearest(name)
        } else {
            Target::Name(name)
        }
    }

    fn target(&mut self) -> Parsed<Assigned> {
        while self.takes_any(&["my", "its", "the"]) {}
        if self.takes("{") {
            let mut targets = Vec::new();
            while !self.takes("}") {
                match self.target()? {
                    Assigned::To(target) => targets.push(target),
                    Assigned::EndOf(_) => return Err(Rejected),
                }
                if !self.takes(",") {
                    self.expect("}")?;
                    break;
                }
            }
            return Ok(Assigned::To(Target::Sequence(targets, None)));
        }
        let end = self.are_next("end of") || self.are_next("beginning of");
        if end
            && let Token::Word(list) | Token::Quoted(list) = self.ahead(2).clone()
            && word_follows(self.ahead(3), "to")
        {
            self.at += 3;
            return Ok(Assigned::EndOf(list));
        }
        let place = self.reference()?;
        Ok(Assigned::To(match place {
            Expr::Name(name) => self.variable(name),
            Expr::Call(call) => match (&call.function, call.arguments.as_slice()) {
                // `set name of r to v`, `set item 2 of l to v`: the object changes, but how is not followed.
                (
                    Expr::Name(function),
                    [Argument::One(_), Argument::One(Expr::Name(object)), ..],
                ) if matches!(&**function, "<part>" | "<item>") => {
                    Target::Index(Expr::Name(object.clone()), Expr::Unknown)
                }
                _ => Target::Ignore,
            },
            Expr::Attribute(object, name) => Target::Attribute(*object, name),
            _ => Target::Ignore,
        }))
    }

    fn decision(&mut self, out: &mut Block, runs: &mut Vec<Name>) -> Parsed<()> {
        self.expect_word("if")?;
        let test = self.expression()?;
        self.takes_words("then");
        if !self.at_line_end() {
            let mut body = Vec::new();
            self.deeper(|this| this.statement(&mut body, runs))?;
            out.push(Statement::Branch(vec![(Some(test), body)]));
            return Ok(());
        }
        let mut branches = vec![(Some(test), self.block(runs)?)];
        while self.takes_words("else") {
            let test = match self.takes_words("if") {
                true => {
                    let test = self.expression()?;
                    self.takes_words("then");
                    Some(test)
                }
                false => None,
            };
            if self.at_line_end() {
                branches.push((test, self.block(runs)?));
            } else {
                let mut body = Vec::new();
                self.statement(&mut body, runs)?;
                branches.push((test, body));
                self.skip_lines();
            }
        }
        self.end()?;
        out.push(Statement::Branch(branches));
        Ok(())
    }

    fn repetition(&mut self, out: &mut Block, runs: &mut Vec<Name>) -> Parsed<()> {
        self.expect_word("repeat")?;
        if self.takes_words("with") {
            let name = self.name()?;
            let iterable = match self.takes_words("from") {
                true => {
                    let from = self.expression()?;
                    self.expect_word("to")?;
                    let to = self.expression()?;
                    let step = match self.takes_words("by") {
                        true => self.expression()?,
                        false => Expr::Constant(Constant::Int(1)),
                    };
                    self.call("<numbers>", vec![from, to, step])
                }
                false => {
                    self.expect_word("in")?;
                    self.expression()?
                }
            };
            let body = self.block(runs)?;
            self.end()?;
            let (target, otherwise) = (Target::Name(name), Vec::new());
            let bindings = Bindings::Shared;
            out.push(Statement::For { target, iterable, body, otherwise, bindings });
            return Ok(());
        }
        let test = match (self.takes_words("while"), self.takes_words("until")) {
            (true, _) => self.expression()?,
            (_, true) => {
                let test = self.expression()?;
                Expr::Unary(crate::ir::UnaryOp::Not, Box::new(test))
            }
            _ if self.at_line_end() => Expr::Constant(Constant::Bool(true)),
            _ => {
                let count = self.expression()?;
                self.takes_words("times");
                let one = Expr::Constant(Constant::Int(1));
                let step = Expr::Constant(Constant::Int(1));
                let iterable = self.call("<numbers>", vec![one, count, step]);
                let body = self.block(runs)?;
                self.end()?;
                let (target, otherwise) = (Target::Ignore, Vec::new());
                let bindings = Bindings::Shared;
                out.push(Statement::For { target, iterable, body, otherwise, bindings });
                return Ok(());
            }
        };
        let body = self.block(runs)?;
        self.end()?;
        let (step, otherwise, copies) = (Vec::new(), Vec::new(), Vec::new());
        out.push(Statement::While { test, step, body, otherwise, copies });
        Ok(())
    }

    fn tell(&mut self, out: &mut Block, runs: &mut Vec<Name>) -> Parsed<()> {
        self.expect_word("tell")?;
        let target = self.expression()?;
        out.push(Statement::Expr(target));
        if self.takes_words("to") {
            return self.deeper(|this| this.statement(out, runs));
        }
        let mut body = self.block(runs)?;
        self.end()?;
        out.append(&mut body);
        Ok(())
    }

    fn attempt(&mut self, out: &mut Block, runs: &mut Vec<Name>) -> Parsed<()> {
        self.expect_word("try")?;
        let body = self.block(runs)?;
        let mut handlers = Vec::new();
        if self.takes_words("on error") {
            let name = match self.token() {
                Token::Word(word) if !matches!(&**word, "number" | "from" | "to" | "partial") => {
                    Some(self.name()?)
                }
                _ => None,
            };
            self.skip_line();
            let body = self.block(runs)?;
            handlers.push(Handler { name, body });
        } else {
            handlers.push(Handler { name: None, body: Vec::new() });
        }
        self.end()?;
        out.push(Statement::Try { body, handlers, otherwise: Vec::new(), finally: Vec::new() });
        Ok(())
    }

    /// `on name(parameters)`, `on run argv`, `to name(parameters)`.
    fn handler(&mut self, out: &mut Block, runs: &mut Vec<Name>) -> Parsed<()> {
        self.at += 1;
        let name = self.name()?;
        self.lowering.functions += 1;
        let id = self.lowering.functions;
        let mut names: Vec<Name> = Vec::new();
        // Words between the names are labels; what they bind is a parameter of its own.
        while !self.at_line_end() {
            match self.advance() {
                Token::Word(word) if self.variables.contains(&word) => names.push(word),
                Token::Quoted(word) => names.push(word),
                Token::Mistake => return Err(Rejected),
                _ => {}
            }
        }
        let mut inner = Vec::new();
        let mut body = self.block(&mut inner)?;
        self.end()?;
        // Declared variables of the script are those of the handler too.
        body.push(Statement::Return(Some(nothing())));
        let positional = names.into_iter().map(|name| Parameter { name, default: None }).collect();
        let code = Rc::new(Function {
            id,
            name: name.clone(),
            positional,
            rest: None,
            keyword_only: Vec::new(),
            named_rest: None,
            body: Body::Block(body),
            generator: false,
            receiver: Receiver::Lexical,
            arguments: Arguments::Unnamed,
            sees_itself: true,
        });
        if &*name == "run" {
            runs.push(name.clone());
        }
        out.push(Statement::Assign(vec![Target::Name(name)], Expr::Function(code)));
        Ok(())
    }
}

/// The place that an assignment changes.
enum Assigned {
    To(Target),
    /// `set end of list to value`
    EndOf(Name),
}

fn word_follows(token: &Token, word: &str) -> bool {
    matches!(token, Token::Word(found) if &**found == word)
}

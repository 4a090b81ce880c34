//! Statements.

use super::lexer::Token;
use super::names::{last, path};
use super::targets::{copied, target};
use super::{Loop, Parsed, Php, Rejected, null, text, variable};
use crate::ir::{Bindings, Block, Constant, Expr, Handler, Name, Statement, Target, UnaryOp};

/// Most mistakes behind which the next statement is read.
const MAX_MISTAKES: u32 = 20;

impl Php<'_> {
    /// All statements. Behind a mistake, reading goes on with the next statement.
    pub(super) fn program(&mut self) -> Block {
        let mut out = Vec::new();
        let mut mistakes = 0;
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
            while !matches!(self.token, Token::End | Token::Symbol(";" | "}") | Token::Html(..)) {
                self.advance();
            }
            if !matches!(self.token, Token::Html(..)) {
                self.advance();
            }
        }
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
    fn body(&mut self, ends: &[&str]) -> Parsed<Block> {
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

    fn end(&mut self) -> Parsed<()> {
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

    fn closed(&mut self, colon: bool, word: &str) -> Parsed<()> {
        if !colon {
            return Ok(());
        }
        if self.takes_word(word) { self.end() } else { Err(Rejected) }
    }

    fn while_statement(&mut self, out: &mut Block) -> Parsed<()> {
        self.expect("(")?;
        let test = self.expression()?;
        self.expect(")")?;
        let colon = self.is(":");
        let (body, label) = self.loop_body(Loop::default(), &["endwhile"])?;
        self.closed(colon, "endwhile")?;
        out.push(labeled(label.label, while_loop(test, Vec::new(), body)));
        Ok(())
    }

    fn do_statement(&mut self, out: &mut Block) -> Parsed<()> {
        let (body, label) = self.loop_body(Loop::default(), &[])?;
        if !self.takes_word("while") {
            return Err(Rejected);
        }
        self.expect("(")?;
        let test = self.expression()?;
        self.expect(")")?;
        self.end()?;
        // Every iteration but the first begins with the test.
        let test = Expr::Unary(UnaryOp::Not, Box::new(test));
        let step = vec![Statement::Branch(vec![(Some(test), vec![Statement::Break(None)])])];
        let always = Expr::Constant(Constant::Bool(true));
        out.push(labeled(label.label, while_loop(always, step, body)));
        Ok(())
    }

    fn expressions(&mut self, end: &str) -> Parsed<Vec<Expr>> {
        let mut values = Vec::new();
        while !self.takes(end) {
            values.push(self.expression()?);
            if !self.is(end) {
                self.expect(",")?;
            }
        }
        Ok(values)
    }

    fn for_statement(&mut self, out: &mut Block) -> Parsed<()> {
        self.expect("(")?;
        let first = self.expressions(";")?;
        let mut tests = self.expressions(";")?;
        let step = self.expressions(")")?;
        let colon = self.is(":");
        let (body, label) = self.loop_body(Loop::default(), &["endfor"])?;
        self.closed(colon, "endfor")?;
        out.extend(first.into_iter().map(Statement::Expr));
        let test = match tests.len() {
            0 => Expr::Constant(Constant::Bool(true)),
            1 => tests.remove(0),
            _ => Expr::Sequence(tests),
        };
        let step = step.into_iter().map(Statement::Expr).collect();
        out.push(labeled(label.label, while_loop(test, step, body)));
        Ok(())
    }

    fn foreach_statement(&mut self, out: &mut Block) -> Parsed<()> {
        self.expect("(")?;
        let list = self.expression()?;
        if !self.takes_word("as") {
            return Err(Rejected);
        }
        let mut reference = self.takes("&");
        let mut item = self.operand()?;
        let mut key = None;
        if self.takes("=>") {
            key = Some(item);
            reference = self.takes("&");
            item = self.operand()?;
        }
        self.expect(")")?;
        let mut key = key.map(target);
        let mut write_back = None;
        if let (true, Expr::Name(name)) = (reference, &item) {
            // The item is assigned back to its place.
            let at = self.temporary();
            let place = Expr::Index(Box::new([copied(&list), Expr::Name(at.clone())]));
            write_back = Some((name.clone(), place));
            let user_key = key.take();
            let keys = Target::Name(at);
            key = Some(match user_key {
                Some(Target::Name(user)) => Target::Object(
                    vec![(Expr::Unknown, keys), (Expr::Unknown, Target::Name(user))],
                    None,
                ),
                _ => keys,
            });
        } else if reference {
            self.lowering.cut = true;
        }
        let item = target(item);
        let colon = self.is(":");
        let around = Loop { back: write_back, ..Loop::default() };
        let (mut body, around) = self.loop_body(around, &["endforeach"])?;
        self.closed(colon, "endforeach")?;
        if let Some(back) = around.back {
            body.push(assigned_back(&back.0, &back.1));
        }
        let name = if key.is_some() { "<pairs>" } else { "<items>" };
        let iterable = self.builtin(name, vec![list]);
        let target = match key {
            // Both names get the key.
            Some(Target::Object(keys, _)) => {
                let mut targets: Vec<Target> = keys.into_iter().map(|(_, target)| target).collect();
                targets.push(item);
                let Some(Target::Name(user)) = targets.get(1) else { return Err(Rejected) };
                let user = user.clone();
                let Some(Target::Name(at)) = targets.first() else { return Err(Rejected) };
                let copy = Statement::Assign(vec![Target::Name(user)], Expr::Name(at.clone()));
                body.insert(0, copy);
                targets.remove(1);
                Target::Sequence(targets, None)
            }
            Some(key) => Target::Sequence(vec![key, item], None),
            None => item,
        };
        let statement = Statement::For {
            target,
            iterable,
            body,
            otherwise: Vec::new(),
            bindings: Bindings::Shared,
        };
        out.push(labeled(around.label, statement));
        Ok(())
    }

    fn leave_statement(&mut self, goes_on: bool, out: &mut Block) -> Parsed<()> {
        let levels = match self.token {
            Token::Int(number) => {
                self.advance();
                number
            }
            _ => 1,
        };
        self.end()?;
        let place = usize::try_from(levels).ok().and_then(|n| self.loops.len().checked_sub(n));
        let Some(around) = place.and_then(|place| self.loops.get_mut(place)) else {
            // Outside of a loop.
            out.push(Statement::Return(None));
            return Ok(());
        };
        let label = (levels > 1).then(|| {
            let name = format!("<{}>", place.unwrap_or(0));
            around.label.get_or_insert_with(|| name.into()).clone()
        });
        if goes_on && !around.is_switch {
            out.extend(around.back.as_ref().map(|back| assigned_back(&back.0, &back.1)));
            out.push(Statement::Continue(label));
        } else {
            out.push(Statement::Break(label));
        }
        Ok(())
    }

    /// The body of a loop, and the loop with what its body needs.
    fn loop_body(&mut self, around: Loop, ends: &[&str]) -> Parsed<(Block, Loop)> {
        self.loops.push(around);
        let body = self.body(ends);
        let around = self.loops.pop().unwrap_or_default();
        Ok((body?, around))
    }

    fn switch_statement(&mut self, out: &mut Block) -> Parsed<()> {
        self.expect("(")?;
        let subject = self.expression()?;
        self.expect(")")?;
        let colon = self.takes(":");
        if !colon {
            self.expect("{")?;
        }
        self.takes(";");
        let mut cases = Vec::new();
        self.conditional += 1;
        self.loops.push(Loop { is_switch: true, ..Loop::default() });
        loop {
            if colon && self.is_word("endswitch") || !colon && self.is("}") {
                self.advance();
                break;
            }
            let value = if self.takes_word("default") {
                None
            } else if self.takes_word("case") {
                Some(self.expression()?)
            } else {
                return Err(Rejected);
            };
            if !self.takes(":") {
                self.expect(";")?;
            }
            let mut body = Vec::new();
            while !self.is_word("case")
                && !self.is_word("default")
                && !self.is_word("endswitch")
                && !self.is("}")
            {
                if self.token == Token::End {
                    return Err(Rejected);
                }
                self.statement(&mut body)?;
            }
            cases.push((value, body));
        }
        let label = self.loops.pop().and_then(|around| around.label);
        self.conditional -= 1;
        if colon {
            self.end()?;
        }
        out.push(labeled(label, Statement::Switch { subject, cases }));
        Ok(())
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

    fn namespace_statement(&mut self, out: &mut Block) -> Parsed<()> {
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

    fn use_statement(&mut self) -> Parsed<()> {
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

/// `place = item`, where the item was changed.
fn assigned_back(item: &str, place: &Expr) -> Statement {
    let value = variable(item.trim_start_matches('$'));
    Statement::Assign(vec![target(copied(place))], value)
}

fn while_loop(test: Expr, step: Block, body: Block) -> Statement {
    Statement::While { test, step, body, otherwise: Vec::new(), copies: Vec::new() }
}

/// A loop with a name that statements inside of it leave it by.
fn labeled(label: Option<Name>, statement: Statement) -> Statement {
    match label {
        Some(label) => Statement::Labeled(label, vec![statement]),
        None => statement,
    }
}

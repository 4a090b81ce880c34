//! Loops and switches.

use super::lexer::Token;
use super::targets::{copied, target};
use super::{Loop, Parsed, Php, Rejected, variable};
use crate::ir::{Bindings, Block, Constant, Expr, Name, Statement, Target, UnaryOp};

impl Php<'_> {
    pub(super) fn closed(&mut self, colon: bool, word: &str) -> Parsed<()> {
        if !colon {
            return Ok(());
        }
        if self.takes_word(word) { self.end() } else { Err(Rejected) }
    }

    pub(super) fn while_statement(&mut self, out: &mut Block) -> Parsed<()> {
        self.expect("(")?;
        let test = self.expression()?;
        self.expect(")")?;
        let colon = self.is(":");
        let (body, label) = self.loop_body(Loop::default(), &["endwhile"])?;
        self.closed(colon, "endwhile")?;
        out.push(labeled(label.label, while_loop(test, Vec::new(), body)));
        Ok(())
    }

    pub(super) fn do_statement(&mut self, out: &mut Block) -> Parsed<()> {
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

    pub(super) fn for_statement(&mut self, out: &mut Block) -> Parsed<()> {
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

    pub(super) fn foreach_statement(&mut self, out: &mut Block) -> Parsed<()> {
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

    pub(super) fn leave_statement(&mut self, goes_on: bool, out: &mut Block) -> Parsed<()> {
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

    pub(super) fn switch_statement(&mut self, out: &mut Block) -> Parsed<()> {
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

//! Loops.

use super::control::targets;
use super::words::{Word, target_named};
use super::{Mode, Parsed, Tcl, lists, text};
use crate::ir::{Bindings, Block, Constant, Expr, Statement, Target};

impl Tcl<'_> {
    pub(super) fn loop_command(
        &mut self,
        name: &str,
        words: &mut Vec<Word>,
        mode: &Mode,
        out: &mut Block,
    ) -> Parsed<bool> {
        if words.len() != if name == "for" { 4 } else { 2 } {
            return Ok(false);
        }
        let mut words = std::mem::take(words).into_iter();
        if name == "for"
            && let Some(start) = words.next()
        {
            out.extend(self.body_of(start, &Mode::Drop));
        }
        let test = words.next().map_or(Expr::Unknown, |test| self.condition(test));
        let mut step = Vec::new();
        if name == "for"
            && let Some(word) = words.next()
        {
            step = self.body_of(word, &Mode::Drop);
        }
        let body = words.next().map(|body| self.body_of(body, &Mode::Drop)).unwrap_or_default();
        let test = match test {
            // A loop that ends only by `break`.
            Expr::Constant(Constant::Int(number)) => Expr::Constant(Constant::Bool(number != 0)),
            other => other,
        };
        out.push(Statement::While { test, step, body, otherwise: Vec::new(), copies: Vec::new() });
        Self::give_nothing(mode, out);
        Ok(true)
    }

    pub(super) fn foreach_command(
        &mut self,
        name: &str,
        words: &mut Vec<Word>,
        mode: &Mode,
        out: &mut Block,
    ) -> Parsed<bool> {
        if words.len() < 3 || words.len().is_multiple_of(2) {
            return Ok(false);
        }
        let mut names = Vec::new();
        for word in words.iter().step_by(2).take(words.len() / 2) {
            match word.literal().and_then(lists::split) {
                Some(list) if !list.is_empty() => names.push(list),
                _ => return Ok(false),
            }
        }
        let mut words = std::mem::take(words).into_iter();
        let mut groups = Vec::new();
        for list in &names {
            words.next();
            groups.push(text(&list.len().to_string()));
            groups.push(words.next().map_or(Expr::Unknown, Word::value));
        }
        let iterable = self.call_with("<groups>", groups);
        let all: Vec<String> = names.concat();
        let target = match all.as_slice() {
            [only] => target_named(only),
            several => Target::Sequence(targets(several), None),
        };
        let collects = name == "lmap";
        let list = self.temporary();
        let item = self.temporary();
        let inner = if collects { Mode::Into(item.clone()) } else { Mode::Drop };
        if collects {
            out.push(Statement::Assign(vec![Target::Name(list.clone())], text("")));
        }
        let mut body = words.next().map(|body| self.body_of(body, &inner)).unwrap_or_default();
        if collects {
            let variable = list.strip_prefix('$').unwrap_or(&list).to_owned();
            let add = self.call_with("<add>", vec![text(&variable), Expr::Name(item)]);
            body.push(Statement::Expr(add));
        }
        out.push(Statement::For {
            target,
            iterable,
            body,
            otherwise: Vec::new(),
            bindings: Bindings::Shared,
        });
        if collects {
            Self::give(mode, Expr::Name(list), out);
        } else {
            Self::give_nothing(mode, out);
        }
        Ok(true)
    }
}

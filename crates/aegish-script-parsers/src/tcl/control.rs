//! Branches, errors and how a function ends.

use super::words::{Word, arguments, target_named, variable_named};
use super::{Mode, Parsed, Tcl, lists};
use crate::ir::{Block, Constant, Expr, Handler, Name, Statement, Target};
use std::rc::Rc;

impl Tcl<'_> {
    pub(super) fn if_command(
        &mut self,
        words: &mut Vec<Word>,
        mode: &Mode,
        out: &mut Block,
    ) -> Parsed<bool> {
        let says = |word: Option<&Word>, text: &str| word.and_then(Word::literal) == Some(text);
        // `if test ?then? body ?elseif test ?then? body? ?else? body`.
        let mut places = Vec::new();
        let mut at = 0;
        let mut last = None;
        loop {
            let test = at;
            at += 1 + usize::from(says(words.get(at + 1), "then"));
            if at >= words.len() {
                return Ok(false);
            }
            places.push((test, at));
            at += 1;
            if says(words.get(at), "elseif") {
                at += 1;
                continue;
            }
            if at < words.len() {
                at += usize::from(says(words.get(at), "else"));
                last = Some(at);
                if at + 1 != words.len() {
                    return Ok(false);
                }
            }
            break;
        }
        let mut words: Vec<Option<Word>> = std::mem::take(words).into_iter().map(Some).collect();
        self.give_through(mode, out, |this, mode, out| {
            let mut take = |place: usize| words.get_mut(place).and_then(Option::take);
            let mut branches = Vec::new();
            for (test, body) in places {
                let (Some(test), Some(body)) = (take(test), take(body)) else { continue };
                let test = this.condition(test);
                branches.push((Some(test), this.body_of(body, mode)));
            }
            let mut otherwise = Vec::new();
            match last.and_then(take) {
                Some(body) => otherwise = this.body_of(body, mode),
                None => Self::give_nothing(mode, &mut otherwise),
            }
            branches.push((None, otherwise));
            out.push(Statement::Branch(branches));
            Ok(())
        })?;
        Ok(true)
    }

    pub(super) fn catch_command(
        &mut self,
        words: &mut Vec<Word>,
        mode: &Mode,
        out: &mut Block,
    ) -> Parsed<bool> {
        let named = |place: usize| match words.get(place) {
            None => Some(None),
            Some(word) => word.literal().map(|name| Some(name.to_owned())),
        };
        let (1..=3, Some(result), Some(options)) = (words.len(), named(1), named(2)) else {
            return Ok(false);
        };
        let script = words.swap_remove(0);
        let mut handlers = vec![Handler { name: None, body: Vec::new() }];
        let inner = match &result {
            Some(name) => {
                let variable: Name = Rc::from(format!("${name}"));
                let caught = self.call_with("<caught>", vec![variable_named(name)]);
                handlers = vec![Handler {
                    name: Some(variable.clone()),
                    body: vec![Statement::Assign(vec![target_named(name)], caught)],
                }];
                Mode::Into(variable)
            }
            None => Mode::Drop,
        };
        let body = self.body_of(script, &inner);
        out.push(Statement::Try { body, handlers, otherwise: Vec::new(), finally: Vec::new() });
        if let Some(name) = options {
            let unknown = self.call_with("<caught>", vec![Expr::Unknown]);
            out.push(Statement::Assign(vec![target_named(&name)], unknown));
        }
        Self::give(mode, Expr::Constant(Constant::Number), out);
        Ok(true)
    }

    pub(super) fn try_command(
        &mut self,
        words: &mut Vec<Word>,
        mode: &Mode,
        out: &mut Block,
    ) -> Parsed<bool> {
        // Handlers: whether it is for success, its variables, its code.
        let mut handlers: Vec<(bool, Vec<String>, String)> = Vec::new();
        let mut finally = String::new();
        let literal = |place: usize| words.get(place).and_then(Word::literal);
        let mut at = 1;
        while at < words.len() {
            match literal(at) {
                Some(kind @ ("on" | "trap")) => {
                    let (Some(names), Some(code)) =
                        (literal(at + 2).and_then(lists::split), literal(at + 3))
                    else {
                        return Ok(false);
                    };
                    let ok = kind == "on" && matches!(literal(at + 1), Some("ok" | "0"));
                    handlers.push((ok, names, code.to_owned()));
                    at += 4;
                }
                Some("finally") if at + 2 == words.len() => {
                    let Some(code) = literal(at + 1) else { return Ok(false) };
                    code.clone_into(&mut finally);
                    at += 2;
                }
                _ => return Ok(false),
            }
        }
        if words.is_empty() {
            return Ok(false);
        }
        // A handler `-` has the code of the next one.
        let mut next = String::new();
        for (_, _, code) in handlers.iter_mut().rev() {
            if code == "-" {
                next.clone_into(code);
            } else {
                code.clone_into(&mut next);
            }
        }
        let script = words.swap_remove(0);
        self.give_through(mode, out, |this, mode, out| {
            let result = this.temporary();
            let succeeds = handlers.iter().any(|(ok, ..)| *ok);
            let inner = if succeeds { Mode::Into(result.clone()) } else { mode.clone() };
            let body = this.body_of(script, &inner);
            let mut caught = Vec::new();
            let mut otherwise = Vec::new();
            for (ok, names, code) in handlers {
                let mut inside = Vec::new();
                let mut names = names.iter();
                let first = names.next();
                if let Some(name) = first {
                    let variable =
                        if ok { Expr::Name(result.clone()) } else { variable_named(name) };
                    let value =
                        if ok { variable } else { this.call_with("<caught>", vec![variable]) };
                    inside.push(Statement::Assign(vec![target_named(name)], value));
                }
                for name in names {
                    let value = this.call_with("<caught>", vec![Expr::Unknown]);
                    inside.push(Statement::Assign(vec![target_named(name)], value));
                }
                inside.extend(this.body(&code, mode));
                if ok && otherwise.is_empty() {
                    otherwise = inside;
                } else if !ok {
                    let name = first.map(|name| Rc::from(format!("${name}")));
                    caught.push(Handler { name, body: inside });
                }
            }
            let finally =
                if finally.is_empty() { Vec::new() } else { this.body(&finally, &Mode::Drop) };
            out.push(Statement::Try { body, handlers: caught, otherwise, finally });
            Ok(())
        })?;
        Ok(true)
    }

    pub(super) fn return_command(
        &mut self,
        words: &mut Vec<Word>,
        mode: &Mode,
        out: &mut Block,
    ) -> Parsed<bool> {
        let mut rest = std::mem::take(words).into_iter().peekable();
        let mut options = Vec::new();
        while rest.len() > 1
            && rest.peek().and_then(Word::literal).is_some_and(|word| word.starts_with('-'))
        {
            let (Some(option), Some(value)) = (rest.next(), rest.next()) else { break };
            options.push((option.literal().unwrap_or("").to_owned(), value));
        }
        let value = rest.next().map_or_else(|| super::text(""), Word::value);
        let option = |name: &str| {
            options.iter().find(|(known, _)| known == name).and_then(|(_, value)| value.literal())
        };
        match (option("-code"), option("-level")) {
            (Some("error" | "1"), _) => {
                let raise = self.call_with("error", vec![value]);
                out.push(Statement::Expr(raise));
                out.push(Statement::Raise(None));
            }
            (None | Some("ok" | "0"), Some("0")) => {
                let kept = options.into_iter().map(|(_, value)| value);
                // The values of options may run commands.
                for argument in arguments(kept) {
                    let (crate::ir::Argument::One(value) | crate::ir::Argument::Spread(value)) =
                        argument
                    else {
                        continue;
                    };
                    out.push(Statement::Expr(value));
                }
                Self::give(mode, value, out);
            }
            (code, _) => {
                // It ends or continues the loop around the call.
                self.lowering.cut |= matches!(code, Some("break" | "continue" | "3" | "4"));
                for (_, word) in options {
                    if word.literal().is_none() {
                        out.push(Statement::Expr(word.value()));
                    }
                }
                out.push(Statement::Return(Some(value)));
            }
        }
        Ok(true)
    }
}

/// The variables of a list as targets.
pub(super) fn targets(names: &[String]) -> Vec<Target> {
    names.iter().map(|name| target_named(name)).collect()
}

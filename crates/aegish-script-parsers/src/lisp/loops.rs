//! Loops.

use super::bindings::list_of;
use super::conditions::symbols_of;
use super::reader::Datum;
use super::{Dest, Lisp, Parsed, Rejected, assign, nil, set, truth};
use crate::ir::{Bindings, Block, Expr, Item, Name, Statement, Target, UnaryOp};

impl Lisp<'_> {
    pub(super) fn loop_form(
        &mut self,
        name: &str,
        rest: &[Datum],
        dest: &Dest,
        out: &mut Block,
    ) -> Parsed<bool> {
        match (name, rest) {
            ("while" | "until", [test, body @ ..]) => {
                let test = self.value(test)?;
                let test = if name == "until" { not(test) } else { test };
                let body = self.block(body, &Dest::Ignore)?;
                out.push(repeat(test, Vec::new(), vec![Statement::Block(body)]));
                self.give_nil(dest, out);
            }
            ("while-let", [bindings, body @ ..]) => {
                let mut inner = Vec::new();
                for binding in list_of(bindings)? {
                    if let Some([Datum::Symbol(name), value]) = binding.items() {
                        let value = self.value(value)?;
                        inner.push(assign(name, value));
                        let test = not(Expr::Name(name.clone()));
                        inner.push(Statement::Branch(vec![(
                            Some(test),
                            vec![Statement::Break(None)],
                        )]));
                    }
                }
                self.forms(body, &Dest::Ignore, &mut inner)?;
                out.push(repeat(truth(true), Vec::new(), vec![Statement::Block(inner)]));
                self.give_nil(dest, out);
            }
            (
                "dolist"
                | "cl-dolist"
                | "dotimes"
                | "cl-dotimes"
                | "dolist-with-progress-reporter"
                | "dotimes-with-progress-reporter"
                | "pcase-dolist"
                | "do-symbols"
                | "do-external-symbols"
                | "do-all-symbols",
                [Datum::List(head), body @ ..],
            ) => {
                self.over_list(name, head, body, dest, out)?;
            }
            ("do" | "do*" | "cl-do" | "cl-do*", [bindings, Datum::List(end), body @ ..]) => {
                self.do_loop(name.ends_with('*'), list_of(bindings)?, end, body, dest, out)?;
            }
            ("loop" | "cl-loop", clauses) => {
                let nil = Name::from("nil");
                self.exit_block(&nil, dest, out, |this, dest, out| {
                    if clauses.iter().all(|clause| clause.items().is_some()) {
                        let body = this.block(clauses, &Dest::Ignore)?;
                        out.push(repeat(truth(true), Vec::new(), vec![Statement::Block(body)]));
                        return Ok(());
                    }
                    this.extended_loop(clauses, dest, out)
                })?;
            }
            _ if name.starts_with("for")
                && (name.len() == 3 || name == "for*" || name.contains('/')) =>
            {
                self.for_form(name, rest, dest, out)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub(super) fn give_nil(&self, dest: &Dest, out: &mut Block) {
        if !matches!(dest, Dest::Ignore) {
            Self::give(dest, nil(), out);
        }
    }

    /// `(dolist (x list) …)` and `(dotimes (i count) …)`.
    fn over_list(
        &mut self,
        word: &str,
        head: &[Datum],
        body: &[Datum],
        dest: &Dest,
        out: &mut Block,
    ) -> Parsed<()> {
        let (variable, rest) = head.split_first().ok_or(Rejected)?;
        let list = match rest.first() {
            Some(datum) if !word.starts_with("do-") => self.value(datum)?,
            _ => Expr::Unknown,
        };
        let list =
            if word.contains("dotimes") { self.inner_call("<numbers>", vec![list]) } else { list };
        let nil = Name::from("nil");
        let result = rest.get(1).filter(|_| !word.contains("reporter") && !word.starts_with("do-"));
        self.exit_block(&nil, dest, out, |this, dest, out| {
            let names = symbols_of(variable);
            let mut inner = Vec::new();
            let target = match variable {
                Datum::Symbol(name) => Target::Name(name.clone()),
                pattern => {
                    let whole = this.temporary();
                    for name in symbols_of(pattern) {
                        let part = this.inner_call("<part>", vec![Expr::Name(whole.clone())]);
                        inner.push(assign(&name, part));
                    }
                    Target::Name(whole)
                }
            };
            let before = this.shadow(&names);
            this.forms(body, &Dest::Ignore, &mut inner)?;
            this.unshadow(before);
            out.push(each(target, list, inner));
            match result {
                Some(result) => {
                    let mut inner = vec![assign(
                        &names.first().cloned().unwrap_or_else(|| Name::from("_")),
                        super::nil(),
                    )];
                    this.form(result, dest, &mut inner)?;
                    out.push(Statement::Block(inner));
                }
                None => this.give_nil(dest, out),
            }
            Ok(())
        })
    }

    /// `(do ((name first next)…) (test result…) body…)`.
    fn do_loop(
        &mut self,
        sequential: bool,
        bindings: &[Datum],
        end: &[Datum],
        body: &[Datum],
        dest: &Dest,
        out: &mut Block,
    ) -> Parsed<()> {
        let mut inner = Vec::new();
        let mut steps = Vec::new();
        let mut names = Vec::new();
        let mut values = Vec::new();
        for binding in bindings {
            let items = binding.items().ok_or(Rejected)?;
            let name = items.first().and_then(Datum::symbol).ok_or(Rejected)?.clone();
            let value = items.get(1).map_or(Ok(nil()), |value| self.value(value))?;
            if sequential {
                inner.push(assign(&name, value));
            } else {
                values.push(Item::One(value));
            }
            names.push(name);
        }
        if !sequential && !names.is_empty() {
            let targets = names.iter().cloned().map(Target::Name).collect();
            inner.push(Statement::Assign(
                vec![Target::Sequence(targets, None)],
                Expr::Tuple(values),
            ));
        }
        let before = self.shadow(&names);
        let mut targets = Vec::new();
        let mut values = Vec::new();
        for (name, binding) in names.iter().zip(bindings) {
            if let Some(next) = binding.items().and_then(|items| items.get(2)) {
                let value = self.value(next)?;
                if sequential {
                    steps.push(set(name, value));
                } else {
                    targets.push(Target::Nearest(name.clone()));
                    values.push(Item::One(value));
                }
            }
        }
        if !targets.is_empty() {
            steps.push(Statement::Assign(
                vec![Target::Sequence(targets, None)],
                Expr::Tuple(values),
            ));
        }
        let (test, result) =
            end.split_first().map_or((None, &[][..]), |(test, rest)| (Some(test), rest));
        let test = test.map_or(Ok(nil()), |test| self.value(test))?;
        let nil = Name::from("nil");
        self.exit_block(&nil, dest, &mut inner, |this, dest, out| {
            let body = this.block(body, &Dest::Ignore)?;
            out.push(repeat(not(test), steps, vec![Statement::Block(body)]));
            this.forms(result, dest, out)
        })?;
        self.unshadow(before);
        out.push(Statement::Block(inner));
        Ok(())
    }

    /// Loops of Racket: `(for ([x list] #:when test) …)`, `for/list`, `for/fold`.
    fn for_form(&mut self, word: &str, rest: &[Datum], dest: &Dest, out: &mut Block) -> Parsed<()> {
        let collected = self.temporary();
        let mut inner = Vec::new();
        let mut names = Vec::new();
        let mut rest = rest;
        let folds = word.ends_with("/fold") || word.ends_with("/lists");
        if folds {
            let (accumulators, more) = rest.split_first().ok_or(Rejected)?;
            rest = more;
            for accumulator in list_of(accumulators)? {
                match accumulator.items() {
                    Some([Datum::Symbol(name), value]) => {
                        let value = self.value(value)?;
                        inner.push(assign(name, value));
                        names.push(name.clone());
                    }
                    // `#:result` gives the value.
                    _ => return Err(Rejected),
                }
            }
        } else {
            inner.push(assign(&collected, Expr::List(Vec::new())));
        }
        let (clauses, body) = rest.split_first().ok_or(Rejected)?;
        let before = self.shadow(&names);
        let fold_names = names.clone();
        let kept = collected.clone();
        self.for_clauses(list_of(clauses)?, &mut inner, &mut |this, out| {
            let value = this.valued(|this, dest, out| this.forms(body, dest, out))?;
            match fold_names.as_slice() {
                [] if word == "for" || word == "for*" => out.push(Statement::Expr(value)),
                [] => {
                    let values = vec![Expr::Name(kept.clone()), value];
                    let added = this.inner_call("<add>", values);
                    out.push(Statement::Expr(added));
                }
                [name] => out.push(set(name, value)),
                several => {
                    let targets = several.iter().cloned().map(Target::Nearest).collect();
                    out.push(Statement::Assign(vec![Target::Sequence(targets, None)], value));
                }
            }
            Ok(())
        })?;
        self.unshadow(before);
        let value = match names.as_slice() {
            [] if word == "for" || word == "for*" => nil(),
            [] if word.ends_with("/list") || word.ends_with("/vector") => Expr::Name(collected),
            [] if word.ends_with("/string") => self.inner_call(
                "apply",
                vec![Expr::Name(super::function_name("string")), Expr::Name(collected)],
            ),
            [] => self.inner_call("<part>", vec![Expr::Name(collected)]),
            [name] => Expr::Name(name.clone()),
            several => Expr::List(
                several.iter().cloned().map(|name| Item::One(Expr::Name(name))).collect(),
            ),
        };
        Self::give(dest, value, &mut inner);
        out.push(Statement::Block(inner));
        Ok(())
    }

    /// Clauses inside of each other: those of `for` run side by side, of which this is a superset.
    fn for_clauses(
        &mut self,
        clauses: &[Datum],
        out: &mut Block,
        body: &mut dyn FnMut(&mut Self, &mut Block) -> Parsed<()>,
    ) -> Parsed<()> {
        let Some((first, rest)) = clauses.split_first() else { return body(self, out) };
        if !self.lowering.enter() {
            return Err(Rejected);
        }
        match first {
            Datum::Symbol(word) => {
                let (test, rest) = rest.split_first().ok_or(Rejected)?;
                let test = self.value(test)?;
                let test = match &**word {
                    ":when" => test,
                    ":unless" => not(test),
                    ":break" | ":final" => Expr::Unknown,
                    _ => return Err(Rejected),
                };
                let mut inner = Vec::new();
                self.for_clauses(rest, &mut inner, body)?;
                out.push(Statement::Branch(vec![(Some(test), inner)]));
            }
            binding => {
                let [variable, sequence] = binding.items().ok_or(Rejected)? else {
                    return Err(Rejected);
                };
                let list = self.value(sequence)?;
                let list = self.inner_call("<sequence>", vec![list]);
                let names = symbols_of(variable);
                let mut inner = Vec::new();
                let target = match variable {
                    Datum::Symbol(name) => Target::Name(name.clone()),
                    _ => {
                        let whole = self.temporary();
                        for name in &names {
                            let part = self.inner_call("<part>", vec![Expr::Name(whole.clone())]);
                            inner.push(assign(name, part));
                        }
                        Target::Name(whole)
                    }
                };
                let before = self.shadow(&names);
                self.for_clauses(rest, &mut inner, body)?;
                self.unshadow(before);
                out.push(each(target, list, inner));
            }
        }
        self.lowering.leave();
        Ok(())
    }
}

pub(super) fn not(value: Expr) -> Expr {
    Expr::Unary(UnaryOp::Not, Box::new(value))
}

pub(super) fn repeat(test: Expr, step: Block, body: Block) -> Statement {
    Statement::While { test, step, body, otherwise: Vec::new(), copies: Vec::new() }
}

pub(super) fn each(target: Target, iterable: Expr, body: Block) -> Statement {
    Statement::For {
        target,
        iterable,
        body,
        otherwise: Vec::new(),
        bindings: Bindings::PerIteration,
    }
}

//! Variables: binding them, setting them, and places that are set like variables.

use super::conditions::symbols_of;
use super::places::target;
use super::reader::Datum;
use super::{Dest, Lisp, Parsed, Rejected, assign, function_name, nil, set};
use crate::ir::{Argument, BinaryOp, Block, Expr, Item, Name, Statement, Target};

impl Lisp<'_> {
    /// Variables hide special forms where functions have no names of their own.
    pub(super) fn shadow(&mut self, names: &[Name]) -> usize {
        let before = self.shadowed.len();
        if !self.two_spaces() {
            self.shadowed.extend(names.iter().cloned());
        }
        before
    }

    pub(super) fn unshadow(&mut self, before: usize) {
        self.shadowed.truncate(before);
    }

    /// A name and its value in `(name value)`; a bare name has none.
    fn binding(datum: &Datum) -> Parsed<(Name, Option<&Datum>)> {
        match datum {
            Datum::Symbol(name) => Ok((name.clone(), None)),
            Datum::List(items) => match items.as_slice() {
                [Datum::Symbol(name)] => Ok((name.clone(), None)),
                [Datum::Symbol(name), value, ..] => Ok((name.clone(), Some(value))),
                _ => Err(Rejected),
            },
            _ => Err(Rejected),
        }
    }

    pub(super) fn binding_form(
        &mut self,
        name: &str,
        rest: &[Datum],
        dest: &Dest,
        out: &mut Block,
    ) -> Parsed<bool> {
        match (name, rest) {
            ("let" | "named-let", [Datum::Symbol(label), bindings, body @ ..])
                if &**label != "nil" =>
            {
                self.named_let(label, bindings, body, dest, out)?;
            }
            ("let" | "dlet" | "lexical-let", [bindings, body @ ..]) => {
                let bindings = list_of(bindings)?;
                let mut pairs = Vec::new();
                for binding in bindings {
                    let (name, value) = Self::binding(binding)?;
                    let value = value.map_or(Ok(nil()), |value| self.value(value))?;
                    pairs.push((name, value));
                }
                self.bound(pairs, dest, out, |this, dest, out| this.forms(body, dest, out))?;
            }
            ("let*" | "letrec" | "letrec*" | "lexical-let*", [bindings, body @ ..]) => {
                let bindings = list_of(bindings)?;
                self.sequential(bindings, body, dest, out)?;
            }
            (
                "if-let" | "if-let*" | "when-let" | "when-let*" | "and-let*" | "and-let",
                [bindings, body @ ..],
            ) => {
                self.conditional_let(name, bindings, body, dest, out)?;
            }
            ("let-values" | "let*-values", [bindings, body @ ..]) => {
                let mut inner = Vec::new();
                let mut names = Vec::new();
                for binding in list_of(bindings)? {
                    let [formals, value] = binding.items().ok_or(Rejected)? else {
                        return Err(Rejected);
                    };
                    let value = self.value(value)?;
                    inner.push(Statement::Assign(vec![target(formals)?], value));
                    names.extend(symbols_of(formals));
                }
                let before = self.shadow(&names);
                self.forms(body, dest, &mut inner)?;
                self.unshadow(before);
                out.push(Statement::Block(inner));
            }
            (
                "multiple-value-bind"
                | "cl-multiple-value-bind"
                | "destructuring-bind"
                | "cl-destructuring-bind"
                | "receive"
                | "pcase-let"
                | "pcase-let*"
                | "with-slots",
                [formals, value, body @ ..],
            ) => {
                self.destructured(name, formals, value, body, dest, out)?;
            }
            ("define-values", [formals, value]) => {
                let value = self.value(value)?;
                out.push(Statement::Assign(vec![target(formals)?], value));
            }
            ("fluid-let" | "parameterize" | "parameterize*", [bindings, body @ ..]) => {
                self.parameterized(name, list_of(bindings)?, body, dest, out)?;
            }
            ("cl-letf" | "cl-letf*" | "letf", [bindings, body @ ..]) => {
                // Places get other values while the body is followed.
                for binding in list_of(bindings)? {
                    if let Some([place, value]) = binding.items() {
                        self.set_place(place, value, out)?;
                    }
                }
                self.forms(body, dest, out)?;
            }
            (
                "setq" | "set!" | "setf" | "psetq" | "psetf" | "cl-psetf" | "setq-default"
                | "setq-local" | "setopt",
                pairs,
            ) => {
                for pair in pairs.chunks(2) {
                    let [place, value] = pair else { return Err(Rejected) };
                    self.set_place(place, value, out)?;
                }
                if !matches!(dest, Dest::Ignore) {
                    let value = match pairs.chunks(2).last() {
                        Some([place @ Datum::Symbol(_), _]) => self.value(place)?,
                        Some([_, value]) => self.value(value)?,
                        _ => nil(),
                    };
                    Self::give(dest, value, out);
                }
            }
            ("multiple-value-setq", [names, value]) => {
                let value = self.value(value)?;
                let targets = symbols_of(names).into_iter().rev().map(Target::Nearest).collect();
                out.push(Statement::Assign(vec![Target::Sequence(targets, None)], value));
            }
            ("incf" | "cl-incf" | "decf" | "cl-decf", [place, amount @ ..]) => {
                let op = if name.ends_with("incf") { BinaryOp::Add } else { BinaryOp::Sub };
                let old = self.value(place)?;
                let one = Expr::Constant(crate::ir::Constant::Int(1));
                let amount = amount.first().map_or(Ok(one), |amount| self.value(amount))?;
                let value = Expr::Chain(Box::new(old), vec![(op, amount)]);
                self.set_value(place, value, out)?;
                self.give_place(place, dest, out)?;
            }
            ("push" | "cl-pushnew" | "pushnew", [item, place, ..]) => {
                let values = vec![self.value(item)?, self.value(place)?];
                let value = self.inner_call("cons", values);
                self.set_value(place, value, out)?;
                self.give_place(place, dest, out)?;
            }
            ("pop", [place]) => {
                let old = self.value(place)?;
                let first = self.inner_call("car", vec![old]);
                let kept = self.temporary();
                out.push(assign(&kept, first));
                let old = self.value(place)?;
                let behind = self.inner_call("cdr", vec![old]);
                self.set_value(place, behind, out)?;
                if !matches!(dest, Dest::Ignore) {
                    Self::give(dest, Expr::Name(kept), out);
                }
            }
            ("add-to-list" | "add-to-ordered-list", [Datum::List(quoted), item, ..]) => {
                let [quote, Datum::Symbol(name)] = quoted.as_slice() else { return Ok(false) };
                if !quote.is("quote") {
                    return Ok(false);
                }
                let values = vec![self.value(item)?, Expr::Name(name.clone())];
                let value = self.inner_call("cons", values);
                out.push(set(name, value));
            }
            _ => return self.definition(name, rest, dest, out),
        }
        Ok(true)
    }

    /// Binds variables around forms. Variables with dynamic scope get their old values back.
    pub(super) fn bound(
        &mut self,
        pairs: Vec<(Name, Expr)>,
        dest: &Dest,
        out: &mut Block,
        body: impl FnOnce(&mut Self, &Dest, &mut Block) -> Parsed<()>,
    ) -> Parsed<()> {
        let names: Vec<Name> = pairs.iter().map(|(name, _)| name.clone()).collect();
        let mut inner = Vec::new();
        let mut finally = Vec::new();
        let mut lexical = Vec::new();
        let mut kept = Vec::new();
        for (name, value) in pairs {
            let temporary = self.temporary();
            inner.push(assign(&temporary, value));
            kept.push((name, temporary));
        }
        for (name, temporary) in kept {
            let dynamic = self.dynamic.contains(&name);
            let maybe = self.is_emacs() && self.assigned.contains(&name);
            if dynamic || maybe {
                let old = self.temporary();
                inner.push(assign(&old, Expr::Name(name.clone())));
                let change = self.set_variable(&name, Expr::Name(temporary.clone()));
                if dynamic {
                    inner.push(change);
                    finally.push(self.set_variable(&name, Expr::Name(old)));
                    continue;
                }
                // Without lexical binding, functions that are called see the new value too.
                inner.push(Statement::Branch(vec![(Some(Expr::Unknown), vec![change])]));
                finally.push(self.set_variable(&name, Expr::Name(old)));
            }
            lexical.push(assign(&name, Expr::Name(temporary)));
        }
        let before = self.shadow(&names);
        if finally.is_empty() {
            inner.append(&mut lexical);
            body(self, dest, &mut inner)?;
        } else {
            // The variables of the program are not seen inside, so that they can be set back behind it.
            body(self, dest, &mut lexical)?;
            inner.push(Statement::Try {
                body: vec![Statement::Block(lexical)],
                handlers: Vec::new(),
                otherwise: Vec::new(),
                finally,
            });
        }
        self.unshadow(before);
        out.push(Statement::Block(inner));
        Ok(())
    }

    /// `let*` and `letrec`: each value sees the variables before it.
    fn sequential(
        &mut self,
        bindings: &[Datum],
        body: &[Datum],
        dest: &Dest,
        out: &mut Block,
    ) -> Parsed<()> {
        let dynamic = bindings.iter().any(|binding| {
            Self::binding(binding).is_ok_and(|(name, _)| {
                self.dynamic.contains(&name) || self.is_emacs() && self.assigned.contains(&name)
            })
        });
        if dynamic && let Some((first, rest)) = bindings.split_first() {
            let (name, value) = Self::binding(first)?;
            let value = value.map_or(Ok(nil()), |value| self.value(value))?;
            if !self.lowering.enter() {
                return Err(Rejected);
            }
            self.bound(vec![(name, value)], dest, out, |this, dest, out| {
                this.sequential(rest, body, dest, out)
            })?;
            self.lowering.leave();
            return Ok(());
        }
        let mut inner = Vec::new();
        let before = self.shadowed.len();
        for binding in bindings {
            let (name, value) = Self::binding(binding)?;
            let value = value.map_or(Ok(nil()), |value| self.value(value))?;
            self.shadow(std::slice::from_ref(&name));
            inner.push(assign(&name, value));
        }
        self.forms(body, dest, &mut inner)?;
        self.unshadow(before);
        out.push(Statement::Block(inner));
        Ok(())
    }

    fn conditional_let(
        &mut self,
        word: &str,
        bindings: &Datum,
        body: &[Datum],
        dest: &Dest,
        out: &mut Block,
    ) -> Parsed<()> {
        let single = bindings.items().is_some_and(|items| matches!(items, [Datum::Symbol(_), _]));
        let bindings = if single { std::slice::from_ref(bindings) } else { list_of(bindings)? };
        let (yes, no) = match word {
            "if-let" | "if-let*" => body
                .split_first()
                .map_or((body, body), |(_, no)| (body.get(..1).unwrap_or(&[]), no)),
            _ => (body, &[][..]),
        };
        let mut inner = Vec::new();
        let mut tests = Vec::new();
        for binding in bindings {
            let (name, value) = match Self::binding(binding) {
                Ok((name, Some(value))) => (Some(name), value),
                Ok((name, None)) => {
                    tests.push(Expr::Name(name));
                    continue;
                }
                Err(_) => (None, binding.items().and_then(<[_]>::first).ok_or(Rejected)?),
            };
            let value = self.value(value)?;
            match name {
                Some(name) => {
                    tests.push(Expr::Assign(Box::new((Target::Name(name), value))));
                }
                None => tests.push(value),
            }
        }
        let yes = self.block(yes, dest)?;
        let no = self.block(no, dest)?;
        let test = match tests.len() {
            0 => super::truth(true),
            1 => tests.pop().unwrap_or_else(nil),
            _ => Expr::Logic(crate::ir::LogicOp::And, tests),
        };
        inner.push(Statement::Branch(vec![(Some(test), yes), (None, no)]));
        out.push(Statement::Block(inner));
        Ok(())
    }

    fn destructured(
        &mut self,
        word: &str,
        formals: &Datum,
        value: &Datum,
        body: &[Datum],
        dest: &Dest,
        out: &mut Block,
    ) -> Parsed<()> {
        let mut inner = Vec::new();
        let names = symbols_of(formals);
        if word.starts_with("pcase-let") {
            // `(pcase-let ((pattern value)…) body)`.
            let body_of = |value: &Datum| {
                std::iter::once(value.clone()).chain(body.iter().cloned()).collect::<Vec<_>>()
            };
            for binding in list_of(formals)? {
                let value = self.value(binding.items().and_then(|b| b.get(1)).ok_or(Rejected)?)?;
                let part = self.inner_call("<part>", vec![value]);
                let kept = self.temporary();
                inner.push(assign(&kept, part));
                for name in
                    binding.items().and_then(<[_]>::first).map(symbols_of).unwrap_or_default()
                {
                    inner.push(assign(&name, Expr::Name(kept.clone())));
                }
            }
            let body = body_of(value);
            self.forms(&body, dest, &mut inner)?;
            out.push(Statement::Block(inner));
            return Ok(());
        }
        let value = self.value(value)?;
        if word == "with-slots" {
            let kept = self.temporary();
            let part = self.inner_call("<part>", vec![value]);
            inner.push(assign(&kept, part));
            inner.extend(names.iter().map(|name| assign(name, Expr::Name(kept.clone()))));
        } else {
            inner.push(Statement::Assign(vec![target(formals)?], value));
        }
        let before = self.shadow(&names);
        self.forms(body, dest, &mut inner)?;
        self.unshadow(before);
        out.push(Statement::Block(inner));
        Ok(())
    }

    /// `parameterize` calls what it binds with the new value, and with the old one at the end.
    fn parameterized(
        &mut self,
        word: &str,
        bindings: &[Datum],
        body: &[Datum],
        dest: &Dest,
        out: &mut Block,
    ) -> Parsed<()> {
        let mut inner = Vec::new();
        let mut finally = Vec::new();
        for binding in bindings {
            let [place, value] = binding.items().ok_or(Rejected)? else { return Err(Rejected) };
            let value = self.value(value)?;
            let old = self.temporary();
            if word == "fluid-let" {
                let name = place.symbol().ok_or(Rejected)?;
                inner.push(assign(&old, Expr::Name(name.clone())));
                inner.push(set(name, value));
                finally.push(set(name, Expr::Name(old)));
            } else {
                let get = self.call(place, &[])?;
                inner.push(assign(&old, get));
                let function = match place {
                    Datum::Symbol(name) => self.callee(name),
                    other => self.value(other)?,
                };
                let call = self.call_of(function, vec![Argument::One(value)]);
                inner.push(Statement::Expr(call));
                let function = match place {
                    Datum::Symbol(name) => self.callee(name),
                    other => self.value(other)?,
                };
                let call = self.call_of(function, vec![Argument::One(Expr::Name(old))]);
                finally.push(Statement::Expr(call));
            }
        }
        let tried = self.block(body, dest)?;
        inner.push(Statement::Try {
            body: tried,
            handlers: Vec::new(),
            otherwise: Vec::new(),
            finally,
        });
        out.push(Statement::Block(inner));
        Ok(())
    }

    /// `(let loop ((i 0)) …)`: a function that is called at once.
    fn named_let(
        &mut self,
        label: &Name,
        bindings: &Datum,
        body: &[Datum],
        dest: &Dest,
        out: &mut Block,
    ) -> Parsed<()> {
        let mut names = Vec::new();
        let mut values = Vec::new();
        for binding in list_of(bindings)? {
            let (name, value) = Self::binding(binding)?;
            names.push(Datum::Symbol(name));
            values.push(Argument::One(value.map_or(Ok(nil()), |value| self.value(value))?));
        }
        let before = self.shadow(std::slice::from_ref(label));
        let code = self.function(label, &Datum::List(names), body)?;
        self.unshadow(before);
        let variable = if self.two_spaces() { function_name(label) } else { label.clone() };
        let mut inner = vec![assign(&variable, Expr::Function(code))];
        let call = self.call_of(Expr::Name(variable), values);
        Self::give(dest, call, &mut inner);
        out.push(Statement::Block(inner));
        Ok(())
    }

    /// `case-lambda`: any of its clauses may be the one that is called.
    pub(super) fn case_lambda(&mut self, clauses: &[Datum]) -> Parsed<Expr> {
        let mut items = Vec::new();
        for clause in clauses {
            let (parameters, body) =
                clause.items().and_then(|c| c.split_first()).ok_or(Rejected)?;
            let code = self.function("case-lambda", parameters, body)?;
            items.push(Item::One(Expr::Function(code)));
        }
        Ok(self.inner_call("<one-of>", vec![Expr::List(items)]))
    }
}

/// The items of a list of bindings.
pub(super) fn list_of(datum: &Datum) -> Parsed<&[Datum]> {
    match datum {
        Datum::List(items) => Ok(items),
        Datum::Symbol(name) if &**name == "nil" => Ok(&[]),
        _ => Err(Rejected),
    }
}

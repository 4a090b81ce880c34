//! Branches with several cases, errors, and other ways to leave a form.

use super::reader::Datum;
use super::{Dest, Exit, Lisp, Parsed, Rejected, assign, nil, set};
use crate::ir::{Argument, Block, Expr, Handler, Name, Statement, Target};

type Branches = Vec<(Option<Expr>, Block)>;

impl Lisp<'_> {
    fn is_otherwise(datum: &Datum) -> bool {
        datum.is("else") || datum.is("t") || datum.is("otherwise") || *datum == Datum::Bool(true)
    }

    /// Ends branches with one for the rest.
    fn branch(&mut self, mut branches: Branches, dest: &Dest, out: &mut Block) {
        let ends = branches.last().is_some_and(|(test, _)| test.is_none());
        if !ends && !matches!(dest, Dest::Ignore) {
            let mut last = Vec::new();
            Self::give(dest, nil(), &mut last);
            branches.push((None, last));
        }
        out.push(Statement::Branch(branches));
    }

    pub(super) fn cond(&mut self, clauses: &[Datum], dest: &Dest, out: &mut Block) -> Parsed<()> {
        let mut branches = Vec::new();
        for clause in clauses {
            let (test, body) = clause.items().and_then(|c| c.split_first()).ok_or(Rejected)?;
            if Self::is_otherwise(test) {
                branches.push((None, self.block(body, dest)?));
                break;
            }
            let value = self.value(test)?;
            branches.push(match body {
                [] => {
                    let kept = self.temporary();
                    let mut given = Vec::new();
                    Self::give(dest, Expr::Name(kept.clone()), &mut given);
                    (Some(kept_value(&kept, value)), given)
                }
                [arrow, function] if arrow.is("=>") => {
                    let kept = self.temporary();
                    let function = self.value(function)?;
                    let call =
                        self.call_of(function, vec![Argument::One(Expr::Name(kept.clone()))]);
                    let mut given = Vec::new();
                    Self::give(dest, call, &mut given);
                    (Some(kept_value(&kept, value)), given)
                }
                body => (Some(value), self.block(body, dest)?),
            });
        }
        self.branch(branches, dest, out);
        Ok(())
    }

    pub(super) fn case(
        &mut self,
        subject: &Datum,
        clauses: &[Datum],
        dest: &Dest,
        out: &mut Block,
    ) -> Parsed<()> {
        let kept = self.temporary();
        let subject = self.value(subject)?;
        out.push(assign(&kept, subject));
        let mut branches = Vec::new();
        for clause in clauses {
            let (test, body) = clause.items().and_then(|c| c.split_first()).ok_or(Rejected)?;
            let body = match body {
                [arrow, function] if arrow.is("=>") => {
                    let function = self.value(function)?;
                    let call =
                        self.call_of(function, vec![Argument::One(Expr::Name(kept.clone()))]);
                    let mut given = Vec::new();
                    Self::give(dest, call, &mut given);
                    given
                }
                body => self.block(body, dest)?,
            };
            if Self::is_otherwise(test) {
                branches.push((None, body));
                break;
            }
            let keys = match test {
                Datum::List(_) => self.quoted(test)?,
                other => self.quoted(&Datum::List(vec![other.clone()]))?,
            };
            let test = self.inner_call("<among>", vec![Expr::Name(kept.clone()), keys]);
            branches.push((Some(test), body));
        }
        self.branch(branches, dest, out);
        Ok(())
    }

    /// Clauses of which any may be taken.
    pub(super) fn any_clause(
        &mut self,
        clauses: &[Datum],
        dest: &Dest,
        out: &mut Block,
    ) -> Parsed<()> {
        let mut branches = Vec::new();
        for clause in clauses {
            let (_, body) = clause.items().and_then(|c| c.split_first()).ok_or(Rejected)?;
            branches.push((Some(Expr::Unknown), self.block(body, dest)?));
        }
        self.branch(branches, dest, out);
        Ok(())
    }

    /// `pcase` and `match`.
    pub(super) fn pattern_case(
        &mut self,
        subject: &Datum,
        clauses: &[Datum],
        dest: &Dest,
        out: &mut Block,
    ) -> Parsed<()> {
        let kept = self.temporary();
        let subject = self.value(subject)?;
        out.push(assign(&kept, subject));
        let mut branches = Vec::new();
        for clause in clauses {
            let (pattern, body) = clause.items().and_then(|c| c.split_first()).ok_or(Rejected)?;
            let mut inner = Vec::new();
            let test = self.pattern(pattern, &kept, &mut inner)?;
            let names = pattern_names(pattern);
            let shadowed = self.shadow(&names);
            self.forms(body, dest, &mut inner)?;
            self.unshadow(shadowed);
            let last = test.is_none();
            branches.push((test, vec![Statement::Block(inner)]));
            if last {
                break;
            }
        }
        self.branch(branches, dest, out);
        Ok(())
    }

    /// The test of a pattern; none if it always matches. Names in it are bound.
    fn pattern(&mut self, pattern: &Datum, kept: &Name, out: &mut Block) -> Parsed<Option<Expr>> {
        let subject = Expr::Name(kept.clone());
        Ok(match pattern {
            Datum::Symbol(name) if matches!(&**name, "_" | "else") => None,
            Datum::Symbol(name) if name.starts_with(':') || matches!(&**name, "nil" | "t") => {
                let keys = self.quoted(&Datum::List(vec![pattern.clone()]))?;
                Some(self.inner_call("<among>", vec![subject, keys]))
            }
            Datum::Symbol(name) => {
                out.push(assign(name, subject));
                None
            }
            Datum::List(items) => match items.as_slice() {
                [quote, datum] if quote.is("quote") => {
                    let keys = self.quoted(&Datum::List(vec![datum.clone()]))?;
                    Some(self.inner_call("<among>", vec![subject, keys]))
                }
                _ => {
                    for name in pattern_names(pattern) {
                        let part = self.inner_call("<part>", vec![Expr::Name(kept.clone())]);
                        out.push(assign(&name, part));
                    }
                    // Predicates and functions in a pattern are called.
                    self.pattern_calls(pattern, kept, out)?;
                    Some(Expr::Unknown)
                }
            },
            other => {
                let keys = self.quoted(&Datum::List(vec![other.clone()]))?;
                Some(self.inner_call("<among>", vec![subject, keys]))
            }
        })
    }

    /// `(pred f)`, `(app f p)`, `(guard e)`, `(? f p)`.
    fn pattern_calls(&mut self, pattern: &Datum, kept: &Name, out: &mut Block) -> Parsed<()> {
        let Some((word, rest)) = pattern.head() else { return Ok(()) };
        match (&**word, rest) {
            ("guard" | "when" | "=>", [test, ..]) => self.form(test, &Dest::Ignore, out)?,
            ("pred" | "app" | "?" | "not", [function, more @ ..]) => {
                let function = match function {
                    Datum::Symbol(name) => self.callee(name),
                    other => self.value(other)?,
                };
                let part = self.inner_call("<part>", vec![Expr::Name(kept.clone())]);
                let call = self.call_of(function, vec![Argument::One(part)]);
                out.push(Statement::Expr(call));
                for item in more {
                    self.pattern_calls(item, kept, out)?;
                }
            }
            (_, rest) => {
                for item in rest {
                    self.pattern_calls(item, kept, out)?;
                }
            }
        }
        Ok(())
    }

    /// Forms with handlers of errors, and forms that leave others.
    pub(super) fn condition_form(
        &mut self,
        name: &str,
        rest: &[Datum],
        dest: &Dest,
        out: &mut Block,
    ) -> Parsed<bool> {
        match (name, rest) {
            ("condition-case" | "condition-case-unless-debug", [variable, body, handlers @ ..]) => {
                let body = self.block(std::slice::from_ref(body), dest)?;
                let error = variable.symbol().filter(|name| &***name != "nil").cloned();
                let mut all = Vec::new();
                for handler in handlers {
                    let (_, forms) =
                        handler.items().and_then(|h| h.split_first()).ok_or(Rejected)?;
                    all.push(Handler { name: error.clone(), body: self.block(forms, dest)? });
                }
                out.push(attempt(body, all));
            }
            ("handler-case" | "restart-case", [body, handlers @ ..]) => {
                let body = self.block(std::slice::from_ref(body), dest)?;
                let mut all = Vec::new();
                for handler in handlers {
                    let (_, parts) =
                        handler.items().and_then(|h| h.split_first()).ok_or(Rejected)?;
                    let (names, forms) = parts.split_first().ok_or(Rejected)?;
                    let names = symbols_of(names);
                    let body = self.block(forms, dest)?;
                    all.push(Handler { name: names.into_iter().next(), body });
                }
                out.push(attempt(body, all));
            }
            ("handler-bind", [Datum::List(handlers), body @ ..]) => {
                for handler in handlers {
                    let function = handler.items().and_then(|h| h.get(1)).ok_or(Rejected)?;
                    let function = self.value(function)?;
                    let call = self.inner_call("<maybe-call>", vec![function, Expr::Unknown]);
                    out.push(Statement::Expr(call));
                }
                self.forms(body, dest, out)?;
            }
            ("ignore-errors" | "with-demoted-errors" | "ignore-error", body) => {
                let skipped = usize::from(
                    name == "ignore-error"
                        || name == "with-demoted-errors"
                            && matches!(body.first(), Some(Datum::Text(_))),
                );
                let body = self.block(body.get(skipped..).unwrap_or(&[]), dest)?;
                let caught = self.block(&[], dest)?;
                out.push(attempt(body, vec![Handler { name: None, body: caught }]));
            }
            ("unwind-protect", [body, cleanup @ ..]) => {
                let kept = self.temporary();
                out.push(assign(&kept, nil()));
                let body = self.block(std::slice::from_ref(body), &Dest::Into(kept.clone()))?;
                let finally = self.block(cleanup, &Dest::Ignore)?;
                out.push(Statement::Try {
                    body,
                    handlers: Vec::new(),
                    otherwise: Vec::new(),
                    finally,
                });
                Self::give(dest, Expr::Name(kept), out);
            }
            ("catch", [tag, body @ ..]) if self.two_spaces() => {
                self.form(tag, &Dest::Ignore, out)?;
                self.caught(body, dest, out)?;
            }
            ("catch", _) => {
                // A function of Guile.
                let values: Parsed<Vec<Expr>> =
                    rest.iter().map(|datum| self.value(datum)).collect();
                let call = self.inner_call("catch", values?);
                Self::give(dest, call, out);
            }
            ("throw", [tag, rest @ ..]) => {
                self.form(tag, &Dest::Ignore, out)?;
                let mut value = nil();
                for datum in rest {
                    let one = self.value(datum)?;
                    value = if matches!(value, Expr::Constant(_)) {
                        one
                    } else {
                        Expr::Logic(crate::ir::LogicOp::Or, vec![Expr::Unknown, value, one])
                    };
                }
                out.push(Statement::Raise(Some(value)));
            }
            ("guard", [Datum::List(parts), body @ ..]) => {
                let (error, clauses) = parts.split_first().ok_or(Rejected)?;
                let body = self.block(body, dest)?;
                let mut caught = Vec::new();
                self.cond(clauses, dest, &mut caught)?;
                let name = error.symbol().cloned();
                out.push(attempt(body, vec![Handler { name, body: caught }]));
            }
            ("with-handlers", [Datum::List(handlers), body @ ..]) => {
                let body = self.block(body, dest)?;
                let mut all = Vec::new();
                for handler in handlers {
                    let function = handler.items().and_then(|h| h.get(1)).ok_or(Rejected)?;
                    let error = self.temporary();
                    let function = self.value(function)?;
                    let call =
                        self.call_of(function, vec![Argument::One(Expr::Name(error.clone()))]);
                    let mut body = Vec::new();
                    Self::give(dest, call, &mut body);
                    all.push(Handler { name: Some(error), body });
                }
                out.push(attempt(body, all));
            }
            ("block" | "cl-block", [label, body @ ..]) => {
                let label = label.symbol().cloned().unwrap_or_else(|| Name::from("nil"));
                self.exit_block(&label, dest, out, |this, dest, out| this.forms(body, dest, out))?;
            }
            ("let/cc" | "let/ec", [Datum::Symbol(exit), body @ ..]) => {
                let parameters = Datum::List(vec![Datum::Symbol(exit.clone())]);
                let code = self.function("let/cc", &parameters, body)?;
                let call = self.inner_call("call/cc", vec![Expr::Function(code)]);
                Self::give(dest, call, out);
            }
            ("return" | "cl-return", values) => {
                self.leave(&Name::from("nil"), values.first(), out)?;
            }
            ("return-from" | "cl-return-from", [label, values @ ..]) => {
                let label = label.symbol().cloned().ok_or(Rejected)?;
                self.leave(&label, values.first(), out)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Forms whose value may be thrown.
    fn caught(&mut self, body: &[Datum], dest: &Dest, out: &mut Block) -> Parsed<()> {
        let body = self.block(body, dest)?;
        let thrown = self.temporary();
        let mut caught = Vec::new();
        Self::give(dest, Expr::Name(thrown.clone()), &mut caught);
        out.push(attempt(body, vec![Handler { name: Some(thrown), body: caught }]));
        Ok(())
    }

    /// Statements that `return-from` may leave with a value.
    pub(super) fn exit_block(
        &mut self,
        name: &Name,
        dest: &Dest,
        out: &mut Block,
        lower: impl FnOnce(&mut Self, &Dest, &mut Block) -> Parsed<()>,
    ) -> Parsed<()> {
        let label = self.temporary();
        // A value that is returned from a loop leaves the function at once.
        self.exits.push(Exit {
            name: name.clone(),
            label: label.clone(),
            dest: dest.clone(),
            functions: self.functions,
        });
        let mut body = Vec::new();
        lower(self, dest, &mut body)?;
        self.exits.pop();
        out.push(Statement::Labeled(label, body));
        Ok(())
    }

    fn leave(&mut self, name: &Name, value: Option<&Datum>, out: &mut Block) -> Parsed<()> {
        let value = value.map_or(Ok(nil()), |datum| self.value(datum))?;
        let functions = self.functions;
        let exit = self.exits.iter().rev().find(|exit| exit.name == *name);
        match exit.map(|exit| (exit.label.clone(), exit.dest.clone(), exit.functions)) {
            Some((label, dest, around)) if around == functions => {
                Self::give(&dest, value, out);
                out.push(Statement::Break(Some(label)));
            }
            Some((_, Dest::Into(into), _)) => {
                // From inside of another function: what follows here may be left out.
                let assigned = vec![set(&into, value)];
                out.push(Statement::Branch(vec![(Some(Expr::Unknown), assigned)]));
            }
            // The value of a function that calls this one is not followed.
            Some(_) => {
                out.push(Statement::Expr(value));
                self.lowering.cut = true;
            }
            None => out.push(Statement::Return(Some(value))),
        }
        Ok(())
    }
}

fn attempt(body: Block, handlers: Vec<Handler>) -> Statement {
    Statement::Try { body, handlers, otherwise: Vec::new(), finally: Vec::new() }
}

fn kept_value(name: &Name, value: Expr) -> Expr {
    Expr::Assign(Box::new((Target::Name(name.clone()), value)))
}

/// The symbols in a pattern or a list of parameters.
pub(super) fn symbols_of(datum: &Datum) -> Vec<Name> {
    let mut names = Vec::new();
    let mut left = vec![datum];
    while let Some(datum) = left.pop() {
        match datum {
            Datum::Symbol(name)
                if !name.starts_with([':', '&', '_'])
                    && !matches!(&**name, "nil" | "t" | "...") =>
            {
                names.push(name.clone());
            }
            Datum::List(items) | Datum::Vector(items) => left.extend(items),
            Datum::Dotted(items, last) => {
                left.extend(items);
                left.push(last);
            }
            _ => {}
        }
    }
    names
}

/// Words that start a pattern.
const PATTERNS: &[&str] = &[
    "quote",
    "list",
    "list*",
    "list-rest",
    "cons",
    "vector",
    "pred",
    "app",
    "guard",
    "and",
    "or",
    "?",
    "not",
    "seq",
    "map",
    "rx",
    "regexp",
    "pregexp",
    "struct",
    "quasiquote",
    "unquote",
    "unquote-splicing",
    "let",
    "cl-type",
    "box",
    "hash-table",
    "=",
    "$",
    "string",
    "number",
];

/// The names that a pattern binds. Too many are no harm.
fn pattern_names(pattern: &Datum) -> Vec<Name> {
    let mut names = Vec::new();
    let mut left = vec![pattern];
    while let Some(datum) = left.pop() {
        match (datum, datum.head()) {
            (_, Some((word, _))) if &**word == "quote" => {}
            (_, Some((word, [_, rest @ ..]))) if matches!(&**word, "pred" | "app" | "?") => {
                left.extend(rest);
            }
            (_, Some((word, rest))) if PATTERNS.contains(&&**word) => left.extend(rest),
            (Datum::List(items) | Datum::Vector(items), _) => left.extend(items),
            (Datum::Dotted(items, last), _) => {
                left.extend(items);
                left.push(last);
            }
            (other, _) => names.extend(symbols_of(other)),
        }
    }
    names
}

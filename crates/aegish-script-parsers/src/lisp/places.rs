//! Places that are set like variables, and what lists of names are assigned to.

use super::reader::Datum;
use super::{Dest, Lisp, Parsed, Rejected, set, symbol_value};
use crate::ir::{Block, Expr, Name, Statement, Target};

impl Lisp<'_> {
    pub(super) fn set_place(
        &mut self,
        place: &Datum,
        value: &Datum,
        out: &mut Block,
    ) -> Parsed<()> {
        let value = self.value(value)?;
        self.set_value(place, value, out)
    }

    pub(super) fn give_place(&mut self, place: &Datum, dest: &Dest, out: &mut Block) -> Parsed<()> {
        if !matches!(dest, Dest::Ignore) {
            let value = self.value(place)?;
            Self::give(dest, value, out);
        }
        Ok(())
    }

    /// Sets a variable; the interpreter follows some of them.
    pub(super) fn set_variable(&mut self, name: &Name, value: Expr) -> Statement {
        if self.dynamic.contains(name) {
            let value = self.inner_call("<variable>", vec![symbol_value(name), value]);
            return set(name, value);
        }
        set(name, value)
    }

    /// Sets a variable or another place.
    pub(super) fn set_value(&mut self, place: &Datum, value: Expr, out: &mut Block) -> Parsed<()> {
        let statement = match place {
            Datum::Symbol(name) => self.set_variable(name, value),
            Datum::List(items) => {
                let (first, rest) = items.split_first().ok_or(Rejected)?;
                let word = first.symbol().ok_or(Rejected)?.clone();
                // `(setf (symbol-function 'f) …)`, `(setf (uiop:getenv "X") …)`, `(setf (car x) …)`.
                let mut values = vec![super::text(&word)];
                for datum in rest {
                    values.push(self.value(datum)?);
                }
                values.push(value);
                Statement::Expr(self.inner_call("<set-place>", values))
            }
            _ => return Err(Rejected),
        };
        out.push(statement);
        Ok(())
    }
}

/// What a list of names is assigned to.
pub(super) fn target(formals: &Datum) -> Parsed<Target> {
    Ok(match formals {
        Datum::Symbol(name) => match &**name {
            "_" | "nil" => Target::Ignore,
            _ => Target::Name(name.clone()),
        },
        Datum::List(items) => {
            let mut targets = Vec::new();
            let mut star = None;
            for item in items {
                if item.is("&rest") || item.is("&body") || item.is("#:rest") {
                    star = Some(targets.len());
                } else if item.symbol().is_none_or(|name| !name.starts_with('&')) {
                    let item = match item.items() {
                        // `(name default)` of an optional part.
                        Some([one, ..])
                            if targets.len() + 1 < items.len() && one.symbol().is_some() =>
                        {
                            item
                        }
                        _ => item,
                    };
                    targets.push(target(item)?);
                }
            }
            Target::Sequence(targets, star)
        }
        Datum::Dotted(items, last) => {
            let mut targets = Vec::new();
            for item in items {
                targets.push(target(item)?);
            }
            let star = Some(targets.len());
            targets.push(target(last)?);
            Target::Sequence(targets, star)
        }
        Datum::Text(_) | Datum::Int(_) | Datum::Number | Datum::Bool(_) => Target::Ignore,
        Datum::Vector(items) => target(&Datum::List(items.clone()))?,
    })
}

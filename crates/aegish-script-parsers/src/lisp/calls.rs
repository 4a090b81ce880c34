//! Calls, and calls of macros that the text defines.

use super::reader::Datum;
use super::{Lisp, Parsed};
use crate::ir::{Argument, Expr, Name};

impl Lisp<'_> {
    /// A call of what stands first in a list.
    pub(super) fn call(&mut self, first: &Datum, rest: &[Datum]) -> Parsed<Expr> {
        let function = match first {
            Datum::Symbol(name) => {
                if let Some(computed) = self.macros.get(name).copied()
                    && !self.shadowed.contains(name)
                {
                    return self.macro_call(&name.clone(), computed, rest);
                }
                self.callee(name)
            }
            other => self.value(other)?,
        };
        let mut arguments = Vec::with_capacity(rest.len());
        for datum in rest {
            arguments.push(Argument::One(self.value(datum)?));
        }
        Ok(self.call_of(function, arguments))
    }

    /// The function that a name stands for at the head of a call.
    pub(super) fn callee(&self, name: &Name) -> Expr {
        let mark = if self.common { "((" } else { "(" };
        Expr::Name(Name::from(format!("{mark}{}", self.unprefixed(name))))
    }

    /// The macro gets the forms as data, and its result is code.
    fn macro_call(&mut self, name: &Name, computed: bool, rest: &[Datum]) -> Parsed<Expr> {
        if !computed {
            // The expansion is not followed, the forms are.
            let mut values = vec![self.inner_call("<open>", Vec::new())];
            for datum in rest {
                values.push(self.value(datum)?);
            }
            return Ok(Expr::Sequence(values));
        }
        let function = Expr::Name(super::function_name(name));
        let mut arguments = Vec::new();
        for datum in rest {
            arguments.push(Argument::One(self.quoted(datum)?));
        }
        let expansion = self.call_of(function, arguments);
        Ok(self.inner_call("<expand>", vec![expansion]))
    }
}

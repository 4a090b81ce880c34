//! Modules: what a text imports, and under which names.

use super::reader::Datum;
use super::{Dest, Lisp, Parsed, assign, function_name};
use crate::ir::{Block, Expr, Name, Statement};

impl Lisp<'_> {
    pub(super) fn module_form(
        &mut self,
        name: &str,
        rest: &[Datum],
        dest: &Dest,
        out: &mut Block,
    ) -> Parsed<bool> {
        match (name, rest) {
            ("require", _) if self.is_emacs() => {
                let mut values = Vec::new();
                for datum in rest {
                    values.push(self.value(datum)?);
                }
                let call = self.inner_call("require", values);
                Self::give(dest, call, out);
            }
            ("require" | "use-modules" | "import" | "define-module", specs) => {
                for spec in specs {
                    self.import(spec, out)?;
                }
                // `(require "file.rkt")` and `(require 'module)` run a file.
                for spec in specs {
                    if let Datum::Text(_) = spec {
                        let path = self.value(spec)?;
                        let call = self.inner_call("load", vec![path]);
                        out.push(Statement::Expr(call));
                    }
                }
                self.give_nil(dest, out);
            }
            ("module" | "module*", [_, _, body @ ..]) => self.forms(body, dest, out)?,
            ("module+", [_, body @ ..]) => self.forms(body, dest, out)?,
            ("define-library" | "library", [_, parts @ ..]) => {
                for part in parts {
                    self.form(part, &Dest::Ignore, out)?;
                }
                self.give_nil(dest, out);
            }
            ("use-package" | "use-package!", [_, rest @ ..]) if self.is_emacs() => {
                // Behind `:config` and `:init` stand forms.
                for datum in rest.iter().filter(|datum| datum.items().is_some()) {
                    if datum.head().is_some() {
                        self.form(datum, &Dest::Ignore, out)?;
                    }
                }
                self.give_nil(dest, out);
            }
            ("use-package" | "use-package!", _) => self.give_nil(dest, out),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Names that an import gives to what it imports.
    fn import(&mut self, spec: &Datum, out: &mut Block) -> Parsed<()> {
        let mut left = vec![spec];
        while let Some(spec) = left.pop() {
            let Datum::List(items) = spec else { continue };
            match items.as_slice() {
                [word, Datum::Symbol(prefix), inner] if word.is("prefix-in") => {
                    self.prefixes.push(prefix.clone());
                    left.push(inner);
                }
                [word, inner, Datum::Symbol(prefix)] if word.is("prefix") => {
                    self.prefixes.push(prefix.clone());
                    left.push(inner);
                }
                items => {
                    for (at, item) in items.iter().enumerate() {
                        if item.is(":prefix") {
                            let prefix = items.get(at + 1).and_then(Datum::symbol);
                            self.prefixes.extend(prefix.cloned());
                        }
                        if item.is(":renamer") {
                            self.lowering.cut = true;
                        }
                        self.renamed(item, out);
                        if item.items().is_some() {
                            left.push(item);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// `[old new]` and `(old . new)`.
    fn renamed(&mut self, item: &Datum, out: &mut Block) {
        let pair: Option<(&Name, &Name)> = match item {
            Datum::List(items) => match items.as_slice() {
                [Datum::Symbol(old), Datum::Symbol(new)] => Some((old, new)),
                _ => None,
            },
            Datum::Dotted(items, new) => match (items.as_slice(), &**new) {
                ([Datum::Symbol(old)], Datum::Symbol(new)) => Some((old, new)),
                _ => None,
            },
            _ => None,
        };
        if let Some((old, new)) = pair {
            let value = Expr::Name(function_name(old));
            out.push(assign(&function_name(new), value));
            let value = Expr::Name(function_name(old));
            out.push(assign(new, value));
        }
    }
}

//! Forms around the buffers of Emacs, and around the streams of the others.

use super::reader::Datum;
use super::{Dest, Lisp, Parsed, Rejected, assign, nil, text};
use crate::ir::{Block, Expr, Statement};

impl Lisp<'_> {
    pub(super) fn emacs_form(
        &mut self,
        name: &str,
        rest: &[Datum],
        dest: &Dest,
        out: &mut Block,
    ) -> Parsed<bool> {
        match (name, rest) {
            ("save-excursion" | "save-current-buffer", body) => {
                self.in_buffer(None, body, dest, out, None)?;
            }
            ("with-temp-buffer" | "with-work-buffer", body) => {
                self.in_buffer(Some(text("")), body, dest, out, None)?;
            }
            ("with-current-buffer", [buffer, body @ ..]) => {
                let buffer = self.value(buffer)?;
                let content = self.inner_call("<content>", vec![buffer]);
                self.in_buffer(Some(content), body, dest, out, None)?;
            }
            ("with-temp-file", [file, body @ ..]) => {
                let file = self.value(file)?;
                let path = self.temporary();
                out.push(assign(&path, file));
                let written = self.inner_call("<write-buffer>", vec![Expr::Name(path)]);
                self.in_buffer(Some(text("")), body, dest, out, Some(written))?;
            }
            ("with-environment-variables", [bindings, body @ ..]) => {
                for binding in super::bindings::list_of(bindings)? {
                    let [name, value] = binding.items().ok_or(Rejected)? else {
                        return Err(Rejected);
                    };
                    let values = vec![self.value(name)?, self.value(value)?];
                    let call = self.inner_call("setenv", values);
                    out.push(Statement::Expr(call));
                }
                self.forms(body, dest, out)?;
            }
            ("with-open-file" | "with-open-stream", [Datum::List(head), body @ ..]) => {
                let (variable, arguments) = head.split_first().ok_or(Rejected)?;
                let variable = variable.symbol().ok_or(Rejected)?.clone();
                let value = match (name, arguments) {
                    ("with-open-stream", [value]) => self.value(value)?,
                    _ => {
                        let mut values = Vec::new();
                        for argument in arguments {
                            values.push(self.value(argument)?);
                        }
                        self.inner_call("open", values)
                    }
                };
                self.bound(vec![(variable, value)], dest, out, |this, dest, out| {
                    this.forms(body, dest, out)
                })?;
            }
            ("with-output-to-string", body) if self.is_emacs() => {
                let old = self.temporary();
                let begin = self.inner_call("<capture>", Vec::new());
                out.push(assign(&old, begin));
                self.forms(body, &Dest::Ignore, out)?;
                let end = self.inner_call("<captured>", vec![Expr::Name(old)]);
                Self::give(dest, end, out);
            }
            ("with-output-to-string", [Datum::List(head), body @ ..])
                if (self.common || !body.is_empty())
                    && matches!(head.first(), Some(Datum::Symbol(_)))
                    && !head.first().is_some_and(|word| word.is("lambda")) =>
            {
                let variable = head.first().and_then(Datum::symbol).ok_or(Rejected)?.clone();
                let port = self.inner_call("open-output-string", Vec::new());
                let mut inner = vec![assign(&variable, port)];
                self.forms(body, &Dest::Ignore, &mut inner)?;
                let value = self.inner_call("get-output-string", vec![Expr::Name(variable)]);
                Self::give(dest, value, &mut inner);
                out.push(Statement::Block(inner));
            }
            ("with-input-from-string", [Datum::List(head), body @ ..])
                if head.len() >= 2
                    && !head.first().is_some_and(|word| word.is("lambda"))
                    && self.common =>
            {
                let variable = head.first().and_then(Datum::symbol).ok_or(Rejected)?.clone();
                let value = self.value(head.get(1).ok_or(Rejected)?)?;
                self.bound(vec![(variable, value)], dest, out, |this, dest, out| {
                    this.forms(body, dest, out)
                })?;
            }
            (
                "with-output-to-string" | "with-input-from-string" | "dynamic-wind" | "add-hook",
                rest,
            ) => {
                let mut values = Vec::new();
                for datum in rest {
                    values.push(self.value(datum)?);
                }
                let call = self.inner_call(name, values);
                Self::give(dest, call, out);
            }
            ("with-directory" | "with-current-directory", [directory, body @ ..]) => {
                let directory = match directory {
                    Datum::List(items) => items.first().ok_or(Rejected)?,
                    other => other,
                };
                let directory = self.value(directory)?;
                let call = self.inner_call("uiop:chdir", vec![directory]);
                out.push(Statement::Expr(call));
                self.forms(body, dest, out)?;
            }
            ("define-minor-mode" | "define-derived-mode", [Datum::Symbol(_), rest @ ..]) => {
                let body: Vec<Datum> =
                    rest.iter().filter(|datum| datum.items().is_some()).cloned().collect();
                let code = self.function(name, &Datum::List(Vec::new()), &body)?;
                out.push(Statement::Expr(Expr::Function(code)));
                self.give_nil(dest, out);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Follows forms with a text of the buffer of their own; `then` is run in it at the end.
    fn in_buffer(
        &mut self,
        content: Option<Expr>,
        body: &[Datum],
        dest: &Dest,
        out: &mut Block,
        then: Option<Expr>,
    ) -> Parsed<()> {
        let kept = self.temporary();
        let changed = content.is_some();
        let begin = self.inner_call("<enter-buffer>", content.into_iter().collect());
        out.push(assign(&kept, begin));
        let value = self.temporary();
        out.push(assign(&value, nil()));
        let mut tried = Vec::new();
        let into = Dest::Into(value.clone());
        self.forms(body, if matches!(dest, Dest::Ignore) { dest } else { &into }, &mut tried)?;
        tried.extend(then.map(Statement::Expr));
        let mut finally = Vec::new();
        if changed {
            let end = self.inner_call("<leave-buffer>", vec![Expr::Name(kept)]);
            finally.push(Statement::Expr(end));
        }
        out.push(Statement::Try {
            body: tried,
            handlers: Vec::new(),
            otherwise: Vec::new(),
            finally,
        });
        if !matches!(dest, Dest::Ignore) {
            Self::give(dest, Expr::Name(value), out);
        }
        Ok(())
    }
}

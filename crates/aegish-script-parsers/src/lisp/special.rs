//! Special forms and the macros that count as such.

use super::reader::Datum;
use super::{Dest, Lisp, Parsed, Rejected, nil, truth};
use crate::ir::{Block, Expr, LogicOp, Name, Statement};

/// Forms whose items are not all evaluated in order.
#[rustfmt::skip]
const SPECIAL: &[&str] = &[
    "quote", "quasiquote", "backquote", "function", "lambda", "λ", "case-lambda", "#.", "named-lambda", "lambda*",
    "progn", "begin", "begin0", "prog1", "prog2", "if", "when", "unless", "cond", "and", "or", "case", "cl-case",
    "ecase", "cl-ecase", "ccase", "typecase", "cl-typecase", "etypecase", "case-of", "pcase", "pcase-exhaustive",
    "match", "match*", "pcase-let", "pcase-let*", "pcase-dolist", "while", "until", "do", "do*", "cl-do", "cl-do*",
    "dolist", "cl-dolist", "dotimes", "cl-dotimes", "loop", "cl-loop", "dolist-with-progress-reporter",
    "dotimes-with-progress-reporter", "do-symbols", "do-external-symbols", "do-all-symbols",
    "for", "for*", "for/list", "for*/list", "for/vector", "for/and", "for/or", "for/sum", "for/product", "for/first",
    "for/last", "for/hash", "for/string", "for/set", "for/fold", "for*/fold", "for/lists", "while-let",
    "let", "let*", "letrec", "letrec*", "let-values", "let*-values", "lexical-let", "lexical-let*", "dlet", "rec",
    "if-let", "if-let*", "when-let", "when-let*", "and-let*", "fluid-let", "parameterize", "parameterize*",
    "define", "define*", "define-public", "define-values", "define/contract", "define/private", "define/public",
    "define-inlinable", "define-inline", "defun", "defun*", "cl-defun", "defsubst", "cl-defsubst", "defmethod",
    "cl-defmethod", "defgeneric", "cl-defgeneric", "defvar", "defvar-local", "defconst", "defcustom", "defparameter",
    "defconstant", "defgroup", "defface", "deftype", "define-constant", "define-parameter", "defstruct",
    "cl-defstruct", "define-record-type", "struct", "define-struct", "defclass", "define-class",
    "defmacro", "cl-defmacro", "defmacro*", "define-macro", "define-syntax", "define-syntax-rule",
    "define-compiler-macro", "define-syntax-public", "define-simple-macro", "define-syntax-parser",
    "setq", "set!", "setf", "psetq", "psetf", "cl-psetf", "setq-default", "setq-local", "setopt", "incf", "cl-incf",
    "decf", "cl-decf", "push", "cl-pushnew", "pushnew", "pop", "add-to-list", "add-to-ordered-list",
    "flet", "labels", "cl-flet", "cl-flet*", "cl-labels", "cl-letf", "cl-letf*", "letf", "macrolet", "cl-macrolet",
    "symbol-macrolet", "cl-symbol-macrolet", "let-syntax", "letrec-syntax", "named-let",
    "condition-case", "condition-case-unless-debug", "ignore-errors", "ignore-error", "with-demoted-errors",
    "unwind-protect", "catch", "throw", "handler-case", "handler-bind", "restart-case", "guard", "with-handlers",
    "block", "cl-block", "return", "cl-return", "return-from", "cl-return-from", "tagbody", "prog", "prog*", "go",
    "multiple-value-bind", "cl-multiple-value-bind", "destructuring-bind", "cl-destructuring-bind", "receive",
    "multiple-value-setq", "multiple-value-list", "multiple-value-prog1", "the", "declare", "declaim", "proclaim",
    "locally", "eval-when", "eval-when-compile", "eval-and-compile", "with-eval-after-load", "with-open-file",
    "with-open-stream", "with-output-to-string", "with-input-from-string", "with-standard-io-syntax",
    "let/cc", "let/ec", "delay", "make-promise", "delay-force", "lazy", "cons-stream", "stream-cons", "time",
    "with-temp-buffer", "with-temp-file", "with-current-buffer", "save-current-buffer", "save-excursion",
    "save-restriction", "save-window-excursion", "save-match-data", "with-selected-window", "with-no-warnings",
    "with-silent-modifications", "with-suppressed-warnings", "with-syntax-table", "with-timeout", "with-local-quit",
    "with-file-modes", "with-environment-variables", "with-existing-directory", "with-mutex", "without-interrupts",
    "combine-after-change-calls", "inhibit-quit", "track-mouse", "with-help-window", "with-output-to-temp-buffer",
    "save-mark-and-excursion", "atomic-change-group", "with-temp-message", "with-undo-amalgamate", "while-no-input",
    "interactive", "provide", "require", "use-modules", "import", "define-module", "define-library", "library",
    "module", "module+", "module*", "in-package", "defpackage", "use-package", "use-package!", "export", "define-record",
    "@", "@@", "assert", "cl-assert", "check-type", "error-message", "thread-first", "thread-last", "->", "->>",
    "#%app", "#%plain-app", "#%datum", "#%top", "#%module-begin", "let-alist", "dynamic-wind", "with-slots",
    "define-derived-mode", "define-minor-mode", "add-hook", "syntax-rules", "syntax", "quasisyntax", "pcase-setq",
    "with-file-lock", "and-let", "letf!", "defadvice", "define-advice", "syntax-case", "with-syntax", "cl-the",
    "call-with-current-buffer", "with-work-buffer", "with-directory", "with-current-directory", "async", "future",
    "thread-do", "place", "eval-after-load", "with-continuation-mark", "let-optionals", "let-keywords", "when*",
];

impl Lisp<'_> {
    /// Whether a list that starts with the name is no call.
    pub(super) fn is_special(&self, name: &Name) -> bool {
        SPECIAL.contains(&&**name)
            && !self.defined.contains(name)
            && !self.macros.contains_key(name)
            && !self.shadowed.contains(name)
    }

    /// Special forms that are expressions.
    pub(super) fn special_value(&mut self, name: &str, rest: &[Datum]) -> Parsed<Option<Expr>> {
        Ok(Some(match (name, rest) {
            ("quote", [datum]) => self.quoted(datum)?,
            ("quasiquote" | "backquote", [datum]) => self.template(datum, 1)?,
            ("syntax" | "quasisyntax", [datum]) => self.template(datum, 1)?,
            ("function", [Datum::Symbol(name)]) => {
                let name = self.unprefixed(name);
                Expr::Name(super::function_name(&name))
            }
            ("function" | "#." | "the" | "cl-the" | "#%datum" | "multiple-value-list", rest) => {
                let last = rest.last().ok_or(Rejected)?;
                self.value(last)?
            }
            ("lambda" | "λ" | "lambda*", [parameters, body @ ..]) => {
                let code = self.function("lambda", parameters, body)?;
                Expr::Function(code)
            }
            ("named-lambda", [Datum::List(items), body @ ..]) => {
                let parameters = Datum::List(items.iter().skip(1).cloned().collect());
                Expr::Function(self.function("lambda", &parameters, body)?)
            }
            ("case-lambda", clauses) => self.case_lambda(clauses)?,
            ("#%app" | "#%plain-app", [first, rest @ ..]) => self.call(first, rest)?,
            ("#%top", [datum]) => self.value(datum)?,
            ("and", []) => truth(true),
            ("and", [first, rest @ ..]) => self.all_of(first, rest)?,
            ("or", []) => nil(),
            ("or", data) => {
                let values: Parsed<Vec<Expr>> =
                    data.iter().map(|datum| self.value(datum)).collect();
                Expr::Logic(LogicOp::Or, values?)
            }
            ("@" | "@@", [_, Datum::Symbol(name)]) => Expr::Name(super::function_name(name)),
            ("if", [test, yes]) | ("when", [test, yes]) => self.one_sided(test, yes)?,
            ("if", [test, yes, no]) if is_plain(yes) || is_plain(no) => {
                let parts = [self.value(test)?, self.value(yes)?, self.value(no)?];
                Expr::Conditional(Box::new(parts))
            }
            ("delay" | "make-promise" | "delay-force" | "lazy" | "future", body) => {
                // What is run later may be run at once.
                let parameters = Datum::List(Vec::new());
                let code = self.function("delay", &parameters, body)?;
                self.call_of(Expr::Function(code), Vec::new())
            }
            ("cons-stream" | "stream-cons", data) => {
                let values: Parsed<Vec<Expr>> =
                    data.iter().map(|datum| self.value(datum)).collect();
                self.inner_call("cons", values?)
            }
            ("thread-first" | "->", [first, steps @ ..]) => self.threaded(first, steps, 1)?,
            ("thread-last" | "->>", [first, steps @ ..]) => {
                self.threaded(first, steps, usize::MAX)?
            }
            ("add-hook", [hook, function, ..]) => {
                let values = vec![self.value(hook)?, self.value(function)?];
                self.inner_call("add-hook", values)
            }
            _ => return Ok(None),
        }))
    }

    /// `(and a b …)`.
    fn all_of(&mut self, first: &Datum, rest: &[Datum]) -> Parsed<Expr> {
        let mut values = vec![self.value(first)?];
        for datum in rest {
            values.push(self.value(datum)?);
        }
        let mut value = values.pop().unwrap_or_else(nil);
        let mut nested = 0;
        while let Some(test) = values.pop() {
            nested += 1;
            if nested > 60 {
                return Err(Rejected);
            }
            value = Expr::Conditional(Box::new([test, value, truth_false(self)]));
        }
        Ok(value)
    }

    fn one_sided(&mut self, test: &Datum, yes: &Datum) -> Parsed<Expr> {
        let parts = [self.value(test)?, self.value(yes)?, nil()];
        Ok(Expr::Conditional(Box::new(parts)))
    }

    /// `(-> a (f b))` is `(f a b)`.
    fn threaded(&mut self, first: &Datum, steps: &[Datum], place: usize) -> Parsed<Expr> {
        let mut datum = first.clone();
        if steps.len() > 40 {
            return Err(Rejected);
        }
        for step in steps {
            let mut items = match step {
                Datum::List(items) => items.clone(),
                other => vec![other.clone()],
            };
            items.insert(place.min(items.len()), datum);
            datum = Datum::List(items);
        }
        self.value(&datum)
    }

    /// Special forms as statements; false if the form is an expression.
    pub(super) fn special(
        &mut self,
        name: &str,
        rest: &[Datum],
        dest: &Dest,
        out: &mut Block,
    ) -> Parsed<bool> {
        match (name, rest) {
            (
                "progn"
                | "begin"
                | "locally"
                | "eval-when-compile"
                | "eval-and-compile"
                | "#%module-begin"
                | "time"
                | "with-no-warnings"
                | "save-match-data"
                | "with-standard-io-syntax"
                | "with-local-quit"
                | "with-silent-modifications"
                | "save-restriction"
                | "save-window-excursion"
                | "without-interrupts"
                | "inhibit-quit"
                | "track-mouse"
                | "combine-after-change-calls"
                | "save-mark-and-excursion"
                | "atomic-change-group"
                | "with-undo-amalgamate"
                | "while-no-input",
                body,
            ) => {
                self.forms(body, dest, out)?;
            }
            (
                "eval-when"
                | "with-suppressed-warnings"
                | "with-timeout"
                | "with-mutex"
                | "with-syntax-table"
                | "with-selected-window"
                | "with-temp-message"
                | "with-file-modes"
                | "with-existing-directory"
                | "multiple-value-prog1"
                | "with-continuation-mark"
                | "with-eval-after-load"
                | "eval-after-load"
                | "with-help-window"
                | "with-output-to-temp-buffer",
                [first, body @ ..],
            ) => {
                if name != "eval-when"
                    && name != "with-suppressed-warnings"
                    && first.items().is_none()
                {
                    self.form(first, &Dest::Ignore, out)?;
                }
                match body {
                    [Datum::List(items)]
                        if name == "eval-after-load"
                            && items.first().is_some_and(|i| i.is("quote")) =>
                    {
                        self.forms(items.get(1..).unwrap_or(&[]), dest, out)?;
                    }
                    _ => self.forms(body, dest, out)?,
                }
            }
            ("prog1" | "begin0", [first, body @ ..]) => {
                let kept = self.temporary();
                let value = self.value(first)?;
                out.push(super::assign(&kept, value));
                self.forms(body, &Dest::Ignore, out)?;
                Self::give(dest, Expr::Name(kept), out);
            }
            ("prog2", [first, body @ ..]) => {
                self.form(first, &Dest::Ignore, out)?;
                self.special("prog1", body, dest, out)?;
            }
            (
                "declare" | "declaim" | "proclaim" | "interactive" | "provide" | "export"
                | "defgroup" | "defface" | "deftype" | "in-package" | "defpackage" | "check-type"
                | "syntax-rules",
                _,
            ) => {
                if !matches!(dest, Dest::Ignore) {
                    Self::give(dest, nil(), out);
                }
            }
            ("assert" | "cl-assert", [test, ..]) => {
                self.form(test, &Dest::Ignore, out)?;
                if !matches!(dest, Dest::Ignore) {
                    Self::give(dest, nil(), out);
                }
            }
            ("if", [test, yes, no @ ..]) => {
                let test = self.value(test)?;
                let yes = self.block(std::slice::from_ref(yes), dest)?;
                let no = self.block(no, dest)?;
                out.push(Statement::Branch(vec![(Some(test), yes), (None, no)]));
            }
            ("when" | "when*", [test, body @ ..]) => {
                let test = self.value(test)?;
                let yes = self.block(body, dest)?;
                let no = self.block(&[], dest)?;
                out.push(Statement::Branch(vec![(Some(test), yes), (None, no)]));
            }
            ("unless", [test, body @ ..]) => {
                let test = self.value(test)?;
                let no = self.block(body, dest)?;
                let yes = self.block(&[], dest)?;
                out.push(Statement::Branch(vec![(Some(test), yes), (None, no)]));
            }
            ("cond", clauses) => self.cond(clauses, dest, out)?,
            ("case" | "cl-case" | "ecase" | "cl-ecase" | "ccase", [subject, clauses @ ..]) => {
                self.case(subject, clauses, dest, out)?;
            }
            ("typecase" | "cl-typecase" | "etypecase", [subject, clauses @ ..]) => {
                self.form(subject, &Dest::Ignore, out)?;
                self.any_clause(clauses, dest, out)?;
            }
            ("pcase" | "pcase-exhaustive" | "match", [subject, clauses @ ..]) => {
                self.pattern_case(subject, clauses, dest, out)?;
            }
            ("and" | "or", data) if matches!(dest, Dest::Ignore) => {
                let value = self.special_value(name, data)?.ok_or(Rejected)?;
                out.push(Statement::Expr(value));
            }
            _ => {
                return Ok(self.binding_form(name, rest, dest, out)?
                    || self.loop_form(name, rest, dest, out)?
                    || self.condition_form(name, rest, dest, out)?
                    || self.emacs_form(name, rest, dest, out)?
                    || self.module_form(name, rest, dest, out)?
                    || self.value_form(name, rest, dest, out)?);
            }
        }
        Ok(true)
    }

    fn value_form(
        &mut self,
        name: &str,
        rest: &[Datum],
        dest: &Dest,
        out: &mut Block,
    ) -> Parsed<bool> {
        let value = match self.special_value(name, rest)? {
            Some(value) => value,
            // A form that is not followed: what it does is open, what stands in it may be run.
            None => {
                let mut values = vec![self.inner_call("<open>", Vec::new())];
                for datum in rest {
                    values.push(self.value(datum)?);
                }
                Expr::Sequence(values)
            }
        };
        Self::give(dest, value, out);
        Ok(true)
    }
}

fn truth_false(lisp: &Lisp<'_>) -> Expr {
    if lisp.two_spaces() { nil() } else { truth(false) }
}

/// Whether a form has no effect on variables.
fn is_plain(datum: &Datum) -> bool {
    match datum {
        Datum::List(items) => {
            items.is_empty() || items.first().is_some_and(|first| first.is("quote"))
        }
        _ => true,
    }
}

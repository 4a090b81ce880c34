//! Data that becomes code, and text that becomes data.

use super::called::LispCalled;
use super::output::LispOutput;
use super::{LispCalls, LispState, symbol, symbol_of};
use crate::effect::CodeEffect;
use crate::heap::{Binding, Cell};
use crate::ir::Statement;
use crate::limits::MAX_EVALS;
use crate::scope::Scope;
use crate::value::{Args, Forgotten, Partial, Val, join};
use aegish_code_interpreter::{Flow, Interpreter};
use aegish_values::{Taint, Value};
use easy_ext::ext;
use std::rc::Rc;

/// Deepest nesting of data that is turned into code.
const NESTED: u32 = 60;

#[ext(LispCode)]
pub(super) impl Interpreter<'_> {
    /// Functions that evaluate, read and call.
    fn lisp_code(&mut self, path: &str, args: &Args) -> Option<Val> {
        let first = args.get(0).cloned();
        Some(match path {
            "eval" | "primitive-eval" | "eval-expression" | "pp-eval-expression"
            | "eval-syntax" | "compile-and-eval" | "server-eval-at" => {
                let code = match path {
                    "server-eval-at" => args.get(1).cloned()?,
                    _ => first?,
                };
                let program = self.scope.program();
                if self.is_emacs() {
                    if self.lisp_hides(&program) {
                        self.maybe(|this| this.lisp_eval(&code, Rc::clone(&program)));
                    }
                    let scope = Rc::clone(&self.scope);
                    return Some(self.lisp_eval(&code, scope));
                }
                self.lisp_eval(&code, program)
            }
            "eval-string" | "eval-from-string" | "load-from-string" => {
                let text = self.lisp_content(&first?);
                self.lisp_run(&text)
            }
            "read-from-string" | "car-read" => {
                let data = self.lisp_read(&first?);
                match self.is_emacs() {
                    true => Val::Tuple([data, Val::unknown()].into()),
                    false => data,
                }
            }
            "read" | "read-syntax" => {
                let source = match first {
                    Some(source) if source != Val::None && source != Val::Bool(true) => source,
                    _ => self.stdin(),
                };
                self.lisp_read(&source)
            }
            "string->symbol"
            | "intern"
            | "intern-soft"
            | "make-symbol"
            | "string->uninterned-symbol" => {
                self.each(&first?, |_, value| match value.as_known() {
                    Some(name) => symbol(&name),
                    None => Val::Unknown(value.own_taint(), Forgotten::Callable),
                })
            }
            "symbol-function"
            | "indirect-function"
            | "fdefinition"
            | "symbol-value"
            | "default-value"
            | "function-get-definition"
            | "module-ref"
            | "dynamic-require"
            | "namespace-variable-value"
            | "variable-ref"
            | "eval-symbol" => {
                if let ("dynamic-require", Some(Val::Text(file))) = (path, &first) {
                    self.run_script(&file.clone());
                    return Some(Val::unknown());
                }
                let value = match path {
                    "module-ref" | "dynamic-require" => args.get(1).cloned()?,
                    _ => first?,
                };
                let variable = matches!(path, "symbol-value" | "default-value");
                self.each(&value, |this, value| match symbol_of(value) {
                    Some(name) if variable => this.lookup(&name.into()),
                    Some(name) => this.lisp_callee(name, true),
                    None if value.is_callable() => value.clone(),
                    None => Val::Unknown(Taint::none(), Forgotten::Callable),
                })
            }
            "fset" | "defalias" | "set" | "set-default" | "set-symbol-function" => {
                let value = args.get(1).cloned()?;
                let variable = path.starts_with("set") && path != "set-symbol-function";
                self.lisp_set_symbol(&first?, value, variable);
                Val::None
            }
            "funcall"
            | "call-interactively"
            | "command-execute"
            | "funcall-interactively"
            | "run-hook-with-args" => {
                let mut args = args.clone();
                let function =
                    if args.list.is_empty() { args.rest.clone()? } else { args.list.remove(0) };
                self.lisp_call(&function, args)
            }
            "apply" => {
                let mut list = args.list.clone();
                let last = list.pop();
                if args.rest.is_some() || list.is_empty() {
                    let function = last?;
                    let rest = Some(args.rest.clone().unwrap_or_else(Val::unknown));
                    let function = list.first().cloned().unwrap_or(function);
                    return Some(self.lisp_call(&function, Args { rest, ..Args::default() }));
                }
                let function = list.remove(0);
                let items = self.iterate(&last?);
                list.extend(items.list);
                self.lisp_call(&function, Args { list, named: Vec::new(), rest: items.rest })
            }
            "identity" | "values-list" | "force" | "expand-file-name-literal" => first?,
            "values" if args.list.len() == 1 && args.rest.is_none() => first?,
            "call-with-values" => {
                let produced = self.lisp_call(&first?, Args::default());
                let items = match &produced {
                    Val::List(_) => self.iterate(&produced),
                    other => crate::heap::Items { list: vec![other.clone()], rest: None },
                };
                let consumer = args.get(1).cloned()?;
                self.lisp_call(
                    &consumer,
                    Args { list: items.list, named: Vec::new(), rest: items.rest },
                )
            }
            "apply-partially" | "curry" | "cut" => {
                let args =
                    Args { list: args.list.iter().skip(1).cloned().collect(), ..args.clone() };
                Val::Partial(Rc::new(Partial { function: first?, args }))
            }
            "call/cc"
            | "call-with-current-continuation"
            | "call-with-escape-continuation"
            | "call/ec"
            | "call-with-composable-continuation" => {
                let id = i64::from(self.site);
                self.state.with(|lisp: &mut LispState| lisp.continuations.push(id));
                let exit = Val::Library("<continue>".into());
                let exit = Val::Partial(Rc::new(Partial {
                    function: exit,
                    args: Args::of(vec![Val::Int(id)]),
                }));
                let outer = self.thrown.take();
                let value = self.lisp_call(&first?, Args::of(vec![exit]));
                let thrown = std::mem::replace(&mut self.thrown, outer);
                self.state.with(|lisp: &mut LispState| lisp.continuations.pop());
                thrown.map_or(value.clone(), |thrown| join(&value, &thrown))
            }
            "catch" | "call-with-prompt" | "with-exception-handler" | "with-throw-handler" => {
                let (thunk, handler) = match path {
                    "with-exception-handler" => (args.get(1).cloned()?, first?),
                    _ => (args.get(1).cloned()?, args.get(2).cloned().unwrap_or(Val::None)),
                };
                let outer = self.thrown.take();
                let value = self.maybe(|this| this.lisp_call(&thunk, Args::default()));
                let thrown = std::mem::replace(&mut self.thrown, outer);
                let rest = Some(thrown.unwrap_or_else(Val::unknown));
                let handled = match handler {
                    Val::None => Val::None,
                    handler => self
                        .maybe(|this| this.lisp_call(&handler, Args { rest, ..Args::default() })),
                };
                join(&value, &handled)
            }
            "dynamic-wind" => {
                let mut value = Val::None;
                for (place, function) in args.list.iter().enumerate() {
                    let result = self.lisp_call(&function.clone(), Args::default());
                    if place == 1 {
                        value = result;
                    }
                }
                value
            }
            "error" | "signal" | "raise" | "throw" | "raise-continuable" | "user-error"
            | "scm-error" => {
                let value = args.list.iter().chain(&args.rest).cloned().reduce(|a, b| join(&a, &b));
                let value = value.unwrap_or_else(Val::unknown);
                let thrown = self.thrown.take();
                self.thrown = Some(thrown.map_or(value.clone(), |known| join(&known, &value)));
                Val::unknown()
            }
            "make-parameter" | "make-fluid" | "make-thread-cell" => {
                let value = self.new_list(vec![first.unwrap_or(Val::None)]);
                let function = Val::Library("<parameter>".into());
                Val::Partial(Rc::new(Partial { function, args: Args::of(vec![value]) }))
            }
            "macroexpand" | "macroexpand-1" | "macroexpand-all" => first?,
            "byte-compile" | "compile"
                if first.as_ref().is_some_and(|value| !matches!(value, Val::Text(_))) =>
            {
                let function =
                    args.list.iter().rev().find(|value| !matches!(value, Val::None)).cloned()?;
                match &function {
                    Val::List(_) => {
                        let program = self.scope.program();
                        self.lisp_eval(&function, program)
                    }
                    other => other.clone(),
                }
            }
            "autoload" if self.is_emacs() => {
                // A library by its name is one of the load path.
                let file = args.get(1).map(Val::to_text).unwrap_or_default();
                if file.known_prefix().contains('/') {
                    self.run_script(&file);
                }
                Val::None
            }
            "package-vc-install" | "package-vc-checkout" if matches!(first, Some(Val::List(_))) => {
                // A name with the address of the source behind it.
                let items = self.iterate(&first?).list;
                let is_url = |item: &&Val| item.as_known().is_some_and(|text| text.contains("://"));
                if let Some(url) = items.iter().find(is_url) {
                    self.run_script(&url.to_text());
                }
                Val::None
            }
            "advice-add"
            | "add-function"
            | "add-hook"
            | "run-at-time"
            | "run-with-timer"
            | "run-with-idle-timer"
            | "run-hooks"
            | "mapatoms"
            | "thread"
            | "make-thread"
            | "call-with-new-thread"
            | "sb-thread:make-thread"
            | "bt:make-thread"
            | "call-with-output-string"
            | "with-mutex"
            | "at-exit"
            | "set-process-filter"
            | "set-process-sentinel"
            | "define-key"
            | "global-set-key"
            | "advice-remove" => self.lisp_handed(path, args),
            _ => return None,
        })
    }

    /// Whether a variable around hides one of the program.
    fn lisp_hides(&self, program: &Rc<Scope>) -> bool {
        let mut scope = Some(Rc::clone(&self.scope));
        while let Some(at) = scope.take() {
            if Rc::ptr_eq(&at, program) {
                return false;
            }
            if at.names().iter().any(|(name, _)| program.find(name).is_some()) {
                return true;
            }
            scope = at.parent.clone();
        }
        false
    }

    /// Evaluates data in a scope.
    fn lisp_eval(&mut self, code: &Val, scope: Rc<Scope>) -> Val {
        match code {
            Val::OneOf(_) => self.each(code, |this, one| this.lisp_eval(one, Rc::clone(&scope))),
            Val::List(_) | Val::Tuple(_) => match self.lisp_printed(code, NESTED) {
                Some(text) => self.lisp_program(&text, scope),
                None => {
                    let taint = self.taint_of(code);
                    self.run_text(self.language.lang(), &Value::unknown("code").tainted(&taint));
                    Val::Unknown(taint, Forgotten::Callable)
                }
            },
            Val::Unknown(taint, _) => {
                self.run_text(self.language.lang(), &Value::unknown("code").tainted(taint));
                code.clone()
            }
            Val::Text(text) if text.has_unknown() && self.lisp_is_read(text) => {
                self.run_text(self.language.lang(), text);
                Val::Unknown(text.taint().clone(), Forgotten::Callable)
            }
            Val::File(_) | Val::Connection => {
                let content = self.lisp_content(code);
                self.run_text(self.language.lang(), &content);
                Val::unknown()
            }
            Val::Library(_) => match symbol_of(code) {
                Some(name) if !name.starts_with(':') => {
                    let outer = std::mem::replace(&mut self.scope, scope);
                    let value = self.lookup(&name.into());
                    self.scope = outer;
                    value
                }
                _ => code.clone(),
            },
            other => other.clone(),
        }
    }

    /// Whether an unknown text may be data that was read, and not a text.
    fn lisp_is_read(&self, text: &Value) -> bool {
        text.known_prefix().is_empty()
    }

    /// Runs a text as a program.
    fn lisp_run(&mut self, text: &Value) -> Val {
        let Some(readings) = text.readings(8) else {
            self.run_text(self.language.lang(), text);
            return Val::Unknown(text.taint().clone(), Forgotten::Callable);
        };
        let mut result: Option<Val> = None;
        for reading in readings {
            let scope = self.scope.program();
            let one = self.lisp_program(&reading, scope);
            result = Some(result.map_or(one.clone(), |known| join(&known, &one)));
        }
        result.unwrap_or(Val::None)
    }

    /// Follows a text as a program in a scope; gives the value of its last form.
    fn lisp_program(&mut self, text: &str, scope: Rc<Scope>) -> Val {
        if self.evals >= MAX_EVALS {
            self.open = true;
            return Val::unknown();
        }
        let program = self.lower(text);
        self.open |= program.cut;
        self.evals += 1;
        let outer = std::mem::replace(&mut self.scope, scope);
        let mut last = Val::None;
        for statement in &program.body {
            last = match statement {
                Statement::Expr(expr) => self.expr(expr),
                other => {
                    if self.statement(other) == Flow::Stop {
                        break;
                    }
                    Val::unknown()
                }
            };
        }
        self.scope = outer;
        self.evals -= 1;
        last
    }

    /// The data that a text starts with.
    fn lisp_read(&mut self, source: &Val) -> Val {
        if let Val::OneOf(_) = source {
            return self.each(source, Self::lisp_read);
        }
        let text = self.lisp_content(source);
        let known = text.as_known().filter(|text| !text.trim().is_empty());
        let Some(known) = known else {
            return match text.is_known() {
                true => Val::None,
                false => Val::Unknown(text.taint().clone(), Forgotten::Callable),
            };
        };
        let program = self.lower(&format!("'{known}"));
        match program.body.first() {
            Some(Statement::Expr(expr)) => {
                self.evals += 1;
                let value = if self.evals > MAX_EVALS { Val::unknown() } else { self.expr(expr) };
                self.evals -= 1;
                value
            }
            _ => {
                self.open |= program.cut;
                Val::Unknown(Taint::none(), Forgotten::Callable)
            }
        }
    }

    /// The text that can be read from a value.
    fn lisp_content(&mut self, value: &Val) -> Value {
        match value {
            Val::File(index) => self.file_content(*index).to_text(),
            Val::Connection => self.received().to_text(),
            Val::List(_) => self.lisp_port_text(value).to_text(),
            Val::Process(_) => Value::unknown("output"),
            other => other.to_text(),
        }
    }

    /// Data as the text that reads as it; values that cannot be written become variables.
    fn lisp_printed(&mut self, value: &Val, depth: u32) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        if !self.burn(1) {
            return None;
        }
        Some(match value {
            Val::List(place) => {
                let items = self.heap.items(*place);
                if items.rest.is_some() {
                    return None;
                }
                let mut parts = Vec::new();
                for (at, item) in items.list.iter().enumerate() {
                    // What is called must be known.
                    if at == 0 && matches!(item, Val::Unknown(..) | Val::Text(_)) {
                        return None;
                    }
                    parts.push(self.lisp_printed(item, depth)?);
                }
                format!("({})", parts.join(" "))
            }
            Val::Tuple(items) => {
                let parts: Option<Vec<String>> =
                    items.iter().map(|item| self.lisp_printed(item, depth)).collect();
                format!("({})", parts?.join(" . "))
            }
            Val::Int(number) => number.to_string(),
            Val::None => if self.is_emacs() { "nil" } else { "()" }.to_owned(),
            Val::Bool(true) => if self.is_emacs() { "t" } else { "#t" }.to_owned(),
            Val::Bool(false) => if self.is_emacs() { "nil" } else { "#f" }.to_owned(),
            other => match symbol_of(other) {
                Some(name) if is_plain_symbol(name) => name.to_owned(),
                Some(_) => return None,
                None => self.lisp_reference(other),
            },
        })
    }

    /// A variable of the program that holds a value.
    fn lisp_reference(&mut self, value: &Val) -> String {
        let scope = self.scope.program();
        let mut name = String::new();
        while name.is_empty() || scope.find(&name).is_some() {
            self.state.with(|lisp: &mut LispState| lisp.values += 1);
            name = format!("~value-{}", self.state.with(|lisp: &mut LispState| lisp.values));
        }
        let place = self.heap.alloc(Cell::Variable(Binding::Bound(value.clone())));
        scope.insert(name.as_str().into(), place);
        // A function at the head of a list is looked up among the functions.
        let place = self.heap.alloc(Cell::Variable(Binding::Bound(value.clone())));
        scope.insert(format!("#'{name}").into(), place);
        name
    }

    /// Something runs that is not followed.
    fn lisp_open(&mut self) -> Val {
        if !self.uncalled {
            self.record(CodeEffect::Hidden);
        }
        Val::Unknown(Taint::none(), Forgotten::Callable)
    }
}

/// Whether a symbol is read as it is written.
fn is_plain_symbol(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|c| c.is_alphanumeric() || "+-*/_~!@$%^&=:<>.?".contains(c))
        && !name.starts_with(['?', '.'])
        && name.parse::<f64>().is_err()
}

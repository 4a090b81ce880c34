//! Scheme, Guile, Racket, Common Lisp and Emacs Lisp: lists whose head is the function.
//!
//! Takes the text of forms, gives effects. Bindings (`define`, `let`, `setq`) are followed, quoted lists are
//! data, and everything else is evaluated once, the inner forms first.

use super::decode;
use super::dialect;
use super::interpreter::Interpreter;
use super::object::{Args, Object};
use crate::{CodeContext, CodeEffect};
use aegish_profiles::Lang;
use aegish_values::Value;

const DEPTH: u32 = 60;

/// What forms of a Lisp do.
pub(super) fn scan(lang: Lang, code: &str, around: &CodeContext<'_>) -> Vec<CodeEffect> {
    let Some(d) = dialect::of(lang) else {
        return Vec::new();
    };
    let mut m = Interpreter::new(d, around, &[]);
    m.fuel += 40 * code.len() as u64;
    let mut lisp = Lisp { m, rest: code, depth: 0 };
    while !lisp.rest.is_empty() {
        if !lisp.m.burn(1) {
            break;
        }
        let before = lisp.rest.len();
        match lisp.form() {
            Some(form) => {
                lisp.eval(&form);
            }
            None => lisp.rest = lisp.rest.get(1..).unwrap_or(""),
        }
        if lisp.rest.len() >= before {
            break;
        }
    }
    lisp.m.finish()
}

/// A form as read.
enum Form {
    Text(String),
    Symbol(String),
    List(Vec<Form>),
    Quoted(Box<Form>),
}

struct Lisp<'a> {
    m: Interpreter<'a>,
    rest: &'a str,
    depth: u32,
}

impl Lisp<'_> {
    fn skip(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            if self.rest.starts_with(';') {
                self.rest = self.rest.find('\n').and_then(|n| self.rest.get(n..)).unwrap_or("");
            } else if self.rest.starts_with("#|") {
                self.rest = self.rest.find("|#").and_then(|n| self.rest.get(n + 2..)).unwrap_or("");
            } else {
                return;
            }
        }
    }

    /// Reads one form; returns `None` at an unmatched closing bracket or at the end.
    fn form(&mut self) -> Option<Form> {
        if self.depth > DEPTH {
            self.m.out_of_fuel = true;
            self.rest = "";
            return None;
        }
        self.depth += 1;
        let form = self.form_at();
        self.depth -= 1;
        form
    }

    fn form_at(&mut self) -> Option<Form> {
        self.skip();
        let first = self.rest.chars().next()?;
        match first {
            '(' | '[' => {
                self.rest = self.rest.get(1..)?;
                let mut items = Vec::new();
                loop {
                    self.skip();
                    match self.rest.chars().next() {
                        None => break,
                        Some(')' | ']') => {
                            self.rest = self.rest.get(1..).unwrap_or("");
                            break;
                        }
                        _ if !self.m.burn(1) => self.rest = "",
                        _ => match self.form() {
                            Some(item) => items.push(item),
                            None => break,
                        },
                    }
                }
                Some(Form::List(items))
            }
            ')' | ']' => None,
            '\'' | '`' => {
                self.rest = self.rest.get(1..)?;
                Some(Form::Quoted(Box::new(self.form()?)))
            }
            ',' | '@' => {
                self.rest = self.rest.get(1..)?;
                self.form()
            }
            '#' if self.rest.starts_with("#'")
                || self.rest.starts_with("#:")
                || self.rest.starts_with("#(") =>
            {
                self.rest = self.rest.get(if self.rest.starts_with("#(") { 1 } else { 2 }..)?;
                self.form()
            }
            '"' => {
                let mut text = String::new();
                let mut rest = self.rest.get(1..)?;
                while let Some(c) = rest.chars().next() {
                    let after = rest.get(c.len_utf8()..).unwrap_or("");
                    match c {
                        '"' => {
                            rest = after;
                            break;
                        }
                        '\\' => {
                            let used = decode::escape(after, &mut text);
                            rest = after.get(used..).unwrap_or("");
                        }
                        _ => {
                            text.push(c);
                            rest = after;
                        }
                    }
                }
                self.rest = rest;
                Some(Form::Text(text))
            }
            _ => {
                let end = self
                    .rest
                    .find(|c: char| c.is_whitespace() || "()[]\"';".contains(c))
                    .unwrap_or(self.rest.len())
                    .max(1);
                let end = if self.rest.is_char_boundary(end) { end } else { self.rest.len() };
                let word = self.rest.get(..end)?.to_owned();
                self.rest = self.rest.get(end..)?;
                Some(Form::Symbol(word))
            }
        }
    }

    fn eval(&mut self, form: &Form) -> Object {
        if !self.m.burn(1) {
            return Object::Other;
        }
        match form {
            Form::Text(text) => Object::known(text.clone()),
            Form::Quoted(inner) => quoted(inner),
            Form::Symbol(word) => match self.m.vars.get(word) {
                Some(value) => value.clone(),
                None => match word.parse::<i64>() {
                    Ok(number) => Object::Num(number),
                    Err(_) => Object::Name(word.clone()),
                },
            },
            Form::List(items) => self.list(items),
        }
    }

    fn body(&mut self, forms: &[Form]) -> Object {
        let mut last = Object::Other;
        for form in forms {
            last = self.eval(form);
        }
        last
    }

    fn list(&mut self, items: &[Form]) -> Object {
        let Some((head, rest)) = items.split_first() else {
            return Object::List(Vec::new());
        };
        let Form::Symbol(name) = head else {
            // ((lambda …) …) and plain data in brackets.
            return self.body(items);
        };
        match name.as_str() {
            "quote" => rest.first().map_or(Object::Other, quoted),
            "define" | "setq" | "set!" | "defvar" | "defconst" | "defparameter" | "setf"
            | "defcustom" => {
                match rest {
                    [Form::Symbol(name), value, ..] => {
                        let value = self.eval(value);
                        self.m.set(name, value.clone());
                        if let [_, _, more @ ..] = rest
                            && name != "defcustom"
                        {
                            self.pairs(more);
                        }
                        value
                    }
                    // (define (f x) …): the body is evaluated here
                    [Form::List(_), body @ ..] => {
                        self.m.printed = None;
                        self.body(body)
                    }
                    _ => self.body(rest),
                }
            }
            "let" | "let*" | "letrec" | "let-values" | "let*-values" => {
                let body = match rest {
                    [Form::List(bindings), body @ ..] => {
                        for binding in bindings {
                            if let Form::List(pair) = binding
                                && let [Form::Symbol(name), value, ..] = pair.as_slice()
                            {
                                let value = self.eval(value);
                                self.m.set(name, value);
                            } else {
                                self.eval(binding);
                            }
                        }
                        body
                    }
                    other => other,
                };
                self.body(body)
            }
            "lambda" | "defun" | "defmacro" | "fn" => {
                self.m.printed = None;
                let body = rest
                    .iter()
                    .position(|f| matches!(f, Form::List(_)))
                    .and_then(|n| rest.get(n + 1..))
                    .unwrap_or(&[]);
                let uncalled = std::mem::replace(&mut self.m.uncalled, true);
                let value = self.body(body);
                self.m.uncalled = uncalled;
                value
            }
            "progn" | "begin" | "if" | "when" | "unless" | "cond" | "and" | "or" | "while"
            | "dolist" | "do" | "save-excursion" | "with-temp-buffer" | "prog1"
            | "condition-case" | "ignore-errors" | "unwind-protect" => {
                if !matches!(name.as_str(), "progn" | "begin" | "prog1") {
                    self.m.printed = None;
                }
                self.body(rest)
            }
            "eval" => {
                match rest.first() {
                    Some(Form::Quoted(inner)) => {
                        return self.eval(inner);
                    }
                    Some(form) => {
                        // (eval (read "…")) and (eval (car (read-from-string "…")))
                        let value = self.eval(form);
                        if let Object::Text(text) = value {
                            let lang = self.m.dialect.lang;
                            self.m.run_text(lang, &text);
                        }
                    }
                    None => {}
                }
                Object::Other
            }
            "read-from-string" | "car" | "read" if !rest.is_empty() => {
                let value = rest.first().map_or(Object::Other, |form| self.eval(form));
                match value {
                    Object::List(items) => items.into_iter().next().unwrap_or(Object::Other),
                    other => other,
                }
            }
            "call-process" | "call-process-region" | "make-process" => {
                self.emacs_process(name, rest)
            }
            _ => {
                let mut args = Args::default();
                let mut forms = rest.iter();
                while let Some(form) = forms.next() {
                    if let Form::Symbol(word) = form
                        && let Some(key) =
                            word.strip_prefix(':').or_else(|| word.strip_prefix("#:"))
                    {
                        if let Some(value) = forms.next() {
                            let value = self.eval(value);
                            args.named.push((key.to_owned(), value));
                        }
                        continue;
                    }
                    let value = match form {
                        Form::Symbol(word) if word == "nil" => Object::List(Vec::new()),
                        form => self.eval(form),
                    };
                    args.list.push(value);
                }
                let name = self
                    .m
                    .vars
                    .get(name)
                    .and_then(
                        |v| if let Object::Name(path) = v { Some(path.clone()) } else { None },
                    )
                    .unwrap_or_else(|| name.clone());
                match self.m.call_path(&name, args) {
                    Object::Name(_) => Object::Other,
                    other => other,
                }
            }
        }
    }

    fn pairs(&mut self, rest: &[Form]) {
        for pair in rest.chunks(2) {
            match pair {
                [Form::Symbol(name), value] => {
                    let value = self.eval(value);
                    self.m.set(name, value);
                }
                other => {
                    self.body(other);
                }
            }
        }
    }

    /// `(call-process PROGRAM INFILE BUFFER DISPLAY ARGS…)` and its relatives.
    fn emacs_process(&mut self, name: &str, rest: &[Form]) -> Object {
        let values: Vec<Object> = rest.iter().map(|form| self.eval(form)).collect();
        let (program, from) = match name {
            "call-process" => (0, 4),
            "call-process-region" => (2, 6),
            _ => {
                let command = values
                    .iter()
                    .position(|v| matches!(v, Object::Name(n) if n == ":command"))
                    .and_then(|n| values.get(n + 1));
                if let Some(Object::List(items)) = command {
                    self.m.run_argv(items.iter().map(Object::text).collect());
                }
                return Object::Other;
            }
        };
        let argv: Vec<Value> = values
            .get(program)
            .into_iter()
            .chain(values.iter().skip(from))
            .map(Object::text)
            .collect();
        self.m.run_argv(argv);
        Object::Other
    }
}

/// A quoted form as data.
fn quoted(form: &Form) -> Object {
    match form {
        Form::Text(text) => Object::known(text.clone()),
        Form::Symbol(word) => Object::Name(word.clone()),
        Form::List(items) => Object::List(items.iter().map(quoted).collect()),
        Form::Quoted(inner) => quoted(inner),
    }
}

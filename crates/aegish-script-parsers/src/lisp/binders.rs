//! Definitions: functions, macros, variables, records.

use super::bindings::list_of;
use super::reader::Datum;
use super::{Dest, Lisp, Parsed, Rejected, assign, function_name, nil, symbol_value};
use crate::ir::{
    Arguments, Block, Body, Expr, Function, Name, Parameter, Receiver, Statement, Target,
};
use std::rc::Rc;

impl Lisp<'_> {
    /// A function with its parameters.
    pub(super) fn function(
        &mut self,
        name: &str,
        parameters: &Datum,
        body: &[Datum],
    ) -> Parsed<Rc<Function>> {
        self.lowering.functions += 1;
        let id = self.lowering.functions;
        let mut code = Function {
            id,
            name: Name::from(name),
            positional: Vec::new(),
            rest: None,
            keyword_only: Vec::new(),
            named_rest: None,
            body: Body::Block(Vec::new()),
            generator: false,
            receiver: Receiver::Lexical,
            arguments: Arguments::Unnamed,
            sees_itself: false,
        };
        let mut inner = Vec::new();
        self.parameters(parameters, &mut code, &mut inner)?;
        let names: Vec<Name> = code
            .positional
            .iter()
            .chain(&code.keyword_only)
            .map(|parameter| parameter.name.clone())
            .chain(code.rest.clone())
            .collect();
        let before = self.shadow(&names);
        self.functions += 1;
        // Parameters with dynamic scope are seen by the functions that are called.
        let dynamic: Vec<Name> = names
            .into_iter()
            .filter(|name| {
                self.dynamic.contains(name) || self.is_emacs() && self.assigned.contains(name)
            })
            .collect();
        if dynamic.is_empty() {
            self.forms(body, &Dest::Return, &mut inner)?;
        } else {
            let pairs = dynamic.into_iter().map(|name| (name.clone(), Expr::Name(name))).collect();
            self.bound(pairs, &Dest::Return, &mut inner, |this, dest, out| {
                this.forms(body, dest, out)
            })?;
        }
        self.functions -= 1;
        self.unshadow(before);
        code.body = Body::Block(inner);
        Ok(Rc::new(code))
    }

    fn parameters(&mut self, datum: &Datum, code: &mut Function, inner: &mut Block) -> Parsed<()> {
        let (items, last) = match datum {
            Datum::List(items) => (items.as_slice(), None),
            Datum::Dotted(items, last) => (items.as_slice(), Some(last.symbol().ok_or(Rejected)?)),
            Datum::Symbol(name) if &**name == "nil" => (&[][..], None),
            Datum::Symbol(name) => (&[][..], Some(name)),
            _ => return Err(Rejected),
        };
        code.rest = last.cloned();
        let mut kind = "";
        let mut items = items.iter();
        while let Some(item) = items.next() {
            match item {
                Datum::Symbol(name) if name.starts_with('&') => {
                    kind = match &**name {
                        "&optional" => "optional",
                        "&key" => "key",
                        "&rest" | "&body" | "&whole" | "&environment" => "rest",
                        "&aux" => "aux",
                        "&allow-other-keys" => kind,
                        _ => return Err(Rejected),
                    };
                }
                // `#:key` of Guile starts the keywords, that of Racket names the next one.
                Datum::Symbol(name) if name.starts_with(':') => match &**name {
                    ":optional" => kind = "optional",
                    ":key" => kind = "key",
                    ":rest" => kind = "rest",
                    ":allow-other-keys" => {}
                    _ => {
                        let parameter = items.next().ok_or(Rejected)?;
                        let (bound, default) = self.parameter(parameter)?;
                        let key = Name::from(name.trim_start_matches(':'));
                        inner.push(assign(&bound, Expr::Name(key.clone())));
                        code.keyword_only.push(Parameter { name: key, default: Some(default) });
                    }
                },
                item => {
                    let (name, default) = match item {
                        // A nested list of a macro takes its argument apart.
                        Datum::List(parts)
                            if kind.is_empty()
                                && (self.common || self.is_emacs())
                                && parts.len() != 2 =>
                        {
                            let whole = self.temporary();
                            let target = super::places::target(item)?;
                            inner.push(Statement::Assign(vec![target], Expr::Name(whole.clone())));
                            (whole, nil())
                        }
                        item => self.parameter(item)?,
                    };
                    match kind {
                        "rest" => {
                            code.rest = Some(name);
                            kind = "";
                        }
                        "key" => {
                            code.keyword_only.push(Parameter { name, default: Some(default) });
                        }
                        "aux" => inner.push(assign(&name, default)),
                        "optional" => {
                            code.positional.push(Parameter { name, default: Some(default) });
                        }
                        _ => {
                            // Racket gives defaults without a word.
                            let given = matches!(item, Datum::List(_)) && !self.two_spaces();
                            let default = given.then_some(default);
                            code.positional.push(Parameter { name, default });
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// `name`, `(name default)`, `((:key name) default)`.
    fn parameter(&mut self, datum: &Datum) -> Parsed<(Name, Expr)> {
        match datum {
            Datum::Symbol(name) => Ok((name.clone(), nil())),
            Datum::List(items) => {
                let (first, rest) = items.split_first().ok_or(Rejected)?;
                let name = match first {
                    Datum::Symbol(name) => name.clone(),
                    // Another key than the name: the value is not found by its name.
                    Datum::List(pair) => {
                        self.lowering.cut = true;
                        pair.get(1).and_then(Datum::symbol).ok_or(Rejected)?.clone()
                    }
                    _ => return Err(Rejected),
                };
                let default = match rest.first() {
                    Some(colon) if colon.is(":") => nil(),
                    Some(default) => self.value(default)?,
                    None => nil(),
                };
                Ok((name, default))
            }
            _ => Err(Rejected),
        }
    }

    /// Binds a function to a name.
    fn define_function(
        &mut self,
        name: &Name,
        parameters: &Datum,
        body: &[Datum],
        function_space: bool,
        out: &mut Block,
    ) -> Parsed<()> {
        let label = name.clone();
        self.exits.push(super::Exit {
            name: name.clone(),
            label,
            dest: Dest::Return,
            functions: self.functions + 1,
        });
        let code = self.function(name, parameters, body)?;
        self.exits.pop();
        let variable = if function_space { function_name(name) } else { name.clone() };
        // Functions of Emacs and Common Lisp belong to the program, wherever they are defined.
        let target =
            if function_space { Target::Nearest(variable) } else { Target::Name(variable) };
        out.push(Statement::Assign(vec![target], Expr::Function(code)));
        Ok(())
    }

    pub(super) fn definition(
        &mut self,
        word: &str,
        rest: &[Datum],
        dest: &Dest,
        out: &mut Block,
    ) -> Parsed<bool> {
        let mut given = nil();
        match (word, rest) {
            (
                "define" | "define*" | "define-public" | "define/contract" | "define/private"
                | "define/public" | "define-inlinable" | "define-inline",
                [first, body @ ..],
            ) => {
                self.define(first, body, out)?;
            }
            (
                "defun" | "defun*" | "cl-defun" | "defsubst" | "cl-defsubst" | "defmacro"
                | "cl-defmacro" | "defmacro*" | "define-advice",
                [Datum::Symbol(name), parameters, body @ ..],
            ) => {
                self.define_function(name, parameters, body, true, out)?;
                given = symbol_value(name);
            }
            ("defmethod" | "cl-defmethod", [Datum::Symbol(name), rest @ ..]) => {
                let at = rest.iter().position(|item| item.items().is_some()).ok_or(Rejected)?;
                let (parameters, body) =
                    rest.get(at..).and_then(|r| r.split_first()).ok_or(Rejected)?;
                // Which of the methods is called is not followed.
                let parameters = unspecialized(parameters);
                let code = self.function(name, &parameters, body)?;
                let variable = function_name(name);
                let method = self.inner_call(
                    "<method>",
                    vec![Expr::Name(variable.clone()), Expr::Function(code)],
                );
                out.push(super::set(&variable, method));
            }
            ("defgeneric" | "cl-defgeneric", _) => {}
            ("define-macro", [first, body @ ..]) => match first {
                Datum::List(items) => {
                    let (name, parameters) = items.split_first().ok_or(Rejected)?;
                    let name = name.symbol().ok_or(Rejected)?.clone();
                    let parameters = Datum::List(parameters.to_vec());
                    self.define_function(&name, &parameters, body, true, out)?;
                }
                Datum::Dotted(items, last) => {
                    let (name, parameters) = items.split_first().ok_or(Rejected)?;
                    let name = name.symbol().ok_or(Rejected)?.clone();
                    let parameters = match parameters {
                        [] => (**last).clone(),
                        some => Datum::Dotted(some.to_vec(), last.clone()),
                    };
                    self.define_function(&name, &parameters, body, true, out)?;
                }
                Datum::Symbol(name) => {
                    let value = self.value(body.first().ok_or(Rejected)?)?;
                    out.push(super::set(&function_name(name), value));
                }
                _ => return Err(Rejected),
            },
            (
                "define-syntax"
                | "define-syntax-rule"
                | "define-compiler-macro"
                | "define-syntax-public"
                | "define-simple-macro"
                | "define-syntax-parser",
                _,
            ) => {
                // Code that makes the expansion runs when the text is compiled.
                if let [_, transformer] = rest
                    && transformer.head().is_none_or(|(head, _)| {
                        !matches!(
                            &**head,
                            "syntax-rules" | "syntax-id-rules" | "er-macro-transformer"
                        )
                    })
                {
                    self.form(transformer, &Dest::Ignore, out)?;
                }
            }
            (
                "defvar" | "defvar-local" | "defconst" | "defcustom" | "defparameter"
                | "defconstant" | "define-constant" | "define-parameter",
                [Datum::Symbol(name), rest @ ..],
            ) => {
                if let Some(value) = rest.first() {
                    let value = self.value(value)?;
                    let statement = self.set_variable(name, value);
                    // A variable that has a value keeps it.
                    if word.starts_with("defvar") || word == "defcustom" {
                        let bound = self.inner_call("<unset>", vec![symbol_value(name)]);
                        out.push(Statement::Branch(vec![(Some(bound), vec![statement])]));
                    } else {
                        out.push(statement);
                    }
                }
                given = symbol_value(name);
            }
            (
                "flet" | "labels" | "cl-flet" | "cl-flet*" | "cl-labels" | "letf!",
                [bindings, body @ ..],
            ) => {
                let mut inner = Vec::new();
                for binding in list_of(bindings)? {
                    let (name, parts) = binding.head().ok_or(Rejected)?;
                    let variable = function_name(name);
                    let value = match parts {
                        [value] if word != "flet" && word != "labels" => self.value(value)?,
                        [parameters, body @ ..] => {
                            let exits = self.exits.len();
                            self.exits.push(super::Exit {
                                name: name.clone(),
                                label: name.clone(),
                                dest: Dest::Return,
                                functions: self.functions + 1,
                            });
                            let code = self.function(name, parameters, body)?;
                            self.exits.truncate(exits);
                            Expr::Function(code)
                        }
                        [] => nil(),
                    };
                    inner.push(assign(&variable, value));
                }
                self.forms(body, dest, &mut inner)?;
                out.push(Statement::Block(inner));
                return Ok(true);
            }
            (
                "defstruct" | "cl-defstruct" | "define-record-type" | "struct" | "define-struct",
                [first, rest @ ..],
            ) => {
                self.record(word, first, rest, out)?;
            }
            ("define-record" | "defclass" | "define-class", _) => {}
            _ => return Ok(false),
        }
        if !matches!(dest, Dest::Ignore) {
            Self::give(dest, given, out);
        }
        Ok(true)
    }

    /// `(define name value)` and `(define (name …) …)`.
    fn define(&mut self, first: &Datum, body: &[Datum], out: &mut Block) -> Parsed<()> {
        match first {
            Datum::Symbol(name) => {
                let value = match body.first() {
                    Some(value) => self.value(value)?,
                    None => nil(),
                };
                out.push(assign(name, value));
                Ok(())
            }
            Datum::List(items) | Datum::Dotted(items, _) => {
                let (head, parameters) = items.split_first().ok_or(Rejected)?;
                let parameters = match first {
                    Datum::Dotted(_, last) if parameters.is_empty() => (**last).clone(),
                    Datum::Dotted(_, last) => Datum::Dotted(parameters.to_vec(), last.clone()),
                    _ => Datum::List(parameters.to_vec()),
                };
                match head {
                    Datum::Symbol(name) => {
                        self.define_function(name, &parameters, body, false, out)
                    }
                    // `(define ((f a) b) …)` is a function that makes functions.
                    head => {
                        let mut inner = vec![Datum::Symbol(Name::from("lambda")), parameters];
                        inner.extend(body.iter().cloned());
                        if !self.lowering.enter() {
                            return Err(Rejected);
                        }
                        self.define(head, &[Datum::List(inner)], out)?;
                        self.lowering.leave();
                        Ok(())
                    }
                }
            }
            _ => Err(Rejected),
        }
    }

    /// A record: its constructor makes a list, and each field may be any item of it.
    fn record(&mut self, word: &str, first: &Datum, rest: &[Datum], out: &mut Block) -> Parsed<()> {
        let name = match first {
            Datum::Symbol(name) => name.clone(),
            Datum::List(items) => match items.first() {
                Some(Datum::Symbol(name)) => name.clone(),
                _ => return Err(Rejected),
            },
            _ => return Err(Rejected),
        };
        let mut makers = vec![format!("make-{name}"), name.to_string(), format!("copy-{name}")];
        let mut readers = Vec::new();
        let mut fields: &[Datum] = rest;
        if word == "define-record-type" {
            if let Some((constructor, more)) = rest.split_first() {
                let made =
                    constructor.symbol().cloned().or_else(|| Some(constructor.head()?.0.clone()));
                makers.extend(made.map(|name| name.to_string()));
                fields = more;
            }
            for field in fields {
                if let Some(parts) = field.items() {
                    readers.extend(
                        parts.iter().skip(1).filter_map(Datum::symbol).map(ToString::to_string),
                    );
                }
            }
        } else {
            // The fields of Racket stand in a list.
            if let (true, Some(Datum::List(items))) =
                (word.contains("struct") && !self.two_spaces(), rest.first())
            {
                fields = items;
            }
            for field in fields {
                let field = field.symbol().cloned().or_else(|| Some(field.head()?.0.clone()));
                readers.extend(field.map(|field| format!("{name}-{field}")));
            }
            if let Some(options) = first.items() {
                for option in options.iter().filter_map(Datum::items) {
                    if let [key, Datum::Symbol(value), ..] = option {
                        if key.is(":constructor") {
                            makers.push(value.to_string());
                        } else if key.is(":conc-name") {
                            let names: Vec<String> = readers
                                .iter()
                                .filter_map(|reader| {
                                    reader
                                        .strip_prefix(&format!("{name}-"))
                                        .map(|field| format!("{value}{field}"))
                                })
                                .collect();
                            readers.extend(names);
                        }
                    }
                }
            }
        }
        for (names, inner) in [(makers, "#'<record>"), (readers, "#'<field>")] {
            for one in names {
                let value = Expr::Name(Name::from(inner));
                out.push(super::set(&function_name(&one), value));
            }
        }
        Ok(())
    }
}

/// The parameters of a method without their classes.
fn unspecialized(parameters: &Datum) -> Datum {
    match parameters {
        Datum::List(items) => Datum::List(
            items
                .iter()
                .map(|item| match item.items() {
                    Some([name @ Datum::Symbol(_), _]) => name.clone(),
                    _ => item.clone(),
                })
                .collect(),
        ),
        other => other.clone(),
    }
}

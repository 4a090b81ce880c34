//! Emacs Lisp, Scheme, Racket and Common Lisp: text → data → the intermediate form.
//!
//! A form is lowered into statements with a place for its value ([`Dest`]), so that branches and loops are followed as
//! such. The head of a call is the name `(name`, a quoted symbol the name `'name`, a function `#'name`; the interpreter
//! knows what they stand for. Text behind a mistake is not read.

mod binders;
mod bindings;
mod calls;
mod conditions;
mod emacs;
mod extended_loop;
mod loops;
mod modules;
mod places;
mod quoted;
mod reader;
mod scan;
mod special;
mod tokens;

use crate::ir::{
    Argument, Block, Call, CallKind, Constant, Expr, Name, Program, Statement, Target,
};
use crate::limits::MAX_TEXT;
use crate::lowering::Lowering;
use reader::{Datum, Reader};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Which Lisp a text is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Emacs Lisp.
    Emacs,
    /// Scheme, Racket and Common Lisp.
    Scheme,
}

/// A mistake in the text, or too much nesting.
#[derive(Debug, Clone, Copy)]
struct Rejected;

type Parsed<T> = Result<T, Rejected>;

/// Where the value of a form goes.
#[derive(Debug, Clone)]
enum Dest {
    Ignore,
    Return,
    Into(Name),
}

/// What `return-from` leaves.
struct Exit {
    name: Name,
    label: Name,
    dest: Dest,
    /// In how many functions it stands.
    functions: u32,
}

struct Lisp<'a> {
    dialect: Dialect,
    lowering: &'a mut Lowering,
    /// The text is Common Lisp, in which functions have a name space of their own.
    common: bool,
    temporary: u32,
    /// Names that the text defines as macros: whether the expansion is computed by a function.
    macros: HashMap<Name, bool>,
    /// Names that the text defines, so that they are no special forms.
    defined: HashSet<Name>,
    /// Names of special forms that variables around have.
    shadowed: Vec<Name>,
    /// Variables with dynamic scope.
    dynamic: HashSet<Name>,
    /// Variables of the program that a binding may hide for functions too.
    assigned: HashSet<Name>,
    /// What imported names start with.
    prefixes: Vec<Name>,
    exits: Vec<Exit>,
    functions: u32,
}

/// Returns the program that a text is.
#[must_use]
pub fn lower(dialect: Dialect, code: &str, lowering: &mut Lowering) -> Program {
    if code.len() > MAX_TEXT {
        return Program { body: Vec::new(), cut: true, size: 0 };
    }
    lowering.size = 0;
    lowering.cut = false;
    let level = lowering.level();
    let mut reader = Reader::new(dialect, code);
    let mut data = read_all(&mut reader, lowering);
    let mut found = scan::scan(dialect, &data);
    found.common |= reader.common;
    if found.common && dialect == Dialect::Scheme {
        lowering.cut = false;
        let mut reader = Reader::new(dialect, code);
        reader.plain_escapes = true;
        data = read_all(&mut reader, lowering);
        // Names of both kinds in one text: which of them are the same is not known.
        lowering.cut |= found.scheme && found.upper;
        data.iter_mut().for_each(scan::fold);
        found = scan::Found { common: true, ..scan::scan(dialect, &data) };
    }
    let mut lisp = Lisp {
        dialect,
        lowering,
        common: found.common,
        temporary: 0,
        macros: found.macros,
        defined: found.defined,
        shadowed: Vec::new(),
        dynamic: found.dynamic,
        assigned: found.assigned,
        prefixes: Vec::new(),
        exits: Vec::new(),
        functions: 0,
    };
    let mut body = Vec::new();
    for datum in &data {
        if lisp.form(datum, &Dest::Ignore, &mut body).is_err() {
            lisp.lowering.cut = true;
            lisp.lowering.back_to(level);
            lisp.shadowed.clear();
            lisp.exits.clear();
            lisp.functions = 0;
        }
    }
    Program { body, cut: lowering.cut, size: lowering.size }
}

fn read_all(reader: &mut Reader<'_>, lowering: &mut Lowering) -> Vec<Datum> {
    let level = lowering.level();
    let mut data = Vec::new();
    loop {
        match reader.next(lowering) {
            Ok(Some(datum)) => data.push(datum),
            Ok(None) => return data,
            Err(Rejected) => {
                lowering.cut = true;
                lowering.back_to(level);
                return data;
            }
        }
    }
}

impl Lisp<'_> {
    fn is_emacs(&self) -> bool {
        self.dialect == Dialect::Emacs
    }

    /// Whether functions and variables have names of their own.
    fn two_spaces(&self) -> bool {
        self.is_emacs() || self.common
    }

    /// A name that the text cannot have.
    fn temporary(&mut self) -> Name {
        self.temporary += 1;
        // Numbers of calls are unique across texts that are evaluated by others.
        Name::from(format!("<{}-{}>", self.temporary, self.lowering.site()))
    }

    /// Puts a value where it goes.
    fn give(dest: &Dest, value: Expr, out: &mut Block) {
        out.push(match dest {
            Dest::Ignore => Statement::Expr(value),
            Dest::Return => Statement::Return(Some(value)),
            Dest::Into(name) => Statement::Assign(vec![Target::Nearest(name.clone())], value),
        });
    }

    /// Lowers a form into statements.
    fn form(&mut self, datum: &Datum, dest: &Dest, out: &mut Block) -> Parsed<()> {
        if let Some((name, rest)) = datum.head()
            && self.is_special(name)
        {
            if !self.lowering.enter() {
                return Err(Rejected);
            }
            let name = name.clone();
            let known = self.special(&name, rest, dest, out)?;
            self.lowering.leave();
            if known {
                return Ok(());
            }
        }
        let value = self.value(datum)?;
        Self::give(dest, value, out);
        Ok(())
    }

    /// Lowers forms in order; the last one gives the value.
    fn forms(&mut self, data: &[Datum], dest: &Dest, out: &mut Block) -> Parsed<()> {
        let Some((last, before)) = data.split_last() else {
            if !matches!(dest, Dest::Ignore) {
                Self::give(dest, nil(), out);
            }
            return Ok(());
        };
        for datum in before {
            self.form(datum, &Dest::Ignore, out)?;
        }
        self.form(last, dest, out)
    }

    /// Forms as a block of their own.
    fn block(&mut self, data: &[Datum], dest: &Dest) -> Parsed<Block> {
        let mut out = Vec::new();
        self.forms(data, dest, &mut out)?;
        Ok(out)
    }

    /// Lowers a form into an expression.
    fn value(&mut self, datum: &Datum) -> Parsed<Expr> {
        if !self.lowering.enter() {
            return Err(Rejected);
        }
        let value = self.value_inside(datum)?;
        self.lowering.leave();
        Ok(value)
    }

    fn value_inside(&mut self, datum: &Datum) -> Parsed<Expr> {
        Ok(match datum {
            Datum::Symbol(name) => self.variable(name),
            Datum::List(items) => match items.split_first() {
                None => nil(),
                Some((first, rest)) => {
                    if let Some(name) = first.symbol()
                        && self.is_special(name)
                    {
                        let name = name.clone();
                        if let Some(value) = self.special_value(&name, rest)? {
                            return Ok(value);
                        }
                        return self.valued(|this, dest, out| {
                            match this.special(&name, rest, dest, out)? {
                                true => Ok(()),
                                false => Err(Rejected),
                            }
                        });
                    }
                    self.call(first, rest)?
                }
            },
            Datum::Dotted(items, _) => {
                // Only a call with a list behind the dot could run: `(system . ("id"))` was read as a list.
                for item in items.iter().skip(1) {
                    self.value(item)?;
                }
                self.lowering.cut = true;
                Expr::Unknown
            }
            other => self.quoted(other)?,
        })
    }

    /// Statements as an expression: their value goes into a variable.
    fn valued(
        &mut self,
        lower: impl FnOnce(&mut Self, &Dest, &mut Block) -> Parsed<()>,
    ) -> Parsed<Expr> {
        let name = self.temporary();
        let mut out = vec![Statement::Assign(vec![Target::Name(name.clone())], nil())];
        lower(self, &Dest::Into(name.clone()), &mut out)?;
        out.push(Statement::Expr(Expr::Name(name)));
        Ok(Expr::Block(out))
    }

    fn variable(&mut self, name: &Name) -> Expr {
        if name.starts_with(':') {
            return symbol_value(name);
        }
        match &**name {
            "nil" if self.is_emacs() => nil(),
            "t" if self.is_emacs() => truth(true),
            _ => Expr::Name(self.unprefixed(name)),
        }
    }

    /// The name that an imported name has in its module.
    fn unprefixed(&self, name: &Name) -> Name {
        if self.defined.contains(name) {
            return name.clone();
        }
        let found = self.prefixes.iter().find_map(|prefix| name.strip_prefix(&**prefix));
        found.filter(|rest| !rest.is_empty()).map_or_else(|| name.clone(), Name::from)
    }

    /// A call of a function of the interpreter.
    fn inner_call(&mut self, name: &str, arguments: Vec<Expr>) -> Expr {
        let function = Expr::Name(Name::from(format!("({name}")));
        self.call_of(function, arguments.into_iter().map(Argument::One).collect())
    }

    fn call_of(&mut self, function: Expr, arguments: Vec<Argument>) -> Expr {
        let site = self.lowering.site();
        Expr::Call(Box::new(Call { function, arguments, site, kind: CallKind::Plain }))
    }
}

fn nil() -> Expr {
    Expr::Constant(Constant::None)
}

fn truth(value: bool) -> Expr {
    Expr::Constant(Constant::Bool(value))
}

fn text(value: &str) -> Expr {
    Expr::Constant(Constant::Text(Rc::from(value)))
}

/// A symbol as a value.
fn symbol_value(name: &str) -> Expr {
    Expr::Name(Name::from(format!("'{name}")))
}

/// The name of a function as a value.
fn function_name(name: &str) -> Name {
    Name::from(format!("#'{name}"))
}

fn assign(name: &Name, value: Expr) -> Statement {
    Statement::Assign(vec![Target::Name(name.clone())], value)
}

fn set(name: &Name, value: Expr) -> Statement {
    Statement::Assign(vec![Target::Nearest(name.clone())], value)
}

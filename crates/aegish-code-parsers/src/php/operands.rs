//! Operands: variables, calls, texts, arrays.

use super::lexer::Token;
use super::strings::{Key, Part};
use super::{APPEND, Around, MAX_CHAIN, Parsed, Php, Rejected, bytes, text, variable};
use crate::ir::{Argument, Call, CallKind, CompareOp, Constant, Expr, LogicOp, Statement, Target};
use crate::lowering::Lowering;
use std::rc::Rc;

impl Php<'_> {
    /// An operand with what follows it.
    pub(super) fn operand(&mut self) -> Parsed<Expr> {
        let first = self.primary()?;
        self.suffixes(first)
    }

    fn suffixes(&mut self, first: Expr) -> Parsed<Expr> {
        let mut value = first;
        for _ in 0..MAX_CHAIN {
            let Token::Symbol(symbol) = self.token else { return Ok(value) };
            value = match symbol {
                "[" => {
                    self.advance();
                    let index =
                        if self.is("]") { Expr::Name(APPEND.into()) } else { self.expression()? };
                    self.expect("]")?;
                    Expr::Index(Box::new([value, index]))
                }
                "{" if matches!(self.lexer.rest().as_bytes().first(), Some(b'0'..=b'9'))
                    && matches!(value, Expr::Name(_))
                    && self.is_old_index() =>
                {
                    self.advance();
                    let index = self.expression()?;
                    self.expect("}")?;
                    Expr::Index(Box::new([value, index]))
                }
                "->" | "?->" => {
                    self.advance();
                    self.member(value)?
                }
                "::" => {
                    self.advance();
                    let class = self.class_of(value);
                    self.class_member(class)?
                }
                "(" => match self.arguments()? {
                    Some(arguments) => self.call(value, arguments),
                    None => value,
                },
                _ => return Ok(value),
            };
        }
        Err(Rejected)
    }

    /// `$text{0}`, as PHP 7 has it.
    fn is_old_index(&self) -> bool {
        let rest = self.lexer.rest();
        rest.bytes().find(|byte| !byte.is_ascii_digit()) == Some(b'}')
    }

    /// What stands behind `->`.
    fn member(&mut self, object: Expr) -> Parsed<Expr> {
        let computed = match self.advance() {
            Token::Name(name) => {
                // A method if it is called.
                let attribute =
                    if self.is("(") { name.to_ascii_lowercase() } else { format!("${name}") };
                return Ok(Expr::Attribute(Box::new(object), attribute.into()));
            }
            Token::Variable(name) => variable(&name),
            Token::Symbol("{") => {
                let inner = self.expression()?;
                self.expect("}")?;
                inner
            }
            Token::Symbol("$") => self.variable_variable()?,
            _ => return Err(Rejected),
        };
        if self.is("(") {
            let called = Expr::Constant(Constant::Bool(true));
            return Ok(self.builtin("<member>", vec![object, computed, called]));
        }
        let properties = self.builtin("<properties>", vec![object]);
        Ok(Expr::Index(Box::new([properties, computed])))
    }

    /// The class in front of `::`; a value names it.
    fn class_of(&mut self, value: Expr) -> Expr {
        match &value {
            Expr::Name(name) if name.starts_with(':') || &**name == "$static:" => value,
            Expr::Unknown => value,
            Expr::Call(call) if matches!(&call.function, Expr::Name(name) if matches!(&**name, "<parent>" | "<class-of>")) => {
                value
            }
            _ => self.builtin("<class>", vec![value]),
        }
    }

    /// What stands behind `::`.
    fn class_member(&mut self, class: Expr) -> Parsed<Expr> {
        match self.advance() {
            Token::Name(name) if self.is("(") => {
                let name = name.to_ascii_lowercase();
                Ok(Expr::Attribute(Box::new(class), name.into()))
            }
            Token::Name(name) if name.eq_ignore_ascii_case("class") => {
                Ok(self.builtin("<class-name>", vec![class]))
            }
            Token::Name(name) => Ok(Expr::Attribute(Box::new(class), format!("#{name}").into())),
            // `A::$f()` calls the method that the variable names.
            Token::Variable(name) if self.is("(") => {
                let called = Expr::Constant(Constant::Bool(true));
                Ok(self.builtin("<member>", vec![class, variable(&name), called]))
            }
            Token::Variable(name) => {
                Ok(Expr::Attribute(Box::new(class), format!("${name}").into()))
            }
            Token::Symbol("{") => {
                let inner = self.expression()?;
                self.expect("}")?;
                let called = Expr::Constant(Constant::Bool(self.is("(")));
                Ok(self.builtin("<member>", vec![class, inner, called]))
            }
            Token::Symbol("$") => {
                let inner = self.variable_variable()?;
                Ok(self.builtin("<member>", vec![class, inner]))
            }
            _ => Err(Rejected),
        }
    }

    /// What stands behind the first `$` of `$$name` and `${…}`.
    fn variable_variable(&mut self) -> Parsed<Expr> {
        if !self.lowering.enter() {
            return Err(Rejected);
        }
        let name = match self.advance() {
            Token::Variable(name) => variable(&name),
            Token::Symbol("$") => self.variable_variable()?,
            Token::Symbol("{") => {
                let name = self.expression()?;
                self.expect("}")?;
                name
            }
            _ => return Err(Rejected),
        };
        self.lowering.leave();
        Ok(named_variable(name))
    }

    fn primary(&mut self) -> Parsed<Expr> {
        match self.advance() {
            Token::Variable(name) => Ok(variable(&name)),
            Token::Int(number) => Ok(Expr::Constant(Constant::Int(number))),
            Token::Number => Ok(Expr::Constant(Constant::Number)),
            Token::Text(value) => Ok(bytes(&value)),
            Token::Template(parts) => self.built(&parts),
            Token::Backtick(parts) => {
                let command = self.built(&parts)?;
                Ok(self.builtin("shell_exec", vec![command]))
            }
            Token::Symbol("$") => self.variable_variable(),
            Token::Symbol("(") => {
                let value = self.expression()?;
                self.expect(")")?;
                Ok(value)
            }
            Token::Symbol("[") => self.array("]"),
            Token::Symbol("#[") => {
                self.attribute_list()?;
                self.primary()
            }
            Token::Name(name) => self.named(&name),
            _ => Err(Rejected),
        }
    }

    /// The items of an array up to its closing bracket.
    pub(super) fn array(&mut self, close: &str) -> Parsed<Expr> {
        let mut pairs = Vec::new();
        while !self.takes(close) {
            if self.takes(",") {
                // A place that `list` leaves out.
                pairs.push((Some(Expr::Name(APPEND.into())), Expr::Constant(Constant::None)));
                continue;
            }
            if self.takes("...") {
                let value = self.expression()?;
                pairs.push((None, value));
            } else {
                let first = self.expression()?;
                if self.takes("=>") {
                    let value = self.expression()?;
                    pairs.push((Some(first), value));
                } else {
                    pairs.push((Some(Expr::Name(APPEND.into())), first));
                }
            }
            if !self.is(close) {
                self.expect(",")?;
            }
        }
        Ok(Expr::Dict(pairs))
    }

    /// A text of parts.
    fn built(&mut self, parts: &[Part]) -> Parsed<Expr> {
        let mut out = Vec::new();
        for part in parts {
            out.push(match part {
                Part::Text(known) => bytes(known),
                Part::Simple(name, key) => {
                    let value = variable(name);
                    match key {
                        None => value,
                        Some(Key::Attribute(name)) => {
                            Expr::Attribute(Box::new(value), format!("${name}").into())
                        }
                        Some(Key::Index(key)) => Expr::Index(Box::new([value, text(key)])),
                        Some(Key::Variable(key)) => Expr::Index(Box::new([value, variable(key)])),
                        Some(Key::Number(key)) => {
                            Expr::Index(Box::new([value, Expr::Constant(Constant::Int(*key))]))
                        }
                    }
                }
                Part::Code(code) => self.inner(code)?,
                Part::Named(code) => {
                    let end = code.find('[').unwrap_or(code.len());
                    let (name, index) = code.split_at_checked(end).unwrap_or((code, ""));
                    let plain = !name.is_empty() && name.bytes().all(super::lexer::is_part);
                    if plain && (index.is_empty() || index.ends_with(']')) {
                        self.inner(&format!("${name}{index}"))?
                    } else {
                        named_variable(self.inner(code)?)
                    }
                }
            });
        }
        Ok(Expr::Build(out))
    }

    /// An expression inside of a text.
    fn inner(&mut self, code: &str) -> Parsed<Expr> {
        let mut lexer = super::lexer::Lexer::new(code, false);
        let token = lexer.next();
        // The state of the parser but for the text is shared.
        let mut inner = Php {
            lexer,
            token,
            lowering: &mut *self.lowering,
            namespace: self.namespace.clone(),
            classes: self.classes.clone(),
            functions: self.functions.clone(),
            around: self.around.clone(),
            function: self.function.clone(),
            loops: Vec::new(),
            hoisted: Vec::new(),
            conditional: 1,
            temporaries: self.temporaries + 1000,
        };
        let value = inner.expression()?;
        let ended = inner.token == Token::End;
        if ended { Ok(value) } else { Err(Rejected) }
    }

    /// A name: a keyword, a call, a class or a constant.
    fn named(&mut self, name: &Rc<str>) -> Parsed<Expr> {
        let lower = name.to_ascii_lowercase();
        match lower.as_str() {
            "array" if self.is("(") => {
                self.advance();
                return self.array(")");
            }
            "list" if self.is("(") => {
                self.advance();
                return self.array(")");
            }
            "function" | "fn" => return self.closure(lower == "fn", false),
            "static" if self.is_word("function") || self.is_word("fn") => {
                let arrow = self.is_word("fn");
                self.advance();
                return self.closure(arrow, true);
            }
            "new" => return self.new_object(),
            "clone" => {
                let value = self.assigned()?;
                return Ok(self.builtin("<clone>", vec![value]));
            }
            "print" => {
                let value = self.assigned()?;
                return Ok(self.builtin("print", vec![value]));
            }
            "include" | "include_once" | "require" | "require_once" => {
                let value = self.assigned()?;
                return Ok(self.builtin("include", vec![value]));
            }
            "throw" => {
                let value = self.assigned()?;
                return Ok(Expr::Block(vec![Statement::Raise(Some(value))]));
            }
            "yield" => return self.yielded(),
            "exit" | "die" => {
                let value =
                    if self.is("(") { self.arguments()?.unwrap_or_default() } else { Vec::new() };
                let value = self.call(Expr::Name("exit".into()), value);
                return Ok(Expr::Block(vec![Statement::Expr(value), Statement::Raise(None)]));
            }
            "isset" | "empty" if self.is("(") => {
                let arguments = self.arguments()?.unwrap_or_default();
                return Ok(self.call(Expr::Name(format!("<{lower}>").into()), arguments));
            }
            "match" if self.is("(") => return self.match_expression(),
            _ => {}
        }
        if self.is("(") {
            let name = self.function_name(name);
            return Ok(Expr::Name(name));
        }
        if self.is("::") {
            return Ok(self.class(name));
        }
        Ok(self.constant(name))
    }

    fn yielded(&mut self) -> Parsed<Expr> {
        self.lowering.mark_yield();
        if self.takes_word("from") {
            let value = self.assigned()?;
            return Ok(Expr::YieldFrom(Box::new(value)));
        }
        if matches!(self.token, Token::Symbol(";" | ")" | "," | "]")) {
            return Ok(Expr::Yield(None));
        }
        let value = self.assigned()?;
        let value = if self.takes("=>") { self.assigned()? } else { value };
        Ok(Expr::Yield(Some(Box::new(value))))
    }

    fn new_object(&mut self) -> Parsed<Expr> {
        if self.is("#[") {
            self.advance();
            self.attribute_list()?;
        }
        while self.is_word("readonly") {
            self.advance();
        }
        let class = match self.token.clone() {
            Token::Name(name) if name.eq_ignore_ascii_case("class") => {
                self.advance();
                let arguments =
                    if self.is("(") { self.arguments()?.unwrap_or_default() } else { Vec::new() };
                let class = self.class_body(None, "class")?;
                return Ok(self.made(Expr::Class(class), arguments));
            }
            Token::Name(name) => {
                self.advance();
                self.class(&name)
            }
            Token::Symbol("(") => {
                self.advance();
                let name = self.expression()?;
                self.expect(")")?;
                self.builtin("<class>", vec![name])
            }
            _ => {
                let place = self.class_variable()?;
                self.builtin("<class>", vec![place])
            }
        };
        let arguments =
            if self.is("(") { self.arguments()?.unwrap_or_default() } else { Vec::new() };
        Ok(self.made(class, arguments))
    }

    /// A variable with what follows it but for calls: the class of `new $a->b['c'](…)`.
    fn class_variable(&mut self) -> Parsed<Expr> {
        let mut value = match self.advance() {
            Token::Variable(name) => variable(&name),
            Token::Symbol("$") => self.variable_variable()?,
            _ => return Err(Rejected),
        };
        for _ in 0..MAX_CHAIN {
            value = match self.token {
                Token::Symbol("[") => {
                    self.advance();
                    let index = self.expression()?;
                    self.expect("]")?;
                    Expr::Index(Box::new([value, index]))
                }
                Token::Symbol("->" | "?->" | "::") => {
                    self.advance();
                    match self.advance() {
                        Token::Name(name) | Token::Variable(name) => {
                            Expr::Attribute(Box::new(value), format!("${name}").into())
                        }
                        _ => return Err(Rejected),
                    }
                }
                _ => return Ok(value),
            };
        }
        Err(Rejected)
    }

    fn made(&mut self, class: Expr, arguments: Vec<Argument>) -> Expr {
        let site = self.lowering.site();
        Expr::Call(Box::new(Call { function: class, arguments, site, kind: CallKind::New }))
    }

    fn match_expression(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        let subject = self.expression()?;
        self.expect(")")?;
        self.expect("{")?;
        let (subject_name, result) = (self.temporary(), self.temporary());
        let mut branches = Vec::new();
        while !self.takes("}") {
            let test = if self.takes_word("default") {
                self.takes(",");
                None
            } else {
                let mut tests = Vec::new();
                loop {
                    let value = self.expression()?;
                    let subject = Box::new(Expr::Name(subject_name.clone()));
                    tests.push(Expr::Compare(subject, vec![(CompareOp::Equal, value)]));
                    if !self.takes(",") || self.is("=>") {
                        break;
                    }
                }
                Some(Expr::Logic(LogicOp::Or, tests))
            };
            self.expect("=>")?;
            let value = self.expression()?;
            let assign = Statement::Assign(vec![Target::Name(result.clone())], value);
            branches.push((test, vec![assign]));
            if !self.is("}") {
                self.expect(",")?;
            }
        }
        // The default may stand before the others.
        branches.sort_by_key(|(test, _)| test.is_none());
        Ok(Expr::Block(vec![
            Statement::Assign(vec![Target::Name(subject_name)], subject),
            Statement::Assign(vec![Target::Name(result.clone())], super::null()),
            Statement::Branch(branches),
            Statement::Expr(Expr::Name(result)),
        ]))
    }

    /// Skips what stands between `#[` and its `]`.
    pub(super) fn attribute_list(&mut self) -> Parsed<()> {
        let mut depth = 1;
        while depth > 0 {
            match self.advance() {
                Token::Symbol("[" | "#[") => depth += 1,
                Token::Symbol("]") => depth -= 1,
                Token::End | Token::Wrong => return Err(Rejected),
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn around_class(&mut self, class: &str, is_static: bool) -> Around {
        let around = Around { class: Some(Lowering::name(class)), is_static };
        std::mem::replace(&mut self.around, around)
    }
}

/// A variable whose name is computed.
fn named_variable(name: Expr) -> Expr {
    Expr::Index(Box::new([Expr::Name("<variables>".into()), name]))
}

//! Classes, interfaces, traits and enumerations.

use super::functions::Method;
use super::lexer::Token;
use super::{Parsed, Php, Rejected, null, text};
use crate::ir::{Argument, Block, Class, Expr, Name, Statement, Target};
use std::rc::Rc;

/// Methods that the language calls, by the names that all languages share.
fn shared_name(name: &str) -> &str {
    match name {
        "__construct" => "__init__",
        "__invoke" => "__call__",
        "__tostring" => "__str__",
        "offsetget" => "__getitem__",
        "offsetset" => "__setitem__",
        "getiterator" => "__iter__",
        other => other,
    }
}

impl Php<'_> {
    /// A declaration behind its modifiers.
    pub(super) fn class_statement(&mut self, kind: &str, out: &mut Block) -> Parsed<()> {
        let name = self.identifier()?;
        let class = self.class_body(Some(&name), kind)?;
        let statement = |class: &Rc<Class>| Statement::Class {
            class: Rc::clone(class),
            decorators: Vec::new(),
        };
        if self.conditional == 0 {
            // It exists from the start, and what its constants are computed of from here on.
            self.hoisted.push(statement(&class));
        }
        out.push(statement(&class));
        Ok(())
    }

    /// A class behind its name.
    pub(super) fn class_body(&mut self, name: Option<&str>, kind: &str) -> Parsed<Rc<Class>> {
        let class_name: Name = match name {
            Some(name) => format!(":{}", self.declared(name)).into(),
            None => {
                self.temporaries += 1;
                format!(":class@anonymous{}", self.temporaries).into()
            }
        };
        let mut bases = Vec::new();
        if self.takes(":") {
            self.skip_type()?;
        }
        for word in ["extends", "implements"] {
            if self.takes_word(word) {
                loop {
                    let base = self.identifier()?;
                    bases.push(Argument::One(self.class(&base)));
                    if !self.takes(",") {
                        break;
                    }
                }
            }
        }
        let outer = self.around_class(&class_name, false);
        let function = self.function.clone();
        self.conditional += 1;
        let body = self.members(kind, &mut bases);
        self.conditional -= 1;
        self.function = function;
        self.around = outer;
        Ok(Rc::new(Class { name: class_name, bases, body: body?, statics: None }))
    }

    fn members(&mut self, kind: &str, bases: &mut Vec<Argument>) -> Parsed<Block> {
        self.expect("{")?;
        if !self.lowering.enter() {
            return Err(Rejected);
        }
        let mut body = Vec::new();
        while !self.takes("}") {
            self.class_item(kind, bases, &mut body)?;
        }
        self.lowering.leave();
        Ok(body)
    }

    fn class_item(
        &mut self,
        kind: &str,
        bases: &mut Vec<Argument>,
        body: &mut Block,
    ) -> Parsed<()> {
        while self.takes("#[") {
            self.attribute_list()?;
        }
        if self.takes_word("use") {
            return self.trait_use(bases, body);
        }
        if kind == "enum" && self.is_word("case") {
            self.advance();
            let name = self.identifier()?;
            let value = if self.takes("=") { self.expression()? } else { null() };
            self.expect(";")?;
            let case = self.builtin("<case>", vec![text(&name), value]);
            let target = Target::Name(format!("#{name}").into());
            body.push(Statement::Assign(vec![target], case));
            return Ok(());
        }
        let mut is_static = false;
        let modifiers =
            ["public", "private", "protected", "static", "abstract", "final", "var", "readonly"];
        while let Some(word) = modifiers.iter().find(|word| self.is_word(word)) {
            is_static |= *word == "static";
            self.advance();
            if self.takes("(") {
                self.identifier()?;
                self.expect(")")?;
            }
        }
        if self.takes_word("const") {
            return self.class_constants(body);
        }
        if self.takes_word("function") {
            return self.method(is_static, body);
        }
        self.skip_type()?;
        loop {
            let Token::Variable(name) = self.advance() else { return Err(Rejected) };
            let value = if self.takes("=") { self.expression()? } else { null() };
            let target = Target::Name(format!("${name}").into());
            body.push(Statement::Assign(vec![target], value));
            if self.is("{") {
                return self.skip_braces();
            }
            if !self.takes(",") {
                break;
            }
        }
        self.expect(";")
    }

    fn class_constants(&mut self, body: &mut Block) -> Parsed<()> {
        // A type may stand before the name.
        if self.peek() != Token::Symbol("=") {
            self.advance();
        }
        loop {
            let name = self.identifier()?;
            self.expect("=")?;
            let value = self.expression()?;
            let target = Target::Name(format!("#{name}").into());
            body.push(Statement::Assign(vec![target], value));
            if !self.takes(",") {
                break;
            }
        }
        self.expect(";")
    }

    fn method(&mut self, is_static: bool, body: &mut Block) -> Parsed<()> {
        self.takes("&");
        let written = self.identifier()?.to_ascii_lowercase();
        let name = shared_name(&written);
        self.around.is_static = is_static;
        let method = if is_static { Method::OfClass } else { Method::OfObject };
        let signature = self.lexer;
        let token = self.token.clone();
        // A method without a body.
        let parameters = self.parameters();
        self.return_type()?;
        if parameters.is_ok() && self.takes(";") {
            return Ok(());
        }
        self.lexer = signature;
        self.token = token;
        let code = self.function_rest(name, method)?;
        let decorators =
            if is_static { vec![Expr::Name("classmethod".into())] } else { Vec::new() };
        body.push(Statement::Function { code, decorators });
        Ok(())
    }

    /// `use A, B { A::f as g; }`: methods of a trait are those of the class.
    fn trait_use(&mut self, bases: &mut Vec<Argument>, body: &mut Block) -> Parsed<()> {
        loop {
            let name = self.identifier()?;
            // Before the parent, whose methods they replace.
            bases.insert(0, Argument::One(self.class(&name)));
            if !self.takes(",") {
                break;
            }
        }
        if !self.takes("{") {
            return self.expect(";");
        }
        while !self.takes("}") {
            let mut owner = self.identifier()?;
            let method = if self.takes("::") {
                self.identifier()?
            } else {
                let method = owner;
                owner = "".into();
                method
            };
            if self.takes_word("insteadof") {
                loop {
                    self.identifier()?;
                    if !self.takes(",") {
                        break;
                    }
                }
                let class = self.class(&owner);
                body.push(renamed(class, &method, &method));
            } else if self.takes_word("as") {
                for word in ["public", "protected", "private"] {
                    self.takes_word(word);
                }
                if !self.is(";") {
                    let other = self.identifier()?;
                    if owner.is_empty() {
                        for base in bases.iter().rev() {
                            if let Argument::One(Expr::Name(base)) = base {
                                body.push(renamed(Expr::Name(base.clone()), &method, &other));
                                break;
                            }
                        }
                    } else {
                        let class = self.class(&owner);
                        body.push(renamed(class, &method, &other));
                    }
                }
            } else {
                return Err(Rejected);
            }
            self.expect(";")?;
        }
        Ok(())
    }
}

/// A method of a trait under another name.
fn renamed(class: Expr, method: &str, name: &str) -> Statement {
    let method = method.to_ascii_lowercase();
    let value = Expr::Attribute(Box::new(class), method.into());
    Statement::Assign(vec![Target::Name(name.to_ascii_lowercase().into())], value)
}

//! Definitions of functions and classes, and calls of them.

use super::call::Reference;
use super::cursor::Cursor;
use super::interpreter::{Interpreter, Lambda};
use super::lex::TokenKind;
use super::object::{Args, Object};
use aegish_profiles::Lang;

/// Returns the position of the `end` of the function whose body starts here.
fn closing_end(c: &Cursor<'_>, lang: Lang) -> Option<usize> {
    // In Elixir a `do` after the head opens the body.
    let mut depth = u32::from(lang != Lang::Elixir);
    let mut place = c.pos;
    // The `do` of a loop belongs to the loop and opens no block.
    let mut loop_do = false;
    while let Some(tok) = c.tokens.get(place).filter(|_| place < c.end) {
        match (tok.kind, tok.text) {
            (TokenKind::Op, "(" | "[" | "{") if tok.partner > place && tok.partner < c.end => {
                place = tok.partner;
            }
            (TokenKind::Line, _) => loop_do = false,
            (TokenKind::Name, "end") => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(place);
                }
            }
            (TokenKind::Name, "do") if loop_do => loop_do = false,
            (TokenKind::Name, "do") => depth += 1,
            (TokenKind::Name, "function" | "begin" | "let" | "try" | "struct" | "quote" | "if")
                if lang == Lang::Julia =>
            {
                depth += 1;
            }
            (TokenKind::Name, "fn") if lang == Lang::Elixir => depth += 1,
            (TokenKind::Name, "while" | "until" | "for") if lang == Lang::Julia => {
                depth += 1;
                loop_do = true;
            }
            _ => {}
        }
        place += 1;
    }
    None
}

impl Interpreter<'_> {
    /// Reads a function, lambda or class definition.
    pub(super) fn definition(&mut self, c: &mut Cursor<'_>, word: &str) -> Option<Object> {
        let lang = self.dialect.lang;
        let next = c.at(1)?;
        match (lang, word) {
            (_, "class" | "interface" | "trait" | "module" | "struct")
                if next.kind == TokenKind::Name && lang != Lang::R =>
            {
                c.pos += 2;
                while let Some(tok) = c.at(0) {
                    if tok.kind == TokenKind::Line || matches!(tok.text, "{" | ":" | ";") {
                        break;
                    }
                    c.pos = if tok.text == "(" { c.partner() + 1 } else { c.pos + 1 };
                }
                c.eat("{");
                Some(Object::Other)
            }
            (Lang::Elixir, "fn") => {
                c.pos += 1;
                let limit = c.pos + 16;
                while c.pos < limit
                    && c.at(0).is_some_and(|t| t.text != "->" && t.kind != TokenKind::Line)
                {
                    if let Some(tok) = c.at(0).filter(|t| t.kind == TokenKind::Name) {
                        let value = self.callback.clone();
                        self.set(tok.text, value);
                    }
                    c.pos += 1;
                }
                c.eat("->");
                Some(self.expr(c, 0))
            }
            (Lang::Groovy | Lang::Elixir, "def")
            | (Lang::Elixir, "defp")
            | (Lang::R | Lang::Julia | Lang::Octave, "function")
            | (Lang::Go, "func") => {
                if lang == Lang::Groovy
                    && !(c.at(1).is_some_and(|t| t.kind == TokenKind::Name) && c.is_op(2, "("))
                {
                    return None;
                }
                Some(self.function(c))
            }
            _ => None,
        }
    }

    pub(super) fn function(&mut self, c: &mut Cursor<'_>) -> Object {
        c.pos += 1;
        self.function_named(c)
    }

    /// A function from its name on.
    pub(super) fn function_named(&mut self, c: &mut Cursor<'_>) -> Object {
        let lang = self.dialect.lang;
        c.eat("*");
        // Go: func (receiver T) name(…)
        if lang == Lang::Go && c.is_op(0, "(") {
            let close = c.partner();
            if c.tokens.get(close + 1).is_some_and(|t| t.kind == TokenKind::Name)
                && c.tokens.get(close + 2).is_some_and(|t| t.text == "(")
            {
                c.pos = close + 1;
            }
        }
        let mut name: Option<&str> = None;
        while let Some(tok) = c.at(0).filter(|t| t.kind == TokenKind::Name) {
            name = Some(tok.text);
            c.pos += 1;
            if !(c.eat(".") || c.eat(":") || c.eat("::")) {
                break;
            }
        }
        let params = if c.is_op(0, "(") { self.parameters(c) } else { Vec::new() };
        let inline = matches!(lang, Lang::Julia | Lang::Octave | Lang::Elixir);
        if inline {
            // A named function is evaluated when it is called, if its end can be found.
            if name.is_some()
                && c.top
                && !c.is_op(0, "=")
                && let Some(end) = closing_end(c, lang)
            {
                let from = c.pos;
                self.burn(end - from);
                let value = self.remember(c, name, params, (from, end));
                c.pos = end + 1;
                return value;
            }
            return self.inline_function(c, &params, name.is_some());
        }
        let limit = c.pos + 24;
        while c.pos < limit
            && c.at(0).is_some_and(|t| {
                !(t.kind == TokenKind::Op && matches!(t.text, "{" | "=>" | ";" | ","))
            })
        {
            if lang == Lang::R {
                return self.arrow_body(c, params);
            }
            c.pos = if c.is_op(0, "(") { c.partner() + 1 } else { c.pos + 1 };
        }
        if c.eat("=>") {
            return self.arrow_body(c, params);
        }
        if c.is_op(0, "{") {
            let close = c.partner();
            let body = (c.pos + 1, close);
            c.pos = close + 1;
            let end = c.pos;
            let value = self.remember(c, name, params, body);
            c.pos = end;
            return value;
        }
        Object::Other
    }

    /// A function that ends with a keyword. Its body is evaluated immediately.
    pub(super) fn inline_function(
        &mut self,
        c: &mut Cursor<'_>,
        params: &[String],
        named: bool,
    ) -> Object {
        let first = if named { Object::Other } else { self.callback.clone() };
        for (index, param) in params.iter().enumerate() {
            self.set(param, if index == 0 { first.clone() } else { Object::Other });
        }
        self.printed = None;
        // Julia: `f(x) = …`. The body is evaluated as the next expression.
        if c.is_op(0, "=") {
            c.pos += 1;
        }
        Object::Other
    }

    /// The names in a parameter list; the cursor ends behind it.
    pub(super) fn parameters(&self, c: &mut Cursor<'_>) -> Vec<String> {
        let close = c.partner();
        let mut names = Vec::new();
        let mut fresh = true;
        let mut place = c.pos + 1;
        while let Some(tok) = c.tokens.get(place).filter(|_| place < close) {
            match (tok.kind, tok.text) {
                (TokenKind::Op, ",") => fresh = true,
                (TokenKind::Var, text) if fresh => {
                    names.push(format!("${text}"));
                    fresh = false;
                }
                (TokenKind::Name, text)
                    if fresh && !matches!(self.dialect.lang, Lang::Java | Lang::Groovy) =>
                {
                    names.push(text.to_owned());
                    fresh = false;
                }
                (TokenKind::Name, text)
                    if matches!(self.dialect.lang, Lang::Java | Lang::Groovy)
                        && c.tokens.get(place + 1).is_some_and(|t| matches!(t.text, "," | ")")) =>
                {
                    names.push(text.to_owned());
                }
                (TokenKind::Op, "[" | "{" | "(") if tok.partner > place => place = tok.partner,
                _ => {}
            }
            place += 1;
        }
        c.pos = close + 1;
        names
    }

    /// Stores a function until it is called. If it cannot be stored, it is evaluated now.
    pub(super) fn remember(
        &mut self,
        c: &mut Cursor<'_>,
        name: Option<&str>,
        params: Vec<String>,
        body: (usize, usize),
    ) -> Object {
        c.pos = body.1;
        if !c.top || self.lambdas.len() > 2000 {
            for param in &params {
                self.set(param, Object::Other);
            }
            let mut inner = c.part(body.0, body.1, false);
            self.statements(&mut inner);
            return Object::Other;
        }
        self.lambdas.push(Lambda { params, body, called: false, active: false, count: 0 });
        let value = Object::Lambda(self.lambdas.len() - 1);
        if let Some(name) = name {
            self.set(name, value.clone());
        }
        value
    }

    /// `(a, b) -> …`, if the parentheses contain parameters.
    pub(super) fn arrow(&mut self, c: &mut Cursor<'_>) -> Option<Object> {
        let sign = match self.dialect.lang {
            Lang::Java | Lang::Julia => "->",
            _ => return None,
        };
        let close = c.partner();
        if !c
            .tokens
            .get(close + 1)
            .is_some_and(|t| t.kind == TokenKind::Op && t.text == sign && close + 1 < c.end)
        {
            return None;
        }
        let params = self.parameters(c);
        c.pos = close + 2;
        Some(self.arrow_body(c, params))
    }

    /// The body behind `=>`: a block, or an expression up to the next comma or closing bracket.
    pub(super) fn arrow_body(&mut self, c: &mut Cursor<'_>, params: Vec<String>) -> Object {
        c.skip_lines();
        if c.is_op(0, "{") {
            let close = c.partner();
            let body = (c.pos + 1, close);
            let value = self.remember(c, None, params, body);
            c.pos = close + 1;
            return value;
        }
        let from = c.pos;
        let mut place = from;
        while let Some(tok) = c.tokens.get(place).filter(|_| place < c.end) {
            match (tok.kind, tok.text) {
                (TokenKind::Op, "(" | "[" | "{") if tok.partner > place => place = tok.partner,
                (TokenKind::Op, "," | ")" | "]" | "}" | ";") => break,
                (TokenKind::Line, _) if !c.wrap => break,
                _ => {}
            }
            place += 1;
        }
        self.burn(place - from);
        self.remember(c, None, params, (from, place.min(c.end)))
    }

    /// Evaluates the body of a function with these arguments.
    pub(super) fn invoke(&mut self, index: usize, args: &[Object]) -> Object {
        let Some(lambda) = self.lambdas.get_mut(index) else {
            return Object::Other;
        };
        lambda.called = true;
        lambda.count += 1;
        // A body is evaluated at most twice with unknown arguments and 64 times in all.
        let blank = args.iter().all(Object::is_blank);
        let dull = lambda.count > 64 || (blank && lambda.count > 2);
        if lambda.active
            || dull
            || self.depth > 40
            || (self.fuel < self.reserve && lambda.count > 1)
        {
            return Object::Other;
        }
        lambda.active = true;
        let (params, body) = (lambda.params.clone(), lambda.body);
        let own = params.first().is_some_and(|p| p == "self" || p == "cls");
        for (place, param) in params.iter().enumerate() {
            let value = place
                .checked_sub(usize::from(own))
                .and_then(|n| args.get(n))
                .cloned()
                .unwrap_or(Object::Other);
            self.set(param, value);
        }
        self.depth += 4;
        let outer = self.returned.take();
        let top = self.top;
        let mut c =
            Cursor { tokens: top, pos: body.0, end: body.1.min(top.len()), wrap: false, top: true };
        let last = self.statements(&mut c);
        let result = std::mem::replace(&mut self.returned, outer).unwrap_or(last);
        self.depth -= 4;
        if let Some(lambda) = self.lambdas.get_mut(index) {
            lambda.active = false;
        }
        result
    }

    /// Evaluates code inside a text (interpolation). It shares the variables.
    pub(super) fn nested(&mut self, code: &str) -> Object {
        if self.depth > 20 || code.len() > 64 * 1024 || !self.burn(code.len()) {
            return Object::Other;
        }
        self.depth += 4;
        let tokens = super::lex::lex(self.dialect, code);
        let mut c = Cursor::new(&tokens, false);
        let value = self.statements(&mut c);
        self.depth -= 4;
        value
    }

    /// Calls a function value with these arguments.
    pub(super) fn apply(&mut self, function: &Object, args: Args) -> Object {
        self.call(Reference { object: function.clone(), member: None }, args)
    }
}

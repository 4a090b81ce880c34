//! Postfix operators: members, calls, subscripts, blocks.

use super::call::Reference;
use super::cursor::Cursor;
use super::dialect::Bare;
use super::interpreter::Interpreter;
use super::lex::{Token, TokenKind};
use super::object::{Args, Object};
use super::statements::is_keyword;
use aegish_profiles::Lang;

impl Interpreter<'_> {
    /// Members, calls, subscripts and blocks behind a value.
    pub(super) fn postfix(&mut self, c: &mut Cursor<'_>, base: Object) -> Object {
        let mut reference = Reference { object: base, member: None };
        let mut links = 0;
        loop {
            links += 1;
            if links > 512 || !self.burn(1) {
                return self.settle(reference);
            }
            // A chain may go on in the next line.
            if !c.wrap
                && c.at(0).is_some_and(|t| t.kind == TokenKind::Line)
                && c.at(1).is_some_and(|t| {
                    t.kind == TokenKind::Op && matches!(t.text, "." | "?." | "->" | "&." | "|>")
                })
                && !self.dialect.dot_joins
            {
                c.pos += 1;
            }
            let Some(tok) = c.peek() else {
                return self.settle(reference);
            };
            if tok.kind != TokenKind::Op {
                if self.bare_follows(c, tok, &reference) {
                    let args = self.bare_args(c, &reference);
                    let result = self.call(reference, args);
                    reference = Reference { object: result, member: None };
                    self.block(c, &mut reference);
                    continue;
                }
                return self.settle(reference);
            }
            match tok.text {
                "." | "?." | "->" | "::" | "&." | "!!." | ":" | "$" | "\\" | "@" => {
                    if !self.member_sign(c, tok) {
                        // ->[0], ->{x}, ->(…), ?.[0], .(…)
                        let opens = c.at(1).is_some_and(|t| {
                            t.kind == TokenKind::Op && matches!(t.text, "[" | "{" | "(")
                        });
                        let sign = matches!(tok.text, "->" | "?.")
                            || (tok.text == "." && !self.dialect.dot_joins);
                        if opens && sign {
                            c.pos += 1;
                            continue;
                        }
                        return self.settle(reference);
                    }
                    c.pos += 1;
                    c.skip_lines();
                    let Some(name) = c.at(0) else {
                        return self.settle(reference);
                    };
                    c.pos += 1;
                    let member = match name.kind {
                        TokenKind::Var if tok.text != "::" => {
                            match self
                                .vars
                                .get(&format!("${}", name.text))
                                .and_then(Object::as_known)
                            {
                                Some(known) => known,
                                None => name.text.to_owned(),
                            }
                        }
                        _ => name.text.to_owned(),
                    };
                    let waiting = self.injected.take();
                    let object = self.settle(reference);
                    self.injected = waiting;
                    if let Some(value) = self.assign_member(c, &object, &member) {
                        return value;
                    }
                    reference = Reference { object, member: Some(member) };
                    // `X->new`, `c.gets`: a call without parentheses.
                    let next = c.at(0);
                    let open = next.is_some_and(|t| {
                        t.kind == TokenKind::Op
                            && t.text == "("
                            && (!t.gap || !self.dialect.members_call)
                    });
                    if self.dialect.members_call
                        && !open
                        && !next.is_some_and(|t| self.bare_follows(c, t, &reference))
                        && !matches!(tok.text, "::")
                    {
                        let result = self.call(reference, Args::default());
                        reference = Reference { object: result, member: None };
                        self.block(c, &mut reference);
                    }
                }
                "(" if !tok.gap
                    || matches!(reference.object, Object::Name(_) | Object::Lambda(_))
                    || reference.member.is_some() =>
                {
                    let close = c.partner();
                    let mut inner = c.part(c.pos + 1, close, true);
                    let saved = self.expect_callback(&reference, &inner);
                    let waiting = self.injected.take();
                    let args = self.items(&mut inner);
                    self.injected = waiting;
                    self.callback = saved;
                    c.pos = close + 1;
                    let result = self.call(reference, args);
                    reference = Reference { object: result, member: None };
                    self.block(c, &mut reference);
                }
                "[" if c.partner() == c.pos + 1
                    && c.at(2).is_some_and(|t| t.kind == TokenKind::Op && t.text == "{") =>
                {
                    // Java: new String[]{…}
                    c.pos += 2;
                    let close = c.partner();
                    let mut inner = c.part(c.pos + 1, close, true);
                    let list = self.items(&mut inner).list;
                    c.pos = close + 1;
                    reference = Reference { object: Object::List(list), member: None };
                }
                "[" if !tok.gap || !matches!(self.dialect.bare, Bare::Always) => {
                    let object = self.settle(reference);
                    let close = c.partner();
                    let inside = (c.pos + 1, close);
                    c.pos = close + 1;
                    reference =
                        Reference { object: self.subscript(c, &object, inside), member: None };
                }
                "{" if self.dialect.blocks
                    && (reference.member.is_some()
                        || matches!(reference.object, Object::Name(_))) =>
                {
                    if reference.member.is_some() {
                        let result = self.call(reference, Args::default());
                        reference = Reference { object: result, member: None };
                    }
                    if matches!(&reference.object, Object::Name(name) if name == "loop") {
                        self.endless = self.endless.max(c.partner());
                        self.printed = None;
                    }
                    self.block(c, &mut reference);
                    return self.settle(reference);
                }
                "{" if self.dialect.lang == Lang::Go
                    && matches!(reference.object, Object::Name(_))
                    && !tok.gap =>
                {
                    let map = self.braces(c);
                    reference = Reference { object: map, member: None };
                }
                "++" | "--"
                    if self.dialect.lang != Lang::Erlang && self.dialect.lang != Lang::Elixir =>
                {
                    c.pos += 1;
                    return self.settle(reference);
                }
                _ => {
                    if self.bare_follows(c, tok, &reference) {
                        let args = self.bare_args(c, &reference);
                        let result = self.call(reference, args);
                        reference = Reference { object: result, member: None };
                        self.block(c, &mut reference);
                        continue;
                    }
                    return self.settle(reference);
                }
            }
        }
    }

    /// Whether the current operator names a member.
    pub(super) fn member_sign(&self, c: &Cursor<'_>, tok: &Token<'_>) -> bool {
        let Some(next) = c.at(1) else { return false };
        let lang = self.dialect.lang;
        let name = matches!(next.kind, TokenKind::Name)
            || (next.kind == TokenKind::Var && matches!(tok.text, "->" | "::"));
        match tok.text {
            "." => {
                !self.dialect.dot_joins
                    && (name
                        || (next.kind == TokenKind::Str(super::dialect::RAW)
                            && lang == Lang::Groovy))
            }
            "?." => name && lang != Lang::Elixir,
            "::" => name && lang != Lang::Go,
            ":" => self.dialect.colon_member && name && !next.gap && !tok.gap,
            "$" | "@" => name && lang == Lang::R && !tok.gap,
            _ => false,
        }
    }

    /// Whether a call without parentheses starts here.
    pub(super) fn bare_follows(
        &self,
        c: &Cursor<'_>,
        tok: &Token<'_>,
        reference: &Reference,
    ) -> bool {
        let callable = reference.member.is_some()
            || matches!(reference.object, Object::Name(_) | Object::Lambda(_));
        if !callable || c.at(0).is_none_or(|t| t.kind == TokenKind::Line) {
            return false;
        }
        match self.dialect.bare {
            Bare::Never => false,
            Bare::Always => {
                let after = c.at(1);
                match tok.kind {
                    TokenKind::Str(_)
                    | TokenKind::Run(_)
                    | TokenKind::Var
                    | TokenKind::Words
                    | TokenKind::Num
                    | TokenKind::Regex => tok.gap,
                    TokenKind::Name => {
                        // Groovy: `Type name = value` declares.
                        let declares = self.dialect.lang == Lang::Groovy
                            && after.is_some_and(|t| {
                                t.kind == TokenKind::Op && matches!(t.text, "=" | ";" | ",")
                            });
                        tok.gap && !is_keyword(tok.text) && tok.text != "instanceof" && !declares
                    }
                    TokenKind::Op => {
                        let tight = after.is_some_and(|t| !t.gap);
                        match tok.text {
                            "[" => tok.gap,
                            "*" | "&" | "-" | "::" => {
                                tok.gap && tight && self.dialect.lang != Lang::Elixir
                            }
                            _ => false,
                        }
                    }
                    _ => false,
                }
            }
        }
    }
}

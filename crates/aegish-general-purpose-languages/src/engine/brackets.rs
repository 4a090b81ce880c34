//! Brackets: tuples, lists, maps, blocks, and the arguments of calls.

use super::call::Reference;
use super::cursor::Cursor;
use super::interpreter::Interpreter;
use super::lex::TokenKind;
use super::object::{Args, Object};
use super::statements::is_keyword;
use aegish_profiles::Lang;

impl Interpreter<'_> {
    pub(super) fn parenthesized(&mut self, c: &mut Cursor<'_>) -> Object {
        let close = c.partner();
        let mut inner = c.part(c.pos + 1, close, true);
        let args = self.items(&mut inner);
        c.pos = close + 1;
        let tuple = args.list.len() != 1 || !args.named.is_empty();
        if !args.named.is_empty() && args.list.is_empty() {
            return Object::Dict(args.named);
        }
        let comma = close
            .checked_sub(1)
            .and_then(|n| c.tokens.get(n))
            .is_some_and(|t| t.text == "," && t.kind == TokenKind::Op);
        let mut list = args.list;
        match list.pop() {
            Some(only) if !tuple && !comma => only,
            Some(last) => {
                list.push(last);
                Object::List(list)
            }
            None => Object::List(list),
        }
    }

    pub(super) fn bracketed(&mut self, c: &mut Cursor<'_>) -> Object {
        let close = c.partner();
        let mut inner = c.part(c.pos + 1, close, true);
        let args = self.items(&mut inner);
        c.pos = close + 1;
        // Go and Java: `[]string{…}`, `[]byte("…")`.
        if args.list.is_empty()
            && self.dialect.lang == Lang::Go
            && c.at(0).is_some_and(|t| t.kind == TokenKind::Name)
        {
            c.pos += 1;
            if c.is_op(0, "{") || c.is_op(0, "(") {
                let close = c.partner();
                let mut inner = c.part(c.pos + 1, close, true);
                let list = self.items(&mut inner).list;
                let cast = c.is_op(0, "(");
                c.pos = close + 1;
                return match list.first() {
                    Some(only) if cast => only.clone(),
                    _ => Object::List(list),
                };
            }
        }
        if !args.named.is_empty() && args.list.is_empty() {
            return Object::Dict(args.named);
        }
        Object::List(args.list)
    }

    /// `{…}`: a map, a set, or statements.
    pub(super) fn braces(&mut self, c: &mut Cursor<'_>) -> Object {
        let close = c.partner();
        let mut inner = c.part(c.pos + 1, close, false);
        c.pos = close + 1;
        let mut pairs: Vec<(String, Object)> = Vec::new();
        let mut items: Vec<Object> = Vec::new();
        let mut comma = false;
        self.block_params(&mut inner, &Object::Other);
        while inner.pos < inner.end {
            if !self.burn(1) {
                break;
            }
            let before = inner.pos;
            inner.skip_lines();
            if inner.at(0).is_some_and(|t| {
                t.kind == TokenKind::Op && matches!(t.text, "," | ";" | "}" | ")" | "]")
            }) {
                comma |= inner.is_op(0, ",");
                inner.pos += 1;
                continue;
            }
            let key = key_of(&inner);
            let mut value = if key.is_some() {
                inner.pos += 1;
                Object::Other
            } else {
                self.statement_in_braces(&mut inner)
            };
            if inner.is_op(0, ":") || inner.is_op(0, "=>") {
                inner.pos += 1;
                inner.skip_lines();
                let key = key.or_else(|| value.as_known()).unwrap_or_default();
                value = self.expr(&mut inner, 3);
                if self.followed(pairs.len() + 1) > pairs.len() {
                    pairs.push((key, value));
                }
            } else if self.followed(items.len() + 1) > items.len() {
                items.push(value);
            }
            if inner.pos <= before {
                inner.pos = before + 1;
            }
        }
        if !pairs.is_empty() {
            return Object::Dict(pairs);
        }
        if comma {
            return Object::List(items);
        }
        items.pop().unwrap_or(Object::Other)
    }

    pub(super) fn statement_in_braces(&mut self, c: &mut Cursor<'_>) -> Object {
        match c.at(0) {
            Some(t) if t.kind == TokenKind::Name && is_keyword(t.text) => self.statement(c),
            _ => match self.unpack(c) {
                Some(value) => value,
                None => self.expr(c, 0),
            },
        }
    }

    /// The items of a list or the arguments of a call, up to the end of the cursor.
    pub(super) fn items(&mut self, c: &mut Cursor<'_>) -> Args {
        let mut args = Args::default();
        while c.peek().is_some() {
            if !self.burn(1) {
                break;
            }
            let before = c.pos;
            if c.at(0).is_some_and(|t| {
                t.kind == TokenKind::Op && matches!(t.text, "," | ";" | ":" | ")" | "]" | "}")
            }) {
                c.pos += 1;
                continue;
            }
            let from = c.pos;
            if let Some(name) = self.named_argument(c) {
                let value = self.expr(c, 1);
                args.named.push((name, value));
            } else {
                let key = key_of(c).filter(|_| c.is_op(1, "=>"));
                let value = if key.is_some() {
                    c.pos += 1;
                    Object::Other
                } else {
                    self.expr(c, 0)
                };
                if c.peek().is_some_and(|t| t.kind == TokenKind::Op && t.text == "=>") {
                    c.pos += 1;
                    c.skip_lines();
                    let target = self.expr(c, 3);
                    let key = key.or_else(|| value.as_known());
                    args.named.push((key.unwrap_or_default(), target));
                } else {
                    let spread = c
                        .tokens
                        .get(from)
                        .is_some_and(|t| t.kind == TokenKind::Op && matches!(t.text, "*" | "..."));
                    match value {
                        Object::List(inner) if spread => args.list.extend(inner),
                        other => args.list.push(other),
                    }
                }
            }
            if c.pos <= before {
                c.pos = before + 1;
            }
            if args.list.len() > 8192 {
                c.pos = c.end;
            }
        }
        args
    }

    /// The name in `name=value` or `name: value`; moves the cursor behind the sign.
    pub(super) fn named_argument(&self, c: &mut Cursor<'_>) -> Option<String> {
        let tok = c.at(0)?;
        let sign = match self.dialect.lang {
            Lang::R | Lang::Julia | Lang::Octave => "=",
            Lang::Elixir | Lang::Groovy | Lang::Go => ":",
            _ => return None,
        };
        let named =
            tok.kind == TokenKind::Name || matches!(tok.kind, TokenKind::Str(_)) && sign == ":";
        if named && c.is_op(1, sign) && (sign == "=" || !c.is_op(2, ":")) {
            c.pos += 2;
            c.skip_lines();
            return Some(tok.text.to_owned());
        }
        None
    }

    /// The arguments of a call without parentheses.
    pub(super) fn bare_args(&mut self, c: &mut Cursor<'_>, reference: &Reference) -> Args {
        let from = c.pos;
        let mut end = from;
        // The arguments reach to the end of the statement.
        while let Some(tok) = c.tokens.get(end).filter(|_| end < c.end) {
            match (tok.kind, tok.text) {
                (TokenKind::Op, "(" | "[" | "{") if tok.partner > end && tok.partner < c.end => {
                    end = tok.partner;
                }
                (TokenKind::Op, ")" | "]" | "}" | ";") => break,
                (TokenKind::Line, _) if !c.wrap => {
                    let comma = end.checked_sub(1).and_then(|n| c.tokens.get(n)).is_some_and(|t| {
                        t.kind == TokenKind::Op && matches!(t.text, "," | "=>" | "." | "+")
                    });
                    if !comma {
                        break;
                    }
                }
                (
                    TokenKind::Name,
                    "if" | "unless" | "while" | "until" | "for" | "foreach" | "rescue" | "do"
                    | "and" | "or" | "then",
                ) if end > from => {
                    break;
                }
                _ => {}
            }
            end += 1;
        }
        self.burn(end - from);
        let mut inner = c.part(from, end, true);
        let saved = self.expect_callback(reference, &inner);
        let args = self.items(&mut inner);
        self.callback = saved;
        c.pos = end.max(from + 1).min(c.end);
        args
    }
}

/// A key written as a bare word: `{host: …}`, `(PeerAddr => …)`.
fn key_of(c: &Cursor<'_>) -> Option<String> {
    let tok = c.at(0)?;
    let sign = c.at(1)?;
    if tok.kind == TokenKind::Name && sign.kind == TokenKind::Op && matches!(sign.text, "=>" | ":")
    {
        return Some(tok.text.to_owned());
    }
    None
}

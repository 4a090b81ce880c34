//! Blocks, comprehensions and destructuring assignments.

use super::call::Reference;
use super::cursor::Cursor;
use super::interpreter::Interpreter;
use super::lex::TokenKind;
use super::object::Object;
use super::statements::element;
use aegish_profiles::Lang;

impl Interpreter<'_> {
    /// Destructuring: `a, b = …`, `my ($a, $b) = …`, `const {x: y} = …`.
    pub(super) fn unpack(&mut self, c: &mut Cursor<'_>) -> Option<Object> {
        let mut look = 0;
        while c.at(look).is_some_and(|t| {
            t.kind == TokenKind::Name
                && matches!(t.text, "my" | "our" | "local" | "let" | "const" | "var")
        }) {
            look += 1;
        }
        let first = c.at(look)?;
        let open = first.kind == TokenKind::Op && matches!(first.text, "(" | "{" | "[");
        if !open && !c.is_op(look + 1, ",") {
            return None;
        }
        if open {
            let sign = c.tokens.get(first.partner.saturating_add(1))?;
            if first.partner >= c.end
                || sign.kind != TokenKind::Op
                || !matches!(sign.text, "=" | ":=")
                || first.partner > c.pos + 64
            {
                return None;
            }
        }
        // (variable, member of the source)
        let mut names: Vec<(String, String)> = Vec::new();
        let map = open && first.text == "{";
        let mut place = look + usize::from(open);
        loop {
            let tok = c.at(place)?;
            match (tok.kind, tok.text) {
                (TokenKind::Name, "my") => {}
                (TokenKind::Name, text) => names.push((text.to_owned(), text.to_owned())),
                (TokenKind::Var, text) => names.push((format!("${text}"), text.to_owned())),
                (TokenKind::Op, ":") if map => {
                    let target = c.at(place + 1).filter(|t| t.kind == TokenKind::Name)?;
                    names.last_mut()?.0 = target.text.to_owned();
                    place += 1;
                }
                (TokenKind::Op, "," | "*" | "\\" | "...") => {}
                (TokenKind::Line, _) if open => {}
                (TokenKind::Op, ")" | "}" | "]") if open => {}
                (TokenKind::Op, "=" | ":=") => break,
                _ => return None,
            }
            place += 1;
            if place > 64 {
                return None;
            }
        }
        c.pos += place + 1;
        c.skip_lines();
        let mut value = self.expr(c, 3);
        if c.is_op(0, ",") && !c.wrap {
            let mut items = vec![value];
            while c.eat(",") {
                items.push(self.expr(c, 3));
                if items.len() > 256 {
                    break;
                }
            }
            value = Object::List(items);
        }
        for (index, (name, member)) in names.into_iter().enumerate() {
            let part = match &value {
                _ if map => self.settle(Reference { object: value.clone(), member: Some(member) }),
                Object::List(items) => items.get(index).cloned().unwrap_or(Object::Other),
                other if index == 0 => other.clone(),
                _ => Object::Other,
            };
            self.set(&name, part);
        }
        Some(value)
    }

    /// `|a, b|` or `a, b ->` at the start of a block.
    pub(super) fn block_params(&mut self, c: &mut Cursor<'_>, value: &Object) {
        let bars = c.is_op(0, "|");
        if !bars
            && !(matches!(self.dialect.lang, Lang::Groovy)
                && c.at(0).is_some_and(|t| t.kind == TokenKind::Name)
                && (c.is_op(1, "->") || c.is_op(1, ",")))
        {
            if self.dialect.lang == Lang::Groovy {
                self.set("it", value.clone());
            }
            return;
        }
        c.pos += usize::from(bars);
        let mut first = true;
        while let Some(tok) = c.at(0) {
            c.pos += 1;
            match (tok.kind, tok.text) {
                (TokenKind::Op, "|" | "->") | (TokenKind::Line, _) => return,
                (TokenKind::Name, name) => {
                    self.set(name, if first { value.clone() } else { Object::Other });
                    first = false;
                }
                _ => {}
            }
        }
    }

    /// A block behind a call, if there is one.
    pub(super) fn block(&mut self, c: &mut Cursor<'_>, reference: &mut Reference) {
        if !self.dialect.blocks {
            return;
        }
        let value = match &reference.object {
            Object::File(_) | Object::Conn | Object::Proc(_) => reference.object.clone(),
            list @ Object::List(_) => element(list),
            text @ Object::Text(value) if value.has_unknown() => text.clone(),
            _ => Object::Other,
        };
        if c.is_op(0, "{") {
            let close = c.partner();
            let from = c.pos + 1;
            c.pos = close + 1;
            if let (true, Object::List(items)) = (self.mapping, &reference.object) {
                self.mapping = false;
                let mut mapped = Vec::with_capacity(items.len());
                for item in items {
                    let mut inner = c.part(from, close, false);
                    self.block_params(&mut inner, item);
                    mapped.push(self.statements(&mut inner));
                }
                reference.object = Object::List(mapped);
                return;
            }
            let mut inner = c.part(from, close, false);
            self.block_params(&mut inner, &value);
            self.statements(&mut inner);
        } else if c.is_name(0, "do") {
            c.pos += 1;
            self.block_params(c, &value);
        }
        self.mapping = false;
    }

    /// `left |> f(x)`: the left side is the first argument.
    pub(super) fn piped_into(&mut self, c: &mut Cursor<'_>, left: Object) -> Object {
        let saved = self.injected.replace(left);
        let result = self.expr(c, 8);
        self.injected = saved;
        result
    }
}

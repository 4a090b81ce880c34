//! Quotation: forms as data.

use super::reader::Datum;
use super::{Lisp, Parsed, Rejected, nil, symbol_value, text, truth};
use crate::ir::{Constant, Expr, Item};

impl Lisp<'_> {
    /// A form as data.
    pub(super) fn quoted(&mut self, datum: &Datum) -> Parsed<Expr> {
        self.template(datum, 0)
    }

    /// A form as data, of which the parts behind commas are evaluated; `level` is 0 outside of backquotes.
    pub(super) fn template(&mut self, datum: &Datum, level: u32) -> Parsed<Expr> {
        if !self.lowering.enter() {
            return Err(Rejected);
        }
        let value = match datum {
            Datum::Symbol(name) => match &**name {
                "nil" if self.two_spaces() => nil(),
                "t" if self.two_spaces() => truth(true),
                name => symbol_value(name),
            },
            Datum::Text(value) => text(value),
            Datum::Int(number) => Expr::Constant(Constant::Int(*number)),
            Datum::Number => Expr::Constant(Constant::Number),
            Datum::Bool(value) => truth(*value),
            Datum::List(items) => match datum.head() {
                Some((name, [inner])) if &**name == "#." => self.value(inner)?,
                Some((name, [inner])) if level > 0 && &**name == "unquote" => {
                    if level == 1 {
                        self.value(inner)?
                    } else {
                        let items = vec![
                            Item::One(symbol_value("unquote")),
                            Item::One(self.template(inner, level - 1)?),
                        ];
                        Expr::List(items)
                    }
                }
                Some((name, [inner])) if level > 0 && &**name == "quasiquote" => {
                    let items = vec![
                        Item::One(symbol_value("quasiquote")),
                        Item::One(self.template(inner, level + 1)?),
                    ];
                    Expr::List(items)
                }
                _ if items.is_empty() && self.two_spaces() => nil(),
                _ => Expr::List(self.template_items(items, level)?),
            },
            Datum::Vector(items) => Expr::List(self.template_items(items, level)?),
            Datum::Dotted(items, last) => {
                // `(a . ,b)` is a list if `b` is one.
                let start = Expr::List(self.template_items(items, level)?);
                let last = self.template(last, level)?;
                self.inner_call("<dotted>", vec![start, last])
            }
        };
        self.lowering.leave();
        Ok(value)
    }

    fn template_items(&mut self, items: &[Datum], level: u32) -> Parsed<Vec<Item>> {
        let mut out = Vec::new();
        let mut at = 0;
        while let Some(item) = items.get(at) {
            // `(a . ,b)` is read as `(a unquote b)`.
            if level == 1
                && at > 0
                && item.is("unquote")
                && let Some(inner) = items.get(at + 1).filter(|_| items.len() == at + 2)
            {
                out.push(Item::Spread(self.value(inner)?));
                return Ok(out);
            }
            out.push(match item.head() {
                Some((name, [inner])) if level == 1 && &**name == "unquote-splicing" => {
                    Item::Spread(self.value(inner)?)
                }
                _ => Item::One(self.template(item, level)?),
            });
            at += 1;
        }
        Ok(out)
    }
}

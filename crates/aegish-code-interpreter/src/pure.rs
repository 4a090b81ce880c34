//! Known values as bytes, and texts as literals.

use super::Interpreter;
use crate::ir::{Expr, Item, Statement};
use crate::numbers::bytes_of;
use crate::value::Val;

impl Interpreter<'_> {
    pub(super) fn known_bytes(&self, value: &Val) -> Option<Vec<u8>> {
        match value {
            Val::Bytes(bytes) => Some(bytes.to_vec()),
            Val::Text(text) => text.as_known().map(|text| text.as_bytes().to_vec()),
            Val::List(place) => bytes_of(&self.heap.items(*place)),
            _ => None,
        }
    }

    /// A literal of the language or of JSON.
    pub(super) fn literal(&mut self, text: &str) -> Option<Val> {
        let program = self.dialect.literal(self, text);
        match program.body.as_slice() {
            [Statement::Expr(expr)] if is_literal(expr) => Some(self.expr(expr)),
            _ => None,
        }
    }
}

fn is_literal(expr: &Expr) -> bool {
    match expr {
        Expr::Constant(_) => true,
        Expr::Name(name) => matches!(&**name, "true" | "false" | "null"),
        Expr::List(items) | Expr::Tuple(items) => {
            items.iter().all(|item| matches!(item, Item::One(expr) if is_literal(expr)))
        }
        Expr::Dict(pairs) => pairs
            .iter()
            .all(|(key, value)| key.as_ref().is_some_and(is_literal) && is_literal(value)),
        Expr::Unary(_, expr) => is_literal(expr),
        _ => false,
    }
}

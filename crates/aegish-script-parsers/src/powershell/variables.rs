//! Variables and what is assigned to.

use super::cursor::is_name;
use super::{Parsed, Reader, Rejected, name, text};
use crate::ir::{Expr, Target};
use crate::lowering::Lowering;

impl Reader<'_> {
    /// A variable from its dollar sign (or the sign of splatting) on.
    pub(super) fn variable(&mut self) -> Parsed<Expr> {
        self.bump();
        let full = if self.takes("{") {
            let mut full = String::new();
            loop {
                match self.bump().ok_or(Rejected)? {
                    '}' => break,
                    '`' => full.push(self.bump().ok_or(Rejected)?),
                    c => full.push(c),
                }
            }
            full
        } else {
            match self.peek() {
                Some(c @ ('?' | '^' | '$')) => {
                    self.bump();
                    return Ok(name(&format!("${c}")));
                }
                Some(c) if is_name(c) => {
                    let mut full = self.while_is(|c| is_name(c) || c == '?').to_owned();
                    // A drive or a scope; `$x::y` is a member.
                    if self.starts(":") && self.second().is_some_and(is_name) {
                        self.bump();
                        full.push(':');
                        full.push_str(self.while_is(is_name));
                    }
                    full
                }
                _ => return Err(Rejected),
            }
        };
        Ok(named_variable(&full))
    }

    /// What is assigned to, and its value.
    pub(super) fn target(&mut self, place: Expr, value: Expr) -> Parsed<(Target, Expr)> {
        Ok(match place {
            Expr::Name(name) if name.starts_with("$") && &*name != "$null" => {
                (Target::Name(name), value)
            }
            Expr::Name(name) if name.starts_with("function:") => (Target::Name(name), value),
            Expr::Name(_) | Expr::Constant(_) => (Target::Ignore, value),
            Expr::Attribute(object, name) => (Target::Attribute(*object, name), value),
            Expr::Index(parts) => {
                let [object, index] = *parts;
                (Target::Index(object, index), value)
            }
            // `[int]$x = …` and `$x.($name) = …`.
            Expr::Call(call) => {
                let call = *call;
                let mut values = call.arguments.into_iter().filter_map(|argument| match argument {
                    crate::ir::Argument::One(value) => Some(value),
                    _ => None,
                });
                let (Expr::Name(function), Some(first), Some(second)) =
                    (&call.function, values.next(), values.next())
                else {
                    return Err(Rejected);
                };
                match &**function {
                    "<cast>" => {
                        let value = self.call("<cast>", vec![first, value]);
                        return self.target(second, value);
                    }
                    "<member>" => (Target::Index(first, second), value),
                    _ => return Err(Rejected),
                }
            }
            Expr::Sequence(mut inner) if inner.len() == 1 => {
                return self.target(inner.pop().ok_or(Rejected)?, value);
            }
            Expr::List(items) => {
                let mut targets = Vec::new();
                for item in items {
                    let (crate::ir::Item::One(place) | crate::ir::Item::Spread(place)) = item;
                    targets.push(self.target(place, super::null())?.0);
                }
                // The last one takes all that remain.
                let last = targets.len().checked_sub(1);
                (Target::Sequence(targets, last), value)
            }
            _ => return Err(Rejected),
        })
    }
}

/// The variable with a name, which may start with a scope or a drive.
pub(super) fn named_variable(full: &str) -> Expr {
    let (scope, rest) = match full.split_once(':') {
        Some((scope, rest)) => (scope.to_ascii_lowercase(), rest),
        None => (String::new(), full),
    };
    let rest = if rest.eq_ignore_ascii_case("psitem") { "_" } else { rest };
    let place = |of: &str, key: &str| Expr::Index(Box::new([name(of), text(key)]));
    match scope.as_str() {
        "env" => place("<environment>", rest),
        "script" | "global" => place("<program>", &format!("${}", rest.to_lowercase())),
        "function" => Expr::Name(Lowering::name(&format!("function:{}", rest.to_lowercase()))),
        "" | "local" | "private" | "using" | "variable" | "workflow" => {
            name(&format!("${}", rest.to_lowercase()))
        }
        // The content of a file, as `${c:\file}`.
        _ => place("<drive>", full),
    }
}

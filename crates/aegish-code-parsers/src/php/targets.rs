//! What is assigned to.

use super::{APPEND, Php};
use crate::ir::{Argument, Call, Constant, Expr, Item, Target};

/// A copy of an expression that may be assigned to. What it is computed from by a call is not known a second time.
pub(super) fn copied(expr: &Expr) -> Expr {
    match expr {
        Expr::Name(name) => Expr::Name(name.clone()),
        Expr::Constant(constant) => Expr::Constant(constant.clone()),
        Expr::Attribute(object, name) => Expr::Attribute(Box::new(copied(object)), name.clone()),
        Expr::Index(parts) => {
            let [object, index] = &**parts;
            Expr::Index(Box::new([copied(object), copied(index)]))
        }
        Expr::Build(parts) => Expr::Build(parts.iter().map(copied).collect()),
        Expr::Call(call) if matches!(&call.function, Expr::Name(name) if &**name == "<properties>") =>
        {
            let arguments = call.arguments.iter().map(|argument| match argument {
                Argument::One(value) => Argument::One(copied(value)),
                _ => Argument::One(Expr::Unknown),
            });
            Expr::Call(Box::new(Call {
                function: copied(&call.function),
                arguments: arguments.collect(),
                site: call.site,
                kind: call.kind,
            }))
        }
        _ => Expr::Unknown,
    }
}

/// An expression that makes an empty array of a missing value, so that an item can be added.
fn made(object: Expr) -> Expr {
    if !matches!(object, Expr::Name(_) | Expr::Index(_) | Expr::Attribute(..)) {
        return object;
    }
    let again = copied(&object);
    let target = target(copied(&object));
    let empty =
        Expr::Sequence(vec![Expr::Assign(Box::new((target, Expr::Dict(Vec::new())))), again]);
    Expr::Default(Box::new([object, empty]))
}

/// The target that an expression is. What is none of them is evaluated and not assigned.
pub(super) fn target(expr: Expr) -> Target {
    match expr {
        Expr::Name(name) => Target::Name(name),
        Expr::Attribute(object, name) => Target::Attribute(*object, name),
        Expr::Index(parts) => {
            let [object, index] = *parts;
            Target::Index(made(object), index)
        }
        Expr::Dict(pairs) => {
            let mut next = 0;
            let mut targets = Vec::new();
            for (key, value) in pairs {
                let key = match key {
                    Some(Expr::Name(name)) if &*name == APPEND => {
                        next += 1;
                        Expr::Constant(Constant::Int(next - 1))
                    }
                    Some(key) => key,
                    None => Expr::Unknown,
                };
                targets.push((key, target(value)));
            }
            Target::Object(targets, None)
        }
        Expr::List(items) => {
            let targets = items.into_iter().map(|item| match item {
                Item::One(value) | Item::Spread(value) => target(value),
            });
            Target::Sequence(targets.collect(), None)
        }
        _ => Target::Ignore,
    }
}

impl Php<'_> {
    /// Whether something may be assigned to an expression.
    pub(super) fn is_place(expr: &Expr) -> bool {
        matches!(expr, Expr::Name(name) if name.starts_with('$'))
            || matches!(expr, Expr::Index(_) | Expr::Attribute(..) | Expr::Dict(_) | Expr::Unknown)
    }
}

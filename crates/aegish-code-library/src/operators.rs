//! Operators.

use crate::containers::Containers;
use crate::format::Formatting;
use crate::heap::Items;
use crate::ir::{BinaryOp, CompareOp, Expr};
use crate::javascript::operators::ScriptOperators;
use crate::language::Language;
use crate::limits::MAX_ITEMS;
use crate::machine::Machine;
pub use crate::numbers::{arithmetic, equal};
use crate::php::operators::PhpOperators;
use crate::powershell::operators::PowerShellOperators;
use crate::value::{Args, Val, join};
use aegish_values::{Piece, Taint, Value};

/// Operators.
pub trait Operators: Machine {
    fn compare(&mut self, first: &Expr, rest: &[(CompareOp, Expr)]) -> Val {
        let mut left = self.expr(first);
        let mut result = Some(true);
        for (op, right) in rest {
            let right = self.expr(right);
            let one = self.compare_values(&left, *op, &right);
            result = match (result, one) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), one) => one,
                (None, _) => None,
            };
            left = right;
        }
        result.map_or_else(Val::unknown, Val::Bool)
    }

    fn compare_values(&mut self, a: &Val, op: CompareOp, b: &Val) -> Option<bool> {
        if let Some(made) = self.compared_by_method(a, op, b) {
            return self.truth(&made);
        }
        if self.language() == Language::Perl {
            return crate::perl::compare(self, a, op, b);
        }
        if self.language() == Language::PowerShell {
            return self.powershell_compare(a, op, b);
        }
        match op {
            // There are two values that stand for a missing one.
            CompareOp::Equal | CompareOp::NotEqual
                if self.is_javascript() && (a, b) == (&Val::None, &Val::None) =>
            {
                None
            }
            CompareOp::LooseEqual | CompareOp::LooseNotEqual if self.is_php() => {
                self.php_equal(a, op, b)
            }
            CompareOp::LooseEqual | CompareOp::LooseNotEqual
                if matches!(
                    (a, b),
                    (Val::Text(_), Val::Int(_) | Val::Bool(_))
                        | (Val::Int(_) | Val::Bool(_), Val::Text(_))
                ) =>
            {
                None
            }
            CompareOp::Equal | CompareOp::LooseEqual => equal(a, b),
            CompareOp::NotEqual | CompareOp::LooseNotEqual => equal(a, b).map(|same| !same),
            CompareOp::In if self.is_javascript() && !matches!(b, Val::Dict(_)) => None,
            CompareOp::In => self.contains(b, a),
            CompareOp::NotIn => self.contains(b, a).map(|found| !found),
            _ => {
                let order = match (a, b) {
                    (Val::Text(a), Val::Text(b)) => a.as_known()?.cmp(b.as_known()?),
                    _ => a.as_int()?.cmp(&b.as_int()?),
                };
                Some(match op {
                    CompareOp::Less => order.is_lt(),
                    CompareOp::LessEqual => order.is_le(),
                    CompareOp::Greater => order.is_gt(),
                    _ => order.is_ge(),
                })
            }
        }
    }

    fn contains(&mut self, all: &Val, one: &Val) -> Option<bool> {
        match all {
            Val::Text(text) => Some(text.as_known()?.contains(one.to_text().as_known()?)),
            Val::Dict(place) => {
                let entries = self.heap().entries(*place);
                if entries.rest.is_some() {
                    return None;
                }
                let same: Option<Vec<bool>> =
                    entries.list.iter().map(|(key, _)| equal(key, one)).collect();
                // A key may have been added in a branch, so only its absence is sure.
                if same?.contains(&true) { None } else { Some(false) }
            }
            Val::List(_) | Val::Tuple(_) => {
                let items = self.iterate(all);
                if items.rest.is_some() {
                    return None;
                }
                let mut same = Some(false);
                for item in &items.list {
                    let equal = match self.compared_by_method(item, CompareOp::Equal, one) {
                        Some(made) => self.truth(&made),
                        None => equal(item, one),
                    };
                    match equal {
                        Some(true) => return same.map(|_| true),
                        Some(false) => {}
                        None => same = None,
                    }
                }
                same
            }
            _ => None,
        }
    }

    fn binary(&mut self, a: &Val, op: BinaryOp, b: &Val) -> Val {
        if let Val::OneOf(values) = a {
            return values
                .iter()
                .map(|value| self.binary(value, op, b))
                .reduce(|a, b| join(&a, &b))
                .unwrap_or_else(Val::unknown);
        }
        if let Val::OneOf(values) = b {
            return values
                .iter()
                .map(|value| self.binary(a, op, value))
                .reduce(|a, b| join(&a, &b))
                .unwrap_or_else(Val::unknown);
        }
        if let Some(made) = self.operator_method(a, op, b) {
            return made;
        }
        if self.language() == Language::Perl {
            return crate::perl::binary(self, a, op, b);
        }
        if self.language() == Language::PowerShell {
            return self.powershell_binary(a, op, b);
        }
        if self.is_javascript() {
            return self.script_binary(a, op, b);
        }
        if self.is_php() {
            return self.php_binary(a, op, b);
        }
        match (op, a, b) {
            (_, Val::Instance(_), _) => Val::unknown(),
            (_, Val::Int(_) | Val::Bool(_), Val::Int(_) | Val::Bool(_)) => {
                match (a.as_int(), b.as_int()) {
                    (Some(a), Some(b)) => arithmetic(a, op, b).map_or_else(Val::unknown, Val::Int),
                    _ => Val::unknown(),
                }
            }
            (BinaryOp::Add, Val::List(_) | Val::Tuple(_), _)
            | (BinaryOp::Add, _, Val::List(_) | Val::Tuple(_)) => {
                let mut items = self.iterate(a);
                let more = self.iterate(b);
                crate::heap::extend(&mut items, more);
                match (a, items.rest.is_none()) {
                    (Val::Tuple(_), true) => Val::Tuple(items.list.into()),
                    _ => self.heap().list(items),
                }
            }
            (BinaryOp::Add, Val::Text(_), _) | (BinaryOp::Add, _, Val::Text(_)) => {
                let (mut text, more) = (a.to_text(), b.to_text());
                // Text that doubles in a loop would be copied again and again.
                if text.known_prefix().len() + more.known_prefix().len() > crate::decode::LIMIT {
                    let start = Value::known(text.known_prefix().get(..64).unwrap_or(""));
                    let taint = text.taint().clone();
                    text = start.tainted(&taint).tainted(more.taint());
                    text.push(Piece::Unknown("very long text"));
                    return Val::Text(text);
                }
                text.append(&more);
                Val::Text(text)
            }
            (BinaryOp::Add, Val::Bytes(one), other) => match other {
                Val::Bytes(two) => Val::Bytes(one.iter().chain(two.iter()).copied().collect()),
                _ => Val::unknown(),
            },
            (BinaryOp::Mul, Val::Text(text), Val::Int(count))
            | (BinaryOp::Mul, Val::Int(count), Val::Text(text)) => {
                let count = usize::try_from(*count).unwrap_or(0);
                match text.as_known() {
                    Some(known) if known.len().saturating_mul(count) <= crate::decode::LIMIT => {
                        Val::Text(Value::known(known.repeat(count)).tainted(text.taint()))
                    }
                    _ => Val::tainted(text.taint().clone()),
                }
            }
            (BinaryOp::Mul, Val::List(_) | Val::Tuple(_), Val::Int(count)) => {
                let items = self.iterate(a);
                let count = usize::try_from(*count).unwrap_or(0);
                if items.rest.is_none() && items.list.len().saturating_mul(count) <= MAX_ITEMS {
                    let list = std::iter::repeat_n(items.list, count).flatten().collect();
                    return self.heap().list(Items { list, rest: None });
                }
                let rest = self.element(a);
                self.heap().list(Items { list: Vec::new(), rest: Some(rest) })
            }
            (BinaryOp::Mod, Val::Text(format), _) => {
                let format = format.clone();
                Val::Text(match self.language() {
                    Language::Ruby => self.ruby_format(&format, b),
                    _ => self.percent_format(&format, b),
                })
            }
            (BinaryOp::Div | BinaryOp::Add, Val::Path(_), _) | (BinaryOp::Div, _, Val::Path(_)) => {
                Val::Path(aegish_code_effects::paths::join_paths(&[a.to_text(), b.to_text()]))
            }
            (BinaryOp::BitOr, Val::Dict(one), Val::Dict(other)) => {
                let mut entries = (*self.heap().entries(*one)).clone();
                let more = self.heap().entries(*other);
                for (key, value) in &more.list {
                    crate::heap::insert(&mut entries, key.clone(), value.clone());
                }
                entries.rest = entries.rest.or_else(|| more.rest.clone());
                self.heap().dict(entries)
            }
            // Flags of the C kind: `os.O_WRONLY | os.O_CREAT`.
            (BinaryOp::BitOr, Val::Library(a), Val::Library(b)) if a.len() + b.len() < 400 => {
                Val::Library(format!("{a}|{b}").into())
            }
            (BinaryOp::BitOr, Val::Library(a), Val::Int(bits))
            | (BinaryOp::BitOr, Val::Int(bits), Val::Library(a))
                if a.len() < 400 =>
            {
                Val::Library(format!("{a}|{bits}").into())
            }
            _ => {
                let mut taint: Taint = self.taint_of(a);
                taint.absorb(&self.taint_of(b));
                Val::tainted(taint)
            }
        }
    }

    /// What an operator that a class of the program defines makes of two values; of what stands on the right, if what
    /// stands on the left defines none.
    fn operator_method(&mut self, a: &Val, op: BinaryOp, b: &Val) -> Option<Val> {
        let (sign, name) = names_of(op);
        if let Some(made) = self.overloaded_operator(a, sign, b) {
            return Some(made);
        }
        if let Some(method) = self.special(a, &format!("__{name}__")) {
            return Some(self.call(&method, Args::of(vec![b.clone()])));
        }
        let method = self.special(b, &format!("__r{name}__"))?;
        Some(self.call(&method, Args::of(vec![a.clone()])))
    }

    /// What a comparison that a class of the program defines gives.
    fn compared_by_method(&mut self, a: &Val, op: CompareOp, b: &Val) -> Option<Val> {
        let (sign, name, mirrored) = match op {
            CompareOp::Equal | CompareOp::LooseEqual => ("==", "__eq__", "__eq__"),
            CompareOp::NotEqual | CompareOp::LooseNotEqual => ("!=", "__ne__", "__ne__"),
            CompareOp::Less => ("<", "__lt__", "__gt__"),
            CompareOp::LessEqual => ("<=", "__le__", "__ge__"),
            CompareOp::Greater => (">", "__gt__", "__lt__"),
            CompareOp::GreaterEqual => (">=", "__ge__", "__le__"),
            CompareOp::In | CompareOp::NotIn => {
                let method = self.special(b, "__contains__")?;
                self.call(&method, Args::of(vec![a.clone()]));
                return Some(Val::unknown());
            }
        };
        if let Some(made) = self.overloaded_operator(a, sign, b) {
            return Some(made);
        }
        let (method, other) = match (self.special(a, name), self.special(b, mirrored)) {
            (Some(method), _) => (method, b),
            (None, Some(method)) => (method, a),
            // What is not equal is asked by the method for equality.
            (None, None) if name == "__ne__" => {
                return self.compared_by_method(a, CompareOp::Equal, b).map(|_| Val::unknown());
            }
            (None, None) => return None,
        };
        Some(self.call(&method, Args::of(vec![other.clone()])))
    }

    /// `a op= b`: a list is changed in place.
    fn update_value(&mut self, old: &Val, op: BinaryOp, value: &Val) -> Val {
        if let (BinaryOp::Add, Val::List(place), false) = (op, old, self.is_javascript()) {
            let more = self.iterate(value);
            self.extend_list(*place, more);
            return old.clone();
        }
        let (_, name) = names_of(op);
        if let Some(method) = self.special(old, &format!("__i{name}__")) {
            return self.call(&method, Args::of(vec![value.clone()]));
        }
        self.binary(old, op, value)
    }
}

/// The sign of an operator, and its name in the methods for it.
fn names_of(op: BinaryOp) -> (&'static str, &'static str) {
    match op {
        BinaryOp::Add => ("+", "add"),
        BinaryOp::Sub => ("-", "sub"),
        BinaryOp::Mul => ("*", "mul"),
        BinaryOp::Div => ("/", "truediv"),
        BinaryOp::FloorDiv => ("//", "floordiv"),
        BinaryOp::Mod => ("%", "mod"),
        BinaryOp::Pow => ("**", "pow"),
        BinaryOp::ShiftLeft => ("<<", "lshift"),
        BinaryOp::ShiftRight => (">>", "rshift"),
        BinaryOp::BitOr => ("|", "or"),
        BinaryOp::BitXor => ("^", "xor"),
        BinaryOp::BitAnd => ("&", "and"),
        BinaryOp::UnsignedShiftRight => (">>>", "ushr"),
        BinaryOp::Other => ("@", "matmul"),
    }
}

impl<M: Machine> Operators for M {}

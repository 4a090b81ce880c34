//! Operators of JavaScript.

use crate::ir::BinaryOp;
use crate::javascript::texts::ScriptTexts;
use crate::machine::Machine;
use crate::value::Val;

/// Numbers beyond are not exact.
const EXACT: i64 = 1 << 53;

/// Operators of JavaScript.
pub trait ScriptOperators: Machine {
    /// An operator on two values of which neither is one of several.
    fn script_binary(&mut self, a: &Val, op: BinaryOp, b: &Val) -> Val {
        if op == BinaryOp::Other {
            return Val::unknown();
        }
        let number = |value: &Val| match value {
            Val::Text(text) if op != BinaryOp::Add => parse_number(text.as_known()?),
            Val::None if op != BinaryOp::Add => Some(0),
            other => other.as_int(),
        };
        if let (Some(a), Some(b)) = (number(a), number(b)) {
            return arithmetic(a, op, b)
                .filter(|result| result.abs() < EXACT)
                .map_or_else(Val::unknown, Val::Int);
        }
        let is_text = |value: &Val| {
            matches!(
                value,
                Val::Text(_)
                    | Val::List(_)
                    | Val::Dict(_)
                    | Val::Tuple(_)
                    | Val::Bytes(_)
                    | Val::Instance(_)
                    | Val::Function(_)
                    | Val::Class(_)
                    | Val::Process(_)
                    | Val::File(_)
                    | Val::Library(_)
            )
        };
        if op == BinaryOp::Add && (is_text(a) || is_text(b)) {
            let (a, b) = (self.text_of(a), self.text_of(b));
            return self.concatenated(a, &b);
        }
        let mut taint = self.taint_of(a);
        taint.absorb(&self.taint_of(b));
        Val::tainted(taint)
    }
}

impl<M: Machine> ScriptOperators for M {}

/// A text as a number, if it is a whole one.
pub fn parse_number(text: &str) -> Option<i64> {
    let text = text.trim();
    match text.get(..2).map(str::to_ascii_lowercase).as_deref() {
        Some("0x") => i64::from_str_radix(text.get(2..)?, 16).ok(),
        Some("0o") => i64::from_str_radix(text.get(2..)?, 8).ok(),
        Some("0b") => i64::from_str_radix(text.get(2..)?, 2).ok(),
        _ if text.is_empty() => Some(0),
        _ => text.parse().ok(),
    }
}

/// The number as 32 bits, as the operators on bits see it.
#[allow(clippy::cast_possible_truncation)] // the language cuts it
fn bits(number: i64) -> i32 {
    number as i32
}

fn arithmetic(a: i64, op: BinaryOp, b: i64) -> Option<i64> {
    let shift = u32::try_from(b & 31).ok()?;
    match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div => (b != 0 && a % b == 0).then(|| a / b),
        BinaryOp::Mod => a.checked_rem(b),
        BinaryOp::Pow => a.checked_pow(u32::try_from(b).ok()?),
        BinaryOp::ShiftLeft => Some(i64::from(bits(a).wrapping_shl(shift))),
        BinaryOp::ShiftRight => Some(i64::from(bits(a).wrapping_shr(shift))),
        BinaryOp::UnsignedShiftRight => {
            Some(i64::from(bits(a).cast_unsigned().wrapping_shr(shift)))
        }
        BinaryOp::BitOr => Some(i64::from(bits(a) | bits(b))),
        BinaryOp::BitXor => Some(i64::from(bits(a) ^ bits(b))),
        BinaryOp::BitAnd => Some(i64::from(bits(a) & bits(b))),
        BinaryOp::FloorDiv | BinaryOp::Other => None,
    }
}

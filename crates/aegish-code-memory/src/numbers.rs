//! Known values: constants, arithmetic, equality, places in a list.

use crate::heap::Items;
use crate::ir::{BinaryOp, Constant};
use crate::value::Val;

/// Whether two values are equal, if both are known.
#[must_use]
pub fn equal(a: &Val, b: &Val) -> Option<bool> {
    match (a, b) {
        (Val::Text(a), Val::Text(b)) => {
            let (one, other) = (a.readings(32)?, b.readings(32)?);
            match (one.as_slice(), other.as_slice()) {
                ([x], [y]) => Some(x == y),
                (xs, ys) if xs.iter().all(|x| !ys.contains(x)) => Some(false),
                _ => None,
            }
        }
        (Val::Int(a), Val::Int(b)) => Some(a == b),
        (Val::Bool(a), Val::Bool(b)) => Some(a == b),
        (Val::None, Val::None) => Some(true),
        (Val::Tuple(a), Val::Tuple(b)) if a.len() == b.len() => a
            .iter()
            .zip(b.iter())
            .map(|(a, b)| equal(a, b))
            .try_fold(true, |all, one| Some(all && one?)),
        (
            Val::None,
            Val::Text(_) | Val::Int(_) | Val::Bool(_) | Val::Path(_) | Val::Function(_),
        )
        | (
            Val::Text(_) | Val::Int(_) | Val::Bool(_) | Val::Path(_) | Val::Function(_),
            Val::None,
        )
        | (Val::Text(_), Val::Int(_) | Val::Bool(_))
        | (Val::Int(_) | Val::Bool(_), Val::Text(_)) => Some(false),
        _ => None,
    }
}

#[must_use]
pub fn arithmetic(a: i64, op: BinaryOp, b: i64) -> Option<i64> {
    match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::FloorDiv => (b != 0).then(|| a.checked_div_euclid(b)).flatten(),
        BinaryOp::Mod => (b > 0).then(|| a.rem_euclid(b)),
        BinaryOp::Pow => a.checked_pow(u32::try_from(b).ok()?),
        BinaryOp::ShiftLeft => a.checked_mul(1_i64.checked_shl(u32::try_from(b).ok()?)?),
        BinaryOp::ShiftRight => a.checked_shr(u32::try_from(b).ok()?),
        BinaryOp::BitOr => Some(a | b),
        BinaryOp::BitXor => Some(a ^ b),
        BinaryOp::BitAnd => Some(a & b),
        BinaryOp::Div | BinaryOp::UnsignedShiftRight | BinaryOp::Other => None,
    }
}

#[must_use]
pub fn place_in(place: i64, length: usize) -> Option<usize> {
    let length = i64::try_from(length).ok()?;
    usize::try_from(if place < 0 { place + length } else { place }).ok()
}

/// The places that a slice picks.
#[must_use]
pub fn places(length: usize, [start, stop, step]: [Option<i64>; 3]) -> Vec<usize> {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let step = step.unwrap_or(1);
    if step == 0 {
        return Vec::new();
    }
    let clamp = |n: i64, low: i64, high: i64| {
        (if n < 0 { n.saturating_add(length) } else { n }).clamp(low, high)
    };
    let mut picked = Vec::new();
    if step > 0 {
        let stop = stop.map_or(length, |n| clamp(n, 0, length));
        let mut at = start.map_or(0, |n| clamp(n, 0, length));
        while at < stop {
            picked.extend(usize::try_from(at).ok());
            at = at.saturating_add(step);
        }
    } else {
        let stop = stop.map_or(-1, |n| clamp(n, -1, length - 1));
        let mut at = start.map_or(length - 1, |n| clamp(n, -1, length - 1));
        while at > stop {
            picked.extend(usize::try_from(at).ok());
            at = at.saturating_add(step);
        }
    }
    picked
}

/// The type of a value, as `typeof` gives it.
#[must_use]
pub fn type_of(value: &Val) -> Option<&'static str> {
    Some(match value {
        Val::Text(_) => "string",
        Val::Int(_) => "number",
        Val::Bool(_) => "boolean",
        Val::Function(_) | Val::Class(_) | Val::Bound(_) | Val::Partial(_) => "function",
        Val::List(_) | Val::Dict(_) | Val::Instance(_) | Val::Tuple(_) | Val::Bytes(_) => "object",
        _ => return None,
    })
}

/// The value of a constant.
#[must_use]
pub fn constant_value(constant: &Constant) -> Val {
    match constant {
        Constant::Text(text) => Val::text(&**text),
        Constant::Bytes(bytes) => Val::bytes(bytes.to_vec()),
        Constant::Int(number) => Val::Int(*number),
        Constant::Bool(value) => Val::Bool(*value),
        Constant::None => Val::None,
        Constant::Number => Val::unknown(),
    }
}

#[must_use]
pub fn character(code: i64) -> Option<char> {
    char::from_u32(u32::try_from(code).ok()?)
}

/// The bytes that a list of numbers stands for.
#[must_use]
pub fn bytes_of(items: &Items) -> Option<Vec<u8>> {
    if items.rest.is_some() {
        return None;
    }
    items.list.iter().map(|item| item.as_int().and_then(|n| u8::try_from(n).ok())).collect()
}

#[must_use]
pub fn int_to_bytes(number: i64, length: i64, order: Option<&str>) -> Val {
    let bytes = number.to_be_bytes();
    let Some(start) =
        usize::try_from(length).ok().and_then(|length| bytes.len().checked_sub(length))
    else {
        return Val::unknown();
    };
    let mut bytes = bytes.get(start..).unwrap_or(&[]).to_vec();
    if order == Some("little") {
        bytes.reverse();
    }
    Val::bytes(bytes)
}

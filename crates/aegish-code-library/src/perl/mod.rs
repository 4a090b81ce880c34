//! Functions of Perl on known texts and numbers.

pub mod items;
pub mod lists;
pub mod matches;
pub mod packed;
pub mod patterns;
pub mod text_functions;
pub mod texts;
pub mod values;

use crate::ir::{BinaryOp, CompareOp};
use crate::machine::Machine;
use crate::value::Val;

/// An operator between two values.
pub fn binary<M: Machine>(machine: &M, a: &Val, op: BinaryOp, b: &Val) -> Val {
    let sign = match op {
        BinaryOp::BitXor => Some('^'),
        BinaryOp::BitAnd => Some('&'),
        BinaryOp::BitOr => Some('|'),
        _ => None,
    };
    if let (Val::Text(one), Val::Text(other), Some(sign)) = (a, b, sign)
        && let (Some(one), Some(other)) = (one.as_known(), other.as_known())
    {
        return Val::text(texts::bitwise(one, other, sign));
    }
    // Flags of the C kind.
    match (op, a, b) {
        (BinaryOp::BitOr, Val::Library(one), Val::Library(other))
            if one.len() + other.len() < 400 =>
        {
            return Val::Library(format!("{one}|{other}").into());
        }
        (BinaryOp::BitOr, flags @ Val::Library(_), _)
        | (BinaryOp::BitOr, _, flags @ Val::Library(_)) => return flags.clone(),
        _ => {}
    }
    let (Some(one), Some(other)) = (number(a), number(b)) else {
        let mut taint = machine.taint_of(a);
        taint.absorb(&machine.taint_of(b));
        return Val::tainted(taint);
    };
    let made = match op {
        BinaryOp::Div if other != 0 && one.checked_rem(other) == Some(0) => one.checked_div(other),
        _ => crate::numbers::arithmetic(one, op, other),
    };
    made.map_or_else(Val::unknown, Val::Int)
}

/// A comparison of two values, as texts or as numbers.
pub fn compare<M: Machine>(machine: &mut M, a: &Val, op: CompareOp, b: &Val) -> Option<bool> {
    if matches!(op, CompareOp::Equal | CompareOp::NotEqual) {
        let (one, other) = (machine.text_of(a), machine.text_of(b));
        let same = crate::numbers::equal(&Val::Text(one), &Val::Text(other))?;
        return Some(same == (op == CompareOp::Equal));
    }
    let order = number(a)?.cmp(&number(b)?);
    Some(match op {
        CompareOp::LooseEqual => order.is_eq(),
        CompareOp::LooseNotEqual => order.is_ne(),
        CompareOp::Less => order.is_lt(),
        CompareOp::LessEqual => order.is_le(),
        CompareOp::Greater => order.is_gt(),
        _ => order.is_ge(),
    })
}

/// The number that a value stands for, if it is a whole one.
#[must_use]
pub fn number(value: &Val) -> Option<i64> {
    match value {
        Val::Int(number) => Some(*number),
        Val::Bool(value) => Some(i64::from(*value)),
        Val::None => Some(0),
        Val::Text(text) => {
            let text = text.as_known()?.trim_start();
            let (sign, digits) = match text.strip_prefix('-') {
                Some(rest) => (-1, rest),
                None => (1, text.strip_prefix('+').unwrap_or(text)),
            };
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            let behind = digits.get(end..)?;
            if behind.starts_with(['.', 'e', 'E']) || behind.starts_with("0x") {
                return None;
            }
            match digits.get(..end)? {
                "" if behind.to_ascii_lowercase().starts_with("inf") => None,
                "" => Some(0),
                digits => digits.parse::<i64>().ok()?.checked_mul(sign),
            }
        }
        _ => None,
    }
}

/// Truth of a value, if it is known.
#[must_use]
pub fn truth(value: &Val) -> Option<bool> {
    match value {
        Val::None => Some(false),
        Val::Bool(value) => Some(*value),
        Val::Int(number) => Some(*number != 0),
        Val::Text(text) => {
            let readings = text.readings(16)?;
            let first = readings.first().map(|text| !text.is_empty() && text != "0")?;
            readings.iter().all(|text| (!text.is_empty() && text != "0") == first).then_some(first)
        }
        Val::List(_) | Val::Dict(_) | Val::Function(_) | Val::Scalar(_) | Val::Pattern(_) => {
            Some(true)
        }
        Val::OneOf(values) => {
            let first = truth(values.first()?)?;
            values.iter().all(|value| truth(value) == Some(first)).then_some(first)
        }
        _ => None,
    }
}

/// `++` and `--` of a text.
#[must_use]
pub fn increment(value: &Val, by: i64) -> Val {
    if let (Val::Text(text), 1) = (value, by)
        && let Some(known) = text.as_known()
        && !known.is_empty()
        && known.chars().all(|c| c.is_ascii_alphanumeric())
        && known.starts_with(|c: char| c.is_ascii_alphabetic())
        && known
            .trim_start_matches(|c: char| c.is_ascii_alphabetic())
            .bytes()
            .all(|b| b.is_ascii_digit())
    {
        return Val::text(next_text(known));
    }
    match number(value).and_then(|number| number.checked_add(by)) {
        Some(number) => Val::Int(number),
        None => value.forget(),
    }
}

fn next_text(text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let mut place = chars.len();
    loop {
        let Some(before) = place.checked_sub(1) else {
            let first = match chars.first() {
                Some('0') => '1',
                Some('A') => 'A',
                _ => 'a',
            };
            chars.insert(0, first);
            break;
        };
        place = before;
        let Some(c) = chars.get_mut(place) else { break };
        match *c {
            'z' => *c = 'a',
            'Z' => *c = 'A',
            '9' => *c = '0',
            other => {
                *c = char::from_u32(u32::from(other) + 1).unwrap_or(other);
                break;
            }
        }
    }
    chars.into_iter().collect()
}

/// The items of `from .. to`; none if there are too many or they are not known.
#[must_use]
pub fn range(from: &Val, to: &Val, most: usize) -> Option<Vec<Val>> {
    if let (Val::Text(a), Val::Text(b)) = (from, to)
        && let (Some(a), Some(b)) = (a.as_known(), b.as_known())
        && a.starts_with(|c: char| c.is_ascii_alphabetic())
    {
        let mut list = vec![Val::text(a)];
        let mut text = a.to_owned();
        while text != b && text.len() <= b.len() {
            text = next_text(&text);
            if text.len() > b.len() {
                break;
            }
            list.push(Val::text(text.clone()));
            if list.len() > most {
                return None;
            }
        }
        return Some(list);
    }
    let (from, to) = (number(from)?, number(to)?);
    if to.checked_sub(from)? >= i64::try_from(most).ok()? {
        return None;
    }
    Some((from..=to).map(Val::Int).collect())
}

//! The parts of Bash's expansions that need no shell, on abstract values.
//!
//! Takes expanded pieces, gives fields: splitting at `$IFS`, file name patterns, operators of parameters, arithmetic.
//! Reads no variable and runs no command by itself: `aegish-effects` does that.
#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

pub mod arith;
mod brackets;
pub mod code;
pub mod computed;
mod element;
pub mod endless;
pub mod environment;
pub mod fields;
pub mod found_lines;
pub mod items;
pub mod misuse;
pub mod names;
pub mod operands;
pub mod operators;
pub mod printed;
pub mod read;
pub mod redirects;
pub mod rows;
pub mod search;
pub mod url_list;
pub mod xargs;

pub use aegish_options::Field;
use aegish_syntax::Part;
use aegish_values::{Piece, Value};
pub use fields::{Builder, as_pattern, nodes};

/// The words after the name of a command.
pub fn arguments(fields: &[Field]) -> &[Field] {
    fields.get(1..).unwrap_or_default()
}

/// The words with blanks between them, as `eval` and `ssh` put them together.
pub fn joined(fields: &[Field]) -> Value {
    let mut value = Value::empty();
    for (index, field) in fields.iter().enumerate() {
        if index > 0 {
            value.push_str(" ");
        }
        value.append(&field.value);
    }
    value
}

/// The words that a list may consist of alone: those from outside may be empty and vanish.
pub fn only_words(list: &[Field]) -> Vec<&Value> {
    let unknown = |piece: &Piece| matches!(piece, Piece::Unknown(_));
    let vanishes = |value: &Value| value.each().is_empty() && value.pieces().iter().all(unknown);
    let (from_outside, others): (Vec<&Value>, Vec<&Value>) =
        list.iter().map(|field| &field.value).partition(|value| vanishes(value));
    match others.as_slice() {
        [] => from_outside,
        [_] => others,
        _ => Vec::new(),
    }
}

/// Whether the parts are inside double quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quoting {
    /// They are not.
    None,
    /// They are.
    Double,
}

/// Whether quotes contain only `$@` or `${a[@]}`.
pub fn is_bare_list(parts: &[Part]) -> bool {
    match parts {
        [Part::Param(param)] => {
            param.name == "@"
                || param.index.as_ref().is_some_and(
                    |index| matches!(index.parts.as_slice(), [Part::Literal(text)] if text == "@"),
                )
        }
        _ => false,
    }
}

/// Drops zero bytes, which no variable and no word of the shell holds.
pub fn drop_zero_bytes(value: &mut Value) {
    let has_zero = |piece: &Piece| match piece {
        Piece::Text(text) => text.contains('\0'),
        Piece::OneOf(texts) => texts.iter().any(|text| text.contains('\0')),
        _ => false,
    };
    if !value.possible().iter().any(|one| one.pieces().iter().any(has_zero)) {
        return;
    }
    *value = value.mapped(|one| {
        let mut rest = Value::empty();
        for piece in one.pieces() {
            match piece {
                Piece::Text(text) => rest.push_str(&text.as_str().replace('\0', "")),
                Piece::OneOf(texts) => {
                    let texts = texts.iter().map(|text| text.replace('\0', ""));
                    rest.append(&Value::one_of(texts));
                }
                other => rest.push(other.clone()),
            }
        }
        rest.tainted(one.taint())
    });
}

/// A text up to its first zero byte, where a builtin of the shell ends it.
pub fn until_zero_byte(text: &str) -> &str {
    text.split_once('\0').map_or(text, |(before, _)| before)
}

/// Drops the newlines at the end, as `$(…)` does.
pub fn trim_newlines(value: &mut Value) {
    if !value.each().is_empty() {
        *value = value.mapped(|one| {
            let mut one = one.clone();
            trim_newlines(&mut one);
            one
        });
        return;
    }
    let ends = |text: &str| text.ends_with('\n');
    let trimmed = match value.pieces().last() {
        Some(Piece::Text(text)) if ends(text) => Piece::Text(text.trim_end_matches('\n').into()),
        Some(Piece::OneOf(texts)) if texts.iter().any(|text| ends(text)) => {
            let texts = texts.iter().map(|text| text.trim_end_matches('\n').to_owned());
            Piece::OneOf(texts.collect())
        }
        _ => return,
    };
    let mut result = Value::empty();
    for piece in value.pieces().get(..value.pieces().len() - 1).unwrap_or_default() {
        result.push(piece.clone());
    }
    match trimmed {
        Piece::OneOf(texts) => result.append(&Value::one_of(texts)),
        other => result.push(other),
    }
    *value = result.tainted(value.taint());
}

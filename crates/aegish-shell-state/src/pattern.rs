//! Patterns of file names.

use aegish_values::{Piece, Value};

/// The pattern in lower case, as the names of important files are written.
pub fn small(pattern: &Value) -> Value {
    let mut small = Value::empty().tainted(pattern.taint());
    for piece in pattern.pieces() {
        small.push(match piece {
            Piece::Text(text) => Piece::Text(text.to_lowercase()),
            Piece::AnyOf(set) => Piece::AnyOf(set.to_lowercase()),
            other => other.clone(),
        });
    }
    small
}

//! Questions about the operands of calls, asked in every language.

use aegish_values::{Piece, Source, Taint, Value};

/// Whether a text is a URL.
#[must_use]
pub fn is_url(value: &Value) -> bool {
    let text = value.known_prefix();
    ["http://", "https://", "ftp://", "ftps://", "tftp://"]
        .iter()
        .any(|scheme| text.get(..scheme.len()).is_some_and(|t| t.eq_ignore_ascii_case(scheme)))
}

/// Whether no part of a path is known.
#[must_use]
pub fn is_unnamed(path: &Value) -> bool {
    path.has_unknown()
        && !path.pieces().iter().any(|piece| matches!(piece, Piece::Text(_) | Piece::OneOf(_)))
}

/// The file that content was read from, if there is one.
#[must_use]
pub fn file_in(taint: &Taint) -> Option<Value> {
    taint.sources().find_map(|source| {
        if let Source::File(path) = source { Some(Value::known(path.clone())) } else { None }
    })
}

/// A pattern with its stars as pieces.
#[must_use]
pub fn globbed(path: &Value) -> Value {
    let mut value = Value::empty().tainted(path.taint());
    for piece in path.pieces() {
        match piece {
            Piece::Text(text) => {
                for part in text.split_inclusive(['*', '?']) {
                    if let Some(before) = part.strip_suffix('*') {
                        value.push_str(before);
                        value.push(Piece::AnyString);
                    } else if let Some(before) = part.strip_suffix('?') {
                        value.push_str(before);
                        value.push(Piece::AnyChar);
                    } else {
                        value.push_str(part);
                    }
                }
            }
            other => value.push(other.clone()),
        }
    }
    value
}

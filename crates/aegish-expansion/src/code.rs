//! Values as code of a shell, of which parts are one of several or not known.

use aegish_values::{Piece, Value};

/// Whether a character may stand in the name of a variable.
#[must_use]
pub fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The start of a name that is not complete at the end of the text: `${A_`.
#[must_use]
pub fn open_name(text: &str) -> Option<usize> {
    let start = text.trim_end_matches(is_name_char).len();
    text.get(..start)?.ends_with("${").then_some(start)
}

/// The values that have each of the texts in place of the first piece that is one of several.
#[must_use]
pub fn with_each_text(code: &Value) -> Option<Vec<Value>> {
    let several = |piece: &Piece| matches!(piece, Piece::OneOf(_));
    let at = code.pieces().iter().position(several)?;
    let (before, rest) = code.pieces().split_at_checked(at)?;
    let (Piece::OneOf(texts), after) = rest.split_first()? else { return None };
    let value = |text: &String| {
        let mut value = Value::empty().tainted(code.taint());
        before.iter().for_each(|piece| value.push(piece.clone()));
        value.push_str(text);
        after.iter().for_each(|piece| value.push(piece.clone()));
        value
    };
    Some(texts.iter().map(value).collect())
}

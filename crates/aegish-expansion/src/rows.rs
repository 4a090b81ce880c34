//! Inputs of programs that run a command for each of them.

use aegish_values::{Piece, Value};

/// Maximum number of combinations of inputs; more are a limit of the analysis.
pub const MAX_ROWS: usize = 1024;

/// Adds a source of inputs: every combination with those before, or one of each if it is linked.
pub fn add_column(rows: &mut Vec<Vec<Value>>, inputs: Vec<Value>, linked: bool) {
    if rows.is_empty() {
        *rows = inputs.into_iter().map(|input| vec![input]).collect();
    } else if linked {
        for (row, input) in rows.iter_mut().zip(inputs) {
            row.push(input);
        }
    } else {
        let with = |row: &Vec<Value>, input: &Value| {
            row.iter().chain([input]).cloned().collect::<Vec<_>>()
        };
        // Bounded: one more than the limit shows that it was reached, which the caller reports.
        *rows = rows
            .iter()
            .flat_map(|row| inputs.iter().map(move |input| with(row, input)))
            .take(MAX_ROWS + 1)
            .collect();
    }
}

/// All inputs with blanks between them.
pub fn all(inputs: &[Value], make: impl Fn(&Value) -> Value) -> Value {
    let mut value = Value::empty();
    for (index, input) in inputs.iter().enumerate() {
        if index > 0 {
            value.push_str(" ");
        }
        value.append(&make(input));
    }
    value
}

/// The columns of an input. A regular expression as separator is not evaluated.
pub fn columns(input: &Value, separator: &str) -> Vec<Value> {
    match input.as_known() {
        Some(text) if separator.chars().all(|c| c.is_alphanumeric() || " ,;:/=_-".contains(c)) => {
            let column = |part| Value::known(part).tainted(input.taint());
            text.split(separator).map(column).collect()
        }
        _ => vec![Value::unknown("column").tainted(input.taint()); 9],
    }
}

/// A value as one word of shell code.
pub fn quoted(value: &Value) -> Value {
    let plain = |c: char| c.is_alphanumeric() || "_-./:,+@%=".contains(c);
    let mut word = Value::empty().tainted(value.taint());
    if value.pieces().is_empty() {
        word.push_str("''");
    }
    for piece in value.pieces() {
        match piece {
            Piece::Text(text) if !text.chars().all(plain) => {
                word.push_str(&format!("'{}'", text.as_str().replace('\'', "'\\''")));
            }
            Piece::OneOf(texts) => {
                let one = |text: &String| match !text.is_empty() && text.chars().all(plain) {
                    true => text.clone(),
                    false => format!("'{}'", text.replace('\'', "'\\''")),
                };
                word.append(&Value::one_of(texts.iter().map(one)));
            }
            other => word.push(other.clone()),
        }
    }
    word
}

/// The last part of a path.
pub fn name(text: &str) -> &str {
    text.rsplit('/').next().unwrap_or(text)
}

/// A path without the extension of its last part.
pub fn without_extension(text: &str) -> &str {
    match text.rsplit_once('.') {
        Some((stem, extension)) if !extension.contains('/') => stem,
        _ => text,
    }
}

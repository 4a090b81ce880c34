//! Code that acts on its input: lines and fields that it reads are those of a known input.

use aegish_code::CodeEffect;
use aegish_values::{MAX_ALTERNATIVES, Piece, Value, origin};

/// The effect with what the program reads from its input in place.
#[must_use]
pub fn fed(kind: CodeEffect, input: &Value) -> CodeEffect {
    match kind {
        CodeEffect::Shell(code) => CodeEffect::Shell(with_input(&code, input)),
        CodeEffect::Read(path) => CodeEffect::Read(with_input(&path, input)),
        CodeEffect::Hidden if input.taint().network().is_some() => {
            CodeEffect::Shell(Value::unknown("computed code").tainted(input.taint()))
        }
        other => other,
    }
}

/// A value in which lines and fields of the input are those of a known input.
fn with_input(value: &Value, input: &Value) -> Value {
    let reads = |piece: &Piece| {
        matches!(
            piece,
            Piece::Unknown(origin::INPUT_LINE | origin::INPUT_FIELD | origin::PATTERN_SPACE)
        )
    };
    if !value.pieces().iter().any(reads) {
        return value.clone();
    }
    let lines: Vec<&str> = input.as_known().map(|text| text.lines().collect()).unwrap_or_default();
    let mut filled = Value::empty().tainted(value.taint()).tainted(input.taint());
    for piece in value.pieces() {
        let mut texts: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        if let Piece::Unknown(origin::INPUT_FIELD) = piece {
            texts.extend(lines.iter().flat_map(|line| line.split_whitespace()).map(str::to_owned));
        }
        let exact = matches!(piece, Piece::Unknown(origin::INPUT_LINE | origin::INPUT_FIELD));
        if exact && !texts.is_empty() && texts.len() <= MAX_ALTERNATIVES {
            filled.append(&Value::one_of(texts));
        } else {
            filled.push(piece.clone());
        }
    }
    filled
}

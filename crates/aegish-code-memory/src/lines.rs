//! Lines of texts.

use crate::heap::Items;
use crate::value::{Val, join, part_of};
use aegish_values::{Piece, Value};

/// Most texts that are told apart.
pub const READINGS: usize = 16;
/// Longest text whose lines are told apart.
const LONGEST: usize = 8192;

/// The lines of a text. Those of a text that is not fully known may be any of those that are.
pub fn lines_of(content: &Val, keep_end: bool) -> Items {
    let any = |value: Val| Items { list: Vec::new(), rest: Some(value) };
    let text = match content {
        Val::Text(text) => text,
        Val::None => return Items::default(),
        other => return any(other.clone()),
    };
    let line = |line: &str| {
        let line = if keep_end { line } else { line.trim_end_matches(['\n', '\r']) };
        Val::Text(Value::known(line).tainted(text.taint()))
    };
    if let Some(known) = text.as_known() {
        return match known.len() {
            ..LONGEST => {
                Items { list: known.split_inclusive('\n').map(line).collect(), rest: None }
            }
            _ => any(Val::Text(part_of(text))),
        };
    }
    let texts = match text.readings(READINGS) {
        Some(readings) => readings,
        None if !text.has_text() => return any(content.clone()),
        None => {
            let text_of = |piece: &Piece| match piece {
                Piece::Text(text) => text.to_string(),
                _ => "\n\n".to_owned(),
            };
            vec![text.pieces().iter().map(text_of).collect()]
        }
    };
    let lines = texts.iter().flat_map(|text| text.split_inclusive('\n'));
    let lines = lines.filter(|text| text.len() > 1 || text.trim().len() == text.len());
    // Bounded: the others are a part of the text, which stands behind them.
    let found = lines.take(READINGS).map(line).chain([Val::Text(part_of(text))]);
    let found: Vec<Val> = match text.has_unknown() {
        true => found.collect(),
        false => texts.iter().flat_map(|text| text.split_inclusive('\n')).map(line).collect(),
    };
    Items { list: Vec::new(), rest: found.into_iter().reduce(|a, b| join(&a, &b)) }
}

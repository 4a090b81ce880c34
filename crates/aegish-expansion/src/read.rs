//! Lines and words of an input, as `read` takes them.

use crate::items::lines;
use aegish_values::{MAX_ALTERNATIVES, Piece, Value, join_values, origin};

/// The word of a line with this number, or the rest of the line from there on, as far as the text tells. Something
/// unknown may be several words.
#[must_use]
pub fn word_at(line: &Value, index: usize, rest: bool, ifs: &str) -> Value {
    let Some(variants) = line.variants(MAX_ALTERNATIVES) else { return Value::lost() };
    let words = variants.iter().map(|one| word_of(one, index, rest, ifs));
    words.reduce(|all, word| join_values(&all, &word)).unwrap_or_default()
}

fn word_of(line: &Value, index: usize, rest: bool, ifs: &str) -> Value {
    if let Some(text) = line.as_known() {
        let count = if rest { index + 1 } else { index + 2 };
        let word = split_words(text, count, ifs).into_iter().nth(index).unwrap_or_default();
        return Value::known(word).tainted(line.taint());
    }
    if line.pieces().iter().all(|piece| matches!(piece, Piece::Unknown(_))) {
        return line.clone();
    }
    let separators: Vec<char> = ifs.chars().collect();
    let words = lines(line, &separators);
    let mut value = words.get(index).cloned().unwrap_or_else(|| Value::unknown(origin::INPUT_LINE));
    for word in words.iter().skip(index + 1).take_while(|_| rest) {
        value.push_str(" ");
        value.append(word);
    }
    value
}

/// Distributes a line over this many variables; the last one gets the rest.
#[must_use]
pub fn split_words(text: &str, count: usize, ifs: &str) -> Vec<String> {
    let blank = |c: char| ifs.contains(c) && c.is_whitespace();
    let mut rest = text.trim_matches(blank);
    let mut words = Vec::with_capacity(count);
    while words.len() + 1 < count {
        let (word, behind) = rest.split_once(|c| ifs.contains(c)).unwrap_or((rest, ""));
        words.push(word.to_owned());
        rest = behind.trim_start_matches(blank);
    }
    words.push(rest.to_owned());
    words
}

/// Any of the lines of a text of which parts are not known, if the text says something of one of them.
#[must_use]
pub fn possible_line(content: &Value, delimiter: char) -> Option<Value> {
    let several = |line: &Value| matches!(line.pieces().first(), Some(Piece::OneOf(_)));
    let path = |line: &Value| line.known_prefix().starts_with(['/', '~']) || several(line);
    let variants = content.variants(MAX_ALTERNATIVES);
    let all = variants.as_deref().unwrap_or(content.possible()).iter();
    let lines: Vec<Value> = all.flat_map(|one| lines(one, &[delimiter])).collect();
    if variants.is_none() || lines.len() > MAX_ALTERNATIVES {
        return lines.iter().any(path).then(Value::lost);
    }
    if !lines.iter().any(|line| path(line) || line.has_text()) {
        return None;
    }
    lines.into_iter().reduce(|all, line| join_values(&all, &line))
}

/// The first line of a text in which nothing but patterns of names is not known, and the rest.
#[must_use]
pub fn exact_line(content: &Value, delimiter: char) -> Option<(Value, Value)> {
    let (mut line, mut rest) = (Value::empty(), Value::empty());
    let mut ended = false;
    for piece in content.pieces() {
        match piece {
            Piece::Unknown(_) | Piece::OneOf(_) => return None,
            Piece::Text(text) if !ended => {
                let (before, behind) = text.split_once(delimiter).unwrap_or((text, ""));
                ended = text.contains(delimiter);
                line.push_str(before);
                rest.push_str(behind);
            }
            Piece::Text(text) => rest.push_str(text),
            pattern if ended => rest.push(pattern.clone()),
            pattern => line.push(pattern.clone()),
        }
    }
    ended.then(|| (line.tainted(content.taint()), rest.tainted(content.taint())))
}
